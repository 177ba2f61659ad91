/** What is done with parts: they are added, moved, copied and removed, one act at a time. */

import { aloud, told } from "../said";
import type { Kind, Part, Path } from "../messages";
import type { Choice } from "../panels/popups";
import type { Form } from "./form";
import { chain, type Change } from "./types";

/** What can be added, and how that is said. */
interface Addition {
  label: string;
  detail: string;
  path: Path;
  value: unknown;
  said: string;
}

/** Return what can be added, of all kinds; `path` is that of the part that is shown. */
export function additions(kinds: readonly Kind[], parts: readonly Part[], path: Path): Addition[] {
  const sections = parts.filter((part) => part.path[0] === "sections");
  const shown = chain(parts, path);
  const here = shown.find((part) => part.path.length === 2);
  const rank = ({ kind }: Kind): number => {
    if (here?.kind === kind) return -1;
    const at = sections.findIndex((part) => part.kind === kind);
    return at < 0 ? sections.length : at;
  };
  const order = [...kinds].sort((one, other) => rank(one) - rank(other));
  const items = order.flatMap((kind) => {
    const section = here?.kind === kind.kind ? here : sections.find((part) => part.kind === kind.kind);
    return section ? [into(kind, section, shown)] : [];
  });
  const others = order.map((kind) => {
    const there = sections.some((part) => part.kind === kind.kind);
    const at = here ? (here.path[1] as number) + 1 : sections.length;
    const value = { kind: kind.kind, items: [kind.value] };
    return { label: `Section of ${kind.title}`, detail: there ? "a second one" : "", path: ["sections", at], value, said: `Added the section ${kind.title}` };
  });
  return [...items, ...others.filter(({ detail }) => !detail), ...others.filter(({ detail }) => detail)];
}

function into(kind: Kind, section: Part, shown: readonly Part[]): Addition {
  const group = shown.find((part) => part.kind === "group") ?? section.items.find((part) => part.kind === "group");
  const holder = group && (shown.includes(group) || section.items[0] === group) ? group : section;
  const now = shown.find((part) => part.kind === "item");
  const inside = now && holder.items.includes(now) ? holder.items.indexOf(now) + 1 : null;
  const count = kind.rows ? Number(section.detail) || 0 : holder.items.length;
  // Where the newest isn't first, what is new is last.
  const at = inside ?? (kind.rows || section.ordered === "file" ? count : 0);
  const where = at === 0 ? "first" : at === count ? "last" : `after “${holder.items[at - 1]?.title ?? ""}”`;
  const noun = kind.item.toLowerCase();
  return {
    label: kind.item,
    detail: `into ${holder.title}, ${where}`,
    path: [...holder.path, "items", at],
    value: kind.value,
    said: `Added ${/^[aeiou]/.test(noun) ? "an" : "a"} ${noun}, ${at + 1} of ${count + 1}`,
  };
}

export class Acts {
  /** Which state of the text the outline is of. */
  private known = -1;
  /** Whether an act is being made, and the steps that were asked for meanwhile. */
  private acting = false;
  private steps: number[] = [];
  private waiting: ((fresh: boolean) => void)[] = [];

  constructor(private readonly form: Form) {}

  /** Another file is open. */
  forget(): void {
    this.known = -1;
    this.wake(false);
  }

  /** The outline is of the text that is there now. */
  checked(): void {
    this.known = this.form.desk.draft.revision;
  }

  /** Go on with what waits for the outline; false gives it up. */
  wake(fresh: boolean): void {
    if (!fresh) this.steps = [];
    for (const done of this.waiting.splice(0)) done(fresh);
  }

  /** Make an act as soon as the outline is of the text that is there; none while another one is made. */
  async act(make: () => Promise<void>): Promise<void> {
    if (this.acting || this.form.waits.away) return;
    this.acting = true;
    try {
      await this.form.settled();
      if (!(await this.fresh())) return;
      await make();
      await this.fresh();
    } finally {
      this.acting = false;
      this.form.waits.hold(false);
      const way = this.steps.shift();
      if (way !== undefined) this.step(this.form.selected.part, way);
    }
  }

  /** Add a part, and go to its first field. */
  insert({ path: to, value, said }: Addition): void {
    void this.act(async () => {
      const path = await this.written([{ path: to, value, insert: true }]);
      if (path === null) return;
      aloud(said);
      const section = (value as { kind?: string }).kind;
      const rows = this.form.kind(section ?? this.section(path)?.kind)?.rows;
      this.form.goTo(section ? (rows ? path : [...path, "items", 0]) : rows ? path.slice(0, -2) : path, true);
    });
  }

  /** Add what a section, or a group of one, has many of. */
  into(section: Part): void {
    const { kinds, selected } = this.form;
    const own = additions(kinds, selected.parts, section.path).find(({ path }) => path.length > 2 && path[1] === section.path[1]);
    if (own) this.insert(own);
  }

  move(part: Part, siblings: readonly Part[], to: number): void {
    this.onPart(part, siblings, async () => {
      const section = this.section(part.path);
      const changes: Change[] = [{ path: part.path, to }];
      const sorted = part.kind === "item" && section?.ordered === "date";
      if (sorted) changes.push({ path: [...section.path, "order"], value: "file" });
      const up = to < siblings.indexOf(part);
      if ((await this.written(changes)) === null) return;
      const how = sorted ? ` ${section.title} is no longer sorted by date: “order: file” is written.` : "";
      told(`${part.title} moved ${up ? "up" : "down"}, now ${to + 1} of ${siblings.length}.${how}`, true);
      aloud(`Moved ${up ? "up" : "down"}, ${to + 1} of ${siblings.length}`);
      this.form.goTo([...part.path.slice(0, -1), to], false);
    });
  }

  private duplicate(part: Part): void {
    this.onPart(part, this.form.selected.siblings(part), async () => {
      const path = await this.written([{ path: part.path, copy: true }]);
      if (path === null) return;
      told(`A copy of “${part.title}” is behind it.`, true);
      this.form.goTo(path, true);
    });
  }

  remove(part: Part, siblings: readonly Part[]): void {
    this.onPart(part, siblings, async () => {
      const section = this.section(part.path);
      const alone = part.kind !== "group" && siblings.length === 1 && part.path.length > 2 && section;
      const holder = alone && section.items.length <= 1 ? section : part;
      const path = await this.written([{ path: holder.path }]);
      if (path === null) return;
      told(holder === part ? `“${part.title}” removed.` : `“${part.title}” removed, and ${section!.title} with it.`, true);
      this.form.goTo(path.length > 1 || holder.path.length > 2 ? path : [], false);
    });
  }

  /** Move a part by one place; what a key that is held asks for meanwhile, `again`, is left out. */
  step(part: Part | null, way: number, again = false): void {
    if (this.acting) {
      if (!again) this.steps.push(way);
      return;
    }
    const { selected } = this.form;
    const now = part && chain(selected.parts, part.path).at(-1);
    const siblings = now ? selected.siblings(now) : [];
    const to = now ? siblings.indexOf(now) + way : -1;
    if (now && siblings[to]) this.move(now, siblings, to);
    else this.steps = [];
  }

  /** Return what can be done with the part that is shown. */
  menu(): Choice[] {
    const { part } = this.form.selected;
    if (!part) return [];
    return [
      { label: "Move up", detail: "Alt ↑", run: () => this.step(part, -1) },
      { label: "Move down", detail: "Alt ↓", run: () => this.step(part, 1) },
      ...(part.kind === "item" ? [{ label: "Duplicate", run: () => this.duplicate(part) }] : []),
      { label: "See in the text", detail: "F2", run: () => this.form.go(part.line) },
      { label: "Remove", detail: "Delete", run: () => this.remove(part, this.form.selected.siblings(part)) },
    ];
  }

  /** Make an act on a part, if it is where it was. */
  private onPart(part: Part, siblings: readonly Part[], make: () => Promise<void>): void {
    void this.act(async () => {
      const { selected } = this.form;
      if (chain(selected.parts, part.path).length && selected.siblings(part).length === siblings.length) await make();
    });
  }

  /** Write an act, and let nothing be typed until what it shows is here; null if it wasn't taken. */
  private async written(changes: Change[]): Promise<Path | null> {
    this.form.waits.hold(true);
    return (await this.form.write(changes, null)).path;
  }

  /** Wait until the outline is of the text that is there; returns false if that won't be soon. */
  private async fresh(): Promise<boolean> {
    for (;;) {
      await this.form.writer.settled();
      if (this.known === this.form.desk.draft.revision) return this.form.waits.parsed;
      if (!(await new Promise<boolean>((done) => this.waiting.push(done)))) return false;
    }
  }

  private section(path: Path): Part | undefined {
    return chain(this.form.selected.parts, path.slice(0, 2)).at(-1);
  }
}
