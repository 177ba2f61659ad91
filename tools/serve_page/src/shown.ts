/** The document whose pages are shown, of which text they are, and when what is wrong is said. */

import { counted, find, make, redraw, roving } from "./dom";
import { placed, places, setPlaces } from "./editor/places";
import type { Desk } from "./main";
import { type Described, type Diagnostic, type Document, type Early, type FromServer, type Pages, type Places, same, sentence } from "./messages";
import { menu } from "./panels/popups";
import { goesOn, told } from "./said";
import { post, tried } from "./server";

const KINDS = { template: "Template", variant: "Variant", letter: "Letter" };

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

  private readonly tabs = find("tabs");

  constructor(private readonly desk: Desk) {
    roving(this.tabs, () => [...this.tabs.children] as HTMLElement[], (tab) => {
      tab.click();
      (this.tabs.querySelector<HTMLElement>("[aria-selected=true]") ?? tab).focus();
    });
  }

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
    this.showTabs();
    if (!current || (this.guessed && !current.picked)) {
      this.choose((all.find(({ picked }) => picked) ?? all[0]!).document);
      // A broken file picks nothing: look again when it is mended.
      this.guessed = !all.some(({ picked }) => picked);
    }
    this.changed();
  }

  /** Show a tab for what is picked, each variant, and what is shown: other styles are in their panel. */
  private showTabs(): void {
    const { current } = this;
    const visible = this.all.filter((one) => one.picked || one.document.kind === "variant" || one === current);
    const data = [visible.map(({ document, title, picked }) => [document, title, picked]), current?.document];
    redraw(this.tabs, data, () => visible.map((one) => this.tab(one, one === current)));
    this.tabs.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  private tab({ document, picked, title }: Described, selected: boolean): HTMLElement {
    const kind = document.kind === "template" ? (picked ? "" : "only looked at") : KINDS[document.kind];
    return make("button", {
      role: "tab",
      "data-item": selected ? "tab" : undefined,
      tabindex: selected ? 0 : -1,
      "aria-selected": String(selected),
      "aria-controls": "pages",
      click: () => this.pick(document),
    }, make("span", {}, title), kind && kind !== title ? make("small", {}, kind) : null);
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
    const next = { ...document, private: this.withPrivate, locale: document.locale ?? this.desk.languages.chosen };
    if (same(next, this.document)) return;
    this.document = next;
    this.showTabs();
    this.changed();
    this.desk.problems.pages([]);
    this.empty();
    this.ask();
  }

  /** There are other documents, or another one is shown. */
  private changed(): void {
    const { current, desk } = this;
    desk.options.show(current);
    desk.styles.update();
    desk.form.around.printed(current);
    const language = current?.language;
    find<HTMLSelectElement>("language").options[0]!.textContent = language ? `${language} (file)` : "As in the file";
  }

  /** Ask for the pages of the text as it is now. */
  ask(): void {
    if (this.document && this.desk.draft.settled) this.desk.connection.send({ type: "show", document: this.document, scale: this.desk.view.scale });
  }

  // -- its pages -------------------------------------------------------------------------------------

  /** Take what the server says of pages, unless it is of another document or of older ones. */
  receive(message: OfPages): void {
    if (!same(message.document, this.document) || message.revision < this.revision) return;
    if (message.type === "pages") this.desk.jumps.dated([...message.left_out, ...message.notes], message.revision);
    if (message.type === "failed") this.desk.jumps.dated(message.diagnostics, message.revision);
    if (message.type === "making") this.state("Typesetting");
    else if (message.type === "early") void this.soon(message);
    else if (message.type === "failed") this.failed(message.diagnostics);
    else if (message.type === "places") this.place(message);
    else void this.pages(message);
  }

  /** Show pages that may still be set anew; their texts can't be chosen yet. */
  private async soon(message: Early): Promise<void> {
    if (!(await this.draw(message))) return;
    this.state("Fitting the pages");
    this.desk.editor.change({ effects: setPlaces.of([]) });
    this.desk.view.place([]);
  }

  private async pages(message: Pages): Promise<void> {
    if (!(await this.draw(message))) return;
    this.revision = message.revision;
    this.desk.quiet.forget("pages");
    this.state("", false);
    find("page-count").textContent = counted(message.pages.length, "page");
    this.desk.problems.pages(message.notes);
    this.desk.came(message);
    if (this.early) this.place(this.early);
  }

  /** Draw pages; returns whether they are still those of the document that is shown. */
  private async draw({ document, pages }: Early | Pages): Promise<boolean> {
    return (await this.desk.view.show(pages, this.current?.title ?? document.name)) && same(document, this.document);
  }

  /** Let the texts of the pages be chosen, as soon as these pages are shown. */
  private place(message: Places): void {
    this.early = message.revision === this.revision ? null : message;
    if (this.early) return;
    this.desk.editor.change({ effects: setPlaces.of(placed(message.places, this.desk.draft.since(message.revision))) });
    this.desk.view.place(this.desk.editor.state.field(places));
    this.desk.jumps.markPages();
    find("pages").dataset["revision"] = String(message.revision);
  }

  private failed(diagnostics: Diagnostic[]): void {
    this.state("");
    this.desk.quiet.say("pages", () => {
      this.outdated(diagnostics);
      this.desk.problems.pages(diagnostics);
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
    this.state("");
  }

  private empty(): void {
    this.revision = -1;
    this.early = null;
    this.desk.view.clear();
    this.state("Typesetting", false);
    find("page-count").textContent = "";
    this.desk.editor.change({ effects: setPlaces.of([]) });
  }

  /** Mark the pages as those of an earlier text, and say why. */
  outdated(diagnostics: Diagnostic[]): void {
    const wrong = diagnostics.find(({ severity }) => severity === "error") ?? diagnostics[0];
    this.state("", true);
    find("earlier-why").textContent = wrong ? `${wrong.line ? `Line ${wrong.line}: ` : ""}${sentence(wrong)}` : "";
    find("earlier-go").hidden = !wrong?.line;
    find("earlier-go").onclick = () => wrong && this.desk.jumps.toDiagnostic(wrong);
  }

  /** Say what is being done for newer pages, and whether these are of an earlier text. */
  private state(making: string, isEarlier = !find("earlier").hidden): void {
    find("making").textContent = making;
    find("making").hidden = !making;
    find("earlier").hidden = !isEarlier;
    find("pages").classList.toggle("earlier", isEarlier);
  }
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

// -- what the document is downloaded as -----------------------------------------------------------

/** What formats are called, and what they are for: first what most people want. */
const FORMATS: Record<string, [label: string, detail: string]> = {
  pdf: ["PDF", "the pages as they are shown"],
  docx: ["Word", "to go on in Word or LibreOffice"],
  html: ["Web page", "one file, for a browser"],
  txt: ["Text", "to paste into forms"],
  md: ["Markdown", "for GitHub and the like"],
  json: ["JSON Resume", "for other programs"],
  png: ["Pictures", "one of each page"],
  site: ["Website", "a site of its own"],
};

export class Download {
  formats = ["pdf"];

  constructor(private readonly desk: Desk) {
    menu(find("download"), "Download", () => {
      const known = Object.keys(FORMATS).filter((format) => this.formats.includes(format));
      const others = this.formats.filter((format) => !known.includes(format));
      return [...known, ...others].map((format) => {
        const [label, detail] = FORMATS[format] ?? [format, "another format"];
        return { label, detail, apart: format === "md", run: () => void this.fetch(format, label) };
      });
    });
    find("download-pdf").onclick = () => void this.fetch("pdf", "PDF");
  }

  private async fetch(format: string, label: string): Promise<void> {
    const request = this.desk.request();
    if (!request || !goesOn(this.desk.problems.all, "Download it")) return;
    told(`Making ${label}…`);
    const answer = await tried(post("/download", { ...request, format }), (words) => told(`No ${label}: ${words}`));
    if (answer) told(`Downloaded ${await download(answer, format)}.`);
  }
}

/** Save the file that the server sent; returns its name. */
export async function download(answer: Response, format: string): Promise<string> {
  const encoded = /filename\*=utf-8''([^;]+)/i.exec(answer.headers.get("Content-Disposition") ?? "")?.[1];
  const name = encoded ? decodeURIComponent(encoded) : `cv.${format}`;
  const address = URL.createObjectURL(await answer.blob());
  make("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
  return name;
}
