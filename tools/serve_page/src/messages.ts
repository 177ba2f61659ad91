/** What travels between the page and the server: docs/internals/serve.md. */

/** How a file is shown. */
export type View = "text" | "form" | "both";

/** Where something is in the text: lines and columns from 1. */
export interface Place {
  line: number;
  column: number;
  end_line: number;
  end_column: number;
}

/** The same of what may have no place. */
export type Located = { [Key in keyof Place]: number | null };

export interface Diagnostic extends Located {
  severity: "error" | "warning" | "note";
  code: string;
  message: string;
  hint: string | null;
  file: string | null;
}

export interface Document {
  name: string;
  kind: "template" | "variant" | "letter";
  private: boolean;
  locale: string | null;
}

export type Value = string | number | boolean | null | string[];
export type Path = (string | number)[];

export interface Option {
  name: string;
  title: string;
  /** The title that it is under, with others. */
  group: string;
  /** What it does, in a sentence. */
  about: string;
  kind: "colour" | "choice" | "number" | "text" | "switch" | "list";
  value: Value;
  default: Value;
  choices: string[];
  least: number | null;
  most: number | null;
  /** Where to put a value for this document alone. */
  path: Path;
  /** Where the value is set in the file; null where it is the default. */
  from: (Place & { path: Path }) | null;
}

export interface Described {
  document: Document;
  title: string;
  picked: boolean;
  /** The language that it is in, by name; null if that isn't known. */
  language: string | null;
  options: Option[];
}

export interface Person {
  name: string;
  title: string;
  path: string;
}

export interface Picture {
  picture: string;
  width: number;
  height: number;
}

export type Box = [number, number, number, number];

/** Where a text is on the pages, and in the file. */
export interface Shown extends Place {
  page: number;
  box: Box;
  path: Path;
  /** The whole text, as it is printed. */
  words: string;
}

/** A part of the file: its head, a section, an item. */
export interface Part {
  path: Path;
  kind: string;
  title: string;
  detail: string;
  line: number;
  end_line: number;
  errors: number;
  ordered: "date" | "file" | null;
  items: Part[];
  bib?: string | null;
}

/** What the server says of a file besides its text. */
export interface About {
  kind: "person" | "application" | "letter";
  slug?: string;
  title?: string;
  /** Whose application it is. */
  person?: string;
  /** Names under which its files are opened; the letter is null if it is none of its own. */
  application?: string;
  letter?: string | null;
}

/** A comment of an import: docs/internals/serve.md. */
export interface Doubt extends Place {
  kind: "guess" | "lost";
  words: string;
  key: string;
  value: [number, number, number, number] | null;
}

/** What can be added. */
export interface Kind {
  kind: string;
  title: string;
  item: string;
  value: unknown;
  rows: boolean;
}

export interface Opened {
  type: "opened";
  person: string;
  path: string;
  text: string;
  version: string;
  revision: number;
  documents: Described[];
  about: About;
  /** What a document can be downloaded as. */
  formats: string[];
  /** The languages that its pages can be in, by tag. */
  languages: Record<string, string>;
  /** How a file is to be shown; null if that was never chosen. */
  view: View | null;
  kinds: Kind[];
  /** Texts of a new file, to be written over. */
  examples: string[];
}

export interface Checked {
  type: "checked";
  revision: number;
  diagnostics: Diagnostic[];
  /** What an import guessed or lost. */
  doubts: Doubt[];
  /** Null if they are as they were. */
  documents: Described[] | null;
  /** The parts of the file; null if the text can't be parsed. */
  outline: Part[] | null;
}

/** What one page has no room for; `path` is where `keep: true` holds it, null if nothing does. */
export interface LeftOut extends Diagnostic {
  path: Path | null;
}

/** What is told of a document that is made of a text. */
interface OfDocument {
  revision: number;
  document: Document;
}

export interface Pages extends OfDocument {
  type: "pages";
  pages: Picture[];
  left_out: LeftOut[];
  notes: Diagnostic[];
}

/** Pages that may still be set anew, to fill the last one or to be as many as were asked for. */
export interface Early extends OfDocument {
  type: "early";
  pages: Picture[];
}

export interface Places extends OfDocument {
  type: "places";
  places: Shown[];
}

/** How long a text is that the document limits; `path` is that of its part. */
export interface Count {
  name: string;
  unit: string;
  used: number;
  most: number;
  path: Path;
}

export interface OnDisk {
  type: "conflict" | "changed";
  version: string | null;
  text: string | null;
  /** Why the file can't be edited. */
  fault?: Diagnostic | null;
}

export type FromServer =
  | { type: "people"; people: Person[]; first: string | null }
  | Opened
  | Checked
  | ({ type: "making" } & OfDocument)
  | Early
  | Pages
  | Places
  | ({ type: "failed"; diagnostics: Diagnostic[] } & OfDocument)
  | { type: "counts"; counts: Count[] }
  | { type: "saved"; revision: number; version: string }
  | OnDisk
  | { type: "error"; message: string; hint: string | null };

export type FromPage =
  | { type: "open"; person: string }
  | { type: "edit"; revision: number; text: string }
  | { type: "show"; document: Document; scale: number }
  | { type: "look"; view: View }
  | { type: "save"; revision: number; version: string | null; force?: true };

/** Return whether two documents are the same one. */
export function same(one: Document | null, other: Document | null): boolean {
  const keys = ["name", "kind", "private", "locale"] as const;
  return one !== null && other !== null && keys.every((key) => one[key] === other[key]);
}

/** Return one sentence: what is wrong, and how to mend it. */
export function sentence({ message, hint }: Pick<Diagnostic, "message" | "hint">): string {
  return hint ? `${message}; ${hint}` : message;
}

export interface Style {
  name: string;
  title: string;
  about: string;
}

export interface PersonHere extends Person {
  /** Seconds since 1970 of the last change. */
  changed: number | null;
}

export interface Application {
  slug: string;
  employer: string;
  position: string;
  person: string;
  status: string;
  deadline: string | null;
  days_left: number | null;
  sent: { date: string; folder: string }[];
  over: boolean;
  errors: number;
}

export interface Workspace {
  /** What is wrong with the files of the applications. */
  diagnostics: Diagnostic[];
  folder: string;
  people: PersonHere[];
  /** Names of files that were removed, and can be put back. */
  removed: string[];
  removed_applications: string[];
  applications: Application[];
  styles: Style[];
  languages: Record<string, string>;
}

/** How a person's file is. */
export interface State {
  errors: number;
  line: number | null;
  unsure: number;
  pages: number | null;
  /** Page 1 as PNG, in base64. */
  picture: string | null;
}

/** A file that was made or is there. */
export interface Target {
  person: string;
  path: string;
  exists?: boolean;
}
