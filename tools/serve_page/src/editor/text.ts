/** What shows the text: CodeMirror with YAML, in a shadow root, where its style sheets need no permission. */

import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, indentWithTab } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { bracketMatching, codeFolding, foldGutter, foldKeymap, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { type Diagnostic as Mark, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { MergeView } from "@codemirror/merge";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension, RangeSetBuilder, type StateEffect, type Transaction, type TransactionSpec } from "@codemirror/state";
import { Decoration, drawSelection, dropCursor, EditorView, highlightActiveLine, highlightActiveLineGutter, highlightSpecialChars, keymap, lineNumbers, rectangularSelection } from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";

import type { Desk } from "../main";
import { type Diagnostic, sentence } from "../messages";
import { complete, prepare } from "./completion";
import { provide } from "./editor";
import { itemRange, range, type Span } from "./places";
import { newline, paste } from "./typing";

/** The colours of text.css. */
const colours = syntaxHighlighting(classHighlighter);

const itemLine = Decoration.line({ class: "cm-item" });

/** The lines of the item that the form shows. */
const itemLines = EditorView.decorations.compute([itemRange, "doc"], (state) => {
  const range = state.field(itemRange);
  const builder = new RangeSetBuilder<Decoration>();
  for (let at = range?.from ?? Infinity; range && at <= Math.min(range.to, state.doc.length); ) {
    const line = state.doc.lineAt(at);
    builder.add(line.from, line.from, itemLine);
    at = line.to + 1;
  }
  return builder.finish();
});

/** Show a state; `heard` gets each transaction when it is done. */
export function open(root: ShadowRoot, state: EditorState, { draft }: Desk, heard: (transaction: Transaction) => void): EditorView {
  const view = new EditorView({
    parent: root,
    root,
    state,
    dispatchTransactions: (transactions) => {
      view.update(transactions);
      transactions.forEach(heard);
    },
  });
  view.contentDOM.addEventListener("focus", () => prepare(() => draft.kind), { once: true });
  return view;
}

/** Return what makes an editor of a state. */
export function extensions(desk: Desk): Extension {
  const run = (action: () => unknown) => () => (action(), true);
  const { editor } = desk;
  const again = run(() => editor.undo(true));
  return [
    lineNumbers(), foldGutter({ openText: "▾", closedText: "▸" }), lintGutter(), highlightActiveLineGutter(),
    highlightSpecialChars(), codeFolding(), drawSelection(), dropCursor(),
    EditorState.allowMultipleSelections.of(true), EditorState.tabSize.of(2), indentUnit.of("  "),
    indentOnInput(), bracketMatching(), closeBrackets(), rectangularSelection(), highlightActiveLine(),
    highlightSelectionMatches(), search(), yaml(), paste, itemLines, colours, EditorView.lineWrapping,
    autocompletion({ icons: false, activateOnTypingDelay: 60, override: [complete(() => desk.draft.kind)] }),
    EditorView.contentAttributes.of({ "aria-label": "The person's file, YAML", spellcheck: "true", tabindex: "0" }),
    keymap.of([
      { key: "Mod-s", run: run(() => desk.save()) },
      { key: "Mod-z", run: run(() => editor.undo(false)), shift: again },
      { key: "Mod-y", run: again },
      { key: "Alt-Enter", run: run(() => desk.jumps.toPage()) },
      { key: "Alt-p", run: run(() => desk.problems.focus()) },
      { key: "Enter", run: newline },
      // The keys for marks in the form: here they would select, and what is typed next would take the place of that.
      ...["Mod-b", "Mod-i", "Mod-k"].map((key) => ({ key, run: () => true })),
      ...closeBracketsKeymap, ...completionKeymap, ...lintKeymap, ...searchKeymap, ...foldKeymap, indentWithTab, ...defaultKeymap,
    ]),
    EditorView.domEventHandlers({
      // A touch screen and the browser's menu undo so.
      beforeinput: ({ inputType }) => (inputType === "historyUndo" || inputType === "historyRedo") && editor.undo(inputType === "historyRedo"),
    }),
  ];
}

/** Return what scrolls to a place of the text. */
export function scrolled(at: number, y: "center" | "start"): StateEffect<unknown> {
  return EditorView.scrollIntoView(at, { y, yMargin: 24 });
}

/** Return what marks the places of diagnostics. */
export function marked(state: EditorState, diagnostics: Diagnostic[]): TransactionSpec {
  return setDiagnostics(state, diagnostics.flatMap((diagnostic): Mark[] => {
    const found = range(state.doc, diagnostic);
    if (!found) return [];
    const severity = diagnostic.severity === "note" ? "info" : diagnostic.severity;
    return [{ ...widened(state, found), severity, message: sentence(diagnostic) }];
  }));
}

/** Return a range that can be seen: an empty one becomes the rest of its word or line. */
function widened(state: EditorState, found: Span): Span {
  if (found.to > found.from) return found;
  const word = state.wordAt(found.from);
  if (word) return { from: word.from, to: word.to };
  const line = state.doc.lineAt(found.from);
  return { from: found.from, to: Math.max(found.from, line.to) };
}

/** Show two texts side by side. */
export function compare(root: ShadowRoot, theirs: string, mine: string): MergeView {
  const side = (doc: string, label: string) => ({
    doc,
    extensions: [
      lineNumbers(), yaml(), colours, EditorView.lineWrapping, EditorState.readOnly.of(true),
      EditorView.contentAttributes.of({ "aria-label": label }),
    ],
  });
  return new MergeView({ a: side(theirs, "The file now"), b: side(mine, "My text"), parent: root, root, collapseUnchanged: { margin: 3, minSize: 8 } });
}

provide({ open, extensions, scrolled, marked, compare });
