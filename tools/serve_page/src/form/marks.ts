/** A bar over a field of prose, while it has focus: bold, italic, link; and the keys for them. */

import { make } from "../dom";
import { marked, markOf, MARKS, type Mark } from "../markup";
import type { Box } from "./typed";

/** Return the bar of a field. The keys do the same, so that it is no stop. */
export function marksOf(field: HTMLElement): HTMLElement {
  const box = (): Box | null => {
    const active = document.activeElement;
    return active instanceof HTMLTextAreaElement && field.contains(active) ? active : null;
  };
  field.addEventListener("keydown", (event) => {
    const key = markOf(event);
    const here = box();
    if (!key || !here) return;
    event.preventDefault();
    event.stopPropagation();
    put(here, key);
  });
  const buttons = Object.entries(MARKS).map(([key, name]) => {
    const click = (): void => {
      const here = box();
      if (here) put(here, key as Mark);
    };
    // Focus stays in the box.
    const mousedown = (event: Event): void => event.preventDefault();
    return make("button", { type: "button", tabindex: -1, class: `mark-${key}`, title: `${name}: Ctrl ${key.toUpperCase()}`, "aria-label": name, mousedown, click }, key === "k" ? name : name[0]!);
  });
  return make("span", { class: "marks" }, ...buttons);
}

function put(box: Box, key: Mark): void {
  const { from, to, insert, anchor, head } = marked(box.value, box.selectionStart ?? 0, box.selectionEnd ?? 0, key);
  box.setRangeText(insert, from, to);
  box.setSelectionRange(anchor, head);
  box.dispatchEvent(new Event("input", { bubbles: true }));
}
