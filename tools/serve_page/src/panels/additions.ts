/** What files of other programs add to the CV that is open: a list, of which what is ticked is added. */

import { asSentence, counted, find, make } from "../dom";
import type { Draft } from "../draft";
import type { Editor } from "../editor/editor";
import { step } from "../editor/steps";
import { sent, takesFiles, unread } from "../form/files";
import { told } from "../said";
import { ask, tried } from "../server";

interface Found {
  additions: { place: string; words: string }[];
  /** What stays as it is, as the file says otherwise. */
  notes: string[];
}

export class Additions {
  private readonly dialog = find<HTMLDialogElement>("additions");
  private readonly list = find("additions-list");
  private readonly add = find<HTMLButtonElement>("additions-add");

  /** `settled` waits until what is typed is in the text. */
  constructor(
    private readonly draft: Draft,
    private readonly editor: Editor,
    private readonly settled: () => Promise<unknown>,
  ) {
    // What it is in is closed.
    find("additions-button").onclick = () => find("add-button").click();
    this.list.onchange = () => this.count();
    takesFiles(find("work"), find<HTMLInputElement>("additions-files"), [find("additions-button")], (files, folder) => {
      const problem = unread(files, folder);
      if (this.draft.kind !== "person") return;
      if (problem) told(problem);
      else void this.read(files);
    });
  }

  private async read(files: File[]): Promise<void> {
    const names = files.map(({ name }) => name).join(", ");
    told(`Reading ${names}`);
    await this.settled();
    const { person } = this.draft;
    const { text } = this.editor;
    const wanted = { person, text, files: await tried(sent(files), told) };
    const found = wanted.files && (await tried(ask<Found>("/additions", wanted), told));
    if (!found || person !== this.draft.person) return;
    if (!found.additions.length) return told([`${names} has nothing that isn’t here.`, ...found.notes.map(asSentence)].join(" "));
    this.show(names, found);
    find("additions-form").onsubmit = (event) => {
      event.preventDefault();
      this.dialog.close();
      void this.write({ ...wanted, chosen: this.ticked });
    };
  }

  private show(names: string, { additions, notes }: Found): void {
    find("additions-title").textContent = `What ${names} adds`;
    this.list.replaceChildren(
      ...additions.map(({ place, words }) => make("li", {}, make("label", {}, make("input", { type: "checkbox", checked: true }), make("span", {}, make("strong", {}, place), " ", words)))),
    );
    const kept = find("additions-kept");
    kept.hidden = !notes.length;
    kept.querySelector("summary")!.textContent = `${counted(notes.length, "value")} of yours ${notes.length === 1 ? "stays as it is" : "stay as they are"}`;
    kept.querySelector("ul")!.replaceChildren(...notes.map((note) => make("li", {}, asSentence(note))));
    this.count();
    this.dialog.showModal();
  }

  private get ticked(): number[] {
    return [...this.list.querySelectorAll("input")].flatMap((box, at) => (box.checked ? [at] : []));
  }

  private count(): void {
    this.add.disabled = !this.ticked.length;
    this.add.textContent = `Add ${this.ticked.length}`;
  }

  private async write(wanted: { person: string; text: string; files: unknown; chosen: number[] }): Promise<void> {
    const made = await tried(ask<{ text: string }>("/additions", wanted), told);
    if (!made) return;
    // Numbers are of that text.
    if (wanted.person !== this.draft.person || this.editor.text !== wanted.text) return told("The file has changed meanwhile: choose the file again.");
    this.editor.replace(made.text, step.of("alone"));
    told(`Added ${wanted.chosen.length}. Undo takes it back.`, true);
  }
}
