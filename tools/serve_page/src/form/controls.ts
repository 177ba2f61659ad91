/** The controls of single values. */

import { make } from "../dom";
import { Files, PDFS, PHOTO } from "./files";
import { Pairs } from "./pairs";
import { Rows } from "./rows";
import { type Box, Typed } from "./typed";
import type { Control, Field, Host, Outcome } from "./types";

interface Ids {
  box: string;
  describe: string;
}

/** Return the control of a field. */
export function control(field: Field, form: Host, ids: Ids): Control {
  if (field.texts) return new Texts(field, form, ids);
  if (field.name === "photo") return new Files("photo", new Text(field, form, ids), form, PHOTO, ([name]) => form.write([{ path: ["photo"], value: name }], null));
  if (field.name === "attachments") {
    const rows = new Rows(field, form, ids.describe);
    return new Files("attachments", rows, form, PDFS, (names) => rows.append(names));
  }
  switch (field.kind) {
    case "list":
      return new Rows(field, form, ids.describe);
    case "links":
    case "pairs":
      return new Pairs(field, form, ids.describe);
    case "date":
      return new Dates(field, form, ids);
    case "switch":
    case "choice":
      return new Chosen(field, form, ids);
    case "lines":
    case "model":
    case "items":
      return new OnlyText(field, form);
    default:
      return new Text(field, form, ids);
  }
}

function wired(box: HTMLElement, form: Host, label: string, line: () => number | null): void {
  box.addEventListener("focus", () => form.focused(label, line()));
}

class Text implements Control {
  readonly element: HTMLElement;
  readonly box: Box;
  private readonly typed: Typed;

  constructor(
    private field: Field,
    form: Host,
    ids: Ids,
  ) {
    const properties = { id: ids.box, "aria-describedby": ids.describe, autocomplete: "off" };
    const rows = field.key === "body" ? 12 : field.kind === "passage" || field.kind === "block" ? 3 : 1;
    this.box = field.kind === "number" || field.kind === "day"
      ? make("input", { type: field.kind === "day" ? "date" : "number", step: 1, ...properties })
      : make("textarea", { rows, spellcheck: "true", placeholder: field.unset, ...properties });
    if (field.kind === "text") {
      // One line: Enter only sends it.
      this.box.addEventListener("keydown", (event) => {
        if ((event as KeyboardEvent).key === "Enter") event.preventDefault();
      });
    }
    wired(this.box, form, field.title, () => this.field.line);
    this.typed = new Typed(this.box, field.value ?? "", (value) => {
      const { path, outer, name } = this.field;
      return form.write([value ? { path, value } : { path: outer }], name);
    });
    this.element = this.box;
  }

  get written(): string {
    return this.typed.value;
  }

  update(field: Field): void {
    this.field = field;
    this.typed.update(field.value ?? "");
  }

  focus(): void {
    this.box.focus();
  }
}

/** One text in several languages: a row each. */
class Texts implements Control {
  readonly element: HTMLElement;
  private readonly typed: Typed[];

  constructor(
    private field: Field,
    form: Host,
    ids: Ids,
  ) {
    const list = make("ul", { class: "rows" });
    this.typed = (field.texts ?? []).map(({ language, value }, at) => {
      const label = `${field.title}, ${language}`;
      const box = make("textarea", { rows: 1, lang: language, dir: "auto", spellcheck: "true", "aria-label": label, "aria-describedby": ids.describe });
      wired(box, form, label, () => this.field.line);
      list.append(make("li", { class: "list-row" }, make("span", { class: "language" }, language), box));
      return new Typed(box, value, (now) => {
        const { path } = this.field.texts![at]!;
        return form.write([now ? { path, value: now } : { path }], `${this.field.name}.${language}`);
      });
    });
    this.element = make("div", { class: "list", role: "group", "aria-label": field.title }, list);
  }

  update(field: Field): void {
    this.field = field;
    for (const [at, { value }] of (field.texts ?? []).entries()) this.typed[at]?.update(value);
  }

  focus(): void {
    this.typed[0]?.box.focus();
  }
}

class Dates implements Control {
  readonly element: HTMLElement;
  readonly box: HTMLInputElement;
  private readonly end: HTMLInputElement;
  private readonly present: HTMLInputElement;
  private readonly printed = make("span", { class: "hint" });
  private readonly start: Typed;
  private readonly until: Typed;

  constructor(
    private field: Field,
    private readonly form: Host,
    ids: Ids,
  ) {
    const box = (id: string): HTMLInputElement => make("input", { type: "text", id, autocomplete: "off", "aria-describedby": ids.describe });
    this.box = box(ids.box);
    this.end = box(`${ids.box}-end`);
    this.present = make("input", { type: "checkbox", id: `${ids.box}-present` });
    const { start, end, present } = this.field.date!;
    this.start = new Typed(this.box, start, () => this.send());
    this.until = new Typed(this.end, present ? "" : end, () => this.typedEnd());
    this.present.onchange = () => {
      if (this.present.checked) this.until.put("");
      void this.send();
    };
    wired(this.box, form, "From", () => this.field.line);
    wired(this.end, form, "To", () => this.field.line);
    wired(this.present, form, "present", () => this.field.line);
    const one = field.key === "birth-date";
    const from = make("div", { class: "date-part" }, make("div", { class: "field-head" }, make("label", { for: ids.box }, one ? field.title : "From"), this.printed), this.box);
    const to = make("div", { class: "date-part" }, make("div", { class: "field-head" }, make("label", { for: `${ids.box}-end` }, "To")),
      make("div", { class: "date-end" }, this.end, make("label", { class: "tick" }, this.present, " present")));
    this.element = make("div", { class: "dates" }, from, one ? null : to);
    this.show();
  }

  update(field: Field): void {
    this.field = field;
    const { start, end, present } = this.field.date!;
    this.start.update(start);
    this.until.update(present ? "" : end);
    this.show();
  }

  focus(): void {
    this.box.focus();
  }

  private show(): void {
    const { present, printed } = this.field.date!;
    this.present.checked = present;
    this.printed.textContent = printed ? `prints ${printed}` : "";
  }

  private typedEnd(): Promise<Outcome> {
    if (this.until.value) this.present.checked = false;
    return this.send();
  }

  private send(): Promise<Outcome> {
    const { path, between, word } = this.field.date!;
    const { name } = this.field;
    const start = this.start.value;
    const end = this.present.checked ? word : this.until.value;
    if (between === null) {
      const changes = [{ path: [...path, "start"], value: start || null }, { path: [...path, "end"], value: end || null }];
      return this.form.write(start || end ? changes : [{ path: this.field.outer }], name);
    }
    const value = start && end ? `${start}${between.trim() ? between : " to "}${end}` : start || end;
    return this.form.write([value ? { path, value } : { path: this.field.outer }], name);
  }
}

class Chosen implements Control {
  readonly element: HTMLElement;
  readonly box: HTMLInputElement | HTMLSelectElement;

  constructor(
    private field: Field,
    form: Host,
    ids: Ids,
  ) {
    const { choices } = field;
    this.box = field.kind === "switch"
      ? make("input", { type: "checkbox", role: "switch", id: ids.box, "aria-describedby": ids.describe })
      : make("select", { id: ids.box, "aria-describedby": ids.describe }, ...["", ...choices].map((choice) => make("option", { value: choice }, field.words?.[choice] ?? (choice || (field.unset ?? "–")))));
    this.box.onchange = () => {
      const { box } = this;
      const value = box instanceof HTMLSelectElement ? box.value || null : box.checked ? true : null;
      void form.write([{ path: this.field.path, value }], null);
    };
    wired(this.box, form, field.title, () => this.field.line);
    this.element = this.box;
    this.update(field);
  }

  update(field: Field): void {
    this.field = field;
    const { box } = this;
    if (box instanceof HTMLSelectElement) box.value = field.value ?? "";
    else box.checked = /^(true|yes|on|1)$/i.test(field.value ?? "");
  }

  focus(): void {
    this.box.focus();
  }
}

/** A value without a control: its lines. */
class OnlyText implements Control {
  readonly element: HTMLElement;
  private readonly words = make("pre");
  private readonly there: HTMLButtonElement;

  constructor(
    private field: Field,
    form: Host,
  ) {
    this.there = make("button", { type: "button", class: "link", "aria-label": `${field.title}: go there`, click: () => form.go(this.field.lines?.line ?? this.field.line ?? 1) }, "Go there");
    this.element = make("div", { class: "only-text" }, this.words, this.there);
    this.update(field);
  }

  update(field: Field): void {
    this.field = field;
    this.words.textContent = field.lines?.text ?? "";
  }

  focus(): void {
    this.there.focus();
  }
}
