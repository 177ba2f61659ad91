/** What a button opens: a list of choices, or a box to find one of many. */

import { find, make, matches, roving } from "../dom";
import type { Desk } from "../main";
import type { Person } from "../messages";

export interface Choice {
  label: string;
  detail?: string;
  checked?: boolean;
  /** Whether a line divides it from what is above. */
  apart?: boolean;
  run(): void;
}

/** Close what a button opened as soon as the pointer or the focus is elsewhere; returns what ends that. */
function leaving(button: HTMLElement, box: HTMLElement, close: () => void): AbortController {
  const ended = new AbortController();
  for (const event of ["pointerdown", "focusin"]) {
    document.addEventListener(event, ({ target }) => {
      if (![button, box].some((one) => one.contains(target as Node))) close();
    }, { signal: ended.signal });
  }
  return ended;
}

/** Let a button open a menu; the choices are asked for each time. */
export function menu(button: HTMLElement, name: string, choices: () => Choice[]): void {
  let list: HTMLElement | null = null;
  let left: AbortController | null = null;
  button.setAttribute("aria-haspopup", "menu");
  button.setAttribute("aria-expanded", "false");
  const close = (back: boolean): void => {
    left?.abort();
    list?.remove();
    list = null;
    button.setAttribute("aria-expanded", "false");
    if (back) button.focus();
  };
  const open = (): void => {
    const items: HTMLElement[] = choices().map(({ label, detail, checked, apart, run }) => make("button", {
      role: checked === undefined ? "menuitem" : "menuitemradio",
      class: apart ? "apart" : undefined,
      tabindex: -1,
      "aria-checked": checked === undefined ? undefined : String(checked),
      click: () => (close(true), run()),
    }, make("span", {}, label), detail ? make("small", {}, detail) : null));
    list = make("div", { class: "menu", role: "menu", "aria-label": name }, ...items);
    roving(list, () => items, (item) => item.focus());
    list.addEventListener("keydown", (event) => {
      const letter = /^\S$/u.test(event.key) ? event.key.toLowerCase() : null;
      const others = items.slice(items.indexOf(document.activeElement as HTMLElement) + 1);
      if (event.key === "Escape") close(true);
      else if (event.key === "Tab") return close(false);
      else if (letter) [...others, ...items].find(({ textContent }) => textContent.toLowerCase().startsWith(letter))?.focus();
      // What is below hears nothing of it.
      event.stopPropagation();
    });
    button.after(list);
    left = leaving(button, list, () => close(false));
    fit(button, list);
    button.setAttribute("aria-expanded", "true");
    items[0]?.focus();
  };
  button.addEventListener("click", () => (list ? close(true) : open()));
  button.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowDown" || list) return;
    event.preventDefault();
    open();
  });
}

/** Keep a menu inside of the window. */
function fit(button: HTMLElement, list: HTMLElement): void {
  const box = button.getBoundingClientRect();
  const left = Math.max(8, Math.min(box.left, window.innerWidth - list.offsetWidth - 8));
  list.style.left = `${left}px`;
  const [above, below] = [box.top - 16, window.innerHeight - box.bottom - 16];
  const up = list.offsetHeight > below && above > below;
  list.style.maxHeight = `${up ? above : below}px`;
  list.style.top = `${up ? box.top - 4 - list.offsetHeight : box.bottom + 4}px`;
}

/** A button that opens a box: type, and choose one of many with the arrow keys. */
export class Finder {
  private readonly box: HTMLElement;
  private readonly input: HTMLInputElement;
  private readonly list: HTMLElement;
  private shown: Choice[] = [];
  private at = 0;
  private left: AbortController | null = null;

  /** `name` begins the ids of its elements; `fitting` returns what is to be chosen from, if words are typed. */
  constructor(private readonly name: string, private readonly button: HTMLElement, private readonly fitting: (words: string) => Choice[]) {
    [this.box, this.input, this.list] = [find(name), find<HTMLInputElement>(`${name}-find`), find(`${name}-list`)];
    button.onclick = () => (this.box.hidden ? this.open() : this.close(true));
    this.input.oninput = () => this.update();
    this.input.onkeydown = (event) => this.key(event);
  }

  /** Show what can be chosen; `words` are typed already. */
  open(words = ""): void {
    this.box.hidden = false;
    this.button.setAttribute("aria-expanded", "true");
    this.input.value = words;
    this.update();
    this.left?.abort();
    this.left = leaving(this.button, this.box, () => this.close(false));
    this.input.focus();
  }

  /** There may be others to choose from. */
  update(): void {
    if (this.box.hidden) return;
    this.shown = this.fitting(this.input.value);
    this.at = Math.max(0, this.shown.findIndex(({ checked }) => checked));
    this.list.replaceChildren(...this.shown.map((choice, index) => {
      const click = (): void => this.choose(choice);
      return make("div", { role: "option", id: `${this.name}-${index}`, click }, make("span", {}, choice.label), make("small", {}, choice.detail ?? ""));
    }));
    find(`${this.name}-none`).hidden = this.shown.length > 0;
    this.mark();
  }

  private close(back: boolean): void {
    if (this.box.hidden) return;
    this.left?.abort();
    this.box.hidden = true;
    this.button.setAttribute("aria-expanded", "false");
    if (back) this.button.focus();
  }

  private choose(choice: Choice): void {
    this.close(true);
    choice.run();
  }

  private mark(): void {
    for (const [index, item] of [...this.list.children].entries()) item.setAttribute("aria-selected", String(index === this.at));
    const now = this.list.children[this.at];
    now?.scrollIntoView({ block: "nearest" });
    if (now) this.input.setAttribute("aria-activedescendant", now.id);
    else this.input.removeAttribute("aria-activedescendant");
  }

  private key(event: KeyboardEvent): void {
    const choice = this.shown[this.at];
    if (event.key === "ArrowDown") this.at = Math.min(this.shown.length - 1, this.at + 1);
    else if (event.key === "ArrowUp") this.at = Math.max(0, this.at - 1);
    else if (event.key === "Escape") this.close(true);
    else if (event.key === "Enter" && choice) this.choose(choice);
    else return;
    event.preventDefault();
    event.stopPropagation();
    this.mark();
  }
}

/** Whose file is edited, and who else can be. */
export class People {
  private people: Person[] = [];
  private current = "";
  /** The application that was open last: from a CV, one goes back to it. */
  private last: Person | null = null;
  private readonly finder: Finder;

  constructor(desk: Desk) {
    this.finder = new Finder("people", find("person"), (words) =>
      this.all.filter(({ name, title }) => matches(words, `${title} ${name}`)).map(({ name, title, path }) => ({
        label: title, detail: path, checked: name === this.current, run: () => name !== this.current && desk.open(name),
      })),
    );
  }

  set(people: Person[]): void {
    const before = new Map(this.people.map((person) => [person.name, person.title]));
    // While a file is broken its name stands for the person: keep the one that was known.
    this.people = people.map((person) =>
      person.title === person.name ? { ...person, title: before.get(person.name) ?? person.title } : person,
    );
    this.name();
    this.finder.update();
  }

  /** Show whose file is open; `application` is what is known of one. */
  show(name: string, application: Person | null): void {
    this.current = name;
    this.last = application ?? this.last;
    this.name();
  }

  private get all(): Person[] {
    return this.last ? [this.last, ...this.people] : this.people;
  }

  private name(): void {
    const person = this.all.find(({ name }) => name === this.current);
    const title = person?.title ?? (this.current || "Choose a person");
    find("person-name").textContent = title;
    find("person-path").textContent = person?.path ?? "";
    document.title = this.current ? `${title} – cvbuild` : "cvbuild";
  }
}
