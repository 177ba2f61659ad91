/** Between the text, its form and the pages: from a place in one of them to the same in the others. */

import type { StateEffect } from "@codemirror/state";

import { find } from "./dom";
import { itemRange, type Placed, places, placesAt, setItem, type Span } from "./editor/places";
import type { Desk } from "./main";
import type { Diagnostic } from "./messages";

export class Jumps {
  /** Of which state of the text a diagnostic tells. */
  private readonly told = new WeakMap<Diagnostic, number>();
  private waiting = 0;

  constructor(private readonly desk: Desk) {}

  /** Remember of which state of the text diagnostics tell. */
  dated(all: Diagnostic[], revision: number): void {
    for (const one of all) this.told.set(one, revision);
  }

  /** Go from a text of the pages to where it is written. */
  fromPage(place: Placed): void {
    const now = this.desk.editor.state.field(places).find((one) => one.page === place.page && one.box.join() === place.box.join());
    const { from, to } = now ?? place;
    this.desk.styles.close();
    this.leavePages();
    if (this.inText) this.desk.editor.jump(from, to);
    else this.desk.form.reveal(this.lineOf(from));
  }

  /** Go to the place of a diagnostic, if it has one. */
  toDiagnostic(diagnostic: Diagnostic): void {
    const place = this.placeOf(diagnostic);
    if (!place) return;
    this.desk.styles.close();
    this.toRange(place.from);
  }

  /** Go to a part of the text: in the form, if only that is shown. */
  toRange(from: number, to?: number): void {
    if (this.desk.form.views.view === "form") {
      this.desk.showPane("form");
      return this.desk.form.reveal(this.lineOf(from));
    }
    this.desk.showPane("text");
    this.desk.editor.jump(from, to);
  }

  /** Go to a line of the text, also from the form. */
  toLine(line: number): void {
    this.desk.styles.close();
    this.intoText();
    this.desk.editor.jump(this.lineAt(line).from);
  }

  toPage(): void {
    this.desk.showPane("pages");
    this.desk.view.focus();
  }

  /** Go from the text to the form and back, to the same value. */
  across(): void {
    if (!this.desk.form.focusedHere) {
      if (this.inText) this.desk.form.views.show("form");
      this.desk.showPane("form");
      return this.desk.form.reveal(this.line);
    }
    const { line } = this.desk.form;
    this.intoText();
    if (line === null) this.desk.editor.focus();
    else this.desk.editor.jump(this.lineAt(line).to);
  }

  /** Where one side has room, show the one that is chosen; pages stay. */
  sameSide(): void {
    if (find("work").dataset["pane"] !== "pages") this.leavePages();
  }

  /** The same, also in place of the pages. */
  leavePages(): void {
    this.desk.showPane(this.inText ? "text" : "form");
  }

  showSide(which: "text" | "form"): void {
    this.desk.form.views.show(which);
    this.desk.showPane(which);
  }

  /** The line of the cursor, from 1. */
  get line(): number {
    return this.lineOf(this.desk.editor.state.selection.main.head);
  }

  lineOf(offset: number): number {
    const { doc } = this.desk.editor.state;
    return doc.lineAt(Math.min(offset, doc.length)).number;
  }

  /** Show where something is, and let the focus be. */
  look(diagnostic: Diagnostic): void {
    const place = this.placeOf(diagnostic);
    if (place) this.markLine(this.lineOf(place.from));
  }

  /** Put the cursor of the text on the line of the field that has focus. */
  markLine(number: number): void {
    this.desk.editor.change({ selection: { anchor: this.lineAt(number).to }, scrollIntoView: this.desk.form.views.view !== "form", userEvent: "select.field" });
  }

  /** Mark the item that the form shows, in the text and on the pages. */
  markItem(lines: [number, number] | null): void {
    const range = lines && { from: this.lineAt(lines[0]).from, to: this.lineAt(lines[1]).to };
    const before = this.desk.editor.state.field(itemRange);
    const effects: StateEffect<unknown>[] = [setItem.of(range)];
    if (range && range.from !== before?.from && this.desk.form.views.view === "both") effects.push(...this.desk.editor.scrolled(range.from, "start"));
    this.desk.editor.change({ effects });
    this.markItemOnPages();
  }

  /** The pages are new: mark what the form and the cursor are at. */
  markPages(): void {
    this.highlight(false);
    this.markItemOnPages();
  }

  /** The cursor moved; the pages are scrolled to its text unless it follows them. */
  moved(following: boolean): void {
    cancelAnimationFrame(this.waiting);
    this.waiting = requestAnimationFrame(() => this.highlight(!following));
  }

  private get inText(): boolean {
    return this.desk.form.views.view === "text";
  }

  /** A line of the text, or the last one. */
  private lineAt(line: number): Span {
    const { doc } = this.desk.editor.state;
    return doc.line(Math.min(line, doc.lines));
  }

  private intoText(): void {
    if (this.desk.form.views.view === "form") this.desk.form.views.show("text");
    this.desk.showPane("text");
  }

  /** Return where a diagnostic is in the text that is there now; null if it has no place. */
  private placeOf(diagnostic: Diagnostic): { from: number; to: number } | null {
    return this.desk.draft.now(diagnostic, this.told.get(diagnostic) ?? this.desk.draft.revision);
  }

  private markItemOnPages(): void {
    const range = this.desk.editor.state.field(itemRange);
    const own = range ? this.desk.editor.state.field(places).filter((one) => one.from >= range.from && one.to <= range.to) : [];
    this.desk.view.beside(this.inText ? [] : own);
  }

  private highlight(scroll: boolean): void {
    const { state } = this.desk.editor;
    const { head } = state.selection.main;
    const isFollowed = this.desk.editor.focused || this.desk.form.focusedHere || this.desk.drawer.focused;
    this.desk.view.highlight(placesAt(state.field(places), head, state.doc.lineAt(head)), scroll && isFollowed);
  }
}
