/** Positions as the server counts them, and the places of the pages in the text, moved along as it changes. */

import { type ChangeSet, StateEffect, StateField, type Text } from "@codemirror/state";

import type { Box, Located, Shown } from "../messages";

export interface Span {
  from: number;
  to: number;
}

/** A state of the text, and what changed since. */
export interface Then {
  doc: Text;
  changes: ChangeSet;
}

export interface Placed {
  page: number;
  box: Box;
  from: number;
  to: number;
  /** The whole text, as it is printed. */
  words: string;
  /** The same for all boxes of one text. */
  text: string;
}

export const setPlaces = StateEffect.define<Placed[]>();

export const places = StateField.define<readonly Placed[]>({
  create: () => [],
  update(value, transaction) {
    let found = value;
    if (transaction.docChanged) {
      found = found.map((one) => ({
        ...one,
        from: transaction.changes.mapPos(one.from, 1),
        to: transaction.changes.mapPos(one.to, -1),
      }));
    }
    for (const effect of transaction.effects) if (effect.is(setPlaces)) found = effect.value;
    return found;
  },
});

export const setItem = StateEffect.define<Span | null>();

/** The item that the form shows. */
export const itemRange = StateField.define<Span | null>({
  create: () => null,
  update(value, transaction) {
    let found = value && { from: transaction.changes.mapPos(value.from, 1), to: transaction.changes.mapPos(value.to, -1) };
    for (const effect of transaction.effects) if (effect.is(setItem)) found = effect.value;
    return found;
  },
});

/** Return where something is now that was told of an earlier text; null if it has no place. */
export function moved(then: Then, located: Located): Span | null {
  const found = range(then.doc, located);
  if (!found) return null;
  const from = then.changes.mapPos(found.from, 1);
  return { from, to: Math.max(from, then.changes.mapPos(found.to, -1)) };
}

/** Return places of an earlier text as ranges of the text that is there now. */
export function placed(all: Shown[], then: Then | null): Placed[] {
  return all.flatMap(({ page, box, path, words, ...located }) => {
    const found = then && moved(then, located);
    return found ? [{ page, box, ...found, words: words || "Text", text: JSON.stringify([path, words]) }] : [];
  });
}

/** Return the places of the text at a position: the smallest that hold it, or those of its line. */
export function placesAt(all: readonly Placed[], head: number, line: { from: number; to: number }): Placed[] {
  let inside = all.filter((one) => one.from <= head && head <= one.to);
  if (!inside.length) {
    const first = all.filter((one) => one.from >= line.from && one.from <= line.to);
    const nearest = Math.min(...first.map((one) => (one.from >= head ? one.from : Infinity)), Infinity);
    inside = first.filter((one) => one.from === (nearest === Infinity ? first.at(-1)?.from : nearest));
  }
  const shortest = Math.min(...inside.map((one) => one.to - one.from));
  return inside.filter((one) => one.to - one.from === shortest);
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
export function range(text: Text, located: Located): Span | null {
  if (located.line === null) return null;
  const from = offset(text, located.line, located.column ?? 1);
  const to = located.end_line === null ? from : offset(text, located.end_line, located.end_column ?? 1);
  return { from, to: Math.max(from, to) };
}

/** Return the one change that makes one text of another. */
export function difference(old: string, text: string): { from: number; to: number; insert: string } {
  const most = Math.min(old.length, text.length);
  let from = 0;
  while (from < most && old[from] === text[from]) from += 1;
  let cut = 0;
  while (cut < most - from && old[old.length - 1 - cut] === text[text.length - 1 - cut]) cut += 1;
  return { from, to: old.length - cut, insert: text.slice(from, text.length - cut) };
}
