/** How lines of the text look: long ones hang, those of the form's item are tinted. `text.css` has the rest. */

import { RangeSetBuilder } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate } from "@codemirror/view";

import { itemRange } from "./places";

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

const line = Decoration.line({ class: "cm-item" });

/** The lines of the item that the form shows. */
export const itemLines = EditorView.decorations.compute([itemRange, "doc"], (state) => {
  const range = state.field(itemRange);
  const builder = new RangeSetBuilder<Decoration>();
  if (!range) return builder.finish();
  for (let at = Math.min(range.from, state.doc.length); at <= Math.min(range.to, state.doc.length); ) {
    const now = state.doc.lineAt(at);
    builder.add(now.from, now.from, line);
    at = now.to + 1;
  }
  return builder.finish();
});
