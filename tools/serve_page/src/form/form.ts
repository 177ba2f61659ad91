/** The form: a view of the text. Every act is one edit of it; nothing is kept here. */

import type { ChangeSet } from "@codemirror/state";

import { find, matches } from "../dom";
import type { Desk } from "../main";
import type { Diagnostic, Kind, Opened, Part, Path, Value } from "../messages";
import { NARROW, Views } from "../panels/panes";
import { type Choice, Finder, menu } from "../panels/popups";
import { told, untold } from "../said";
import { ask } from "../server";
import { AdvertBox } from "../start/applications";
import { Acts, additions } from "./acts";
import { Around, Waits } from "./around";
import { Outline } from "./outline";
import { Arrival, Selected } from "./selected";
import { SheetView } from "./sheet";
import { examples, Writer } from "./typed";
import { type Change, named, type Outcome, partAt, samePath, type Sheet } from "./types";

export class Form {
  readonly views: Views;
  readonly writer: Writer;
  readonly selected: Selected;
  readonly acts = new Acts(this);
  readonly waits = new Waits((line) => this.go(line));
  /** What can be added. */
  kinds: Kind[] = [];
  private readonly outline = new Outline(this);
  private readonly add: Finder;
  readonly around = new Around(this);
  private readonly advert = new AdvertBox(this);
  readonly arrival = new Arrival(this);
  private readonly box = find("form");
  private readonly fields = find("fields");
  private view: SheetView | null = null;
  private faults: Diagnostic[] = [];
  private asked = 0;
  /** The line of the field that has focus. */
  line: number | null = null;

  constructor(readonly desk: Desk) {
    this.views = new Views(desk);
    this.writer = new Writer(desk);
    this.selected = new Selected(desk);
    this.add = new Finder("add", find("add-button"), (words) => this.addable(words));
    this.box.addEventListener("input", () => desk.quiet.key());
    this.fields.addEventListener("focusout", () => setTimeout(() => this.mark(), 0));
    find("part-up").onclick = () => this.acts.step(this.selected.part, -1);
    find("part-down").onclick = () => this.acts.step(this.selected.part, 1);
    menu(find("part-menu"), "What can be done", () => this.acts.menu());
    find("form-back").onclick = () => this.narrow("outline");
    for (const id of ["undo-told", "form-undo"]) find(id).onclick = () => void this.undo(false);
    find("form-see").onclick = () => desk.jumps.toPage();
    find("form-add").onclick = () => this.add.open();
  }

  /** A new file: its form comes first, unless the text was chosen before. */
  begin(): void {
    this.views.prefer("form");
    if (this.views.view !== "text") this.arrival.want("first");
  }

  /** Another file is open. */
  opened({ kinds, examples: texts }: Opened): void {
    Object.assign(this, { view: null, kinds });
    for (const text of texts) examples.add(text);
    this.arrival.want(null);
    this.around.counted([]);
    this.selected.parts = [];
    this.selected.await([]);
    this.acts.forget();
    this.fields.replaceChildren();
    this.advert.forget();
    this.narrow("outline");
  }

  /** Take in what was checked of the text that is there now; null for an outline is a text that can't be read. */
  checked(outline: Part[] | null, faults: Diagnostic[]): void {
    this.waits.checked(outline !== null, faults);
    this.acts.checked();
    if (!outline) return this.acts.wake(false);
    this.selected.follow(outline);
    if (this.views.view === "text") return this.acts.wake(true);
    this.draw();
    void this.refresh().then(() => this.acts.wake(true));
  }

  /** Write what is typed; done when the text has it. */
  async settled(): Promise<void> {
    const active = document.activeElement;
    if (active instanceof HTMLElement && this.fields.contains(active)) active.dispatchEvent(new Event("blur"));
    await this.writer.settled();
  }

  /** Make an edit that isn't of a field; returns what was wrong. */
  async set(path: Path, value: Value): Promise<string | null> {
    return (await this.writer.write([{ path, value }])).problem;
  }

  /** Say below its field what is wrong; null says nothing new. */
  wrong(faults: Diagnostic[]): void {
    this.faults = faults.filter(({ severity }) => severity === "error");
    this.mark();
  }

  /** The text changed, by whatever. */
  edited(changes: ChangeSet): void {
    this.selected.edited(changes);
    this.arrival.edited(changes);
  }

  /** Open the part that has a line, and focus its field unless the focus `stays`. */
  reveal(line: number, stays = false): void {
    const part = partAt(this.selected.parts, line) ?? this.selected.parts[0];
    if (!part) return;
    if (!stays) this.arrival.want(line);
    // What isn't shown takes no focus.
    this.narrow("item");
    if (!samePath(part.path, this.selected.path) || !this.view) this.open(part.path);
    else if (!stays) this.arrival.arrive(this.view);
  }

  /** Take back the last edit, or make it again, wherever it was made, and go to what changed. */
  async undo(again: boolean): Promise<void> {
    await this.settled();
    this.arrival.back(again ? "Done again" : "Undone", () => this.desk.editor.undo(again));
    untold();
  }

  /** Whether something in the form has focus. */
  get focusedHere(): boolean {
    return this.box.contains(document.activeElement);
  }

  // -- what is shown ---------------------------------------------------------------------------------

  /** Another view of the file is shown. */
  seen(): void {
    this.desk.jumps.markItem(null);
    if (this.views.view !== "form") void this.desk.editor.show();
    if (this.views.view === "text") return;
    this.draw();
    if (!this.view && this.selected.path.length === 0) {
      return this.open(partAt(this.selected.parts, this.desk.jumps.line)?.path ?? []);
    }
    void this.refresh();
  }

  private draw(): void {
    for (const id of ["add-button", "form-add"]) find(id).hidden = this.desk.draft.kind !== "person";
    this.outline.show();
  }

  open(path: Path): void {
    this.selected.set(path);
    this.outline.show();
    // What is typed goes to the fields that are seen: until others are here, nothing is.
    // The same fields stay: what is typed in them meanwhile is.
    if (this.fields.dataset["path"] !== named(path)) {
      this.waits.hold(true);
      this.view = null;
    }
    void this.writer.settled().then(() => this.refresh());
  }

  /** Show what will be at a path of the text that is there now; `added` is whether it was just added. */
  goTo(path: Path, added: boolean): void {
    if (added) {
      this.arrival.want("new");
      if (this.views.view === "text") this.views.show("form");
      this.narrow("item");
    }
    this.selected.await(path);
    this.view = null;
    void this.refresh();
  }

  private async refresh(): Promise<void> {
    if (!this.waits.parsed || !this.desk.draft.person) return;
    const [turn, { path }, text, { kind }] = [++this.asked, this.selected, this.desk.editor.text, this.desk.draft];
    try {
      const sheet = await ask<Sheet>("/fields", { text, kind, path });
      // Newer ones follow as soon as the text is checked.
      if (turn !== this.asked || text !== this.desk.editor.text || !this.writer.idle) return;
      this.show(sheet);
    } catch {
      // The text doesn't parse, or the server is gone: both are said elsewhere.
      if (turn !== this.asked || this.fields.dataset["path"] === named(path)) return;
      this.fields.replaceChildren();
      delete this.fields.dataset["path"];
    }
  }

  private show(sheet: Sheet): void {
    this.waits.hold(false);
    if (this.view && this.fields.dataset["path"] === named(sheet.path)) this.view.update(sheet);
    else {
      this.view = new SheetView(sheet, this);
      this.fields.replaceChildren(this.view.element);
      this.fields.dataset["path"] = named(sheet.path);
      this.fields.parentElement!.scrollTop = 0;
    }
    this.around.show(sheet);
    find("advert-box").hidden = this.desk.draft.kind !== "application" || sheet.path.length > 0;
    this.desk.jumps.markItem(sheet.line === null ? null : [sheet.line, sheet.end_line ?? sheet.line]);
    this.arrival.arrive(this.view);
    this.mark();
  }

  private mark(): void {
    this.view?.wrong(this.faults, !this.fields.contains(document.activeElement));
  }

  // -- what is done ----------------------------------------------------------------------------------

  /** Make an edit; `field` is the name of the field that is typed in, null for an act. */
  async write(changes: Change[], field: string | null): Promise<Outcome> {
    const outcome = await this.writer.write(changes, field);
    const name = field ?? named(changes[0]?.path ?? []);
    if (!this.view?.refused(name, outcome.problem ?? "") && outcome.problem !== null) told(outcome.problem);
    return outcome;
  }

  /** Say below a field that something wasn't taken. */
  refused(field: string, problem: string): void {
    this.view?.refused(field, problem);
  }

  /** A field has focus: its line in the text. */
  focused(line: number | null): void {
    this.line = line;
    if (line !== null) this.desk.jumps.markLine(line);
  }

  /** Show a part that was chosen; `enter` is whether to go to its first field. */
  chosen(part: Part, enter: boolean): void {
    this.arrival.want(enter ? "first" : null);
    this.open(part.path);
    if (enter || !this.outline.focused || NARROW.matches) this.narrow("item");
  }

  /** Add to a section; offer sections for null. */
  offer(section: Part | null): void {
    if (section) this.acts.into(section);
    else this.add.open("Section of ");
  }

  /** Return what is known of a kind of section. */
  kind(name: string | undefined): Kind | undefined {
    return this.kinds.find(({ kind }) => kind === name);
  }

  /** Show a line in the text. */
  go(line: number): void {
    if (this.views.view === "form") this.views.show(NARROW.matches ? "text" : "both");
    this.desk.jumps.toLine(line);
  }

  private addable(words: string): Choice[] {
    const begins = ({ label }: { label: string }): number => Number(!label.toLowerCase().startsWith(words.toLowerCase().trim()));
    return additions(this.kinds, this.selected.parts, this.selected.path).filter(({ label }) => matches(words, label))
      .sort((one, other) => begins(one) - begins(other))
      .map((addition) => ({ ...addition, run: () => this.acts.insert(addition) }));
  }

  private nextProblem(): void {
    const lines = this.faults.flatMap(({ line }) => (line === null ? [] : [line])).sort((one, other) => one - other);
    const next = lines.find((line) => line > (this.line ?? 0)) ?? lines[0];
    if (next !== undefined) this.reveal(next);
  }

  private narrow(step: "outline" | "item"): void {
    this.box.dataset["step"] = step;
  }

  /** Do what a key is for that is pressed in the form; returns whether it is for anything. */
  key(event: KeyboardEvent): boolean {
    const { draft, jumps, problems } = this.desk;
    const control = event.ctrlKey || event.metaKey;
    const letter = event.key.toLowerCase();
    if (control && letter === "s") this.desk.save();
    else if (control && event.key === "Enter" && draft.kind === "person") this.add.open();
    else if (event.altKey && event.key === "Enter") jumps.toPage();
    else if (event.altKey && letter === "p") problems.focus();
    else if (event.key === "F8") this.nextProblem();
    else if (event.key === "Escape" && this.fields.contains(document.activeElement)) this.outline.focus();
    else return false;
    return true;
  }
}
