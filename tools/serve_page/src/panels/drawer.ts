/** The panel beside the pages, what one page leaves out, and an advertisement’s terms. */

import { counted, find, lineRow, make, renew } from "../dom";
import { type Diagnostic, type LeftOut, type Path, sentence } from "../messages";
import { ask, tried } from "../server";

const NAMES = ["options", "left-out", "match", "packet", "language", "history"] as const;
export type Name = (typeof NAMES)[number];

export class Drawer {
  private readonly box = find("drawer");
  private shown: Name | null = null;

  /** `opened` runs whenever the panel comes up. */
  constructor(private readonly opened: () => void) {
    for (const name of NAMES) this.button(name).onclick = () => this.toggle(name);
    find("drawer-close").onclick = () => this.close();
    this.box.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !event.defaultPrevented) this.close();
    });
  }

  /** Show what one page leaves out; nothing hides the button that leads there. */
  leftOut(all: LeftOut[], chosen: (diagnostic: Diagnostic) => void, keep: (path: Path) => void): void {
    this.button("left-out").hidden = !all.length;
    find("left-out-count").textContent = String(all.length);
    this.fit();
    const entries = all.map((one) => {
      const words = sentence(one).replace(/^left out: /, "");
      const back = { type: "button", "aria-label": `Bring back ${words}`, click: () => one.path && keep(one.path) };
      return make("li", {}, lineRow(one.line, () => chosen(one), words), one.path && make("button", back, "Bring back"));
    });
    renew(find("left-out-list"), entries);
  }

  toggle(name: Name): void {
    if (this.shown === name) this.close();
    else this.open(name);
  }

  open(name: Name): void {
    this.shown = name;
    this.opened();
    this.update();
    const first = find(`${name}-panel`).querySelector<HTMLElement>("input, select, textarea, button:not([hidden])");
    (first ?? find("drawer-close")).focus({ preventScroll: true });
  }

  get focused(): boolean {
    return this.box.contains(document.activeElement);
  }

  /** Close a panel whose button isn't here any more. */
  fit(): void {
    if (this.shown && this.button(this.shown).hidden) this.close();
  }

  private close(): void {
    const button = this.shown && this.button(this.shown);
    this.shown = null;
    this.update();
    if (button && !button.hidden) button.focus();
  }

  private update(): void {
    this.box.hidden = this.shown === null;
    for (const name of NAMES) {
      this.button(name).setAttribute("aria-expanded", String(this.shown === name));
      find(`${name}-panel`).hidden = this.shown !== name;
    }
    const title = this.shown && find(`${this.shown}-panel`).dataset["title"];
    if (title) find("drawer-title").textContent = title;
  }

  private button(name: Name): HTMLElement {
    return find(`${name}-button`);
  }
}

interface Term {
  term: string;
  status: "has" | "nowhere";
  items: { title: string; line: number | null }[];
}

export class Match {
  private readonly advert = find<HTMLTextAreaElement>("advert");
  private readonly result = find("match-result");
  private turn = 0;
  /** The terms that are shown, as JSON. */
  private shown = "";

  constructor(
    /** What to ask about: person, text and document; null if nothing is shown. */
    private readonly request: () => Record<string, unknown> | null,
    private readonly chosen: (line: number) => void,
  ) {
    find("match-form").addEventListener("submit", (event) => {
      event.preventDefault();
      void this.run();
    });
  }

  /** The pages changed: the terms may have, too. */
  refresh(): void {
    if (!find("match-panel").hidden && this.result.childElementCount && this.advert.value.trim()) void this.run();
  }

  private async run(): Promise<void> {
    const request = this.request();
    const advert = this.advert.value;
    const turn = ++this.turn;
    if (!request) return;
    if (!advert.trim()) return this.tell("Paste the text of an advertisement first.");
    const found = await tried(ask<{ terms: Term[] }>("/match", { ...request, advert }), (words) => turn === this.turn && this.tell(words));
    if (found && turn === this.turn) this.show(found.terms);
  }

  private tell(words: string): void {
    this.shown = "";
    find("match-state").textContent = words;
    this.result.replaceChildren();
  }

  private show(terms: Term[]): void {
    // The same once more stays, or a click on it would be lost.
    const shown = JSON.stringify(terms);
    if (shown === this.shown) return;
    this.shown = shown;
    const found = terms.filter(({ status }) => status === "has").length;
    find("match-state").textContent = terms.length
      ? `${found} of ${counted(terms.length, "term")} found on the page.`
      : "The advertisement has no terms that could be looked for.";
    const part = (status: Term["status"], title: string): HTMLElement[] => {
      const own = terms.filter((term) => term.status === status);
      return own.length ? [make("h3", {}, `${title} (${own.length})`), make("ul", { class: `terms ${status}` }, ...own.map((term) => this.entry(term)))] : [];
    };
    this.result.replaceChildren(...part("nowhere", "Missing"), ...part("has", "On the page"));
  }

  private entry({ term, items }: Term): HTMLElement {
    const places = items.flatMap(({ title, line }) => (line === null ? [] : [lineRow(line, () => this.chosen(line), title)]));
    return make("li", {}, make("span", { class: "term" }, term), ...places);
  }
}
