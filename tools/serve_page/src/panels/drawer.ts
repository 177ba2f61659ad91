/** The panel beside the pages: options, what one page leaves out, an advertisement's terms, what is sent, what isn't translated. */

import { find, make, renew } from "../dom";
import { sentence, type Diagnostic, type LeftOut, type Path } from "../messages";

const NAMES = ["options", "left-out", "match", "packet", "language"] as const;
export type Name = (typeof NAMES)[number];

export class Drawer {
  private readonly box = find("drawer");
  private shown: Name | null = null;

  /** `opened` runs whenever the panel comes up. */
  constructor(private readonly opened: () => void) {
    for (const name of NAMES) this.button(name).onclick = () => this.toggle(name);
    find("drawer-close").onclick = () => this.close();
    this.box.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !event.defaultPrevented) this.close();
    });
  }

  /** Show what one page leaves out; nothing hides the button that leads there. */
  leftOut(all: LeftOut[], chosen: (diagnostic: Diagnostic) => void, keep: (path: Path) => void): void {
    this.button("left-out").hidden = !all.length;
    find("left-out-count").textContent = String(all.length);
    if (!all.length && this.shown === "left-out") this.close();
    const entries = all.map((one) => {
      const words = make("span", { class: "words" }, sentence(one).replace(/^left out: /, ""));
      const line = make("span", { class: "line" }, one.line === null ? "" : `Line ${one.line}`);
      const back = { type: "button", "aria-label": `Bring back ${words.textContent}`, click: () => one.path && keep(one.path) };
      const row = make("button", { type: "button", class: "row", click: () => chosen(one) }, words, line);
      return make("li", {}, row, one.path && make("button", back, "Bring back"));
    });
    renew(find("left-out-list"), entries);
  }

  toggle(name: Name): void {
    if (this.shown === name) this.close();
    else this.open(name);
  }

  open(name: Name): void {
    this.shown = name;
    this.opened();
    this.update();
    const first = find(`${name}-panel`).querySelector<HTMLElement>("input, select, textarea, button:not([hidden])");
    (first ?? find("drawer-close")).focus({ preventScroll: true });
  }

  get focused(): boolean {
    return this.box.contains(document.activeElement);
  }

  /** Close a panel, if it is the one that is shown. */
  hide(name: Name): void {
    if (this.shown === name) this.close();
  }

  private close(): void {
    const button = this.shown && this.button(this.shown);
    this.shown = null;
    this.update();
    if (button && !button.hidden) button.focus();
  }

  private update(): void {
    this.box.hidden = this.shown === null;
    for (const name of NAMES) {
      this.button(name).setAttribute("aria-expanded", String(this.shown === name));
      find(`${name}-panel`).hidden = this.shown !== name;
    }
    const title = this.shown && find(`${this.shown}-panel`).dataset["title"];
    if (title) find("drawer-title").textContent = title;
  }

  private button(name: Name): HTMLElement {
    return find(`${name}-button`);
  }
}
