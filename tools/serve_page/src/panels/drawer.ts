/** The panel beside the pages, what one page leaves out, and an advertisement’s terms. */

import { counted, find, lineRow, make, redraw } from "../dom";
import type { Desk } from "../main";
import { type LeftOut, sentence } from "../messages";
import { ask, tried } from "../server";

const NAMES = ["options", "left-out", "match", "packet", "language", "history"] as const;
type Name = (typeof NAMES)[number];

export class Drawer {
  private readonly box = find("drawer");
  /** The panel that is open. */
  shown: Name | null = null;

  constructor(private readonly desk: Desk) {
    for (const name of NAMES) this.button(name).onclick = () => (this.shown === name ? this.close() : this.open(name));
    find("drawer-close").onclick = () => this.close();
    this.box.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !event.defaultPrevented) this.close();
    });
  }

  /** Show what one page leaves out; nothing hides the button that leads there. */
  leftOut(all: LeftOut[]): void {
    this.button("left-out").hidden = !all.length;
    find("left-out-count").textContent = String(all.length);
    this.fit();
    redraw(find("left-out-list"), all, () => all.map((one) => {
      const words = sentence(one).replace(/^left out: /, "");
      const back = { "aria-label": `Bring back ${words}`, click: () => one.path && this.desk.keep(one.path) };
      return make("li", {}, lineRow(one.line, () => this.desk.jumps.toDiagnostic(one), words), one.path && make("button", back, "Bring back"));
    }));
  }

  open(name: Name): void {
    this.shown = name;
    this.desk.showPane("pages");
    this.update();
    if (name === "packet" || name === "history") void this.desk[name].refresh();
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

  constructor(private readonly desk: Desk) {
    find("match-form").onsubmit = (event) => {
      event.preventDefault();
      void this.run();
    };
  }

  /** The pages changed: the terms may have, too. */
  refresh(): void {
    if (this.desk.drawer.shown === "match" && this.result.childElementCount && this.advert.value.trim()) void this.run();
  }

  private async run(): Promise<void> {
    const request = this.desk.request();
    const advert = this.advert.value;
    const turn = ++this.turn;
    if (!request) return;
    if (!advert.trim()) return this.show("Paste the text of an advertisement first.");
    const found = await tried(ask<{ terms: Term[] }>("/match", { ...request, advert }), (words) => turn === this.turn && this.show(words));
    if (!found || turn !== this.turn) return;
    const { terms } = found;
    const has = terms.filter(({ status }) => status === "has").length;
    this.show(terms.length ? `${has} of ${counted(terms.length, "term")} found on the page.` : "The advertisement has no terms that could be looked for.", terms);
  }

  private show(words: string, terms: Term[] = []): void {
    find("match-state").textContent = words;
    const part = (status: Term["status"], title: string): HTMLElement[] => {
      const own = terms.filter((term) => term.status === status);
      return own.length ? [make("h3", {}, `${title} (${own.length})`), make("ul", { class: `terms ${status}` }, ...own.map((term) => this.entry(term)))] : [];
    };
    redraw(this.result, terms, () => [...part("nowhere", "Missing"), ...part("has", "On the page")]);
  }

  private entry({ term, items }: Term): HTMLElement {
    const places = items.flatMap(({ title, line }) => (line === null ? [] : [lineRow(line, () => this.desk.jumps.toLine(line), title)]));
    return make("li", {}, make("span", { class: "term" }, term), ...places);
  }
}
