/** Text, Form or Both on the left, pages on the right, and the dividers between them. */

import { find, recalled, remember } from "../dom";
import type { Desk } from "../main";
import type { View } from "../messages";

const VIEWS = ["text", "form", "both"] as const;
/** Where there is room for one side only. */
export const NARROW = matchMedia("(max-width: 820px)");

export class Views {
  private readonly box = find("desk");
  private shown: View = "text";
  /** What was chosen, now or before; null if nothing ever was. */
  private chosen: View | null = null;
  private plain = false;

  constructor(private readonly desk: Desk) {
    for (const view of VIEWS) find(`view-${view}`).onclick = () => this.show(view);
    divide(find("split"), this.box, "--above", 45);
    this.set("text");
    NARROW.addEventListener("change", () => this.set(this.shown));
  }

  get view(): View {
    return this.shown;
  }

  /** Show a file as was chosen; one that has no form as text. */
  open(chosen: View | null, isPlain: boolean): void {
    this.chosen = chosen;
    this.plain = isPlain;
    for (const id of ["views-bar", "pane-form"]) find(id).hidden = isPlain;
    this.set(isPlain ? "text" : (chosen ?? "text"));
    this.desk.form.seen();
  }

  /** Show a view from now on, if none was ever chosen. */
  prefer(view: View): void {
    if (this.chosen === null) this.show(view);
  }

  show(view: View): void {
    if (this.plain) return;
    this.chosen = view;
    // It lasts, also for a server on another port.
    this.desk.connection.send({ type: "look", view });
    this.set(view);
    this.desk.form.seen();
  }

  private set(view: View): void {
    this.shown = VIEWS.includes(view) ? (NARROW.matches && view === "both" ? "form" : view) : "text";
    this.box.dataset["view"] = this.shown;
    for (const one of VIEWS) find(`view-${one}`).setAttribute("aria-pressed", String(one === this.shown));
    find("editor").hidden = this.shown === "form";
    find("form").hidden = this.shown === "text";
    find("split").hidden = this.shown !== "both";
  }
}

/** Let a bar between two sides be dragged, or moved with the arrow keys; `variable` is the part of the room that is before it. */
export function divide(bar: HTMLElement, room: HTMLElement, variable: string, usual: number): void {
  const [least, most] = [Number(bar.ariaValueMin), Number(bar.ariaValueMax)];
  const name = `cvbuild-${bar.id}`;
  let at = usual;
  const set = (percent: number): void => {
    at = Math.min(most, Math.max(least, percent));
    room.style.setProperty(variable, `${at}%`);
    bar.ariaValueNow = String(Math.round(at));
    remember(name, String(at));
  };
  set(Number(recalled(name)) || usual);
  bar.onpointerdown = (event) => {
    bar.setPointerCapture(event.pointerId);
    bar.onpointermove = (move) => {
      const box = room.getBoundingClientRect();
      const beside = getComputedStyle(room).flexDirection === "row";
      set(100 * (beside ? (move.clientX - box.left) / box.width : (move.clientY - box.top) / box.height));
    };
  };
  bar.onpointerup = bar.onpointercancel = () => (bar.onpointermove = null);
  bar.ondblclick = () => set(usual);
  bar.onkeydown = (event) => {
    const to = { ArrowUp: at - 2, ArrowLeft: at - 2, ArrowDown: at + 2, ArrowRight: at + 2, Home: least, End: most }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    set(to);
  };
}

type Pane = "text" | "form" | "pages";

/** Return a function that shows one of them where there is room for one only. */
export function panes(): (pane: Pane) => void {
  const show = (pane: Pane): void => {
    find("work").dataset["pane"] = pane;
    for (const name of ["text", "form", "pages"]) find(`pane-${name}`).setAttribute("aria-pressed", String(name === pane));
  };
  find("pane-pages").onclick = () => show("pages");
  return show;
}
