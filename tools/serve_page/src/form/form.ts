/** The form: a view of the text. Every act is one edit of it; nothing is kept here. */

import { redo, undo } from "@codemirror/commands";
import type { ChangeSet } from "@codemirror/state";

import { find } from "../dom";
import type { Draft } from "../draft";
import type { Editor } from "../editor/editor";
import { Acts, OrderNote } from "./acts";
import { Add, choices } from "./add";
import { Heading, Inside, Told, Waits } from "./around";
import { keep } from "./files";
import { Outline } from "./outline";
import { Arrival, Selected } from "./selected";
import { SheetView } from "./sheet";
import { examples, type Outcome, Writer } from "./typed";
import { type Change, type Host, type Kind, named, type Part, partAt, samePath, type Sheet } from "./types";
import type { Described, Diagnostic, Path, Value } from "../messages";
import { Views } from "../panels/panes";
import { menu } from "../panels/popups";
import { post } from "../server";

/** As many bytes as the server takes: docs/internals/serve.md. */
const MOST_PHOTO = 10 << 20;
const MOST_PDF = 47 << 20;

export interface Listeners {
  /** A field has focus: its line, to be marked in the text and on the page. */
  marked(line: number): void;
  /** The item that is shown: its first and last line; null for none. */
  shown(lines: [number, number] | null): void;
  goTo(line: number): void;
  toPage(): void;
  problems(): void;
  /** Something was typed. */
  typed(): void;
}

export class Form {
  readonly views: Views;
  private readonly outline: Outline;
  private readonly writer: Writer;
  private readonly selected: Selected;
  private readonly acts: Acts;
  private readonly add: Add;
  private readonly waits = new Waits((line) => this.host.go(line));
  private readonly told = new Told();
  private readonly order: OrderNote;
  private readonly heading: Heading;
  private readonly arrival: Arrival;
  private readonly inside: Inside;
  private readonly box = find("form");
  private readonly fields = find("fields");
  private kinds: Kind[] = [];
  private view: SheetView | null = null;
  private faults: Diagnostic[] = [];
  private asked = 0;
  private lastLine: number | null = null;

  constructor(
    private readonly editor: Editor,
    private readonly draft: Draft,
    private readonly listeners: Listeners,
  ) {
    this.writer = new Writer(editor, draft);
    this.selected = new Selected(editor);
    this.views = new Views(() => this.seen());
    this.acts = new Acts(this.selected, this.writer, draft, this.waits, this.told, {
      write: (changes, field) => this.write(changes, field),
      go: (line) => this.host.go(line),
      settled: () => this.settled(),
      goTo: (path, added) => this.goTo(path, added),
      hasRows: (kind) => this.kinds.some((one) => one.kind === kind && one.rows),
    });
    this.outline = new Outline(find("outline"), {
      chosen: (part, enter) => this.chosen(part, enter),
      move: (part, siblings, to) => this.acts.move(part, siblings, to),
      step: (part, way, again) => this.acts.step(part, way, again),
      remove: (part, siblings) => this.acts.remove(part, siblings),
      add: (section) => this.add.open(section ? this.item(section) : "Section of "),
      menu: (part) => {
        this.chosen(part, false);
        find("part-menu").click();
      },
    });
    const { selected } = this;
    this.add = new Add(find("add-button"), () => choices(this.kinds, selected.parts, selected.path), (choice) => this.acts.insert(choice));
    this.heading = new Heading(selected, (part) => this.chosen(part, true));
    this.inside = new Inside(selected, {
      open: (part) => this.chosen(part, true),
      add: (section) => {
        const into = choices(this.kinds, selected.parts, section.path).find(({ path }) => path.length > 2 && path[1] === section.path[1]);
        if (into) this.acts.insert(into);
      },
    });
    this.arrival = new Arrival(editor, selected, this.fields, this.told, (path) => this.open(path));
    this.order = new OrderNote(selected, this.told, (path, value) => this.set(path, value));
    this.box.addEventListener("keydown", (event) => this.key(event));
    this.box.addEventListener("input", () => listeners.typed());
    this.fields.addEventListener("focusout", () => setTimeout(() => this.mark(), 0));
    find("part-up").onclick = () => this.acts.step(selected.part, -1);
    find("part-down").onclick = () => this.acts.step(selected.part, 1);
    menu(find("part-menu"), "What can be done", () => this.acts.menu());
    find("form-back").onclick = () => this.narrow("outline");
    for (const id of ["undo-told", "form-undo"]) find(id).onclick = () => void this.back(undo);
    find("form-see").onclick = () => listeners.toPage();
    find("form-add").onclick = () => this.add.open();
  }

  private host: Host = {
    write: (changes, field) => this.write(changes, field),
    focused: (label, line) => this.focused(label, line),
    go: (line) => {
      if (this.views.view === "form") this.views.show(this.views.narrow ? "text" : "both");
      this.listeners.goTo(line);
    },
    act: (make) => void this.acts.act(make),
    photo: (file) => void this.photo(file),
    attach: (files, write) => this.attach(files, write),
    aloud: (words) => this.told.aloud(words),
    told: (words) => this.told.say(words),
  };

  /** A new file: its form comes first, unless the text was chosen before. */
  begin(): void {
    this.views.prefer("form");
    if (this.views.view !== "text") this.arrival.want("first");
  }

  /** Say something of the file below the form. */
  say(words: string): void {
    this.told.say(words, false);
  }

  /** Another file is open. */
  opened(): void {
    Object.assign(this, { view: null, kinds: [] });
    this.arrival.want(null);
    this.selected.forget();
    this.acts.forget();
    this.fields.replaceChildren();
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

  /** Whether everything that was sent is in the text. */
  get idle(): boolean {
    return this.writer.idle;
  }

  /** Make an edit that isn't of a field; returns what was wrong. */
  async set(path: Path, value: Value): Promise<string | null> {
    return this.act({ path, value });
  }

  /** The same for any change. */
  async act(change: Change): Promise<string | null> {
    return (await this.writer.write([change])).problem;
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

  /** Show what is printed: its order of sections may be its own. */
  printed(document: Described | null): void {
    this.order.printed(document);
  }

  /** Open the part that has a line, and focus its field. */
  reveal(line: number): void {
    const part = partAt(this.selected.parts, line) ?? this.selected.parts[0];
    if (!part) return;
    this.arrival.want(line);
    if (samePath(part.path, this.selected.path) && this.view) this.arrival.arrive(this.view);
    else this.open(part.path);
    this.narrow("item");
  }

  /** Open the part that has a line; the focus stays. */
  look(line: number): void {
    const part = partAt(this.selected.parts, line) ?? this.selected.parts[0];
    if (part && !samePath(part.path, this.selected.path)) this.open(part.path);
    this.narrow("item");
  }

  /** Take back the last edit, or make it again. */
  undo(again: boolean): void {
    void this.back(again ? redo : undo);
  }

  /** Whether something in the form has focus. */
  get focusedHere(): boolean {
    return this.box.contains(document.activeElement);
  }

  /** The line of the field that has focus. */
  get line(): number | null {
    return this.lastLine;
  }

  /** Wait, and say why; null goes on. */
  offline(words: string | null): void {
    this.waits.offline(words);
    if (words !== null) this.acts.wake(false);
  }

  // -- what is shown ---------------------------------------------------------------------------------

  private seen(): void {
    const { head } = this.editor.view.state.selection.main;
    this.listeners.shown(null);
    if (this.views.view === "text") return;
    this.draw();
    if (!this.view && this.selected.path.length === 0) {
      const part = partAt(this.selected.parts, this.editor.view.state.doc.lineAt(head).number);
      return this.open(part?.path ?? []);
    }
    void this.refresh();
  }

  private draw(): void {
    const adds = this.draft.kind === "person";
    this.outline.set(this.selected.parts, adds);
    for (const id of ["add-button", "form-add"]) find(id).hidden = !adds;
    this.outline.select(this.selected.path);
  }

  private open(path: Path): void {
    this.selected.set(path);
    this.outline.select(path);
    // What is typed goes to the fields that are seen: until others are here, nothing is.
    // The same fields stay: what is typed in them meanwhile is.
    if (this.fields.dataset["path"] !== named(path)) {
      this.waits.hold(true);
      this.view = null;
    }
    void this.writer.settled().then(() => this.refresh());
  }

  private goTo(path: Path, added: boolean): void {
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
    if (!this.waits.parsed || !this.draft.person) return;
    const [turn, { path }, text, { kind }] = [++this.asked, this.selected, this.editor.text, this.draft];
    try {
      if (kind === "person" && !this.kinds.length) {
        const head = (await (await post("/fields", { text, path: [] })).json()) as Sheet;
        this.kinds = head.kinds ?? [];
        for (const text of head.examples ?? []) examples.add(text);
      }
      const sheet = (await (await post("/fields", { text, kind, path })).json()) as Sheet;
      // Newer ones follow as soon as the text is checked.
      if (turn !== this.asked || text !== this.editor.text || !this.writer.idle) return;
      this.show(sheet);
    } catch {
      // The text doesn't parse, or the server is gone: both are said elsewhere.
      if (turn !== this.asked || this.fields.dataset["path"] === named(path)) return;
      this.fields.replaceChildren();
      delete this.fields.dataset["path"];
    }
  }

  private show(sheet: Sheet): void {
    for (const text of sheet.examples ?? []) examples.add(text);
    this.waits.hold(false);
    if (this.view && this.fields.dataset["path"] === named(sheet.path)) this.view.update(sheet);
    else {
      this.view = new SheetView(sheet, this.host);
      this.fields.replaceChildren(this.view.element);
      this.fields.dataset["path"] = named(sheet.path);
      this.fields.parentElement!.scrollTop = 0;
    }
    this.heading.show(sheet);
    this.inside.show(this.kinds);
    this.listeners.shown(sheet.line === null ? null : [sheet.line, sheet.end_line ?? sheet.line]);
    this.arrival.arrive(this.view);
    this.mark();
  }

  private mark(): void {
    this.view?.wrong(this.faults, !this.fields.contains(document.activeElement));
  }

  // -- what is done ----------------------------------------------------------------------------------

  private async write(changes: Change[], field: string | null): Promise<Outcome> {
    const outcome = await this.writer.write(changes, field);
    const name = field ?? named(changes[0]?.path ?? []);
    if (!this.view?.refused(name, outcome.problem ?? "") && outcome.problem !== null) this.told.say(outcome.problem, false);
    return outcome;
  }

  private async photo(file: File): Promise<void> {
    const { person, path } = this.draft;
    const { name, problem } = await keep(file, person, MOST_PHOTO);
    if (person !== this.draft.person) return;
    if (problem !== null) return void this.view?.refused("photo", problem);
    const outcome = await this.write([{ path: ["photo"], value: name }], null);
    if (outcome.problem === null) this.told.say(`The photo is in ${path.replace(/[^/\\]*$/, name)}.`);
  }

  private async attach(files: File[], write: (names: string[]) => Promise<unknown>): Promise<void> {
    const { person } = this.draft;
    const kept = [];
    for (const file of files) kept.push(await keep(file, person, MOST_PDF));
    if (person !== this.draft.person) return;
    await write(kept.filter(({ problem }) => problem === null).map(({ name }) => name));
    this.view?.refused("attachments", kept.flatMap(({ problem }) => problem ?? []).join(" "));
  }

  private focused(label: string, line: number | null): void {
    this.lastLine = line;
    if (line !== null) this.listeners.marked(line);
    find("form-now").textContent = label;
  }

  private chosen(part: Part, enter: boolean): void {
    this.arrival.want(enter ? "first" : null);
    this.open(part.path);
    if (enter || !this.outline.focused || this.views.narrow) this.narrow("item");
  }

  /** Open a section, and return what its items are called. */
  private item(section: Part): string {
    const of = section.kind === "group" ? this.selected.parts.find(({ items }) => items.includes(section)) : section;
    this.open(section.path);
    return this.kinds.find(({ kind }) => kind === of?.kind)?.item ?? "";
  }

  /** Take back the last edit, wherever it was made, and go to what changed. */
  private async back(way: typeof undo): Promise<void> {
    await this.settled();
    this.arrival.back(way === undo ? "Undone" : "Done again", () => way(this.editor.view));
    this.told.hide();
  }

  private nextProblem(): void {
    const lines = this.faults.flatMap(({ line }) => (line === null ? [] : [line])).sort((one, other) => one - other);
    const next = lines.find((line) => line > (this.lastLine ?? 0)) ?? lines[0];
    if (next !== undefined) this.reveal(next);
  }

  private narrow(step: "outline" | "item"): void {
    this.box.dataset["step"] = step;
  }

  private key(event: KeyboardEvent): void {
    const control = event.ctrlKey || event.metaKey;
    const letter = event.key.toLowerCase();
    if (control && letter === "z") void this.back(event.shiftKey ? redo : undo);
    else if (control && letter === "y") void this.back(redo);
    else if (control && letter === "s") void this.settled().then(() => this.draft.save());
    else if (control && event.key === "Enter" && this.draft.kind === "person") this.add.open();
    else if (event.altKey && event.key === "Enter") this.listeners.toPage();
    else if (event.altKey && letter === "p") this.listeners.problems();
    else if (event.key === "F8") this.nextProblem();
    else if (event.key === "Escape" && this.fields.contains(document.activeElement)) this.outline.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
