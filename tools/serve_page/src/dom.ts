/** Small helpers around the DOM and what the browser keeps. */

type Child = Node | string | null;
type Properties = Record<string, string | number | boolean | ((event: Event) => void) | undefined>;

/** Return a new element. Functions become listeners; true and false set and leave out attributes; a button sends no form. */
export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Properties = {},
  ...children: Child[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  if (element instanceof HTMLButtonElement) element.type = "button";
  for (const [key, value] of Object.entries(properties)) {
    if (typeof value === "function") element.addEventListener(key, value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== undefined) element.setAttribute(key, String(value));
  }
  for (const child of children) if (child !== null) element.append(child);
  return element;
}

/** Return the element of page.html with this id; throws if there is none. */
export function find<Kind extends HTMLElement = HTMLElement>(id: string): Kind {
  const element = document.getElementById(id);
  if (!element) throw new Error(`page.html has no element "${id}"`);
  return element as Kind;
}

const waiting = new WeakMap<HTMLElement, () => void>();

/** Draw what is in an element, as soon as nothing in it is pressed: what goes under the pointer is never clicked. */
export function unpressed(element: HTMLElement, draw: () => void): void {
  waiting.set(element, draw);
  const wait = (): void => {
    for (const end of ["pointerup", "pointercancel", "keyup"]) document.addEventListener(end, () => setTimeout(run, 0), { once: true });
  };
  const run = (): void => {
    // Another drawing may have come since.
    if (waiting.get(element) !== draw) return;
    if (element.matches(":active")) return wait();
    waiting.delete(element);
    draw();
  };
  run();
}

const drawings = new WeakMap<HTMLElement, string>();

/**
 * Draw what is in an element, if `data` aren't those of its last drawing. What stays isn't moved, and what had the focus
 * has it again: what is drawn in its place has its id, or its `data-item`.
 */
export function redraw(element: HTMLElement, data: unknown, children: () => HTMLElement[]): void {
  const now = JSON.stringify(data);
  if (drawings.get(element) === now) return;
  drawings.set(element, now);
  unpressed(element, () => {
    const had = element.contains(document.activeElement) ? (document.activeElement as HTMLElement) : null;
    const all = children();
    for (const child of [...element.children]) if (!all.includes(child as HTMLElement)) child.remove();
    for (const [at, child] of all.entries()) if (element.children[at] !== child) element.insertBefore(child, element.children[at] ?? null);
    const again = had?.id ? `#${CSS.escape(had.id)}` : `[data-item="${CSS.escape(had?.dataset["item"] ?? "")}"]`;
    if (had && !had.isConnected) element.querySelector<HTMLElement>(again)?.focus();
  });
}

/** Return a row of a list that says something of a line, and leads there. */
export function lineRow(line: number | null, click: () => void, ...words: Child[]): HTMLElement {
  const inside = [...words.slice(0, -1), make("span", { class: "words" }, words.at(-1)!), make("span", { class: "line" }, line === null ? "" : `Line ${line}`)];
  return line === null ? make("div", { class: "row" }, ...inside) : make("button", { class: "row", click }, ...inside);
}

/** Return a function that runs `action` once, `milliseconds` after the last call of it, and at most `most` after the first. */
export function delayed(milliseconds: number, action: () => void, most = Infinity): () => void {
  let timer = 0;
  let end = 0;
  return () => {
    clearTimeout(timer);
    const now = performance.now();
    end ||= now + most;
    const done = (): void => {
      end = 0;
      action();
    };
    timer = window.setTimeout(done, Math.min(milliseconds, end - now));
  };
}

/** Return a text as a sentence: with a capital, and a full stop. */
export function asSentence(text: string): string {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?…]$/.test(begun) || !begun ? begun : `${begun}.`;
}

/** Return "1 error", "2 errors". */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** Return a sentence of the schema, with what is in backticks as code. */
export function worded(text: string): Node[] {
  return text.split(/(`+)(.+?)\1/).flatMap((part, index) => {
    if (index % 3 === 1 || !part) return [];
    return [index % 3 === 2 ? make("code", {}, part) : document.createTextNode(part)];
  });
}

/** Return an image of a PNG, which is written in base64. */
export function pngImage(picture: string): HTMLImageElement {
  const bytes = Uint8Array.from(atob(picture), (char) => char.charCodeAt(0));
  const address = URL.createObjectURL(new Blob([bytes], { type: "image/png" }));
  const image = make("img", { alt: "" });
  image.onload = () => URL.revokeObjectURL(address);
  image.src = address;
  return image;
}

/** Return whether a text has all words that are typed, without marks and capitals: "zoe" finds "Zoë". */
export function matches(typed: string, text: string): boolean {
  const plain = (words: string): string => words.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  return plain(typed).split(/\s+/).every((word) => plain(text).includes(word));
}

/** Let the arrow keys, Home and End lead from one item of a list to another, round its ends. */
export function roving(list: HTMLElement, items: () => HTMLElement[], go: (item: HTMLElement) => void): void {
  list.addEventListener("keydown", (event) => {
    const all = items();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const to = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    go(all.at(to % all.length)!);
  });
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
