/** Bold, italic and links in YAML: a value that would be something else with a mark gets quotes. */

import { syntaxTree } from "@codemirror/language";
import type { EditorState } from "@codemirror/state";
import type { KeyBinding } from "@codemirror/view";

import { marked, MARKS, type Mark, type Marked } from "../markup";

/** A plain value and where it stands; an empty one behind its key or dash. */
interface Plain {
  from: number;
  to: number;
  flow: boolean;
}

/** Return the keys; `markdown` is whether the file is no YAML. */
export function markKeys(markdown: () => boolean): KeyBinding[] {
  return (Object.keys(MARKS) as Mark[]).map((mark) => ({
    key: `Mod-${mark}`,
    run: ({ state, dispatch }) => {
      if (state.readOnly) return true;
      const edit = markdown() ? inText(state, mark) : inYaml(state, mark);
      if (!edit) return true;
      const { from, to, insert, anchor, head } = edit;
      dispatch(state.update({ changes: { from, to, insert }, selection: { anchor, head }, scrollIntoView: true, userEvent: "input.mark" }));
      return true;
    },
  }));
}

function inText(state: EditorState, mark: Mark): Marked {
  const { from, to } = state.selection.main;
  return marked(state.doc.toString(), from, to, mark);
}

function inYaml(state: EditorState, mark: Mark): Marked | null {
  const found = plain(state);
  if (found === null) return null;
  const edit = inText(state, mark);
  if (!found || edit.from < found.from || edit.to > found.to) return edit;
  const text = state.doc.sliceString(found.from, found.to);
  const [from, to] = [edit.from - found.from, edit.to - found.from];
  const next = text.slice(0, from) + edit.insert + text.slice(to);
  if (!found.flow && !/^[*[]/.test(next)) return edit;
  const quote = /["\\]/.test(next) ? "'" : '"';
  const quoted = (part: string): string => part.replaceAll("'", quote === "'" ? "''" : "'");
  const place = (at: number): number => found.from + 1 + quoted(next.slice(0, at - found.from)).length;
  return { from: found.from, to: found.to, insert: quote + quoted(next) + quote, anchor: place(edit.anchor), head: place(edit.head) };
}

/** Return the plain value that is selected in; undefined for other texts, null where no text can be. */
function plain(state: EditorState): Plain | null | undefined {
  const { from, to } = state.selection.main;
  const line = state.doc.lineAt(from);
  const before = line.text.slice(0, from - line.from);
  if (/(^|\s)(-|:)\s+$/.test(before) || /:\s+$/.test(before)) {
    if (from === to && !line.text.slice(to - line.from).trim()) return { from, to, flow: false };
  }
  const tree = syntaxTree(state);
  let node = tree.resolveInner(from, 1);
  if (!/Literal/.test(node.name)) node = tree.resolveInner(from, -1);
  if (node.name !== "Literal") return /Literal|Comment/.test(node.name) ? undefined : null;
  let flow = false;
  for (let above = node.parent; above; above = above.parent) {
    if (above.name === "Key") return null;
    if (above.name.startsWith("Flow")) flow = true;
  }
  return { from: node.from, to: node.to, flow };
}
