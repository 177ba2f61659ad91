/** What a section or a group holds: each part leads to its fields, and one more can be added. */

import { counted, find, make, unpressed } from "../dom";
import { named } from "./host";
import type { Selected } from "./selected";
import type { Kind, Part } from "./types";

export interface Listeners {
  open(part: Part): void;
  add(section: Part): void;
}

export class Inside {
  private readonly box = find("part-items");
  private drawn = "";

  constructor(
    private readonly selected: Selected,
    private readonly listeners: Listeners,
  ) {}

  /** Show what is in the part that is selected; a section of `rows` has its items among its fields. */
  show(kinds: readonly Kind[]): void {
    const { part } = this.selected;
    const section = part?.kind === "group" ? this.selected.above : part;
    const kind = kinds.find((one) => one.kind === section?.kind);
    this.box.hidden = !part || !kind || kind.rows;
    const now = JSON.stringify([part?.path, part?.items, kind?.item]);
    if (this.box.hidden || !part || now === this.drawn) return;
    this.drawn = now;
    unpressed(this.box, () => this.draw(part, kind!.item));
  }

  private draw(part: Part, noun: string): void {
    const focused = (document.activeElement as HTMLElement | null)?.dataset["item"];
    const rows = part.items.map((item) => this.row(item));
    const add = make("button", { type: "button", class: "add-row", "data-item": "add", click: () => this.listeners.add(part) }, `+ ${noun}`);
    this.box.replaceChildren(...rows, ...(part.items.some(({ kind }) => kind === "group") ? [] : [add]));
    if (focused) this.box.querySelector<HTMLElement>(`[data-item="${focused}"]`)?.focus();
  }

  private row(item: Part): HTMLElement {
    const state = item.errors ? make("span", { class: "part-errors" }, counted(item.errors, "error")) : make("small", {}, item.detail);
    return make("button", { type: "button", class: "inside", "data-item": named(item.path), click: () => this.listeners.open(item) }, make("span", {}, item.title), state);
  }
}
