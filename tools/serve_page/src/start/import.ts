/** Import a CV: files of one person become a person's file. */

import { asSentence, find, make } from "../dom";
import { sent, takesFiles, unread } from "../form/files";
import type { Diagnostic, Target } from "../messages";
import { ask, Refused } from "../server";

type Action = [words: string, run: () => void];

export class Import {
  private readonly input = find<HTMLInputElement>("import-files");
  private readonly zone = find("import-zone");
  private readonly box = find("import-said");
  private busy = false;

  /** `imported` gets who it is, and the names of the files. */
  constructor(private readonly open: (person: string) => void, private readonly imported: (person: string, files: string) => void) {
    takesFiles(find("start"), this.input, [find("import-choose"), find("import-small")], (files, folder) => this.take(files, folder));
    document.addEventListener("paste", (event) => {
      if (find("start").hidden || event.target instanceof HTMLInputElement || !event.clipboardData) return;
      const files = [...event.clipboardData.files];
      const text = event.clipboardData.getData("text/plain");
      if (files.length) this.take(files);
      else if (text.trim()) this.take([new File([text], "pasted.txt", { type: "text/plain" })]);
    });
  }

  private take(files: File[], folder?: string): void {
    const problem = unread(files, folder);
    if (problem) this.say("Nothing was written", [problem], [this.another]);
    else void this.send(files);
  }

  /** Send files as those of one person; `person` is who it is, if the files don't say. */
  private async send(files: File[], person: string | null = null): Promise<void> {
    if (this.busy) return;
    const made = await this.one(files, person);
    if (made) {
      this.clear();
      this.imported(made.person, files.map(({ name }) => name).join(", "));
    }
  }

  private async one(files: File[], person: string | null): Promise<Target | null> {
    const names = files.map(({ name }) => name).join(", ");
    this.busy = true;
    this.zone.setAttribute("aria-busy", "true");
    this.say(`Reading ${names}`, [], []);
    try {
      return await ask<Target>("/import", { files: await sent(files), person });
    } catch (error) {
      this.refused(files, error);
      return null;
    } finally {
      this.busy = false;
      this.zone.removeAttribute("aria-busy");
    }
  }

  private refused(files: File[], error: unknown): void {
    const told = error instanceof Refused ? error.diagnostics : [];
    const [first] = told;
    if (first?.code === "people") return this.apart(files, first);
    if (first?.code === "exists") return this.taken(files, first);
    if (first?.code === "name") return this.nameless(files);
    if (first) return this.say("Nothing was written", told.map((one) => words(one, files)), [this.another]);
    // The browser says it where a file that was chosen is gone, or may not be read.
    const why = error instanceof Refused ? error.message : `the files can't be read: ${String(error)}`;
    this.say("Nothing was written", [asSentence(why)], [this.another]);
  }

  private apart(files: File[], fact: Diagnostic): void {
    const each: Action = ["Import each", () => void this.each(files)];
    const only = files.slice(0, 3).map((file): Action => [`Only ${file.name}`, () => void this.send([file])]);
    const place = fact.file ? `${fact.file}: ` : "";
    this.say("These are two people", [asSentence(place + fact.message)], [each, ...only]);
  }

  /** Import each file by itself; what fails is told, and stops no other. */
  private async each(files: File[]): Promise<void> {
    if (this.busy) return;
    const lines: (string | HTMLElement)[] = [];
    for (const file of files) {
      const made = await this.one([file], null);
      if (made) lines.push(make("button", { type: "button", class: "link", click: () => this.imported(made.person, file.name) }, `Open ${made.path}`));
      else lines.push(`${file.name}: ${[...this.box.querySelectorAll("p")].map((line) => line.textContent).join(" ")}`);
    }
    this.say("Imported each by itself", lines, []);
  }

  private taken(files: File[], fact: Diagnostic): void {
    const path = / exists already/.test(fact.message) ? fact.message.replace(/ exists already.*/, "") : "";
    const stem = path.replace(/^.*[/\\]/, "").replace(/\.yaml$/, "");
    const beside = `${stem}-2`;
    this.say(`${path} is there already`, ["Nothing was written."], [
      ["Open it", () => this.open(stem)],
      [`Import as ${beside}`, () => void this.send(files, beside)],
    ]);
  }

  private nameless(files: File[]): void {
    const input = make("input", { type: "text", id: "import-name", autocomplete: "off" });
    const form = make("form", {}, make("label", { for: "import-name" }, "Name"), input, make("button", { type: "submit" }, "Import"));
    form.onsubmit = (event) => {
      event.preventDefault();
      if (input.value.trim()) void this.send(files, input.value.trim());
    };
    this.say("Whose is it?", ["The file has no name of a person.", form], []);
    input.focus();
  }

  private get another(): Action {
    return ["Choose another file", () => this.input.click()];
  }

  /** Forget what was said of files that were read before. */
  clear(): void {
    if (this.busy) return;
    this.box.replaceChildren();
    this.box.hidden = true;
  }

  private say(head: string, lines: (string | HTMLElement)[], actions: Action[]): void {
    const buttons = actions.map(([words, run]) => make("button", { type: "button", click: run }, words));
    const rows = lines.map((line) => make(typeof line === "string" ? "p" : "div", {}, line));
    this.box.replaceChildren(make("strong", {}, head), ...rows, make("div", { class: "actions" }, ...buttons));
    this.box.hidden = false;
  }
}

/** Fixes in the page's own words, by the code of what is wrong; others are those of the terminal. */
const FIXES: Record<string, string> = {
  importer: "Is it a CV? Save it as Word, PDF or text.",
  pdf: "If it is a scan, save the CV as Word or text, or begin with a name.",
};

/** Return what is wrong, and a fix that isn't a command of the terminal. */
function words({ code, file, message, hint }: Diagnostic, given: File[]): string {
  const place = file && !message.includes(file) ? `${file}: ` : "";
  if (/is a person's file of cvbuild already/.test(message)) return `${asSentence(message)} Put it into people/, and it is listed here.`;
  const own = FIXES[code];
  const fix = !own && hint && !/--|cvbuild /.test(hint) ? `; ${hint}` : "";
  const whole = place + message + fix;
  // A file's name keeps its letters.
  const named = given.some(({ name }) => whole.startsWith(name));
  return (named ? `${whole}.` : asSentence(whole)) + (own ? ` ${own}` : "");
}
