/** The editor: CodeMirror with YAML, in a shadow root, where its style sheets need no permission. */

import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { bracketMatching, codeFolding, foldGutter, foldKeymap, indentOnInput, indentUnit } from "@codemirror/language";
import { type Diagnostic as Mark, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { type ChangeSet, Compartment, EditorState, type Extension, Transaction, type TransactionSpec } from "@codemirror/state";
import { drawSelection, dropCursor, EditorView, highlightActiveLine, highlightActiveLineGutter, highlightSpecialChars, keymap, lineNumbers, rectangularSelection } from "@codemirror/view";

import { complete, hover, prepare } from "./completion";
import { reviewed } from "./guessed";
import { itemRange, theme, wrapped } from "./look";
import { difference, places, range } from "./places";
import { markKeys, newline, paste } from "./typing";
import { type About, type Diagnostic, sentence } from "../messages";

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

export class Editor {
  readonly view: EditorView;
  /** What the file is of; a letter is Markdown, all else is YAML. */
  kind: About["kind"] = "person";
  private readonly writable = new Compartment();

  constructor(
    host: HTMLElement,
    private readonly listeners: Listeners,
  ) {
    const root = host.attachShadow({ mode: "open" });
    this.view = new EditorView({ parent: root, root, state: this.state("") });
    this.view.contentDOM.addEventListener("focus", () => prepare(() => this.kind), { once: true });
  }

  get text(): string {
    return this.view.state.doc.toString();
  }

  /** Show another file; undo doesn't lead back to the one before. */
  open(text: string): void {
    this.view.setState(this.state(text));
    this.view.scrollDOM.scrollTop = 0;
  }

  /** Change the text so that it equals `text`, as one edit that can be undone; the cursor stays. */
  replace(text: string, annotations: TransactionSpec["annotations"] = []): void {
    this.change({ changes: difference(this.text, text), userEvent: "input.replace", annotations });
  }

  /** Let nothing be written while another file is fetched. */
  lock(locked: boolean): void {
    this.view.dispatch({ effects: this.writable.reconfigure(EditorState.readOnly.of(locked)) });
  }

  change(spec: TransactionSpec): void {
    this.view.dispatch(spec);
  }

  /** Put the cursor at a range, in the middle of what is seen. */
  jump(from: number, to = from): void {
    const length = this.view.state.doc.length;
    const anchor = Math.min(from, length);
    this.view.dispatch({
      selection: { anchor, head: Math.min(Math.max(anchor, to), length) },
      effects: EditorView.scrollIntoView(anchor, { y: "center" }),
      userEvent: "select.jump",
    });
    this.view.focus();
  }

  mark(diagnostics: Diagnostic[]): void {
    const marks = diagnostics.flatMap((diagnostic): Mark[] => {
      const found = range(this.view.state.doc, diagnostic);
      if (!found) return [];
      const severity = diagnostic.severity === "note" ? "info" : diagnostic.severity;
      return [{ ...widened(this.view.state, found), severity, message: sentence(diagnostic) }];
    });
    this.view.dispatch(setDiagnostics(this.view.state, marks));
  }

  private state(doc: string): EditorState {
    return EditorState.create({ doc, extensions: [this.writable.of([]), this.extensions()] });
  }

  private extensions(): Extension[] {
    const run = (action: () => void) => () => (action(), true);
    const { listeners } = this;
    return [
      lineNumbers(), foldGutter({ openText: "▾", closedText: "▸" }), lintGutter(), highlightActiveLineGutter(),
      highlightSpecialChars(), steps(), codeFolding(), drawSelection(), dropCursor(),
      EditorState.allowMultipleSelections.of(true), EditorState.tabSize.of(2), indentUnit.of("  "),
      indentOnInput(), bracketMatching(), closeBrackets(), rectangularSelection(), highlightActiveLine(),
      highlightSelectionMatches(), search(), yaml(), paste, places, itemRange, reviewed, theme, EditorView.lineWrapping, wrapped,
      autocompletion({ icons: false, activateOnTypingDelay: 60, override: [complete(() => this.kind)] }), hover(() => this.kind),
      EditorView.contentAttributes.of({ "aria-label": "The person's file, YAML", spellcheck: "true", tabindex: "0" }),
      keymap.of([
        { key: "Mod-s", run: run(() => listeners.save()) },
        { key: "Alt-Enter", run: run(() => listeners.toPage()) },
        { key: "Alt-p", run: run(() => listeners.problems()) },
        { key: "Enter", run: newline },
        ...markKeys(() => this.kind === "letter"),
        ...closeBracketsKeymap, ...completionKeymap, ...lintKeymap, ...searchKeymap,
        ...foldKeymap, ...historyKeymap, indentWithTab, ...defaultKeymap,
      ]),
      EditorView.updateListener.of((update) => {
        if (update.docChanged && update.transactions.some((one) => one.isUserEvent("input.type") || one.isUserEvent("input.complete") || one.isUserEvent("delete"))) listeners.typed();
        if (update.docChanged) listeners.edited(update.changes);
        if (update.selectionSet || update.docChanged) {
          listeners.moved(update.transactions.some((one) => one.isUserEvent("select.jump")));
        }
      }),
    ];
  }
}

/** Milliseconds within which edits of the text, and of one field of the form, are one step of undo. */
const [TEXT, FIELD] = [500, 2000];

/** Return the history: what is typed without a longer pause is one step. */
function steps(): Extension[] {
  let last = 0;
  const joinToEvent = (transaction: Transaction, isAdjacent: boolean): boolean => {
    const soon = (transaction.annotation(Transaction.time) ?? 0) - last < TEXT;
    // A field that is folded anew changes in other places, too.
    return transaction.isUserEvent("input.type.field") || (isAdjacent && soon);
  };
  return [
    history({ newGroupDelay: FIELD, joinToEvent }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) last = update.transactions.at(-1)?.annotation(Transaction.time) ?? 0;
    }),
  ];
}

/** Return a range that can be seen: an empty one becomes the rest of its word or line. */
function widened(state: EditorState, found: { from: number; to: number }): { from: number; to: number } {
  if (found.to > found.from) return found;
  const word = state.wordAt(found.from);
  if (word) return { from: word.from, to: word.to };
  const line = state.doc.lineAt(found.from);
  return { from: found.from, to: Math.max(found.from, line.to) };
}
