/** The page of `cvbuild serve`: its parts, what each message does, and what each control sends. */

import { find } from "./dom";
import { Draft } from "./draft";
import { Editor } from "./editor/editor";
import { Form } from "./form/form";
import { Jumps } from "./jumps";
import { type Checked, type Diagnostic, type FromServer, type Opened, type Pages, type Path, sentence } from "./messages";
import { PagesView } from "./pages/pages";
import { Drawer, Match } from "./panels/drawer";
import { Options } from "./panels/options";
import { divide, NARROW, panes } from "./panels/panes";
import { People } from "./panels/popups";
import { Conflict, Problems } from "./panels/problems";
import { told } from "./said";
import { Connection, type State } from "./server";
import { Download, Quiet, Shown } from "./shown";
import { Additions } from "./start/import";
import { History, Packet } from "./start/packet";
import { Review } from "./start/review";
import { Start } from "./start/start";
import { Styles } from "./start/styles";
import { Languages } from "./start/translations";

/** The address of the start page: no file is called so. */
const START = "#/";

/** All parts of the page, each of which reaches the others by it. */
export class Desk {
  readonly showPane = panes();
  readonly editor = new Editor(this);
  readonly connection = new Connection(this);
  readonly draft = new Draft(this);
  readonly quiet = new Quiet(() => (this.form.focusedHere ? this.form.line : this.jumps.line));
  readonly view = new PagesView(this);
  readonly form = new Form(this);
  readonly jumps = new Jumps(this);
  readonly problems = new Problems(this);
  readonly drawer = new Drawer(this);
  readonly people = new People(this);
  readonly shown = new Shown(this);
  readonly options = new Options(this);
  readonly match = new Match(this);
  readonly download = new Download(this);
  readonly review = new Review(this);
  readonly start = new Start(this);
  readonly packet = new Packet(this);
  readonly history = new History(this);
  readonly languages = new Languages(this);
  readonly styles = new Styles(this);
  readonly conflict = new Conflict(this);
  readonly additions = new Additions(this);
  private first = true;
  /** Whose file was just made. */
  private fresh = "";

  constructor() {
    divide(find("divider"), find("work"), "--left", 46);
    find("pane-text").onclick = () => this.jumps.showSide("text");
    find("pane-form").onclick = () => this.jumps.showSide("form");
    NARROW.addEventListener("change", () => this.jumps.sameSide());
    find("save-again").onclick = () => this.save();
    find<HTMLInputElement>("private").onchange = (event) => this.shown.change({ private: (event.target as HTMLInputElement).checked });
    find("people-start").onclick = () => {
      if (this.draft.person && location.hash !== START) window.history.pushState(null, "", START);
      this.showStart();
    };
    find("cv-button").onclick = () => void (this.draft.about.person && this.open(this.draft.about.person));
    find("letter-button").onclick = () => {
      const { kind, application, letter } = this.draft.about;
      const other = kind === "letter" ? application : letter;
      if (other) this.open(other);
    };
    find("keys-button").onclick = () => find<HTMLDialogElement>("keys").showModal();
    document.addEventListener("click", ({ target }) => (target as Element).closest("[data-close]")?.closest("dialog")?.close());
    document.addEventListener("keydown", (event) => this.key(event));
    window.addEventListener("hashchange", () => {
      const name = wished();
      if (!name || name === "/") this.showStart();
      else if (name !== this.draft.person || this.start.shown) this.open(name);
    });
    window.addEventListener("beforeunload", (event) => {
      void this.form.settled();
      this.draft.save();
      if (this.draft.unsaved || !this.form.writer.idle) event.preventDefault();
    });
  }

  private key(event: KeyboardEvent): void {
    const { form } = this;
    // A box of one line takes Enter, with any other key.
    if ((event.defaultPrevented && !form.focusedHere) || find("work").hidden) return;
    const letter = event.key.toLowerCase();
    const isTyped = (event.target as Element).closest("input:not([type=checkbox]), textarea, rich-text, dialog, #editor");
    if (event.key === "F2" && !find("views-bar").hidden) this.jumps.across();
    // Where nothing is typed, undo is that of the file, too: the focus may be nowhere.
    else if ((event.ctrlKey || event.metaKey) && ["z", "y"].includes(letter) && (form.focusedHere || !isTyped)) {
      const again = letter === "y" || event.shiftKey;
      if (form.views.view === "text") this.editor.undo(again);
      else void form.undo(again);
    } else if (!form.focusedHere || !form.key(event)) return;
    event.preventDefault();
  }

  // -- messages --------------------------------------------------------------------------------------

  receive(message: FromServer): void {
    const { draft, people, shown } = this;
    switch (message.type) {
      case "people":
        people.set(message.people);
        if (this.first) this.arrive(message.first, message.people.map(({ name }) => name));
        else if (this.start.shown) void this.start.refresh();
        return;
      case "opened":
        if (draft.opened(message)) this.newFile(message);
        shown.documents(message.documents);
        return shown.ask();
      case "saved":
        return draft.saved(message.revision, message.version);
      case "conflict":
        return draft.conflict(message);
      case "changed":
        return draft.changed(message);
      case "error":
        if (draft.refused(sentence(message))) return;
        if (!draft.person) this.showStart();
        return told(sentence(message));
      default:
        if (!draft.settled) return;
        if (message.type === "checked") this.checked(message);
        else if (message.type === "counts") this.form.around.counted(message.counts);
        else shown.receive(message);
    }
  }

  /** Say what was found in the text; of the line that is being written, and of old pages, a little later. */
  private checked(message: Checked): void {
    const { documents, diagnostics, revision, outline } = message;
    if (documents) this.shown.documents(documents);
    this.jumps.dated(diagnostics, revision);
    if (revision !== this.draft.revision) return;
    this.form.checked(outline, diagnostics);
    const say = (all: Diagnostic[]): void => {
      this.problems.text(all);
      this.editor.mark(all);
      this.form.wrong(all);
    };
    say(this.quiet.heard(diagnostics));
    this.quiet.say("text", () => {
      say(diagnostics);
      const wrong = diagnostics.filter(({ severity }) => severity === "error");
      if (wrong.length) this.shown.outdated(wrong);
    });
    this.review.set(message);
  }

  /** New pages are shown. */
  came(message: Pages): void {
    const { draft, languages, review } = this;
    this.drawer.leftOut(message.left_out);
    draft.forget(Math.min(message.revision, languages.revision, review.revision));
    void languages.refresh();
    this.styles.edited();
    this.match.refresh();
    if (draft.about.slug) void this.packet.refresh();
  }

  /** Keep on one page what it has no room for: something else goes. */
  async keep(path: Path): Promise<void> {
    const problem = await this.form.set([...path, "keep"], true);
    told(problem ?? "It stays on the page: “keep: true” is written.", problem === null);
  }

  /** What a request about the pages has; null if none are shown. */
  request(): Record<string, unknown> | null {
    const { document } = this.shown;
    return document && { person: this.draft.person, text: this.editor.text, document };
  }

  /** What a request about a person's file has; null if another one is open. */
  own(): { person: string; text: string } | null {
    return this.draft.kind === "person" ? { person: this.draft.person, text: this.editor.text } : null;
  }

  connected(now: State): void {
    // A tab with a text goes on with it; its state says what to do.
    const stranger = now === "refused" && !this.draft.person;
    if (stranger || !this.start.shown) for (const id of ["top", "work"]) find(id).hidden = stranger;
    if (stranger) find("start").hidden = true;
    find("stranger").hidden = !stranger;
    this.shown.disconnected();
    this.draft.connected(now);
  }

  // -- files -----------------------------------------------------------------------------------------

  private arrive(named: string | null, all: string[]): void {
    this.first = false;
    const name = wished();
    // Whether there is such an application, the server says.
    const there = name !== null && (all.includes(name) || name.startsWith("applications/"));
    const found = name !== null && name !== "/" && (there ? name : named);
    if (found) this.open(found);
    else this.showStart();
  }

  /** Save the text, and what is typed in the form. */
  save(): void {
    void this.form.settled().then(() => this.draft.save());
  }

  /** Wait until the text is saved; returns false if it can't be. */
  async saved(): Promise<boolean> {
    const { draft } = this;
    await this.form.settled();
    draft.save();
    for (let turn = 0; turn < 100 && draft.unsaved && !draft.stuck; turn += 1) await new Promise((done) => setTimeout(done, 50));
    return !draft.unsaved;
  }

  /** Leave a file that is moved, if it is open; returns false if its text can't be saved. */
  async left(name: string): Promise<boolean> {
    if (name !== this.draft.person) return true;
    const kept = await this.saved();
    if (kept) this.draft.leave();
    return kept;
  }

  private showStart(): void {
    this.save();
    find("start-notice").textContent = "";
    if (location.hash !== START) window.history.replaceState(null, "", START);
    this.start.show();
  }

  /** Open a file that was just made. */
  begin(name: string): void {
    this.fresh = name;
    this.open(name);
  }

  open(name: string): void {
    if (this.start.shown && name === this.draft.person) {
      // It is here already: only its page was hidden.
      this.start.hide();
      return this.newAddress();
    }
    void this.form.settled().then(() => {
      if (this.draft.open(name)) return;
      this.start.hide();
      told("First choose what to do with the text that isn't saved.");
      find("conflict-mine").focus();
    });
  }

  private newFile(message: Opened): void {
    const { about, path, formats, languages, view } = message;
    const { draft, form } = this;
    const { person } = draft;
    const isPerson = about.kind === "person";
    this.start.hide();
    document.body.dataset["kind"] = isPerson ? "person" : "application";
    for (const id of ["packet-button", "cv-button"]) find(id).hidden = isPerson;
    find("options-button").hidden = !isPerson;
    find("letter-button").hidden = !about.letter;
    find("letter-button").textContent = about.kind === "letter" ? "Application’s file" : "Letter’s text";
    this.download.formats = formats;
    form.views.open(view, about.kind === "letter");
    this.people.show(person, isPerson ? null : { name: person, title: about.title ?? "", path });
    this.packet.forget();
    this.history.forget();
    this.styles.close();
    this.languages.forget(languages);
    this.newAddress();
    this.shown.forget();
    this.problems.text([]);
    this.review.forget();
    this.drawer.leftOut([]);
    form.opened(message);
    if (this.fresh === person) form.begin();
    this.fresh = "";
    this.jumps.sameSide();
    if (form.views.view !== "form") this.editor.focus();
  }

  private newAddress(): void {
    const address = `#${encodeURIComponent(this.draft.person)}`;
    if (location.hash === START) window.history.pushState(null, "", address);
    else if (location.hash !== address) window.history.replaceState(null, "", address);
  }
}

/** Return whose file the address names; null if nobody can read it. */
function wished(): string | null {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return null;
  }
}

new Desk();
