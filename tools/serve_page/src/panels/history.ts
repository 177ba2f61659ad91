/** The earlier versions of the file that is open: when they were saved, what changed in each, and back to one. */

import { counted, find, make } from "../dom";
import type { Draft } from "../draft";
import type { Editor } from "../editor/editor";
import { step } from "../editor/steps";
import { told } from "../said";
import { ask, tried } from "../server";
import { type Difference, differences } from "../start/packet";
import { ago } from "../times";

interface Version {
  name: string;
  /** Since 1970. */
  seconds: number;
  /** Whether it is none of git's. */
  is_copy: boolean;
  /** What changed since the one before; null if that can't be said. */
  changes: Difference[] | null;
}

/** As many places of changes are in the title. */
const SHOWN = 2;

export class History {
  private readonly panel = find("history-panel");
  private readonly list = find("history-list");
  private readonly asking = find("history-ask");
  private turn = 0;

  /** `saved` waits until the text is saved, and returns false if it can't be. */
  constructor(
    private readonly draft: Draft,
    private readonly editor: Editor,
    private readonly saved: () => Promise<boolean>,
  ) {
    find("history-button").addEventListener("click", () => void this.refresh());
    find("history-no").onclick = () => (this.asking.hidden = true);
  }

  /** Another file is shown. */
  forget(): void {
    this.turn += 1;
    this.asking.hidden = true;
    this.list.replaceChildren();
  }

  /** Show the versions that there are now, if the panel is open. */
  async refresh(): Promise<void> {
    if (this.panel.hidden || find("drawer").hidden) return;
    const turn = ++this.turn;
    await this.saved();
    const found = await tried(ask<{ versions: Version[] }>("/history", { person: this.draft.person }), (words) => turn === this.turn && this.say(words));
    if (!found || turn !== this.turn) return;
    const { versions } = found;
    this.say(versions.length > 1 ? "" : "Nothing was saved here yet. Copies of what you save are kept on this machine, for you alone.");
    this.list.replaceChildren(...versions.map((version, at) => this.row(version, at === 0 && version.is_copy, at === versions.length - 1)));
  }

  private row(version: Version, newest: boolean, oldest: boolean): HTMLElement {
    const { name, seconds, is_copy, changes } = version;
    const time = `${ago(seconds)}, ${new Date(seconds * 1000).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" })}`;
    const restore = make("button", { type: "button", "aria-label": `Restore ${time}`, click: () => void this.restore(name, time) }, "Restore");
    const places = changes?.slice(0, SHOWN).map(({ place }) => place).join("; ") ?? "";
    const more = (changes?.length ?? 0) - SHOWN;
    return make("li", {}, make("div", { class: "version" }, make("strong", {}, time), make("small", {}, newest ? "as it is now" : is_copy ? (oldest ? "the first that is kept" : "") : `git ${name.slice(0, 7)}`), newest ? null : restore),
      changes && differences(changes, more > 0 ? `${places} and ${counted(more, "more change")}` : places));
  }

  /** Put a version back as one edit; over a text that isn't saved only if `sure`. */
  private async restore(version: string, time: string, sure = false): Promise<void> {
    const { person } = this.draft;
    if (!sure && !(await this.saved())) {
      this.asking.hidden = false;
      find("history-yes").onclick = () => void this.restore(version, time, true);
      return find("history-yes").focus();
    }
    this.asking.hidden = true;
    const found = await tried(ask<{ text: string }>("/history", { person, version }), (words) => this.say(words));
    if (!found || person !== this.draft.person) return;
    this.editor.replace(found.text, step.of("alone"));
    told(`The version of ${time} is back.`, true);
    await this.refresh();
  }

  private say(words: string): void {
    find("history-said").textContent = words;
  }
}
