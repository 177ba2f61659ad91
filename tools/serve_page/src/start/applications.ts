/** The applications of the workspace, the form that begins one, and the box that fills one in from its advert. */

import { asSentence, counted, find, make, redraw } from "../dom";
import { takesFiles } from "../form/files";
import type { Form } from "../form/form";
import type { Desk } from "../main";
import type { Application, Path, PersonHere } from "../messages";
import { dated, SOON, told } from "../said";
import { ask, tried } from "../server";
import { lastChanged, type Moves } from "./people";

export class Applications {
  constructor(private readonly desk: Desk, private readonly moves: Moves) {}

  set(all: Application[], removed: string[], people: PersonHere[]): void {
    this.moves.set(removed);
    const titles = new Map(people.map(({ name, title }) => [name, title]));
    find("applications-none").hidden = all.length > 0;
    const list = find("applications-list");
    redraw(list, [all, [...titles]], () => all.map((one) => this.row(one, titles.get(one.person) ?? one.person)));
  }

  private row(one: Application, person: string): HTMLElement {
    const about = [one.position, person].filter(Boolean).join(" · ");
    const soon = !one.over && one.days_left !== null && one.days_left >= 0 && one.days_left < SOON;
    const row = make("button", { class: "application", "data-application": one.slug, click: () => this.desk.open(`applications/${one.slug}`) },
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

/** The form that begins an application. */
export class NewApplication {
  private readonly form = find<HTMLFormElement>("application-form");
  private readonly said = find("application-said");
  private busy = false;

  constructor(private readonly desk: Desk) {
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
    if (read) this.said.replaceChildren(...filled(read.values));
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
    if (this.busy) return;
    this.busy = true;
    const wanted = Object.fromEntries(names.map((name) => [name, field(name)]));
    const made = await tried(ask<{ application: string }>("/new-application", wanted), (words) => (this.said.textContent = words));
    this.busy = false;
    if (!made) return;
    this.form.reset();
    this.form.hidden = true;
    this.said.textContent = "";
    this.desk.begin(made.application);
  }
}

/** Give a list its entries; what is chosen stays. */
function options(id: string, entries: [string, string][]): void {
  const select = find<HTMLSelectElement>(id);
  const before = select.value;
  select.replaceChildren(...entries.map(([value, words]) => make("option", { value }, words)));
  if (entries.some(([value]) => value === before)) select.value = before;
}

// -- an advert -------------------------------------------------------------------------------------

/** Bytes of an advert, as the server reads them. */
const MOST = 1 << 20;
const LARGE = "This has more than 1 MiB, which no advert has. Paste only the advert.";
const NAMES: Record<string, string> = {
  employer: "employer", position: "position", reference: "reference", deadline: "deadline",
  "recipient.email": "e-mail",
};

/** What an advert says for a key of an application. */
interface Read {
  path: Path;
  value: string | null;
  /** Whether the application has none of its own. */
  is_free: boolean;
}

export class AdvertBox {
  private readonly box = find<HTMLDetailsElement>("advert-box");
  private readonly text = find<HTMLTextAreaElement>("advert-text");
  private readonly said = find("advert-said");

  constructor(private readonly form: Form) {
    find("advert-read").onclick = () => void this.read();
    takesFiles(this.box, find<HTMLInputElement>("advert-file"), [find("advert-choose")], ([file]) => void this.take(file));
    this.text.addEventListener("paste", (event) => {
      // A box with so much text would stand still.
      if ((event.clipboardData?.getData("text/plain").length ?? 0) <= MOST) return;
      event.preventDefault();
      this.said.textContent = LARGE;
    });
  }

  /** Another file is open. */
  forget(): void {
    this.box.open = false;
    this.text.value = this.said.textContent = "";
  }

  private async take(file: File | undefined): Promise<void> {
    if (!file) return;
    this.box.open = true;
    const text = file.size > MOST ? null : await file.text();
    if (text === null) this.said.textContent = LARGE;
    else if (/[\0\ufffd]|^%PDF-/.test(text)) this.said.textContent = `${file.name} is no text. Open it, copy the advert, and paste it here.`;
    else {
      this.text.value = text;
      await this.read();
    }
  }

  private async read(): Promise<void> {
    const { draft, editor } = this.form.desk;
    const advert = this.text.value;
    if (!advert.trim()) return void (this.said.textContent = "Paste the text of the advert first.");
    await this.form.settled();
    const { person } = draft;
    const say = (words: string): void => void (this.said.textContent = words);
    const read = await tried(ask<{ values: Read[] }>("/advert", { text: editor.text, advert }), say);
    if (!read || person !== draft.person) return;
    // To be compared with the page, it need not be pasted once more.
    find<HTMLTextAreaElement>("advert").value = advert;
    const free = read.values.filter(({ value, is_free }) => value !== null && is_free);
    const { problem } = free.length ? await this.form.writer.write(free.map(({ path, value }) => ({ path, value, read: true }))) : { problem: null };
    if (problem !== null) return say(asSentence(problem));
    this.said.replaceChildren(...filled(read.values));
    if (free.length) told("Read from the advert.", true);
  }
}

/** Return in words what is filled in, what stays as it was written, and what neither the advert nor the file says. */
function filled(values: Read[]): HTMLElement[] {
  const named = (is: (one: Read) => boolean): string => values.filter(is).map(({ path }) => NAMES[path.join(".")]!).join(", ");
  const parts: [string, string][] = [
    ["Filled in, to be looked at", named(({ value, is_free }) => value !== null && is_free)],
    ["Yours stays", named(({ value, is_free }) => value !== null && !is_free)],
    ["Not found", named(({ value, is_free }) => value === null && is_free)],
  ];
  return parts.flatMap(([words, names]) => (names ? [make("span", {}, `${words}: ${names}. `)] : []));
}
