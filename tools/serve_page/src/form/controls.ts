/** The controls of values; `rows.ts` has that of a list. */

import { make, redraw } from "../dom";
import type { Path } from "../messages";
import { files } from "./files";
import type { Form } from "./form";
import { Rows } from "./rows";
import { type Box, type Send, Typed, wordsBox } from "./typed";
import { type Change, type Control, type Field, type Lines, type Outcome, type Row, singular } from "./types";

interface Ids {
  box: string;
  describe: string;
}

/** What the text has now for a field. */
type Now = () => Field;

/** Return the control of a field. */
export function control(now: Now, form: Form, ids: Ids): Control {
  const field = now();
  if (field.texts) return texts(now, form, ids);
  if (field.name === "photo") {
    // Whoever gives the first one wants it on the page, unless the file says whether.
    const printed = (): Change[] => (now().value || document.querySelector('.field[data-name="options.photo"]') ? [] : [{ path: ["options", "photo"], value: true }]);
    return files("photo", text(now, form, ids), form, { types: "image/png,image/jpeg", label: "A picture", words: "Choose a picture…", most: 10 << 20 }, ([name]) => form.write([{ path: ["photo"], value: name }, ...printed()], null));
  }
  if (field.name === "attachments") {
    const rows = new Rows(field, form, ids.describe);
    return files("attachments", rows, form, { types: "application/pdf", label: "PDFs", words: "Choose PDFs…", most: 47 << 20, multiple: true }, (names) => rows.append(names));
  }
  switch (field.kind) {
    case "list":
      return new Rows(field, form, ids.describe);
    case "links":
    case "pairs":
      return new Pairs(field, form, ids.describe);
    case "date":
      return dates(now, form, ids);
    case "switch":
    case "choice":
      return chosen(now, form, ids);
    case "lines":
    case "model":
    case "items":
      return onlyText(now, form);
    default:
      return text(now, form, ids);
  }
}

function text(now: Now, form: Form, ids: Ids): Control {
  const { key, kind, prose, unset, value } = now();
  const properties = { id: ids.box, "aria-describedby": ids.describe, autocomplete: "off" };
  const rows = key === "body" ? 12 : kind === "passage" || kind === "block" ? 3 : 1;
  const box: Box = kind === "number" || kind === "day"
    ? make("input", { type: kind === "day" ? "date" : "number", step: 1, ...properties })
    : wordsBox(prose, { rows, placeholder: unset, "aria-labelledby": `${ids.box}-label`, "aria-multiline": String(kind !== "text"), ...properties });
  // Of what has one line, Enter only sends it.
  if (kind === "text") box.addEventListener("keydown", (event) => (event as KeyboardEvent).key === "Enter" && event.preventDefault());
  const typed = new Typed(box, value ?? "", (value) => {
    const { path, outer, name } = now();
    return form.write([value ? { path, value } : { path: outer }], name);
  });
  return { element: box, box, written: () => typed.value, update: (field) => typed.update(field.value ?? "") };
}

/** One text in several languages: a row each. */
function texts(now: Now, form: Form, ids: Ids): Control {
  const { title, prose, kind, texts: all = [] } = now();
  const list = make("ul", { class: "rows" });
  const typed = all.map(({ language, value }, at) => {
    const box = wordsBox(prose, { lang: language, dir: "auto", "aria-label": `${title}, ${language}`, "aria-describedby": ids.describe, "aria-multiline": String(kind !== "text") });
    list.append(make("li", { class: "list-row" }, make("span", { class: "language" }, language), box));
    return new Typed(box, value, (value) => {
      const { path } = now().texts![at]!;
      return form.write([value ? { path, value } : { path }], `${now().name}.${language}`);
    });
  });
  return {
    element: make("div", { class: "list", role: "group", "aria-label": title }, list),
    update: (field) => field.texts?.forEach(({ value }, at) => typed[at]?.update(value)),
  };
}

function dates(now: Now, form: Form, ids: Ids): Control {
  const part = (type: string, id: string): HTMLInputElement => make("input", { type, id, autocomplete: "off", "aria-describedby": ids.describe });
  const [box, end, present] = [part("text", ids.box), part("text", `${ids.box}-end`), part("checkbox", `${ids.box}-present`)];
  const printed = make("span", { class: "hint" });
  const ends = (): [string, string] => [start.value, present.checked ? now().date!.word : until.value];
  const written = (): string => ends().filter(Boolean).join(now().date!.between?.trim() ? now().date!.between! : " to ");
  const said = ({ value, date }: Field): string => value ?? JSON.stringify([date!.start, date!.end]);
  // While the file says what was typed here, each box keeps its text: a half-typed date has no ends yet.
  let last: string | null = null;
  const send = (): Promise<Outcome> => {
    const { name, outer, date } = now();
    const { path, between } = date!;
    const [value, [from, to]] = [written(), ends()];
    last = value && between !== null ? value : JSON.stringify([from, to]);
    if (!value) return form.write([{ path: outer }], name);
    const both = [{ path: [...path, "start"], value: from || null }, { path: [...path, "end"], value: to || null }];
    return form.write(between === null ? both : [{ path, value }], name);
  };
  const start = new Typed(box, now().date!.start, send);
  const until = new Typed(end, now().date!.present ? "" : now().date!.end, (value) => {
    if (value) present.checked = false;
    return send();
  });
  present.onchange = () => {
    if (present.checked) until.put("");
    void send();
  };
  const update = (field: Field): void => {
    const { date } = field;
    printed.textContent = date!.printed ? `prints ${date!.printed}` : "";
    if (said(field) === last) return;
    last = null;
    start.update(date!.start);
    until.update(date!.present ? "" : date!.end);
    present.checked = date!.present;
  };
  update(now());
  const { key, title } = now();
  const one = key === "birth-date";
  const from = make("div", { class: "date-part" }, make("div", { class: "field-head" }, make("label", { for: ids.box }, one ? title : "From"), printed), box);
  const to = make("div", { class: "date-part" }, make("div", { class: "field-head" }, make("label", { for: `${ids.box}-end` }, "To")),
    make("div", { class: "date-end" }, end, make("label", { class: "tick" }, present, " present")));
  return { element: make("div", { class: "dates" }, from, one ? null : to), box, written, update };
}

function chosen(now: Now, form: Form, ids: Ids): Control {
  const { kind, choices, words, unset } = now();
  const properties = { id: ids.box, "aria-describedby": ids.describe };
  const box = kind === "switch"
    ? make("input", { type: "checkbox", role: "switch", ...properties })
    : make("select", properties, ...["", ...choices].map((choice) => make("option", { value: choice }, words?.[choice] ?? (choice || (unset ?? "–")))));
  box.onchange = () => {
    const value = box instanceof HTMLSelectElement ? box.value || null : box.checked ? true : null;
    void form.write([{ path: now().path, value }], null);
  };
  const update = ({ value }: Field): void => {
    if (box instanceof HTMLSelectElement) box.value = value ?? "";
    else box.checked = /^(true|yes|on|1)$/i.test(value ?? "");
  };
  update(now());
  return { element: box, box, update };
}

/** A value without a control: its lines. */
function onlyText(now: Now, form: Form): Control {
  const element = make("div", { class: "only-text" });
  const update = ({ lines, line, title }: Field): void => redraw(element, [lines, line], () => elsewhere(lines ?? { text: "", line: line ?? 1 }, title, form));
  update(now());
  return { element, update };
}

// -- links with their labels, and values by name: a row with two boxes each ---------------------------

/** Return lines that have no control, and a button that leads there. */
function elsewhere({ text, line }: Pick<Lines, "text" | "line">, name: string, form: Form): HTMLElement[] {
  const go = make("button", { class: "link", "aria-label": `${name}: go there`, click: () => form.go(line) }, "Go there");
  return [make("pre", { class: "only-text" }, text), go];
}

class Pairs {
  readonly element: HTMLElement;
  private readonly list = make("ul", { class: "rows pairs" });
  private readonly foot = make("div", { class: "add-pair" });
  private drawn = "";
  private typed: Typed[] = [];
  /** The label of the box that gets the focus as soon as it is here. */
  private wanted: string | null = null;

  constructor(private field: Field, private readonly form: Form, private readonly describe: string) {
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
    if (row.more) return make("li", { class: "list-row" }, ...elsewhere(row.more, name, this.form));
    return this.named(name, row.value ?? "", row.line, row.path, row.outer);
  }

  /** Return a value with its name; without words it goes. */
  private named(name: string, value: string, line: number | null, path: Path, outer: Path): HTMLElement {
    const box = this.input(name, value, line, (words) => this.write([words ? { path, value: words } : { path: outer }], outer));
    return make("li", { class: "list-row" }, make("span", { class: "pair-name" }, name), box);
  }

  private link(row: Row, at: number): HTMLElement {
    const noun = `${singular(this.field.title)} ${at + 1}`;
    if (row.more) return make("li", { class: "list-row" }, ...elsewhere(row.more, noun, this.form));
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
      return [make("button", { class: "add-row", click: add }, `+ ${noun}`)];
    }
    const choice = field.labels
      ? make("select", { "aria-label": `Add: ${field.title}` }, make("option", { value: "" }, `+ ${noun}`), ...field.labels.map(([name, title]) => make("option", { value: name }, title)))
      : make("input", { type: "text", "aria-label": `Add: ${field.title}`, placeholder: `+ ${noun}` });
    const add = (): void => {
      const name = choice.value.trim();
      if (!name || name.includes("\n")) return;
      const path = [...field.path, name];
      // It is written as soon as it has a value.
      this.list.append(this.named(field.labels?.find(([key]) => key === name)?.[1] ?? name, "", null, path, path));
      this.list.lastElementChild!.querySelector("input")!.focus();
      choice.value = "";
    };
    choice.addEventListener("change", add);
    return [choice];
  }

  private write(changes: Change[], path: Path): Promise<Outcome> {
    return this.form.write(changes, path.join("."));
  }
}
