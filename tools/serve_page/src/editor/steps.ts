/** What was done to the text, to take it back: what is typed without a longer pause, or into one field, is one step. */

import { Annotation, type ChangeSet, type EditorSelection, type EditorState, Transaction } from "@codemirror/state";

/** Milliseconds within which edits of the text, and of one field of the form, are one step. */
const [TEXT, FIELD] = [500, 2000];
/** As many steps are kept. */
const MOST = 1000;

/** Of an edit that goes on with none: others may go on with what "begins", none with what is "alone". */
export const step = Annotation.define<"begins" | "alone">();
const isTakenBack = Annotation.define<boolean>();

interface Step {
  /** What takes it back. */
  changes: ChangeSet;
  /** What was selected before it. */
  selection: EditorSelection;
  time: number;
  open: boolean;
}

export class Steps {
  private done: Step[] = [];
  private undone: Step[] = [];

  heard(transaction: Transaction): void {
    const last = this.done.at(-1);
    if (!transaction.docChanged) {
      if (transaction.selection && last) last.open = false;
      return;
    }
    if (transaction.annotation(isTakenBack)) return;
    this.undone = [];
    const time = transaction.annotation(Transaction.time) ?? 0;
    const own = transaction.annotation(step);
    const changes = transaction.changes.invert(transaction.startState.doc);
    if (last?.open && !own && goesOn(last, transaction, time)) Object.assign(last, { changes: changes.compose(last.changes), time });
    else this.done.push({ changes, selection: transaction.startState.selection, time, open: own !== "alone" });
    if (this.done.length > MOST) this.done.shift();
  }

  /** Return what takes the last step back, or makes it again; null if there is none. */
  back(state: EditorState, again: boolean): Transaction | null {
    const [from, to] = again ? [this.undone, this.done] : [this.done, this.undone];
    const last = state.readOnly ? null : from.pop();
    if (!last) return null;
    const { changes, selection } = last;
    to.push({ changes: changes.invert(state.doc), selection: state.selection, time: 0, open: false });
    return state.update({ changes, selection, scrollIntoView: true, userEvent: again ? "redo" : "undo", annotations: isTakenBack.of(true), filter: false });
  }
}

function goesOn(last: Step, transaction: Transaction, time: number): boolean {
  const pause = time - last.time;
  // A field that is folded anew changes in other places, too.
  if (transaction.isUserEvent("input.type.field")) return pause < FIELD;
  if (transaction.isUserEvent("input.type.compose")) return true;
  return pause < TEXT && (transaction.isUserEvent("input.type") || transaction.isUserEvent("delete")) && touches(last.changes, transaction.changes);
}

/** Return whether changes touch what another change made. */
function touches(inverse: ChangeSet, changes: ChangeSet): boolean {
  let found = false;
  inverse.iterChangedRanges((from, to) => changes.iterChangedRanges((begin, end) => {
    if (begin <= to && end >= from) found = true;
  }));
  return found;
}
