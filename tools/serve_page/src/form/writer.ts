/** Puts what is written in the form into the text: one request at a time, the newest value of each field. */

import { isolateHistory } from "@codemirror/commands";
import { ChangeSet } from "@codemirror/state";

import type { Draft } from "../draft";
import type { Editor } from "../editor/editor";
import type { Path } from "../messages";
import { post, Refused } from "../requests";
import type { Change } from "./types";

interface Answer {
  changes: { from: number; to: number; insert: string }[];
  path: Path;
}

interface Task {
  changes: Change[];
  /** The field that is typed in; null for an act of its own. */
  field: string | null;
  done: ((outcome: Outcome) => void)[];
}

/** Where the first value of an edit is now, or what was wrong. */
export type Outcome = { path: Path; problem: null } | { path: null; problem: string };

export class Writer {
  private readonly waiting: Task[] = [];
  private busy = false;
  /** The field that was written last, and the state of the text since. */
  private last: { field: string | null; revision: number } = { field: null, revision: -1 };

  constructor(
    private readonly editor: Editor,
    private readonly draft: Draft,
  ) {}

  /** Whether everything that was written is in the text. */
  get idle(): boolean {
    return !this.busy && !this.waiting.length;
  }

  /** Make an edit; of edits of one field in a row only the newest is made. */
  write(changes: Change[], field: string | null = null): Promise<Outcome> {
    return new Promise((done) => {
      const last = this.waiting.at(-1);
      // A row that isn't there yet can't be written over.
      if (last && field !== null && last.field === field && !inserts(last)) {
        last.changes = changes;
        last.done.push(done);
      } else this.waiting.push({ changes, field, done: [done] });
      void this.next();
    });
  }

  /** Run when everything that waits is written. */
  async settled(): Promise<void> {
    if (!this.idle) await new Promise<Outcome>((done) => this.waiting.push({ changes: [], field: null, done: [done] }));
  }

  private async next(): Promise<void> {
    if (this.busy) return;
    const task = this.waiting.shift();
    if (!task) return;
    this.busy = true;
    const outcome = await this.run(task);
    this.busy = false;
    for (const done of task.done) done(outcome);
    // What was to be written into a row that isn't there would go into the next one.
    while (outcome.problem !== null && task.field !== null && inserts(task) && this.waiting[0]?.field === task.field) {
      for (const done of this.waiting.shift()!.done) done(outcome);
    }
    void this.next();
  }

  private async run({ changes, field }: Task): Promise<Outcome> {
    const [first, ...also] = changes;
    if (!first) return { path: [], problem: null };
    const { revision, person, kind } = this.draft;
    try {
      const answer = await post("/set", { text: this.editor.text, kind, ...first, also });
      const found = (await answer.json()) as Answer;
      const then = this.draft.since(revision);
      if (!then || person !== this.draft.person) return { path: null, problem: "the text changed meanwhile; try again" };
      const set = ChangeSet.of(found.changes, then.doc.length).map(then.changes);
      if (!set.empty) {
        // An act is a step of undo; what is typed in one field is one, until something else is written.
        const userEvent = field === null ? "input.act" : "input.type.field";
        const goesOn = field !== null && field === this.last.field && this.draft.revision === this.last.revision;
        const step = field === null ? "full" : "before";
        this.editor.change({ changes: set, userEvent, ...(!goesOn && { annotations: isolateHistory.of(step) }) });
        this.last = { field, revision: this.draft.revision };
      }
      return { path: found.path, problem: null };
    } catch (error) {
      return { path: null, problem: error instanceof Refused ? error.message : String(error) };
    }
  }
}

function inserts({ changes }: Task): boolean {
  return changes.some(({ insert }) => insert);
}
