/** The lines of the item that the form shows: tinted in the text. */

import { RangeSetBuilder, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView } from "@codemirror/view";

interface Range {
  from: number;
  to: number;
}

export const setItem = StateEffect.define<Range | null>();
const line = Decoration.line({ class: "cm-item" });

export const itemRange = StateField.define<Range | null>({
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
