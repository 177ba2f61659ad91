/** The bar about a file that was changed elsewhere, and the difference side by side. */

import { find } from "../dom";
import type { Draft } from "../draft";
import { type Editor, styled } from "../editor/editor";
import { type OnDisk, sentence } from "../messages";

export class Conflict {
  private readonly bar = find("conflict");
  private readonly dialog = find<HTMLDialogElement>("difference");
  private readonly root = styled(find("difference-view"));
  private view: { destroy(): void } | null = null;
  private theirs: OnDisk | null = null;

  constructor(
    private readonly draft: Draft,
    private readonly editor: Editor,
  ) {
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
    if (text === null || text === undefined) return;
    this.dialog.showModal();
    void this.editor.compare(this.root, text).then((view) => (this.dialog.open ? (this.view = view) : view?.destroy()));
  }
}
