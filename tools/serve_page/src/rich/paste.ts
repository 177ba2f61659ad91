/** What is pasted: its words, with what is bold, italic and a link in the page or document that they come from. */

import { type Atom, linkTo, literal, type Mark, styled } from "./markdown";

/** Return words with the marks that a page has for them; null if its words are others. */
export function pasted(page: string, words: string): Atom[] | null {
  // Our policy has no styles of others, here they are only read.
  const { body } = new DOMParser().parseFromString(page.replace(/\sstyle=/gi, " data-style="), "text/html");
  const given = [...within(body, [])];
  const isSpace = (atom: Atom | undefined): boolean => atom !== undefined && !atom.shown.trim();
  let at = 0;
  const atoms: Atom[] = [];
  for (const shown of words.split("")) {
    let marks: readonly Mark[] = [];
    for (; isSpace(given[at]); at += 1) if (!shown.trim()) marks = given[at]!.marks;
    if (shown.trim()) {
      if (given[at]?.shown !== shown) return null;
      marks = given[at]!.marks;
      at += 1;
    }
    atoms.push({ shown, raw: shown, marks });
  }
  return atoms;
}

function* within(node: Node, marks: readonly Mark[]): Iterable<Atom> {
  for (const child of node.childNodes) {
    if (child instanceof Text) yield* literal(child.data, marks);
    else if (child instanceof Element && !child.matches("style, script")) yield* within(child, [...marks, ...marksOf(child).filter(({ kind }) => marks.every((mark) => mark.kind !== kind))]);
  }
}

function marksOf(element: Element): Mark[] {
  const style = element.getAttribute("data-style") ?? "";
  const href = element.getAttribute("href") ?? "";
  const isBold = /font-weight:\s*(bold|[6-9]00)/.test(style) || (element.matches("b, strong") && !/font-weight:\s*(normal|400)/.test(style));
  const isItalic = /font-style:\s*italic/.test(style) || element.matches("i, em");
  return [...(element.matches("a") && /^(https?|mailto|tel):/i.test(href) ? [linkTo(href)] : []), ...(isBold ? [styled("strong")] : []), ...(isItalic ? [styled("em")] : [])];
}
