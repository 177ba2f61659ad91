/** What is done with a CV or an application at the start: it is renamed, copied, removed and put back. */

import { drawn, find, make } from "../dom";
import type { Target } from "../messages";
import { type Choice, menu } from "../panels/popups";
import { ask, tried } from "../server";

interface Moved {
  name: string;
  title: string;
}

export class Moves {
  private readonly said: HTMLElement;
  private readonly bin: HTMLDetailsElement;
  /** What those that were removed here were. */
  private readonly removed = new Map<string, Moved>();

  /** `list` begins the ids of its elements, `prefix` the names of its files; `leave` is done before one moves. */
  constructor(
    private readonly list: "here" | "applications",
    private readonly prefix: string,
    private readonly leave: (name: string) => Promise<boolean>,
    private readonly changed: () => Promise<void>,
  ) {
    this.said = find(`${list}-said`);
    this.bin = find<HTMLDetailsElement>(`${list}-bin`);
  }

  /** Show what can be put back. */
  set(names: string[]): void {
    this.bin.hidden = !names.length;
    this.bin.querySelector("summary")!.textContent = `${names.length} removed`;
    drawn(this.bin, names, () => this.bin.querySelector("ul")!.replaceChildren(...names.map((name) => {
      const back = make("button", { type: "button", class: "link", "data-removed": name, "aria-label": `Put back ${name}`, click: () => void this.putBack(name) }, "Put back");
      return make("li", {}, `${name} `, back);
    })));
  }

  /** Return the button with all that can be done with one; `more` comes first. */
  button(one: Moved, more: Choice[] = []): HTMLElement {
    const button = make("button", { type: "button", class: "more", "aria-label": `More for ${one.title}`, "data-more": one.name }, "⋯");
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
    if (!(await this.leave(person))) return this.say(`The text of ${title} isn’t saved: open it first.`);
    const moved = await tried(ask<Target>("/move", { act, person, name }), (words) => this.say(words));
    if (!moved) return this.said.textContent;
    if (act === "remove") this.removed.set(moved.person, one);
    await this.changed();
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
    await this.changed();
    this.say(`${title} is here again.`);
  }

  private say(words: string): string {
    return (this.said.textContent = words);
  }
}
