/** Everything that goes out with the application that is open, what was sent, and earlier versions of a file. */

import { asSentence, counted, find, make } from "../dom";
import { step } from "../editor/steps";
import type { Desk } from "../main";
import { type Diagnostic, sentence } from "../messages";
import { ago, dated, goesOn, SOON, told } from "../said";
import { ask, post, tried } from "../server";
import { download } from "../shown";

interface Look {
  employer: string;
  position: string;
  deadline: string | null;
  days_left: number | null;
  files: { name: string; size: number; pages: number | null }[];
  limit: number;
  mail: { to: string; subject: string; body: string; attached: string[] };
  sent: { date: string; folder: string; files: string[] }[];
  /** What has changed since it was sent last. */
  changed: Difference[] | null;
  /** Whether it isn't what was taken as a draft. */
  is_other: boolean;
  notes: Diagnostic[];
}

/** What differs between two versions of a file, in words. */
interface Difference {
  kind: string;
  place: string;
  words: ["same" | "gone" | "new", string][];
}

export class Packet {
  private readonly box = find("packet-look");
  private readonly state = find("packet-state");
  private turn = 0;
  private notes: Diagnostic[] = [];
  /** What was last said of a packet that couldn't be made. */
  private unmade = "";

  constructor(private readonly desk: Desk) {
    find("packet-eml").onclick = () => void this.get("eml", "the draft");
    // A dialog stands elsewhere than its button: a double click answers nothing.
    const dialog = find<HTMLDialogElement>("packet-ask");
    find("packet-sent").onclick = () => dialog.showModal();
    find("packet-yes").onclick = () => {
      dialog.close();
      void this.keep();
    };
  }

  /** Another file is shown. */
  forget(): void {
    this.turn += 1;
    this.box.replaceChildren();
    this.state.textContent = "";
    find("packet-actions").hidden = true;
  }

  /** Make the packet of what is saved now and show it, if the panel is open. */
  async refresh(): Promise<void> {
    if (this.desk.drawer.shown !== "packet") return;
    const turn = ++this.turn;
    // What was last said of an act stays while the packet is made again.
    const first = !this.box.hasChildNodes();
    if (first) this.say("Making everything to send…");
    this.box.setAttribute("aria-busy", "true");
    const answer = await this.ask("look");
    if (turn === this.turn) this.box.removeAttribute("aria-busy");
    if (!answer) this.unmade = this.state.textContent;
    if (!answer || turn !== this.turn) return;
    this.draw((await answer.json()) as Look);
    if (first || this.state.textContent === this.unmade) this.say("");
    find("packet-actions").hidden = false;
  }

  private async ask(act: string, file = ""): Promise<Response | null> {
    const application = this.desk.draft.about.slug;
    if (!application) return null;
    if (act !== "kept" && !(await this.desk.saved())) {
      this.say("The text isn’t saved, so nothing can be made of it.", true);
      return null;
    }
    return tried(post("/packet", { application, act, file }), (words) => this.say(words, true));
  }

  private async get(act: string, what: string, file = ""): Promise<void> {
    const isKept = act === "kept";
    if (!isKept && !goesOn(this.notes, "Get it")) return;
    this.say(`${isKept ? "Fetching" : "Making"} ${what}…`);
    const answer = await this.ask(act, file);
    if (answer) this.say(`Downloaded ${await download(answer, act)}${isKept ? ", as it was sent" : ""}.`);
  }

  private async keep(): Promise<void> {
    this.say("Keeping a copy…");
    const answer = await this.ask("sent");
    if (!answer) return;
    const { folder } = (await answer.json()) as { folder: string };
    await this.refresh();
    this.say(`Kept as it was sent, read-only: ${folder}/`);
    find("packet-sent").focus();
  }

  private say(words: string, wrong = false): void {
    this.state.textContent = words;
    this.state.classList.toggle("problem", wrong);
  }

  private draw(look: Look): void {
    this.notes = look.notes;
    const total = look.files.filter(({ name }) => look.mail.attached.includes(name)).reduce((sum, { size }) => sum + size, 0);
    const row = ({ name, size, pages }: Look["files"][number]): HTMLElement =>
      make("li", {}, make("button", { class: "link", click: () => void this.get("file", name, name) }, name), make("span", { class: "size" }, inBytes(size)), make("small", {}, pages ? counted(pages, "page") : ""));
    const [attached, others] = [true, false].map((is) => look.files.filter(({ name }) => look.mail.attached.includes(name) === is).map(row));
    const { to, subject, body } = look.mail;
    const mail = make("div", { class: "mail" },
      make("dl", {}, make("dt", {}, "To"), make("dd", {}, to || "nobody yet: write the recipient’s e-mail"), make("dt", {}, "Subject"), make("dd", {}, subject)),
      make("p", {}, body.trim()));
    const last = look.sent.at(-1);
    // It may be drawn again at any time.
    const open = new Set([...this.box.querySelectorAll("details[open] > code")].map(({ textContent }) => textContent));
    const kept = look.sent.map(({ date, folder, files }) => {
      const rows = files.map((file) => make("li", {}, make("button", { class: "link", click: () => void this.get("kept", file, `${folder.replace(/^.*\//, "")}/${file}`) }, file)));
      return make("li", {}, make("strong", {}, `Sent ${dated(date)}`), ...(folder === last?.folder && look.changed ? [since(look.changed)] : []),
        make("details", { open: open.has(folder) }, make("summary", {}, "Open what was sent"), make("code", {}, folder), make("ul", {}, ...rows)));
    });
    find("packet-again").textContent = last ? `A copy of ${dated(last.date)} is kept already: one more is for what you sent once more.` : "";
    find("packet-other").hidden = !look.is_other;
    find("packet-sent").textContent = last ? "I have sent it again: keep another copy" : "I have sent it: keep a copy";
    const notes = look.notes.map((note) => make("li", { class: note.severity }, asSentence(sentence(note))));
    this.box.replaceChildren(
      ...(kept.length ? [make("ul", { class: "notes kept" }, ...kept)] : []),
      due(look),
      make("h3", {}, `Attached: ${inBytes(total)} of at most ${inBytes(look.limit)}`), make("ul", { class: "files" }, ...attached!),
      make("h3", {}, "E-mail"), mail,
      ...(others!.length ? [make("h3", {}, "Also made"), make("ul", { class: "files" }, ...others!)] : []),
      ...(notes.length ? [make("h3", {}, "Notes"), make("ul", { class: "notes" }, ...notes)] : []),
    );
  }
}

function since(changed: Difference[]): HTMLElement {
  if (!changed.length) return make("p", {}, "Nothing has changed since.");
  return differences(changed, `${counted(changed.length, "change")} since`, true);
}

/** Return a list of differences below a title, to be opened. */
function differences(changed: Difference[], title: string, open = false): HTMLElement {
  const marks = { same: "span", gone: "del", new: "ins" } as const;
  const rows = changed.map(({ kind, place, words }) =>
    make("li", {}, `${place}, ${kind}: `, ...words.flatMap(([what, text]) => [make(marks[what], {}, text), " "])));
  return make("details", { class: "changed", open }, make("summary", {}, title), make("ul", {}, ...rows));
}

function due({ deadline, days_left, employer, position }: Look): HTMLElement {
  const what = `${employer}, ${position}.`;
  if (deadline === null || days_left === null) return make("p", { class: "about" }, `No deadline. ${what}`);
  const left = days_left < 0 ? "The deadline has passed" : days_left === 0 ? "Today is the last day" : `${counted(days_left, "day")} left`;
  const head = make("strong", { class: days_left < SOON ? "soon" : "" }, left);
  return make("p", { class: "about" }, head, `, until ${dated(deadline)}. ${what}`);
}

function inBytes(size: number): string {
  if (size < 1_000_000) return `${Math.max(1, Math.round(size / 1000))} kB`;
  return `${(size / 1_000_000).toFixed(1).replace(/\.0$/, "")} MB`;
}

// -- earlier versions: when they were saved, what changed in each, and back to one ----------------

interface Version {
  name: string;
  /** Since 1970. */
  seconds: number;
  /** Whether it is none of git's. */
  is_copy: boolean;
  /** What changed since the one before; null if that can't be said. */
  changes: Difference[] | null;
}

/** As many places of changes are in the title. */
const SHOWN = 2;

export class History {
  private readonly list = find("history-list");
  private readonly asking = find("history-ask");
  private turn = 0;

  constructor(private readonly desk: Desk) {
    find("history-no").onclick = () => (this.asking.hidden = true);
  }

  /** Another file is shown. */
  forget(): void {
    this.turn += 1;
    this.asking.hidden = true;
    this.list.replaceChildren();
  }

  /** Show the versions that there are now, if the panel is open. */
  async refresh(): Promise<void> {
    if (this.desk.drawer.shown !== "history") return;
    const turn = ++this.turn;
    await this.desk.saved();
    const found = await tried(ask<{ versions: Version[] }>("/history", { person: this.desk.draft.person }), (words) => turn === this.turn && this.say(words));
    if (!found || turn !== this.turn) return;
    const { versions } = found;
    this.say(versions.length > 1 ? "" : "Nothing was saved here yet. Copies of what you save are kept on this machine, for you alone.");
    this.list.replaceChildren(...versions.map((version, at) => this.row(version, at === 0 && version.is_copy, at === versions.length - 1)));
  }

  private row(version: Version, newest: boolean, oldest: boolean): HTMLElement {
    const { name, seconds, is_copy, changes } = version;
    const time = `${ago(seconds)}, ${new Date(seconds * 1000).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" })}`;
    const restore = make("button", { "aria-label": `Restore ${time}`, click: () => void this.restore(name, time) }, "Restore");
    const places = changes?.slice(0, SHOWN).map(({ place }) => place).join("; ") ?? "";
    const more = (changes?.length ?? 0) - SHOWN;
    return make("li", {}, make("div", { class: "version" }, make("strong", {}, time), make("small", {}, newest ? "as it is now" : is_copy ? (oldest ? "the first that is kept" : "") : `git ${name.slice(0, 7)}`), newest ? null : restore),
      changes && differences(changes, more > 0 ? `${places} and ${counted(more, "more change")}` : places));
  }

  /** Put a version back as one edit; over a text that isn't saved only if `sure`. */
  private async restore(version: string, time: string, sure = false): Promise<void> {
    const { person } = this.desk.draft;
    if (!sure && !(await this.desk.saved())) {
      this.asking.hidden = false;
      find("history-yes").onclick = () => void this.restore(version, time, true);
      return find("history-yes").focus();
    }
    this.asking.hidden = true;
    const found = await tried(ask<{ text: string }>("/history", { person, version }), (words) => this.say(words));
    if (!found || person !== this.desk.draft.person) return;
    this.desk.editor.replace(found.text, step.of("alone"));
    told(`The version of ${time} is back.`, true);
    await this.refresh();
  }

  private say(words: string): void {
    find("history-said").textContent = words;
  }
}
