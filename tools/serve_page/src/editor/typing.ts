/** What keys and pasting do in the text: new lines, and blocks of lines. */

import { ensureSyntaxTree, getIndentation } from "@codemirror/language";
import { EditorSelection, type EditorState, type StateCommand } from "@codemirror/state";
import { EditorView } from "@codemirror/view";

/** Return the indentation of the line after a line that ends at the cursor. */
function indentation(before: string): string {
  const dashes = /^\s*(?:-\s+)*/.exec(before)?.[0] ?? "";
  const rest = before.slice(dashes.length);
  const own = /^\s*/.exec(before)?.[0] ?? "";
  const column = /^[^\s:#][^:]*:(\s|$)/.test(rest) ? dashes.length : own.length;
  const opens = /:\s*(?:[|>][+-]?\d?)?\s*(?:#.*)?$/.test(rest);
  return " ".repeat(column + (opens ? 2 : 0));
}

/** Break the line at each cursor, and indent what follows. */
export const newline: StateCommand = ({ state, dispatch }) => {
  if (state.readOnly) return false;
  const change = state.changeByRange((range) => {
    const line = state.doc.lineAt(range.from);
    const before = line.text.slice(0, range.from - line.from);
    const insert = `\n${before.trim() ? indentation(before) : before}`;
    const cursor = range.from + insert.length;
    const after = /^ */.exec(state.doc.sliceString(range.to, state.doc.lineAt(range.to).to))?.[0].length ?? 0;
    return {
      changes: { from: range.from, to: range.to + after, insert },
      range: EditorSelection.cursor(cursor),
    };
  });
  dispatch(state.update(change, { scrollIntoView: true, userEvent: "input" }));
  return true;
};

export const paste = EditorView.clipboardInputFilter.of((text, state) => {
  const indent = text.includes("\n") ? blockIndentation(state) : "";
  const [first, ...rest] = text.split("\n");
  if (!indent) return text;
  const { from } = state.selection.main;
  const line = state.doc.lineAt(from);
  const before = line.text.slice(0, from - line.from);
  const begin = before.trim() ? first! : indent.slice(before.length) + first!.trimStart();
  // Lines that were copied from a block have it already.
  const more = rest.every((line) => !line.trim() || line.startsWith(indent)) ? "" : indent;
  return [begin, ...rest.map((line) => (line.trim() ? more + line : ""))].join("\n");
});

/** Return the indentation of the block that the cursor is in; nothing if it is in none. */
function blockIndentation(state: EditorState): string {
  // Blank lines at its end are of the block, too; behind its beginning may be a comment.
  const end = state.doc.sliceString(0, state.selection.main.from).trimEnd().length;
  const node = ensureSyntaxTree(state, end)?.resolveInner(end, -1);
  if (![node?.name, node?.parent?.name].some((name) => name?.startsWith("BlockLiteral"))) return "";
  return " ".repeat(getIndentation(state, end) ?? indentation(state.doc.lineAt(end).text).length);
}
