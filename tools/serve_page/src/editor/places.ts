/** Positions as the server counts them, and what moves along as the text changes: places of the pages, an item, a guess. */

import { type ChangeDesc, type ChangeSet, EditorState, StateEffect, type StateEffectType, StateField, type Text } from "@codemirror/state";

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

/** Return what sets a value of the text's state, and its field: it is moved by each change. */
function tracked<Value>(none: Value, move: (value: Value, changes: ChangeDesc) => Value): [StateEffectType<Value>, StateField<Value>] {
  const set = StateEffect.define<Value>();
  return [set, StateField.define<Value>({
    create: () => none,
    update(value, { changes, docChanged, effects }) {
      const last = effects.findLast((effect) => effect.is(set));
      return last ? last.value : docChanged ? move(value, changes) : value;
    },
  })];
}

/** Return where a range is after changes: what comes in at its ends isn't of it. */
function inner({ from, to }: Span, changes: ChangeDesc): Span {
  return { from: changes.mapPos(from, 1), to: changes.mapPos(to, -1) };
}

export const [setPlaces, places] = tracked<readonly Placed[]>([], (all, changes) => all.map((one) => ({ ...one, ...inner(one, changes) })));

/** The item that the form shows. */
export const [setItem, itemRange] = tracked<Span | null>(null, (item, changes) => item && inner(item, changes));

/** The guess of an import whose value is being changed in the text; its comment goes with the first change. */
export const [setChanging, changing] = tracked<{ value: Span; comment: Span } | null>(null, (now, changes) => now && {
  value: { from: changes.mapPos(now.value.from, -1), to: changes.mapPos(now.value.to, 1) },
  comment: inner(now.comment, changes),
});

export const reviewed = EditorState.transactionFilter.of((transaction) => {
  const now = transaction.startState.field(changing);
  if (!now || !transaction.docChanged || !transaction.changes.touchesRange(now.value.from, now.value.to)) return transaction;
  // As one edit: undo brings both back.
  const [gone, left] = [inner(now.comment, transaction.changes), inner(now.value, transaction.changes)];
  // A value that is removed took its own comment along: what stands there now is the next one's.
  const goes = left.from < left.to && gone.from < gone.to;
  return [transaction, { changes: goes ? gone : [], effects: setChanging.of(null), sequential: true }];
});

/** Return where something is now that was told of an earlier text; null if it has no place. */
export function moved(then: Then, located: Located): Span | null {
  const found = range(then.doc, located);
  if (!found) return null;
  const { from, to } = inner(found, then.changes);
  return { from, to: Math.max(from, to) };
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
