/** Download the document that is shown, in any format. */

import { find, make } from "../dom";
import type { Schema } from "../editor/schema";
import { post, Refused } from "../requests";
import { menu } from "./menu";

const ABOUT: Record<string, string> = {
  pdf: "the pages",
  html: "web page",
  docx: "Word",
  txt: "plain text",
  md: "Markdown",
  json: "JSON Resume",
  rendercv: "RenderCV",
  bib: "BibTeX",
  vcf: "vCard",
  png: "pictures",
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
      this.formats.map((format) => ({
        label: format,
        detail: ABOUT[format] ?? "",
        run: () => void this.fetch(format),
      })),
    );
  }

  /** Offer the formats that the schema names. */
  use(schema: Schema): void {
    const named = schema.$defs?.["Format"]?.anyOf?.find((form) => form.enum)?.enum;
    if (named) this.formats = named.map(String);
  }

  private async fetch(format: string): Promise<void> {
    const request = this.listeners.request();
    if (!request) return;
    this.listeners.tell(`Making ${format}…`);
    try {
      const answer = await post("/download", { ...request, format });
      this.listeners.tell(`Downloaded ${await download(answer, format)}.`);
    } catch (error) {
      this.listeners.tell(`No ${format}: ${error instanceof Refused ? error.message : String(error)}`);
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
