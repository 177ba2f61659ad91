/** JSON Schema as completion and hovers need it: which keys and values fit at a place. */

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

/** A mapping or sequence on the way to a place: its scalars by key; `key` is the step into it. */
export interface Step {
  key: string | null;
  scalars: Map<string, string>;
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
