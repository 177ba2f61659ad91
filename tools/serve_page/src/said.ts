/** What is said of what happened, where the page is looked at and to those who don't see it, and when it was. */

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

// -- times and days in words --------------------------------------------------------------------------

/** Days before a deadline from which it is told in another colour. */
export const SOON = 14;

const DAY = 86_400_000;

/** Return when something was, from seconds since 1970: today, yesterday, 12 Oct, 2 Sep 2024. */
export function ago(seconds: number | null): string {
  if (seconds === null) return "";
  const then = new Date(seconds * 1000);
  const now = new Date();
  const days = Math.round((midnight(now) - midnight(then)) / DAY);
  if (days === 0) return "today";
  if (days === 1) return "yesterday";
  return day(then, then.getFullYear() !== now.getFullYear());
}

/** Return a date as 2 Nov. */
export function dated(iso: string): string {
  const then = new Date(`${iso}T12:00:00`);
  return day(then, then.getFullYear() !== new Date().getFullYear());
}

function day(then: Date, withYear: boolean): string {
  return then.toLocaleDateString("en-GB", { day: "numeric", month: "short", ...(withYear && { year: "numeric" }) });
}

function midnight(date: Date): number {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}
