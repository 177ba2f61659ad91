/** How the editor looks: colours are the page's (page.css), long lines hang, the item of the form is tinted. */

import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { RangeSetBuilder, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate } from "@codemirror/view";
import { tags } from "@lezer/highlight";

import type { Span } from "./places";

const mark = (colour: string) => ({
  backgroundImage: "none",
  textDecoration: `underline wavy ${colour} 1px`,
  textUnderlineOffset: "3px",
  textDecorationSkipInk: "none",
  paddingBottom: "0",
});
const dot = (colour: string) => ({
  content: '""',
  width: "7px",
  height: "7px",
  margin: "7px 0 0 5px",
  borderRadius: "50%",
  background: colour,
});

const look = EditorView.theme({
  "&": { height: "100%", color: "var(--ink)", backgroundColor: "var(--paper)", fontSize: "var(--code-size)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.6", overflow: "auto" },
  ".cm-content": { padding: "12px 0 40vh", caretColor: "var(--accent)" },
  ".cm-line": { padding: "0 16px 0 6px" },
  ".cm-cursor": { borderLeftColor: "var(--accent)", borderLeftWidth: "2px" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground":
    { background: "var(--selected)" },
  ".cm-activeLine": { backgroundColor: "var(--line)" },
  ".cm-item": { backgroundColor: "var(--item)", boxShadow: "inset 3px 0 var(--spot-edge)" },
  ".cm-item.cm-activeLine": { backgroundColor: "var(--spot)" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--faint)", border: "none" },
  ".cm-activeLineGutter": { backgroundColor: "transparent", color: "var(--ink)" },
  ".cm-lineNumbers .cm-gutterElement": { padding: "0 0 0 6px", fontVariantNumeric: "tabular-nums" },
  ".cm-foldGutter .cm-gutterElement": { padding: "0 3px", cursor: "pointer" },
  ".cm-foldPlaceholder": { background: "var(--line)", border: "none", color: "var(--muted)", padding: "0 6px" },
  ".cm-matchingBracket, &.cm-focused .cm-matchingBracket": { background: "var(--selected)" },
  ".cm-selectionMatch": { background: "var(--line)" },
  ".cm-lintRange-error": mark("var(--bad)"),
  ".cm-lintRange-warning": mark("var(--warn)"),
  ".cm-lintRange-info": mark("var(--muted)"),
  ".cm-lintPoint::after": { borderBottomColor: "var(--bad)" },
  ".cm-gutter-lint": { width: "14px" },
  ".cm-gutter-lint .cm-gutterElement": { padding: "0" },
  ".cm-lint-marker": { width: "14px", height: "auto" },
  ".cm-lint-marker-error": dot("var(--bad)"),
  ".cm-lint-marker-warning": dot("var(--warn)"),
  ".cm-lint-marker-info": dot("var(--muted)"),
  ".cm-diagnostic": { padding: "8px 12px", borderLeft: "none", whiteSpace: "normal", lineHeight: "1.45" },
  ".cm-diagnostic-error": { boxShadow: "inset 3px 0 var(--bad)" },
  ".cm-diagnostic-warning": { boxShadow: "inset 3px 0 var(--warn)" },
  ".cm-tooltip": {
    background: "var(--raised)",
    color: "var(--ink)",
    border: "1px solid var(--rule)",
    borderRadius: "6px",
    boxShadow: "var(--shadow)",
    fontFamily: "var(--sans)",
    fontSize: "13px",
    overflow: "hidden",
    maxWidth: "min(420px, 80vw)",
  },
  ".cm-hover": { padding: "8px 12px", lineHeight: "1.45" },
  ".cm-hover strong": { fontFamily: "var(--mono)", fontWeight: "600" },
  ".cm-hover p": { margin: "2px 0 0" },
  ".cm-tooltip.cm-tooltip-autocomplete": { overflow: "visible", maxWidth: "none" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)", maxHeight: "17em", padding: "4px" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "2px 8px", borderRadius: "4px", lineHeight: "1.6" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { background: "var(--accent)", color: "var(--on-accent)" },
  ".cm-tooltip-autocomplete ul li[aria-selected] .cm-completionDetail": { color: "inherit" },
  ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "700" },
  ".cm-completionDetail": { fontFamily: "var(--sans)", fontStyle: "normal", color: "var(--muted)", marginLeft: "1.5em" },
  ".cm-tooltip.cm-completionInfo": { padding: "8px 12px", lineHeight: "1.45", width: "260px", maxWidth: "260px" },
  ".cm-completionInfo p": { margin: "0" },
  ".cm-panels": { background: "var(--chrome)", color: "var(--ink)", fontFamily: "var(--sans)" },
  ".cm-panels.cm-panels-bottom": { borderTop: "1px solid var(--rule)" },
  ".cm-panel.cm-search": { padding: "8px 28px 8px 12px", fontSize: "13px" },
  ".cm-textfield": { background: "var(--paper)", border: "1px solid var(--edge)", borderRadius: "4px", padding: "3px 6px", fontSize: "13px" },
  ".cm-button": { background: "var(--raised)", border: "1px solid var(--edge)", borderRadius: "4px", backgroundImage: "none", color: "inherit", fontSize: "13px" },
  ".cm-panel.cm-search label": { fontSize: "13px" },
  ".cm-panel button[name=close]": { color: "inherit", fontSize: "16px" },
  ".cm-searchMatch": { background: "var(--found)" },
  ".cm-searchMatch-selected": { background: "var(--found-now)" },
  ".cm-textfield:focus-visible, .cm-button:focus-visible, button:focus-visible, input:focus-visible":
    { outline: "2px solid var(--accent)", outlineOffset: "1px" },
});

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--key)" },
  { tag: tags.string, color: "var(--text)" },
  { tag: tags.content, color: "var(--ink)" },
  { tag: [tags.lineComment, tags.comment], color: "var(--muted)", fontStyle: "italic" },
  { tag: [tags.separator, tags.punctuation, tags.squareBracket, tags.brace], color: "var(--muted)" },
  { tag: [tags.labelName, tags.typeName, tags.meta], color: "var(--warn)" },
]);

/** The look of an editor; also of those that only show text. */
export const theme = [look, syntaxHighlighting(colours)];

/** Columns of the deepest indentation that is followed. */
const MOST = 24;
const PADDING = 6;

function decorate(view: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  for (const { from, to } of view.visibleRanges) {
    for (let at = from; at <= to; ) {
      const line = view.state.doc.lineAt(at);
      const columns = Math.min(MOST, /^\s*(?:-\s+)*/.exec(line.text)?.[0].length ?? 0);
      if (columns) {
        const style = `padding-left: calc(${PADDING}px + ${columns}ch); text-indent: -${columns}ch`;
        builder.add(line.from, line.from, Decoration.line({ attributes: { style } }));
      }
      at = line.to + 1;
    }
  }
  return builder.finish();
}

export const wrapped = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;

    constructor(view: EditorView) {
      this.decorations = decorate(view);
    }

    update(update: ViewUpdate): void {
      if (update.docChanged || update.viewportChanged) this.decorations = decorate(update.view);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

export const setItem = StateEffect.define<Span | null>();
const line = Decoration.line({ class: "cm-item" });

export const itemRange = StateField.define<Span | null>({
  create: () => null,
  update(value, transaction) {
    let found = value && { from: transaction.changes.mapPos(value.from, 1), to: transaction.changes.mapPos(value.to, -1) };
    for (const effect of transaction.effects) if (effect.is(setItem)) found = effect.value;
    return found;
  },
  provide: (field) =>
    EditorView.decorations.compute([field, "doc"], (state) => {
      const range = state.field(field);
      const builder = new RangeSetBuilder<Decoration>();
      if (!range) return builder.finish();
      for (let at = Math.min(range.from, state.doc.length); at <= Math.min(range.to, state.doc.length); ) {
        const now = state.doc.lineAt(at);
        builder.add(now.from, now.from, line);
        at = now.to + 1;
      }
      return builder.finish();
    }),
});
