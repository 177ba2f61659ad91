/** What is wrong: the list below the editor with notes about the pages, and a file that was changed elsewhere. */

import { counted, find, lineRow, make, redraw } from "../dom";
import { styled } from "../editor/editor";
import type { Desk } from "../main";
import { type Diagnostic, type OnDisk, sentence } from "../messages";

const ORDER = { error: 0, warning: 1, note: 2 };

export class Problems {
  private readonly box = find<HTMLDetailsElement>("problems");
  private readonly list = find("problem-list");
  private ofText: Diagnostic[] = [];
  private ofPages: Diagnostic[] = [];

  constructor(private readonly desk: Desk) {}

  /** What is wrong in the text. */
  text(diagnostics: Diagnostic[]): void {
    this.ofText = diagnostics;
    this.show();
  }

  /** What was said while the document that is shown was made. */
  pages(diagnostics: Diagnostic[]): void {
    this.ofPages = diagnostics;
    this.show();
  }

  /** What is wrong, of the text and of the pages. */
  get all(): Diagnostic[] {
    return [...this.ofText, ...this.ofPages];
  }

  focus(): void {
    this.box.open = true;
    (this.list.querySelector("button") ?? this.box.querySelector("summary"))?.focus();
  }

  private show(): void {
    const seen = new Set<string>();
    const all = this.all.filter((one) => {
      const key = `${one.line}:${one.column}:${one.message}`;
      return !seen.has(key) && seen.add(key);
    });
    all.sort((one, other) => ORDER[one.severity] - ORDER[other.severity]);
    const count = (severity: Diagnostic["severity"]): number => all.filter((one) => one.severity === severity).length;
    const words = (Object.keys(ORDER) as Diagnostic["severity"][])
      .filter((severity) => count(severity))
      .map((severity) => counted(count(severity), severity));
    find("problem-count").textContent = words.join(", ") || "No problems";
    this.box.className = count("error") ? "error" : count("warning") ? "warning" : "";
    redraw(this.list, all, () => all.map((one) =>
      make("li", {}, lineRow(one.line, () => this.desk.jumps.toDiagnostic(one), make("span", { class: `mark ${one.severity}` }, one.severity), sentence(one)))));
    find("problem-none").hidden = all.length > 0;
  }
}

// -- the bar about a file that was changed elsewhere, and the difference side by side -------------

export class Conflict {
  private readonly bar = find("conflict");
  private readonly dialog = find<HTMLDialogElement>("difference");
  private readonly root = styled(find("difference-view"));
  private view: { destroy(): void } | null = null;
  private theirs: OnDisk | null = null;

  constructor(private readonly desk: Desk) {
    find("conflict-compare").onclick = () => this.compare();
    for (const place of ["conflict", "difference"]) {
      find(`${place}-mine`).onclick = () => this.desk.draft.resolve(true);
      find(`${place}-theirs`).onclick = () => this.desk.draft.resolve(false);
    }
    this.dialog.onclose = () => {
      this.view?.destroy();
      this.view = null;
    };
  }

  /** Show the bar about what the file holds now; null hides it. */
  show(theirs: OnDisk | null): void {
    if (theirs === this.theirs) return;
    this.theirs = theirs;
    this.bar.hidden = theirs === null;
    if (this.dialog.open) this.dialog.close();
    if (!theirs) return;
    const { fault } = theirs;
    const gone = theirs.text === null;
    const { path } = this.desk.draft;
    find("conflict-words").textContent = fault
      ? `${sentence(fault)}. The file was changed elsewhere; your text is still here.`
      : gone
      ? `${path} was renamed or deleted. Your text is still here, and not saved.`
      : `${path} was changed elsewhere while you were writing. Nothing is overwritten until you choose.`;
    find("conflict-mine").textContent = gone && !fault ? "Write the file again" : "Keep my text";
    find("conflict-theirs").hidden = gone;
    find("conflict-compare").hidden = gone;
  }

  private compare(): void {
    const text = this.theirs?.text;
    if (text === null || text === undefined) return;
    this.dialog.showModal();
    void this.desk.editor.compare(this.root, text).then((view) => (this.dialog.open ? (this.view = view) : view?.destroy()));
  }
}
