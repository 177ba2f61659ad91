/** What is said of what happened: in the header, at the start, below the form, and to those who don't see the page. */

import { asSentence, find } from "./dom";
import type { Diagnostic } from "./messages";

/** Milliseconds that it stays. */
const KEEP = 8000;
const timers = new Map<string, number>();

/** Say something to those who don't see the page. */
export function aloud(words: string): void {
  find("aloud").textContent = words;
}

/** Say what happened; at the start only what is wrong is said. */
export function tell(words: string, wrong = true): void {
  find("notice").textContent = words;
  if (wrong || find("start").hidden) find("start-notice").textContent = wrong ? words : "";
  later("notice", () => (find("notice").textContent = ""));
}

/** Say below the form what was done; `undoable` is whether it can be taken back. */
export function told(words: string, undoable = true): void {
  find("told").hidden = false;
  find("told-words").textContent = words;
  find("undo-told").hidden = !undoable;
  later("told", untold);
}

export function untold(): void {
  find("told").hidden = true;
}

function later(what: string, action: () => void): void {
  clearTimeout(timers.get(what));
  timers.set(what, window.setTimeout(action, KEEP));
}

/** Ask whether to go on while texts are still examples; true if none is. */
export function goesOn(problems: readonly Diagnostic[], act: string): boolean {
  const examples = problems.filter(({ code }) => code === "starter").map(({ message }) => asSentence(message));
  return !examples.length || confirm(`${[...new Set(examples)].join(" ")} ${act} all the same?`);
}
