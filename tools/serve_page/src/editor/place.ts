/** Where in the data of a YAML file a position is; also in files that are half written. */

import { syntaxTree } from "@codemirror/language";
import type { EditorState, Text } from "@codemirror/state";
import type { SyntaxNode } from "@lezer/common";

/** A mapping or sequence on the way to a place: its scalars by key; `key` is the step into it. */
export interface Step {
  key: string | null;
  scalars: Map<string, string>;
}

/** A dash or a key at the beginning of a line: what opens a level. */
interface Opener {
  column: number;
  key: string | null;
  value: string;
}

export interface Place {
  /** From the top to the mapping or sequence that the position is in. */
  steps: Step[];
  /** The key whose value is being written, or null where a key or an item begins. */
  key: string | null;
  /** Whether a key may begin here, a value, or both. */
  takes: "key" | "value" | "both" | "nothing";
}

const KEY = /^(?:"((?:[^"\\]|\\.)*)"|'((?:[^']|'')*)'|([^\s'"#{}[\],&*!|>%@`](?:[^:#]|:(?=\S)|(?<=\S)#)*?))\s*:(?=\s|$)/u;
const NOWHERE: Place = { steps: [], key: null, takes: "nothing" };
const SILENT = new Set(["Comment", "BlockLiteralContent", "QuotedLiteral", "Anchor", "Alias", "Tag"]);

/** Return what opens levels on a line: each dash, then a key. */
function openers(line: string): Opener[] {
  const found: Opener[] = [];
  let column = line.length - line.trimStart().length;
  for (let dash = /^-(\s+|$)/.exec(line.slice(column)); dash; dash = /^-(\s+|$)/.exec(line.slice(column))) {
    found.push({ column, key: null, value: "" });
    column += dash[0].length;
  }
  const rest = line.slice(column);
  const key = KEY.exec(rest);
  if (key) {
    const value = rest.slice(key[0].length).replace(/(^|\s)#.*$/, "").trim();
    found.push({ column, key: key[1] ?? key[2] ?? key[3] ?? "", value: unquoted(value) });
  }
  return found;
}

function unquoted(text: string): string {
  return /^(["']).*\1$/.test(text) ? text.slice(1, -1) : text;
}

function blank(line: string): boolean {
  return /^\s*(#.*)?$/.test(line);
}

function indent(line: string): number {
  return line.length - line.trimStart().length;
}

/** Return the scalars of the mapping whose keys stand at `column`, around a line. */
function scalars(text: Text, number: number, column: number): Map<string, string> {
  const found = new Map<string, string>();
  const read = (line: string): void => {
    const key = openers(line).find((opener) => opener.key !== null && opener.column === column);
    if (key?.key) found.set(key.key, key.value);
  };
  const own = text.line(number).text;
  read(own);
  const begins = openers(own).some((opener) => opener.key === null && opener.column < column);
  for (let at = number - 1; at >= 1 && !begins; at -= 1) {
    const line = text.line(at).text;
    if (blank(line)) continue;
    if (indent(line) >= column) read(line);
    else {
      if (openers(line)[0]?.key === null) read(line);
      break;
    }
  }
  for (let at = number + 1; at <= text.lines; at += 1) {
    const line = text.line(at).text;
    if (blank(line)) continue;
    if (indent(line) < column) break;
    read(line);
  }
  return found;
}

/** Return the steps to what begins at `column` of a line after `head`; `last` are its scalars. */
function stepsTo(text: Text, number: number, column: number, head: Opener[], last: Map<string, string>): Step[] {
  const chain: (Opener & { line: number })[] = [];
  let limit = column;
  let dash = false;
  const take = (opener: Opener, line: number): void => {
    const holds = opener.column < limit || (opener.column === limit && dash && opener.key !== null);
    if (!holds) return;
    chain.unshift({ ...opener, line });
    limit = opener.column;
    dash = opener.key === null;
  };
  for (const opener of head.toReversed()) take(opener, number);
  for (let at = number - 1; at >= 1 && (limit > 0 || dash); at -= 1) {
    const line = text.line(at).text;
    if (!blank(line)) for (const opener of openers(line).toReversed()) take(opener, at);
  }
  const levels = chain.map(({ key, line, column }) => (key === null ? new Map() : scalars(text, line, column)));
  return [null, ...chain.map(({ key }) => key)].map((key, index) => ({ key, scalars: levels[index] ?? last }));
}

/** Return the place of a position; `from` is where the word at it begins. */
export function placeAt(state: EditorState, from: number): Place {
  const node = syntaxTree(state).resolveInner(from, -1);
  if (SILENT.has(node.name) && from > node.from) return NOWHERE;
  const flow = outermost(node, from);
  return flow ? inFlow(state, flow, from) : inBlock(state, from);
}

function inBlock(state: EditorState, from: number): Place {
  const { doc } = state;
  const line = doc.lineAt(from);
  const before = line.text.slice(0, from - line.from);
  const head = openers(before);
  const last = head.at(-1);
  if (last && last.key !== null) {
    const own = scalars(doc, line.number, last.column);
    return { steps: stepsTo(doc, line.number, last.column, head.slice(0, -1), own), key: last.key, takes: "value" };
  }
  if (before.slice(last ? last.column + 1 : 0).trim()) return NOWHERE;
  const own = scalars(doc, line.number, before.length);
  return { steps: stepsTo(doc, line.number, before.length, head, own), key: null, takes: own.size ? "key" : "both" };
}

function outermost(node: SyntaxNode, from: number): SyntaxNode | null {
  let found: SyntaxNode | null = null;
  for (let at: SyntaxNode | null = node; at; at = at.parent) {
    if ((at.name === "FlowMapping" || at.name === "FlowSequence") && at.from < from) found = at;
  }
  return found;
}

const TOKENS = /"(?:[^"\\]|\\.)*"|'[^']*'|[{}[\],]|:(?=[\s{["']|$)|(?:[^{}[\],:"']|:(?![\s{["']|$))+/g;

/** Inside of braces and brackets: read from the outermost one to the position. */
function inFlow(state: EditorState, flow: SyntaxNode, from: number): Place {
  const start = inBlock(state, flow.from);
  if (start.takes === "nothing") return NOWHERE;
  const steps = start.key === null ? start.steps.slice(0, -1) : [...start.steps];
  const open: string[] = [];
  let key: string | null = start.key;
  let word = "";
  for (const token of state.doc.sliceString(flow.from, from).match(TOKENS) ?? []) {
    const level = steps.at(-1);
    if (token === "{" || token === "[") {
      steps.push({ key, scalars: new Map() });
      open.push(token);
      key = null;
    } else if (token === "}" || token === "]") {
      steps.pop();
      open.pop();
      key = null;
    } else if (token === ",") {
      if (key !== null) level?.scalars.set(key, unquoted(word.trim()));
      key = null;
    } else if (token === ":") {
      key = unquoted(word.trim());
      level?.scalars.set(key, "");
    }
    word = token;
  }
  if (open.at(-1) !== "[") return { steps, key, takes: key === null ? "key" : "value" };
  return { steps: [...steps, { key: null, scalars: new Map() }], key: null, takes: "both" };
}
