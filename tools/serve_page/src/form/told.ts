/** What is said of what was done: below the form, with a way back, and to those who don't see the page. */

import { find } from "../dom";

/** Milliseconds that it stays. */
const KEEP = 8000;

export class Told {
  private silence = 0;

  /** Say below the form what was done; `undoable` is whether it can be taken back. */
  say(words: string, undoable = true): void {
    find("told").hidden = false;
    find("told-words").textContent = words;
    find("undo-told").hidden = !undoable;
    clearTimeout(this.silence);
    this.silence = window.setTimeout(() => this.hide(), KEEP);
  }

  aloud(words: string): void {
    find("aloud").textContent = words;
  }

  hide(): void {
    find("told").hidden = true;
  }
}
