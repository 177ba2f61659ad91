/** One field: its label, its control, its marks, what is wrong with it, and whether it is private. */

import { asSentence, make } from "../dom";
import { marksOf } from "../rich/box";
import { control } from "./controls";
import type { Form } from "./form";
import type { Control, Field } from "./types";

let count = 0;
/** What is beside each other where there is room. */
const WIDE = new Set(["list", "passage", "block", "lines", "links", "pairs", "items", "date", "model"]);

/** Characters of a text that gets a line of its own. */
const LONG = 48;

export class FieldView {
  readonly element = make("div");
  readonly control: Control;
  private readonly problem: HTMLElement;
  private readonly hint = make("span", { class: "hint" });
  private readonly private_: HTMLInputElement | null;
  private readonly guess = make("p", { class: "guess" });
  private readonly right: HTMLElement;
  private readonly id = `field-${++count}`;
  private refusal = "";

  constructor(public field: Field, private readonly form: Form, cards: (field: Field) => Control) {
    const describe = `${this.id}-problem ${this.id}-about`;
    this.problem = make("p", { class: "problem", id: `${this.id}-problem` });
    const about = make("p", { class: "unseen", id: `${this.id}-about` }, asSentence(field.about));
    this.control = field.kind === "items" ? cards(field) : control(() => this.field, form, { box: this.id, describe });
    const label = this.control.box ? make("label", { for: this.id, id: `${this.id}-label`, title: field.about, click: () => this.control.box?.focus() }, field.title) : make("span", { class: "label", title: field.about }, field.title);
    this.private_ = this.tick(form);
    const tick = this.private_ && make("label", { class: "tick" }, this.private_, " private");
    const head = field.kind === "date" && !field.texts && field.date ? null : make("div", { class: "field-head" }, label, this.hint, field.prose ? marksOf(this.element) : null, tick);
    const right = (): void => void form.write([{ path: this.field.outer, sure: true }], null);
    this.right = make("button", { class: "link", "aria-label": `${field.title} is right`, click: right }, "Right");
    const wide = WIDE.has(field.kind) || field.texts || ["photo", "email", "headline"].includes(field.key) || (field.value?.length ?? 0) > LONG || hasTick(field);
    this.element.className = `field ${wide ? "wide" : ""}`;
    this.element.append(...(head ? [head] : []), this.control.element, this.guess, this.problem, about);
    if (!this.control.focusLine) this.control.element.addEventListener("focusin", () => form.focused(this.field.line));
    this.element.dataset["name"] = field.name;
    this.element.dataset["key"] = field.key;
    this.update(field);
  }

  update(field: Field): void {
    this.field = field;
    this.control.update(field);
    if (this.private_) {
      this.private_.checked = field.private;
      this.private_.parentElement!.hidden = !field.private && (field.rows?.length ?? 0) > 1;
    }
    this.guess.hidden = !field.guess;
    if (field.guess) this.guess.replaceChildren(field.guess, " ", this.right);
    else this.guess.replaceChildren();
    this.hint.textContent = hint(field);
  }

  focus(): void {
    if (this.control.focus) this.control.focus();
    else (this.control.box ?? this.control.element.querySelector<HTMLElement>("input, textarea, rich-text, select, button"))?.focus();
  }

  /** Say that what is written here wasn't taken; nothing when it was. */
  refused(problem: string): void {
    if (!problem && !this.refusal) return;
    this.refusal = problem;
    this.wrong("", true);
  }

  /** Say what is wrong with it. */
  wrong(found: string, leaving: boolean): void {
    const { kind, value } = this.field;
    // What stands in the file for words, the button below writes.
    const problem = (this.refusal || found).replace(kind === "date" ? /, or \{text: [^}]*\} for words/ : "", "");
    const asWords = (): void => {
      const { outer, line } = this.field;
      this.form.arrival.want(line);
      void this.form.write([{ path: outer, value: { text: this.control.written!() } }], null);
    };
    const words = kind === "date" && problem && value ? [" ", make("button", { class: "link", click: asWords }, "Print these words as they are")] : [];
    if (this.problem.firstChild?.textContent !== problem) this.problem.replaceChildren(problem, ...words);
    if (problem && leaving) this.problem.setAttribute("role", "alert");
    else this.problem.removeAttribute("role");
    for (const box of this.element.querySelectorAll(":scope > input, :scope > textarea, :scope > rich-text, :scope > select, :scope .rows :is(textarea, rich-text), :scope .photo textarea, :scope .dates input[type=text]")) {
      if (problem) box.setAttribute("aria-invalid", "true");
      else box.removeAttribute("aria-invalid");
    }
  }

  /** Whether one of these lines is its own. */
  holds(line: number): boolean {
    const { field } = this;
    return field.line !== null && field.line <= line && line <= (field.end_line ?? field.line);
  }

  private tick(form: Form): HTMLInputElement | null {
    if (!hasTick(this.field)) return null;
    const box = make("input", { type: "checkbox" });
    box.onchange = () => {
      const { checked } = box;
      const value = this.control.written?.();
      box.checked = this.field.private;
      if (!value) return;
      const was = this.field;
      this.update(ticked(was, value, checked));
      void form.write([{ path: was.outer, value: checked ? { value, private: true } : value }], null).then(({ problem }) => {
        if (problem !== null) this.update(ticked(this.field, value, was.private));
      });
    };
    return box;
  }
}

/** Whether a field can be private. */
export function hasTick({ private: yes, outer, kind, texts }: Field): boolean {
  return yes || (outer[0] === "contact" && outer.length === 2 && (kind === "text" || kind === "list") && !texts);
}

/** Return a field as it will be when it is private or isn't any more: what is typed next goes there. */
function ticked(field: Field, value: string, yes: boolean): Field {
  const path = yes ? [...field.outer, "value"] : field.outer;
  const { line, end_line } = field;
  const rows = field.rows && { rows: [{ path, outer: path, value, line, end_line }] };
  return { ...field, path, private: yes, value: rows ? null : value, ...rows };
}

function hint(field: Field): string {
  if (field.lines) return field.line === field.end_line ? `line ${field.line}, only in the text` : `lines ${field.line}–${field.end_line}, only in the text`;
  if (field.texts) return `${field.texts.length} languages`;
  if (field.path.at(-1) === "text" && field.outer.at(-1) === "date") return "words, printed as they are";
  return { photo: "or drop a picture here", attachments: "or drop PDFs here" }[field.name] ?? "";
}
