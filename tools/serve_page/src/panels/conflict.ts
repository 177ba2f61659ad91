/** The bar about a file that was changed elsewhere, and the difference side by side. */

import { yaml } from "@codemirror/lang-yaml";
import { MergeView } from "@codemirror/merge";
import { EditorState } from "@codemirror/state";
import { EditorView, lineNumbers } from "@codemirror/view";

import { find } from "../dom";
import type { Draft } from "../draft";
import type { Editor } from "../editor/editor";
import { theme } from "../editor/look";
import { type OnDisk, sentence } from "../messages";

export class Conflict {
  private readonly bar = find("conflict");
  private readonly dialog = find<HTMLDialogElement>("difference");
  private readonly host = find("difference-view");
  private view: MergeView | null = null;
  private theirs: OnDisk | null = null;

  constructor(
    private readonly draft: Draft,
    private readonly editor: Editor,
  ) {
    this.host.attachShadow({ mode: "open" });
    find("conflict-compare").onclick = () => this.compare();
    for (const place of ["conflict", "difference"]) {
      find(`${place}-mine`).onclick = () => this.draft.resolve(true);
      find(`${place}-theirs`).onclick = () => this.draft.resolve(false);
    }
    this.dialog.onclose = () => {
      this.view?.destroy();
      this.view = null;
    };
  }

  /** Show the bar about what the file holds now; null hides it. */
  show(theirs: OnDisk | null): void {
    if (theirs === this.theirs) return;
    this.theirs = theirs;
    this.bar.hidden = theirs === null;
    if (this.dialog.open) this.dialog.close();
    if (!theirs) return;
    const { fault } = theirs;
    const gone = theirs.text === null;
    const { path } = this.draft;
    find("conflict-words").textContent = fault
      ? `${sentence(fault)}. The file was changed elsewhere; your text is still here.`
      : gone
      ? `${path} was renamed or deleted. Your text is still here, and not saved.`
      : `${path} was changed elsewhere while you were writing. Nothing is overwritten until you choose.`;
    find("conflict-mine").textContent = gone && !fault ? "Write the file again" : "Keep my text";
    find("conflict-theirs").hidden = gone;
    find("conflict-compare").hidden = gone;
  }

  private compare(): void {
    const text = this.theirs?.text;
    const root = this.host.shadowRoot;
    if (text === null || text === undefined || !root) return;
    this.dialog.showModal();
    const side = (doc: string, label: string) => ({
      doc,
      extensions: [
        lineNumbers(), yaml(), theme, marks, EditorView.lineWrapping, EditorState.readOnly.of(true),
        EditorView.contentAttributes.of({ "aria-label": label }),
      ],
    });
    this.view = new MergeView({
      a: side(text, "The file now"),
      b: side(this.editor.text, "My text"),
      parent: root,
      root,
      collapseUnchanged: { margin: 3, minSize: 8 },
    });
  }
}

const marks = EditorView.theme({
  ".cm-content": { paddingBottom: "12px" },
  "&.cm-merge-a .cm-changedLine, &.cm-merge-a .cm-changedText": { background: "var(--removed)" },
  "&.cm-merge-b .cm-changedLine, &.cm-merge-b .cm-changedText": { background: "var(--added)" },
  "&.cm-merge-a .cm-changedText, &.cm-merge-b .cm-changedText": { boxShadow: "inset 0 -2px currentColor" },
  ".cm-changeGutter": { display: "none" },
  ".cm-collapsedLines": { background: "var(--chrome)", color: "var(--muted)", fontFamily: "var(--sans)", padding: "4px 16px" },
});
