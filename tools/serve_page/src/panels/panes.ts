/** Text, Form or Both on the left, pages on the right, and the dividers between them. */

import { find } from "../dom";

type View = "text" | "form" | "both";
const VIEWS = ["text", "form", "both"] as const;
const [VIEW, SPLIT] = ["cvbuild-view", "cvbuild-split"];
/** Where there is room for one side only. */
export const NARROW = matchMedia("(max-width: 820px)");

export class Views {
  private readonly desk = find("desk");
  private shown: View = "text";
  private plain = false;

  constructor(private readonly changed: (view: View) => void) {
    for (const view of VIEWS) find(`view-${view}`).onclick = () => this.show(view);
    this.divide();
    this.set((recalled(VIEW) as View | null) ?? "text");
    NARROW.addEventListener("change", () => this.set(this.shown));
  }

  get view(): View {
    return this.shown;
  }

  get narrow(): boolean {
    return NARROW.matches;
  }

  /** Show the text alone, of a file that has no form; what was chosen comes back. */
  only(text: boolean): void {
    this.plain = text;
    for (const id of ["views-bar", "pane-form"]) find(id).hidden = text;
    this.set(text ? "text" : ((recalled(VIEW) as View | null) ?? "text"));
    this.changed(this.shown);
  }

  /** Show a view from now on, if none was ever chosen. */
  prefer(view: View): void {
    if (recalled(VIEW) === null) this.show(view);
  }

  show(view: View): void {
    if (this.plain) return;
    remember(VIEW, view);
    this.set(view);
    this.changed(this.shown);
  }

  private set(view: View): void {
    this.shown = VIEWS.includes(view) ? (NARROW.matches && view === "both" ? "form" : view) : "text";
    this.desk.dataset["view"] = this.shown;
    for (const one of VIEWS) find(`view-${one}`).setAttribute("aria-pressed", String(one === this.shown));
    find("editor").hidden = this.shown === "form";
    find("form").hidden = this.shown === "text";
    find("split").hidden = this.shown !== "both";
  }

  private divide(): void {
    const bar = find("split");
    let at = 45;
    const set = (percent: number): void => {
      at = Math.min(80, Math.max(20, percent));
      this.desk.style.setProperty("--above", `${at}%`);
      bar.setAttribute("aria-valuenow", String(Math.round(at)));
      remember(SPLIT, String(at));
    };
    set(Number(recalled(SPLIT) ?? at) || 45);
    bar.onpointerdown = (event) => {
      bar.setPointerCapture(event.pointerId);
      bar.onpointermove = (move) => {
        const box = this.desk.getBoundingClientRect();
        const beside = getComputedStyle(this.desk).flexDirection === "row";
        set(100 * (beside ? (move.clientX - box.left) / box.width : (move.clientY - box.top) / box.height));
      };
    };
    bar.onpointerup = bar.onpointercancel = () => (bar.onpointermove = null);
    bar.ondblclick = () => set(45);
    bar.onkeydown = (event) => {
      const to = { ArrowUp: at - 2, ArrowLeft: at - 2, ArrowDown: at + 2, ArrowRight: at + 2, Home: 20, End: 80 }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      set(to);
    };
  }
}

const KEY = "cvbuild-divider";
const [LEAST, MOST] = [25, 75];

/** Let the divider be dragged, or moved with the arrow keys. */
export function divide(): void {
  const work = find("work");
  const divider = find("divider");
  let at = 46;
  const set = (percent: number): void => {
    at = Math.min(MOST, Math.max(LEAST, percent));
    work.style.setProperty("--left", `${at}%`);
    divider.setAttribute("aria-valuenow", String(Math.round(at)));
    remember(KEY, String(at));
  };
  set(Number(recalled(KEY) ?? at));
  divider.onpointerdown = (event) => {
    divider.setPointerCapture(event.pointerId);
    divider.onpointermove = (move) => {
      const box = work.getBoundingClientRect();
      set(((move.clientX - box.left) / box.width) * 100);
    };
  };
  divider.onpointerup = divider.onpointercancel = () => (divider.onpointermove = null);
  divider.ondblclick = () => set(46);
  divider.onkeydown = (event) => {
    const ways: Record<string, number> = { ArrowLeft: at - 2, ArrowRight: at + 2, Home: LEAST, End: MOST };
    const to = ways[event.key];
    if (to === undefined) return;
    event.preventDefault();
    set(to);
  };
}

export type Pane = "text" | "form" | "pages";

/** Return a function that shows one of them where there is room for one only. */
export function panes(): (pane: Pane) => void {
  const show = (pane: Pane): void => {
    find("work").dataset["pane"] = pane;
    for (const name of ["text", "form", "pages"]) find(`pane-${name}`).setAttribute("aria-pressed", String(name === pane));
  };
  find("pane-pages").onclick = () => show("pages");
  return show;
}

/** Return what is kept under a name; null for nothing. */
export function recalled(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

/** Keep a value; where the browser keeps nothing, the page looks as usual next time. */
export function remember(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
  } catch {
    // Nothing is lost but that.
  }
}
