/** A box that is typed in: when its value goes to the text, and when the text comes back to it. */

import type { Outcome } from "./writer";

/** Milliseconds without a key. */
const PAUSE = 150;

export type Box = HTMLInputElement | HTMLTextAreaElement;

/** What is done with a value; what it came to, if that is known. */
export type Send = (value: string) => Promise<Outcome | void> | void;

/** Texts of a new file: they are seen as such, and what is typed takes their place. */
export const examples = new Set<string>();

export class Typed {
  private sent: string;
  /** What the text didn't take: it stays here. */
  private failed: string | null = null;
  private timer = 0;

  /** `send` gets each new value; an empty one only when the box is left: its key goes then. */
  constructor(
    readonly box: Box,
    value: string,
    private readonly send: Send,
  ) {
    this.sent = value;
    box.value = value;
    box.addEventListener("input", () => {
      clearTimeout(this.timer);
      this.timer = window.setTimeout(() => this.flush(false), PAUSE);
      grow(box);
    });
    box.addEventListener("keydown", (event) => {
      if ((event as KeyboardEvent).key === "Enter" || (event as KeyboardEvent).key === "Tab") this.flush(false);
    });
    box.addEventListener("blur", () => this.flush(true));
    box.addEventListener("focus", () => {
      // The pointer puts its cursor afterwards.
      if (examples.has(this.value)) setTimeout(() => examples.has(this.value) && box.select(), 0);
    });
    box.addEventListener("input", () => this.look());
    this.look();
    growLater(box);
  }

  /** What is written, without spaces around it. */
  get value(): string {
    return this.box.value.trim();
  }

  private look(): void {
    this.box.classList.toggle("example", examples.has(this.value));
  }

  /** Send what isn't sent. */
  flush(leaving: boolean): void {
    clearTimeout(this.timer);
    this.timer = 0;
    const { value } = this;
    if ((value === this.sent && this.failed === null) || (!value && !leaving)) return;
    this.sent = value;
    this.failed = null;
    void Promise.resolve(this.send(value)).then((outcome) => {
      if (outcome && outcome.problem !== null && this.sent === value) this.failed = value;
    });
  }

  /** Take over what the text has now, unless it is what was written here last. */
  update(value: string): void {
    if (value === this.sent || (this.failed !== null && this.failed === this.value)) return;
    this.sent = value;
    this.failed = null;
    if (this.timer) return;
    const { selectionStart, selectionEnd } = this.box;
    const focused = document.activeElement === this.box;
    this.box.value = value;
    this.look();
    if (focused) this.box.setSelectionRange(selectionStart, selectionEnd);
    grow(this.box);
  }

  /** Write a value here that is sent in another way. */
  put(value: string): void {
    clearTimeout(this.timer);
    this.timer = 0;
    this.sent = value.trim();
    this.failed = null;
    this.box.value = value;
    this.look();
    grow(this.box);
  }
}

/** Make a box as high as its text. */
function grow(box: Box): void {
  if (!(box instanceof HTMLTextAreaElement)) return;
  box.style.height = "auto";
  if (box.scrollHeight) box.style.height = `${box.scrollHeight + box.offsetHeight - box.clientHeight}px`;
}

const width = new ResizeObserver((entries) => {
  for (const { target, contentRect } of entries) {
    const box = target as HTMLTextAreaElement;
    // Its own height changes, too: only another width makes other lines.
    if (box.dataset["width"] === String(contentRect.width)) continue;
    box.dataset["width"] = String(contentRect.width);
    grow(box);
  }
});

function growLater(box: Box): void {
  if (box instanceof HTMLTextAreaElement) width.observe(box);
}
