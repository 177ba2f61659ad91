/** What is around the fields: a heading, what the part holds, in what order it is printed, why the form waits. */

import { counted, find, make, redraw } from "../dom";
import type { Count, Described, Diagnostic, Part } from "../messages";
import { type Choice, menu } from "../panels/popups";
import { told } from "../said";
import type { Form } from "./form";
import { chain, every, named, samePath, type Sheet } from "./types";

export class Around {
  private readonly items = find("part-items");
  private counts: Count[] = [];
  /** The document on the right: it may print sections in an order of its own. */
  private document: Described | null = null;

  constructor(private readonly form: Form) {
    menu(find("crumb"), "Parts of the file", () => this.crumbs());
    find("order-too").onclick = () => void this.order();
  }

  /** Show what is around the fields of a sheet. */
  show(sheet: Sheet): void {
    const { selected } = this.form;
    const { part, above } = selected;
    const siblings = part ? selected.siblings(part) : [];
    const at = part ? siblings.indexOf(part) : -1;
    const movable = selected.path[0] === "sections";
    find("part-title").textContent = sheet.title;
    find("crumb").textContent = above?.title ?? (movable ? "Sections" : part?.kind === "part" || part?.kind === "file" ? "Parts" : "Top of the page");
    find("part-count").textContent = movable && at >= 0 ? `${at + 1} of ${siblings.length}` : "";
    for (const id of ["part-up", "part-down", "part-menu"]) find(id).hidden = !movable;
    const bib = part?.bib ?? above?.bib;
    find("part-bib").hidden = !bib;
    find("part-bib").textContent = bib ? `More come from ${bib}. They are changed there.` : "";
    this.count();
    const kind = this.form.kind((part?.kind === "group" ? above : part)?.kind);
    // A section of rows has its items among its fields.
    this.items.hidden = !part || !kind || kind.rows;
    if (!part || !kind || kind.rows) return;
    redraw(this.items, [part.path, part.items, kind.item], () => this.inside(part, kind.item));
  }

  /** Show how long the texts are that the document limits. */
  counted(counts: Count[]): void {
    this.counts = counts;
    this.count();
  }

  /** Show how long the part is, or all that is limited beside the limits. */
  private count(): void {
    const { path } = this.form.selected;
    const all = named(path) === "limits";
    const own = this.counts.filter((one) => all || samePath(one.path, path));
    find("part-limits").replaceChildren(...own.map(({ name, unit, used, most }) => {
      const words = `${all ? `${name}: ` : ""}${used} of ${most} ${unit}`;
      return make("span", { class: used > most ? "over" : "" }, used > most ? `${words}, ${used - most} too many` : words);
    }));
  }

  /** Show a note where a document prints sections in an order of its own. */
  printed(document: Described | null): void {
    this.document = document;
    const order = this.option?.value;
    const own = Array.isArray(order) && order.length > 0;
    find("order-note").hidden = !own;
    if (own) find("order-words").textContent = `“${document!.title}” prints sections in an order of its own.`;
  }

  /** Show what the part holds: each leads to its fields, and one more can be added. */
  private inside(part: Part, noun: string): HTMLElement[] {
    const rows = part.items.map((item) => {
      const state = item.errors ? make("span", { class: "part-errors" }, counted(item.errors, "error")) : make("small", {}, item.detail);
      return make("button", { class: "inside", "data-item": named(item.path), click: () => this.form.chosen(item, true) }, make("span", {}, item.title), state);
    });
    const add = make("button", { class: "add-row", "data-item": "add", click: () => this.form.offer(part) }, `+ ${noun}`);
    return part.items.some(({ kind }) => kind === "group") ? rows : [...rows, add];
  }

  /** Return all sections, and what is in the one that is open. */
  private crumbs(): Choice[] {
    const { parts, path } = this.form.selected;
    const crumb = (part: Part, indent = ""): Choice =>
      ({ label: `${indent}${part.title}`, detail: part.detail, checked: samePath(part.path, path), run: () => this.form.chosen(part, true) });
    return parts.flatMap((part) => [crumb(part), ...(chain([part], path).length ? every(part.items).map((item) => crumb(item, "  ")) : [])]);
  }

  private get option(): Described["options"][number] | undefined {
    return this.document?.options.find(({ name }) => name === "sections");
  }

  /** Write the order of the file as that of the document. */
  private async order(): Promise<void> {
    const { option, document } = this;
    if (!option) return;
    const kinds = this.form.selected.parts.filter(({ path }) => path[0] === "sections" || path.length === 1).map(({ kind }) => kind);
    const problem = await this.form.set(option.from?.path ?? option.path, [...new Set(kinds)]);
    told(problem ?? `“${document!.title}” prints sections in this order now.`, problem === null);
  }
}

/** What the form waits for: a text that can be read, the server, or the fields of another part. */
export class Waits {
  /** Why the text can't be read; null if it can. */
  private fault: { words: string; line: number | null } | null = null;
  private silence: string | null = null;
  private held = false;

  constructor(go: (line: number) => void) {
    find("form-waits-go").onclick = () => {
      if (this.fault?.line) go(this.fault.line);
    };
  }

  /** Whether the text can be read. */
  get parsed(): boolean {
    return this.fault === null;
  }

  /** Whether nothing can be done in the form. */
  get away(): boolean {
    return this.fault !== null || this.silence !== null;
  }

  /** The text was checked. */
  checked(parsed: boolean, faults: readonly Diagnostic[]): void {
    const first = faults.find(({ severity }) => severity === "error");
    const words = first ? `${first.line ? `Line ${first.line}: ` : ""}${first.message}.` : "The text can’t be read.";
    this.fault = parsed ? null : { words, line: first?.line ?? null };
    this.draw();
  }

  /** Wait for the server, and say why; null goes on. */
  offline(words: string | null): void {
    this.silence = words;
    this.draw();
  }

  /** Let nothing be typed until the fields of another part are here: it would be lost. */
  hold(held: boolean): void {
    this.held = held;
    this.draw();
  }

  private draw(): void {
    const { away, silence, fault } = this;
    find("form-waits").hidden = !away;
    find("form-waits-why").textContent = silence ?? fault?.words ?? "";
    find("form-waits-go").hidden = silence !== null || !fault?.line;
    find("form").classList.toggle("waits", away);
    for (const id of ["fields", "part-items"]) find(id).inert = away || this.held;
  }
}
