/** The language of the pages, and a row for each text that isn't in it. */

import { find, make, redraw } from "../dom";
import type { Desk } from "../main";
import { type Diagnostic, type Opened, type Path, sentence } from "../messages";
import { aloud } from "../said";
import { ask } from "../server";

/** A text without a translation; `text` is null for what is translated only in the file's text. */
interface Untranslated extends Diagnostic {
  text: { path: Path; words: string; language: string } | null;
}

/** Characters of a text in a row that isn't open. */
const SHORT = 90;

export class Languages {
  private readonly select = find<HTMLSelectElement>("language");
  private readonly button = find("language-button");
  private readonly box = make("textarea", { rows: 1, spellcheck: "true", dir: "auto" });
  private readonly problem = make("p", { class: "problem" });
  /** What is in the row that is open. */
  private readonly answer: HTMLElement;
  private notes: Untranslated[] = [];
  private rows = new Map<string, HTMLElement>();
  /** The key of the row that is open, and those of which a translation is on the way to the file. */
  private now = "";
  private readonly sent = new Set<string>();
  private turn = 0;
  /** The state of the text that the list is of. */
  revision = Infinity;

  constructor(private readonly desk: Desk) {
    this.select.onchange = () => {
      desk.shown.change({ locale: this.chosen });
      void this.refresh();
    };
    const stays = make("button", { class: "link", click: () => this.next(this.note(this.now)!.text!.words) }, "Stays as it is");
    const go = make("button", { class: "link", click: () => this.desk.jumps.toDiagnostic(this.note(this.now)!) }, "Go there");
    this.answer = make("div", { class: "translation" }, this.box, this.problem, make("div", { class: "translation-foot" }, make("small", {}, "Enter writes it, and goes on"), stays, go));
    this.box.addEventListener("keydown", (event) => this.key(event));
    this.box.addEventListener("blur", () => void this.write());
  }

  get chosen(): string | null {
    return this.select.value || null;
  }

  /** Another file is shown; no languages are those of one whose pages can't be in another. */
  forget(languages: Opened["languages"]): void {
    this.select.replaceChildren(this.select.options[0]!, ...Object.entries(languages).map(([value, name]) => make("option", { value }, name)));
    this.select.value = "";
    this.select.hidden = this.select.options.length === 1;
    this.none();
    this.notes = [];
    this.draw();
    this.turn += 1;
  }

  private none(): void {
    this.button.hidden = true;
    this.revision = Infinity;
  }

  /** Ask again what isn't in the language. */
  async refresh(): Promise<void> {
    const turn = ++this.turn;
    const [request, locale, revision] = [this.desk.own(), this.chosen, this.desk.draft.revision];
    if (!request || !locale) {
      this.none();
      return this.desk.drawer.fit();
    }
    try {
      const { notes, language } = await ask<{ notes: Untranslated[]; language: string }>("/untranslated", { ...request, locale });
      if (turn !== this.turn) return;
      this.desk.jumps.dated(notes, revision);
      Object.assign(this, { revision, notes });
      this.button.hidden = false;
      this.box.lang = language;
      this.box.placeholder = this.name;
      this.box.setAttribute("aria-label", `In ${this.name}`);
      this.draw();
    } catch {
      // The text has an error, which is told elsewhere.
    }
  }

  private get name(): string {
    return this.select.selectedOptions[0]?.textContent ?? "";
  }

  private note(key: string): Untranslated | undefined {
    return this.notes.find((note) => keyOf(note) === key);
  }

  // -- the list --------------------------------------------------------------------------------------

  /** Show the list; the row that is written in stays. */
  private draw(): void {
    const left = this.notes.length;
    find("language-count").textContent = String(left);
    find("language-about").textContent = left
      ? `These texts are not in ${this.name}, and are shown as they are. Choose one, and write it.`
      : `All texts are in ${this.name}.`;
    if (!this.note(this.now)) this.now = "";
    this.rows = new Map(this.notes.map((note) => [keyOf(note), this.row(note)]));
    redraw(find("language-list"), [...this.rows.keys()], () => [...this.rows.values()]);
  }

  private row(note: Untranslated): HTMLElement {
    const key = keyOf(note);
    const row = this.rows.get(key) ?? make("li", {}, make("button", { class: "row", click: () => this.choose(key) }, make("span", { class: "words" }), make("span", { class: "line" })));
    const open = key === this.now;
    const words = (note.text?.words ?? sentence(note)).trim();
    const flat = words.replace(/\s+/g, " ");
    row.classList.toggle("open", open);
    row.querySelector(".row")!.setAttribute("aria-expanded", String(open));
    row.querySelector(".words")!.textContent = open ? words : flat.length > SHORT ? `${flat.slice(0, SHORT)}…` : flat;
    row.querySelector(".line")!.textContent = note.line === null ? "" : `Line ${note.line}`;
    if (open && !row.contains(this.answer)) row.append(this.answer);
    else if (!open && row.contains(this.answer)) this.answer.remove();
    return row;
  }

  /** Open a row, or close the one that is open. */
  private choose(key: string): void {
    const note = this.note(key)!;
    if (!note.text) return this.desk.jumps.toDiagnostic(note);
    void this.write();
    this.open(key === this.now ? "" : key);
    if (this.now) this.desk.jumps.look(note);
  }

  private open(key: string, typed = "", problem = ""): void {
    this.now = key;
    this.box.value = typed;
    this.problem.textContent = problem;
    if (problem) this.problem.setAttribute("role", "alert");
    this.draw();
    if (key) this.box.focus();
  }

  private key(event: KeyboardEvent): void {
    const lines = this.note(this.now)?.text?.words.includes("\n");
    if (event.key === "Enter" && !event.isComposing && !(lines && event.shiftKey)) {
      if (this.box.value.trim()) this.next(this.box.value);
    } else if (event.key === "Escape") {
      const head = this.rows.get(this.now)?.querySelector<HTMLElement>(".row");
      this.open("");
      head?.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Write the translation of the row that is open, and open the row below it. */
  private next(words: string): void {
    const next = this.notes[this.notes.findIndex((note) => keyOf(note) === this.now) + 1];
    this.box.value = words;
    void this.write();
    if (next) this.choose(keyOf(next));
  }

  private async write(): Promise<void> {
    const { now, box: { value: typed, lang } } = this;
    const text = this.note(now)?.text;
    if (!text || !typed.trim() || this.sent.has(now)) return;
    this.sent.add(now);
    const value = text.words.includes("\n") ? typed.trim() : typed.trim().replace(/\s+/g, " ");
    const { problem } = await this.desk.form.writer.write([{ path: [...text.path, lang], value, translates: { language: text.language, text: text.words } }]);
    this.sent.delete(now);
    if (problem !== null) return this.open(now, typed, problem);
    this.notes = this.notes.filter((note) => keyOf(note) !== now);
    this.draw();
    const left = this.notes.length;
    aloud(left ? `Written. ${left} left` : `All texts are in ${this.name}.`);
    if (!left) find("drawer-close").focus();
    void this.refresh();
  }
}

function keyOf({ text, message, line }: Untranslated): string {
  return text ? `${text.path.join(".")} ${text.words}` : `${line} ${message}`;
}
