/** The options of the document that is shown: a control for each. */

import { asSentence, delayed, find, make, redraw } from "../dom";
import type { Desk } from "../main";
import type { Described, Option, Value } from "../messages";

export class Options {
  private readonly list = find("option-list");
  /** How often a value wasn't taken: what is shown then isn't that of the text. */
  private refusals = 0;
  /** Which groups were opened or closed by hand. */
  private readonly open = new Map<string, boolean>();

  constructor(private readonly desk: Desk) {}

  show(described: Described | null): void {
    const options = described?.options ?? [];
    const groups = [...new Set(options.map(({ group }) => group))];
    redraw(this.list, [described, this.refusals], () => groups.map((group, at) => this.group(group, options.filter((option) => option.group === group), !at)));
    find("option-none").hidden = options.length > 0;
    find("option-of").textContent = described ? `Of “${described.title}”` : "";
  }

  /** Options under a title; the first ones, and those that are set in the file, are open at first. */
  private group(name: string, options: Option[], first: boolean): HTMLElement {
    const set = options.filter(({ from }) => from).length;
    const open = this.open.get(name) ?? (first || set > 0);
    const title = make("summary", {}, name, make("small", {}, set ? `${set} set` : ""));
    const group = make("details", { class: "options", open }, title, ...options.map((option) => this.entry(option)));
    group.ontoggle = () => this.open.set(name, group.open);
    return group;
  }

  private entry(option: Option): HTMLElement {
    const { from, title, about } = option;
    const id = `option-${option.name}`;
    const control = this.control(option, id);
    control.setAttribute("aria-describedby", `${id}-about`);
    const head = make("div", { class: "option-head" }, make("label", { for: id }, title));
    if (from) {
      const go = { class: "link", "aria-label": `${title}: set in line ${from.line}`, click: () => this.desk.jumps.toLine(from.line) };
      const back = { class: "link", "aria-label": `${title}: back to default`, click: () => void this.change(option, null) };
      head.append(make("button", go, `line ${from.line}`), make("button", back, "Back to default"));
    } else head.append(make("span", { class: "hint" }, "default"));
    const problem = make("p", { class: "problem", role: "alert", id: `${id}-problem` });
    return make("div", { class: "option" }, head, control.parentElement ?? control, make("p", { class: "about", id: `${id}-about` }, asSentence(about)), problem);
  }

  private control(option: Option, id: string): HTMLElement {
    const current = option.value ?? option.default;
    const text = current === null ? "" : Array.isArray(current) ? current.join(", ") : String(current);
    switch (option.kind) {
      case "switch": {
        const input = make("input", { type: "checkbox", role: "switch", id });
        input.checked = current === true || text === "true";
        input.onchange = () => void this.change(option, input.checked);
        return input;
      }
      case "choice": {
        const select = make("select", { id }, ...option.choices.map((choice) => make("option", { value: choice }, choice)));
        if (!option.choices.includes(text)) select.prepend(make("option", { value: text }, text || "–"));
        select.value = text;
        select.onchange = () => void this.change(option, select.value);
        return select;
      }
      case "colour":
        return this.colour(option, id, text);
      default: {
        const number = option.kind === "number";
        const bounds = { step: "any", min: option.least ?? undefined, max: option.most ?? undefined };
        const input = make("input", { type: number ? "number" : "text", id, ...(number && bounds) });
        input.value = text;
        input.onchange = () => void this.change(option, read(option, input.value.trim()));
        if (number && option.least !== null && option.most !== null && text) this.slider(option, input, option.least, option.most);
        return input;
      }
    }
  }

  /** A number with bounds can be slid to; the page follows at once. */
  private slider(option: Option, input: HTMLInputElement, least: number, most: number): void {
    const whole = Number.isInteger(least) && Number.isInteger(most) && Number.isInteger(Number(input.value)) && most - least > 4;
    const step = whole ? 1 : (most - least) / 40;
    const slide = make("input", { type: "range", min: least, max: most, step, "aria-label": `${option.title}: slide` });
    slide.value = input.value;
    const set = delayed(120, () => void this.change(option, Number(input.value)));
    slide.oninput = () => {
      input.value = String(Math.round(Number(slide.value) * 100) / 100);
      set();
    };
    make("div", { class: "slider" }, slide, input);
  }

  /** A colour can be picked, or written as a name or six digits. */
  private colour(option: Option, id: string, text: string): HTMLElement {
    const digits = /^#?([0-9A-Fa-f]{6})$/.exec(text)?.[1];
    const picker = make("input", { type: "color", "aria-label": `${option.title}: pick a colour` });
    picker.value = digits ? `#${digits}` : "#000000";
    picker.onchange = () => void this.change(option, picker.value.slice(1).toUpperCase());
    const input = make("input", { type: "text", id, spellcheck: "false", list: `${id}-names` });
    input.value = text;
    input.onchange = () => void this.change(option, input.value.replace(/^#/, "") || null);
    const names = make("datalist", { id: `${id}-names` }, ...option.choices.map((name) => make("option", { value: name })));
    make("div", { class: "colour" }, picker, input, names);
    return input;
  }

  private async change(option: Option, value: Value): Promise<void> {
    const problem = await this.desk.form.set(option.from?.path ?? option.path, value);
    const line = document.getElementById(`option-${option.name}-problem`);
    if (line) line.textContent = problem ?? "";
    if (problem) this.refusals += 1;
  }
}

/** Return what was written in a field as the value of its option; nothing means the default. */
function read(option: Option, text: string): Value {
  if (!text) return null;
  if (option.kind === "number") return Number(text);
  return option.kind === "list" ? text.split(/[\s,]+/).filter(Boolean) : text;
}
