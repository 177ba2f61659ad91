/** Completion: what the server says may be written at a place of the text. */

import { type Completion, type CompletionContext, type CompletionResult, insertCompletionText, startCompletion } from "@codemirror/autocomplete";
import { Text } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";

import { make, worded } from "../dom";
import type { About } from "../messages";
import { ask } from "../server";

type Kind = () => About["kind"];

/** What may be written: a key, with what its value is, or a value. */
interface Offer {
  label: string;
  about: string;
  shape: "text" | "list" | "mapping" | null;
  is_needed?: boolean;
  /** Whether it says how a value is selected, not what it is. */
  is_last?: boolean;
}

const WORD = /[\p{L}\p{N}_.-]*$/u;

/** Ask about a place of the text; null if nothing can be said. */
async function asked(kind: Kind, doc: Text, from: number, to: number): Promise<Offer[] | null> {
  if (kind() === "letter") return null;
  const text = { before: doc.sliceString(0, from), after: doc.sliceString(to) };
  return ask<Offer[]>("/place", { kind: kind(), ...text }).catch(() => null);
}

/** Let the server read what may be written, before the first question. */
export function prepare(kind: Kind): void {
  void asked(kind, Text.empty, 0, 0);
}

/** Return the completions of a position, in a file of a kind. */
export function complete(kind: Kind) {
  return async ({ state: { doc }, pos, explicit }: CompletionContext): Promise<CompletionResult | null> => {
    const line = doc.lineAt(pos);
    const before = line.text.slice(0, pos - line.from);
    const word = WORD.exec(before)![0];
    // Before the first letter something is offered after "template: " or "- ".
    if (!word && !explicit && !/[:-]\s$/.test(before)) return null;
    const from = pos - word.length;
    const offers = await asked(kind, doc, from, pos);
    return offers?.length ? { from, options: offers.map(option), validFor: /^[\p{L}\p{N}_.-]*$/u } : null;
  };
}

function option(offer: Offer, index: number): Completion {
  const { label, about, shape, is_needed, is_last } = offer;
  const info = about ? { info: () => make("p", {}, ...worded(about)) } : {};
  if (!shape) return { label, type: "constant", ...info };
  return {
    label,
    type: "property",
    detail: is_needed && !is_last ? "needed" : shape === "list" ? "list" : "",
    ...info,
    boost: (is_needed ? 20 : 0) - (is_last ? 40 : 0) - Math.min(index, 30) / 4,
    apply: (view, _option, from, to) => insertKey(view, offer, from, to),
  };
}

/** Insert a key with what follows it: a space, or a new line that is indented. */
function insertKey(view: EditorView, { label, shape }: Offer, from: number, to: number): void {
  const line = view.state.doc.lineAt(to);
  if (/^\s*:/.test(line.text.slice(to - line.from))) return view.dispatch(insertCompletionText(view.state, label, from, to));
  const column = from - line.from;
  const flow = /[{[][^}\]]*$/.test(line.text.slice(0, column));
  const inner = `\n${" ".repeat(column + 2)}`;
  const after = flow || shape === "text" ? " " : shape === "list" ? `${inner}- ` : inner;
  view.dispatch(insertCompletionText(view.state, `${label}:${after}`, from, to));
  startCompletion(view);
}
