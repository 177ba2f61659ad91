/** Files that are dropped, chosen or pasted, and a field that names some. */

import { asSentence, make } from "../dom";
import { told } from "../said";
import { ask, Refused } from "../server";
import type { Control, Field, Host, Outcome } from "./types";

/** As much as the server takes: docs/internals/serve.md. */
const MOST_FILES = 20;
const MOST_IMPORT = 32 << 20;

export interface Dropped {
  files: File[];
  /** Why none of them is sent, in a sentence. */
  problem: string | null;
}

/** What a field takes, and at most how many bytes of it. */
interface Taken {
  types: string;
  label: string;
  words: string;
  most: number;
  multiple?: boolean;
}

export const PHOTO: Taken = { types: "image/png,image/jpeg", label: "A picture", words: "Choose a picture…", most: 10 << 20 };
export const PDFS: Taken = { types: "application/pdf", label: "PDFs", words: "Choose PDFs…", most: 47 << 20, multiple: true };

/** A field where files can be chosen or dropped in place of writing their names; `write` puts names into the text. */
export class Files implements Control {
  readonly element: HTMLElement;
  readonly box?: HTMLElement;
  private readonly choose: HTMLButtonElement;

  constructor(
    private readonly field: string,
    private readonly name: Control,
    private readonly form: Host,
    private readonly taken: Taken,
    private readonly write: (names: string[]) => Promise<Outcome | void>,
  ) {
    const { types, label, words, multiple = false } = taken;
    const input = make("input", { type: "file", accept: types, multiple, hidden: true, "aria-label": label });
    input.onchange = () => {
      void this.take([...(input.files ?? [])]);
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
      void this.take([...(event.dataTransfer?.files ?? [])]);
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

  /** Give files to whom they belong, and write their names; what is wrong with one is said. */
  private async take(files: File[]): Promise<void> {
    const { draft } = this.form;
    const { person } = draft;
    const [names, problems]: string[][] = [[], []];
    for (const file of this.taken.multiple ? files : files.slice(0, 1)) {
      try {
        names!.push(await keep(file, person, this.taken.most));
      } catch (error) {
        // A file's name keeps its letters.
        const words = error instanceof Refused ? error.message : `${file.name} can’t be read: ${String(error)}`;
        problems!.push(words.startsWith(file.name) ? `${words}.` : asSentence(words));
      }
    }
    if (person !== draft.person) return;
    const outcome = names!.length ? await this.write(names!) : null;
    if (problems!.length) this.form.refused(this.field, problems!.join(" "));
    else if (outcome?.problem === null) told(`The photo is in ${draft.path.replace(/[^/\\]*$/, names![0]!)}.`);
  }
}

/** Give a file to whom it belongs, and return its name beside theirs; throws Refused. */
async function keep(file: File, person: string, most: number): Promise<string> {
  if (file.size > most) throw new Refused(`${file.name} is over ${most >> 20} MiB; make it smaller`);
  if (!file.size) throw new Refused(`${file.name} is empty; choose another file`);
  return (await ask<{ name: string }>("/file", { person, name: file.name, data: await encoded(file) })).name;
}

export function dropped(transfer: DataTransfer): Dropped {
  const entries = [...transfer.items].filter(({ kind }) => kind === "file").map((item) => item.webkitGetAsEntry());
  const folder = entries.find((entry) => entry?.isDirectory);
  if (folder) return { files: [], problem: `${folder.name} is a folder. Drop the files that are in it.` };
  return chosen([...transfer.files]);
}

export function chosen(files: File[]): Dropped {
  return { files, problem: problem(files) };
}

function problem(files: File[]): string | null {
  if (!files.length) return "This is no file. Drop a CV that is saved as a file.";
  if (files.length > MOST_FILES) {
    return `These are ${files.length} files. Drop one CV, or up to ${MOST_FILES} files of one person.`;
  }
  const empty = files.find(({ size }) => !size);
  if (empty) return `${empty.name} is empty. Choose another file.`;
  const size = files.reduce((sum, file) => sum + file.size, 0);
  if (size <= MOST_IMPORT) return null;
  const what = files.length === 1 ? `${files[0]!.name} has` : "These files have";
  return `${what} more than ${MOST_IMPORT >> 20} MiB. Drop the CV alone.`;
}

/** Return a file's bytes in base64. */
export async function encoded(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const parts: string[] = [];
  // As many at a time as a function takes arguments.
  for (let at = 0; at < bytes.length; at += 0x6000) parts.push(btoa(String.fromCharCode(...bytes.subarray(at, at + 0x6000))));
  return parts.join("");
}
