/** One's own page 1 in every style: look, and use one. */

import { counted, delayed, find, make, pngImage, stepped } from "../dom";
import type { Described, Document, Value } from "../messages";
import { aloud } from "../said";
import { ask, why } from "../server";
import type { Shown } from "../shown";

interface Sheet {
  picture: string;
  pages: number | null;
  left_out: number;
}

export interface Listeners {
  /** The styles are shown in place of the text. */
  opened(): void;
  /** Show a document large; nothing is written. */
  show(document: Document): void;
  /** Show the options of what is shown. */
  options(): void;
  /** Whose text it is; null if it has no styles. */
  request(): { person: string; text: string } | null;
  /** Write `template:`; returns what went wrong. */
  use(value: Value): Promise<string | null>;
  back(): void;
}

/** Pixels for each point: 135 wide, for sharp screens twice as many. */
const SCALE = 0.5;
/** Milliseconds after the last edit before pictures are made again. */
const PAUSE = 1500;

export class Styles {
  private readonly box = find("styles");
  private readonly list = find("styles-list");
  private readonly button = find("styles-button");
  private chosen = "";
  /** The text that the pictures show, by style. */
  private readonly drawn = new Map<string, string>();
  private readonly later = delayed(PAUSE, () => void this.make());
  private turn = 0;

  constructor(
    private readonly documents: Pick<Shown, "all">,
    private readonly listeners: Listeners,
  ) {
    this.button.onclick = () => (this.box.hidden ? this.open() : this.close(true));
    find("styles-close").onclick = () => this.close(true);
    find("styles-use").onclick = () => void this.use(false);
    find("styles-add").onclick = () => void this.use(true);
    find("styles-options").onclick = () => listeners.options();
    this.box.addEventListener("keydown", (event) => this.key(event));
  }

  private get shown(): Described[] {
    const all = this.documents.all.filter(({ document }) => document.kind === "template");
    // By name: what is picked comes first in the list, and a style must stay where it is.
    return all.sort((one, other) => (one.document.name < other.document.name ? -1 : 1));
  }

  private get picked(): string[] {
    return this.documents.all.filter(({ picked }) => picked).map(({ document }) => document.name);
  }

  private open(): void {
    this.listeners.opened();
    this.box.hidden = false;
    find("text").hidden = true;
    this.button.setAttribute("aria-expanded", "true");
    this.chosen = this.picked[0] ?? this.shown[0]?.document.name ?? "";
    this.update();
    this.list.querySelector<HTMLElement>("[aria-pressed=true]")?.focus();
    void this.make();
  }

  close(back = false): void {
    this.turn += 1;
    if (this.box.hidden) return;
    this.box.hidden = true;
    find("text").hidden = false;
    this.button.setAttribute("aria-expanded", "false");
    if (back) this.listeners.back();
  }

  /** The pages of another text are shown. */
  edited(): void {
    if (!this.box.hidden) this.later();
  }

  /** The list of styles, or what is picked, may have changed. */
  update(): void {
    find("styles-button").hidden = !this.listeners.request();
    if (this.box.hidden) return;
    const { shown, picked } = this;
    const names = shown.map(({ document }) => document.name);
    const there = [...this.list.children].map((item) => (item as HTMLElement).dataset["style"]);
    if (names.join() !== there.join()) this.list.replaceChildren(...shown.map((one) => this.card(one)));
    for (const item of this.list.children as HTMLCollectionOf<HTMLElement>) {
      const name = item.dataset["style"] ?? "";
      item.querySelector("button")?.setAttribute("aria-pressed", String(name === this.chosen));
      item.querySelector<HTMLElement>(".in-use")!.hidden = !picked.includes(name);
    }
    const now = shown.find(({ document }) => document.name === this.chosen);
    find("styles-name").textContent = now?.title ?? "";
    find("styles-use").textContent = now ? `Use ${now.title}` : "Use";
    find("styles-use").hidden = picked[0] === this.chosen;
    find("styles-add").hidden = picked.includes(this.chosen);
    find("styles-about").textContent = picked[0] === this.chosen ? "is in use" : "";
  }

  private card({ document, title }: Described): HTMLElement {
    const button = make("button", { type: "button", class: "sheet-choice", "aria-pressed": "false", click: () => this.choose(document) },
      make("span", { class: "sheet-picture" }, standIn(document.name), make("span", { class: "in-use", hidden: true }, "in use")),
      make("strong", {}, title), " ", make("small", { class: "sheet-state" }, "Waiting"));
    return make("li", { "data-style": document.name }, button);
  }

  private choose(document: Document): void {
    this.chosen = document.name;
    this.update();
    this.listeners.show({ ...document, locale: null });
    this.list.querySelector<HTMLElement>("[aria-pressed=true]")?.focus();
    aloud(this.list.querySelector("[aria-pressed=true]")?.textContent ?? "");
  }

  /** Make the pictures that are missing, one after the other; the next turn ends this one. */
  private async make(): Promise<void> {
    const turn = ++this.turn;
    const chosen = this.shown.find(({ document }) => document.name === this.chosen);
    const order = [...(chosen ? [chosen] : []), ...this.shown.filter((one) => one !== chosen)];
    for (const { document } of order) {
      const request = this.listeners.request();
      if (!request || turn !== this.turn) return;
      const text = `${request.person}\n${request.text}`;
      if (this.drawn.get(document.name) === text) continue;
      const item = this.list.querySelector<HTMLElement>(`[data-style="${CSS.escape(document.name)}"]`);
      if (item && !this.drawn.has(document.name)) item.querySelector(".sheet-state")!.textContent = "Typesetting";
      try {
        const sheet = await ask<Sheet>("/sheet", { ...request, document, scale: SCALE });
        if (turn !== this.turn || !item) return;
        this.drawn.set(document.name, text);
        fill(item, sheet);
      } catch (error) {
        if (turn !== this.turn || !item) return;
        item.querySelector(".sheet-state")!.textContent = why(error);
      }
    }
  }

  private async use(more: boolean): Promise<void> {
    const { chosen, picked } = this;
    const others = picked.filter((name) => name !== chosen);
    // The first of several is replaced; the others stay.
    const names = more ? [...picked, chosen] : [chosen, ...others.slice(1)];
    const problem = await this.listeners.use(names.length > 1 ? names : chosen);
    find("styles-about").textContent = problem ?? "";
    const now = this.shown.find(({ document }) => document.name === chosen);
    if (!problem) aloud(`${now?.title ?? chosen} is in use`);
  }

  private key(event: KeyboardEvent): void {
    const buttons = [...this.list.querySelectorAll<HTMLElement>(".sheet-choice")];
    const next = buttons.includes(document.activeElement as HTMLElement) && stepped(event.key, buttons, "horizontal");
    if (event.key === "Escape") this.close(true);
    else if (next) next.click();
    else return;
    event.preventDefault();
  }
}

/** Return the picture of a built-in style; what takes its place for another one. */
export function standIn(name: string, other: HTMLElement | string = ""): HTMLElement {
  const image = make("img", { class: "stand-in", src: `/static/style-${encodeURIComponent(name)}.png`, alt: "" });
  image.onerror = () => image.replaceWith(other);
  return image;
}

function fill(item: HTMLElement, { picture, pages, left_out }: Sheet): void {
  const box = item.querySelector(".sheet-picture")!;
  box.querySelector("img")?.remove();
  box.prepend(pngImage(picture));
  item.querySelector(".sheet-state")!.textContent = left_out ? `leaves out ${left_out}` : pages ? counted(pages, "page") : "";
}
