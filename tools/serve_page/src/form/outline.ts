/** The outline of the file: a tree of its sections and items. */

import { counted, find, make, unpressed } from "../dom";
import { draggable } from "./drag";
import type { Form } from "./form";
import { named, samePath } from "./types";
import type { Part } from "../messages";

interface RowOf {
  element: HTMLElement;
  part: Part | null;
  section: Part | null;
  siblings: readonly Part[];
  level: number;
}

const WORDS = { date: "newest first", file: "" };

export class Outline {
  private readonly element = find("outline");
  private rows: RowOf[] = [];
  private readonly open = new Set<string>();
  private typed = "";
  private typing = 0;

  constructor(private readonly form: Form) {
    this.element.addEventListener("keydown", (event) => this.key(event));
  }

  /** Show the parts of the file, and the one that is selected. */
  show(): void {
    const { path } = this.form.selected;
    for (let end = 2; end < path.length; end += 2) this.open.add(named(path.slice(0, end)));
    this.draw();
    this.current?.element.scrollIntoView({ block: "nearest" });
  }

  focus(): void {
    this.current?.element.focus();
  }

  get focused(): boolean {
    return this.element.contains(document.activeElement);
  }

  private get current(): RowOf | undefined {
    return this.rows.find(({ element }) => element.tabIndex === 0);
  }

  private isSelected({ path }: Part): boolean {
    return samePath(path, this.form.selected.path);
  }

  private draw(): void {
    // What is dragged may not be there any more: that ends it.
    if (this.element.querySelector(".dragged")) this.redraw();
    else unpressed(this.element, () => this.redraw());
  }

  private redraw(): void {
    const { focused } = this;
    this.rows = [];
    const list = this.level(this.form.selected.parts, 1, null);
    if (this.form.desk.draft.kind === "person") list.push(this.adder(null, "+ Section", "Add a section", 1));
    this.element.replaceChildren(...list);
    const current = this.rows.find(({ part }) => part && this.isSelected(part)) ?? this.rows[0];
    if (current) current.element.tabIndex = 0;
    if (focused) current?.element.focus({ preventScroll: true });
  }

  private level(parts: readonly Part[], level: number, section: Part | null): HTMLElement[] {
    return parts.flatMap((part, index) => {
      const row = this.row(part, parts, level, index, section);
      if (row.ariaExpanded !== "true") return [row];
      const below = this.level(part.items, level + 1, part.kind === "group" ? section : part);
      if (part.kind === "group" || !part.items.some(({ kind }) => kind === "group")) {
        const noun = this.form.kind((section ?? part).kind)?.item ?? part.title;
        below.push(this.adder(part, `+ ${noun}`, `Add to ${part.title}: ${noun}`, level + 1));
      }
      return [row, ...below];
    });
  }

  private row(part: Part, siblings: readonly Part[], level: number, index: number, section: Part | null): HTMLElement {
    const expands = part.path[0] === "sections" && part.kind !== "item" && part.items.length > 0;
    const open = expands && this.open.has(named(part.path));
    const detail = expands && open && part.ordered ? WORDS[part.ordered] || part.detail : part.detail;
    const movable = part.path[0] === "sections";
    const handle = movable ? make("span", { class: "handle", title: "Move", "aria-hidden": "true" }) : null;
    const click = (): void => {
      if (expands && this.isSelected(part) && open) this.open.delete(named(part.path));
      else this.open.add(named(part.path));
      this.form.chosen(part, false);
    };
    const element = treeItem(level, {
      "aria-setsize": siblings.length,
      "aria-posinset": index + 1,
      "aria-selected": String(this.isSelected(part)),
      "aria-expanded": expands ? String(open) : undefined,
      "data-path": named(part.path),
      click,
    }, handle, make("span", { class: "part-title" }, part.title),
      part.errors ? make("span", { class: "part-errors" }, counted(part.errors, "error")) : make("small", {}, detail));
    element.addEventListener("contextmenu", (event) => {
      event.preventDefault();
      this.form.chosen(part, false);
      find("part-menu").click();
    });
    if (handle) {
      const peers = (): HTMLElement[] => this.rows.filter((one) => one.siblings === siblings && one.part?.path[0] === "sections").map((one) => one.element);
      draggable(handle, element, peers, (from, to) => {
        const own = siblings.filter(({ path }) => path[0] === "sections");
        if (own[from]) this.form.acts.move(own[from], own, to);
      });
    }
    this.rows.push({ element, part, section, siblings, level });
    return element;
  }

  /** Return a row that adds to a section, or to the file. */
  private adder(section: Part | null, words: string, name: string, level: number): HTMLElement {
    const element = treeItem(level, { "aria-label": name, "aria-selected": "false", click: () => this.form.offer(section) }, make("span", { class: "part-title" }, words));
    element.classList.add("add");
    this.rows.push({ element, part: null, section, siblings: [], level });
    return element;
  }

  private key(event: KeyboardEvent): void {
    const index = this.rows.findIndex(({ element }) => element === event.target);
    const row = this.rows[index];
    if (!row || event.ctrlKey || event.metaKey) return;
    const { part } = row;
    const own = row.siblings.filter(({ path }) => path[0] === "sections");
    const isOwn = part !== null && own.includes(part);
    const isOpen = row.element.ariaExpanded === "true";
    const way = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const enter = (): void => (part ? this.form.chosen(part, event.key === "Enter") : this.form.offer(row.section));
    const acts: Record<string, () => void> = {
      ArrowDown: () => this.go(this.rows[index + 1]),
      ArrowUp: () => this.go(this.rows[index - 1]),
      Home: () => this.go(this.rows[0]),
      End: () => this.go(this.rows.at(-1)),
      ArrowRight: () => (isOpen ? this.go(this.rows[index + 1]) : this.turn(part, true)),
      ArrowLeft: () => (isOpen ? this.turn(part, false) : this.go(this.rows.slice(0, index).findLast(({ level }) => level < row.level))),
      Enter: enter,
      " ": enter,
      Delete: () => isOwn && !event.repeat && this.form.acts.remove(part, own),
    };
    if (event.altKey && !(way && isOwn)) return;
    if (event.altKey) this.form.acts.step(part, way!, event.repeat);
    else if (acts[event.key]) acts[event.key]!();
    else if (event.key.length === 1) this.find(event.key, index);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Open a part, or close it. */
  private turn(part: Part | null, open: boolean): void {
    if (!part) return;
    if (open) this.open.add(named(part.path));
    else this.open.delete(named(part.path));
    this.draw();
  }

  /** The fields follow the keyboard; focus stays here. */
  private go(row: RowOf | undefined): void {
    if (!row) return;
    for (const { element } of this.rows) element.tabIndex = element === row.element ? 0 : -1;
    row.element.focus();
    if (row.part) this.form.chosen(row.part, false);
  }

  private find(letter: string, index: number): void {
    clearTimeout(this.typing);
    this.typing = window.setTimeout(() => (this.typed = ""), 700);
    this.typed += letter.toLowerCase();
    const from = this.typed.length > 1 ? index : index + 1;
    const all = [...this.rows.slice(from), ...this.rows.slice(0, from)];
    this.go(all.find(({ part }) => part?.title.toLowerCase().startsWith(this.typed)) ?? this.rows[index]);
  }
}

function treeItem(level: number, properties: Parameters<typeof make>[1], ...children: (HTMLElement | null)[]): HTMLElement {
  return make("div", { class: `part level-${level}`, role: "treeitem", tabindex: -1, "aria-level": level, ...properties }, ...children);
}
