/** What an import guessed or lost: a list to click through, of the comments that stand in the file. */

import type { ChangeSpec } from "@codemirror/state";

import { counted, find, make } from "../dom";
import { setChanging, type Span } from "../editor/places";
import type { Desk } from "../main";
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
  /** How many were looked at. */
  private done = 0;
  private at = 0;
  /** Whose import is to be shown as soon as it is checked, and of which files. */
  private awaited: { person: string; files: string } | null = null;
  private files = "";
  private answered = false;
  /** What came in with an import. */
  private came = "";

  constructor(private readonly desk: Desk) {
    this.button.onclick = () => (this.box.hidden ? this.open() : this.close());
    find("review-close").onclick = () => this.close();
    find("review-all").onclick = () => this.remove(this.doubts);
    this.list.addEventListener("keydown", (event) => this.key(event));
    // Where there is room for one side only, the list has it.
    for (const side of ["text", "form", "pages"]) find(`pane-${side}`).addEventListener("click", () => NARROW.matches && this.close());
  }

  /** Open the file of this person, who was just imported, and the list when it is there. */
  await(person: string, files: string): void {
    this.awaited = { person, files };
    this.desk.open(person);
  }

  /** Another file is shown. */
  forget(): void {
    this.doubts = [];
    this.revision = Infinity;
    this.done = 0;
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
    if (this.awaited?.person !== this.desk.draft.person) return;
    this.files = this.awaited.files;
    this.awaited = null;
    this.came = came(outline ?? []);
    // The form comes first, unless the text was chosen before.
    if (!diagnostics.some(({ severity }) => severity === "error")) this.desk.form.views.prefer("form");
    if (doubts.length) this.open();
    else {
      this.desk.form.begin();
      told(`Imported from ${this.files}: ${this.came}. Compare that with your file: two items may have come in as one.`);
    }
    this.desk.jumps.sameSide();
  }

  private open(): void {
    this.turn(true);
    this.choose(this.at);
  }

  private close(): void {
    const focused = this.box.contains(document.activeElement);
    this.turn(false);
    if (focused) this.desk.editor.focus();
  }

  private turn(open: boolean): void {
    this.box.hidden = !open;
    find("work").classList.toggle("reviewing", open);
    this.button.setAttribute("aria-expanded", String(open));
  }

  private draw(): void {
    const { doubts, done } = this;
    const total = doubts.length + done;
    this.button.hidden = !doubts.length && this.box.hidden;
    find("review-count").textContent = String(doubts.length);
    find("review-title").textContent = this.files ? `Imported from ${this.files}` : "To look at";
    find("review-state").textContent = doubts.length
      ? `${done} of ${total} looked at.${this.files ? " Compare the rest with your file: two items may have come in as one." : ""}`
      : `All ${counted(total, "place")} looked at. The file has no more marks.`;
    if (this.came) find("review-state").prepend(`${this.came}. `);
    const bar = find<HTMLProgressElement>("review-bar");
    bar.max = Math.max(1, total);
    bar.value = done;
    find("review-all").hidden = doubts.length < 2;
    find("review-all").textContent = doubts.some(({ kind }) => kind === "lost") ? "All are right; leave out the lost" : "All are right";
    const focused = this.list.contains(document.activeElement);
    this.list.replaceChildren(...doubts.map((doubt, index) => this.entry(doubt, index)));
    if (focused) this.focus();
  }

  private entry(doubt: Doubt, index: number): HTMLElement {
    const now = index === this.at;
    const [words, value] = [explained(doubt), this.value(doubt)];
    const facts = [words && (doubt.kind === "guess" ? `Source: ${words}` : words), value && `Written: “${value}”`].filter(Boolean);
    const head = make("button", { class: "doubt", tabindex: now ? 0 : -1, "aria-current": now ? "true" : undefined, click: () => this.choose(index) },
      make("strong", {}, title(doubt)), make("span", { class: doubt.kind }, doubt.kind === "guess" ? "guessed" : "lost"), ...facts.map((fact) => make("small", {}, fact)));
    if (!now) return make("li", {}, head);
    const [right, change] = doubt.kind === "guess" ? ["Right", "Change"] : ["Leave it out", "Go there"];
    const actions = make("div", { class: "actions" },
      make("button", { class: "primary", tabindex: -1, click: () => this.right() }, right),
      make("button", { tabindex: -1, click: () => this.change() }, change),
      make("small", {}, `line ${doubt.line}`));
    return make("li", { class: "now" }, head, actions);
  }

  private value(doubt: Doubt): string {
    const found = this.place(doubt.value);
    const words = found ? this.desk.editor.state.doc.sliceString(found.from, found.to).replace(/^[|>][-+]?\s*(#.*)?\n/, "").replace(/\s+/g, " ").trim() : "";
    return words.length > 120 ? `${words.slice(0, 120)}…` : words;
  }

  /** Return where something of the file that was checked is now. */
  private place(located: [number, number, number, number] | null): Span | null {
    if (!located) return null;
    const [line, column, end_line, end_column] = located;
    return this.desk.draft.now({ line, column, end_line, end_column }, this.revision);
  }

  private comment({ line, column, end_line, end_column }: Doubt): Span | null {
    const found = this.place([line, column, end_line, end_column]);
    if (!found || found.from >= found.to) return null;
    const { doc } = this.desk.editor.state;
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
    const selection = { anchor: found.from, head: found.to };
    this.desk.editor.change({ selection, effects: this.desk.editor.scrolled(found.from), userEvent: "select.review" });
    if (this.desk.form.views.view !== "text") this.desk.form.reveal(this.desk.jumps.lineOf(found.from), true);
  }

  private right(): void {
    const doubt = this.doubts[this.at];
    if (!doubt) return;
    this.remove([doubt]);
    this.answered = true;
    aloud(this.doubts.length ? `${this.done} looked at. Next: ${title(this.doubts[this.at]!)}` : "All looked at");
    this.look();
  }

  /** Delete comments as one edit; with the last mark also the line that says what it means. */
  private remove(gone: Doubt[]): void {
    const changes: ChangeSpec[] = gone.flatMap((doubt) => this.comment(doubt) ?? []);
    if (!changes.length) return;
    const rest = this.doubts.filter((doubt) => !gone.includes(doubt));
    const { doc } = this.desk.editor.state;
    const head = rest.some(({ kind }) => kind === "guess") ? null : /^# What may be wrong is marked: # \?$\n?/m.exec(doc.sliceString(0, 1000));
    if (head) changes.push({ from: head.index, to: head.index + head[0].length });
    this.done += gone.length;
    this.doubts = rest;
    this.at = Math.min(this.at, Math.max(0, rest.length - 1));
    this.desk.editor.change({ changes, userEvent: "delete.review" });
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
    if (to) this.desk.jumps.toRange(to.from, value?.to ?? to.from);
    this.desk.editor.change({ effects: setChanging.of(value && comment ? { value, comment } : null) });
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
