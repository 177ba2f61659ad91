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
    if (this.form.draft.kind === "person") {
      const add = this.adder(null, "+ Section", "Add a section", 1);
      this.rows.push(add);
      list.push(add.element);
    }
    this.element.replaceChildren(...list);
    const current = this.rows.find(({ part }) => part && this.isSelected(part)) ?? this.rows[0];
    if (current) current.element.tabIndex = 0;
    if (focused) current?.element.focus({ preventScroll: true });
  }

  private level(parts: readonly Part[], level: number, section: Part | null): HTMLElement[] {
    return parts.flatMap((part, index) => {
      const row = this.row(part, parts, level, index, section);
      if (row.element.getAttribute("aria-expanded") !== "true") return [row.element];
      const below = this.level(part.items, level + 1, part.kind === "group" ? section : part);
      if (part.kind === "group" || !part.items.some(({ kind }) => kind === "group")) {
        const noun = this.form.kind((section ?? part).kind)?.item ?? part.title;
        const add = this.adder(part, `+ ${noun}`, `Add to ${part.title}: ${noun}`, level + 1);
        this.rows.push(add);
        below.push(add.element);
      }
      return [row.element, ...below];
    });
  }

  private row(part: Part, siblings: readonly Part[], level: number, index: number, section: Part | null): RowOf {
    const expands = part.path[0] === "sections" && part.kind !== "item" && part.items.length > 0;
    const open = expands && this.open.has(named(part.path));
    const detail = expands && open && part.ordered ? WORDS[part.ordered] || part.detail : part.detail;
    const movable = part.path[0] === "sections";
    const handle = movable ? make("span", { class: "handle", title: "Move", "aria-hidden": "true" }) : null;
    const element = make("div", {
      class: `part level-${level}`,
      role: "treeitem",
      tabindex: -1,
      "aria-level": level,
      "aria-setsize": siblings.length,
      "aria-posinset": index + 1,
      "aria-selected": String(this.isSelected(part)),
      ...(expands && { "aria-expanded": String(open) }),
    }, handle, make("span", { class: "part-title" }, part.title),
      part.errors ? make("span", { class: "part-errors" }, counted(part.errors, "error")) : make("small", {}, detail));
    element.dataset["path"] = named(part.path);
    element.addEventListener("click", () => {
      if (expands && this.isSelected(part) && open) this.open.delete(named(part.path));
      else this.open.add(named(part.path));
      this.form.chosen(part, false);
    });
    element.addEventListener("contextmenu", (event) => {
      event.preventDefault();
      this.form.menuOf(part);
    });
    const row = { element, part, section, siblings, level };
    if (handle) {
      const peers = (): HTMLElement[] => this.rows.filter((one) => one.siblings === siblings && one.part?.path[0] === "sections").map((one) => one.element);
      draggable(handle, element, peers, (from, to) => {
        const own = siblings.filter(({ path }) => path[0] === "sections");
        if (own[from]) this.form.acts.move(own[from], own, to);
      });
    }
    this.rows.push(row);
    return row;
  }

  private adder(section: Part | null, words: string, name: string, level: number): RowOf {
    const element = make("div", { class: `part add level-${level}`, role: "treeitem", tabindex: -1, "aria-level": level, "aria-label": name, "aria-selected": "false" }, make("span", { class: "part-title" }, words));
    element.addEventListener("click", () => this.form.offer(section));
    return { element, part: null, section, siblings: [], level };
  }

  private key(event: KeyboardEvent): void {
    const index = this.rows.findIndex(({ element }) => element === event.target);
    const row = this.rows[index];
    if (!row || event.ctrlKey || event.metaKey) return;
    if (!this.act(row, index, event)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  private act(row: RowOf, index: number, event: KeyboardEvent): boolean {
    const { part, siblings } = row;
    const path = part && named(part.path);
    const own = siblings.filter((one) => one.path[0] === "sections");
    if (event.altKey) {
      const way = { ArrowUp: -1, ArrowDown: 1 }[event.key];
      if (!way || !part || !own.includes(part)) return false;
      this.form.acts.step(part, way, event.repeat);
      return true;
    }
    switch (event.key) {
      case "ArrowDown":
        return this.go(this.rows[index + 1]);
      case "ArrowUp":
        return this.go(this.rows[index - 1]);
      case "Home":
        return this.go(this.rows[0]);
      case "End":
        return this.go(this.rows.at(-1));
      case "ArrowRight":
        if (row.element.getAttribute("aria-expanded") === "true") return this.go(this.rows[index + 1]);
        if (path && part.items.length) this.open.add(path);
        this.draw();
        return true;
      case "ArrowLeft":
        if (path && row.element.getAttribute("aria-expanded") === "true") {
          this.open.delete(path);
          this.draw();
          return true;
        }
        return this.go(this.rows.slice(0, index).findLast(({ level }) => level < row.level));
      case "Enter":
      case " ":
        if (part) this.form.chosen(part, event.key === "Enter");
        else this.form.offer(row.section);
        return true;
      case "Delete":
        if (part && own.includes(part) && !event.repeat) this.form.acts.remove(part, own);
        return true;
      case "ContextMenu":
        if (part) this.form.menuOf(part);
        return true;
      case "F10":
        if (!event.shiftKey) return false;
        if (part) this.form.menuOf(part);
        return true;
      default:
        return event.key.length === 1 && this.find(event.key, index);
    }
  }

  /** The fields follow the keyboard; focus stays here. */
  private go(row: RowOf | undefined): boolean {
    if (!row) return true;
    for (const { element } of this.rows) element.tabIndex = element === row.element ? 0 : -1;
    row.element.focus();
    if (row.part) this.form.chosen(row.part, false);
    return true;
  }

  private find(letter: string, index: number): boolean {
    clearTimeout(this.typing);
    this.typing = window.setTimeout(() => (this.typed = ""), 700);
    this.typed += letter.toLowerCase();
    const from = this.typed.length > 1 ? index : index + 1;
    const all = [...this.rows.slice(from), ...this.rows.slice(0, from)];
    return this.go(all.find(({ part }) => part?.title.toLowerCase().startsWith(this.typed)) ?? this.rows[index]);
  }
}
