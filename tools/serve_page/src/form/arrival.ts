/** Where the focus goes as soon as it can: to a line of the text, or to the first field of a part. */

import type { ChangeSet } from "@codemirror/state";

import type { Editor } from "../editor/editor";
import type { Path } from "../messages";
import type { Selected } from "./selected";
import type { SheetView } from "./sheet";
import type { Told } from "./told";
import { partAt, samePath } from "./types";

/** A line, or the first field; its text is selected if it is new. */
type Wanted = number | "first" | "new" | null;

export class Arrival {
  private wanted: Wanted = null;
  private undone = "";

  constructor(
    private readonly editor: Editor,
    private readonly selected: Selected,
    private readonly fields: HTMLElement,
    private readonly told: Told,
    private readonly open: (path: Path) => void,
  ) {}

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
    const { doc } = this.editor.view.state;
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
    if (document.activeElement?.closest("[role=dialog]")) return this.want(null);
    if (typeof wanted === "number") {
      const part = partAt(this.selected.parts, wanted);
      if (part && !samePath(part.path, this.selected.path)) return this.open(part.path);
      if (!view.focusLine(wanted)) view.focusFirst();
    } else {
      view.focusFirst();
      if (wanted === "new" && document.activeElement instanceof HTMLTextAreaElement) document.activeElement.select();
    }
    this.wanted = null;
    if (this.undone) this.told.aloud(`${this.undone}: ${this.label(view)}`);
    this.undone = "";
  }

  private label(view: SheetView): string {
    const box = document.activeElement as HTMLElement | null;
    const own = box?.id ? this.fields.querySelector(`label[for="${box.id}"]`)?.textContent : null;
    return box?.getAttribute("aria-label") ?? own ?? view.title;
  }
}
