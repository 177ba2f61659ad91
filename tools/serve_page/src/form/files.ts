/** Files that are dropped, chosen or pasted, and a field that names some. */

import type { Form } from "./form";
import { asSentence, make } from "../dom";
import { told } from "../said";
import { ask, Refused } from "../server";
import type { Control, Outcome } from "./types";

/** As much as the server takes: docs/internals/serve.md. */
const MOST_FILES = 20;
const MOST_IMPORT = 32 << 20;

/** What a field takes, and at most how many bytes of it. */
interface Taken {
  types: string;
  label: string;
  words: string;
  most: number;
  multiple?: boolean;
}

/** Let files be dropped on an element, or chosen by buttons; `folder` is the name of one that was dropped. */
export function takesFiles(zone: HTMLElement, input: HTMLInputElement, buttons: HTMLElement[], take: (files: File[], folder?: string) => void): void {
  for (const button of buttons) button.addEventListener("click", () => input.click());
  input.onchange = () => {
    take([...(input.files ?? [])]);
    input.value = "";
  };
  for (const kind of ["dragover", "dragleave", "drop"] as const) {
    zone.addEventListener(kind, (event) => {
      const { dataTransfer: given, relatedTarget } = event;
      const isText = !given?.types?.includes("Files") && (event.target as Element).closest("input, textarea, rich-text, #editor");
      // What is inside may have taken them.
      if (event.defaultPrevented || !given || isText) return;
      event.preventDefault();
      given.dropEffect = "copy";
      zone.classList.toggle("over", kind === "dragover" || (kind === "dragleave" && zone.contains(relatedTarget as Node | null)));
      if (kind !== "drop") return;
      const entries = [...given.items].map((item) => item.webkitGetAsEntry());
      take([...given.files], entries.find((entry) => entry?.isDirectory)?.name);
    });
  }
}

/** Return a field where files can be chosen or dropped in place of writing their names; `write` puts names into the text. */
export function files(field: string, name: Control, form: Form, taken: Taken, write: (names: string[]) => Promise<Outcome | void>): Control {
  const { types, label, words, most, multiple = false } = taken;
  const input = make("input", { type: "file", accept: types, multiple, hidden: true, "aria-label": label });
  const choose = make("button", {}, words);
  const element = make("div", { class: multiple ? "files-field" : "photo" }, name.element, choose, input);
  /** Give files to whom they belong, and write their names; what is wrong with one is said. */
  const take = async (files: File[]): Promise<void> => {
    const { draft } = form.desk;
    const { person } = draft;
    const names: string[] = [];
    const problems: string[] = [];
    for (const file of multiple ? files : files.slice(0, 1)) {
      try {
        if (file.size > most) throw new Refused(`${file.name} is over ${most >> 20} MiB; make it smaller`);
        if (!file.size) throw new Refused(`${file.name} is empty; choose another file`);
        const kept = await ask<{ name: string }>("/file", { person, name: file.name, data: await encoded(file) });
        names.push(kept.name);
      } catch (error) {
        // A file's name keeps its letters.
        const words = error instanceof Refused ? error.message : `${file.name} can’t be read: ${String(error)}`;
        problems.push(words.startsWith(file.name) ? `${words}.` : asSentence(words));
      }
    }
    if (person !== draft.person) return;
    const outcome = names.length ? await write(names) : null;
    if (problems.length) form.refused(field, problems.join(" "));
    else if (outcome?.problem === null) told(`The photo is in ${draft.path.replace(/[^/\\]*$/, names[0]!)}.`, true);
  };
  takesFiles(element, input, [choose], (files) => void take(files));
  const { box, focusLine } = name;
  const lines = focusLine && { focusLine: (line: number) => focusLine.call(name, line) };
  return { element, ...(box && { box }), update: (field) => name.update(field), focus: () => choose.focus(), ...lines };
}

/** Return why files, or a folder, are no CV to read; null if they may be one. */
export function unread(files: File[], folder?: string): string | null {
  if (folder) return `${folder} is a folder. Drop the files that are in it.`;
  if (!files.length) return "This is no file. Drop a CV that is saved as a file.";
  if (files.length > MOST_FILES) return `These are ${files.length} files. Drop one CV, or up to ${MOST_FILES} files of one person.`;
  const empty = files.find(({ size }) => !size);
  if (empty) return `${empty.name} is empty. Choose another file.`;
  const size = files.reduce((sum, file) => sum + file.size, 0);
  if (size <= MOST_IMPORT) return null;
  const what = files.length === 1 ? `${files[0]!.name} has` : "These files have";
  return `${what} more than ${MOST_IMPORT >> 20} MiB. Drop the CV alone.`;
}

/** Return files as a request has them. */
export function sent(files: File[]): Promise<{ name: string; data: string }[]> {
  return Promise.all(files.map(async (file) => ({ name: file.name, data: await encoded(file) })));
}

/** Return a file's bytes in base64. */
async function encoded(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const parts: string[] = [];
  // As many at a time as a function takes arguments.
  for (let at = 0; at < bytes.length; at += 0x6000) parts.push(btoa(String.fromCharCode(...bytes.subarray(at, at + 0x6000))));
  return parts.join("");
}
