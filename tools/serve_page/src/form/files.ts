/** A field that names files: a picture or PDFs can be chosen or dropped in place of writing their names. */

import { asSentence, make } from "../dom";
import { post, Refused } from "../requests";
import { encoded } from "../start/drop";
import type { Control } from "./controls";
import type { Field } from "./types";

/** What a field takes: as many bytes as the server does, docs/internals/serve.md. */
interface Taken {
  types: string;
  label: string;
  words: string;
  multiple?: boolean;
}

export const PHOTO: Taken = { types: "image/png,image/jpeg", label: "A picture", words: "Choose a picture…" };
export const PDFS: Taken = { types: "application/pdf", label: "PDFs", words: "Choose PDFs…", multiple: true };

export class Files implements Control {
  readonly element: HTMLElement;
  readonly box?: HTMLElement;
  private readonly choose: HTMLButtonElement;

  constructor(
    private readonly name: Control,
    { types, label, words, multiple = false }: Taken,
    take: (files: File[]) => void,
  ) {
    const input = make("input", { type: "file", accept: types, multiple, hidden: true, "aria-label": label });
    input.onchange = () => {
      take([...(input.files ?? [])]);
      input.value = "";
    };
    if (name.box) this.box = name.box;
    this.choose = make("button", { type: "button", click: () => input.click() }, words);
    this.element = make("div", { class: multiple ? "files-field" : "photo" }, name.element, this.choose, input);
    const over = (event: DragEvent, yes: boolean): void => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      this.element.classList.toggle("over", yes);
    };
    this.element.addEventListener("dragover", (event) => over(event, true));
    this.element.addEventListener("dragleave", (event) => over(event, false));
    this.element.addEventListener("drop", (event) => {
      over(event, false);
      const files = [...(event.dataTransfer?.files ?? [])];
      if (files.length) take(multiple ? files : files.slice(0, 1));
    });
  }

  get written(): string | undefined {
    return this.name.written;
  }

  update(field: Field): void {
    this.name.update(field);
  }

  focus(): void {
    this.choose.focus();
  }

  focusLine(line: number): boolean {
    return this.name.focusLine?.(line) ?? false;
  }
}

/** Give a file to whom it belongs; returns its name beside theirs, or what is wrong with it. */
export async function keep(file: File, person: string, most: number): Promise<{ name: string; problem: string | null }> {
  const refused = (problem: string): { name: string; problem: string } => ({ name: "", problem });
  if (file.size > most) return refused(`${file.name} is over ${most >> 20} MiB; make it smaller.`);
  if (!file.size) return refused(`${file.name} is empty; choose another file.`);
  try {
    const { name } = (await (await post("/file", { person, name: file.name, data: await encoded(file) })).json()) as { name: string };
    return { name, problem: null };
  } catch (error) {
    return refused(error instanceof Refused ? asSentence(error.message) : `${file.name} can’t be read: ${String(error)}`);
  }
}
