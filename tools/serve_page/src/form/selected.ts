/** The part of the file that is selected, and where the focus goes as soon as its fields are here. */

import type { ChangeSet } from "@codemirror/state";

import type { Desk } from "../main";
import type { SheetView } from "./sheet";
import { chain, every, partAt, samePath } from "./types";
import type { Part, Path } from "../messages";
import { RichText } from "../rich/box";
import { aloud } from "../said";
import type { Form } from "./form";

export class Selected {
  /** The outline of the file. */
  parts: Part[] = [];
  path: Path = [];
  /** Where the part is in the text, moved along with changes; null if that isn't known. */
  private at: number | null = null;

  constructor(private readonly desk: Desk) {}

  get part(): Part | null {
    return chain(this.parts, this.path).at(-1) ?? null;
  }

  /** What holds the part. */
  get above(): Part | null {
    return chain(this.parts, this.path).at(-2) ?? null;
  }

  /** Return the parts that a part can change places with, itself among them. */
  siblings(part: Part): readonly Part[] {
    return chain(this.parts, part.path).at(-2)?.items ?? this.parts.filter(({ path }) => path[0] === "sections");
  }

  /** Select what is at a path of the outline. */
  set(path: Path): void {
    this.path = path;
    const { doc } = this.desk.editor.state;
    this.at = this.part ? doc.line(Math.min(this.part.line, doc.lines)).from : null;
  }

  /** Select what will be at a path of the text that is there now: the outline isn't of it yet. */
  await(path: Path): void {
    this.path = path;
    this.at = null;
  }

  /** The text changed. */
  edited(changes: ChangeSet): void {
    if (this.at !== null) this.at = changes.mapPos(this.at, 1);
  }

  /** Take in the outline of the text that is there now: lines may have been added or moved above the part. */
  follow(parts: Part[]): void {
    this.parts = parts;
    const { doc } = this.desk.editor.state;
    if (this.at !== null && this.path.length) {
      const line = doc.lineAt(Math.min(this.at, doc.length)).number;
      if (this.part?.line !== line) {
        // What has a name is found by it.
        const listed = typeof this.path.at(-1) === "number";
        const moved = listed && every(parts).find(({ path, line: begins }) => path.length === this.path.length && begins === line);
        if (moved) this.path = moved.path;
        else if (!this.part) this.path = this.nearest();
      }
    }
    this.set(this.path);
  }

  /** Return the path of the part, else of the one before it, else of what holds it. */
  private nearest(): Path {
    for (let path = this.path; path.length; path = path.slice(0, -1)) {
      const last = path.at(-1);
      const before = typeof last === "number" && last > 0 ? [...path.slice(0, -1), last - 1] : null;
      for (const one of [path, before]) if (one && chain(this.parts, one).length) return one;
    }
    return [];
  }
}

/** A line, or the first field; its text is selected if it is new. */
type Wanted = number | "first" | "new" | null;

export class Arrival {
  private wanted: Wanted = null;
  private undone = "";

  constructor(private readonly form: Form) {}

  want(wanted: Wanted): void {
    this.wanted = wanted;
  }

  /** Undo or redo, and go to what that changes; `words` say which. */
  back(words: string, way: () => boolean): void {
    this.wanted = null;
    this.undone = words;
    if (!way()) this.undone = "";
  }

  /** The text changed. */
  edited(changes: ChangeSet): void {
    if (!this.undone) return;
    const { doc } = this.form.desk.editor.state;
    changes.iterChanges((_fromA, _toA, fromB, toB) => {
      if (typeof this.wanted === "number") return;
      const line = doc.lineAt(fromB);
      // Where lines went, what is above them is nearer than what is below.
      const gone = fromB === toB && /^[\s-]*$/.test(line.text.slice(0, fromB - line.from));
      this.wanted = Math.max(1, line.number - Number(gone));
    });
  }

  /** Go to what is wanted, if it is among the fields that are here. */
  arrive(view: SheetView): void {
    const { wanted } = this;
    if (wanted === null) return;
    // Somebody has begun something else meanwhile, such as to choose a person.
    if (document.activeElement?.closest("[role=dialog], [role=menu]")) return this.want(null);
    if (typeof wanted === "number") {
      const part = partAt(this.form.selected.parts, wanted);
      if (part && !samePath(part.path, this.form.selected.path)) return this.form.open(part.path);
      if (!view.focusLine(wanted)) view.focusFirst();
    } else {
      view.focusFirst();
      const box = document.activeElement;
      if (wanted === "new" && (box instanceof HTMLTextAreaElement || box instanceof RichText)) box.select();
    }
    this.wanted = null;
    if (this.undone) aloud(`${this.undone}: ${this.label(view)}`);
    this.undone = "";
  }

  private label(view: SheetView): string {
    const box = document.activeElement as HTMLElement | null;
    const own = box?.id ? document.querySelector(`label[for="${box.id}"]`)?.textContent : null;
    return box?.getAttribute("aria-label") ?? own ?? view.title;
  }
}
