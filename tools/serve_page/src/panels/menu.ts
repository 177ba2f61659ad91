/** A button that opens a list of choices. */

import { make } from "../dom";

export interface Choice {
  label: string;
  detail?: string;
  checked?: boolean;
  /** Whether a line divides it from what is above. */
  apart?: boolean;
  run(): void;
}

/** Let a button open a menu; the choices are asked for each time. */
export function menu(button: HTMLElement, name: string, choices: () => Choice[]): void {
  let list: HTMLElement | null = null;
  button.setAttribute("aria-haspopup", "menu");
  button.setAttribute("aria-expanded", "false");
  const close = (back: boolean): void => {
    list?.remove();
    list = null;
    button.setAttribute("aria-expanded", "false");
    if (back) button.focus();
  };
  const open = (): void => {
    const all = choices();
    list = make("div", { class: "menu", role: "menu", "aria-label": name });
    for (const choice of all) list.append(entry(choice, () => close(true)));
    list.addEventListener("keydown", (event) => move(event, close));
    list.addEventListener("focusout", (event) => {
      const to = event.relatedTarget as Node | null;
      if (list && to && !list.contains(to) && to !== button) close(false);
    });
    button.after(list);
    fit(button, list);
    button.setAttribute("aria-expanded", "true");
    (list.firstElementChild as HTMLElement | null)?.focus();
  };
  button.addEventListener("click", () => (list ? close(true) : open()));
  button.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowDown" || list) return;
    event.preventDefault();
    open();
  });
  document.addEventListener("pointerdown", (event) => {
    const target = event.target as Node;
    if (list && !list.contains(target) && !button.contains(target)) close(false);
  });
}

function entry(choice: Choice, close: () => void): HTMLElement {
  const role = choice.checked === undefined ? "menuitem" : "menuitemradio";
  const detail = choice.detail ? make("small", {}, choice.detail) : null;
  const checked = choice.checked === undefined ? undefined : String(choice.checked);
  const item = make("button", { type: "button", role, class: choice.apart ? "apart" : undefined, tabindex: -1, "aria-checked": checked }, make("span", {}, choice.label), detail);
  item.onclick = () => {
    close();
    choice.run();
  };
  return item;
}

function move(event: KeyboardEvent, close: (back: boolean) => void): void {
  const list = event.currentTarget as HTMLElement;
  const items = [...list.children] as HTMLElement[];
  const at = items.indexOf(document.activeElement as HTMLElement);
  const letter = event.key.length === 1 ? event.key.toLowerCase() : null;
  const begins = (item: HTMLElement): boolean => item.textContent?.toLowerCase().startsWith(letter ?? "") ?? false;
  const targets: Record<string, HTMLElement | undefined> = {
    ArrowDown: items[at + 1] ?? items[0],
    ArrowUp: items[at - 1] ?? items.at(-1),
    Home: items[0],
    End: items.at(-1),
  };
  const target = targets[event.key] ?? (letter && letter !== " " ? [...items.slice(at + 1), ...items].find(begins) : undefined);
  if (event.key === "Escape") close(true);
  else if (event.key === "Tab") return close(false);
  else if (target) target.focus();
  else return;
  event.preventDefault();
  event.stopPropagation();
}

/** Keep a menu inside of the window. */
function fit(button: HTMLElement, list: HTMLElement): void {
  const box = button.getBoundingClientRect();
  const left = Math.max(8, Math.min(box.left, window.innerWidth - list.offsetWidth - 8));
  list.style.left = `${left}px`;
  list.style.top = `${box.bottom + 4}px`;
  list.style.maxHeight = `${window.innerHeight - box.bottom - 16}px`;
}
