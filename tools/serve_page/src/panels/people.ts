/** Whose file is edited: type to find one of many. */

import { find, make } from "../dom";
import type { Person } from "../messages";

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
