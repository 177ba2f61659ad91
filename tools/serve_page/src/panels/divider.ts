/** The divider between editor and pages, and the switch between them on narrow screens. */

import { find } from "../dom";
import { recalled, remember } from "../kept";

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
