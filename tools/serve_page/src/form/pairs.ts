/** Links with their labels, and values by name: a row with two boxes each. */

import { make } from "../dom";
import { type Send, Typed } from "./typed";
import { type Change, type Field, type Host, type Outcome, type Row, singular } from "./types";
import type { Path } from "../messages";

export class Pairs {
  readonly element: HTMLElement;
  private readonly list = make("ul", { class: "rows pairs" });
  private readonly foot = make("div", { class: "add-pair" });
  private drawn = "";
  private typed: Typed[] = [];
  /** The label of the box that gets the focus as soon as it is here. */
  private wanted: string | null = null;

  constructor(
    private field: Field,
    private readonly form: Host,
    private readonly describe: string,
  ) {
    this.element = make("div", { class: "list", role: "group", "aria-label": field.title }, this.list, this.foot);
    this.update(field);
  }

  update(field: Field): void {
    this.field = field;
    const rows = field.rows ?? [];
    const shape = JSON.stringify([rows.map(({ outer, path, label, more, pair }) => [outer, path, field.kind === "links" || label, more?.text, pair]), field.labels]);
    if (shape === this.drawn) {
      const values = rows.filter(({ more }) => !more).flatMap(({ label, value }) => (field.kind === "links" ? [label ?? "", value ?? ""] : [value ?? ""]));
      for (const [at, value] of values.entries()) this.typed[at]?.update(value);
      return;
    }
    const focused = this.element.contains(document.activeElement) ? document.activeElement!.getAttribute("aria-label") : null;
    this.drawn = shape;
    this.typed = [];
    this.list.replaceChildren(...rows.map((row, at) => (field.kind === "links" ? this.link(row, at) : this.pair(row))));
    this.foot.replaceChildren(...this.adding());
    const box = this.element.querySelector<HTMLInputElement>(`[aria-label="${CSS.escape(this.wanted ?? focused ?? "")}"]`);
    box?.focus();
    if (this.wanted) box?.select();
    if (box) this.wanted = null;
  }

  focusLine(line: number): boolean {
    const at = (this.field.rows ?? []).findIndex((row) => row.line !== null && row.line <= line && line <= (row.end_line ?? row.line));
    const box = this.list.children[at]?.querySelector<HTMLElement>("input");
    box?.focus();
    return Boolean(box);
  }

  private input(label: string, value: string, line: number | null, send: Send): HTMLInputElement {
    const box = make("input", { type: "text", "aria-label": label, "aria-describedby": this.describe, autocomplete: "off" });
    this.typed.push(new Typed(box, value, send));
    box.addEventListener("focus", () => this.form.focused(line));
    return box;
  }

  private pair(row: Row): HTMLElement {
    const name = row.label ?? "";
    if (row.more) return this.only(row, name);
    const box = this.input(name, row.value ?? "", row.line, (value) => this.write([value ? { path: row.path, value } : { path: row.outer }], row.outer));
    return make("li", { class: "list-row" }, make("span", { class: "pair-name" }, name), box);
  }

  private link(row: Row, at: number): HTMLElement {
    const noun = `${singular(this.field.title)} ${at + 1}`;
    if (row.more) return this.only(row, noun);
    const send = (): Promise<Outcome> => {
      const [label, url] = [words.value.trim(), address.value.trim()];
      if (!label && !url) return this.write([{ path: row.outer }], row.outer);
      const name = label || "Link";
      if (!row.pair) return this.write([{ path: row.outer, value: url ? { [name]: url } : name }], row.outer);
      return this.write([{ path: [...row.outer, "label"], value: name }, { path: [...row.outer, "url"], value: url || null }], row.outer);
    };
    const words = this.input(`${noun}, label`, row.label ?? "", row.line, send);
    const address = this.input(`${noun}, address`, row.value ?? "", row.line, send);
    return make("li", { class: "list-row link-row" }, words, address);
  }

  private only(row: Row, name: string): HTMLElement {
    const lines = row.more!;
    const go = make("button", { type: "button", class: "link", "aria-label": `${name}: go there`, click: () => this.form.go(lines.line) }, "Go there");
    return make("li", { class: "list-row" }, make("pre", { class: "only-text" }, lines.text), go);
  }

  private adding(): HTMLElement[] {
    const { field } = this;
    const noun = singular(field.title);
    if (field.kind === "links") {
      const path = [...field.path, (field.rows ?? []).length];
      const add = (): void => {
        this.wanted = `${noun} ${path.at(-1) as number + 1}, label`;
        void this.form.write([{ path, value: { Link: "https://" }, insert: true }], null).then(({ problem }) => {
          if (problem !== null) this.wanted = null;
        });
      };
      return [make("button", { type: "button", class: "add-row", click: add }, `+ ${noun}`)];
    }
    const choice = field.labels
      ? make("select", { "aria-label": `Add: ${field.title}` }, make("option", { value: "" }, `+ ${noun}`), ...field.labels.map(([name, title]) => make("option", { value: name }, title)))
      : make("input", { type: "text", "aria-label": `Add: ${field.title}`, placeholder: `+ ${noun}` });
    const add = (): void => {
      const name = choice.value.trim();
      if (!name || name.includes("\n")) return;
      this.row(name, field.labels?.find(([key]) => key === name)?.[1] ?? name);
      choice.value = "";
    };
    choice.addEventListener("change", add);
    return [choice];
  }

  /** Show a row that is written as soon as it has a value. */
  private row(name: string, title: string): void {
    const path = [...this.field.path, name];
    const box = this.input(title, "", null, (value) => this.write([value ? { path, value } : { path }], path));
    const shown = make("li", { class: "list-row" }, make("span", { class: "pair-name" }, title), box);
    this.list.append(shown);
    box.focus();
  }

  private write(changes: Change[], path: Path): Promise<Outcome> {
    return this.form.write(changes, path.join("."));
  }
}
