/** Begin a person's file: a name, and a style by its picture. */

import { delayed, find, make } from "../dom";
import { post, Refused } from "../requests";
import type { Style, Target } from "./messages";

const PAUSE = 150;

export class NewPerson {
  private readonly name = find<HTMLInputElement>("new-name");
  private readonly styles = find("new-styles");
  private readonly go = find<HTMLButtonElement>("new-go");
  private readonly said = find("new-said");
  private readonly look = delayed(PAUSE, () => void this.lookUp());
  private there: Target | null = null;
  private drawn = "";

  constructor(
    private readonly open: (person: string) => void,
    private readonly made: (person: string) => void,
  ) {
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
    if (this.drawn === JSON.stringify(styles)) return;
    this.drawn = JSON.stringify(styles);
    this.styles.replaceChildren(...styles.map((style, at) => this.choice(style, at === 0)));
    this.about(styles[0]);
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
    const picture = style.picture
      ? make("img", { src: style.picture, alt: "", width: 130, height: 95, loading: "lazy" })
      : make("span", { class: "no-picture" }, "of this workspace");
    return make("label", { class: "style" }, input, picture, make("span", { class: "style-name" }, style.title));
  }

  private about(style: Style | undefined): void {
    find("new-about").textContent = style?.about ?? "";
  }

  private async lookUp(): Promise<void> {
    const name = this.name.value.trim();
    if (!name) return this.tell();
    try {
      const answer = await post("/new", { name, write: false });
      const there = (await answer.json()) as Target;
      if (name !== this.name.value.trim()) return;
      this.there = there;
      this.tell();
    } catch (error) {
      this.tell(error instanceof Refused ? error.message : String(error));
    }
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
    if (this.there?.exists) return this.open(this.there.person);
    const template = this.styles.querySelector<HTMLInputElement>("input:checked")?.value ?? null;
    try {
      const made = (await (await post("/new", { name, template })).json()) as Target;
      this.clear();
      this.made(made.person);
    } catch (error) {
      this.tell(error instanceof Refused ? error.message : String(error));
      void this.lookUp();
    }
  }
}
