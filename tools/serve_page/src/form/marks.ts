/** The bar of a field for bold, italic and links, and the box for a link's address. */

import { make } from "../dom";
import { RichText } from "../rich/box";
import { told } from "../said";

/** A page, with or without https://, a mailbox, a number. */
const ADDRESS = /^(?:(?:https?:\/\/|mailto:|tel:)\S|[\w-]+(?:\.[\w-]+)+(?:[/?#]|$))/i;
const MARKS = { b: "Bold", i: "Italic", k: "Link" } as const;
type Mark = keyof typeof MARKS;
const STYLES = { b: "strong", i: "em" } as const;

/** Return the mark that a key is for. */
function markOf(event: KeyboardEvent): Mark | null {
  const key = event.key.toLowerCase();
  return (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && key in MARKS ? (key as Mark) : null;
}

/** Return the bar of a field. The keys do the same, so that it is no stop. */
export function marksOf(field: HTMLElement): HTMLElement {
  let box: RichText | null = null;
  let link = { from: 0, to: 0, address: "", value: "" };
  // Focus stays in the box.
  const mousedown = (event: Event): void => event.preventDefault();
  const buttons = (Object.keys(MARKS) as Mark[]).map((key) => {
    const properties = { type: "button", tabindex: -1, class: `mark-${key}`, title: `${MARKS[key]}: Ctrl ${key.toUpperCase()}`, "aria-label": MARKS[key] };
    return make("button", { ...properties, mousedown, click: () => act(key) }, key === "k" ? MARKS[key] : MARKS[key][0]!);
  });
  const note = make("small", {}, "with its marks, as it is written");
  const address = make("input", { type: "text", inputmode: "url", "aria-label": "Address of the link", placeholder: "https://", autocomplete: "off" });
  const remove = make("button", { type: "button", class: "link", mousedown, click: () => ((address.value = ""), back(true)) }, "Remove");
  const linking = make("span", { class: "linking", hidden: true }, address, remove);
  const bar = make("span", { class: "marks" }, ...buttons, note, linking);

  const show = (): void => {
    if (!box) return;
    for (const button of buttons) button.hidden = box.asWritten;
    note.hidden = !box.asWritten;
    for (const [at, on] of [box.has("strong"), box.has("em"), Boolean(box.linked().address)].entries()) buttons[at]!.setAttribute("aria-pressed", String(on));
  };
  const act = (key: Mark): void => {
    if (!box || box.asWritten) return;
    if (key !== "k") {
      if (!box.toggle(STYLES[key])) told("These words can’t be marked so: marks begin and end with words.");
      return show();
    }
    link = { ...box.linked(), value: box.value };
    address.value = link.address;
    remove.hidden = !link.address;
    linking.hidden = false;
    address.select();
  };
  /** Give the words the address that is typed; return whether they have it. */
  const set = (): boolean => {
    const typed = address.value.trim();
    if (typed === link.address || !box) return true;
    const isOne = !typed || ADDRESS.test(typed);
    const done = isOne && box.value === link.value && box.link(link.from, link.to, typed);
    if (!isOne) told("This is no address: a link leads to such as https://example.org or mailto:ada@example.org.");
    else if (!done) told("These words can’t be a link: the text changed, or one of its marks is in the way.");
    return done;
  };
  const back = (sets: boolean): void => {
    // Leaving its box, too, would set the address.
    linking.hidden = true;
    box!.focus();
    box!.setSelectionRange(sets ? link.to : link.from, link.to);
    if (sets && !set()) box!.setSelectionRange(link.from, link.to);
    show();
  };
  address.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    back(event.key === "Enter");
  });
  address.addEventListener("blur", () => {
    if (linking.hidden) return;
    linking.hidden = true;
    set();
  });
  field.addEventListener("focusin", ({ target }) => {
    if (target instanceof RichText) box = target;
  });
  for (const name of ["focusin", "keyup", "pointerup", "input"]) field.addEventListener(name, show);
  field.addEventListener("keydown", (event) => {
    const key = markOf(event);
    if (!key || document.activeElement !== box) return;
    event.preventDefault();
    event.stopPropagation();
    act(key);
  });
  return bar;
}
