/** "+ Add": type what, and it goes after the item that is shown. */

import { make } from "../dom";
import { chain, type Kind, type Part } from "./types";
import type { Path } from "../messages";

interface Choice {
  label: string;
  detail: string;
  path: Path;
  value: unknown;
  /** Where it is among how many, as it is said. */
  said: string;
}

/** Return what can be added, of all kinds; `path` is that of the part that is shown. */
export function choices(kinds: readonly Kind[], parts: readonly Part[], path: Path): Choice[] {
  const found: Choice[] = [];
  const sections = parts.filter((part) => part.path[0] === "sections");
  const shown = chain(parts, path);
  const here = shown.find((part) => part.path.length === 2);
  const order = [...kinds].sort((one, other) => rank(one, here, sections) - rank(other, here, sections));
  for (const kind of order) {
    const section = here?.kind === kind.kind ? here : sections.find((part) => part.kind === kind.kind);
    if (section) found.push(into(kind, section, shown));
  }
  for (const kind of order) {
    const there = sections.some((part) => part.kind === kind.kind);
    const at = here ? (here.path[1] as number) + 1 : sections.length;
    const value = { kind: kind.kind, items: [kind.value] };
    found.push({ label: `Section of ${kind.title}`, detail: there ? "a second one" : "", path: ["sections", at], value, said: `Added the section ${kind.title}` });
  }
  return found;
}

function rank(kind: Kind, here: Part | undefined, sections: readonly Part[]): number {
  if (here?.kind === kind.kind) return -1;
  const at = sections.findIndex((part) => part.kind === kind.kind);
  return at < 0 ? sections.length : at;
}

function into(kind: Kind, section: Part, shown: readonly Part[]): Choice {
  const group = shown.find((part) => part.kind === "group") ?? section.items.find((part) => part.kind === "group");
  const holder = group && (shown.includes(group) || section.items[0] === group) ? group : section;
  const now = shown.find((part) => part.kind === "item");
  const inside = now && holder.items.includes(now) ? holder.items.indexOf(now) + 1 : null;
  const count = kind.rows ? Number(section.detail) || 0 : holder.items.length;
  const at = inside ?? (kind.rows ? count : 0);
  const where = at === 0 ? "first" : at === count ? "last" : `after “${holder.items[at - 1]?.title ?? ""}”`;
  const noun = kind.item.toLowerCase();
  return {
    label: kind.item,
    detail: `into ${holder.title}, ${where}`,
    path: [...holder.path, "items", at],
    value: kind.value,
    said: `Added ${/^[aeiou]/.test(noun) ? "an" : "a"} ${noun}, ${at + 1} of ${count + 1}`,
  };
}

export class Add {
  private box: HTMLElement | null = null;
  private shown: Choice[] = [];
  private at = 0;

  constructor(
    private readonly button: HTMLElement,
    private readonly all: () => Choice[],
    private readonly chosen: (choice: Choice) => void,
  ) {
    button.setAttribute("aria-haspopup", "dialog");
    button.setAttribute("aria-expanded", "false");
    button.addEventListener("click", () => (this.box ? this.close(true) : this.open()));
    document.addEventListener("pointerdown", (event) => {
      const target = event.target as Node;
      if (this.box && !this.box.contains(target) && !this.button.contains(target)) this.close(false);
    });
  }

  /** Show what can be added; `words` are typed already. */
  open(words = ""): void {
    this.close(false);
    const input = make("input", {
      type: "text", role: "combobox", "aria-label": "What to add", "aria-expanded": "true", "aria-controls": "add-list", "aria-autocomplete": "list", autocomplete: "off",
    });
    const list = make("div", { id: "add-list", role: "listbox", "aria-label": "What can be added" });
    const head = make("div", { class: "add-head" }, make("strong", {}, "+ Add"), make("small", {}, "Ctrl Enter"));
    const none = make("p", { class: "hint" }, "Nothing is called so.");
    this.box = make("div", { id: "add", role: "dialog", "aria-label": "Add" }, head, input, list, none);
    const filter = (): void => {
      const typed = input.value.toLowerCase().trim();
      const fits = this.all().filter(({ label }) => label.toLowerCase().includes(typed));
      this.shown = typed ? fits.sort((one, other) => Number(!one.label.toLowerCase().startsWith(typed)) - Number(!other.label.toLowerCase().startsWith(typed))) : fits;
      this.at = 0;
      list.replaceChildren(...this.shown.map((choice, index) => this.entry(choice, index)));
      none.hidden = this.shown.length > 0;
      this.mark(input, list);
    };
    input.value = words;
    input.oninput = filter;
    input.onkeydown = (event) => {
      if (event.key === "ArrowDown") this.at = Math.min(this.shown.length - 1, this.at + 1);
      else if (event.key === "ArrowUp") this.at = Math.max(0, this.at - 1);
      else if (event.key === "Enter") this.choose(this.shown[this.at]);
      else if (event.key === "Escape") this.close(true);
      else return;
      event.preventDefault();
      event.stopPropagation();
      if (this.box) this.mark(input, list);
    };
    this.box.addEventListener("focusout", (event) => {
      const to = event.relatedTarget as Node | null;
      if (to && !this.box?.contains(to) && to !== this.button) this.close(false);
    });
    this.button.after(this.box);
    this.button.setAttribute("aria-expanded", "true");
    filter();
    input.focus();
  }

  private entry(choice: Choice, index: number): HTMLElement {
    const entry = make("div", { role: "option", id: `add-${index}` }, make("span", {}, choice.label), make("small", {}, choice.detail));
    entry.onclick = () => this.choose(choice);
    return entry;
  }

  private mark(input: HTMLElement, list: HTMLElement): void {
    for (const [index, entry] of [...list.children].entries()) entry.setAttribute("aria-selected", String(index === this.at));
    const now = list.children[this.at];
    now?.scrollIntoView({ block: "nearest" });
    if (now) input.setAttribute("aria-activedescendant", now.id);
    else input.removeAttribute("aria-activedescendant");
  }

  private choose(choice: Choice | undefined): void {
    if (!choice) return;
    this.close(false);
    this.chosen(choice);
  }

  private close(back: boolean): void {
    this.box?.remove();
    this.box = null;
    this.button.setAttribute("aria-expanded", "false");
    if (back) this.button.focus();
  }
}
