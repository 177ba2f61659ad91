/** Completion and hovers from the schema that the server answers. */

import {
  insertCompletionText,
  startCompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from "@codemirror/autocomplete";
import { hoverTooltip, type EditorView, type Tooltip } from "@codemirror/view";

import { make, worded } from "../dom";
import { placeAt, type Place } from "./place";
import type { Schema, Schemas, Suggestion } from "./schema";

const WORD = /[\p{L}\p{N}_.-]*$/u;
const KEY_AT = /^\s*(?:-\s+)*(?:"([^"]*)"|'([^']*)'|([^\s:#"'{[-][^:#]*?))\s*:(?=\s|$)/u;

/** Return the completions of a position. */
export function complete(schemas: Schemas) {
  return (context: CompletionContext): CompletionResult | null => {
    const line = context.state.doc.lineAt(context.pos);
    const before = line.text.slice(0, context.pos - line.from);
    const word = WORD.exec(before)?.[0] ?? "";
    const from = context.pos - word.length;
    const place = placeAt(context.state, from);
    if (place.takes === "nothing" || (!word && !context.explicit && !inviting(before, place))) return null;
    const options = choices(schemas, place);
    return options.length ? { from, options, validFor: /^[\p{L}\p{N}_.-]*$/u } : null;
  };
}

/** Whether to offer something before the first letter: after "template: " or "- ". */
function inviting(before: string, place: Place): boolean {
  return /\S\s$/.test(before) && (place.takes === "value" || /-\s$/.test(before));
}

function choices(schemas: Schemas, place: Place): Completion[] {
  const { steps, key, takes } = place;
  const target = key === null ? steps : [...steps, { key, scalars: new Map<string, string>() }];
  const forms = schemas.at(target);
  const options: Completion[] = [];
  if (takes !== "value") {
    const present = new Set(steps.at(-1)?.scalars.keys() ?? []);
    options.push(...schemas.keys(forms, present).map(keyOption));
  }
  if (takes !== "key") {
    for (const { label, description } of schemas.values(forms)) {
      const info = description ? () => make("p", {}, ...worded(description)) : undefined;
      options.push({ label, type: "constant", ...(info && { info }) });
    }
  }
  return options;
}

function keyOption(key: Suggestion, index: number): Completion {
  return {
    label: key.label,
    type: "property",
    detail: key.required && !key.common ? "needed" : key.shape === "list" ? "list" : "",
    info: key.description ? () => make("p", {}, ...worded(key.description)) : undefined,
    boost: (key.required ? 20 : 0) - (key.common ? 40 : 0) - Math.min(index, 30) / 4,
    apply: (view, _option, from, to) => insertKey(view, key, from, to),
  } as Completion;
}

/** Insert a key with what follows it: a space, or a new line that is indented. */
function insertKey(view: EditorView, key: Suggestion, from: number, to: number): void {
  const line = view.state.doc.lineAt(to);
  const rest = line.text.slice(to - line.from);
  if (/^\s*:/.test(rest)) {
    view.dispatch(insertCompletionText(view.state, key.label, from, to));
    return;
  }
  const flow = /[{[][^}\]]*$/.test(line.text.slice(0, from - line.from));
  const column = from - line.from;
  const inner = `\n${" ".repeat(column + 2)}`;
  const after = flow || key.shape === "text" ? " " : key.shape === "list" ? `${inner}- ` : inner;
  view.dispatch(insertCompletionText(view.state, `${key.label}:${after}`, from, to));
  startCompletion(view);
}

/** Show the schema's sentence about the key, or about the value, under the pointer. */
export function hover(schemas: Schemas) {
  return hoverTooltip((view, position): Tooltip | null => {
    const found = about(schemas, view, position);
    if (!found) return null;
    const create = () => ({
      dom: make("div", { class: "cm-hover" }, make("strong", {}, found.title), make("p", {}, ...worded(found.text))),
    });
    return { pos: found.from, end: found.to, above: true, create };
  }, { hideOnChange: true });
}

interface Found {
  from: number;
  to: number;
  title: string;
  text: string;
}

/** Return what the schema says about the key or value at a position. */
export function about(schemas: Schemas, view: EditorView, position: number): Found | null {
  const line = view.state.doc.lineAt(position);
  const flow = flowKey(line.text, position - line.from);
  const match = flow ?? blockKey(line.text);
  if (!match) return null;
  const from = line.from + match.at;
  const to = from + match.key.length;
  const place = placeAt(view.state, from);
  if (place.takes === "nothing" || place.key !== null) return null;
  const forms = schemas.at(place.steps);
  if (position >= from && position <= to) {
    const text = schemas.about(forms, match.key);
    return text ? { from, to, title: match.key, text } : null;
  }
  return flow ? null : aboutValue(schemas.at([...place.steps, { key: match.key, scalars: new Map() }]), schemas, line, to);
}

function aboutValue(forms: Schema[], schemas: Schemas, line: { from: number; to: number; text: string }, after: number): Found | null {
  const value = line.text.slice(after - line.from + 1).replace(/\s#.*$/, "").trim();
  const known = schemas.values(forms).find(({ label }) => label === value);
  if (!known?.description) return null;
  const from = line.from + line.text.indexOf(value, after - line.from + 1);
  return { from, to: from + value.length, title: value, text: known.description };
}

function blockKey(line: string): { key: string; at: number } | null {
  const match = KEY_AT.exec(line);
  const key = match?.[1] ?? match?.[2] ?? match?.[3];
  return match && key !== undefined ? { key, at: line.indexOf(key) } : null;
}

/** Return the key of a flow mapping around a column: `{title: A, date: 2020}`. */
function flowKey(line: string, column: number): { key: string; at: number } | null {
  for (const match of line.matchAll(/[{,]\s*([\p{L}\p{N}_-]+)(?=:\s)/gu)) {
    const key = match[1] ?? "";
    const at = match.index + match[0].length - key.length;
    if (column >= at && column <= at + key.length) return { key, at };
  }
  return null;
}
