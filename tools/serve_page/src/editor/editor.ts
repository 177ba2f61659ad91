/** The text of the file that is open, which all else reads and changes. What shows it is loaded with *Text*. */

import { type ChangeSet, Compartment, EditorState, type Extension, type StateEffect, type Transaction, type TransactionSpec } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";

import { make } from "../dom";
import type { About, Diagnostic } from "../messages";
import { type Code, loaded } from "./code";
import { reviewed } from "./guessed";
import { difference, itemRange, places } from "./places";
import { Steps } from "./steps";

export interface Listeners {
  /** The text changed by these changes. */
  edited(changes: ChangeSet): void;
  /** Somebody typed here. */
  typed(): void;
  /** The cursor moved; `following` if a click on a page moved it. */
  moved(following: boolean): void;
  save(): void;
  /** Go to the pages, to what the cursor is in. */
  toPage(): void;
  problems(): void;
}

/** What shows the text. */
interface Shown {
  view: EditorView;
  code: Code;
  extensions: Extension;
}

/** Return the shadow root of an element, with the style sheet of texts. */
export function styled(host: HTMLElement): ShadowRoot {
  const root = host.attachShadow({ mode: "open" });
  root.append(make("link", { rel: "stylesheet", href: "/static/text.css" }));
  return root;
}

const TYPED = ["input.type", "input.complete", "delete"];

export class Editor {
  /** What the file is of; a letter is Markdown, all else is YAML. */
  kind: About["kind"] = "person";
  private shown: Shown | null = null;
  private loading = false;
  /** What has the focus until the text is here, which takes it then. */
  private awaited: Element | null = null;
  private marks: Diagnostic[] = [];
  private readonly root: ShadowRoot;
  private readonly steps = new Steps();
  private readonly writable = new Compartment();
  private readonly looks = new Compartment();
  private hidden = this.begun("");

  constructor(
    host: HTMLElement,
    private readonly listeners: Listeners,
  ) {
    this.root = styled(host);
  }

  get state(): EditorState {
    return this.shown?.view.state ?? this.hidden;
  }

  get text(): string {
    return this.state.doc.toString();
  }

  get focused(): boolean {
    return this.shown?.view.hasFocus ?? false;
  }

  /** Load what shows the text, the first time. */
  async show(): Promise<void> {
    if (this.shown || this.loading) return;
    this.loading = true;
    const code = await loaded();
    this.loading = false;
    if (!code) return;
    const extensions = code.extensions(this, this.listeners);
    const { state } = this.hidden.update({ effects: this.looks.reconfigure(extensions) });
    this.shown = { view: code.open(this.root, state, this, (transaction) => this.heard(transaction)), code, extensions };
    this.mark(this.marks);
    this.change({ effects: this.scrolled(state.selection.main.head) });
    // Somebody may have begun something else meanwhile.
    if (this.awaited && [this.awaited, document.body].includes(document.activeElement ?? document.body)) this.focus();
  }

  focus(): void {
    this.awaited = this.shown ? null : (document.activeElement ?? document.body);
    this.shown?.view.focus();
  }

  /** Show another file; undo doesn't lead back to the one before. */
  open(text: string): void {
    this.steps.forget();
    this.awaited = null;
    this.hidden = this.begun(text);
    this.shown?.view.setState(this.hidden);
    if (this.shown) this.shown.view.scrollDOM.scrollTop = 0;
  }

  /** Change the text so that it equals `text`, as one edit that can be undone; the cursor stays. */
  replace(text: string, annotations: TransactionSpec["annotations"] = []): void {
    this.change({ changes: difference(this.text, text), userEvent: "input.replace", annotations });
  }

  /** Let nothing be written while another file is fetched. */
  lock(locked: boolean): void {
    this.change({ effects: this.writable.reconfigure(EditorState.readOnly.of(locked)) });
  }

  change(spec: TransactionSpec): void {
    this.take(this.state.update(spec));
  }

  /** Take back the last step, or make it again; returns false if there is none. */
  undo(again: boolean): boolean {
    const transaction = this.steps.back(this.state, again);
    if (transaction) this.take(transaction);
    return transaction !== null;
  }

  /** Put the cursor at a range, in the middle of what is seen. */
  jump(from: number, to = from): void {
    const { length } = this.state.doc;
    const anchor = Math.min(from, length);
    this.change({
      selection: { anchor, head: Math.min(Math.max(anchor, to), length) },
      effects: this.scrolled(anchor),
      userEvent: "select.jump",
    });
    this.focus();
  }

  /** Return what scrolls to a place of the text; nothing if the text isn't shown yet. */
  scrolled(at: number, y: "center" | "start" = "center"): StateEffect<unknown>[] {
    return this.shown ? [this.shown.code.scrolled(at, y)] : [];
  }

  mark(diagnostics: Diagnostic[]): void {
    this.marks = diagnostics;
    if (this.shown) this.change(this.shown.code.marked(this.state, diagnostics));
  }

  /** Show another text beside this one; null if that can't be loaded. */
  async compare(root: ShadowRoot, theirs: string): Promise<{ destroy(): void } | null> {
    const code = await loaded();
    return code && code.compare(root, theirs, this.text);
  }

  private take(transaction: Transaction): void {
    if (this.shown) return this.shown.view.dispatch(transaction);
    this.hidden = transaction.state;
    this.heard(transaction);
  }

  private heard(transaction: Transaction): void {
    this.steps.heard(transaction);
    if (transaction.docChanged) {
      if (TYPED.some((event) => transaction.isUserEvent(event))) this.listeners.typed();
      this.listeners.edited(transaction.changes);
    }
    if (transaction.selection || transaction.docChanged) this.listeners.moved(transaction.isUserEvent("select.jump"));
  }

  private begun(doc: string): EditorState {
    return EditorState.create({ doc, extensions: [this.writable.of([]), this.looks.of(this.shown?.extensions ?? []), places, itemRange, reviewed] });
  }
}
