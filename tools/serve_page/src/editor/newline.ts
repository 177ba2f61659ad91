/** The Enter key in YAML: the next line begins where a next key, item or value would. */

import { EditorSelection, type StateCommand } from "@codemirror/state";

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
