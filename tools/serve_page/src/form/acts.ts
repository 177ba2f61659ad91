/** What is done with parts: they are added, moved and removed, one act at a time. */

import { find } from "../dom";
import type { Draft } from "../draft";
import type { choices } from "./add";
import type { Told, Waits } from "./around";
import type { Selected } from "./selected";
import type { Writer } from "./typed";
import { chain, type Change, type Host, type Part } from "./types";
import type { Described, Path, Value } from "../messages";
import type { Choice } from "../panels/popups";

/** What acts ask of the form. */
interface Doing extends Pick<Host, "write" | "go"> {
  /** Write what is typed; done when the text has it. */
  settled(): Promise<void>;
  /** Show what will be at a path of the text that is there now; `added` is whether it was just added. */
  goTo(path: Path, added: boolean): void;
  /** Whether a section of a kind has rows in place of items. */
  hasRows(kind: string | undefined): boolean;
}

export class Acts {
  /** Which state of the text the outline is of. */
  private known = -1;
  /** Whether an act is being made, and the steps that were asked for meanwhile. */
  private acting = false;
  private steps: number[] = [];
  private waiting: ((fresh: boolean) => void)[] = [];

  constructor(
    private readonly selected: Selected,
    private readonly writer: Writer,
    private readonly draft: Draft,
    private readonly waits: Waits,
    private readonly told: Told,
    private readonly doing: Doing,
  ) {}

  /** Another file is open. */
  forget(): void {
    this.known = -1;
    this.wake(false);
  }

  /** The outline is of the text that is there now. */
  checked(): void {
    this.known = this.draft.revision;
  }

  /** Go on with what waits for the outline; false gives it up. */
  wake(fresh: boolean): void {
    if (!fresh) this.steps = [];
    for (const done of this.waiting.splice(0)) done(fresh);
  }

  /** Make an act as soon as the outline is of the text that is there; none while another one is made. */
  async act(make: () => Promise<void>): Promise<void> {
    if (this.acting || this.waits.away) return;
    this.acting = true;
    try {
      await this.doing.settled();
      if (!(await this.fresh())) return;
      await make();
      await this.fresh();
    } finally {
      this.acting = false;
      this.waits.hold(false);
      const way = this.steps.shift();
      if (way !== undefined) this.step(this.selected.part, way);
    }
  }

  insert(choice: ReturnType<typeof choices>[number]): void {
    void this.act(async () => {
      this.waits.hold(true);
      const { path } = await this.doing.write([{ path: choice.path, value: choice.value, insert: true }], null);
      if (path === null) return;
      this.told.aloud(choice.said);
      const section = (choice.value as { kind?: string }).kind;
      const rows = this.doing.hasRows(section ?? this.section(path)?.kind);
      this.doing.goTo(section ? (rows ? path : [...path, "items", 0]) : rows ? path.slice(0, -2) : path, true);
    });
  }

  move(part: Part, siblings: readonly Part[], to: number): void {
    void this.act(async () => {
      const section = this.section(part.path);
      if (!this.still(part, siblings)) return;
      this.waits.hold(true);
      const changes: Change[] = [{ path: part.path, to }];
      const sorted = part.kind === "item" && section?.ordered === "date";
      if (sorted) changes.push({ path: [...section.path, "order"], value: "file" });
      const up = to < siblings.indexOf(part);
      const { problem } = await this.doing.write(changes, null);
      if (problem !== null) return;
      const how = sorted ? ` ${section.title} is no longer sorted by date: “order: file” is written.` : "";
      this.told.say(`${part.title} moved ${up ? "up" : "down"}, now ${to + 1} of ${siblings.length}.${how}`);
      this.told.aloud(`Moved ${up ? "up" : "down"}, ${to + 1} of ${siblings.length}`);
      this.doing.goTo([...part.path.slice(0, -1), to], false);
    });
  }

  private duplicate(part: Part): void {
    const siblings = this.selected.siblings(part);
    void this.act(async () => {
      if (!this.still(part, siblings)) return;
      this.waits.hold(true);
      const { path, problem } = await this.doing.write([{ path: part.path, copy: true }], null);
      if (problem !== null) return;
      this.told.say(`A copy of “${part.title}” is behind it.`);
      this.doing.goTo(path!, true);
    });
  }

  remove(part: Part, siblings: readonly Part[]): void {
    void this.act(async () => {
      const section = this.section(part.path);
      if (!this.still(part, siblings)) return;
      this.waits.hold(true);
      const alone = part.kind !== "group" && siblings.length === 1 && part.path.length > 2 && section;
      const holder = alone && section.items.length <= 1 ? section : part;
      const { path, problem } = await this.doing.write([{ path: holder.path }], null);
      if (problem !== null) return;
      this.told.say(holder === part ? `“${part.title}” removed.` : `“${part.title}” removed, and ${section!.title} with it.`);
      this.doing.goTo(path!.length > 1 || holder.path.length > 2 ? path! : [], false);
    });
  }

  /** Move a part by one place; what a key that is held asks for meanwhile, `again`, is left out. */
  step(part: Part | null, way: number, again = false): void {
    if (this.acting) {
      if (!again) this.steps.push(way);
      return;
    }
    const now = part && chain(this.selected.parts, part.path).at(-1);
    const siblings = now ? this.selected.siblings(now) : [];
    const to = now ? siblings.indexOf(now) + way : -1;
    if (now && siblings[to]) this.move(now, siblings, to);
    else this.steps = [];
  }

  /** Return what can be done with the part that is shown. */
  menu(): Choice[] {
    const { part } = this.selected;
    if (!part) return [];
    return [
      { label: "Move up", detail: "Alt ↑", run: () => this.step(part, -1) },
      { label: "Move down", detail: "Alt ↓", run: () => this.step(part, 1) },
      ...(part.kind === "item" ? [{ label: "Duplicate", run: () => this.duplicate(part) }] : []),
      { label: "See in the text", detail: "F2", run: () => this.doing.go(part.line) },
      { label: "Remove", detail: "Delete", run: () => this.remove(part, this.selected.siblings(part)) },
    ];
  }

  /** Wait until the outline is of the text that is there; returns false if that won't be soon. */
  private async fresh(): Promise<boolean> {
    for (;;) {
      await this.writer.settled();
      if (this.known === this.draft.revision) return this.waits.parsed;
      if (!(await new Promise<boolean>((done) => this.waiting.push(done)))) return false;
    }
  }

  private section(path: Path): Part | undefined {
    return chain(this.selected.parts, path.slice(0, 2)).at(-1);
  }

  /** Whether a part is where it was. */
  private still(part: Part, siblings: readonly Part[]): boolean {
    return chain(this.selected.parts, part.path).length > 0 && this.selected.siblings(part).length === siblings.length;
  }
}

export class OrderNote {
  private document: Described | null = null;

  constructor(
    private readonly selected: Selected,
    private readonly told: Told,
    private readonly set: (path: Path, value: Value) => Promise<string | null>,
  ) {
    find("order-too").onclick = () => void this.write();
  }

  /** Show what is printed. */
  printed(document: Described | null): void {
    this.document = document;
    const order = this.option?.value;
    const own = Array.isArray(order) && order.length > 0;
    find("order-note").hidden = !own;
    if (own) find("order-words").textContent = `“${document!.title}” prints sections in an order of its own.`;
  }

  private get option(): Described["options"][number] | undefined {
    return this.document?.options.find(({ name }) => name === "sections");
  }

  /** Write the order of the file there, too. */
  private async write(): Promise<void> {
    const { option, document } = this;
    if (!option) return;
    const kinds = this.selected.parts.filter(({ path }) => path[0] === "sections" || path.length === 1).map(({ kind }) => kind);
    const problem = await this.set(option.from?.path ?? option.path, [...new Set(kinds)]);
    this.told.say(problem ?? `“${document!.title}” prints sections in this order now.`, problem === null);
  }
}
