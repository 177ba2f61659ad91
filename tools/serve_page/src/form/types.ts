/** What the server tells of a file as a form (docs/internals/serve.md). */

import type { Diagnostic, Part, Path } from "../messages";

export interface Lines {
  text: string;
  line: number;
  end_line: number;
}

export interface Text {
  language: string;
  value: string;
  path: Path;
  line: number | null;
}

export interface Row {
  path: Path;
  outer: Path;
  value: string | null;
  label?: string | null;
  /** Whether a link is written with both of its keys. */
  pair?: boolean;
  private?: boolean;
  /** The text in each language, where it has several. */
  texts?: Text[] | null;
  /** The points under a bullet. */
  below?: Pick<Field, "name" | "title" | "path" | "rows"> | null;
  more?: Lines | null;
  line: number | null;
  end_line: number | null;
}

interface DateParts {
  start: string;
  end: string;
  present: boolean;
  word: string;
  /** What is written between the dates; null where each has a key of its own. */
  between: string | null;
  printed: string;
  path: Path;
}

export interface Field {
  name: string;
  key: string;
  title: string;
  about: string;
  kind: "text" | "passage" | "block" | "day" | "date" | "list" | "links" | "pairs" | "items" | "switch" | "number" | "choice" | "lines" | "model";
  path: Path;
  outer: Path;
  value: string | null;
  /** What holds where nothing is written. */
  unset?: string;
  usual: boolean;
  selecting: boolean;
  private: boolean;
  /** Whether words can be bold, slanted, or a link. */
  prose: boolean;
  choices: string[];
  /** What choices are called, where they are names. */
  words?: Record<string, string>;
  line: number | null;
  end_line: number | null;
  texts?: Text[];
  date?: DateParts;
  rows?: Row[];
  labels?: [string, string][] | null;
  items?: Sheet[];
  lines?: Lines;
  /** Where a value comes from that nobody has looked at. */
  guess?: string;
}

/** The fields of a part. */
export interface Sheet {
  path: Path;
  title: string;
  detail?: string;
  selecting: boolean;
  fields: Field[];
  line: number | null;
  end_line: number | null;
}

/** One step of an edit. */
export interface Change {
  path: Path;
  value?: unknown;
  insert?: boolean;
  to?: number;
  /** Whether a copy of what is there comes behind it. */
  copy?: boolean;
  /** The text above the path, of which the value is a translation. */
  translates?: { language: string; text: string };
  /** Whether an advertisement says the value: it is marked so, and takes no other's place. */
  read?: boolean;
  /** Whether what is there is right: its mark goes. */
  sure?: boolean;
}

/** Where the first value of an edit is now, or what was wrong. */
export type Outcome = { path: Path; problem: null } | { path: null; problem: string };

/** What shows a field and writes it. */
export interface Control {
  element: HTMLElement;
  /** The box that the label belongs to. */
  box?: HTMLElement;
  /** Return what is written in it, if that is one value. */
  written?(): string;
  update(field: Field): void;
  /** Focus what isn't its first box or button. */
  focus?(): void;
  /** Focus what has a line; without it, the control has one line alone. */
  focusLine?(line: number): boolean;
  /** Say what is wrong with fields in it. */
  wrong?(faults: Diagnostic[], leaving: boolean): void;
}

/** Return whether two paths are the same. */
export function samePath(one: Path, other: Path): boolean {
  return one.length === other.length && one.every((step, index) => step === other[index]);
}

/** Return the part at a path, and those that hold it, from the top. */
export function chain(parts: readonly Part[], path: Path): Part[] {
  for (const part of parts) {
    if (samePath(part.path, path)) return [part];
    const below = chain(part.items, path);
    if (below.length) return [part, ...below];
  }
  return [];
}

/** Return the deepest part that holds a line. */
export function partAt(parts: readonly Part[], line: number): Part | null {
  const inside = parts.filter((part) => part.path.length && part.line <= line && line <= part.end_line);
  for (const part of inside) return partAt(part.items, line) ?? part;
  return null;
}

/** Return parts and all that they hold, from the top. */
export function every(parts: readonly Part[]): Part[] {
  return parts.flatMap((part) => [part, ...every(part.items)]);
}

/** Return the words for one of what a field has many of: "Bullet". */
export function singular(title: string): string {
  return /[^s]s$/.test(title) ? title.slice(0, -1) : title;
}

/** Return the name of a place in the form, as an attribute. */
export function named(path: Path): string {
  return path.join(".");
}
