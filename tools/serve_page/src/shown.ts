/** The document whose pages are shown, of which text they are, and when what is wrong is said. */

import { counted, find } from "./dom";
import type { Draft } from "./draft";
import type { Editor } from "./editor/editor";
import { placed, places, setPlaces } from "./editor/places";
import type { Jumps } from "./jumps";
import { type Described, type Diagnostic, type Document, type Early, type FromServer, type Pages, type Places, same, sentence } from "./messages";
import type { PagesView } from "./pages/pages";
import type { Tabs } from "./panels/documents";
import type { Problems } from "./panels/problems";

interface Host {
  /** Ask for the pages of a document, at a scale. */
  ask(document: Document, scale: number): void;
  /** The language that was chosen for the pages; null for that of the file. */
  language(): string | null;
  /** There are other documents, or another one is shown. */
  changed(): void;
  /** New pages are shown. */
  came(message: Pages): void;
}

type OfPages = Extract<FromServer, { type: "making" | "early" | "pages" | "places" | "failed" }>;

export class Shown {
  document: Document | null = null;
  /** The documents of the file. */
  all: Described[] = [];
  /** The state of the text that the pages are of; -1 for none. */
  private revision = -1;
  private withPrivate = false;
  /** Places of pages that aren't shown yet. */
  private early: Places | null = null;
  /** Whether what is shown was neither picked in the file nor chosen here. */
  private guessed = false;

  constructor(
    private readonly editor: Editor,
    private readonly draft: Draft,
    private readonly view: PagesView,
    private readonly jumps: Jumps,
    private readonly quiet: Quiet,
    private readonly tabs: Tabs,
    private readonly problems: Problems,
    private readonly host: Host,
  ) {}

  // -- which document --------------------------------------------------------------------------------

  /** What is known of the document that is shown. */
  get current(): Described | null {
    const plain = this.document && { ...this.document, private: false, locale: null };
    return this.all.find(({ document }) => same(document, plain)) ?? null;
  }

  /** The documents of the file are these. */
  documents(all: Described[]): void {
    if (!all.length) return;
    this.all = all;
    const { current } = this;
    this.tabs.show(all, current);
    if (!current || (this.guessed && !current.picked)) {
      this.choose((all.find(({ picked }) => picked) ?? all[0]!).document);
      // A broken file picks nothing: look again when it is mended.
      this.guessed = !all.some(({ picked }) => picked);
    }
    this.host.changed();
  }

  /** Show a document that somebody chose. */
  pick(document: Document): void {
    this.guessed = false;
    this.choose(document);
  }

  /** Show the same document with something changed. */
  change(how: Partial<Document>): void {
    if (how.private !== undefined) this.withPrivate = how.private;
    if (this.document) this.choose({ ...this.document, ...how });
  }

  private choose(document: Document): void {
    const next = { ...document, private: this.withPrivate, locale: document.locale ?? this.host.language() };
    if (same(next, this.document)) return;
    this.document = next;
    this.tabs.show(this.all, this.current);
    this.host.changed();
    this.problems.only(next);
    this.empty();
    this.ask();
  }

  /** Ask for the pages of the text as it is now. */
  ask(): void {
    if (this.document && this.draft.settled) this.host.ask(this.document, this.view.scale);
  }

  // -- its pages -------------------------------------------------------------------------------------

  /** Take what the server says of pages, unless it is of another document or of older ones. */
  receive(message: OfPages): void {
    if (!same(message.document, this.document) || message.revision < this.revision) return;
    if (message.type === "pages") this.jumps.dated([...message.left_out, ...message.notes], message.revision);
    if (message.type === "failed") this.jumps.dated(message.diagnostics, message.revision);
    if (message.type === "making") making("Typesetting");
    else if (message.type === "early") void this.soon(message);
    else if (message.type === "failed") this.failed(message.diagnostics);
    else if (message.type === "places") this.place(message);
    else void this.pages(message);
  }

  /** Show pages that may still be set anew; their texts can't be chosen yet. */
  private async soon(message: Early): Promise<void> {
    if (!(await this.draw(message))) return;
    making("Fitting the pages");
    this.editor.change({ effects: setPlaces.of([]) });
    this.view.place([]);
  }

  private async pages(message: Pages): Promise<void> {
    if (!(await this.draw(message))) return;
    this.revision = message.revision;
    this.quiet.forget("pages");
    current();
    find("page-count").textContent = counted(message.pages.length, "page");
    this.problems.pages(message.document, message.notes);
    this.host.came(message);
    if (this.early) this.place(this.early);
  }

  /** Draw pages; returns whether they are still those of the document that is shown. */
  private async draw({ document, pages }: Early | Pages): Promise<boolean> {
    return (await this.view.show(pages, this.current?.title ?? document.name)) && same(document, this.document);
  }

  /** Let the texts of the pages be chosen, as soon as these pages are shown. */
  private place(message: Places): void {
    this.early = message.revision === this.revision ? null : message;
    if (this.early) return;
    this.editor.change({ effects: setPlaces.of(placed(message.places, this.draft.since(message.revision))) });
    this.view.place(this.editor.state.field(places));
    this.jumps.markPages();
    find("pages").dataset["revision"] = String(message.revision);
  }

  private failed(diagnostics: Diagnostic[]): void {
    find("making").hidden = true;
    this.quiet.say("pages", () => {
      earlier(diagnostics, (diagnostic) => this.jumps.toDiagnostic(diagnostic));
      if (this.document) this.problems.pages(this.document, diagnostics);
    });
  }

  /** Another file is open. */
  forget(): void {
    this.document = null;
    this.withPrivate = false;
    this.empty();
  }

  /** The server may have begun anew: its pages count again from the first. */
  disconnected(): void {
    this.revision = -1;
    find("making").hidden = true;
  }

  private empty(): void {
    this.revision = -1;
    this.early = null;
    this.view.clear();
    find("earlier").hidden = true;
    find("making").hidden = false;
    find("page-count").textContent = "";
    this.editor.change({ effects: setPlaces.of([]) });
  }
}

function making(what: string): void {
  find("making").textContent = what;
  find("making").hidden = false;
}

/** Milliseconds without a key. */
const PAUSE = 2000;

export class Quiet {
  private typed = 0;
  private timer = 0;
  private readonly held = new Map<string, () => void>();

  /** `line` is the one that the cursor, or the field with focus, is in. */
  constructor(private readonly line: () => number | null) {}

  private lineTyped: number | null = null;

  /** A key was pressed that changed the text. */
  key(): void {
    this.typed = Date.now();
    this.lineTyped = this.line();
    if (this.held.size) this.later();
  }

  /** The cursor moved: what waits is said if it left the line. */
  moved(): void {
    if (this.held.size && this.line() !== this.lineTyped) this.release();
  }

  /** Return what may be said now: not about the line that is being written. */
  heard(diagnostics: Diagnostic[]): Diagnostic[] {
    const now = this.waits ? this.line() : null;
    return diagnostics.filter(({ line }) => now === null || line !== now);
  }

  /** Run `say` as soon as nobody types; of what is `about` the same, only the newest. */
  say(about: string, say: () => void): void {
    this.held.delete(about);
    if (!this.waits) return say();
    this.held.set(about, say);
    this.later();
  }

  /** Forget what waits about something: it isn't true any more. */
  forget(about: string): void {
    this.held.delete(about);
  }

  private get waits(): boolean {
    return Date.now() - this.typed < PAUSE && this.line() === this.lineTyped;
  }

  private later(): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.release(), this.typed + PAUSE - Date.now());
  }

  private release(): void {
    clearTimeout(this.timer);
    const held = [...this.held.values()];
    this.held.clear();
    this.typed = 0;
    for (const say of held) say();
  }
}

/** Mark the pages as those of an earlier text, and say why; `go` leads to the first error. */
export function earlier(diagnostics: Diagnostic[], go: (diagnostic: Diagnostic) => void): void {
  const wrong = diagnostics.find(({ severity }) => severity === "error") ?? diagnostics[0];
  find("making").hidden = true;
  find("earlier").hidden = false;
  find("pages").classList.add("earlier");
  const line = wrong?.line ? `Line ${wrong.line}: ` : "";
  find("earlier-why").textContent = wrong ? `${line}${sentence(wrong)}` : "";
  find("earlier-go").hidden = !wrong?.line;
  find("earlier-go").onclick = () => wrong && go(wrong);
}

/** Take the mark away. */
export function current(): void {
  find("making").hidden = true;
  find("earlier").hidden = true;
  find("pages").classList.remove("earlier");
}
