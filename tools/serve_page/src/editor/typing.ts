/** What keys and pasting do in the text: new lines, and blocks of lines. */

import { EditorSelection, type EditorState, type StateCommand, type Text } from "@codemirror/state";
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

/** A line after which the lines of a text begin: `letter: |`. */
const OPENS = /(?:^|[:\s-]\s*)[|>][-+\d]*\s*(?:\s#.*)?$/;

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
function blockIndentation({ doc, selection }: EditorState): string {
  const number = above(doc, doc.lineAt(selection.main.from).number, Infinity);
  const line = number ? doc.line(number).text : "";
  if (OPENS.test(line)) {
    const isBelow = number < doc.lineAt(selection.main.from).number;
    return isBelow ? " ".repeat(/^\s*(?:-\s+)*/.exec(line)![0].length + 2) : "";
  }
  const own = spaces(line);
  const parent = own ? above(doc, number - 1, own) : 0;
  return parent && OPENS.test(doc.line(parent).text) ? " ".repeat(own) : "";
}

/** Return the number of the last line that has words and begins left of a column; 0 if there is none. */
function above(doc: Text, number: number, column: number): number {
  while (number && (!doc.line(number).text.trim() || spaces(doc.line(number).text) >= column)) number -= 1;
  return number;
}

function spaces(line: string): number {
  return /^ */.exec(line)![0].length;
}
