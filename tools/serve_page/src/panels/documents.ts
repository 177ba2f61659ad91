/** Which document is shown: a tab for each that the person picked, and each variant; and its download. */

import { drawn, find, make, stepped, unpressed } from "../dom";
import type { Described, Diagnostic, Document } from "../messages";
import { menu } from "./popups";
import { goesOn, told } from "../said";
import { post, tried } from "../server";

const KINDS = { template: "Template", variant: "Variant", letter: "Letter" };

export class Tabs {
  private readonly list = find("tabs");
  constructor(private readonly choose: (document: Document) => void) {
    this.list.addEventListener("keydown", (event) => this.key(event));
  }

  /** Show picked documents and variants, and the one that is shown: other styles are in their panel. */
  show(all: Described[], current: Described | null): void {
    const visible = all.filter((one) => one.picked || one.document.kind === "variant" || one === current);
    const data = [visible.map(({ document, title, picked }) => [document, title, picked]), current?.document];
    drawn(this.list, data, () => unpressed(this.list, () => {
      const focused = this.list.contains(document.activeElement);
      this.list.replaceChildren(...visible.map((one) => this.tab(one, one === current)));
      const selected = this.list.querySelector<HTMLElement>("[aria-selected=true]");
      selected?.scrollIntoView({ block: "nearest", inline: "nearest" });
      if (focused) selected?.focus();
    }));
  }

  private tab(one: Described, selected: boolean): HTMLElement {
    const kind = one.document.kind === "template" ? (one.picked ? "" : "only looked at") : KINDS[one.document.kind];
    return make("button", {
      type: "button",
      role: "tab",
      tabindex: selected ? 0 : -1,
      "aria-selected": String(selected),
      "aria-controls": "pages",
      click: () => this.choose(one.document),
    }, make("span", {}, one.title), kind && kind !== one.title ? make("small", {}, kind) : null);
  }

  private key(event: KeyboardEvent): void {
    const tabs = [...this.list.children] as HTMLElement[];
    const target = stepped(event.key, tabs, "horizontal");
    if (!target) return;
    event.preventDefault();
    target.click();
    (this.list.querySelector<HTMLElement>("[aria-selected=true]") ?? target).focus();
  }
}

/** What formats are called, and what they are for: first what most people want. */
const FORMATS: Record<string, [label: string, detail: string]> = {
  pdf: ["PDF", "the pages as they are shown"],
  docx: ["Word", "to go on in Word or LibreOffice"],
  html: ["Web page", "one file, for a browser"],
  txt: ["Text", "to paste into forms"],
  md: ["Markdown", "for GitHub and the like"],
  json: ["JSON Resume", "for other programs"],
  png: ["Pictures", "one of each page"],
  site: ["Website", "a site of its own"],
};

export class Download {
  formats = ["pdf"];

  /** `request` returns what to ask for, besides the format, null if nothing is shown; `problems` what is wrong with it. */
  constructor(
    private readonly request: () => Record<string, unknown> | null,
    private readonly problems: () => Diagnostic[],
  ) {
    menu(find("download"), "Download", () => {
      const known = Object.keys(FORMATS).filter((format) => this.formats.includes(format));
      const others = this.formats.filter((format) => !known.includes(format));
      return [...known, ...others].map((format) => {
        const [label, detail] = FORMATS[format] ?? [format, "another format"];
        return { label, detail, apart: format === "md", run: () => void this.fetch(format, label) };
      });
    });
    find("download-pdf").onclick = () => void this.fetch("pdf", "PDF");
  }

  private async fetch(format: string, label: string): Promise<void> {
    const request = this.request();
    if (!request || !goesOn(this.problems(), "Download it")) return;
    told(`Making ${label}…`);
    const answer = await tried(post("/download", { ...request, format }), (words) => told(`No ${label}: ${words}`));
    if (answer) told(`Downloaded ${await download(answer, format)}.`);
  }
}

/** Save the file that the server sent; returns its name. */
export async function download(answer: Response, format: string): Promise<string> {
  const name = fileName(answer.headers.get("Content-Disposition")) ?? `cv.${format}`;
  save(await answer.blob(), name);
  return name;
}

function save(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  make("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

function fileName(header: string | null): string | null {
  const encoded = /filename\*=utf-8''([^;]+)/i.exec(header ?? "")?.[1];
  return encoded ? decodeURIComponent(encoded) : (/filename="?([^";]+)"?/i.exec(header ?? "")?.[1] ?? null);
}
