/**
 * Our Markdown as characters that are bold, italic or a link, and back. Each keeps what is written for it, so that what
 * nobody edits stays as it is. `x^2^` and `code` are seen as they are written. What `cvbuild.model.text.rich_text` may read in
 * another way isn't read here.
 */

export interface Mark {
  kind: "strong" | "em" | "link";
  open: string;
  close: string;
}

/** A unit of UTF-16 that is seen, and what is written for it. */
export interface Atom {
  shown: string;
  raw: string;
  marks: readonly Mark[];
}

const LETTER = /[\p{Lu}\p{Ll}\p{Lt}\p{Nd}]/u;
const PUNCTUATION = /[\p{P}\p{S}]/u;
const UNSURE = [
  /[\0\r]|&#?\w+;/, // entities
  /!\[|^ *\[[^\]]+\]:/m, // pictures, and addresses with a name
  /<(?!https?:\/\/[^\s<>]*>)[a-z/!?][^>]*[\\`*_[\]^~&]/i, // HTML, in which marks are none
  /[\^~][^\s^~]*[*_\\][^\s^~]*[\^~]/, // signs in what is raised
  /[*_][\ud800-\udbff]|[\udc00-\udfff][*_]/, // halves of a character
];
const TOKENS: Record<string, RegExp> = {
  "\\": /\\([!-/:-@[-`{-~\n])/y,
  "`": /`(?! .* `)[^`\n]+`(?!`)/y,
  "[": /\[((?:\\.|[^[\]\\\n])+)\](\((?:[^\s()<>\\]|\([^\s()<>\\]*\))+\))/y,
  "<": /<(https?:\/\/[^\s<>]*)>/iy,
  "*": /\*+/y,
  _: /_+/y,
};

/** Return characters that mean themselves. */
export function literal(text: string, marks: readonly Mark[] = []): Atom[] {
  return text.split("").map((shown) => ({ shown, raw: shown, marks }));
}

/** Return the mark that is written for a style. */
export function styled(kind: "strong" | "em", sign = kind === "strong" ? "**" : "*"): Mark {
  return { kind, open: sign, close: sign };
}

/** Return the mark of a link. */
export function linkTo(address: string): Mark {
  const safe = address.replace(/[\s()<>\\]/g, (sign) => `%${sign.charCodeAt(0).toString(16).padStart(2, "0")}`);
  return { kind: "link", open: "[", close: `](${safe})` };
}

export function isStyle({ kind }: Mark): boolean {
  return kind !== "link";
}

/** Return the Markdown of a text without marks. */
export function plainly(text: string): string {
  return serialise(settled(literal(text), 0, text.length) ?? literal(text));
}

/** Return what a text shows; null for one that is to be seen as it is written. */
export function parse(text: string): Atom[] | null {
  if (!/[\\`*_[\]<^~&\0\r]/.test(text)) return literal(text);
  const atoms = UNSURE.some((way) => way.test(text)) ? null : within(text, 0, text.length, []);
  return atoms && serialise(atoms) === text ? atoms : null;
}

function within(text: string, start: number, end: number, outside: readonly Mark[]): Atom[] | null {
  const atoms: Atom[] = [];
  for (let at = start; at < end; ) {
    const sign = text[at]!;
    const found = matched(TOKENS[sign], text, at);
    const match = found && at + found[0].length <= end ? found : null;
    if (found && (sign === "*" || sign === "_")) {
      const size = Math.min(found[0].length, end - at);
      const { opens, closes } = roles(text, at, size, end);
      const marked = opens ? emphasis(text, at, size, end, outside) : null;
      const isAlone = text.indexOf(sign) === at && text.lastIndexOf(sign) === at + size - 1;
      if (!marked && (opens || closes) && !isAlone) return null;
      atoms.push(...(marked?.atoms ?? literal(sign.repeat(size), outside)));
      at = marked?.end ?? at + size;
      continue;
    }
    if (match && (sign === "[" || sign === "<")) {
      const mark: Mark = { kind: "link", open: sign, close: sign === "<" ? ">" : `]${match[2]!}` };
      const inner = sign === "<" ? literal(match[1]!, [...outside, mark]) : within(text, at + 1, at + 1 + match[1]!.length, [...outside, mark]);
      if (!inner || outside.some(({ kind }) => kind === "link")) return null;
      atoms.push(...inner);
    } else if (match && sign === "\\") atoms.push({ shown: match[1]!, raw: match[0], marks: outside });
    else if ((sign === "[" && text.includes("](", at)) || (sign === "`" && !match && text.indexOf("`") !== text.lastIndexOf("`"))) return null;
    else atoms.push(...literal(match?.[0] ?? sign, outside));
    at += match?.[0].length ?? 1;
  }
  return atoms;
}

function matched(pattern: RegExp | undefined, text: string, at: number): RegExpExecArray | null {
  if (!pattern) return null;
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** Return what signs begin that end in the same line; null if they may be paired in several ways. */
function emphasis(text: string, at: number, size: number, end: number, outside: readonly Mark[]): { atoms: Atom[]; end: number } | null {
  if (size > 3 || outside.length > 4) return null;
  const sign = text[at]!;
  const line = text.slice(at + size, end).split("\n", 1)[0]!;
  const runs = [...line.matchAll(sign === "*" ? /\*+/g : /_+/g)].map((run) => ({ from: at + size + run.index, size: run[0].length }));
  const ends = runs.filter((run) => text[run.from - 1] !== "\\" && roles(text, run.from, run.size, end).closes);
  for (const count of size === 3 ? [3, 1, 2] : [size]) {
    const close = ends.find((run) => run.size === count || run.size === 3);
    if (!close) continue;
    const marks = count === 3 ? [styled("em", sign), styled("strong", sign.repeat(2))] : [styled(count === 2 ? "strong" : "em", sign.repeat(count))];
    const to = close.from + close.size - count;
    const inner = within(text, at + count, to, [...outside, ...marks]);
    // What is left of a longer run belongs to a mark of its own.
    const deeper = (atom: Atom | undefined): boolean => (atom?.marks.length ?? 0) > outside.length + marks.length;
    if (!inner || (size > count && !deeper(inner[0])) || (close.size > count && !deeper(inner.at(-1)))) continue;
    const words = inner.map(({ shown, raw }) => (shown === raw ? shown : "")).join("").replace(/`[^`]*`|\\./g, "");
    // A program's name, or half of a pair of brackets.
    const isName = sign === "_" && /^[\p{L}\p{N}_]+$/u.test(words) && (count > 1 || words.includes("_"));
    if (!isName && isBalanced(words)) return { atoms: inner, end: to + count };
  }
  return null;
}

/** Return whether signs may begin and end what is marked (`rich_text._emphasis`). */
function roles(text: string, at: number, size: number, end: number): { opens: boolean; closes: boolean } {
  const [last, next] = [at ? text[at - 1]! : " ", at + size < end ? text[at + size]! : " "];
  const [isOut, isIn] = [/\s/.test(last), /\s/.test(next)];
  const left = !isIn && (!PUNCTUATION.test(next) || isOut || PUNCTUATION.test(last));
  const right = !isOut && (!PUNCTUATION.test(last) || isIn || PUNCTUATION.test(next));
  // Other marks may stand between.
  const before = text.slice(Math.max(0, at - 8), at).replace(/[*_]+$/, "").slice(-1);
  const after = text.slice(at + size, at + size + 8).replace(/^[*_]+/, "");
  const first = size > 1 ? /[/,;:=|)\]}>%&]/ : /[/,;:=|)\]}>%&.~-]/;
  const isBold = size === 2 && /\p{L}/u.test(next);
  const opens = !LETTER.test(before) && (isBold || !/[/.\\=+$@#%|)\]}]/.test(before)) && !first.test(next);
  const initial = size === 2 && /(?<!\*)\*\*\p{L}{1,30}$/u.test(text.slice(0, at));
  const closes = ((!LETTER.test(after.slice(0, 1)) && !(size === 1 && /^\.[a-z]/.test(after))) || initial) && !/[/=|([{<\\&@]/.test(last);
  const inWord = text[at] === "_";
  return { opens: opens && left && (!inWord || !right || PUNCTUATION.test(last)), closes: closes && right && (!inWord || !left || PUNCTUATION.test(next)) };
}

function isBalanced(text: string): boolean {
  const opened: string[] = [];
  for (const sign of text.match(/[()[\]{}]/g) ?? []) {
    if ("([{".includes(sign)) opened.push(sign);
    else if (opened.pop() !== { ")": "(", "]": "[", "}": "{" }[sign]) return false;
  }
  return !opened.length;
}

/** Return the marks that are written: bold and italic end before a space, and with a line. */
function written(atoms: readonly Atom[]): (readonly Mark[])[] {
  const all = atoms.map(({ marks }) => marks);
  for (let from = 0; from < atoms.length; from += 1) {
    let to = from;
    while (/\s/.test(atoms[to]?.shown ?? "")) to += 1;
    const [before, after] = [all[from - 1] ?? [], all[to] ?? []];
    const isBreak = atoms.slice(from, to).some(({ shown }) => shown === "\n");
    const stays = (mark: Mark): boolean => !isStyle(mark) || (!isBreak && before.includes(mark) && after.includes(mark));
    for (; from < to; from += 1) all[from] = all[from]!.filter(stays);
  }
  return all;
}

/** Return the Markdown of characters. */
export function serialise(atoms: readonly Atom[]): string {
  let text = "";
  let open: readonly Mark[] = [];
  const turn = (marks: readonly Mark[]): void => {
    const same = shared([open, marks]);
    for (const mark of open.slice(same).reverse()) text += mark.close;
    for (const mark of marks.slice(same)) text += mark.open;
    open = marks;
  };
  const marks = written(atoms);
  for (const [at, { raw }] of atoms.entries()) {
    turn(marks[at]!);
    text += raw;
  }
  turn([]);
  return text;
}

/** Return how many marks are the same, from the outermost. */
export function shared(all: readonly (readonly Mark[])[]): number {
  const [first = [], ...rest] = all;
  const differs = first.findIndex((mark, at) => rest.some((marks) => marks[at] !== mark));
  return differs < 0 ? first.length : differs;
}

/** Return the characters so written that they are read as they look, near what changed if need be; null if they can't be. */
export function settled(atoms: readonly Atom[], from: number, to: number): Atom[] | null {
  const shown = atoms.map((atom) => atom.shown).join("");
  const around = (before: RegExp, after: RegExp): [number, number] =>
    [from - before.exec(shown.slice(0, from))![0].length, to + after.exec(shown.slice(to))![0].length];
  const [word, line] = [around(/\S*$/, /^\S*/), around(/.*$/, /^.*/)];
  for (const all of [atoms, widened(atoms, ...word)]) {
    for (const [start, end] of [[from, from], [from, to], word, line] as const) {
      const escaped = all.map((atom, at) => (start <= at && at < end ? escape(atom) : atom));
      if (isRead(escaped)) return escaped;
    }
  }
  return null;
}

function escape(atom: Atom): Atom {
  const isPlain = atom.raw === atom.shown && !atom.marks.some(({ open }) => open === "<");
  return isPlain && /[\\`*_[<&]/.test(atom.raw) ? { ...atom, raw: `\\${atom.raw}` } : atom;
}

/** Return whether what is written is read as it looks. */
function isRead(atoms: readonly Atom[]): boolean {
  const marks = written(atoms);
  const key = (all: readonly Mark[]): string => all.map((mark) => mark.kind + (mark.kind === "link" ? mark.close : "")).sort().join();
  const read = parse(serialise(atoms));
  return read?.length === atoms.length && read.every((atom, at) => atom.shown === atoms[at]!.shown && key(atom.marks) === key(marks[at]!));
}

/** Return characters of which words in a range are bold or italic from end to end. */
function widened(atoms: readonly Atom[], from: number, to: number): Atom[] {
  const all = [...atoms];
  for (const match of atoms.slice(from, to).map(({ shown }) => shown).join("").matchAll(/[\p{L}\p{M}\p{N}]+/gu)) {
    const word = all.slice(from + match.index, from + match.index + match[0].length);
    for (const kind of ["strong", "em"]) {
      const marks = word.find((atom) => atom.marks.some((mark) => mark.kind === kind))?.marks ?? [];
      const depth = marks.findIndex((mark) => mark.kind === kind);
      for (const [at, atom] of word.entries()) {
        if (depth < 0 || atom.marks.some((mark) => mark.kind === kind)) continue;
        word[at] = { ...atom, marks: [...atom.marks.slice(0, depth), marks[depth]!, ...atom.marks.slice(depth)] };
      }
    }
    all.splice(from + match.index, word.length, ...word);
  }
  return all;
}
