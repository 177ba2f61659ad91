/** The start page: begin a person's file, import, or open what is there. */

import { delayed, find, make, redraw } from "../dom";
import type { Desk } from "../main";
import { sentence, type Style, type Target, type Workspace } from "../messages";
import { ask, get, tried } from "../server";
import { Applications, NewApplication } from "./applications";
import { Import } from "./import";
import { Moves, PeopleHere } from "./people";
import { standIn } from "./styles";

export class Start {
  private readonly page = find("start");
  private readonly fresh: NewPerson;
  private readonly people: PeopleHere;
  private readonly applications: Applications;
  private readonly begin: NewApplication;
  private readonly imports: Import;
  /** What was last said of what is there. */
  private said = "";

  constructor(desk: Desk) {
    this.fresh = new NewPerson(desk);
    this.people = new PeopleHere(desk, new Moves(desk, "here", ""));
    this.applications = new Applications(desk, new Moves(desk, "applications", "applications/"));
    this.begin = new NewApplication(desk);
    this.imports = new Import(desk);
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
    void this.refresh().then(() => find("here").hidden && this.fresh.focus());
  }

  hide(): void {
    this.page.hidden = true;
    for (const id of ["top", "work"]) find(id).hidden = false;
  }

  /** Ask again what is there. */
  async refresh(): Promise<void> {
    const found = await tried(get("/begin"), (words) => this.say(words)).then((answer) => answer?.json() as Promise<Workspace>);
    if (!found) return;
    this.say(found.diagnostics.map(sentence).join("\n"));
    find("start-folder").textContent = found.folder;
    find("start-empty").hidden = found.people.length > 0;
    this.fresh.set(found.styles);
    this.people.set(found.people, found.removed);
    find("applications").hidden = !found.people.length && !found.applications.length && !found.removed_applications.length;
    this.applications.set(found.applications, found.removed_applications, found.people);
    this.begin.set(found.people, found.languages);
  }

  private say(words: string): void {
    if (words !== this.said) find("start-notice").textContent = words;
    this.said = words;
  }
}

const PAUSE = 150;

class NewPerson {
  private readonly name = find<HTMLInputElement>("new-name");
  private readonly styles = find("new-styles");
  private readonly go = find<HTMLButtonElement>("new-go");
  private readonly said = find("new-said");
  private readonly look = delayed(PAUSE, () => void this.lookUp());
  private there: Target | null = null;

  constructor(private readonly desk: Desk) {
    this.name.oninput = () => {
      this.there = null;
      this.look();
    };
    find<HTMLFormElement>("new-form").onsubmit = (event) => {
      event.preventDefault();
      void this.make();
    };
    this.tell();
  }

  set(styles: Style[]): void {
    redraw(this.styles, styles, () => {
      this.about(styles[0]);
      return styles.map((style, at) => this.choice(style, at === 0));
    });
  }

  focus(): void {
    this.name.focus();
  }

  /** Forget the name, for the next one. */
  clear(): void {
    this.name.value = "";
    this.there = null;
    this.tell();
  }

  private choice(style: Style, first: boolean): HTMLElement {
    const input = make("input", { type: "radio", name: "style", value: style.name, class: "unseen", checked: first });
    input.onchange = () => this.about(style);
    const picture = standIn(style.name, make("span", { class: "no-picture" }, "of this workspace"));
    return make("label", { class: "style" }, input, picture, make("span", { class: "style-name" }, style.title));
  }

  private about(style: Style | undefined): void {
    find("new-about").textContent = style?.about ?? "";
  }

  private async lookUp(): Promise<void> {
    const name = this.name.value.trim();
    if (!name) return this.tell();
    const there = await tried(ask<Target>("/new", { name, write: false }), (words) => this.tell(words));
    if (!there || name !== this.name.value.trim()) return;
    this.there = there;
    this.tell();
  }

  private tell(problem = ""): void {
    const { there } = this;
    this.said.classList.toggle("problem", problem !== "");
    this.go.textContent = there?.exists ? "Open" : "Start writing";
    if (problem) this.said.textContent = problem;
    else if (!there) this.said.textContent = "Makes a file in people/, with an example of each section to write over.";
    else if (there.exists) this.said.replaceChildren(make("code", {}, there.path), " is there already.");
    else this.said.replaceChildren("Makes ", make("code", {}, there.path), ", with an example of each section to write over.");
  }

  private async make(): Promise<void> {
    const name = this.name.value.trim();
    if (!name) {
      this.tell("Write a name first.");
      return this.name.focus();
    }
    if (this.there?.exists) return this.desk.open(this.there.person);
    const template = this.styles.querySelector<HTMLInputElement>("input:checked")?.value ?? null;
    const work = find<HTMLSelectElement>("new-work").value;
    const made = await tried(ask<Target>("/new", { name, template, work }), (words) => this.tell(words));
    if (!made) return this.lookUp();
    this.clear();
    this.desk.begin(made.person);
  }
}
