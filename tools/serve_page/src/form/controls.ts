/** The controls of single values. */

import { make } from "../dom";
import { files, PDFS, PHOTO } from "./files";
import { Pairs } from "./pairs";
import { Rows } from "./rows";
import { type Box, Typed, wordsBox } from "./typed";
import type { Change, Control, Field, Host, Outcome } from "./types";

interface Ids {
  box: string;
  describe: string;
}

/** What the text has now for a field. */
type Now = () => Field;

/** Return the control of a field. */
export function control(now: Now, form: Host, ids: Ids): Control {
  const field = now();
  if (field.texts) return texts(now, form, ids);
  if (field.name === "photo") {
    // Whoever gives the first one wants it on the page, unless the file says whether.
    const printed = (): Change[] => (now().value || document.querySelector('.field[data-name="options.photo"]') ? [] : [{ path: ["options", "photo"], value: true }]);
    return files("photo", text(now, form, ids), form, PHOTO, ([name]) => form.write([{ path: ["photo"], value: name }, ...printed()], null));
  }
  if (field.name === "attachments") {
    const rows = new Rows(field, form, ids.describe);
    return files("attachments", rows, form, PDFS, (names) => rows.append(names));
  }
  switch (field.kind) {
    case "list":
      return new Rows(field, form, ids.describe);
    case "links":
    case "pairs":
      return new Pairs(field, form, ids.describe);
    case "date":
      return dates(now, form, ids);
    case "switch":
    case "choice":
      return chosen(now, form, ids);
    case "lines":
    case "model":
    case "items":
      return onlyText(now, form);
    default:
      return text(now, form, ids);
  }
}

function text(now: Now, form: Host, ids: Ids): Control {
  const { key, kind, prose, unset, value } = now();
  const properties = { id: ids.box, "aria-describedby": ids.describe, autocomplete: "off" };
  const rows = key === "body" ? 12 : kind === "passage" || kind === "block" ? 3 : 1;
  const box: Box = kind === "number" || kind === "day"
    ? make("input", { type: kind === "day" ? "date" : "number", step: 1, ...properties })
    : wordsBox(prose, { rows, placeholder: unset, "aria-labelledby": `${ids.box}-label`, "aria-multiline": String(kind !== "text"), ...properties });
  // Of what has one line, Enter only sends it.
  if (kind === "text") box.addEventListener("keydown", (event) => (event as KeyboardEvent).key === "Enter" && event.preventDefault());
  const typed = new Typed(box, value ?? "", (value) => {
    const { path, outer, name } = now();
    return form.write([value ? { path, value } : { path: outer }], name);
  });
  return { element: box, box, written: () => typed.value, update: (field) => typed.update(field.value ?? "") };
}

/** One text in several languages: a row each. */
function texts(now: Now, form: Host, ids: Ids): Control {
  const { title, prose, kind, texts: all = [] } = now();
  const list = make("ul", { class: "rows" });
  const typed = all.map(({ language, value }, at) => {
    const box = wordsBox(prose, { lang: language, dir: "auto", "aria-label": `${title}, ${language}`, "aria-describedby": ids.describe, "aria-multiline": String(kind !== "text") });
    list.append(make("li", { class: "list-row" }, make("span", { class: "language" }, language), box));
    return new Typed(box, value, (value) => {
      const { path } = now().texts![at]!;
      return form.write([value ? { path, value } : { path }], `${now().name}.${language}`);
    });
  });
  return {
    element: make("div", { class: "list", role: "group", "aria-label": title }, list),
    update: (field) => field.texts?.forEach(({ value }, at) => typed[at]?.update(value)),
  };
}

function dates(now: Now, form: Host, ids: Ids): Control {
  const part = (type: string, id: string): HTMLInputElement => make("input", { type, id, autocomplete: "off", "aria-describedby": ids.describe });
  const [box, end, present] = [part("text", ids.box), part("text", `${ids.box}-end`), part("checkbox", `${ids.box}-present`)];
  const printed = make("span", { class: "hint" });
  const ends = (): [string, string] => [start.value, present.checked ? now().date!.word : until.value];
  const written = (): string => ends().filter(Boolean).join(now().date!.between?.trim() ? now().date!.between! : " to ");
  const said = ({ value, date }: Field): string => value ?? JSON.stringify([date!.start, date!.end]);
  // While the file says what was typed here, each box keeps its text: a half-typed date has no ends yet.
  let last: string | null = null;
  const send = (): Promise<Outcome> => {
    const { name, outer, date } = now();
    const { path, between } = date!;
    const [value, [from, to]] = [written(), ends()];
    last = value && between !== null ? value : JSON.stringify([from, to]);
    if (!value) return form.write([{ path: outer }], name);
    const both = [{ path: [...path, "start"], value: from || null }, { path: [...path, "end"], value: to || null }];
    return form.write(between === null ? both : [{ path, value }], name);
  };
  const start = new Typed(box, now().date!.start, send);
  const until = new Typed(end, now().date!.present ? "" : now().date!.end, (value) => {
    if (value) present.checked = false;
    return send();
  });
  present.onchange = () => {
    if (present.checked) until.put("");
    void send();
  };
  const update = (field: Field): void => {
    const { date } = field;
    printed.textContent = date!.printed ? `prints ${date!.printed}` : "";
    if (said(field) === last) return;
    last = null;
    start.update(date!.start);
    until.update(date!.present ? "" : date!.end);
    present.checked = date!.present;
  };
  update(now());
  const { key, title } = now();
  const one = key === "birth-date";
  const from = make("div", { class: "date-part" }, make("div", { class: "field-head" }, make("label", { for: ids.box }, one ? title : "From"), printed), box);
  const to = make("div", { class: "date-part" }, make("div", { class: "field-head" }, make("label", { for: `${ids.box}-end` }, "To")),
    make("div", { class: "date-end" }, end, make("label", { class: "tick" }, present, " present")));
  return { element: make("div", { class: "dates" }, from, one ? null : to), box, written, update };
}

function chosen(now: Now, form: Host, ids: Ids): Control {
  const { kind, choices, words, unset } = now();
  const properties = { id: ids.box, "aria-describedby": ids.describe };
  const box = kind === "switch"
    ? make("input", { type: "checkbox", role: "switch", ...properties })
    : make("select", properties, ...["", ...choices].map((choice) => make("option", { value: choice }, words?.[choice] ?? (choice || (unset ?? "–")))));
  box.onchange = () => {
    const value = box instanceof HTMLSelectElement ? box.value || null : box.checked ? true : null;
    void form.write([{ path: now().path, value }], null);
  };
  const update = ({ value }: Field): void => {
    if (box instanceof HTMLSelectElement) box.value = value ?? "";
    else box.checked = /^(true|yes|on|1)$/i.test(value ?? "");
  };
  update(now());
  return { element: box, box, update };
}

/** A value without a control: its lines. */
function onlyText(now: Now, form: Host): Control {
  const words = make("pre");
  const click = (): void => form.go(now().lines?.line ?? now().line ?? 1);
  const there = make("button", { type: "button", class: "link", "aria-label": `${now().title}: go there`, click }, "Go there");
  const update = ({ lines }: Field): void => void (words.textContent = lines?.text ?? "");
  update(now());
  return { element: make("div", { class: "only-text" }, words, there), update };
}
