/** The fields of one part of the file: common ones, those behind a button, and how it is selected. */

import { make, unpressed } from "../dom";
import { aloud, told } from "../said";
import { draggable } from "./drag";
import { FieldView, hasTick } from "./field";
import { type Change, type Field, named, type Sheet, singular } from "./types";
import type { Form } from "./form";
import { type Diagnostic, sentence } from "../messages";

/** The parts of an item that have fields of their own, such as roles. */
class Cards {
  readonly element = make("div", { class: "cards" });
  private views: { sheet: SheetView; card: HTMLDetailsElement; title: HTMLElement; detail: HTMLElement }[] = [];

  constructor(private field: Field, private readonly form: Form) {}

  update(field: Field): void {
    this.field = field;
    const items = field.items ?? [];
    while (this.views.length > items.length) this.views.pop()!.card.remove();
    for (const [at, item] of items.entries()) {
      const view = this.views[at] ?? this.card(item, at);
      view.title.textContent = item.title;
      view.detail.textContent = item.detail ?? "";
      view.card.dataset["name"] = named(item.path);
      view.sheet.update(item);
    }
    if (!this.element.querySelector(":scope > .add-row")) {
      this.element.append(make("button", { class: "add-row", click: () => void this.add() }, `+ ${singular(field.title)}`));
    }
  }

  focus(): void {
    const first = this.views[0];
    if (!first) return void this.add();
    first.card.open = true;
    first.sheet.focusFirst();
  }

  focusLine(line: number): boolean {
    const found = this.views.find(({ sheet }) => sheet.holds(line));
    if (found) found.card.open = true;
    return Boolean(found?.sheet.focusLine(line));
  }

  wrong(faults: Diagnostic[], leaving: boolean): void {
    for (const { sheet } of this.views) sheet.wrong(faults, leaving);
  }

  private card(item: Sheet, at: number): Cards["views"][number] {
    const sheet = new SheetView(item, this.form);
    const title = make("span", { class: "card-title" });
    const detail = make("span", { class: "card-detail" });
    const handle = make("span", { class: "handle", title: "Move", "aria-hidden": "true" });
    const summary = make("summary", {}, handle, title, detail);
    const remove = make("button", { class: "link", click: () => this.remove(card) }, "Remove");
    const card = make("details", { class: "card", open: at === 0 }, summary, sheet.element, make("div", { class: "card-foot" }, remove));
    summary.addEventListener("keydown", (event) => {
      const way = event.altKey ? { ArrowUp: -1, ArrowDown: 1 }[event.key] : undefined;
      if (!way) return;
      event.preventDefault();
      event.stopPropagation();
      this.move(this.index(card), this.index(card) + way);
    });
    handle.addEventListener("click", (event) => event.preventDefault());
    draggable(handle, card, () => this.views.map((view) => view.card), (from, to) => this.move(from, to));
    const view = { sheet, card, title, detail };
    this.views.push(view);
    const last = this.element.querySelector(":scope > .add-row");
    this.element.insertBefore(card, last);
    return view;
  }

  private index(card: HTMLElement): number {
    return this.views.findIndex((view) => view.card === card);
  }

  private move(from: number, to: number): void {
    const item = this.field.items?.[from];
    if (!item || !this.views[to]) return;
    const open = this.views.map(({ card }) => card.open);
    open.splice(to, 0, ...open.splice(from, 1));
    this.act({ path: item.path, to }, () => {
      for (const [at, { card }] of this.views.entries()) card.open = open[at] ?? false;
      this.views[to]?.card.querySelector("summary")?.focus();
      aloud(`Moved ${to < from ? "up" : "down"}, ${to + 1} of ${this.views.length}`);
    });
  }

  private remove(card: HTMLElement): void {
    const item = this.field.items?.[this.index(card)];
    if (item) this.act({ path: item.path }, () => {
      told(`“${item.title}” removed.`, true);
      this.element.querySelector<HTMLElement>(":scope > .add-row")?.focus();
    });
  }

  private act(change: Change, then: () => void): void {
    void this.form.acts.act(async () => {
      if ((await this.form.write([change], null)).problem === null) then();
    });
  }

  private async add(): Promise<void> {
    const items = this.field.items ?? [];
    const noun = singular(this.field.title);
    const path = [...this.field.path, items.length];
    const outcome = await this.form.write([{ path, value: { title: `New ${noun.toLowerCase()}` }, insert: true }], null);
    if (outcome.problem === null) aloud(`Added, ${items.length + 1} of ${items.length + 1}`);
  }
}

export class SheetView {
  readonly element = make("div", { class: "sheet-fields" });
  private readonly grid = make("div", { class: "grid" });
  private readonly selecting = make("details", { class: "selecting" });
  private readonly selectingGrid = make("div", { class: "grid" });
  private readonly more = make("div", { class: "more" });
  private readonly range = make("span", { class: "hint" });
  private views = new Map<string, FieldView>();
  /** Fields that were asked for and have no value yet. */
  private readonly asked = new Set<string>();

  constructor(private sheet: Sheet, private readonly form: Form) {
    this.selecting.append(make("summary", {}, "How it is selected"), this.selectingGrid);
    this.element.append(this.grid, this.selecting, this.more);
    this.update(sheet);
  }

  update(sheet: Sheet): void {
    this.sheet = sheet;
    const shown = this.shown();
    const views = new Map<string, FieldView>();
    for (const field of shown) {
      const known = this.views.get(key(field));
      views.set(key(field), known ?? new FieldView(field, this.form, (of) => new Cards(of, this.form)));
      known?.update(field);
    }
    for (const [name, view] of this.views) if (!views.has(name)) view.element.remove();
    this.views = views;
    this.arrange(this.grid, shown.filter(({ selecting }) => !selecting));
    this.arrange(this.selectingGrid, shown.filter(({ selecting }) => selecting));
    this.selecting.hidden = !sheet.selecting;
    const { line, end_line: end } = sheet;
    this.range.textContent = line === null ? "" : line === end ? `line ${line}` : `lines ${line}–${end}`;
    this.offer();
  }

  get title(): string {
    return this.sheet.title;
  }

  holds(line: number): boolean {
    const { sheet } = this;
    return sheet.line !== null && sheet.line <= line && line <= (sheet.end_line ?? sheet.line);
  }

  focusFirst(): void {
    const first = [...this.views.values()].find(({ element }) => this.grid.contains(element));
    first?.focus();
  }

  focusLine(line: number): boolean {
    const found = [...this.views.values()].find((view) => view.holds(line));
    if (!found) return false;
    if (found.field.selecting) this.selecting.open = true;
    if (!found.control.focusLine?.(line)) found.focus();
    return true;
  }

  /** Say below each field what is wrong with it; `leaving` is whether it is to be heard. */
  wrong(faults: Diagnostic[], leaving: boolean): void {
    for (const view of this.views.values()) {
      view.control.wrong?.(faults, leaving);
      const own = view.control.wrong ? [] : faults.filter(({ line }) => line !== null && view.holds(line));
      view.wrong(own.map(sentence).join("\n"), leaving);
    }
  }

  /** Say what went wrong with a field that was written; nothing if it went well. */
  refused(name: string, problem: string): boolean {
    const views = [...this.views.values()];
    const view = views.find(({ field }) => field.name === name) ?? views.find(({ field }) => name.startsWith(`${field.name}.`));
    view?.refused(problem);
    return view !== undefined;
  }

  private shown(): Field[] {
    const { fields } = this.sheet;
    const parts = fields.find((field) => field.kind === "items" && field.items?.length);
    const inParts = new Set(parts?.items?.flatMap((item) => item.fields.map((field) => field.key)));
    const there = (field: Field): boolean => field.line !== null || this.asked.has(field.name) || field.selecting;
    // What the parts say isn't asked for once more.
    return fields.filter((field) => field.kind !== "model" || field.line !== null).filter((field) => there(field) || (field.usual && !inParts.has(field.key)));
  }

  private arrange(grid: HTMLElement, fields: Field[]): void {
    const wanted = fields.map((field) => this.views.get(key(field))!.element);
    for (const [at, element] of wanted.entries()) {
      if (grid.children[at] !== element) grid.insertBefore(element, grid.children[at] ?? null);
    }
  }

  private offer(): void {
    const hidden = this.sheet.fields.filter((field) => !this.views.has(key(field)) && field.kind !== "model" && !field.lines);
    const buttons = hidden.map((field) => make("button", { class: "offer", title: field.about, click: () => this.ask(field) }, `+ ${field.title}`));
    unpressed(this.more, () => {
      this.more.replaceChildren(...buttons, this.range);
      this.more.hidden = !buttons.length && !this.range.textContent;
    });
  }

  private ask(field: Field): void {
    this.asked.add(field.name);
    this.update(this.sheet);
    this.views.get(key(field))?.focus();
  }
}

/** A field that has another control is another field. */
function key(field: Field): string {
  return `${field.name} ${field.kind} ${field.texts?.map(({ language }) => language).join() ?? ""} ${Boolean(field.lines)} ${hasTick(field)}`;
}
