/** The form: a view of the text. Every act is one edit of it; nothing is kept here. */

import { redo, undo } from "@codemirror/commands";
import type { ChangeSet } from "@codemirror/state";

import { find } from "../dom";
import type { Draft } from "../draft";
import type { Editor } from "../editor/editor";
import type { Described, Diagnostic, Path, Value } from "../messages";
import { menu } from "../panels/menu";
import { post } from "../requests";
import { Add, choices } from "./add";
import { named, type Host } from "./host";
import { Outline } from "./outline";
import { SheetView } from "./sheet";
import { chain, partAt, samePath, type Change, type Kind, type Part, type Sheet } from "./types";
import { Views } from "./views";
import { Writer, type Outcome } from "./writer";

const KEEP = 8000;

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
  private readonly add: Add;
  private readonly box = find("form");
  private readonly fields = find("fields");
  private parts: Part[] = [];
  private kinds: Kind[] = [];
  private path: Path = [];
  private view: SheetView | null = null;
  private sheet: Sheet | null = null;
  private faults: Diagnostic[] = [];
  private parsed = true;
  /** Whether the form waits for a text that can be read, or for the server. */
  private away = false;
  private held = false;
  /** Which state of the text the outline is of. */
  private known = -1;
  /** Whether an act on the outline is being made, and the steps that were asked for meanwhile. */
  private acting = false;
  private steps: number[] = [];
  private wakes: ((fresh: boolean) => void)[] = [];
  private asked = 0;
  /** What to focus as soon as it is there: a line, or the first field, its text selected. */
  private wanted: number | "first" | "new" | null = null;
  private undone = "";
  /** Where the item is in the text, moved along with changes. */
  private at: number | null = null;
  private silence = 0;
  private document: Described | null = null;

  constructor(
    private readonly editor: Editor,
    private readonly draft: Draft,
    private readonly listeners: Listeners,
  ) {
    this.writer = new Writer(editor, draft);
    this.views = new Views(() => this.seen());
    this.outline = new Outline(find("outline"), {
      chosen: (part, enter) => this.chosen(part, enter),
      move: (part, siblings, to) => this.move(part, siblings, to),
      step: (part, way, again) => this.step(part, way, again),
      remove: (part, siblings) => this.remove(part, siblings),
      add: (section) => this.add.open(section ? this.item(section) : "Section of "),
      menu: (part) => {
        this.chosen(part, false);
        find("part-menu").click();
      },
    });
    this.add = new Add(find("add-button"), () => choices(this.kinds, this.parts, this.path), (choice) => this.insert(choice));
    this.box.addEventListener("keydown", (event) => this.key(event));
    this.box.addEventListener("input", () => listeners.typed());
    this.fields.addEventListener("focusout", () => setTimeout(() => this.mark(), 0));
    find("part-up").onclick = () => this.step(this.part, -1);
    find("part-down").onclick = () => this.step(this.part, 1);
    menu(find("part-menu"), "What can be done", () => this.acts());
    menu(find("crumb"), "Parts of the file", () => this.crumbs());
    find("form-back").onclick = () => this.narrow("outline");
    for (const id of ["undo-told", "form-undo"]) find(id).onclick = () => void this.back(undo);
    find("form-see").onclick = () => listeners.toPage();
    find("form-add").onclick = () => this.add.open();
    find("order-too").onclick = () => void this.orderToo();
  }

  private host: Host = {
    write: (changes, field) => this.write(changes, field),
    focused: (label, line) => this.focused(label, line),
    go: (line) => {
      if (this.views.view === "form") this.views.show(this.views.narrow ? "text" : "both");
      this.listeners.goTo(line);
    },
    act: (make) => void this.act(make),
    aloud: (words) => this.aloud(words),
    told: (words) => this.told(words),
  };

  /** Another file is open. */
  opened(): void {
    Object.assign(this, { parts: [], path: [], at: null, wanted: null, sheet: null, view: null, kinds: [], known: -1 });
    this.wake(false);
    this.fields.replaceChildren();
    this.narrow("outline");
  }

  /** Take in what was checked of the text that is there now. */
  checked(outline: Part[] | null, parsed: boolean, faults: Diagnostic[]): void {
    this.known = this.draft.revision;
    this.parsed = parsed;
    if (outline) this.parts = outline;
    this.waits(parsed ? null : faults.find(({ severity }) => severity === "error") ?? null);
    if (!parsed) return this.wake(false);
    this.follow();
    if (this.views.view === "text") return this.wake(true);
    this.draw();
    void this.refresh().then(() => this.wake(true));
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
    return (await this.writer.write([{ path, value }])).problem;
  }

  /** Say below its field what is wrong; null says nothing new. */
  wrong(faults: Diagnostic[]): void {
    this.faults = faults.filter(({ severity }) => severity === "error");
    this.mark();
  }

  /** The text changed, by whatever. */
  edited(changes: ChangeSet): void {
    if (this.at !== null) this.at = changes.mapPos(this.at, 1);
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

  /** Show what is printed: its order of sections may be its own. */
  printed(document: Described | null): void {
    this.document = document;
    const order = document?.options.find(({ name }) => name === "sections");
    const own = Array.isArray(order?.value) && order.value.length > 0;
    find("order-note").hidden = !own;
    if (own) find("order-words").textContent = `“${document!.title}” prints sections in an order of its own.`;
  }

  /** Open the part that has a line, and focus its field. */
  reveal(line: number): void {
    const part = partAt(this.parts, line) ?? this.parts[0];
    if (!part) return;
    this.wanted = line;
    if (samePath(part.path, this.path) && this.view) this.arrive();
    else this.open(part.path);
    this.narrow("item");
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
    find("form-waits").hidden = words === null && this.parsed;
    if (words !== null) {
      this.wait(words, null);
      this.wake(false);
    }
    else if (this.parsed) this.away = false;
    this.hold();
    this.box.classList.toggle("waits", words !== null || !this.parsed);
  }

  private lastLine: number | null = null;

  // -- what is shown ---------------------------------------------------------------------------------

  private seen(): void {
    const { head } = this.editor.view.state.selection.main;
    if (this.views.view === "text") return this.listeners.shown(null);
    this.draw();
    if (!this.view && this.path.length === 0) {
      const part = partAt(this.parts, this.editor.view.state.doc.lineAt(head).number);
      return this.open(part?.path ?? []);
    }
    void this.refresh();
  }

  private draw(): void {
    this.outline.set(this.parts);
    this.outline.select(this.path);
  }

  /** Find the item again after lines were added or moved above it. */
  private follow(): void {
    const { doc } = this.editor.view.state;
    const now = chain(this.parts, this.path).at(-1);
    if (this.at !== null && this.path.length) {
      const line = doc.lineAt(Math.min(this.at, doc.length)).number;
      if (now?.line !== line) {
        const found = every(this.parts).find((part) => part.path.length === this.path.length && part.line === line);
        if (found) this.path = found.path;
        else if (!now) this.path = this.nearest();
      }
    }
    const part = chain(this.parts, this.path).at(-1);
    this.at = part ? doc.line(Math.min(part.line, doc.lines)).from : null;
  }

  private nearest(): Path {
    for (let path = this.path; path.length; path = path.slice(0, -1)) {
      const last = path.at(-1);
      const before = typeof last === "number" && last > 0 ? [...path.slice(0, -1), last - 1] : null;
      for (const one of [path, before]) if (one && chain(this.parts, one).length) return one;
    }
    return [];
  }

  private open(path: Path): void {
    this.path = path;
    this.view = null;
    const part = chain(this.parts, path).at(-1);
    const { doc } = this.editor.view.state;
    this.at = part ? doc.line(Math.min(part.line, doc.lines)).from : null;
    this.outline.select(path);
    void this.refresh();
  }

  private async refresh(): Promise<void> {
    if (!this.parsed || !this.draft.person) return;
    const [turn, path, text] = [++this.asked, this.path, this.editor.text];
    try {
      if (!this.kinds.length) {
        const head = (await (await post("/fields", { text, path: [] })).json()) as Sheet;
        this.kinds = head.kinds ?? [];
      }
      const sheet = (await (await post("/fields", { text, path })).json()) as Sheet;
      // Newer ones follow as soon as the text is checked.
      if (turn !== this.asked || text !== this.editor.text || !this.writer.idle) return;
      this.show(sheet);
    } catch {
      // The text doesn't parse, or the server is gone: both are said elsewhere.
    }
  }

  private show(sheet: Sheet): void {
    this.sheet = sheet;
    this.hold(false);
    if (this.view && this.fields.dataset["path"] === named(sheet.path)) this.view.update(sheet);
    else {
      this.view = new SheetView(sheet, this.host);
      this.fields.replaceChildren(this.view.element);
      this.fields.dataset["path"] = named(sheet.path);
      this.fields.parentElement!.scrollTop = 0;
    }
    const parts = chain(this.parts, this.path);
    const part = parts.at(-1);
    const above = parts.at(-2);
    const siblings = above?.items ?? this.parts.filter(({ path }) => path[0] === "sections");
    const at = part ? siblings.indexOf(part) : -1;
    const movable = this.path[0] === "sections";
    find("part-title").textContent = sheet.title;
    find("crumb").textContent = above?.title ?? (movable ? "Sections" : "Top of the page");
    find("part-count").textContent = movable && at >= 0 ? `${at + 1} of ${siblings.length}` : "";
    for (const id of ["part-up", "part-down", "part-menu"]) find(id).hidden = !movable;
    find("part-comments").textContent = sheet.comments.join("\n");
    find("part-comments").hidden = !sheet.comments.length;
    const bib = part?.bib ?? above?.bib;
    find("part-bib").hidden = !bib;
    find("part-bib").textContent = bib ? `More come from ${bib}. They are changed there.` : "";
    this.listeners.shown(sheet.line === null ? null : [sheet.line, sheet.end_line ?? sheet.line]);
    this.arrive();
    this.mark();
  }

  /** Go to what is wanted, if it is there. */
  private arrive(): void {
    const { wanted, view } = this;
    if (wanted === null || !view) return;
    if (typeof wanted === "number") {
      const part = partAt(this.parts, wanted);
      if (part && !samePath(part.path, this.path)) return this.open(part.path);
      if (!view.focusLine(wanted)) view.focusFirst();
    } else {
      view.focusFirst();
      if (wanted === "new" && document.activeElement instanceof HTMLTextAreaElement) document.activeElement.select();
    }
    this.wanted = null;
    if (this.undone) this.aloud(`${this.undone}: ${this.label()}`);
    this.undone = "";
  }

  private mark(): void {
    this.view?.wrong(this.faults, !this.fields.contains(document.activeElement));
  }

  private label(): string {
    const box = document.activeElement as HTMLElement | null;
    const own = box?.id ? this.fields.querySelector(`label[for="${box.id}"]`)?.textContent : null;
    return box?.getAttribute("aria-label") ?? own ?? this.sheet?.title ?? "";
  }

  private waits(fault: Diagnostic | null): void {
    if (this.parsed) {
      find("form-waits").hidden = true;
      this.box.classList.remove("waits");
      this.away = false;
      this.hold();
    } else this.wait(fault ? `${fault.line ? `Line ${fault.line}: ` : ""}${fault.message}.` : "The text can’t be read.", fault?.line ?? null);
  }

  private wait(words: string, line: number | null): void {
    find("form-waits").hidden = false;
    find("form-waits-why").textContent = words;
    find("form-waits-go").hidden = line === null;
    find("form-waits-go").onclick = () => line !== null && this.host.go(line);
    this.away = true;
    this.hold();
    this.box.classList.add("waits");
  }

  /** Let nothing be typed where it would be lost: `held` is until the fields of another part are here. */
  private hold(held = this.held): void {
    this.held = held;
    this.fields.inert = this.away || held;
  }

  // -- acts ------------------------------------------------------------------------------------------

  private async write(changes: Change[], field: string | null): Promise<Outcome> {
    const outcome = await this.writer.write(changes, field);
    const name = field ?? named(changes[0]?.path ?? []);
    if (!this.view?.refused(name, outcome.problem ?? "") && outcome.problem !== null) this.told(outcome.problem, false);
    return outcome;
  }

  private focused(label: string, line: number | null): void {
    this.lastLine = line;
    if (line !== null) this.listeners.marked(line);
    find("form-now").textContent = label;
  }

  private chosen(part: Part, enter: boolean): void {
    this.wanted = enter ? "first" : null;
    this.open(part.path);
    if (enter || !this.outline.focused || this.views.narrow) this.narrow("item");
  }

  private item(section: Part): string {
    const of = section.kind === "group" ? this.parts.find(({ items }) => items.includes(section)) : section;
    this.open(section.path);
    return this.kinds.find(({ kind }) => kind === of?.kind)?.item ?? "";
  }

  /** Make an act as soon as the outline is of the text that is there; none while another one is made. */
  private async act(make: () => Promise<void>): Promise<void> {
    if (this.acting || this.away) return;
    this.acting = true;
    try {
      await this.settled();
      if (!(await this.fresh())) return;
      await make();
      await this.fresh();
    } finally {
      this.acting = false;
      this.hold(false);
      const way = this.steps.shift();
      if (way !== undefined) this.step(this.part, way);
    }
  }

  /** Wait until the outline is of the text that is there; returns false if that won't be soon. */
  private async fresh(): Promise<boolean> {
    for (;;) {
      await this.writer.settled();
      if (this.known === this.draft.revision) return this.parsed;
      if (!(await new Promise<boolean>((done) => this.wakes.push(done)))) return false;
    }
  }

  private wake(fresh: boolean): void {
    if (!fresh) this.steps = [];
    for (const done of this.wakes.splice(0)) done(fresh);
  }

  private insert(choice: ReturnType<typeof choices>[number]): void {
    void this.act(async () => {
      this.hold(true);
      const outcome = await this.write([{ path: choice.path, value: choice.value, insert: true }], null);
      if (outcome.path === null) return;
      this.aloud(choice.said);
      const kind = (choice.value as { kind?: string }).kind ?? null;
      const rows = this.kinds.find((one) => one.kind === (kind ?? this.kindAt(outcome.path)))?.rows;
      const path = outcome.path;
      this.wanted = "new";
      if (this.views.view === "text") this.views.show("form");
      this.narrow("item");
      this.goTo(kind ? (rows ? path : [...path, "items", 0]) : rows ? path.slice(0, -2) : path);
    });
  }

  /** Show what will be at a path of the text that is there now. */
  private goTo(path: Path): void {
    this.path = path;
    this.at = null;
    this.view = null;
    void this.refresh();
  }

  private kindAt(path: Path): string | null {
    return chain(this.parts, path.slice(0, 2)).at(-1)?.kind ?? null;
  }

  private move(part: Part, siblings: readonly Part[], to: number): void {
    void this.act(async () => {
      const section = chain(this.parts, part.path.slice(0, 2)).at(-1);
      if (!this.still(part, siblings)) return;
      this.hold(true);
      const changes: Change[] = [{ path: part.path, to }];
      const sorted = part.kind === "item" && section?.ordered === "date";
      if (sorted) changes.push({ path: [...section.path, "order"], value: "file" });
      const up = to < siblings.indexOf(part);
      const { problem } = await this.write(changes, null);
      if (problem !== null) return;
      const how = sorted ? ` ${section.title} is no longer sorted by date: “order: file” is written.` : "";
      this.told(`${part.title} moved ${up ? "up" : "down"}, now ${to + 1} of ${siblings.length}.${how}`);
      this.aloud(`Moved ${up ? "up" : "down"}, ${to + 1} of ${siblings.length}`);
      this.goTo([...part.path.slice(0, -1), to]);
    });
  }

  private remove(part: Part, siblings: readonly Part[]): void {
    void this.act(async () => {
      const section = chain(this.parts, part.path.slice(0, 2)).at(-1);
      if (!this.still(part, siblings)) return;
      this.hold(true);
      const alone = part.kind !== "group" && siblings.length === 1 && part.path.length > 2 && section;
      const holder = alone && section.items.length <= 1 ? section : part;
      const { path, problem } = await this.write([{ path: holder.path }], null);
      if (problem !== null) return;
      this.told(holder === part ? `“${part.title}” removed.` : `“${part.title}” removed, and ${section!.title} with it.`);
      this.goTo(path!.length > 1 || holder.path.length > 2 ? path! : []);
    });
  }

  /** Whether a part is where it was. */
  private still(part: Part, siblings: readonly Part[]): boolean {
    return chain(this.parts, part.path).length > 0 && this.siblings(part).length === siblings.length;
  }

  /** The part that is shown. */
  private get part(): Part | null {
    return chain(this.parts, this.path).at(-1) ?? null;
  }

  private siblings(part: Part): readonly Part[] {
    return chain(this.parts, part.path).at(-2)?.items ?? this.parts.filter(({ path }) => path[0] === "sections");
  }

  /** Move a part by one place; what a key that is held asks for meanwhile, `again`, is left out. */
  private step(part: Part | null, way: number, again = false): void {
    if (this.acting) {
      if (!again) this.steps.push(way);
      return;
    }
    const now = part && chain(this.parts, part.path).at(-1);
    const siblings = now ? this.siblings(now) : [];
    const to = now ? siblings.indexOf(now) + way : -1;
    if (now && siblings[to]) this.move(now, siblings, to);
    else this.steps = [];
  }

  private acts(): { label: string; detail?: string; run(): void }[] {
    const { part } = this;
    if (!part) return [];
    return [
      { label: "Move up", detail: "Alt ↑", run: () => this.step(part, -1) },
      { label: "Move down", detail: "Alt ↓", run: () => this.step(part, 1) },
      { label: "See in the text", detail: "F2", run: () => this.host.go(part.line) },
      { label: "Remove", detail: "Delete", run: () => this.remove(part, this.siblings(part)) },
    ];
  }

  private crumbs(): { label: string; detail?: string; checked?: boolean; run(): void }[] {
    return this.parts.flatMap((part) => [
      { label: part.title, detail: part.detail, checked: samePath(part.path, this.path), run: () => this.chosen(part, true) },
      ...(chain([part], this.path).length ? every(part.items).map((item) => ({ label: `  ${item.title}`, detail: item.detail, checked: samePath(item.path, this.path), run: () => this.chosen(item, true) })) : []),
    ]);
  }

  private async orderToo(): Promise<void> {
    const order = this.document?.options.find(({ name }) => name === "sections");
    if (!order) return;
    const kinds = this.parts.filter(({ path }) => path[0] === "sections" || path.length === 1).map(({ kind }) => kind);
    const problem = await this.set(order.from?.path ?? order.path, [...new Set(kinds)]);
    this.told(problem ?? `“${this.document!.title}” prints sections in this order now.`, problem === null);
  }

  /** Take back the last edit, wherever it was made, and go to what changed. */
  private async back(way: typeof undo): Promise<void> {
    await this.settled();
    this.wanted = null;
    this.undone = way === undo ? "Undone" : "Done again";
    if (!way(this.editor.view)) this.undone = "";
    find("told").hidden = true;
  }

  private aloud(words: string): void {
    find("aloud").textContent = words;
  }

  private told(words: string, undoable = true): void {
    find("told").hidden = false;
    find("told-words").textContent = words;
    find("undo-told").hidden = !undoable;
    clearTimeout(this.silence);
    this.silence = window.setTimeout(() => (find("told").hidden = true), KEEP);
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
    else if (control && event.key === "Enter") this.add.open();
    else if (event.altKey && event.key === "Enter") this.listeners.toPage();
    else if (event.altKey && letter === "p") this.listeners.problems();
    else if (event.key === "F8") this.nextProblem();
    else if (event.key === "Escape" && this.fields.contains(document.activeElement)) this.outline.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

function every(parts: readonly Part[]): Part[] {
  return parts.flatMap((part) => [part, ...every(part.items)]);
}

