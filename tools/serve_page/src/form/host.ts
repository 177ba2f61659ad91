/** What the parts of the form ask of the page. */

import type { Path } from "../messages";
import type { Change } from "./types";
import type { Outcome } from "./writer";

export interface Host {
  /** Make an edit; `field` is the name of the field that is typed in, null for an act. */
  write(changes: Change[], field: string | null): Promise<Outcome>;
  /** Take a picture as the photo. */
  photo(file: File): void;
  /** Keep PDFs beside the application, and write their names. */
  attach(files: File[], write: (names: string[]) => Promise<unknown>): Promise<void>;
  /** Make an act on parts; none while another one is made. */
  act(make: () => Promise<void>): void;
  /** What has focus: its name, and its lines in the text. */
  focused(label: string, line: number | null): void;
  /** Show a line in the text. */
  go(line: number): void;
  /** Say something to those who don't see the page. */
  aloud(words: string): void;
  /** Say below the form what was done, with a way back. */
  told(words: string): void;
}

/** Return the words for one of what a field has many of: "Bullet". */
export function singular(title: string): string {
  return /[^s]s$/.test(title) ? title.slice(0, -1) : title;
}

/** Return the name of a place in the form, as an attribute. */
export function named(path: Path): string {
  return path.join(".");
}
