/** The applications of the workspace, the form that begins one, and what the header offers of one. */

import { counted, drawn, find, make } from "../dom";
import { type Read, told } from "../form/advert";
import type { About, Application, PersonHere } from "../messages";
import { ask, tried } from "../server";
import { dated, SOON } from "../times";
import type { Moves } from "./moves";
import { lastChanged } from "./people";

export class Applications {
  constructor(
    private readonly open: (application: Application) => void,
    private readonly moves: Moves,
  ) {}

  set(all: Application[], removed: string[], people: PersonHere[]): void {
    this.moves.set(removed);
    const titles = new Map(people.map(({ name, title }) => [name, title]));
    find("applications-none").hidden = all.length > 0;
    const list = find("applications-list");
    drawn(list, [all, [...titles]], () => list.replaceChildren(...all.map((one) => this.row(one, titles.get(one.person) ?? one.person))));
  }

  private row(one: Application, person: string): HTMLElement {
    const about = [one.position, person].filter(Boolean).join(" · ");
    const soon = !one.over && one.days_left !== null && one.days_left >= 0 && one.days_left < SOON;
    const row = make("button", { type: "button", class: "application", "data-application": one.slug, click: () => this.open(one) },
      make("strong", {}, one.employer || one.slug), make("span", { class: soon ? "when soon" : "when" }, when(one)), make("small", {}, about));
    return make("li", {}, row, this.moves.button({ name: one.slug, title: one.employer || one.slug }));
  }
}

function when({ status, days_left, errors, sent }: Application): string {
  const last = sent.at(-1);
  if (status === "sent" && last) return `sent ${dated(last.date)}`;
  if (status === "faulty" || (status === "open" && errors)) return counted(errors, "error");
  if (status !== "open") return status;
  if (days_left === null) return "no deadline";
  if (days_left === 0) return "today is the last day";
  return `${counted(days_left, "day")} left`;
}

export class OpenApplication {
  about: About = { kind: "person" };

  constructor(private readonly open: (name: string) => void) {
    find("cv-button").onclick = () => void (this.about.person && this.open(this.about.person));
    find("letter-button").onclick = () => {
      const { kind, application, letter } = this.about;
      const other = kind === "letter" ? application : letter;
      if (other) this.open(other);
    };
  }

  show(about: About): void {
    this.about = about;
    const is = about.kind !== "person";
    document.body.dataset["kind"] = is ? "application" : "person";
    for (const id of ["packet-button", "cv-button"]) find(id).hidden = !is;
    find("options-button").hidden = is;
    find("letter-button").hidden = !about.letter;
    find("letter-button").textContent = about.kind === "letter" ? "Application’s file" : "Letter’s text";
  }
}

/** The form that begins an application. */
export class NewApplication {
  private readonly form = find<HTMLFormElement>("application-form");
  private readonly said = find("application-said");

  constructor(private readonly open: (name: string) => void) {
    const button = find("application-new");
    button.onclick = () => {
      this.form.hidden = !this.form.hidden;
      button.setAttribute("aria-expanded", String(!this.form.hidden));
      if (!this.form.hidden) find("application-employer").focus();
    };
    const advert = find<HTMLTextAreaElement>("application-advert");
    advert.oninput = () => void this.read(advert);
    this.form.onsubmit = (event) => {
      event.preventDefault();
      void this.send();
    };
  }

  set(people: PersonHere[], languages: Record<string, string>): void {
    // Who was edited last, until somebody is chosen.
    if (this.form.hidden) find<HTMLSelectElement>("application-person").value = "";
    options("application-person", lastChanged(people).map(({ name, title }) => [name, title]));
    options("application-locale", [["", "that of the CV"], ...Object.entries(languages)]);
    find("application-new").hidden = !people.length;
  }

  /** Show what the advert says, where nothing is written. */
  private async read(box: HTMLTextAreaElement): Promise<void> {
    const advert = box.value;
    const say = (words: string): void => void (this.said.textContent = words);
    const read = advert.trim() ? await tried(ask<{ values: Read[] }>("/advert", { text: "{}", advert }), say) : null;
    if (box.value !== advert) return;
    for (const { path, value } of read?.values ?? []) {
      const field = this.form.querySelector<HTMLInputElement>(`#application-${path.join("-")}`);
      if (field) field.placeholder = value ?? "";
    }
    if (read) this.said.replaceChildren(...told(read.values));
  }

  private async send(): Promise<void> {
    const field = (name: string): string => find<HTMLInputElement>(`application-${name}`).value.trim();
    const missing = field("advert") ? null : ["employer", "position"].find((name) => !field(name));
    if (missing) {
      this.said.textContent = missing === "employer" ? "Write the employer first." : "Write the position first.";
      return find(`application-${missing}`).focus();
    }
    const names = ["person", "employer", "position", "deadline", "locale", "advert"];
    // A double click begins one.
    const begin = this.form.querySelector<HTMLButtonElement>("[type=submit]")!;
    if (begin.disabled) return;
    begin.disabled = true;
    const wanted = Object.fromEntries(names.map((name) => [name, field(name)]));
    const made = await tried(ask<{ application: string }>("/new-application", wanted), (words) => (this.said.textContent = words));
    begin.disabled = false;
    if (!made) return;
    this.form.reset();
    this.form.hidden = true;
    this.said.textContent = "";
    this.open(made.application);
  }
}

/** Give a list its entries; what is chosen stays. */
function options(id: string, entries: [string, string][]): void {
  const select = find<HTMLSelectElement>(id);
  const before = select.value;
  select.replaceChildren(...entries.map(([value, words]) => make("option", { value }, words)));
  if (entries.some(([value]) => value === before)) select.value = before;
}
