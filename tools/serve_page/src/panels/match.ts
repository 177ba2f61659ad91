/** A pasted advertisement: which of its words the document shows, and which it doesn't. */

import { counted, find, make } from "../dom";
import { post, Refused } from "../requests";

interface Item {
  title: string;
  file: string;
  line: number | null;
}

interface Term {
  term: string;
  status: string;
  count: number;
  items: Item[];
}

const WORDS: Record<string, string> = {
  has: "On the page",
  nowhere: "Missing",
};

export class Match {
  private readonly advert = find<HTMLTextAreaElement>("advert");
  private readonly result = find("match-result");
  private turn = 0;
  /** The terms that are shown, as JSON. */
  private shown = "";

  constructor(
    /** What to ask about: person, text and document; null if nothing is shown. */
    private readonly request: () => Record<string, unknown> | null,
    private readonly chosen: (line: number) => void,
  ) {
    find("match-form").addEventListener("submit", (event) => {
      event.preventDefault();
      void this.run();
    });
  }

  /** The pages changed: the terms may have, too. */
  refresh(): void {
    if (!find("match-panel").hidden && this.result.childElementCount && this.advert.value.trim()) void this.run();
  }

  private async run(): Promise<void> {
    const request = this.request();
    const advert = this.advert.value;
    const turn = ++this.turn;
    if (!request) return;
    if (!advert.trim()) {
      this.tell("Paste the text of an advertisement first.");
      return;
    }
    try {
      const answer = await post("/match", { ...request, advert });
      const { terms } = (await answer.json()) as { terms: Term[] };
      if (turn === this.turn) this.show(terms);
    } catch (error) {
      if (turn === this.turn) this.tell(error instanceof Refused ? error.message : String(error));
    }
  }

  private tell(words: string): void {
    this.shown = "";
    find("match-state").textContent = words;
    this.result.replaceChildren();
  }

  private show(terms: Term[]): void {
    // The same once more stays, or a click on it would be lost.
    const shown = JSON.stringify(terms);
    if (shown === this.shown) return;
    this.shown = shown;
    const found = terms.filter(({ status }) => status === "has").length;
    find("match-state").textContent = terms.length
      ? `${found} of ${counted(terms.length, "term")} found on the page.`
      : "The advertisement has no terms that could be looked for.";
    const parts = Object.keys(WORDS).toReversed().flatMap((status) => {
      const own = terms.filter((term) => term.status === status);
      if (!own.length) return [];
      const heading = make("h3", {}, `${WORDS[status]} (${own.length})`);
      return [heading, make("ul", { class: `terms ${status}` }, ...own.map((term) => this.entry(term)))];
    });
    this.result.replaceChildren(...parts);
  }

  private entry({ term, items }: Term): HTMLElement {
    const places = items.filter(({ line }) => line !== null).map(({ title, line }) =>
      make("button", { type: "button", class: "row", click: () => this.chosen(line ?? 1) },
        make("span", { class: "words" }, title),
        make("span", { class: "line" }, `Line ${line}`)),
    );
    return make("li", {}, make("span", { class: "term" }, term), ...places);
  }
}
