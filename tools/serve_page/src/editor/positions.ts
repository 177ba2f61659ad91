/** Lines and columns as the server counts them, from 1 and in code points; offsets as CodeMirror does. */

import type { Text } from "@codemirror/state";

export interface Located {
  line: number | null;
  column: number | null;
  end_line: number | null;
  end_column: number | null;
}

/** Return the offset of a position, or the nearest one that the text has. */
export function offset(text: Text, line: number, column: number): number {
  const found = text.line(Math.max(1, Math.min(line, text.lines)));
  let at = 0;
  for (let left = column - 1; left > 0 && at < found.length; left -= 1) {
    at += (found.text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  }
  return Math.min(found.to, found.from + at);
}

/** Return the range of something located, or null if it has no place. */
export function range(text: Text, located: Located): { from: number; to: number } | null {
  if (located.line === null) return null;
  const from = offset(text, located.line, located.column ?? 1);
  const to = located.end_line === null ? from : offset(text, located.end_line, located.end_column ?? 1);
  return { from, to: Math.max(from, to) };
}
