/** What is said of what happened, where the page is looked at and to those who don't see it. */

import { asSentence, find } from "./dom";
import type { Diagnostic } from "./messages";

/** The fewest milliseconds that it stays. */
const KEEP = 8000;
let timer = 0;

/** Say something to those who don't see the page. */
export function aloud(words: string): void {
  find("aloud").textContent = words;
}

/** Say what happened; `undoable` is whether it can be taken back. */
export function told(words: string, undoable = false): void {
  find("told").hidden = false;
  find("told-words").textContent = words;
  find("undo-told").hidden = !undoable;
  clearTimeout(timer);
  timer = window.setTimeout(untold, Math.max(KEEP, words.length * 100));
}

export function untold(): void {
  find("told").hidden = true;
}

/** Ask whether to go on while texts are still examples; true if none is. */
export function goesOn(problems: readonly Diagnostic[], act: string): boolean {
  const examples = problems.filter(({ code }) => code === "starter").map(({ message }) => asSentence(message));
  return !examples.length || confirm(`${[...new Set(examples)].join(" ")} ${act} all the same?`);
}
