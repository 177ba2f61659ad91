/** Long lines: what is wrapped hangs below the beginning of the line's text. */

import { RangeSetBuilder } from "@codemirror/state";
import { Decoration, ViewPlugin, type DecorationSet, type EditorView, type ViewUpdate } from "@codemirror/view";

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
