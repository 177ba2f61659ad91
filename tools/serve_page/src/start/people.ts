/** Who is here: five cards, the last changed first, or all of them with a finder. */

import { counted, find, make, matches, pngImage } from "../dom";
import type { PersonHere, State, Target } from "../messages";
import { menu } from "../panels/popups";
import { ask, tried } from "../server";
import { ago } from "../times";

const FIRST = 5;

export class PeopleHere {
  private readonly list = find("here-list");
  private readonly input = find<HTMLInputElement>("here-find");
  private readonly said = find("here-said");
  private readonly all = find<HTMLButtonElement>("here-all");
  private people: PersonHere[] = [];
  private whole = false;
  private drawn = "";
  private readonly bin = find<HTMLDetailsElement>("here-bin");
  /** Whose file each of those that were removed here was. */
  private readonly names = new Map<string, string>();
  /** What is known of a file, by its name and the time of its last change. */
  private readonly known = new Map<string, State>();
  private turn = 0;

  constructor(
    private readonly open: (person: string) => void,
    private readonly leave: (person: string) => Promise<boolean>,
    private readonly changed: () => Promise<void>,
  ) {
    this.all.onclick = () => {
      this.whole = !this.whole;
      this.draw();
      if (this.whole) this.input.focus();
    };
    this.input.oninput = () => this.draw();
  }

  set(people: PersonHere[], removed: string[]): void {
    this.people = lastChanged(people);
    this.drawBin(removed);
    this.draw();
  }

  private draw(): void {
    const { people, whole } = this;
    find("here").hidden = !people.length && this.bin.hidden;
    find("here-count").textContent = people.length > 1 ? `${people.length}, last changed first` : "";
    this.all.hidden = people.length <= FIRST;
    this.all.textContent = whole ? "Show the last five" : "Find and show all";
    this.all.setAttribute("aria-expanded", String(whole));
    find("here-finder").hidden = !whole;
    const shown = people.filter(({ name, title }) => !whole || matches(this.input.value, `${title} ${name}`)).slice(0, whole ? people.length : FIRST);
    this.list.classList.toggle("rows", whole);
    // What stays keeps the focus, and its menu.
    const now = JSON.stringify([shown, whole]);
    if (now !== this.drawn) this.list.replaceChildren(...shown.map((person) => this.card(person, whole)));
    this.drawn = now;
    find("here-none").hidden = shown.length > 0 || !people.length;
    void this.look(shown.slice(0, whole ? 0 : FIRST));
  }

  private card(person: PersonHere, row: boolean): HTMLElement {
    const picture = row ? null : make("span", { class: "picture" });
    const state = make("small", { class: "how" }, row ? person.path : ago(person.changed));
    const button = make("button", { type: "button", class: "person", "data-person": person.name, click: () => this.open(person.name) },
      picture, make("span", { class: "about" }, make("strong", {}, person.title), state));
    const known = this.known.get(key(person));
    if (known && !row) fill(button, person, known);
    return make("li", {}, button, this.more(person));
  }

  /** Return the button with all that can be done with a person's file. */
  private more(person: PersonHere): HTMLElement {
    const { name, title } = person;
    const more = make("button", { type: "button", class: "more", "aria-label": `More for ${title}`, "data-more": name }, "⋯");
    const holder = make("span", {}, more);
    menu(more, `More for ${title}`, () => [
      { label: "Rename", run: () => this.rename(person) },
      { label: "Duplicate", run: () => void this.move(person, "copy") },
      { label: "Remove", apart: true, run: () => void this.move(person, "remove") },
    ]);
    return holder;
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
      if (name) void this.move(person, "rename", name).then((fault) => (problem.textContent = fault));
    };
    find("rename-cancel").onclick = () => dialog.close();
    dialog.showModal();
    input.select();
  }

  /** Rename, copy or put aside a person's files, and go to what is there then; returns what was wrong. */
  private async move({ name: person, title }: PersonHere, act: "rename" | "copy" | "remove", name = ""): Promise<string | null> {
    if (!(await this.leave(person))) return this.say(`The text of ${title} isn’t saved: open it first.`);
    const moved = await tried(ask<Target>("/move", { act, person, name }), (words) => this.say(words));
    if (!moved) return this.said.textContent;
    await this.changed();
    if (act === "copy") this.say(`A copy of ${title} is in ${moved.path}.`);
    else if (act === "rename") this.say(`${title} is in ${moved.path} now; applications and documents follow.`);
    else {
      this.names.set(moved.person, person);
      this.say(`${title} is in ${moved.path} now.`);
      this.bin.open = true;
    }
    find<HTMLDialogElement>("rename").close();
    const at = act === "remove" ? `[data-removed="${CSS.escape(moved.person)}"]` : `[data-more="${CSS.escape(moved.person)}"]`;
    find("here").querySelector<HTMLElement>(at)?.focus();
    return null;
  }

  private async putBack(removed: string): Promise<void> {
    const person = this.names.get(removed) ?? removed;
    if (!(await tried(ask<Target>("/move", { act: "back", person, name: removed }), (words) => this.say(words)))) return;
    await this.changed();
    this.say(`${this.people.find(({ name }) => name === person)?.title ?? person} is here again.`);
  }

  private say(words: string): string {
    return (this.said.textContent = words);
  }

  private drawBin(removed: string[]): void {
    // What stays keeps the focus.
    if (this.bin.dataset["names"] === removed.join()) return;
    this.bin.dataset["names"] = removed.join();
    this.bin.hidden = !removed.length;
    this.bin.querySelector("summary")!.textContent = `${removed.length} removed`;
    this.bin.querySelector("ul")!.replaceChildren(...removed.map((name) => {
      const back = make("button", { type: "button", class: "link", "data-removed": name, "aria-label": `Put back ${name}`, click: () => void this.putBack(name) }, "Put back");
      return make("li", {}, `${name} `, back);
    }));
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
