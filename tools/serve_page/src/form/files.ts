/** Files that are dropped, chosen or pasted. */

import { asSentence, make } from "../dom";
import type { Control } from "./controls";
import type { Field } from "./types";
import { post, Refused } from "../server";

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

/** As many as the server takes: docs/internals/serve.md. */
const MOST_FILES = 20;
const MOST_BYTES = 32 << 20;

export interface Dropped {
  files: File[];
  /** Why none of them is sent, in a sentence. */
  problem: string | null;
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
  if (size <= MOST_BYTES) return null;
  const what = files.length === 1 ? `${files[0]!.name} has` : "These files have";
  return `${what} more than ${MOST_BYTES >> 20} MiB. Drop the CV alone.`;
}

export function pasted(text: string): File[] {
  return [new File([text], "pasted.txt", { type: "text/plain" })];
}

/** Return a file's bytes in base64. */
export async function encoded(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const parts: string[] = [];
  // As many at a time as a function takes arguments.
  for (let at = 0; at < bytes.length; at += 0x6000) parts.push(btoa(String.fromCharCode(...bytes.subarray(at, at + 0x6000))));
  return parts.join("");
}
