/** What is around the fields: a heading, what the part holds, why the form waits, what was done. */

import { counted, find, make, unpressed } from "../dom";
import type { Selected } from "./selected";
import { chain, every, type Kind, named, type Part, samePath, type Sheet } from "./types";
import type { Diagnostic } from "../messages";
import { type Choice, menu } from "../panels/popups";

export class Heading {
  constructor(
    private readonly selected: Selected,
    private readonly choose: (part: Part) => void,
  ) {
    menu(find("crumb"), "Parts of the file", () => this.crumbs());
  }

  show(sheet: Sheet): void {
    const { part, path } = this.selected;
    const above = chain(this.selected.parts, path).at(-2);
    const siblings = part ? this.selected.siblings(part) : [];
    const at = part ? siblings.indexOf(part) : -1;
    const movable = path[0] === "sections";
    find("part-title").textContent = sheet.title;
    find("crumb").textContent = above?.title ?? (movable ? "Sections" : part?.kind === "part" || part?.kind === "file" ? "Parts" : "Top of the page");
    find("part-count").textContent = movable && at >= 0 ? `${at + 1} of ${siblings.length}` : "";
    for (const id of ["part-up", "part-down", "part-menu"]) find(id).hidden = !movable;
    find("part-comments").textContent = sheet.comments.join("\n");
    find("part-comments").hidden = !sheet.comments.length;
    const bib = part?.bib ?? above?.bib;
    find("part-bib").hidden = !bib;
    find("part-bib").textContent = bib ? `More come from ${bib}. They are changed there.` : "";
  }

  /** Return all sections, and what is in the one that is open. */
  private crumbs(): Choice[] {
    const { parts, path } = this.selected;
    return parts.flatMap((part) => [this.crumb(part, ""), ...(chain([part], path).length ? every(part.items).map((item) => this.crumb(item, "  ")) : [])]);
  }

  private crumb(part: Part, indent: string): Choice {
    const checked = samePath(part.path, this.selected.path);
    return { label: `${indent}${part.title}`, detail: part.detail, checked, run: () => this.choose(part) };
  }
}

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

export class Waits {
  /** Why the text can't be read; null if it can. */
  private fault: { words: string; line: number | null } | null = null;
  private silence: string | null = null;
  private held = false;

  constructor(go: (line: number) => void) {
    find("form-waits-go").onclick = () => {
      if (this.fault?.line) go(this.fault.line);
    };
  }

  /** Whether the text can be read. */
  get parsed(): boolean {
    return this.fault === null;
  }

  /** Whether nothing can be done in the form. */
  get away(): boolean {
    return this.fault !== null || this.silence !== null;
  }

  /** The text was checked. */
  checked(parsed: boolean, faults: readonly Diagnostic[]): void {
    const first = faults.find(({ severity }) => severity === "error");
    const words = first ? `${first.line ? `Line ${first.line}: ` : ""}${first.message}.` : "The text can’t be read.";
    this.fault = parsed ? null : { words, line: first?.line ?? null };
    this.draw();
  }

  /** Wait for the server, and say why; null goes on. */
  offline(words: string | null): void {
    this.silence = words;
    this.draw();
  }

  /** Let nothing be typed until the fields of another part are here: it would be lost. */
  hold(held: boolean): void {
    this.held = held;
    this.draw();
  }

  private draw(): void {
    const { away, silence, fault } = this;
    find("form-waits").hidden = !away;
    find("form-waits-why").textContent = silence ?? fault?.words ?? "";
    find("form-waits-go").hidden = silence !== null || !fault?.line;
    find("form").classList.toggle("waits", away);
    find("fields").inert = away || this.held;
  }
}

/** Milliseconds that it stays. */
const KEEP = 8000;

export class Told {
  private silence = 0;

  /** Say below the form what was done; `undoable` is whether it can be taken back. */
  say(words: string, undoable = true): void {
    find("told").hidden = false;
    find("told-words").textContent = words;
    find("undo-told").hidden = !undoable;
    clearTimeout(this.silence);
    this.silence = window.setTimeout(() => this.hide(), KEEP);
  }

  aloud(words: string): void {
    find("aloud").textContent = words;
  }

  hide(): void {
    find("told").hidden = true;
  }
}
