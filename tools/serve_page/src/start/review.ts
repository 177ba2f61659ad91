/** What an import guessed or lost: a list to click through, of the comments that stand in the file. */

import type { ChangeSpec } from "@codemirror/state";

import { counted, find, make } from "../dom";
import type { Draft } from "../draft";
import type { Editor } from "../editor/editor";
import { setChanging } from "../editor/guessed";
import type { Span } from "../editor/places";
import type { Form } from "../form/form";
import type { Jumps } from "../jumps";
import type { Checked, Doubt, Part } from "../messages";
import { NARROW } from "../panels/panes";
import { aloud, told } from "../said";

export class Review {
  private readonly box = find("review");
  private readonly button = find("review-button");
  private readonly list = find("review-list");
  private doubts: Doubt[] = [];
  /** The state of the text that the doubts are of. */
  revision = Infinity;
  private done: string[] = [];
  private at = 0;
  /** Whose import is to be shown as soon as it is checked, and of which files. */
  private awaited: { person: string; files: string } | null = null;
  private files = "";
  private answered = false;
  /** What came in with an import. */
  private came = "";

  constructor(
    private readonly editor: Editor,
    private readonly draft: Draft,
    private readonly form: Form,
    private readonly jumps: Jumps,
  ) {
    this.button.onclick = () => (this.box.hidden ? this.open() : this.close());
    find("review-close").onclick = () => this.close();
    find("review-all").onclick = () => this.remove(this.doubts);
    this.list.addEventListener("keydown", (event) => this.key(event));
    // Where there is room for one side only, the list has it.
    for (const side of ["text", "form", "pages"]) find(`pane-${side}`).addEventListener("click", () => NARROW.matches && this.close());
  }

  /** Open the list when the file of this person, who was just imported, is there. */
  await(person: string, files: string): void {
    this.awaited = { person, files };
  }

  /** Another file is shown. */
  forget(): void {
    this.doubts = [];
    this.revision = Infinity;
    this.done = [];
    this.at = 0;
    this.files = this.came = "";
    this.close();
    this.draw();
  }

  set({ doubts, revision, outline, diagnostics }: Checked): void {
    this.doubts = doubts;
    this.revision = revision;
    this.at = Math.min(this.at, Math.max(0, doubts.length - 1));
    this.draw();
    // Where things are in the form is known anew.
    if (this.answered) this.look();
    this.answered = false;
    if (this.awaited?.person !== this.draft.person) return;
    this.files = this.awaited.files;
    this.awaited = null;
    this.came = came(outline ?? []);
    // The form comes first, unless the text was chosen before.
    if (!diagnostics.some(({ severity }) => severity === "error")) this.form.views.prefer("form");
    if (doubts.length) this.open();
    else {
      this.form.begin();
      told(`Imported from ${this.files}: ${this.came}. Compare that with your file: two items may have come in as one.`);
    }
    this.jumps.sameSide();
  }

  open(): void {
    this.box.hidden = false;
    find("work").classList.add("reviewing");
    this.button.setAttribute("aria-expanded", "true");
    this.draw();
    this.focus();
    this.look();
  }

  private close(): void {
    const focused = this.box.contains(document.activeElement);
    this.box.hidden = true;
    find("work").classList.remove("reviewing");
    this.button.setAttribute("aria-expanded", "false");
    if (focused) this.editor.focus();
  }

  private draw(): void {
    const { doubts, done } = this;
    const total = doubts.length + done.length;
    this.button.hidden = !doubts.length && this.box.hidden;
    find("review-count").textContent = String(doubts.length);
    find("review-title").textContent = this.files ? `Imported from ${this.files}` : "To look at";
    find("review-state").textContent = doubts.length
      ? `${done.length} of ${total} looked at.${this.files ? " Compare the rest with your file: two items may have come in as one." : ""}`
      : `All ${counted(total, "place")} looked at. The file has no more marks.`;
    if (this.came) find("review-state").prepend(`${this.came}. `);
    const bar = find<HTMLProgressElement>("review-bar");
    bar.max = Math.max(1, total);
    bar.value = done.length;
    find("review-all").hidden = doubts.length < 2;
    find("review-all").textContent = doubts.some(({ kind }) => kind === "lost") ? "All are right; leave out the lost" : "All are right";
    const focused = this.list.contains(document.activeElement);
    this.list.replaceChildren(
      ...done.map((words) => make("li", { class: "done" }, `✓ ${words}`)),
      ...doubts.map((doubt, index) => this.entry(doubt, index)),
    );
    if (focused) this.focus();
  }

  private entry(doubt: Doubt, index: number): HTMLElement {
    const now = index === this.at;
    const head = make("button", { type: "button", class: "doubt", tabindex: now ? 0 : -1, "aria-current": now ? "true" : undefined, click: () => this.choose(index) },
      make("strong", {}, title(doubt)), make("span", { class: doubt.kind }, doubt.kind === "guess" ? "guessed" : "lost"), ...this.facts(doubt));
    if (!now) return make("li", {}, head);
    const [right, change] = doubt.kind === "guess" ? ["Right", "Change"] : ["Leave it out", "Go there"];
    const actions = make("div", { class: "actions" },
      make("button", { type: "button", class: "primary", tabindex: -1, click: () => this.right() }, right),
      make("button", { type: "button", tabindex: -1, click: () => this.change() }, change),
      make("small", {}, `line ${doubt.line}`));
    return make("li", { class: "now" }, head, actions);
  }

  private facts(doubt: Doubt): HTMLElement[] {
    const facts: HTMLElement[] = [];
    const words = explained(doubt);
    if (words) facts.push(make("small", {}, doubt.kind === "guess" ? `Source: ${words}` : words));
    const value = this.value(doubt);
    if (value) facts.push(make("small", {}, `Written: “${value}”`));
    return facts;
  }

  private value(doubt: Doubt): string {
    const found = this.place(doubt.value);
    const words = found ? this.editor.state.doc.sliceString(found.from, found.to).replace(/^[|>][-+]?\s*(#.*)?\n/, "").replace(/\s+/g, " ").trim() : "";
    return words.length > 120 ? `${words.slice(0, 120)}…` : words;
  }

  /** Return where something of the file that was checked is now. */
  private place(located: [number, number, number, number] | null): Span | null {
    if (!located) return null;
    const [line, column, end_line, end_column] = located;
    return this.draft.now({ line, column, end_line, end_column }, this.revision);
  }

  private comment({ line, column, end_line, end_column }: Doubt): Span | null {
    const found = this.place([line, column, end_line, end_column]);
    if (!found || found.from >= found.to) return null;
    const { doc } = this.editor.state;
    const first = doc.lineAt(found.from);
    const before = doc.sliceString(first.from, found.from);
    // Lines that hold nothing else go as a whole; behind a value, the blanks before it go too.
    if (before.trim()) return { from: found.from - (before.length - before.trimEnd().length), to: found.to };
    const last = doc.lineAt(found.to);
    return last.to < doc.length ? { from: first.from, to: last.to + 1 } : { from: Math.max(0, first.from - 1), to: last.to };
  }

  private choose(index: number): void {
    this.at = index;
    this.draw();
    this.focus();
    this.look();
  }

  /** Show the place of the entry; focus stays in the list. */
  private look(): void {
    const doubt = this.doubts[this.at];
    const found = doubt && (this.place(doubt.value) ?? this.comment(doubt));
    if (!found) return;
    this.editor.change({
      selection: { anchor: found.from, head: found.to },
      effects: this.editor.scrolled(found.from),
      userEvent: "select.review",
    });
    if (this.form.views.view !== "text") this.form.look(this.jumps.lineOf(found.from));
  }

  private right(): void {
    const doubt = this.doubts[this.at];
    if (!doubt) return;
    this.remove([doubt]);
    this.answered = true;
    aloud(this.doubts.length ? `${this.done.length} looked at. Next: ${title(this.doubts[this.at]!)}` : "All looked at");
    this.look();
  }

  /** Delete comments as one edit; with the last mark also the line that says what it means. */
  private remove(gone: Doubt[]): void {
    const changes: ChangeSpec[] = gone.flatMap((doubt) => this.comment(doubt) ?? []);
    if (!changes.length) return;
    const rest = this.doubts.filter((doubt) => !gone.includes(doubt));
    const { doc } = this.editor.state;
    if (!rest.some(({ kind }) => kind === "guess")) {
      for (let at = 1; at <= Math.min(5, doc.lines); at += 1) {
        const line = doc.line(at);
        if (/^# What may be wrong is marked: # \?$/.test(line.text)) changes.push({ from: line.from, to: Math.min(doc.length, line.to + 1) });
      }
    }
    this.done.push(...gone.map((doubt) => said(doubt, this.value(doubt))));
    this.doubts = rest;
    this.at = Math.min(this.at, Math.max(0, rest.length - 1));
    this.editor.change({ changes, userEvent: "delete.review" });
    this.draw();
    this.focus();
  }

  /** Go to the value; its comment goes when it is changed. */
  private change(): void {
    const doubt = this.doubts[this.at];
    if (!doubt) return;
    const [value, comment] = [this.place(doubt.value), this.comment(doubt)];
    const to = value ?? comment;
    if (NARROW.matches) this.close();
    if (to) this.jumps.toRange(to.from, value?.to ?? to.from);
    this.editor.change({ effects: setChanging.of(value && comment ? { value, comment } : null) });
  }

  private focus(): void {
    const now = this.list.querySelector<HTMLElement>("[tabindex='0']") ?? find("review-close");
    if (!this.box.hidden) now.focus();
    now.scrollIntoView({ block: "nearest" });
  }

  private key(event: KeyboardEvent): void {
    const last = this.doubts.length - 1;
    if (event.key === "ArrowDown") this.choose(Math.min(last, this.at + 1));
    else if (event.key === "ArrowUp") this.choose(Math.max(0, this.at - 1));
    else if (event.key === "Enter" && (event.target as HTMLElement).classList.contains("doubt")) this.right();
    else if (event.key === "e" || event.key === "E") this.change();
    else if (event.key === "Escape") this.close();
    else return;
    event.preventDefault();
  }
}

/** Return how much of what is in a file: "Experience 2, Education 3". */
function came(outline: readonly Part[]): string {
  const sections = outline.filter(({ path }) => path[0] === "sections");
  return sections.map(({ title: words, detail }) => (detail ? `${words} ${detail}` : words)).join(", ") || "name and contact";
}

/** What an import says of a picture, and behind it what the picture shows. */
const PICTURE = /^.*: note: image: /;

/** Return what is said of a doubt below its title. */
function explained({ words }: Doubt): string {
  return words.replace(PICTURE, "").replace(/^without a description$/, "");
}

function title({ kind, key, words }: Doubt): string {
  if (PICTURE.test(words)) return "A picture was left out";
  if (kind === "lost") return /^and told when/.test(words) ? "More was told at the import" : "This has no place in the file";
  return key ? `Is this ${key.replace(/-/g, " ")} right?` : "Is all of this right?";
}

function said(doubt: Doubt, value: string): string {
  if (doubt.kind === "lost") return "left out";
  return doubt.key ? `“${value}”: the ${doubt.key.replace(/-/g, " ")}` : `“${value}”`;
}
