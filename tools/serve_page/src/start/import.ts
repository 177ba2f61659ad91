/** Files of other programs: they become a person's file, or add what is ticked to the CV that is open. */

import { asSentence, counted, find, make } from "../dom";
import { step } from "../editor/steps";
import { sent, takesFiles, unread } from "../form/files";
import type { Desk } from "../main";
import type { Diagnostic, Target } from "../messages";
import { told } from "../said";
import { ask, Refused, tried } from "../server";

type Action = [words: string, run: () => void];

export class Import {
  private readonly input = find<HTMLInputElement>("import-files");
  private readonly zone = find("import-zone");
  private readonly box = find("import-said");
  private busy = false;

  constructor(private readonly desk: Desk) {
    takesFiles(find("start"), this.input, [find("import-choose"), find("import-small")], (files, folder) => this.take(files, folder));
    document.addEventListener("paste", (event) => {
      // What is pasted into a box belongs there.
      const isInBox = event.target instanceof Element && event.target.closest("input, textarea");
      if (find("start").hidden || isInBox || !event.clipboardData) return;
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
      this.desk.review.await(made.person, files.map(({ name }) => name).join(", "));
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
      if (made) lines.push(make("button", { class: "link", click: () => this.desk.review.await(made.person, file.name) }, `Open ${made.path}`));
      else lines.push(`${file.name}: ${[...this.box.querySelectorAll("p")].map((line) => line.textContent).join(" ")}`);
    }
    this.say("Imported each by itself", lines, []);
  }

  private taken(files: File[], fact: Diagnostic): void {
    const path = / exists already/.test(fact.message) ? fact.message.replace(/ exists already.*/, "") : "";
    const stem = path.replace(/^.*[/\\]/, "").replace(/\.yaml$/, "");
    const beside = `${stem}-2`;
    this.say(`${path} is there already`, ["Nothing was written."], [
      ["Open it", () => this.desk.open(stem)],
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
    const buttons = actions.map(([words, run]) => make("button", { click: run }, words));
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

// -- what files add to the CV that is open: a list, of which what is ticked is added --------------

interface Found {
  additions: { place: string; words: string }[];
  /** What stays as it is, as the file says otherwise. */
  notes: string[];
}

export class Additions {
  private readonly dialog = find<HTMLDialogElement>("additions");
  private readonly list = find("additions-list");
  private readonly add = find<HTMLButtonElement>("additions-add");

  constructor(private readonly desk: Desk) {
    // What it is in is closed.
    find("additions-button").onclick = () => find("add-button").click();
    this.list.onchange = () => this.count();
    takesFiles(find("work"), find<HTMLInputElement>("additions-files"), [find("additions-button")], (files, folder) => {
      const problem = unread(files, folder);
      if (this.desk.draft.kind !== "person") return;
      if (problem) told(problem);
      else void this.read(files);
    });
  }

  private async read(files: File[]): Promise<void> {
    const names = files.map(({ name }) => name).join(", ");
    told(`Reading ${names}`);
    await this.desk.form.settled();
    const { person } = this.desk.draft;
    const { text } = this.desk.editor;
    const wanted = { person, text, files: await tried(sent(files), told) };
    const found = wanted.files && (await tried(ask<Found>("/additions", wanted), told));
    if (!found || person !== this.desk.draft.person) return;
    if (!found.additions.length) return told([`${names} has nothing that isn’t here.`, ...found.notes.map(asSentence)].join(" "));
    this.show(names, found);
    find("additions-form").onsubmit = (event) => {
      event.preventDefault();
      this.dialog.close();
      void this.write({ ...wanted, chosen: this.ticked });
    };
  }

  private show(names: string, { additions, notes }: Found): void {
    find("additions-title").textContent = `What ${names} adds`;
    this.list.replaceChildren(
      ...additions.map(({ place, words }) => make("li", {}, make("label", {}, make("input", { type: "checkbox", checked: true }), make("span", {}, make("strong", {}, place), " ", words)))),
    );
    const kept = find("additions-kept");
    kept.hidden = !notes.length;
    kept.querySelector("summary")!.textContent = `${counted(notes.length, "value")} of yours ${notes.length === 1 ? "stays as it is" : "stay as they are"}`;
    kept.querySelector("ul")!.replaceChildren(...notes.map((note) => make("li", {}, asSentence(note))));
    this.count();
    this.dialog.showModal();
  }

  private get ticked(): number[] {
    return [...this.list.querySelectorAll("input")].flatMap((box, at) => (box.checked ? [at] : []));
  }

  private count(): void {
    this.add.disabled = !this.ticked.length;
    this.add.textContent = `Add ${this.ticked.length}`;
  }

  private async write(wanted: { person: string; text: string; files: unknown; chosen: number[] }): Promise<void> {
    const made = await tried(ask<{ text: string }>("/additions", wanted), told);
    if (!made) return;
    // Numbers are of that text.
    if (wanted.person !== this.desk.draft.person || this.desk.editor.text !== wanted.text) return told("The file has changed meanwhile: choose the file again.");
    this.desk.editor.replace(made.text, step.of("alone"));
    told(`Added ${wanted.chosen.length}. Undo takes it back.`, true);
  }
}
