/** Who is here: five cards, the last changed first, or all of them with a finder. */

import { counted, find, make, matches, pngImage, redraw } from "../dom";
import type { Desk } from "../main";
import type { PersonHere, State, Target } from "../messages";
import { type Choice, menu } from "../panels/popups";
import { ago } from "../said";
import { ask, tried } from "../server";

const FIRST = 5;

export class PeopleHere {
  private readonly list = find("here-list");
  private readonly input = find<HTMLInputElement>("here-find");
  private readonly all = find<HTMLButtonElement>("here-all");
  private people: PersonHere[] = [];
  private whole = false;
  /** What is known of a file, by its name and the time of its last change. */
  private readonly known = new Map<string, State>();
  private turn = 0;

  constructor(private readonly desk: Desk, private readonly moves: Moves) {
    this.all.onclick = () => {
      this.whole = !this.whole;
      this.draw();
      if (this.whole) this.input.focus();
    };
    this.input.oninput = () => this.draw();
  }

  set(people: PersonHere[], removed: string[]): void {
    this.people = lastChanged(people);
    this.moves.set(removed);
    this.draw();
  }

  private draw(): void {
    const { people, whole } = this;
    find("here").hidden = !people.length && find("here-bin").hidden;
    find("here-count").textContent = people.length > 1 ? `${people.length}, last changed first` : "";
    this.all.hidden = people.length <= FIRST;
    this.all.textContent = whole ? "Show the last five" : "Find and show all";
    this.all.setAttribute("aria-expanded", String(whole));
    find("here-finder").hidden = !whole;
    const shown = people.filter(({ name, title }) => !whole || matches(this.input.value, `${title} ${name}`)).slice(0, whole ? people.length : FIRST);
    this.list.classList.toggle("rows", whole);
    redraw(this.list, [shown, whole], () => shown.map((person) => this.card(person, whole)));
    find("here-none").hidden = shown.length > 0 || !people.length;
    void this.look(shown.slice(0, whole ? 0 : FIRST));
  }

  private card(person: PersonHere, row: boolean): HTMLElement {
    const picture = row ? null : make("span", { class: "picture" });
    const state = make("small", { class: "how" }, row ? person.path : ago(person.changed));
    const button = make("button", { class: "person", "data-person": person.name, click: () => this.desk.open(person.name) },
      picture, make("span", { class: "about" }, make("strong", {}, person.title), state));
    const known = this.known.get(key(person));
    if (known && !row) fill(button, person, known);
    return make("li", {}, button, this.moves.button(person, [{ label: "Rename", run: () => this.rename(person) }]));
  }

  /** Ask for another name of a person's file. */
  private rename(person: PersonHere): void {
    const dialog = find<HTMLDialogElement>("rename");
    const [input, problem] = [find<HTMLInputElement>("rename-name"), find("rename-problem")];
    input.value = person.name;
    problem.textContent = "";
    find("rename-title").textContent = `Rename ${person.title}`;
    find("rename-form").onsubmit = (event) => {
      event.preventDefault();
      const name = input.value.trim();
      if (name) void this.moves.move(person, "rename", name).then((fault) => (problem.textContent = fault));
    };
    dialog.showModal();
    input.select();
  }

  /** Ask for the state of each, one after the other. */
  private async look(people: PersonHere[]): Promise<void> {
    const turn = ++this.turn;
    for (const person of people) {
      if (this.known.has(key(person))) continue;
      try {
        const state = await ask<State>("/card", { person: person.name });
        this.known.set(key(person), state);
        if (turn !== this.turn) return;
        const button = this.list.querySelector<HTMLElement>(`[data-person="${CSS.escape(person.name)}"]`);
        if (button) fill(button, person, state);
      } catch {
        // The server is gone, or the file: the next message tells.
        return;
      }
    }
  }
}

/** Return people, the last changed first. */
export function lastChanged(people: PersonHere[]): PersonHere[] {
  return [...people].sort((one, other) => (other.changed ?? 0) - (one.changed ?? 0));
}

function key({ name, changed }: PersonHere): string {
  return `${changed} ${name}`;
}

function fill(card: HTMLElement, person: PersonHere, { errors, line, unsure, pages, picture }: State): void {
  const said = card.querySelector(".how")!;
  const [kind, words] = errors
    ? ["bad", `${counted(errors, "error")}${line ? `, line ${line}` : ""}`]
    : unsure
      ? ["warn", `${unsure} to look at`]
      : ["good", `${pages ? `${counted(pages, "page")}, ` : ""}${ago(person.changed)}`];
  said.replaceChildren(make("span", { class: `dot ${kind}` }), words);
  const box = card.querySelector(".picture");
  if (!box || !picture) return;
  box.replaceChildren(pngImage(picture));
}

// -- what is done with a CV or an application: it is renamed, copied, removed and put back --------

interface Moved {
  name: string;
  title: string;
}

export class Moves {
  private readonly said: HTMLElement;
  private readonly bin: HTMLDetailsElement;
  /** What those that were removed here were. */
  private readonly removed = new Map<string, Moved>();

  /** `list` begins the ids of its elements, `prefix` the names of its files. */
  constructor(private readonly desk: Desk, private readonly list: "here" | "applications", private readonly prefix: string) {
    this.said = find(`${list}-said`);
    this.bin = find<HTMLDetailsElement>(`${list}-bin`);
  }

  /** Show what can be put back. */
  set(names: string[]): void {
    this.bin.hidden = !names.length;
    this.bin.querySelector("summary")!.textContent = `${names.length} removed`;
    redraw(this.bin.querySelector("ul")!, names, () => names.map((name) => {
      const back = make("button", { class: "link", "data-removed": name, "aria-label": `Put back ${name}`, click: () => void this.putBack(name) }, "Put back");
      return make("li", {}, `${name} `, back);
    }));
  }

  /** Return the button with all that can be done with one; `more` comes first. */
  button(one: Moved, more: Choice[] = []): HTMLElement {
    const button = make("button", { class: "more", "aria-label": `More for ${one.title}`, "data-more": one.name }, "⋯");
    const holder = make("span", {}, button);
    menu(button, `More for ${one.title}`, () => [
      ...more,
      { label: "Duplicate", run: () => void this.move(one, "copy") },
      { label: "Remove", apart: true, run: () => void this.move(one, "remove") },
    ]);
    return holder;
  }

  /** Rename, copy or put aside one, and go to what is there then; returns what was wrong. */
  async move(one: Moved, act: "rename" | "copy" | "remove", name = ""): Promise<string | null> {
    const { title } = one;
    const person = this.prefix + one.name;
    if (!(await this.desk.left(person))) return this.say(`The text of ${title} isn’t saved: open it first.`);
    const moved = await tried(ask<Target>("/move", { act, person, name }), (words) => this.say(words));
    if (!moved) return this.said.textContent;
    if (act === "remove") this.removed.set(moved.person, one);
    await this.desk.start.refresh();
    const { path } = moved;
    this.say({ copy: `A copy of ${title} is in ${path}.`, rename: `${title} is in ${path} now; applications and documents follow.`, remove: `${title} is in ${path} now.` }[act]);
    if (act === "remove") this.bin.open = true;
    find<HTMLDialogElement>("rename").close();
    const id = CSS.escape(moved.person);
    find(this.list).querySelector<HTMLElement>(act === "remove" ? `[data-removed="${id}"]` : `[data-application="${id}"], [data-more="${id}"]`)?.focus();
    return null;
  }

  private async putBack(removed: string): Promise<void> {
    const { name, title } = this.removed.get(removed) ?? { name: removed, title: removed };
    if (!(await tried(ask<Target>("/move", { act: "back", person: this.prefix + name, name: removed }), (words) => this.say(words)))) return;
    await this.desk.start.refresh();
    this.say(`${title} is here again.`);
  }

  private say(words: string): string {
    return (this.said.textContent = words);
  }
}
