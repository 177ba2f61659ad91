/**
 * A box with bold, italic and links as they look; its value is our Markdown. The browser types in it: what it made of the
 * text is read, marks are given to what is new, and only what doesn't look so is drawn again.
 */

import { make } from "../dom";
import { told } from "../said";
import { type Atom, isStyle, linkTo, literal, type Mark, parse, serialise, settled, shared, styled } from "./markdown";

export type Style = "strong" | "em";

declare global {
  interface HTMLElementTagNameMap {
    "rich-text": RichText;
  }
}

const ADDRESS = /^(https?:\/\/|mailto:|tel:)\S+$/i;

export class RichText extends HTMLElement {
  private atoms: Atom[] = [];
  /** Whether the text is seen as it is written: it may be read in several ways. */
  asWritten = false;
  private composing = false;
  /** What was turned on or off for what is typed next at a place. */
  private next: { at: number; marks: readonly Mark[] } | null = null;

  constructor() {
    super();
    this.addEventListener("beforeinput", (event) => this.lines(event));
    this.addEventListener("input", (event) => {
      // The words of an input method are drawn by the browser until they are chosen.
      if (this.composing) event.stopImmediatePropagation();
      else if (event.isTrusted) this.read();
    });
    this.addEventListener("compositionstart", () => (this.composing = true));
    this.addEventListener("compositionend", () => {
      this.composing = false;
      this.read();
      this.typed();
    });
    this.addEventListener("paste", (event) => this.paste(event));
  }

  get value(): string {
    return serialise(this.atoms);
  }

  set value(text: string) {
    if (this.composing) return;
    const atoms = parse(text);
    this.asWritten = !atoms;
    this.atoms = atoms ?? literal(text);
    this.draw();
  }

  /** What is seen. */
  get words(): string {
    return this.atoms.map(({ shown }) => shown).join("");
  }

  get selectionStart(): number {
    return this.selection[0];
  }

  get selectionEnd(): number {
    return this.selection[1];
  }

  private get selection(): [number, number] {
    const selection = getSelection();
    if (!selection?.rangeCount || !this.contains(selection.anchorNode)) return [this.atoms.length, this.atoms.length];
    const { startContainer, startOffset, endContainer, endOffset } = selection.getRangeAt(0);
    return [this.offset(startContainer, startOffset), this.offset(endContainer, endOffset)];
  }

  setSelectionRange(start: number, end: number): void {
    const [from, to] = [this.place(start), this.place(end)];
    getSelection()?.setBaseAndExtent(...from, ...to);
  }

  select(): void {
    this.setSelectionRange(0, this.atoms.length);
  }

  /** Return the Markdown before and after what is selected. */
  halves(): [string, string] {
    const [start, end] = this.selection;
    return [serialise(this.atoms.slice(0, start)), serialise(this.atoms.slice(end))];
  }

  /** Whether all that is selected, or what is typed next, has a style. */
  has(style: Style): boolean {
    const [start, end] = this.selection;
    const all = start === end ? [this.marksAt(start, end)] : this.atoms.slice(start, end).filter(({ shown }) => shown.trim()).map((atom) => atom.marks);
    return all.length > 0 && all.every((one) => one.some(({ kind }) => kind === style));
  }

  /** Make the words that are selected, the one around the cursor, or what is typed next bold or italic, or take that away. */
  toggle(style: Style): boolean {
    const [start, end] = this.selection;
    const [from, to] = [this.word(start)[0], this.word(end)[1]];
    const has = this.has(style);
    const mark = styled(style);
    if (from < to) return this.mark(from, to, has ? null : mark, ({ kind }) => kind === style, [start, end]);
    const now = this.marksAt(start, end);
    this.next = { at: start, marks: has ? now.filter(({ kind }) => kind !== style) : [...now, mark] };
    return true;
  }

  /** Return what a link is about: the one at the cursor, else what is selected, else the word; and its address. */
  linked(): { from: number; to: number; address: string } {
    const [start, end] = this.selection;
    const link = (this.atoms[start] ?? this.atoms[start - 1])?.marks.find(({ kind }) => kind === "link");
    if (link) {
      const inside = this.atoms.map(({ marks: all }) => all.includes(link));
      const [from, to] = [inside.indexOf(true), inside.lastIndexOf(true) + 1];
      return { from, to, address: link.open === "[" ? link.close.slice(2, -1) : this.words.slice(from, to) };
    }
    const [from, to] = start === end ? this.word(start) : [start, end];
    const words = this.words.slice(from, to);
    return { from, to, address: ADDRESS.test(words) ? words : "" };
  }

  /** Give words an address; none takes it away, and words that there aren't are the address. */
  link(from: number, to: number, address: string): boolean {
    const words = from === to ? literal(address) : [];
    const [before, after] = [this.atoms.slice(0, to), this.atoms.slice(to)];
    const end = to + words.length;
    return this.mark(from, end, address ? linkTo(address) : null, ({ kind }) => kind === "link", [end, end], [...before, ...words, ...after]);
  }

  // -- edits -----------------------------------------------------------------------------------------

  private mark(from: number, to: number, mark: Mark | null, goes: (mark: Mark) => boolean, then: [number, number], atoms = this.atoms): boolean {
    const inside = atoms.slice(from, to).map((atom) => ({ ...atom, marks: atom.marks.filter((one) => !goes(one)) }));
    const depth = shared(inside.map((atom) => atom.marks));
    const fresh = inside.map((atom) => ({ ...atom, marks: mark ? atom.marks.toSpliced(depth, 0, mark) : atom.marks }));
    const all = settled([...atoms.slice(0, from), ...fresh, ...atoms.slice(to)], from, to);
    if (!all) return false;
    this.atoms = all;
    this.draw();
    if (document.activeElement === this) this.setSelectionRange(...then);
    this.typed();
    return true;
  }

  /** Put characters in the place of others. */
  private put(from: number, to: number, fresh: Atom[]): void {
    const end = from + fresh.length;
    const all = [...this.atoms.slice(0, from), ...fresh, ...this.atoms.slice(to)];
    const plain = (): Atom[] => all.map((atom, at) => (from <= at && at < end ? { ...atom, marks: [] } : atom));
    const read = this.asWritten ? all : (settled(all, from, end) ?? settled(plain(), from, end));
    if (read) this.atoms = read;
    else {
      this.asWritten = true;
      this.atoms = literal(serialise(all));
    }
    this.next = null;
    this.draw();
    const cursor = read ? end : serialise(all.slice(0, end)).length;
    if (this.selectionEnd !== cursor || this.selectionStart !== cursor) this.setSelectionRange(cursor, cursor);
  }

  /** Take in what the browser made of the text. */
  private read(): void {
    const [old, text] = [this.words, this.textContent];
    const most = Math.min(old.length, text.length);
    // Of two equal letters the one before the cursor is new.
    const tail = text.slice(this.selectionEnd);
    const upTo = old.endsWith(tail) ? tail.length : most;
    let cut = 0;
    while (cut < upTo && old.at(-1 - cut) === text.at(-1 - cut)) cut += 1;
    let from = 0;
    while (from < most - cut && old[from] === text[from]) from += 1;
    if (old === text) return this.draw();
    this.put(from, old.length - cut, literal(text.slice(from, text.length - cut), this.marksAt(from, old.length - cut)));
  }

  /** Put in lines, of which the browser would make blocks. */
  private lines(event: InputEvent): void {
    const isBreak = ["insertParagraph", "insertLineBreak"].includes(event.inputType);
    const text = isBreak ? "\n" : (event.data ?? event.dataTransfer?.getData("text/plain") ?? "");
    if (this.composing || !/[\r\n]/.test(text)) return;
    event.preventDefault();
    if (isBreak && !this.isLong) return;
    const [range] = event.getTargetRanges();
    const [from, to] = range ? [this.offset(range.startContainer, range.startOffset), this.offset(range.endContainer, range.endOffset)] : this.selection;
    this.insert(from, to, text);
  }

  private paste(event: ClipboardEvent): void {
    const data = event.clipboardData;
    if (event.defaultPrevented || !data) return;
    event.preventDefault();
    this.insert(...this.selection, data.getData("text/plain"));
  }

  /** Put words in the place of others. */
  private insert(from: number, to: number, text: string): void {
    const lines = text.replace(/\r\n?/g, "\n");
    const words = this.isLong ? lines : lines.replace(/^\n+|\n+$/g, "").replace(/\s*\n\s*/g, " ");
    this.put(from, to, literal(words, this.marksAt(from, to)));
    this.typed();
  }

  /** Whether it may have several lines. */
  private get isLong(): boolean {
    return this.ariaMultiLine === "true";
  }

  private typed(): void {
    this.dispatchEvent(new Event("input", { bubbles: true }));
  }

  /** Return the marks of what is typed in a place: a link doesn't go on behind its words. */
  private marksAt(from: number, to: number): readonly Mark[] {
    if (this.next?.at === from && from === to) return this.next.marks;
    const left = this.atoms[from < to ? from : from - 1]?.marks ?? [];
    const right = this.atoms[from < to ? to - 1 : to]?.marks ?? [];
    const ended = left.findIndex((mark) => !isStyle(mark) && !right.includes(mark));
    return ended < 0 ? left : left.slice(0, ended);
  }

  /** Return the word that a place is within. */
  private word(at: number): [number, number] {
    const before = /[\p{L}\p{M}\p{N}’'-]*$/u.exec(this.words.slice(0, at))![0].length;
    const after = /^[\p{L}\p{M}\p{N}’'-]*/u.exec(this.words.slice(at))![0].length;
    return before && after ? [at - before, at + after] : [at, at];
  }

  // -- what is drawn ---------------------------------------------------------------------------------

  private draw(): void {
    const fresh = document.createDocumentFragment();
    const open: { mark: Mark; element: HTMLElement }[] = [];
    for (const { shown, marks: all } of this.atoms) {
      open.length = shared([all, open.map(({ mark }) => mark)]);
      for (const mark of all.slice(open.length)) {
        const element = this.element(mark, all);
        (open.at(-1)?.element ?? fresh).append(element);
        open.push({ mark, element });
      }
      const box = open.at(-1)?.element ?? fresh;
      if (box.lastChild instanceof Text) box.lastChild.appendData(shown);
      else box.append(shown);
    }
    // The line after the last break has nothing that makes it high.
    if (this.atoms.at(-1)?.shown === "\n") fresh.append(make("br"));
    this.normalize();
    this.classList.toggle("as-written", this.asWritten);
    const drawn = [...fresh.childNodes];
    if (drawn.length === this.childNodes.length && drawn.every((node, at) => node.isEqualNode(this.childNodes[at]!))) return;
    const cursor = document.activeElement === this ? this.selection : null;
    this.replaceChildren(fresh);
    if (cursor) this.setSelectionRange(...cursor);
  }

  private element(mark: Mark, all: readonly Mark[]): HTMLElement {
    if (isStyle(mark)) return make(mark.kind === "strong" ? "b" : "i");
    const address = mark.open === "[" ? mark.close.slice(2, -1) : this.atoms.filter((atom) => atom.marks === all).map(({ shown }) => shown).join("");
    return make("a", { title: address, ...(ADDRESS.test(address) && { href: address }) });
  }

  private offset(node: Node, offset: number): number {
    const range = document.createRange();
    range.selectNodeContents(this);
    range.setEnd(node, offset);
    return range.toString().length;
  }

  private place(at: number): [Node, number] {
    const walker = document.createTreeWalker(this, NodeFilter.SHOW_TEXT);
    let left = at;
    for (let node = walker.nextNode() as Text | null; node; node = walker.nextNode() as Text | null) {
      if (left <= node.length) return [node, left];
      left -= node.length;
    }
    return [this, this.childNodes.length];
  }
}

customElements.define("rich-text", RichText);

/** Return a box of words. */
export function richText(properties: Record<string, string | number | boolean | undefined>): RichText {
  const box = make("rich-text", { contenteditable: "plaintext-only", role: "textbox", spellcheck: "true", "aria-multiline": "false", ...properties });
  // Where a browser knows no such boxes.
  if (box.contentEditable === "inherit") box.contentEditable = "true";
  return box;
}

// -- the bar of a field for bold, italic and links, and the box for a link's address --------------

/** A page, with or without https://, a mailbox, a number. */
const TYPED_ADDRESS = /^(?:(?:https?:\/\/|mailto:|tel:)\S|[\w-]+(?:\.[\w-]+)+(?:[/?#]|$))/i;
const MARKS = { b: "Bold", i: "Italic", k: "Link" } as const;
type Letter = keyof typeof MARKS;
const STYLES = { b: "strong", i: "em" } as const;

/** Return the bar of a field. The keys do the same, so that it is no stop. */
export function marksOf(field: HTMLElement): HTMLElement {
  let box: RichText | null = null;
  let link = { from: 0, to: 0, address: "", value: "" };
  // Focus stays in the box.
  const mousedown = (event: Event): void => event.preventDefault();
  const buttons = (Object.keys(MARKS) as Letter[]).map((key) => {
    const properties = { tabindex: -1, class: `mark-${key}`, title: `${MARKS[key]}: Ctrl ${key.toUpperCase()}`, "aria-label": MARKS[key] };
    return make("button", { ...properties, mousedown, click: () => act(key) }, key === "k" ? MARKS[key] : MARKS[key][0]!);
  });
  const note = make("small", {}, "with its marks, as it is written");
  const address = make("input", { type: "text", inputmode: "url", "aria-label": "Address of the link", placeholder: "https://", autocomplete: "off" });
  const remove = make("button", { class: "link", mousedown, click: () => ((address.value = ""), back(true)) }, "Remove");
  const linking = make("span", { class: "linking", hidden: true }, address, remove);
  const bar = make("span", { class: "marks" }, ...buttons, note, linking);

  const show = (): void => {
    if (!box) return;
    for (const button of buttons) button.hidden = box.asWritten;
    note.hidden = !box.asWritten;
    for (const [at, on] of [box.has("strong"), box.has("em"), Boolean(box.linked().address)].entries()) buttons[at]!.setAttribute("aria-pressed", String(on));
  };
  const act = (key: Letter): void => {
    if (!box || box.asWritten) return;
    if (key !== "k") {
      if (!box.toggle(STYLES[key])) told("These words can’t be marked so: marks begin and end with words.");
      return show();
    }
    link = { ...box.linked(), value: box.value };
    address.value = link.address;
    remove.hidden = !link.address;
    linking.hidden = false;
    address.select();
  };
  /** Give the words the address that is typed; return whether they have it. */
  const set = (): boolean => {
    const typed = address.value.trim();
    if (typed === link.address || !box) return true;
    const isOne = !typed || TYPED_ADDRESS.test(typed);
    const done = isOne && box.value === link.value && box.link(link.from, link.to, typed);
    if (!isOne) told("This is no address: a link leads to such as https://example.org or mailto:ada@example.org.");
    else if (!done) told("These words can’t be a link: the text changed, or one of its marks is in the way.");
    return done;
  };
  const back = (sets: boolean): void => {
    // Leaving its box, too, would set the address.
    linking.hidden = true;
    box!.focus();
    box!.setSelectionRange(sets ? link.to : link.from, link.to);
    if (sets && !set()) box!.setSelectionRange(link.from, link.to);
    show();
  };
  address.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    back(event.key === "Enter");
  });
  address.addEventListener("blur", () => {
    if (linking.hidden) return;
    linking.hidden = true;
    set();
  });
  field.addEventListener("focusin", ({ target }) => {
    if (target instanceof RichText) box = target;
  });
  for (const name of ["focusin", "keyup", "pointerup", "input"]) field.addEventListener(name, show);
  field.addEventListener("keydown", (event) => {
    const key = event.key.toLowerCase() as Letter;
    const isMark = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && key in MARKS;
    if (!isMark || document.activeElement !== box) return;
    event.preventDefault();
    event.stopPropagation();
    act(key);
  });
  return bar;
}
