/** What the start page asks and is told: docs/internals/serve.md. */

import type { Diagnostic } from "../messages";

export interface Style {
  name: string;
  title: string;
  about: string;
  /** The address of its picture; null for one of the workspace's own. */
  picture: string | null;
}

export interface PersonHere {
  name: string;
  title: string;
  path: string;
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
  applications: Application[];
  styles: Style[];
  languages: { tag: string; name: string }[];
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
