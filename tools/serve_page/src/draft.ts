/** The text that is being written: its revisions, what is saved of it, and conflicts. */

import { ChangeSet, type Text } from "@codemirror/state";

import { delayed } from "./dom";
import type { Editor } from "./editor/editor";
import { moved, range, type Span, type Then } from "./editor/places";
import type { Located, OnDisk, Opened } from "./messages";
import type { Connection, State } from "./server";

/** What is saved, in words too; `theirs` is what the file holds, if that isn't what was read. */
export interface Saving {
  state: "saved" | "saving" | "failed" | "offline" | "conflict";
  words: string;
  theirs: OnDisk | null;
}

/** Milliseconds after the last keystroke. */
const PAUSE = 500;
/** Bytes of the largest file that cvbuild reads. */
const MOST = 1 << 20;
const TOO_LARGE = "the text has more than 1 MiB, and so can't be checked or saved; shorten it";
const WORDS = {
  gone: `cvbuild serve doesn't answer; the text stays here: start it again with --port ${location.port}`,
  refused: "cvbuild serve was started again; open the address that it prints, and this page goes on too",
};

/** One state of the text, and the changes that led to it. */
interface Step {
  revision: number;
  doc: Text;
  changes: ChangeSet | null;
}

export class Draft {
  person = "";
  path = "";
  revision = 0;
  private version: string | null = null;
  private savedRevision = 0;
  private asked: number | null = null;
  private steps: Step[] = [];
  private theirs: OnDisk | null = null;
  private trouble = "";
  private line: State = "gone";
  /** Between asking for a file and getting it, messages are of the file before. */
  private wanted: string | null = null;
  /** Whose file to open as soon as this one is saved. */
  private next: string | null = null;
  private quiet = false;
  private readonly later = delayed(PAUSE, () => this.save());

  constructor(
    private readonly editor: Editor,
    private readonly connection: Connection,
    private readonly tell: (saving: Saving) => void,
  ) {}

  /** What the file that is open is of. */
  get kind(): "person" | "application" {
    return this.person.includes("/") ? "application" : "person";
  }

  get unsaved(): boolean {
    return this.revision !== this.savedRevision;
  }

  /** Whether the text can't be saved as things are. */
  get stuck(): boolean {
    return this.theirs !== null || this.trouble !== "" || this.line !== "open";
  }

  /** Whether messages about the text are to be heeded. */
  get settled(): boolean {
    return this.wanted === null && this.person !== "";
  }

  /** Open a person's file, as soon as what isn't saved is; returns false if a conflict comes first. */
  open(person: string): boolean {
    if (this.theirs && this.unsaved && person !== this.person) return false;
    if (this.unsaved && person !== this.person) {
      this.next = person;
      this.save();
      return true;
    }
    this.next = null;
    this.wanted = person;
    this.editor.lock(person !== this.person);
    this.connection.send({ type: "open", person });
    return true;
  }

  /** Leave the file: it goes, and nothing of it is to be said. */
  leave(): void {
    Object.assign(this, { person: "", path: "", version: null, savedRevision: this.revision, wanted: null, next: null, theirs: null, trouble: "" });
    this.report();
  }

  connected(state: State): void {
    this.line = state;
    this.asked = null;
    if (state === "open" && (this.wanted ?? this.person)) this.open(this.wanted ?? this.person);
    this.report();
  }

  /** Take in a file that was opened; returns whether it is another one than before. */
  opened(message: Opened): boolean {
    const { person, path, text, version, revision } = message;
    const again = person === this.person;
    const keep = again && this.unsaved && this.editor.text !== text;
    const seen = this.version;
    Object.assign(this, { person, path, version, revision, savedRevision: revision });
    Object.assign(this, { wanted: null, asked: null, theirs: null, trouble: "" });
    this.editor.lock(false);
    this.quiet = true;
    if (!again) this.editor.open(text);
    else if (!keep) this.editor.replace(text);
    this.quiet = false;
    this.steps = keep ? [] : [{ revision, doc: this.editor.state.doc, changes: null }];
    if (keep) this.edited(null);
    if (keep && version !== seen) this.conflict({ type: "conflict", version, text });
    this.report();
    return !again;
  }

  /** The text changed in the editor. */
  edited(changes: ChangeSet | null): void {
    if (this.quiet) return;
    this.revision += 1;
    this.steps.push({ revision: this.revision, doc: this.editor.state.doc, changes });
    this.trouble = this.tooLarge ? TOO_LARGE : "";
    if (this.wanted === null && !this.trouble) {
      this.connection.send({ type: "edit", revision: this.revision, text: this.editor.text });
    }
    this.later();
    this.report();
  }

  /** Write the text to its file now. */
  save(): void {
    if (!this.unsaved || this.theirs || this.asked !== null || this.wanted !== null || this.tooLarge) return;
    const { revision, version } = this;
    if (this.connection.send({ type: "save", revision, version })) this.asked = this.revision;
    this.report();
  }

  saved(revision: number, version: string): void {
    this.asked = null;
    this.version = version;
    this.theirs = null;
    this.trouble = "";
    this.savedRevision = Math.max(this.savedRevision, revision);
    if (this.tooLarge) this.trouble = TOO_LARGE;
    if (this.unsaved) this.later();
    else if (this.next !== null) this.open(this.next);
    this.report();
  }

  /** An answer said that something can't be followed; returns whether that was saving. */
  refused(message: string): boolean {
    this.wanted = null;
    this.editor.lock(false);
    if (this.asked === null) return false;
    this.asked = null;
    this.next = null;
    this.trouble = message;
    this.report();
    return true;
  }

  conflict(theirs: OnDisk): void {
    if (!this.person) return;
    this.asked = null;
    this.next = null;
    this.theirs = theirs;
    this.report();
  }

  /** The file was changed elsewhere: take that over, unless something was written here meanwhile. */
  changed(theirs: OnDisk): void {
    if (!this.person) return;
    if (this.unsaved || theirs.text === null) {
      this.conflict(theirs);
      return;
    }
    this.version = theirs.version;
    this.take(theirs);
  }

  /** End a conflict: write this text, or take the file's; undo brings this one back. */
  resolve(mine: boolean): void {
    const { theirs } = this;
    if (!theirs) return;
    if (!mine && theirs.text !== null) {
      this.theirs = null;
      this.version = theirs.version;
      this.take(theirs);
      return;
    }
    if (this.tooLarge) return;
    const { version } = theirs;
    this.asked = this.revision;
    this.connection.send({ type: "save", revision: this.revision, force: true, version });
    this.report();
  }

  /** Return the text of a revision, and the changes since; null if it is long gone. */
  since(revision: number): Then | null {
    const at = this.steps.findIndex((step) => step.revision === revision);
    const base = this.steps[at];
    if (!base) return null;
    let changes: ChangeSet = ChangeSet.empty(base.doc.length);
    for (const step of this.steps.slice(at + 1)) {
      if (!step.changes) return null;
      changes = changes.compose(step.changes);
    }
    return { doc: base.doc, changes };
  }

  /** Return where something is that was told of a revision; null if it has no place. */
  now(located: Located, revision: number): Span | null {
    const then = this.since(revision);
    return then ? moved(then, located) : range(this.editor.state.doc, located);
  }

  /** Forget states of the text before a revision. */
  forget(revision: number): void {
    const at = this.steps.findIndex((step) => step.revision === revision);
    if (at > 0) this.steps.splice(0, at);
  }

  private take(theirs: OnDisk): void {
    if (theirs.text !== null && theirs.text !== this.editor.text) this.editor.replace(theirs.text);
    this.savedRevision = this.revision;
    this.report();
  }

  private get tooLarge(): boolean {
    const { length } = this.editor.state.doc;
    // A unit of UTF-16 takes one to three bytes.
    if (length > MOST || length * 3 <= MOST) return length > MOST;
    return new TextEncoder().encode(this.editor.text).length > MOST;
  }

  private report(): void {
    const [state, words] = this.saving();
    this.tell({ state, words, theirs: this.theirs });
  }

  private saving(): [Saving["state"], string] {
    const { unsaved, line, trouble } = this;
    if (this.theirs) return ["conflict", `Not saved: ${trouble || "the file was changed elsewhere"}`];
    if (line !== "open") return ["offline", `${unsaved ? "Not saved" : "No connection"}: ${WORDS[line]}`];
    if (trouble) return ["failed", `Not saved: ${trouble}`];
    return unsaved ? ["saving", "Saving…"] : ["saved", "Saved"];
  }
}
