/** A list of texts: a row each, of a text, or one in each language, and the points under it. */

import type { Form } from "./form";
import { counted, make } from "../dom";
import { aloud } from "../said";
import { draggable } from "./drag";
import { Typed, type WordsBox, wordsBox } from "./typed";
import { type Change, type Field, type Outcome, type Row, singular } from "./types";
import type { Path } from "../messages";
import { plainly } from "../rich/markdown";
import { RichText } from "../rich/box";

/** What a line of a pasted list may begin with. */
const SIGN = /^\s*(?:[-*+•‣◦▪–]|\d{1,2}[.)])\s+/;

export class Rows {
  readonly element: HTMLElement;
  private readonly list = make("ul", { class: "rows" });
  private readonly noun: string;
  views: RowView[] = [];
  /** Whether one text stands for the list. */
  private single = false;

  constructor(public field: Listed, readonly form: Form, readonly describe: string) {
    this.noun = singular(field.title);
    const add = make("button", { class: "add-row", click: () => this.add() }, `+ ${this.noun}`);
    this.element = make("div", { class: "list", role: "group", "aria-label": field.title }, this.list, add);
    this.fill(field);
  }

  update(field: Listed): void {
    this.field = field;
    const rows = field.rows ?? [];
    const written = this.views.filter((view) => !view.fresh);
    const alike = written.length === rows.length && written.every(({ row }, at) => kindOf(row) === kindOf(rows[at] ?? null));
    if (!alike) return this.fill(field);
    this.single = scalar(field);
    for (const [at, view] of written.entries()) view.update(rows[at]!);
  }

  /** Return what is written in its only row. */
  written(): string {
    return this.views.length === 1 ? this.views[0]!.typed.value : "";
  }

  focus(): void {
    const first = this.views[0];
    if (first) first.box.focus();
    else this.add();
  }

  /** Focus the row that has a line of the text. */
  focusLine(line: number): boolean {
    const found = this.views.find(({ row }) => row?.line && row.line <= line && line <= (row.end_line ?? row.line));
    if (found?.below?.focusLine(line)) return true;
    const at = found?.row?.texts?.findLastIndex((text) => text.line !== null && text.line <= line) ?? 0;
    if (found && !found.shown) found.element.querySelector<HTMLElement>(".link")?.focus();
    else found?.lines[Math.max(0, at)]?.box.focus();
    return Boolean(found);
  }

  private fill(field: Listed): void {
    const focused = this.views.findIndex(({ lines }) => lines.some(({ box }) => box === document.activeElement));
    const cursor = focused < 0 ? 0 : (document.activeElement as WordsBox).selectionStart;
    this.single = scalar(field);
    this.views = (field.rows ?? []).map((row) => new RowView(row, this));
    this.list.replaceChildren(...this.views.map(({ element }) => element));
    this.label();
    const again = this.views[Math.min(focused, this.views.length - 1)];
    if (focused < 0 || !again) return;
    again.box.focus();
    again.box.setSelectionRange(cursor, cursor);
  }

  private label(): void {
    for (const [at, { lines }] of this.views.entries()) {
      for (const { box, language } of lines) {
        box.setAttribute("aria-label", `${this.noun} ${at + 1} of ${this.views.length}${language ? `, ${language}` : ""}`);
        box.setAttribute("aria-describedby", this.describe);
      }
    }
  }

  /** Where the row is in the text, as it will be when everything that waits is written. */
  private at(view: RowView): number {
    return this.views.filter((one) => !one.fresh || one === view).indexOf(view);
  }

  private outer(view: RowView): Path {
    return [...this.field.path, this.at(view)];
  }

  private path(view: RowView): Path {
    if (this.single) return this.field.path;
    const inner = view.row ? view.row.path.slice(view.row.outer.length) : [];
    return [...this.outer(view), ...inner];
  }

  async typed(view: RowView, line: Line, value: string): Promise<Outcome | void> {
    const { language } = line;
    const field = `${this.field.name}.${this.views.indexOf(view)}${language ? `.${language}` : ""}`;
    if (language && !value) return this.without(view, line, field);
    if (!value && view.below) return view.typed.put(view.row?.value ?? "");
    if (!value) return this.remove(view, false);
    if (!view.fresh) return this.form.write([{ path: [...this.path(view), ...(language ? [language] : [])], value }], field);
    const change = this.inserted(view);
    view.fresh = false;
    this.single = false;
    const outcome = await this.form.write([change], field);
    if (outcome.problem !== null) view.fresh = true;
    return outcome;
  }

  /** Write a text without one of its languages; in the last one left it is a text alone. */
  private async without(view: RowView, line: Line, field: string): Promise<Outcome | void> {
    const rest = view.lines.filter((one) => one !== line && one.typed.value);
    if (!rest.length) return this.remove(view, false);
    const path = this.path(view);
    return this.form.write([rest.length > 1 ? { path: [...path, line.language!] } : { path, value: rest[0]!.typed.value }], field);
  }

  key(view: RowView, inside: number, event: KeyboardEvent): void {
    const { box } = view.lines[inside]!;
    const at = this.views.indexOf(view);
    const control = event.ctrlKey || event.metaKey;
    const next = view.lines[inside + 1]?.box;
    if (event.key === "Enter" && !control && !event.altKey) {
      if (next) next.focus();
      else this.split(view);
    } else if (event.key === "Backspace" && !view.plain && box.value) return;
    else if (event.key === "Backspace" && box.selectionStart === 0 && box.selectionEnd === 0 && (at > 0 || !box.value)) this.join(view);
    else if (event.altKey && event.key === "ArrowUp") this.move(at, at - 1);
    else if (event.altKey && event.key === "ArrowDown") this.move(at, at + 1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Add a row behind another one, else at the end; with a value it is as good as written. */
  private insert(after: RowView | null, value = ""): RowView {
    const view = new RowView(null, this);
    const at = after ? this.views.indexOf(after) + 1 : this.views.length;
    this.views.splice(at, 0, view);
    this.list.insertBefore(view.element, this.list.children[at] ?? null);
    this.label();
    if (value) {
      view.fresh = false;
      view.typed.put(value);
    }
    return view;
  }

  /** Return what writes a row that isn't in the text. */
  private inserted(view: RowView): Change {
    return { path: this.outer(view), value: view.typed.value, insert: true };
  }

  /** Add rows with values that no row has, in place of empty ones, as one edit. */
  async append(values: readonly string[]): Promise<void> {
    if (values.length) for (const view of this.views.filter(({ fresh, typed }) => fresh && !typed.value)) this.drop(view);
    const there = this.views.map(({ typed }) => typed.value);
    const added = [...new Set(values)].filter((value) => !there.includes(value)).map((value) => this.insert(null, value));
    if (!added.length) return;
    this.single = false;
    await this.form.write(added.map((view) => this.inserted(view)), null);
  }

  private add(): void {
    this.insert(null).box.focus();
  }

  private split(view: RowView): void {
    const [left, right] = halves(view.box);
    if (!left.trim()) return;
    view.flush();
    const moves = Boolean(right.trim()) && view.plain;
    const next = this.insert(view, moves ? right.trim() : "");
    if (moves) {
      const path = this.path(view);
      view.typed.put(left.trim());
      void this.form.write([{ path, value: left.trim() }, this.inserted(next)], null);
      this.single = false;
    }
    next.box.focus();
    next.box.setSelectionRange(0, 0);
    aloud(`${this.noun} ${this.views.indexOf(next) + 1} of ${this.views.length}`);
  }

  private join(view: RowView): void {
    if (!view.plain) {
      if (!view.below && view.lines.every(({ typed }) => !typed.value)) this.remove(view, true);
      return;
    }
    const above = this.views[this.views.indexOf(view) - 1];
    const text = view.typed.value;
    if (!text || !above) return this.remove(view, true);
    if (!above.plain) return above.lines.at(-1)!.box.focus();
    view.typed.flush(false);
    const before = above.typed.value;
    const end = above.box instanceof RichText ? above.box.words.trim().length : before.length;
    const joined = before ? `${before} ${text}` : text;
    const changes: Change[] = [{ path: this.path(above), value: joined }, { path: this.outer(view) }];
    this.drop(view);
    above.typed.put(joined);
    above.box.focus();
    above.box.setSelectionRange(end, end);
    void this.form.write(changes, null);
    aloud(`Removed, ${this.views.length} left`);
  }

  private remove(view: RowView, focus: boolean): void {
    const at = this.views.indexOf(view);
    if (at < 0) return;
    if (!view.fresh) void this.form.write([{ path: this.single ? this.field.path : this.outer(view) }], null);
    this.drop(view);
    if (!focus) return;
    const next = this.views[at - 1] ?? this.views[0];
    (next?.box ?? this.element.querySelector<HTMLElement>(":scope > .add-row"))?.focus();
    aloud(`Removed, ${this.views.length} left`);
  }

  private drop(view: RowView): void {
    this.views.splice(this.views.indexOf(view), 1);
    // Leaving it must not send anything.
    for (const { typed } of view.lines) typed.put("");
    view.element.remove();
    this.label();
  }

  move(from: number, to: number): void {
    const view = this.views[from];
    const other = this.views[to];
    if (!view || !other || view.fresh || other.fresh) return;
    view.flush();
    const path = this.outer(view);
    const focused = this.list.contains(document.activeElement) ? (document.activeElement as HTMLElement) : null;
    this.views.splice(to, 0, ...this.views.splice(from, 1));
    this.list.replaceChildren(...this.views.map(({ element }) => element));
    focused?.focus();
    this.label();
    void this.form.write([{ path, to: this.at(view) }], null);
    aloud(`Moved ${to < from ? "up" : "down"}, ${to + 1} of ${this.views.length}`);
  }

  paste(view: RowView, event: ClipboardEvent): void {
    const text = view.plain ? (event.clipboardData?.getData("text/plain") ?? "") : "";
    const lines = text.split(/\r?\n/).map((line) => line.replace(SIGN, "").trim()).filter(Boolean).map((line) => (this.field.prose ? plainly(line) : line));
    if (lines.length < 2) return;
    event.preventDefault();
    view.typed.flush(false);
    const [left, right] = halves(view.box);
    const first = `${left}${lines[0]!}`.trim();
    const last = `${lines.at(-1)!}${right}`.trim();
    const change = { path: this.path(view), value: first, insert: view.fresh };
    view.fresh = false;
    view.typed.put(first);
    const added = [...lines.slice(1, -1), last].reduce((rows, line) => [...rows, this.insert(rows.at(-1)!, line)], [view]);
    this.single = false;
    added.at(-1)!.box.focus();
    void this.form.write([change, ...added.slice(1).map((next) => this.inserted(next))], null);
    aloud(`Added ${counted(lines.length, this.noun.toLowerCase())}`);
  }
}

/** Return what is written before and after the cursor. */
function halves(box: WordsBox): [string, string] {
  return box instanceof RichText ? box.halves() : [box.value.slice(0, box.selectionStart), box.value.slice(box.selectionEnd)];
}

function scalar({ rows, path }: Listed): boolean {
  const only = rows?.[0];
  return rows?.length === 1 && only?.outer.length === path.length;
}

/** What a list is made of. */
export type Listed = Pick<Field, "name" | "title" | "path" | "rows" | "prose">;

/** What is typed in a row: its text, or one in each language. */
interface Line {
  box: WordsBox;
  typed: Typed;
  language: string | null;
}

class RowView {
  readonly element: HTMLElement;
  readonly handle = make("span", { class: "handle", title: "Move", "aria-hidden": "true" });
  readonly lines: Line[];
  /** The list of points under the text. */
  readonly below: Rows | null;
  /** Whether it isn't in the text: it is empty. */
  fresh: boolean;

  constructor(public row: Row | null, private readonly list: Rows) {
    const { field: { prose }, form, describe } = list;
    this.fresh = row === null;
    this.lines = (row?.texts ?? [null]).map((text, at) => {
      const box = wordsBox(prose, text ? { lang: text.language, dir: "auto" } : {});
      const line: Line = { box, language: text?.language ?? null, typed: new Typed(box, (text ?? row)?.value ?? "", (value) => list.typed(this, line, value)) };
      box.addEventListener("keydown", (event) => list.key(this, at, event as KeyboardEvent));
      box.addEventListener("focus", () => form.focused(this.row?.texts?.[at]?.line ?? this.row?.line ?? null));
      return line;
    });
    // Before the box takes it as one text.
    this.box.addEventListener("paste", (event) => list.paste(this, event as ClipboardEvent), true);
    const boxes = row?.texts ? [make("div", { class: "in-languages" }, ...this.lines.map(({ box, language }) => make("div", {}, make("span", { class: "language" }, language!), box)))] : [this.box];
    this.below = row?.below ? new Rows({ ...row.below, prose }, form, describe) : null;
    this.element = make("li", { class: "list-row" }, this.handle, ...boxes);
    const more = row?.more;
    if (more) {
      this.box.hidden = !this.shown;
      const there = make("button", { class: "link", click: () => form.go(more.line) }, this.shown ? "more in the text" : "Go there");
      this.element.append(...(this.shown ? [] : [make("pre", { class: "only-text" }, more.text)]), there);
    }
    if (this.below) this.element.append(this.below.element);
    draggable(this.handle, this.element, () => list.views.map(({ element }) => element), (from, to) => list.move(from, to));
  }

  /** What is typed first. */
  get box(): WordsBox {
    return this.lines[0]!.box;
  }

  get typed(): Typed {
    return this.lines[0]!.typed;
  }

  /** Whether it has a text that can be typed. */
  get shown(): boolean {
    return !this.row || this.row.value !== null || Boolean(this.row.texts);
  }

  /** Whether it is one text, which can be split and joined. */
  get plain(): boolean {
    return this.shown && !this.row?.texts && !this.below;
  }

  update(row: Row): void {
    this.row = row;
    for (const [at, { typed }] of this.lines.entries()) typed.update((row.texts?.[at] ?? row).value ?? "");
    if (row.below) this.below?.update({ ...row.below, prose: this.list.field.prose });
  }

  flush(): void {
    for (const { typed } of this.lines) typed.flush(false);
  }
}

/** Return what controls a row has. */
function kindOf(row: Row | null): string {
  return `${Boolean(row?.more)} ${row?.texts?.map(({ language }) => language).join() ?? ""} ${Boolean(row?.below)}`;
}
