/** The pages: pictures of a size, and over them what can be clicked. */

import { delayed, find, make, roving } from "../dom";
import type { Placed } from "../editor/places";
import type { Desk } from "../main";
import type { Picture } from "../messages";
import { get } from "../server";

const A4 = { width: 595, height: 842 };
/** CSS pixels around the pages. */
const MARGIN = 24;

interface Sheet {
  element: HTMLElement;
  picture: HTMLImageElement;
  spots: HTMLElement;
  size: { width: number; height: number };
  address: string;
}

export class PagesView {
  private readonly room = find("pages");
  private readonly label = find("zoom-now");
  private sheets: Sheet[] = [];
  private zoom: Zoom = "width";
  private pixels = 1;
  private turn = 0;
  private asked = 0;
  private readonly rescaled = delayed(200, () => {
    const before = this.asked;
    if (before && before !== this.scale) this.desk.shown.ask();
  });

  constructor(private readonly desk: Desk) {
    new ResizeObserver(() => this.resize()).observe(this.room);
    const choose = (zoom: () => Zoom) => () => {
      this.zoom = zoom();
      this.resize();
    };
    find("zoom-width").onclick = choose(() => "width");
    find("zoom-page").onclick = choose(() => "page");
    find("zoom-in").onclick = choose(() => (this.pixels / FULL) * STEP);
    find("zoom-out").onclick = choose(() => this.pixels / FULL / STEP);
    roving(this.room, () => this.spots(), (spot) => this.move(spot));
    this.resize();
  }

  /** Picture pixels for each point. */
  get scale(): number {
    this.asked = Math.min(6, Math.max(0.2, Math.round(this.pixels * devicePixelRatio * 1000) / 1000));
    return this.asked;
  }

  /** Show pages as soon as their pictures can be, what is seen first; returns false if newer ones came first. */
  async show(pages: Picture[], title: string): Promise<boolean> {
    const turn = ++this.turn;
    const all = [...pages.entries()];
    const first = all.filter(([index]) => index < this.sheets.length && this.seen(this.sheets[index]!.element));
    return (await this.put(first, pages.length, title, turn)) && this.put(all, pages.length, title, turn);
  }

  private async put(pages: [number, Picture][], count: number, title: string, turn: number): Promise<boolean> {
    const pictures = await Promise.all(pages.map(([index, page]) => this.decoded(page, index)));
    if (turn !== this.turn) return false;
    for (const extra of this.sheets.splice(count)) extra.element.remove();
    for (const [at, [index, page]] of pages.entries()) {
      const sheet = this.sheets[index] ?? this.sheet();
      const picture = pictures[at]!;
      if (sheet.picture !== picture) sheet.picture.replaceWith(picture);
      Object.assign(sheet, { picture, size: { width: page.width, height: page.height }, address: page.picture });
      const name = count === 1 ? "The page" : `Page ${index + 1} of ${count}`;
      sheet.element.setAttribute("aria-label", `${name} of ${title}`);
    }
    this.room.classList.toggle("empty", count === 0);
    this.resize();
    return true;
  }

  /** Take all pages away: another document is shown. */
  clear(): void {
    this.turn += 1;
    for (const sheet of this.sheets.splice(0)) sheet.element.remove();
    this.room.classList.add("empty");
    this.room.scrollTop = 0;
  }

  /** Let the texts of the pages be chosen. */
  place(places: readonly Placed[]): void {
    const focused = document.activeElement?.classList.contains("spot") ? this.spots().indexOf(document.activeElement as HTMLElement) : -1;
    // One text is one button, however many lines it has: the others are for the mouse.
    const texts = new Set<string>();
    for (const [index, sheet] of this.sheets.entries()) {
      const own = places.filter((place) => place.page === index).toSorted((one, other) => area(other) - area(one));
      const inOrder = own.toSorted((one, other) => one.box[1] - other.box[1] || one.box[0] - other.box[0]);
      sheet.spots.replaceChildren(...inOrder.map((place) => {
        const first = !texts.has(place.text);
        texts.add(place.text);
        return this.spot(place, own.indexOf(place), first);
      }));
    }
    this.fit();
    const all = this.spots();
    const current = all[focused] ?? all[0];
    if (current) current.tabIndex = 0;
    if (focused >= 0) all[focused]?.focus({ preventScroll: true });
  }

  /** Show which texts the cursor is in; scroll to the first if none is seen. */
  highlight(chosen: readonly Placed[], scroll: boolean): void {
    const boxes = new Set(chosen.map((place) => `${place.page} ${place.box.join(" ")}`));
    const found: HTMLElement[] = [];
    for (const spot of this.room.querySelectorAll<HTMLElement>(".spot")) {
      const now = boxes.has(spot.dataset["box"] ?? "");
      spot.classList.toggle("now", now);
      if (now) found.push(spot);
    }
    if (!scroll || !found[0] || found.some((spot) => this.seen(spot))) return;
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    found[0].scrollIntoView({ block: "center", inline: "nearest", behavior: calm ? "auto" : "smooth" });
  }

  /** Draw a bar beside the places of one item. */
  beside(own: readonly Placed[]): void {
    for (const [index, sheet] of this.sheets.entries()) {
      const boxes = own.filter(({ page }) => page === index).map(({ box }) => box);
      sheet.spots.querySelector(".item-bar")?.remove();
      if (!boxes.length) continue;
      const [left, top, bottom] = [Math.min(...boxes.map(([x]) => x)), Math.min(...boxes.map(([, y]) => y)), Math.max(...boxes.map((box) => box[3]))];
      const bar = make("div", { class: "item-bar" });
      bar.dataset["box"] = `${index} ${left - 10} ${top} ${left - 8} ${bottom}`;
      sheet.spots.append(bar);
    }
    this.fit();
  }

  /** Put the keyboard on the text that the cursor is in, or on the first. */
  focus(): void {
    const all = this.spots();
    this.move(all.find((spot) => spot.classList.contains("now")) ?? all[0]);
  }

  private spot(place: Placed, layer: number, first: boolean): HTMLElement {
    const spot = first
      ? make("button", { class: "spot", tabindex: -1, "aria-label": place.words })
      : make("div", { class: "spot", "aria-hidden": "true" });
    spot.dataset["box"] = `${place.page} ${place.box.join(" ")}`;
    spot.style.zIndex = String(layer + 1);
    spot.onclick = () => this.desk.jumps.fromPage(place);
    return spot;
  }

  private spots(): HTMLElement[] {
    return [...this.room.querySelectorAll<HTMLElement>("button.spot")];
  }

  private seen(spot: HTMLElement): boolean {
    const [box, room] = [spot.getBoundingClientRect(), this.room.getBoundingClientRect()];
    return box.bottom > room.top && box.top < room.bottom;
  }

  private move(target: HTMLElement | undefined): void {
    if (!target) return;
    for (const spot of this.spots()) spot.tabIndex = spot === target ? 0 : -1;
    target.focus();
  }

  private sheet(): Sheet {
    const picture = make("img", { alt: "" });
    const spots = make("div", { class: "spots" });
    const element = make("div", { class: "sheet", role: "group" }, picture, spots);
    const sheet: Sheet = { element, picture, spots, size: A4, address: "" };
    this.room.append(element);
    this.sheets.push(sheet);
    return sheet;
  }

  private async decoded(page: Picture, index: number): Promise<HTMLImageElement> {
    const known = this.sheets[index];
    if (known?.address === page.picture) return known.picture;
    const picture = make("img", { alt: "" });
    try {
      const content = URL.createObjectURL(await (await get(page.picture)).blob());
      picture.src = content;
      await picture.decode().finally(() => URL.revokeObjectURL(content));
    } catch {
      // Newer pages are on their way, or there is no server.
    }
    return picture;
  }

  private resize(): void {
    const size = this.sheets[0]?.size ?? A4;
    const { clientWidth, clientHeight, scrollTop, scrollHeight } = this.room;
    const before = this.pixels;
    const room = { width: clientWidth - 2 * MARGIN, height: clientHeight - 2 * MARGIN };
    if (room.width > 0) this.pixels = pixels(this.zoom, size, room);
    this.fit();
    if (before !== this.pixels && scrollHeight) this.room.scrollTop = (scrollTop / scrollHeight) * this.room.scrollHeight;
    this.label.textContent = `${Math.round((this.pixels / FULL) * 100)} %`;
    for (const name of ["width", "page"]) find(`zoom-${name}`).setAttribute("aria-pressed", String(this.zoom === name));
    this.rescaled();
  }

  private fit(): void {
    for (const { element, spots, size } of this.sheets) {
      element.style.width = `${size.width * this.pixels}px`;
      element.style.height = `${size.height * this.pixels}px`;
      for (const spot of spots.children as HTMLCollectionOf<HTMLElement>) {
        const [, left, top, right, bottom] = (spot.dataset["box"] ?? "").split(" ").map(Number) as [number, number, number, number, number];
        const at = { left, top: top - 1, width: right - left, height: bottom - top + 2 };
        for (const [side, points] of Object.entries(at)) spot.style.setProperty(side, `${points * this.pixels}px`);
      }
    }
  }
}

function area(place: Placed): number {
  const [left, top, right, bottom] = place.box;
  return (right - left) * (bottom - top);
}

type Zoom = "width" | "page" | number;

/** CSS pixels for each point at 100 %. */
const FULL = 96 / 72;
/** How much larger the next size is; and the smallest and the largest that can be chosen, of 100 %. */
const [STEP, LEAST, MOST] = [1.2, 0.5, 3];

/** Return CSS pixels for each point, of pages of this size in a room of that size. */
function pixels(zoom: Zoom, page: { width: number; height: number }, room: { width: number; height: number }): number {
  if (typeof zoom === "number") return FULL * Math.min(MOST, Math.max(LEAST, zoom));
  const wide = room.width / page.width;
  return Math.max(0.1, zoom === "width" ? wide : Math.min(wide, room.height / page.height));
}
