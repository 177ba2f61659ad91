/** What stands above the fields: the part that they are of, and what holds it. */

import { find } from "../dom";
import { menu, type Choice } from "../panels/menu";
import type { Selected } from "./selected";
import { chain, every, samePath, type Part, type Sheet } from "./types";

export class Heading {
  constructor(
    private readonly selected: Selected,
    private readonly choose: (part: Part) => void,
  ) {
    menu(find("crumb"), "Parts of the file", () => this.crumbs());
  }

  show(sheet: Sheet): void {
    const { part, path } = this.selected;
    const above = chain(this.selected.parts, path).at(-2);
    const siblings = part ? this.selected.siblings(part) : [];
    const at = part ? siblings.indexOf(part) : -1;
    const movable = path[0] === "sections";
    find("part-title").textContent = sheet.title;
    find("crumb").textContent = above?.title ?? (movable ? "Sections" : part?.kind === "part" || part?.kind === "file" ? "Parts" : "Top of the page");
    find("part-count").textContent = movable && at >= 0 ? `${at + 1} of ${siblings.length}` : "";
    for (const id of ["part-up", "part-down", "part-menu"]) find(id).hidden = !movable;
    find("part-comments").textContent = sheet.comments.join("\n");
    find("part-comments").hidden = !sheet.comments.length;
    const bib = part?.bib ?? above?.bib;
    find("part-bib").hidden = !bib;
    find("part-bib").textContent = bib ? `More come from ${bib}. They are changed there.` : "";
  }

  /** Return all sections, and what is in the one that is open. */
  private crumbs(): Choice[] {
    const { parts, path } = this.selected;
    return parts.flatMap((part) => [this.crumb(part, ""), ...(chain([part], path).length ? every(part.items).map((item) => this.crumb(item, "  ")) : [])]);
  }

  private crumb(part: Part, indent: string): Choice {
    const checked = samePath(part.path, this.selected.path);
    return { label: `${indent}${part.title}`, detail: part.detail, checked, run: () => this.choose(part) };
  }
}
