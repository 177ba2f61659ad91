/** The language of the pages, and the texts that aren't in it. */

import { find, make } from "../dom";
import { type Diagnostic } from "../messages";
import { get, post } from "../requests";
import type { Workspace } from "./messages";

export interface Listeners {
  /** Show the pages in a language; null for their own. */
  choose(locale: string | null): void;
  /** Whose text it is; null for what has no texts in many languages. */
  request(): Record<string, unknown> | null;
  toLine(diagnostic: Diagnostic): void;
  hide(): void;
}

export class Languages {
  private readonly select = find<HTMLSelectElement>("language");
  private readonly button = find("language-button");
  private turn = 0;

  constructor(private readonly listeners: Listeners) {
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
    const [request, locale] = [this.listeners.request(), this.chosen];
    if (!request || !locale) {
      this.button.hidden = true;
      this.listeners.hide();
      return;
    }
    try {
      const { notes } = (await (await post("/untranslated", { ...request, locale })).json()) as { notes: Diagnostic[] };
      if (turn === this.turn) this.draw(notes);
    } catch {
      // The text has an error, which is told elsewhere.
    }
  }

  private draw(notes: Diagnostic[]): void {
    const name = this.select.selectedOptions[0]?.textContent ?? "";
    this.button.hidden = false;
    find("language-count").textContent = String(notes.length);
    find("language-about").textContent = notes.length
      ? `These texts are not in ${name}, and are shown as they are. ${notes[0]?.hint ? `In each place, ${notes[0].hint}.` : ""}`
      : `All texts are in ${name}.`;
    const entries = notes.map((note) => {
      const words = make("span", { class: "words" }, this.words(note));
      const line = make("span", { class: "line" }, note.line === null ? "" : `Line ${note.line}`);
      return make("li", {}, make("button", { type: "button", class: "row", click: () => this.listeners.toLine(note) }, words, line));
    });
    find("language-list").replaceChildren(...entries);
  }

  private words({ message, line, column, end_line, end_column }: Diagnostic): string {
    const { text } = this.listeners.request() ?? {};
    const rows = String(text ?? "").split("\n");
    if (line === null || column === null || end_line === null || end_column === null) return message;
    const cut = rows.slice(line - 1, end_line);
    if (cut.length === 1) cut[0] = cut[0]!.slice(column - 1, end_column - 1);
    else cut[0] = (cut[0] ?? "").slice(column - 1).replace(/^[>|]-?/, "");
    const shown = cut.join(" ").replace(/\s+/g, " ").trim();
    return shown.length > 90 ? `${shown.slice(0, 90)}…` : shown || message;
  }
}
