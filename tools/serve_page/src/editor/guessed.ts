/** The guess of an import whose value is being changed in the text. */

import { EditorState, StateEffect, StateField } from "@codemirror/state";

import type { Span } from "./places";

interface Changing {
  value: Span;
  comment: Span;
}

export const setChanging = StateEffect.define<Changing | null>();

/** The value that is being changed; its comment goes with the first change. */
const changing = StateField.define<Changing | null>({
  create: () => null,
  update(now, transaction) {
    let found = now;
    if (found && transaction.docChanged) {
      const at = ({ from, to }: Span, inner: -1 | 1): Span => ({
        from: transaction.changes.mapPos(from, inner),
        to: transaction.changes.mapPos(to, inner === 1 ? -1 : 1),
      });
      found = { value: at(found.value, -1), comment: at(found.comment, 1) };
    }
    for (const effect of transaction.effects) if (effect.is(setChanging)) found = effect.value;
    return found;
  },
});

export const reviewed = [
  changing,
  EditorState.transactionFilter.of((transaction) => {
    const now = transaction.startState.field(changing);
    if (!now || !transaction.docChanged || !transaction.changes.touchesRange(now.value.from, now.value.to)) return transaction;
    // As one edit: undo brings both back.
    const { from, to } = now.comment;
    const gone = { from: transaction.changes.mapPos(from, 1), to: transaction.changes.mapPos(to, -1) };
    // A value that is removed took its own comment along: what stands there now is the next one's.
    const stays = transaction.changes.mapPos(now.value.from, 1) < transaction.changes.mapPos(now.value.to, -1);
    return [transaction, { changes: stays && gone.from < gone.to ? gone : [], effects: setChanging.of(null), sequential: true }];
  }),
];
