/** What a button opens: a list of choices, or a box to find one of many. */

import { find, make } from "../dom";
import type { Person } from "../messages";

export interface Choice {
  label: string;
  detail?: string;
  checked?: boolean;
  /** Whether a line divides it from what is above. */
  apart?: boolean;
  run(): void;
}

/** Let a button open a menu; the choices are asked for each time. */
export function menu(button: HTMLElement, name: string, choices: () => Choice[]): void {
  let list: HTMLElement | null = null;
  button.setAttribute("aria-haspopup", "menu");
  button.setAttribute("aria-expanded", "false");
  const close = (back: boolean): void => {
    list?.remove();
    list = null;
    button.setAttribute("aria-expanded", "false");
    if (back) button.focus();
  };
  const open = (): void => {
    const all = choices();
    list = make("div", { class: "menu", role: "menu", "aria-label": name });
    for (const choice of all) list.append(entry(choice, () => close(true)));
    list.addEventListener("keydown", (event) => move(event, close));
    list.addEventListener("focusout", (event) => {
      const to = event.relatedTarget as Node | null;
      if (list && to && !list.contains(to) && to !== button) close(false);
    });
    button.after(list);
    fit(button, list);
    button.setAttribute("aria-expanded", "true");
    (list.firstElementChild as HTMLElement | null)?.focus();
  };
  button.addEventListener("click", () => (list ? close(true) : open()));
  button.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowDown" || list) return;
    event.preventDefault();
    open();
  });
  document.addEventListener("pointerdown", (event) => {
    const target = event.target as Node;
    if (list && !list.contains(target) && !button.contains(target)) close(false);
  });
}

function entry(choice: Choice, close: () => void): HTMLElement {
  const role = choice.checked === undefined ? "menuitem" : "menuitemradio";
  const detail = choice.detail ? make("small", {}, choice.detail) : null;
  const checked = choice.checked === undefined ? undefined : String(choice.checked);
  const item = make("button", { type: "button", role, class: choice.apart ? "apart" : undefined, tabindex: -1, "aria-checked": checked }, make("span", {}, choice.label), detail);
  item.onclick = () => {
    close();
    choice.run();
  };
  return item;
}

function move(event: KeyboardEvent, close: (back: boolean) => void): void {
  const list = event.currentTarget as HTMLElement;
  const items = [...list.children] as HTMLElement[];
  const at = items.indexOf(document.activeElement as HTMLElement);
  const letter = event.key.length === 1 ? event.key.toLowerCase() : null;
  const begins = (item: HTMLElement): boolean => item.textContent?.toLowerCase().startsWith(letter ?? "") ?? false;
  const targets: Record<string, HTMLElement | undefined> = {
    ArrowDown: items[at + 1] ?? items[0],
    ArrowUp: items[at - 1] ?? items.at(-1),
    Home: items[0],
    End: items.at(-1),
  };
  const target = targets[event.key] ?? (letter && letter !== " " ? [...items.slice(at + 1), ...items].find(begins) : undefined);
  if (event.key === "Escape") close(true);
  else if (event.key === "Tab") return close(false);
  else if (target) target.focus();
  else return;
  event.preventDefault();
  event.stopPropagation();
}

/** Keep a menu inside of the window. */
function fit(button: HTMLElement, list: HTMLElement): void {
  const box = button.getBoundingClientRect();
  const left = Math.max(8, Math.min(box.left, window.innerWidth - list.offsetWidth - 8));
  list.style.left = `${left}px`;
  list.style.top = `${box.bottom + 4}px`;
  list.style.maxHeight = `${window.innerHeight - box.bottom - 16}px`;
}

export class People {
  private readonly button = find<HTMLButtonElement>("person");
  private readonly popup = find("people");
  private readonly input = find<HTMLInputElement>("people-find");
  private readonly list = find("people-list");
  private people: Person[] = [];
  private shown: Person[] = [];
  private at = 0;
  private current = "";
  /** The title and the path of a file that is no person's. */
  private other: { title: string; path: string } | null = null;

  constructor(private readonly chosen: (name: string) => void) {
    this.button.onclick = () => (this.popup.hidden ? this.open() : this.close(true));
    this.input.oninput = () => this.filter();
    this.input.onkeydown = (event) => this.key(event);
    document.addEventListener("pointerdown", (event) => {
      const target = event.target as Node;
      if (!this.popup.contains(target) && !this.button.contains(target)) this.close(false);
    });
    this.popup.addEventListener("focusout", (event) => {
      const to = event.relatedTarget as Node | null;
      if (to && !this.popup.contains(to) && to !== this.button) this.close(false);
    });
  }

  set(people: Person[]): void {
    const before = new Map(this.people.map((person) => [person.name, person.title]));
    // While a file is broken its name stands for the person: keep the one that was known.
    this.people = people.map((person) =>
      person.title === person.name ? { ...person, title: before.get(person.name) ?? person.title } : person,
    );
    this.name();
    if (!this.popup.hidden) this.filter();
  }

  show(name: string, other: { title: string; path: string } | null = null): void {
    this.current = name;
    this.other = other;
    this.name();
  }

  open(): void {
    this.popup.hidden = false;
    this.button.setAttribute("aria-expanded", "true");
    this.input.value = "";
    this.filter();
    this.input.focus();
  }

  private name(): void {
    const person = this.other ?? this.people.find(({ name }) => name === this.current);
    const title = person?.title ?? (this.current || "Choose a person");
    find("person-name").textContent = title;
    find("person-path").textContent = person?.path ?? "";
    document.title = this.current ? `${title} – cvbuild` : "cvbuild";
  }

  private close(back: boolean): void {
    if (this.popup.hidden) return;
    this.popup.hidden = true;
    this.button.setAttribute("aria-expanded", "false");
    if (back) this.button.focus();
  }

  private filter(): void {
    const words = plain(this.input.value).split(/\s+/).filter(Boolean);
    const fits = ({ name, title }: Person): boolean => {
      const text = plain(`${title} ${name}`);
      return words.every((word) => text.includes(word));
    };
    this.shown = this.people.filter(fits);
    this.at = Math.max(0, this.shown.findIndex(({ name }) => name === this.current));
    this.list.replaceChildren(...this.shown.map((person, index) => this.entry(person, index)));
    find("people-none").hidden = this.shown.length > 0;
    this.mark();
  }

  private entry(person: Person, index: number): HTMLElement {
    const item = make("div", { role: "option", id: `person-${index}` }, make("span", {}, person.title), make("small", {}, person.path));
    item.onclick = () => this.choose(person);
    return item;
  }

  private mark(): void {
    for (const [index, item] of [...this.list.children].entries()) {
      item.setAttribute("aria-selected", String(index === this.at));
    }
    const now = this.list.children[this.at];
    now?.scrollIntoView({ block: "nearest" });
    if (now) this.input.setAttribute("aria-activedescendant", now.id);
    else this.input.removeAttribute("aria-activedescendant");
  }

  private choose(person: Person): void {
    this.close(true);
    if (person.name !== this.current) this.chosen(person.name);
  }

  private key(event: KeyboardEvent): void {
    const last = this.shown.length - 1;
    const person = this.shown[this.at];
    if (event.key === "ArrowDown") this.at = Math.min(last, this.at + 1);
    else if (event.key === "ArrowUp") this.at = Math.max(0, this.at - 1);
    else if (event.key === "Escape") this.close(true);
    else if (event.key === "Enter" && person) this.choose(person);
    else return;
    event.preventDefault();
    this.mark();
  }
}

/** Return a text without marks and capitals: "Zoë" is found by "zoe". */
function plain(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}
