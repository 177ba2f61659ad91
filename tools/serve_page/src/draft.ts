/** The text that is being written: its revisions, what is saved of it, and conflicts. */

import { ChangeSet, type Text } from "@codemirror/state";

import { delayed, find } from "./dom";
import { moved, range, type Span, type Then } from "./editor/places";
import type { Desk } from "./main";
import type { About, Located, OnDisk, Opened } from "./messages";
import { aloud } from "./said";
import type { State } from "./server";

/** Milliseconds after the last keystroke; and while somebody types on. */
const PAUSE = 500;
const LONGEST = 1500;
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
  about: About = { kind: "person" };
  path = "";
  revision = 0;
  private version: string | null = null;
  private savedRevision = 0;
  private asked: number | null = null;
  private steps: Step[] = [];
  private theirs: OnDisk | null = null;
  private trouble = "";
  /** What was last said of the saving, to say it aloud only when it matters. */
  private said = "";
  private line: State = "gone";
  /** Between asking for a file and getting it, messages are of the file before. */
  private wanted: string | null = null;
  /** Whose file to open as soon as this one is saved. */
  private next: string | null = null;
  private quiet = false;
  private readonly later = delayed(PAUSE, () => this.save(), LONGEST);

  constructor(private readonly desk: Desk) {}

  /** What the file that is open is of; a letter is Markdown, all else is YAML. */
  get kind(): About["kind"] {
    return this.about.kind;
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
    const waits = this.unsaved && person !== this.person;
    if (waits && this.theirs) return false;
    this.next = waits ? person : null;
    if (waits) {
      this.save();
      return true;
    }
    this.wanted = person;
    this.desk.editor.lock(person !== this.person);
    this.desk.connection.send({ type: "open", person });
    return true;
  }

  /** Leave the file: it goes, and nothing of it is to be said. */
  leave(): void {
    Object.assign(this, { person: "", path: "", about: { kind: "person" }, version: null, savedRevision: this.revision, wanted: null, next: null, theirs: null, trouble: "" });
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
    const { person, path, about, text, version, revision } = message;
    const again = person === this.person;
    const keep = again && this.unsaved && this.desk.editor.text !== text;
    const seen = this.version;
    Object.assign(this, { person, path, about, version, revision, savedRevision: revision });
    Object.assign(this, { wanted: null, asked: null, theirs: null, trouble: "" });
    this.desk.editor.lock(false);
    this.quiet = true;
    if (!again) this.desk.editor.open(text);
    else if (!keep) this.desk.editor.replace(text);
    this.quiet = false;
    this.steps = keep ? [] : [{ revision, doc: this.desk.editor.state.doc, changes: null }];
    if (keep) this.edited(null);
    if (keep && version !== seen) this.conflict({ type: "conflict", version, text });
    this.report();
    return !again;
  }

  /** The text changed in the editor. */
  edited(changes: ChangeSet | null): void {
    if (this.quiet) return;
    this.revision += 1;
    this.steps.push({ revision: this.revision, doc: this.desk.editor.state.doc, changes });
    this.trouble = this.tooLarge ? TOO_LARGE : "";
    if (this.wanted === null && !this.trouble) {
      this.desk.connection.send({ type: "edit", revision: this.revision, text: this.desk.editor.text });
    }
    this.later();
    this.report();
  }

  /** Write the text to its file now. */
  save(): void {
    if (!this.unsaved || this.theirs || this.asked !== null || this.wanted !== null || this.tooLarge) return;
    const { revision, version } = this;
    if (this.desk.connection.send({ type: "save", revision, version })) this.asked = this.revision;
    this.report();
  }

  saved(revision: number, version: string): void {
    this.asked = null;
    this.version = version;
    this.theirs = null;
    this.trouble = this.tooLarge ? TOO_LARGE : "";
    this.savedRevision = Math.max(this.savedRevision, revision);
    if (this.unsaved) this.later();
    else if (this.next !== null) this.open(this.next);
    this.report();
  }

  /** An answer said that something can't be followed; returns whether that was saving. */
  refused(message: string): boolean {
    this.wanted = null;
    this.desk.editor.lock(false);
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
    if (this.unsaved || theirs.text === null) this.conflict(theirs);
    else if (this.person) this.take(theirs.text, theirs.version);
  }

  /** End a conflict: write this text, or take the file's; undo brings this one back. */
  resolve(mine: boolean): void {
    const { theirs, revision } = this;
    if (!theirs) return;
    if (!mine && theirs.text !== null) return this.take(theirs.text, theirs.version);
    if (this.tooLarge) return;
    this.asked = revision;
    this.desk.connection.send({ type: "save", revision, force: true, version: theirs.version });
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
    return then ? moved(then, located) : range(this.desk.editor.state.doc, located);
  }

  /** Forget states of the text before a revision. */
  forget(revision: number): void {
    const at = this.steps.findIndex((step) => step.revision === revision);
    if (at > 0) this.steps.splice(0, at);
  }

  private take(text: string, version: string | null): void {
    this.theirs = null;
    this.version = version;
    if (text !== this.desk.editor.text) this.desk.editor.replace(text);
    this.savedRevision = this.revision;
    this.report();
  }

  private get tooLarge(): boolean {
    const { length } = this.desk.editor.state.doc;
    // A unit of UTF-16 takes one to three bytes.
    if (length > MOST || length * 3 <= MOST) return length > MOST;
    return new TextEncoder().encode(this.desk.editor.text).length > MOST;
  }

  private report(): void {
    const [state, words] = this.saving();
    const { acts, waits } = this.desk.form;
    const said = this.person ? words : "";
    this.desk.conflict.show(this.theirs);
    const isAway = state === "offline" && said !== "";
    waits.offline(isAway ? "cvbuild serve doesn’t answer. Write in the text: it is kept here." : null);
    if (isAway) acts.wake(false);
    const box = find("state");
    box.textContent = said;
    box.className = state;
    find("save-again").hidden = state !== "failed";
    const now = state === "saved" || state === "saving" ? "" : said;
    if (now === this.said || (!now && state !== "saved")) return;
    aloud(now || "Saved");
    this.said = now;
  }

  /** Return what is saved, as a name and in words. */
  private saving(): ["saved" | "saving" | "failed" | "offline" | "conflict", string] {
    const { unsaved, line, trouble } = this;
    if (this.theirs) return ["conflict", `Not saved: ${trouble || "the file was changed elsewhere"}`];
    if (line !== "open") return ["offline", `${unsaved ? "Not saved" : "No connection"}: ${WORDS[line]}`];
    if (trouble) return ["failed", `Not saved: ${trouble}`];
    return unsaved ? ["saving", "Saving…"] : ["saved", "Saved"];
  }
}
