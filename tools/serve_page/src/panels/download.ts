/** Download the document that is shown, in any format. */

import { find, make } from "../dom";
import type { Schema } from "../editor/schema";
import { post, Refused } from "../requests";
import { menu } from "./menu";

/** What most people want, first: the format, what it is called, what it is for. */
const FIRST: [format: string, label: string, detail: string][] = [
  ["pdf", "PDF", "the pages as they are shown"],
  ["docx", "Word", "to go on in Word or LibreOffice"],
  ["html", "Web page", "one file, for a browser"],
  ["txt", "Text", "to paste into forms"],
];
const OTHERS: Record<string, [label: string, detail: string]> = {
  md: ["Markdown", "for GitHub and the like"],
  json: ["JSON Resume", "for other programs"],
  bib: ["BibTeX", "the publications"],
  png: ["Pictures", "one of each page"],
  site: ["Website", "a site of its own"],
};

export interface Listeners {
  /** What to ask for, besides the format; null if nothing is shown. */
  request(): Record<string, unknown> | null;
  tell(words: string): void;
}

export class Download {
  private formats: string[] = ["pdf"];

  constructor(private readonly listeners: Listeners) {
    menu(find("download"), "Download", () =>
      [...FIRST.filter(([format]) => this.formats.includes(format)), ...this.others()].map(([format, label, detail], at) => ({
        label,
        detail,
        apart: at === FIRST.length,
        run: () => void this.fetch(format, label),
      })),
    );
    find("download-pdf").onclick = () => void this.fetch("pdf", "PDF");
  }

  /** Offer the formats that the schema names. */
  use(schema: Schema): void {
    const named = schema.$defs?.["Format"]?.anyOf?.find((form) => form.enum)?.enum;
    if (named) this.formats = named.map(String);
  }

  private others(): [format: string, label: string, detail: string][] {
    const first = FIRST.map(([format]) => format);
    return this.formats.filter((format) => !first.includes(format)).map((format) => [format, ...(OTHERS[format] ?? ([format, "another format"] as [string, string]))]);
  }

  private async fetch(format: string, label: string): Promise<void> {
    const request = this.listeners.request();
    if (!request) return;
    this.listeners.tell(`Making ${label}…`);
    try {
      const answer = await post("/download", { ...request, format });
      this.listeners.tell(`Downloaded ${await download(answer, format)}.`);
    } catch (error) {
      this.listeners.tell(`No ${label}: ${error instanceof Refused ? error.message : String(error)}`);
    }
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
