/** The language of the pages, and the texts that aren't in it. */

import { find, make } from "../dom";
import type { Change } from "../form/types";
import type { Diagnostic } from "../messages";
import { get, post } from "../requests";
import type { Workspace } from "./messages";
import { Translations, type Untranslated } from "./translations";

export interface Listeners {
  /** Show the pages in a language; null for their own. */
  choose(locale: string | null): void;
  /** Whose text it is; null for what has no texts in many languages. */
  request(): Record<string, unknown> | null;
  /** The state of the text that a request has. */
  revision(): number;
  /** Notes tell of a state of the text. */
  dated(notes: Diagnostic[], revision: number): void;
  /** Make an edit; returns what was wrong. */
  write(change: Change): Promise<string | null>;
  /** Show where a text is; the focus stays. */
  look(note: Diagnostic): void;
  toLine(note: Diagnostic): void;
  hide(): void;
}

export class Languages {
  private readonly select = find<HTMLSelectElement>("language");
  private readonly button = find("language-button");
  private readonly translations: Translations;
  private turn = 0;
  /** The state of the text that the list is of. */
  revision = Infinity;

  constructor(private readonly listeners: Listeners) {
    const { write, look, toLine } = listeners;
    this.translations = new Translations(find("language-list"), { write, look, toLine, written: (left) => this.written(left) });
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
    const [request, locale, revision] = [this.listeners.request(), this.chosen, this.listeners.revision()];
    if (!request || !locale) {
      this.revision = Infinity;
      this.button.hidden = true;
      this.listeners.hide();
      return;
    }
    try {
      const answer = await post("/untranslated", { ...request, locale });
      const { notes, language } = (await answer.json()) as { notes: Untranslated[]; language: string };
      if (turn !== this.turn) return;
      this.listeners.dated(notes, revision);
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
    find("aloud").textContent = left ? `Written. ${left} left` : `All texts are in ${this.name}.`;
    if (!left) find("drawer-close").focus();
    void this.refresh();
  }
}
