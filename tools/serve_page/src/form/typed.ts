/** A box that is typed in, and the writer that puts its newest value into the text. */

import { ChangeSet } from "@codemirror/state";

import { make } from "../dom";
import { difference } from "../editor/places";
import { step } from "../editor/steps";
import type { Desk } from "../main";
import type { Path } from "../messages";
import { RichText, richText } from "../rich/box";
import { ask, why } from "../server";
import type { Change, Outcome } from "./types";

/** Milliseconds without a key; and while somebody types on. */
const PAUSE = 150;
const LONGEST = 600;

export type WordsBox = HTMLTextAreaElement | RichText;
export type Box = HTMLInputElement | WordsBox;

/** Return a box of lines; of prose it shows what is bold, italic or a link. */
export function wordsBox(prose: boolean, properties: Record<string, string | number | undefined>): WordsBox {
  return prose ? richText(properties) : make("textarea", { rows: 1, spellcheck: "true", ...properties, "aria-labelledby": undefined });
}

/** What is done with a value; what it came to, if that is known. */
export type Send = (value: string) => Promise<Outcome | void> | void;

/** Texts of a new file: they are seen as such, and what is typed takes their place. */
export const examples = new Set<string>();

export class Typed {
  private sent: string;
  /** What the text didn't take: it stays here. */
  private failed: string | null = null;
  private timer = 0;
  /** When what is typed is sent at the latest. */
  private end = 0;

  /** `send` gets each new value; an empty one only when the box is left: its key goes then. */
  constructor(readonly box: Box, value: string, private readonly send: Send) {
    this.sent = value;
    box.value = value;
    box.addEventListener("input", () => {
      clearTimeout(this.timer);
      const now = performance.now();
      if (!this.timer) this.end = now + LONGEST;
      this.timer = window.setTimeout(() => this.flush(false), Math.min(PAUSE, this.end - now));
      this.look();
    });
    box.addEventListener("keydown", (event) => {
      if ((event as KeyboardEvent).key === "Enter" || (event as KeyboardEvent).key === "Tab") this.flush(false);
    });
    box.addEventListener("blur", () => this.flush(true));
    box.addEventListener("focus", () => {
      // The pointer puts its cursor afterwards.
      if (examples.has(this.value)) setTimeout(() => examples.has(this.value) && box.select(), 0);
    });
    this.look();
  }

  /** What is written, without spaces around it. */
  get value(): string {
    return this.box.value.trim();
  }

  private look(): void {
    this.box.classList.toggle("example", examples.has(this.value));
  }

  /** Send what isn't sent. */
  flush(leaving: boolean): void {
    clearTimeout(this.timer);
    this.timer = 0;
    const { value } = this;
    if ((value === this.sent && this.failed === null) || (!value && !leaving)) return;
    this.sent = value;
    this.failed = null;
    void Promise.resolve(this.send(value)).then((outcome) => {
      if (outcome && outcome.problem !== null && this.sent === value) this.failed = value;
    });
  }

  /** Take over what the text has now, unless it is what was written here last. */
  update(value: string): void {
    if (value === this.sent || (this.failed !== null && this.failed === this.value)) return;
    this.sent = value;
    this.failed = null;
    if (this.timer) return;
    const { selectionStart, selectionEnd } = this.box;
    const focused = document.activeElement === this.box;
    this.box.value = value;
    this.look();
    if (focused) this.box.setSelectionRange(selectionStart ?? 0, selectionEnd ?? 0);
  }

  /** Write a value here that is sent in another way. */
  put(value: string): void {
    clearTimeout(this.timer);
    this.timer = 0;
    this.sent = value.trim();
    this.failed = null;
    this.box.value = value;
    this.look();
  }
}

interface Task {
  changes: Change[];
  /** The field that is typed in; null for an act of its own. */
  field: string | null;
  done: ((outcome: Outcome) => void)[];
}

export class Writer {
  private readonly waiting: Task[] = [];
  private busy = false;
  /** The field that was written last, and the state of the text since. */
  private last: { field: string | null; revision: number } = { field: null, revision: -1 };

  constructor(private readonly desk: Desk) {}

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
    if (!changes.length) return { path: [], problem: null };
    const { revision, person, kind } = this.desk.draft;
    try {
      const found = await ask<{ text: string; path: Path }>("/set", { text: this.desk.editor.text, kind, changes });
      const then = this.desk.draft.since(revision);
      if (!then || person !== this.desk.draft.person) return { path: null, problem: "the text changed meanwhile; try again" };
      const set = ChangeSet.of(difference(then.doc.toString(), found.text), then.doc.length).map(then.changes);
      if (!set.empty) {
        // An act is a step of undo; what is typed in one field is one, until something else is written.
        const userEvent = field === null ? "input.act" : "input.type.field";
        const goesOn = field !== null && field === this.last.field && this.desk.draft.revision === this.last.revision;
        this.desk.editor.change({ changes: set, userEvent, ...(!goesOn && { annotations: step.of(field === null ? "alone" : "begins") }) });
        this.last = { field, revision: this.desk.draft.revision };
      }
      return { path: found.path, problem: null };
    } catch (error) {
      return { path: null, problem: why(error) };
    }
  }
}

function inserts({ changes }: Task): boolean {
  return changes.some(({ insert }) => insert);
}
