/** Rows that can be moved by a handle. Nothing needs it: Alt and the arrow keys do the same. */

import { make } from "../dom";

const LEAST = 4;
const EDGE = 40;

/** Let the rows of a list be dragged by `.handle`; `rows` are those that can change places with `row`. */
export function draggable(handle: HTMLElement, row: HTMLElement, rows: () => HTMLElement[], drop: (from: number, to: number) => void): void {
  handle.addEventListener("pointerdown", (down) => {
    const all = rows();
    const from = all.indexOf(row);
    if (down.button !== 0) return;
    down.preventDefault();
    if (from < 0 || all.length < 2) return;
    let target = from;
    const line = make("div", { class: "drop-line" });
    const room = row.closest<HTMLElement>("#outline-side, #sheet-side")!;
    const ended = new AbortController();
    const { signal } = ended;
    const move = (event: PointerEvent): void => {
      if (!line.isConnected && Math.abs(event.clientY - down.clientY) < LEAST) return;
      row.classList.add("dragged");
      const box = room.getBoundingClientRect();
      if (event.clientY < box.top + EDGE) room.scrollTop -= 8;
      if (event.clientY > box.bottom - EDGE) room.scrollTop += 8;
      target = place(all, event.clientY);
      if (target < all.length) all[target]!.before(line);
      else all.at(-1)!.after(line);
      row.style.transform = `translateY(${event.clientY - down.clientY}px)`;
    };
    const end = (dropped: boolean): void => {
      const moved = line.isConnected;
      ended.abort();
      row.classList.remove("dragged");
      row.style.transform = "";
      line.remove();
      const to = target > from ? target - 1 : target;
      if (dropped && moved && to !== from) drop(from, to);
    };
    handle.setPointerCapture(down.pointerId);
    handle.addEventListener("pointermove", move, { signal });
    handle.addEventListener("pointerup", () => end(true), { signal });
    // It comes after all that ends a drag; of a row that was drawn anew it comes to the document.
    document.addEventListener("lostpointercapture", (event) => event.pointerId === down.pointerId && end(false), { capture: true, signal });
    document.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      end(false);
    }, { capture: true, signal });
  });
}

/** Return before which row a height is; the number of rows for after the last. */
function place(rows: HTMLElement[], y: number): number {
  const found = rows.findIndex((row) => {
    if (row.classList.contains("dragged")) return false;
    const box = row.getBoundingClientRect();
    return y < box.top + box.height / 2;
  });
  return found < 0 ? rows.length : found;
}
