/** The places of the pages in the text, moved along as the text changes. */

import { StateEffect, StateField, type ChangeSet, type Text } from "@codemirror/state";

import type { Box, Place } from "../messages";
import { range } from "./positions";

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

/** Return places as ranges of the text that is there now: `then` is theirs, and what changed since. */
export function placed(all: Place[], then: { doc: Text; changes: ChangeSet } | null): Placed[] {
  if (!then) return [];
  return all.flatMap(({ page, box, path, words, ...located }) => {
    const found = range(then.doc, located);
    if (!found) return [];
    const [from, to] = [then.changes.mapPos(found.from, 1), then.changes.mapPos(found.to, -1)];
    return [{ page, box, from, to: Math.max(from, to), words: words || "Text", text: JSON.stringify([path, words]) }];
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
