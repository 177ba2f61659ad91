/** The box of an application's form for the advert: what it says is filled in, and marked until somebody looks. */

import { asSentence, find, make } from "../dom";
import type { Path } from "../messages";
import * as said from "../said";
import { ask, tried } from "../server";
import { takesFiles } from "./files";
import type { Form } from "./form";

/** Bytes of an advert, as the server reads them. */
const MOST = 1 << 20;
const LARGE = "This has more than 1 MiB, which no advert has. Paste only the advert.";
const NAMES: Record<string, string> = {
  employer: "employer", position: "position", reference: "reference", deadline: "deadline",
  "recipient.name": "contact", "recipient.email": "e-mail",
};

/** What an advert says for a key of an application. */
export interface Read {
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

  show(shown: boolean): void {
    this.box.hidden = !shown;
  }

  /** Another file is open. */
  forget(): void {
    this.box.open = false;
    this.text.value = this.said.textContent = "";
  }

  private async take(file: File | undefined): Promise<void> {
    if (!file) return;
    this.box.open = true;
    if (file.size > MOST) this.said.textContent = LARGE;
    else {
      const text = await file.text();
      if (/[\0\ufffd]|^%PDF-/.test(text)) this.said.textContent = `${file.name} is no text. Open it, copy the advert, and paste it here.`;
      else {
        this.text.value = text;
        await this.read();
      }
    }
  }

  private async read(): Promise<void> {
    const { draft, editor, writer } = this.form;
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
    const { problem } = free.length ? await writer.write(free.map(({ path, value }) => ({ path, value, read: true }))) : { problem: null };
    if (problem !== null) return say(asSentence(problem));
    this.said.replaceChildren(...told(read.values));
    if (free.length) said.told("Read from the advert.", true);
  }

}

/** Return in words what is filled in, what stays as it was written, and what neither the advert nor the file says. */
export function told(values: Read[]): HTMLElement[] {
  const named = (is: (one: Read) => boolean): string => values.filter(is).map(({ path }) => NAMES[path.join(".")]!).join(", ");
  const parts: [string, string][] = [
    ["Filled in, to be looked at", named(({ value, is_free }) => value !== null && is_free)],
    ["Yours stays", named(({ value, is_free }) => value !== null && !is_free)],
    ["Not found", named(({ value, is_free }) => value === null && is_free)],
  ];
  return parts.flatMap(([words, names]) => (names ? [make("span", {}, `${words}: ${names}. `)] : []));
}
