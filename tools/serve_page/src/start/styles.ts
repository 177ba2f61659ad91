/** One's own page 1 in every style: look, and use one. */

import { counted, delayed, find, make, pngImage, redraw, roving } from "../dom";
import type { Desk } from "../main";
import type { Described, Document } from "../messages";
import { aloud } from "../said";
import { ask, tried } from "../server";

interface Sheet {
  picture: string;
  pages: number | null;
  left_out: number;
}

interface Made {
  words: string;
  /** The text that the picture shows. */
  text?: string;
  picture: HTMLImageElement;
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
  /** What is known of the page in each style. */
  private readonly made = new Map<string, Made>();
  private readonly later = delayed(PAUSE, () => void this.make());
  private turn = 0;

  constructor(private readonly desk: Desk) {
    this.button.onclick = () => (this.box.hidden ? this.open() : this.close(true));
    find("styles-close").onclick = () => this.close(true);
    find("styles-use").onclick = () => void this.use(false);
    find("styles-add").onclick = () => void this.use(true);
    find("styles-options").onclick = () => desk.drawer.open("options");
    roving(this.list, () => [...this.list.querySelectorAll<HTMLElement>(".sheet-choice")], (choice) => choice.click());
    this.box.addEventListener("keydown", (event) => event.key === "Escape" && this.close(true));
  }

  private get shown(): Described[] {
    const all = this.desk.shown.all.filter(({ document }) => document.kind === "template");
    // By name: what is picked comes first in the list, and a style must stay where it is.
    return all.sort((one, other) => (one.document.name < other.document.name ? -1 : 1));
  }

  /** Whose text it is; null if it has no styles. */
  private request(): { person: string; text: string } | null {
    return this.desk.start.shown ? null : this.desk.own();
  }

  private get picked(): string[] {
    return this.desk.shown.all.filter(({ picked }) => picked).map(({ document }) => document.name);
  }

  private open(): void {
    this.desk.jumps.leavePages();
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
    if (back) this.desk.editor.focus();
  }

  /** The pages of another text are shown. */
  edited(): void {
    if (!this.box.hidden) this.later();
  }

  /** The list of styles, or what is picked, may have changed. */
  update(): void {
    find("styles-button").hidden = !this.request();
    if (this.box.hidden) return;
    this.draw();
    const { shown, picked } = this;
    const now = shown.find(({ document }) => document.name === this.chosen);
    find("styles-name").textContent = now?.title ?? "";
    find("styles-use").textContent = now ? `Use ${now.title}` : "Use";
    find("styles-use").hidden = picked[0] === this.chosen;
    find("styles-add").hidden = picked.includes(this.chosen);
    find("styles-about").textContent = picked[0] === this.chosen ? "is in use" : "";
  }

  private draw(): void {
    const { shown, picked, made } = this;
    for (const { document: { name } } of shown) if (!made.has(name)) made.set(name, { words: "Waiting", picture: standIn(name) });
    const data = shown.map(({ document: { name }, title }) => [name, title, name === this.chosen, picked.includes(name), made.get(name)!.words, made.get(name)!.picture.src]);
    redraw(this.list, data, () => shown.map((one) => this.card(one)));
  }

  private card({ document, title }: Described): HTMLElement {
    const { name } = document;
    const { words, picture } = this.made.get(name)!;
    const used = make("span", { class: "in-use", hidden: !this.picked.includes(name) }, "in use");
    const pressed = String(name === this.chosen);
    return make("li", { "data-style": name }, make("button", { class: "sheet-choice", "data-item": name, "aria-pressed": pressed, click: () => this.choose(document) },
      make("span", { class: "sheet-picture" }, picture, used), make("strong", {}, title), " ", make("small", { class: "sheet-state" }, words)));
  }

  private choose(document: Document): void {
    this.chosen = document.name;
    this.update();
    this.desk.shown.pick({ ...document, locale: null });
    this.list.querySelector<HTMLElement>("[aria-pressed=true]")?.focus();
    aloud(this.list.querySelector("[aria-pressed=true]")?.textContent ?? "");
  }

  /** Make the pictures that are missing, one after the other; the next turn ends this one. */
  private async make(): Promise<void> {
    const turn = ++this.turn;
    const chosen = this.shown.find(({ document }) => document.name === this.chosen);
    const order = [...(chosen ? [chosen] : []), ...this.shown.filter((one) => one !== chosen)];
    for (const { document } of order) {
      const request = this.request();
      if (!request || turn !== this.turn) return;
      const text = `${request.person}\n${request.text}`;
      const known = this.made.get(document.name)!;
      const know = (made: Partial<Made>): void => {
        this.made.set(document.name, { ...known, ...made });
        this.draw();
      };
      if (known.text === text) continue;
      if (!known.text) know({ words: "Typesetting" });
      const failed = (words: string): void => void (turn === this.turn && know({ words }));
      const sheet = await tried(ask<Sheet>("/sheet", { ...request, document, scale: SCALE }), failed);
      if (turn !== this.turn) return;
      if (!sheet) continue;
      const { picture, pages, left_out } = sheet;
      know({ words: left_out ? `leaves out ${left_out}` : pages ? counted(pages, "page") : "", text, picture: pngImage(picture) });
    }
  }

  private async use(more: boolean): Promise<void> {
    const { chosen, picked } = this;
    const others = picked.filter((name) => name !== chosen);
    // The first of several is replaced; the others stay.
    const names = more ? [...picked, chosen] : [chosen, ...others.slice(1)];
    const problem = await this.desk.form.set(["template"], names.length > 1 ? names : chosen);
    find("styles-about").textContent = problem ?? "";
    const now = this.shown.find(({ document }) => document.name === chosen);
    if (!problem) aloud(`${now?.title ?? chosen} is in use`);
  }
}

/** Return the picture of a built-in style; what takes its place for another one. */
export function standIn(name: string, other: HTMLElement | string = ""): HTMLImageElement {
  const image = make("img", { class: "stand-in", src: `/static/style-${encodeURIComponent(name)}.png`, alt: "" });
  image.onerror = () => image.replaceWith(other);
  return image;
}
