/** The options of the document that is shown: a control for each. */

import { find, make } from "../dom";
import type { Described, Option, Path, Value } from "../messages";

/** Put a value at a path of the text; null takes it away. Returns what went wrong, or null. */
export type Set = (path: Path, value: Value) => Promise<string | null>;

export class Options {
  private readonly list = find("option-list");
  private described: Described | null = null;
  private drawn = "";

  constructor(private readonly set: Set) {}

  show(described: Described | null): void {
    this.described = described;
    const now = JSON.stringify(described);
    if (now === this.drawn) return;
    this.drawn = now;
    const focused = this.list.contains(document.activeElement) ? document.activeElement?.id : undefined;
    this.list.replaceChildren(...(described?.options ?? []).map((option) => this.entry(option)));
    find("option-none").hidden = Boolean(described?.options.length);
    find("option-of").textContent = described ? `Of “${described.title}”` : "";
    if (focused) document.getElementById(focused)?.focus();
  }

  private entry(option: Option): HTMLElement {
    const id = `option-${option.name}`;
    const control = this.control(option, id);
    const from = option.from === null ? "the default" : `set in ${option.from}`;
    const hint = make("span", { class: "hint", id: `${id}-from` }, from);
    const problem = make("p", { class: "problem", role: "alert", id: `${id}-problem` });
    control.setAttribute("aria-describedby", `${id}-from`);
    const back = make("button", {
      type: "button",
      class: "link",
      id: `${id}-back`,
      "aria-label": `${option.name}: back to default`,
      click: () => void this.change(option, null),
    }, "Back to default");
    back.hidden = option.from === null;
    const head = make("div", { class: "option-head" }, make("label", { for: id }, option.name), hint, back);
    const title = option.title && option.title !== option.name ? make("p", { class: "about" }, option.title) : null;
    return make("div", { class: "option" }, head, control.parentElement ?? control, title, problem);
  }

  private control(option: Option, id: string): HTMLElement {
    const current = option.value ?? option.default;
    const text = current === null ? "" : String(current);
    switch (option.kind) {
      case "switch": {
        const input = make("input", { type: "checkbox", role: "switch", id });
        input.checked = current === true || text === "true";
        input.onchange = () => void this.change(option, input.checked);
        return input;
      }
      case "choice": {
        const select = make("select", { id }, ...(option.choices ?? []).map((choice) => make("option", { value: choice }, choice)));
        if (!option.choices?.includes(text)) select.prepend(make("option", { value: text }, text || "–"));
        select.value = text;
        select.onchange = () => void this.change(option, select.value);
        return select;
      }
      case "colour":
        return this.colour(option, id, text);
      default: {
        const number = option.kind === "number";
        const input = make("input", {
          type: number ? "number" : "text",
          id,
          ...(number && { step: "any", min: option.least ?? undefined, max: option.most ?? undefined }),
        });
        input.value = text;
        input.onchange = () => void this.change(option, number && input.value !== "" ? Number(input.value) : input.value || null);
        return input;
      }
    }
  }

  /** A colour can be picked, or written as a name or six digits. */
  private colour(option: Option, id: string, text: string): HTMLElement {
    const digits = /^#?([0-9A-Fa-f]{6})$/.exec(text)?.[1];
    const picker = make("input", { type: "color", "aria-label": `${option.name}: pick a colour` });
    picker.value = digits ? `#${digits}` : "#000000";
    picker.onchange = () => void this.change(option, picker.value.slice(1).toUpperCase());
    const input = make("input", { type: "text", id, spellcheck: "false", list: option.choices ? `${id}-names` : undefined });
    input.value = text;
    input.onchange = () => void this.change(option, input.value.replace(/^#/, "") || null);
    const names = make("datalist", { id: `${id}-names` }, ...(option.choices ?? []).map((name) => make("option", { value: name })));
    make("div", { class: "colour" }, picker, input, option.choices ? names : null);
    return input;
  }

  private async change(option: Option, value: Value): Promise<void> {
    if (!this.described) return;
    const problem = await this.set(option.path ?? pathOf(this.described, option), value);
    const line = document.getElementById(`option-${option.name}-problem`);
    if (line) line.textContent = problem ?? "";
    if (problem) this.drawn = "";
  }
}

/** Return where an option of a document is set. */
function pathOf({ document }: Described, option: Option): Path {
  return document.kind === "variant"
    ? ["variants", document.name, "options", option.name]
    : ["options", option.name];
}
