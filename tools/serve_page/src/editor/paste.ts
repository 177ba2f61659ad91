/** Text that is pasted into a block of lines, such as a letter: each line gets the block's indentation. */

import type { EditorState, Text } from "@codemirror/state";
import { EditorView } from "@codemirror/view";

/** A line after which the lines of a text begin: `letter: |`. */
const OPENS = /(?:^|[:\s-]\s*)[|>][-+\d]*\s*(?:\s#.*)?$/;

export const paste = EditorView.clipboardInputFilter.of((text, state) => {
  const indent = text.includes("\n") ? indentation(state) : "";
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
function indentation({ doc, selection }: EditorState): string {
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
