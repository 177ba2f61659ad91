/** Which document is shown: a tab for each that the person picked, a menu for all others. */

import { find, make, unpressed } from "../dom";
import { same, type Described, type Document } from "../messages";
import { menu } from "./menu";

const KINDS = { template: "Template", variant: "Variant", letter: "Letter" };

export class Tabs {
  private readonly list = find("tabs");
  all: Described[] = [];
  private chosen: Document | null = null;
  private drawn = "";

  constructor(private readonly choose: (document: Document) => void) {
    menu(find("more"), "Other documents", () =>
      this.all.filter((one) => !this.visible().includes(one)).map((one) => ({
        label: one.title,
        detail: one.document.kind === "template" ? "" : KINDS[one.document.kind],
        run: () => this.choose(one.document),
      })),
    );
    this.list.addEventListener("keydown", (event) => this.key(event));
  }

  get current(): Described | null {
    return this.all.find((one) => same(one.document, plain(this.chosen))) ?? null;
  }

  set(all: Described[]): void {
    this.all = all;
    this.draw();
  }

  select(document: Document): void {
    this.chosen = document;
    this.draw();
  }

  /** Picked documents, and the one that is shown. */
  private visible(): Described[] {
    const picked = this.all.filter((one) => one.picked);
    const { current } = this;
    return current && !current.picked ? [...picked, current] : picked;
  }

  private draw(): void {
    const visible = this.visible();
    const { current } = this;
    const now = JSON.stringify([visible.map(({ document, title, picked }) => [document, title, picked]), current?.document]);
    find("more").hidden = this.all.length === visible.length;
    if (now === this.drawn) return;
    this.drawn = now;
    unpressed(this.list, () => {
      const focused = this.list.contains(document.activeElement);
      this.list.replaceChildren(...visible.map((one) => this.tab(one, one === current)));
      const selected = this.list.querySelector<HTMLElement>("[aria-selected=true]");
      selected?.scrollIntoView({ block: "nearest", inline: "nearest" });
      if (focused) selected?.focus();
    });
  }

  private tab(one: Described, selected: boolean): HTMLElement {
    const kind = one.document.kind === "template" ? (one.picked ? "" : "only looked at") : KINDS[one.document.kind];
    return make("button", {
      type: "button",
      role: "tab",
      tabindex: selected ? 0 : -1,
      "aria-selected": String(selected),
      "aria-controls": "pages",
      click: () => this.choose(one.document),
    }, make("span", {}, one.title), kind && kind !== one.title ? make("small", {}, kind) : null);
  }

  private key(event: KeyboardEvent): void {
    const tabs = [...this.list.children] as HTMLElement[];
    const at = tabs.indexOf(document.activeElement as HTMLElement);
    const targets: Record<string, HTMLElement | undefined> = {
      ArrowRight: tabs[at + 1] ?? tabs[0],
      ArrowLeft: tabs[at - 1] ?? tabs.at(-1),
      Home: tabs[0],
      End: tabs.at(-1),
    };
    const target = targets[event.key];
    if (!target) return;
    event.preventDefault();
    target.click();
    (this.list.querySelector<HTMLElement>("[aria-selected=true]") ?? target).focus();
  }
}

function plain(document: Document | null): Document | null {
  return document && { ...document, private: false, locale: null };
}
