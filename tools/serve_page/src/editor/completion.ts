/** Completion and hovers from the JSON Schema that the server answers. */

import { type Completion, type CompletionContext, type CompletionResult, insertCompletionText, startCompletion } from "@codemirror/autocomplete";
import { type EditorView, hoverTooltip, type Tooltip } from "@codemirror/view";

import { make, worded } from "../dom";
import { type Place, placeAt, type Step } from "./place";

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

export interface Schema {
  $ref?: string;
  $defs?: Record<string, Schema>;
  description?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
}

export interface Suggestion {
  label: string;
  description: string;
  /** What the value is, in one word: "list", "text". */
  shape: "mapping" | "list" | "text";
  required: boolean;
  /** Whether it says how a value is selected, not what it is: offered last. */
  common: boolean;
}

const COMMON = new Set(["private", "tags", "priority", "keep"]);
const PRIVATE = "#/$defs/Private";

export class Schemas {
  constructor(private readonly root: Schema) {}

  /** Return the forms that a value at a place may have. `steps` leads there from the top. */
  at(steps: Step[]): Schema[] {
    let forms = this.forms(this.root);
    for (const [index, step] of steps.entries()) {
      if (index > 0) forms = forms.flatMap((form) => this.child(form, step.key));
      forms = fitting(forms, step.scalars);
    }
    return forms;
  }

  /** Return the keys of a mapping in any of the forms, without those that it has already. */
  keys(forms: Schema[], present: ReadonlySet<string>): Suggestion[] {
    const found = new Map<string, Suggestion>();
    // Where names are free, such as those of variants, a flag is no guess.
    const free = forms.some((form) => typeof form.additionalProperties === "object" && !form.properties);
    const known = forms.filter((form) => !free || form !== this.resolve({ $ref: PRIVATE }));
    for (const form of narrowed(known, present)) {
      for (const [label, property] of Object.entries(form.properties ?? {})) {
        if (present.has(label) || found.has(label)) continue;
        found.set(label, {
          label,
          description: this.describe(property),
          shape: this.shape(property),
          required: form.required?.includes(label) ?? false,
          common: form === this.resolve({ $ref: PRIVATE }) || COMMON.has(label),
        });
      }
    }
    return [...found.values()];
  }

  /** Return the values that a place may have, as YAML, where they are a fixed few. */
  values(forms: Schema[]): { label: string; description: string }[] {
    const found = new Map<string, string>();
    for (const form of forms) {
      const fixed = form.const !== undefined ? [form.const] : (form.enum ?? []);
      const listed = form.type === "boolean" && !form.enum ? [true, false] : fixed;
      for (const value of listed) {
        if (value !== null && !found.has(String(value))) found.set(String(value), form.description ?? "");
      }
    }
    return [...found].map(([label, description]) => ({ label, description }));
  }

  /** Return the sentence about a key of a mapping, or "". */
  about(forms: Schema[], key: string): string {
    for (const form of forms) {
      const property = form.properties?.[key];
      const text = property && this.describe(property);
      if (text) return text;
    }
    return "";
  }

  private describe(property: Schema): string {
    if (property.description) return property.description;
    return this.forms(property).find((form) => form.description)?.description ?? "";
  }

  private shape(property: Schema): Suggestion["shape"] {
    const forms = this.forms(property).filter((form) => form !== this.resolve({ $ref: PRIVATE }));
    if (forms.some((form) => scalar(form))) return "text";
    if (forms.some((form) => form.items)) return "list";
    return forms.some((form) => form.properties || form.additionalProperties) ? "mapping" : "text";
  }

  private resolve(schema: Schema): Schema {
    let found: Schema | undefined = schema;
    for (let depth = 0; found?.$ref && depth < 16; depth += 1) {
      let target: unknown = this.root;
      for (const part of found.$ref.split("/").slice(1)) {
        target = (target as Record<string, unknown> | undefined)?.[part];
      }
      found = target as Schema | undefined;
    }
    return found ?? {};
  }

  private forms(schema: Schema, depth = 0): Schema[] {
    const plain = this.resolve(schema);
    const nested = [...(plain.anyOf ?? []), ...(plain.oneOf ?? []), ...(plain.allOf ?? [])];
    if (!nested.length || depth > 16) return [plain];
    return nested.flatMap((form) => this.forms(form, depth + 1));
  }

  /** `key` is null for the items of a sequence. */
  private child(form: Schema, key: string | null): Schema[] {
    if (key === null) return form.items ? this.forms(form.items) : [];
    const property = form.properties?.[key];
    if (property) return this.forms(property);
    const others = form.additionalProperties;
    return typeof others === "object" ? this.forms(others) : [];
  }
}

function scalar(form: Schema): boolean {
  const types = [form.type ?? []].flat();
  return types.some((type) => ["string", "number", "integer", "boolean"].includes(type)) || "const" in form || "enum" in form;
}

/** Leave out forms whose fixed values differ from what the mapping has: `kind: talk` is no award. */
function fitting(forms: Schema[], scalars: Map<string, string>): Schema[] {
  const found = forms.filter((form) =>
    [...scalars].every(([key, value]) => {
      const fixed = form.properties?.[key]?.const;
      return fixed === undefined || value === "" || fixed === value;
    }),
  );
  return found.length ? found : forms;
}

/** While what tells many forms apart is missing, offer that alone: first `kind`, then what it has. */
function narrowed(forms: Schema[], present: ReadonlySet<string>): Schema[] {
  const kinds = forms.filter((form) => form.properties?.["kind"]?.const !== undefined);
  if (kinds.length < 2 || present.has("kind")) return forms;
  return [{ properties: { kind: { description: "What the section holds." } }, required: ["kind"] }];
}
