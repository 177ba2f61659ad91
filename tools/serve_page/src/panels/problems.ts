/** The list of what is wrong, below the editor, and the notes about the pages. */

import { counted, find, lineRow, make, renew } from "../dom";
import { type Diagnostic, type Document, same, sentence } from "../messages";

const ORDER = { error: 0, warning: 1, note: 2 };

export class Problems {
  private readonly box = find<HTMLDetailsElement>("problems");
  private readonly list = find("problem-list");
  private ofText: Diagnostic[] = [];
  private ofPages: Diagnostic[] = [];
  private document: Document | null = null;

  constructor(private readonly chosen: (diagnostic: Diagnostic) => void) {}

  /** What is wrong in the text. */
  text(diagnostics: Diagnostic[]): void {
    this.ofText = diagnostics;
    this.show();
  }

  /** What was said while a document was made. */
  pages(document: Document, diagnostics: Diagnostic[]): void {
    this.document = document;
    this.ofPages = diagnostics;
    this.show();
  }

  /** Forget what was said of another document. */
  only(document: Document): void {
    if (!same(this.document, document)) this.pages(document, []);
  }

  /** What is wrong, of the text and of the pages. */
  get all(): Diagnostic[] {
    return [...this.ofText, ...this.ofPages];
  }

  focus(): void {
    this.box.open = true;
    (this.list.querySelector("button") ?? this.box.querySelector("summary"))?.focus();
  }

  private show(): void {
    const seen = new Set<string>();
    const all = this.all.filter((one) => {
      const key = `${one.line}:${one.column}:${one.message}`;
      return !seen.has(key) && seen.add(key);
    });
    all.sort((one, other) => ORDER[one.severity] - ORDER[other.severity]);
    const count = (severity: Diagnostic["severity"]): number => all.filter((one) => one.severity === severity).length;
    const words = (Object.keys(ORDER) as Diagnostic["severity"][])
      .filter((severity) => count(severity))
      .map((severity) => counted(count(severity), severity));
    find("problem-count").textContent = words.join(", ") || "No problems";
    this.box.className = count("error") ? "error" : count("warning") ? "warning" : "";
    renew(this.list, all.map((one) => this.entry(one)));
    find("problem-none").hidden = all.length > 0;
  }

  private entry(one: Diagnostic): HTMLElement {
    return make("li", {}, lineRow(one.line, () => this.chosen(one), make("span", { class: `mark ${one.severity}` }, one.severity), sentence(one)));
  }
}
