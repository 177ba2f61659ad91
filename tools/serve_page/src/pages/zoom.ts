/** How large pages are shown. */

export type Zoom = "width" | "page" | number;

const STEPS = [0.5, 0.67, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 1.75, 2, 2.5, 3];
/** CSS pixels for each point at 100 %. */
const FULL = 96 / 72;

/** Return CSS pixels for each point, of pages of this size in a room of that size. */
export function pixels(zoom: Zoom, page: { width: number; height: number }, room: { width: number; height: number }): number {
  if (typeof zoom === "number") return zoom * FULL;
  const wide = room.width / page.width;
  return Math.max(0.1, zoom === "width" ? wide : Math.min(wide, room.height / page.height));
}

/** Return the next larger or smaller step from what is shown now. */
export function step(scale: number, larger: boolean): number {
  const now = scale / FULL;
  const found = larger
    ? STEPS.find((one) => one > now * 1.02)
    : STEPS.findLast((one) => one < now * 0.98);
  return found ?? (larger ? STEPS.at(-1)! : STEPS[0]!);
}

/** Return the size in words: "83 %". */
export function percent(scale: number): string {
  return `${Math.round((scale / FULL) * 100)} %`;
}
