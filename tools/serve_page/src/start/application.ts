/** The application that is open: what the header offers; and the form that begins one. */

import { find, make } from "../dom";
import { post, Refused } from "../requests";
import { lastChanged } from "./people";
import type { PersonHere } from "./messages";

/** What the server says of a file besides its text. */
export interface About {
  kind: "person" | "application" | "letter";
  slug?: string;
  title?: string;
  /** Whose application it is. */
  person?: string;
  /** Names under which its files are opened; the letter is null if it is none of its own. */
  application?: string;
  letter?: string | null;
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
    this.form.onsubmit = (event) => {
      event.preventDefault();
      void this.send();
    };
  }

  set(people: PersonHere[], languages: { tag: string; name: string }[]): void {
    // Who was edited last, until somebody is chosen.
    if (this.form.hidden) find<HTMLSelectElement>("application-person").value = "";
    options("application-person", lastChanged(people).map(({ name, title }) => [name, title]));
    options("application-locale", [["", "that of the CV"], ...languages.map(({ tag, name }): [string, string] => [tag, name])]);
    find("application-new").hidden = !people.length;
  }

  private async send(): Promise<void> {
    const field = (name: string): string => find<HTMLInputElement>(`application-${name}`).value.trim();
    const missing = ["employer", "position"].find((name) => !field(name));
    if (missing) {
      this.said.textContent = missing === "employer" ? "Write the employer first." : "Write the position first.";
      return find(`application-${missing}`).focus();
    }
    const names = ["person", "employer", "position", "deadline", "locale"];
    try {
      const answer = await post("/new-application", Object.fromEntries(names.map((name) => [name, field(name)])));
      const { application } = (await answer.json()) as { application: string };
      this.form.reset();
      this.form.hidden = true;
      this.said.textContent = "";
      this.open(application);
    } catch (error) {
      this.said.textContent = error instanceof Refused ? error.message : String(error);
    }
  }
}

/** Give a list its entries; what is chosen stays. */
function options(id: string, entries: [string, string][]): void {
  const select = find<HTMLSelectElement>(id);
  const before = select.value;
  select.replaceChildren(...entries.map(([value, words]) => make("option", { value }, words)));
  if (entries.some(([value]) => value === before)) select.value = before;
}
