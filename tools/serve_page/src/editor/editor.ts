/** The text of the file that is open, which all else reads and changes. What shows it is loaded with *Text*. */

import { Compartment, EditorState, type Extension, type StateEffect, type Transaction, type TransactionSpec } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";

import { find, make } from "../dom";
import type { Desk } from "../main";
import type { Diagnostic } from "../messages";
import { told } from "../said";
import { changing, difference, itemRange, places, reviewed } from "./places";
import { Steps } from "./steps";

type Code = Omit<typeof import("./text"), "default">;

/** What the build puts in place of this: another program may have taken the port. */
const INTEGRITY = "INTEGRITY OF text.js";

let arrived: (code: Code) => void = () => {};
let code: Promise<Code | null> | null = null;
/** How often the script was asked for: browsers keep that a module's address failed. */
let tries = 0;

/** The script is here. */
export function provide(given: Code): void {
  arrived(given);
}

/** Load the script once; null if that can't be done now. */
function loaded(): Promise<Code | null> {
  code ??= new Promise((done) => {
    arrived = done;
    const again = tries++ ? `?${tries}` : "";
    const script = make("script", { type: "module", src: `/static/text.js${again}`, integrity: INTEGRITY });
    script.onerror = () => {
      script.remove();
      code = null;
      told("The text can’t be shown, as cvbuild serve doesn’t answer.");
      done(null);
    };
    document.head.append(script);
  });
  return code;
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
  private shown: Shown | null = null;
  private loading = false;
  /** What has the focus until the text is here, which takes it then. */
  private awaited: Element | null = null;
  private marks: Diagnostic[] = [];
  private readonly root = styled(find("editor"));
  private steps = new Steps();
  private readonly writable = new Compartment();
  private readonly looks = new Compartment();
  private hidden = this.begun("");

  constructor(private readonly desk: Desk) {}

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
    const extensions = code.extensions(this.desk);
    const { state } = this.hidden.update({ effects: this.looks.reconfigure(extensions) });
    this.shown = { view: code.open(this.root, state, this.desk, (transaction) => this.heard(transaction)), code, extensions };
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
    this.steps = new Steps();
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
    const { draft, form, jumps, quiet } = this.desk;
    this.steps.heard(transaction);
    if (transaction.docChanged) {
      if (TYPED.some((event) => transaction.isUserEvent(event))) quiet.key();
      draft.edited(transaction.changes);
      form.edited(transaction.changes);
    }
    if (!transaction.selection && !transaction.docChanged) return;
    // What a click on a page moved isn't followed by the pages.
    jumps.moved(transaction.isUserEvent("select.jump"));
    quiet.moved();
  }

  private begun(doc: string): EditorState {
    return EditorState.create({ doc, extensions: [this.writable.of([]), this.looks.of(this.shown?.extensions ?? []), places, itemRange, changing, reviewed] });
  }
}
