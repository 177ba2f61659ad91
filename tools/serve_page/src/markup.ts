/** Bold, slanted and linked words, as Markdown has them: what a key changes in a text. */

export const MARKS = { b: "Bold", i: "Italic", k: "Link" } as const;
export type Mark = keyof typeof MARKS;

export interface Marked {
  from: number;
  to: number;
  insert: string;
  /** What is selected afterwards. */
  anchor: number;
  head: number;
}

/** Return the mark that a key is for. */
export function markOf(event: KeyboardEvent): Mark | null {
  const key = event.key.toLowerCase();
  return (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && key in MARKS ? (key as Mark) : null;
}

/** Return what marks a range, or the word around it; marks that are there are taken away. */
export function marked(text: string, start: number, end: number, mark: Mark): Marked {
  const [from, to] = start === end ? word(text, start) : [start, end];
  const inner = text.slice(from, to);
  if (mark === "k") return linked(from, to, inner);
  const count = Math.min(/\**$/.exec(text.slice(0, from))![0].length, /^\**/.exec(text.slice(to))![0].length);
  const size = mark === "b" ? 2 : 1;
  const has = mark === "b" ? count >= 2 : count % 2 === 1;
  const sign = "*".repeat(size);
  const shift = has ? -size : size;
  const outside = has ? size : 0;
  return { from: from - outside, to: to + outside, insert: has ? inner : sign + inner + sign, anchor: from + shift, head: to + shift };
}

function linked(from: number, to: number, inner: string): Marked {
  const isAddress = /^(https?:\/\/|mailto:)\S+$/i.test(inner);
  const [words, address] = isAddress ? ["", inner] : [inner, "https://"];
  const at = from + words.length + 3;
  const [anchor, head] = words ? [at, at + address.length] : [from + 1, from + 1];
  return { from, to, insert: `[${words}](${address})`, anchor, head };
}

function word(text: string, at: number): [number, number] {
  const before = /[\p{L}\p{N}’'-]*$/u.exec(text.slice(0, at))![0];
  const after = /^[\p{L}\p{N}’'-]*/u.exec(text.slice(at))![0];
  return [at - before.length, at + after.length];
}
