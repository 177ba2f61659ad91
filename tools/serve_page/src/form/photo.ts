/** A photo: the name of its file, and a picture that is chosen or dropped in its place. */

import { asSentence, make } from "../dom";
import { post, Refused } from "../requests";
import { encoded } from "../start/drop";
import type { Control } from "./controls";
import type { Host } from "./host";
import type { Field } from "./types";

/** As many bytes as the server takes: docs/internals/serve.md. */
const MOST = 10 << 20;

export class Photo implements Control {
  readonly element: HTMLElement;
  readonly box: HTMLElement;
  private readonly choose: HTMLButtonElement;

  constructor(
    private readonly name: Control,
    host: Host,
  ) {
    const input = make("input", { type: "file", accept: "image/png,image/jpeg", hidden: true, "aria-label": "A picture" });
    input.onchange = () => {
      const [file] = input.files ?? [];
      if (file) host.photo(file);
      input.value = "";
    };
    this.box = name.box!;
    this.choose = make("button", { type: "button", click: () => input.click() }, "Choose a picture…");
    this.element = make("div", { class: "photo" }, name.element, this.choose, input);
    const over = (event: DragEvent, yes: boolean): void => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      this.element.classList.toggle("over", yes);
    };
    this.element.addEventListener("dragover", (event) => over(event, true));
    this.element.addEventListener("dragleave", (event) => over(event, false));
    this.element.addEventListener("drop", (event) => {
      over(event, false);
      const [file] = event.dataTransfer?.files ?? [];
      if (file) host.photo(file);
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
}

/** Give a person a picture; returns the name of its file, or what is wrong with it. */
export async function keep(file: File, person: string): Promise<{ name: string; problem: string | null }> {
  if (file.size > MOST) return { name: "", problem: "The picture is over 10 MiB; make it smaller." };
  try {
    const { name } = (await (await post("/photo", { person, data: await encoded(file) })).json()) as { name: string };
    return { name, problem: null };
  } catch (error) {
    return { name: "", problem: error instanceof Refused ? asSentence(error.message) : `The picture can’t be read: ${String(error)}` };
  }
}
