/** The start page: begin, import, or open what is there. */

import { find } from "../dom";
import { sentence } from "../messages";
import { get } from "../requests";
import { NewApplication } from "./application";
import { Applications } from "./applications";
import { Import } from "./import";
import type { Workspace } from "./messages";
import { NewPerson } from "./new";
import { PeopleHere } from "./people";

export interface Listeners {
  open(person: string): void;
  /** A person's file goes: leave it; false if its text can't be saved. */
  leave(person: string): Promise<boolean>;
  /** A person's file, or an application, was made. */
  made(person: string): void;
  /** Someone was imported from these files. */
  imported(person: string, files: string): void;
  tell(words: string): void;
}

export class Start {
  private readonly page = find("start");
  private readonly fresh: NewPerson;
  private readonly people: PeopleHere;
  private readonly applications: Applications;
  private readonly begin: NewApplication;
  private readonly imports: Import;
  /** What was last said of what is there. */
  private said = "";

  constructor(private readonly listeners: Listeners) {
    const open = (person: string): void => listeners.open(person);
    this.fresh = new NewPerson(open, (person) => listeners.made(person));
    this.people = new PeopleHere(open, (person) => listeners.leave(person), () => this.refresh());
    this.applications = new Applications((one) => open(`applications/${one.slug}`));
    this.begin = new NewApplication((application) => listeners.made(application));
    this.imports = new Import(() => this.shown, { open, imported: (person, files) => listeners.imported(person, files) });
    window.addEventListener("focus", () => void (this.shown && this.refresh()));
  }

  get shown(): boolean {
    return !this.page.hidden;
  }

  show(): void {
    this.page.hidden = false;
    for (const id of ["top", "work"]) find(id).hidden = true;
    document.title = "cvbuild";
    this.said = "";
    this.fresh.clear();
    this.imports.clear();
    this.fresh.focus();
    void this.refresh();
  }

  hide(): void {
    this.page.hidden = true;
    for (const id of ["top", "work"]) find(id).hidden = false;
  }

  /** Ask again what is there. */
  async refresh(): Promise<void> {
    let found: Workspace;
    try {
      found = (await (await get("/begin")).json()) as Workspace;
    } catch {
      this.say("cvbuild serve doesn't answer; is it still running?");
      return;
    }
    this.say(found.diagnostics.map(sentence).join("\n"));
    find("start-folder").textContent = found.folder;
    find("start-empty").hidden = found.people.length > 0;
    this.fresh.set(found.styles);
    this.people.set(found.people, found.removed);
    find("applications").hidden = !found.people.length && !found.applications.length;
    this.applications.set(found.applications, found.people);
    this.begin.set(found.people, found.languages);
  }

  private say(words: string): void {
    if (words !== this.said) this.listeners.tell(words);
    this.said = words;
  }
}
