/** The language of the pages, and a row for each text that isn't in it. */

import { find, make, renew } from "../dom";
import type { Draft } from "../draft";
import type { Form } from "../form/form";
import type { Jumps } from "../jumps";
import { type Diagnostic, type Path, sentence, type Workspace } from "../messages";
import { aloud } from "../said";
import { ask, get } from "../server";

/** A text without a translation; `text` is null for what is translated only in the file's text. */
export interface Untranslated extends Diagnostic {
  text: { path: Path; words: string; language: string } | null;
}

/** Characters of a text in a row that isn't open. */
const SHORT = 90;

class RowView {
  readonly element = make("li");
  readonly head: HTMLButtonElement;
  readonly box = make("textarea", { rows: 1, spellcheck: "true", dir: "auto" });
  private readonly words = make("span", { class: "words" });
  private readonly line = make("span", { class: "line" });
  private readonly problem = make("p", { class: "problem" });
  private readonly answer = make("div", { class: "translation", hidden: true });
  /** Whether its translation is on the way to the file. */
  sent = false;

  constructor(
    public note: Untranslated,
    to: { tag: string; name: string },
    chosen: () => void,
    there: () => void,
    same: () => void,
  ) {
    this.head = make("button", { type: "button", class: "row", "aria-expanded": "false", click: chosen }, this.words, this.line);
    this.box.lang = to.tag;
    this.box.setAttribute("aria-label", `In ${to.name}`);
    this.box.placeholder = to.name;
    const go = make("button", { type: "button", class: "link", click: there }, "Go there");
    const stays = make("button", { type: "button", class: "link", click: same }, "Stays as it is");
    const hint = make("small", {}, "Enter writes it, and goes on");
    this.answer.append(this.box, this.problem, make("div", { class: "translation-foot" }, hint, stays, go));
    this.element.append(this.head, this.answer);
    this.update(note);
  }

  get key(): string {
    return keyOf(this.note);
  }

  get value(): string {
    const typed = this.box.value.trim();
    return this.note.text?.words.includes("\n") ? typed : typed.replace(/\s+/g, " ");
  }

  update(note: Untranslated): void {
    this.note = note;
    const words = (note.text?.words ?? sentence(note)).trim();
    const flat = words.replace(/\s+/g, " ");
    this.words.textContent = !this.answer.hidden ? words : flat.length > SHORT ? `${flat.slice(0, SHORT)}…` : flat;
    this.line.textContent = note.line === null ? "" : `Line ${note.line}`;
  }

  open(open: boolean): void {
    this.answer.hidden = !open;
    this.element.classList.toggle("open", open);
    this.head.setAttribute("aria-expanded", String(open));
    this.update(this.note);
    if (open) this.box.focus();
  }

  refused(problem: string): void {
    this.problem.textContent = problem;
    if (problem) this.problem.setAttribute("role", "alert");
  }
}

export class Translations {
  private rows: RowView[] = [];
  private now: RowView | null = null;
  private to = { tag: "", name: "" };

  constructor(
    private readonly form: Form,
    private readonly jumps: Jumps,
    /** A translation is in the file; `left` is how many are not. */
    private readonly written: (left: number) => void,
  ) {}

  /** Show what isn't in a language; the row that is written in stays. */
  show(notes: Untranslated[], to: { tag: string; name: string }): void {
    const known = new Map(this.to.tag === to.tag ? this.rows.map((row) => [row.key, row]) : []);
    this.to = to;
    this.rows = notes.map((note) => {
      const row = known.get(keyOf(note)) ?? this.row(note);
      row.update(note);
      return row;
    });
    if (this.now && !this.rows.includes(this.now)) this.now = null;
    renew(find("language-list"), this.rows.map(({ element }) => element));
  }

  private row(note: Untranslated): RowView {
    const row: RowView = new RowView(note, this.to, () => this.choose(row), () => this.jumps.toDiagnostic(row.note), () => this.next(row, row.note.text!.words));
    row.box.addEventListener("keydown", (event) => this.key(row, event));
    row.box.addEventListener("blur", () => void this.write(row));
    return row;
  }

  private choose(row: RowView): void {
    if (!row.note.text) return this.jumps.toDiagnostic(row.note);
    const again = row === this.now;
    this.now?.open(false);
    this.now = again ? null : row;
    if (again) return;
    row.open(true);
    this.jumps.look(row.note);
  }

  private key(row: RowView, event: KeyboardEvent): void {
    const lines = row.note.text?.words.includes("\n");
    if (event.key === "Enter" && !event.isComposing && !(lines && event.shiftKey)) {
      if (!row.value) return event.preventDefault();
      this.next(row, row.box.value);
    } else if (event.key === "Escape") {
      row.box.value = "";
      this.choose(row);
      row.head.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Write a row's translation, and open the row below it. */
  private next(row: RowView, words: string): void {
    const next = this.rows[this.rows.indexOf(row) + 1];
    row.box.value = words;
    void this.write(row);
    if (next) this.choose(next);
  }

  private async write(row: RowView): Promise<void> {
    const { value, note } = row;
    if (!value || row.sent || !note.text) return;
    row.sent = true;
    const { path, words, language } = note.text;
    const { problem } = await this.form.writer.write([{ path: [...path, this.to.tag], value, translates: { language, text: words } }]);
    row.sent = false;
    row.refused(problem ?? "");
    if (problem !== null) {
      if (this.now !== row) this.choose(row);
      return;
    }
    this.rows = this.rows.filter((one) => one !== row);
    if (this.now === row) this.now = null;
    renew(find("language-list"), this.rows.map(({ element }) => element));
    this.written(this.rows.length);
  }
}

function keyOf({ text, message, line }: Untranslated): string {
  return text ? `${text.path.join(".")} ${text.words}` : `${line} ${message}`;
}

export interface Listeners {
  /** Show the pages in a language; null for their own. */
  choose(locale: string | null): void;
  /** Whose text it is; null for what has no texts in many languages. */
  request(): Record<string, unknown> | null;
  hide(): void;
}

export class Languages {
  private readonly select = find<HTMLSelectElement>("language");
  private readonly button = find("language-button");
  private readonly translations: Translations;
  private turn = 0;
  /** The state of the text that the list is of. */
  revision = Infinity;

  constructor(
    private readonly draft: Draft,
    form: Form,
    private readonly jumps: Jumps,
    private readonly listeners: Listeners,
  ) {
    this.translations = new Translations(form, jumps, (left) => this.written(left));
    this.select.onchange = () => {
      listeners.choose(this.chosen);
      void this.refresh();
    };
    // Asked for when it is needed: most people write in one language.
    for (const event of ["pointerdown", "focus"]) this.select.addEventListener(event, () => void this.fill());
  }

  get chosen(): string | null {
    return this.select.value || null;
  }

  /** Say which language the pages have if none is chosen. */
  own(name: string | null): void {
    this.select.options[0]!.textContent = name ? `${name}, as in the file` : "As in the file";
  }

  /** Another file is shown; `has` is whether its pages can be in another language. */
  forget(has: boolean): void {
    this.select.value = "";
    this.select.hidden = !has;
    this.button.hidden = true;
    this.revision = Infinity;
    this.translations.show([], { tag: "", name: "" });
    this.turn += 1;
  }

  private async fill(): Promise<void> {
    if (this.select.options.length > 1) return;
    try {
      const { languages } = (await (await get("/begin")).json()) as Workspace;
      if (this.select.options.length > 1) return;
      this.select.append(...languages.map(({ tag, name }) => make("option", { value: tag }, name)));
    } catch {
      // The server is gone; the next click asks again.
    }
  }

  /** Ask again what isn't in the language. */
  async refresh(): Promise<void> {
    const turn = ++this.turn;
    const [request, locale, revision] = [this.listeners.request(), this.chosen, this.draft.revision];
    if (!request || !locale) {
      this.revision = Infinity;
      this.button.hidden = true;
      this.listeners.hide();
      return;
    }
    try {
      const { notes, language } = await ask<{ notes: Untranslated[]; language: string }>("/untranslated", { ...request, locale });
      if (turn !== this.turn) return;
      this.jumps.dated(notes, revision);
      this.revision = revision;
      this.draw(notes, language);
    } catch {
      // The text has an error, which is told elsewhere.
    }
  }

  private draw(notes: Untranslated[], tag: string): void {
    this.button.hidden = false;
    this.count(notes.length);
    this.translations.show(notes, { tag, name: this.name });
  }

  private get name(): string {
    return this.select.selectedOptions[0]?.textContent ?? "";
  }

  private count(left: number): void {
    find("language-count").textContent = String(left);
    find("language-about").textContent = left
      ? `These texts are not in ${this.name}, and are shown as they are. Choose one, and write it.`
      : `All texts are in ${this.name}.`;
  }

  private written(left: number): void {
    this.count(left);
    aloud(left ? `Written. ${left} left` : `All texts are in ${this.name}.`);
    if (!left) find("drawer-close").focus();
    void this.refresh();
  }
}
