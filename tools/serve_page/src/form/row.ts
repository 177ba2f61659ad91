/** A row of a list: a text, or one in each language, and the points under it. */

import { make } from "../dom";
import type { Field, Row } from "./types";
import { Typed, type Send } from "./typed";

/** What a list is made of. */
export type Listed = Pick<Field, "name" | "title" | "path" | "rows">;

/** The list of points under a text. */
interface Below {
  element: HTMLElement;
  update(list: Listed): void;
  focusLine(line: number): boolean;
}

/** What is typed in a row: its text, or one in each language. */
export interface Line {
  box: HTMLTextAreaElement;
  typed: Typed;
  language: string | null;
}

export class RowView {
  readonly element: HTMLElement;
  readonly handle = make("span", { class: "handle", title: "Move", "aria-hidden": "true" });
  readonly lines: Line[];
  readonly below: Below | null;
  /** Whether it isn't in the text: it is empty. */
  fresh: boolean;
  row: Row | null;

  constructor(row: Row | null, send: (line: Line, value: string) => ReturnType<Send>, go: (line: number) => void, below: (list: Listed) => Below) {
    this.row = row;
    this.fresh = row === null;
    this.lines = (row?.texts ?? [null]).map((text) => {
      const box = make("textarea", { rows: 1, spellcheck: "true", ...(text && { lang: text.language, dir: "auto" }) });
      const line: Line = { box, language: text?.language ?? null, typed: new Typed(box, (text ?? row)?.value ?? "", (value) => send(line, value)) };
      return line;
    });
    const boxes = row?.texts ? [make("div", { class: "in-languages" }, ...this.lines.map(({ box, language }) => make("div", {}, make("span", { class: "language" }, language!), box)))] : [this.box];
    this.below = row?.below ? below(row.below) : null;
    this.element = make("li", { class: "list-row" }, this.handle, ...boxes);
    const more = row?.more;
    if (more) {
      const there = make("button", { type: "button", class: "link", click: () => go(more.line) }, this.shown ? "more in the text" : "Go there");
      if (!this.shown) {
        this.box.hidden = true;
        this.element.append(make("pre", { class: "only-text" }, more.text));
      }
      this.element.append(there);
    }
    if (this.below) this.element.append(this.below.element);
  }

  /** What is typed first. */
  get box(): HTMLTextAreaElement {
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

  /** Whether the row has the same controls. */
  fits(row: Row | undefined): boolean {
    return kindOf(this.row) === kindOf(row ?? null);
  }

  update(row: Row): void {
    this.row = row;
    for (const [at, { typed }] of this.lines.entries()) typed.update((row.texts?.[at] ?? row).value ?? "");
    if (row.below) this.below?.update(row.below);
  }

  flush(): void {
    for (const { typed } of this.lines) typed.flush(false);
  }
}

function kindOf(row: Row | null): string {
  return `${Boolean(row?.more)} ${row?.texts?.map(({ language }) => language).join() ?? ""} ${Boolean(row?.below)}`;
}
