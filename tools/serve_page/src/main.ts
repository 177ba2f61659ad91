/** The page of `cvbuild serve`: what each message does, and what each control sends. */

import { find } from "./dom";
import { Draft, type Saving } from "./draft";
import { Editor } from "./editor/editor";
import { Form } from "./form/form";
import { Jumps } from "./jumps";
import { type Checked, type Diagnostic, type FromServer, type Opened, type Pages, type Path, sentence } from "./messages";
import { PagesView } from "./pages/pages";
import { Additions } from "./panels/additions";
import { Conflict } from "./panels/conflict";
import { Download, Tabs } from "./panels/documents";
import { Drawer, Match } from "./panels/drawer";
import { History } from "./panels/history";
import { Options } from "./panels/options";
import { divide, NARROW, panes } from "./panels/panes";
import { People } from "./panels/popups";
import { Problems } from "./panels/problems";
import { aloud, told } from "./said";
import { Connection, type State } from "./server";
import { earlier, Quiet, Shown } from "./shown";
import { OpenApplication } from "./start/applications";
import { Packet } from "./start/packet";
import { Review } from "./start/review";
import { Start } from "./start/start";
import { Styles } from "./start/styles";
import { Languages } from "./start/translations";

const showPane = panes();
divide(find("divider"), find("work"), "--left", 46);

const editor = new Editor(find("editor"), {
  edited: (changes) => {
    draft.edited(changes);
    form.edited(changes);
  },
  typed: () => quiet.key(),
  moved: (following) => {
    jumps.moved(following);
    quiet.moved();
  },
  save,
  toPage: () => jumps.toPage(),
  problems: () => problems.focus(),
});
const connection = new Connection(receive, connected);
const draft = new Draft(editor, connection, state);
const quiet = new Quiet(() => (form.focusedHere ? form.line : jumps.line));
const view = new PagesView({ chosen: (place) => jumps.fromPage(place), sharpness: () => shown.ask() });
const form = new Form(editor, draft, {
  marked: (line) => jumps.markLine(line),
  shown: (lines) => jumps.markItem(lines),
  goTo: (line) => jumps.toLine(line),
  toPage: () => jumps.toPage(),
  problems: () => problems.focus(),
  keep: (view) => connection.send({ type: "look", view }),
  typed: () => quiet.key(),
});
const jumps = new Jumps(editor, draft, form, view, {
  showPane,
  uncover: () => styles.close(),
  followed: () => drawer.focused,
});
const toLine = (diagnostic: Diagnostic): void => jumps.toDiagnostic(diagnostic);
const goTo = (line: number): void => jumps.toLine(line);
const problems = new Problems(toLine);
const drawer = new Drawer(() => showPane("pages"));
const people = new People(openPerson);
const shown = new Shown(editor, draft, view, jumps, quiet, new Tabs((document) => shown.pick(document)), problems, {
  ask: (document, scale) => connection.send({ type: "show", document, scale }),
  language: () => languages.chosen,
  changed: () => {
    options.show(shown.current);
    styles.update();
    form.around.printed(shown.current);
    languages.own(shown.current?.language ?? null);
  },
  came,
});
const options = new Options({ set: (path, value) => form.set(path, value), go: goTo });
const match = new Match(request, goTo);
const download = new Download(request, () => problems.all);
const review = new Review(editor, draft, form, jumps);
const start = new Start({
  open: openPerson,
  leave: async (person) => {
    if (person !== draft.person) return true;
    const kept = await saved();
    if (kept) draft.leave();
    return kept;
  },
  made: (person) => {
    fresh = person;
    openPerson(person);
  },
  imported: (person, files) => {
    review.await(person, files);
    openPerson(person);
  },
});
const application = new OpenApplication(openPerson);
const packet = new Packet(() => application.about.slug ?? null, saved);
const history = new History(draft, editor, saved);
const languages = new Languages(draft, form, jumps, { choose: (locale) => shown.change({ locale }), request: own, hide: () => drawer.fit() });
const styles = new Styles(shown, {
  opened: () => jumps.leavePages(),
  show: (document) => shown.pick(document),
  options: () => drawer.open("options"),
  request: () => (start.shown ? null : own()),
  use: (value) => form.set(["template"], value),
  back: () => editor.focus(),
});
const conflict = new Conflict(draft, editor);
new Additions(draft, editor, () => form.settled());

/** The address of the start page: no file is called so. */
const START = "#/";
let first = true;
/** Whose file was just made. */
let fresh = "";
/** What was last said of the saving, to say it aloud only when it matters. */
let trouble = "";

// -- messages ----------------------------------------------------------------------------------------

function receive(message: FromServer): void {
  switch (message.type) {
    case "people":
      people.set(message.people);
      if (first) begin(message.first, message.people.map(({ name }) => name));
      else if (start.shown) void start.refresh();
      return;
    case "opened":
      if (draft.opened(message)) newFile(message);
      shown.documents(message.documents);
      shown.ask();
      return;
    case "saved":
      return draft.saved(message.revision, message.version);
    case "conflict":
      return draft.conflict(message);
    case "changed":
      return draft.changed(message);
    case "error":
      if (draft.refused(sentence(message))) return;
      if (!draft.person) showStart();
      return told(sentence(message));
    default:
      if (!draft.settled) return;
      if (message.type === "checked") checked(message);
      else if (message.type === "counts") form.around.counted(message.counts);
      else shown.receive(message);
  }
}

function checked(message: Checked): void {
  if (message.documents) shown.documents(message.documents);
  jumps.dated(message.diagnostics, message.revision);
  if (message.revision !== draft.revision) return;
  found(message);
  review.set(message);
}

/** Say what was found in the text; of the line that is being written, and of old pages, a little later. */
function found({ diagnostics, outline }: Checked): void {
  form.checked(outline, diagnostics);
  const wrong = diagnostics.filter(({ severity }) => severity === "error");
  const say = (all: Diagnostic[]): void => {
    problems.text(all);
    editor.mark(all);
    form.wrong(all);
  };
  say(quiet.heard(diagnostics));
  quiet.say("text", () => {
    say(diagnostics);
    if (wrong.length) earlier(wrong, toLine);
  });
}

/** New pages are shown. */
function came(message: Pages): void {
  drawer.leftOut(message.left_out, toLine, (path) => void keep(path));
  draft.forget(Math.min(message.revision, languages.revision, review.revision));
  void languages.refresh();
  styles.edited();
  match.refresh();
  if (application.about.slug) void packet.refresh();
}

/** Keep on one page what it has no room for: something else goes. */
async function keep(path: Path): Promise<void> {
  const problem = await form.set([...path, "keep"], true);
  told(problem ?? "It stays on the page: “keep: true” is written.", problem === null);
}

/** What a request about the pages has; null if none are shown. */
function request(): Record<string, unknown> | null {
  return shown.document && { person: draft.person, text: editor.text, document: shown.document };
}

/** What a request about a person's file has; null if another one is open. */
function own(): { person: string; text: string } | null {
  return application.about.kind === "person" ? { person: draft.person, text: editor.text } : null;
}

// -- files -------------------------------------------------------------------------------------------

function begin(named: string | null, all: string[]): void {
  first = false;
  const name = wished();
  // Whether there is such an application, the server says.
  const there = name !== null && (all.includes(name) || name.startsWith("applications/"));
  const found = name !== null && name !== "/" && (there ? name : named);
  if (found) openPerson(found);
  else toStart();
}

/** Return whose file the address names; null if nobody can read it. */
function wished(): string | null {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return null;
  }
}

/** Save the text, and what is typed in the form. */
function save(): void {
  void form.settled().then(() => draft.save());
}

/** Wait until the text is saved; returns false if it can't be. */
async function saved(): Promise<boolean> {
  await form.settled();
  draft.save();
  for (let turn = 0; turn < 100 && draft.unsaved && !draft.stuck; turn += 1) await new Promise((done) => setTimeout(done, 50));
  return !draft.unsaved;
}

function toStart(): void {
  if (draft.person && location.hash !== START) window.history.pushState(null, "", START);
  showStart();
}

function showStart(): void {
  save();
  find("start-notice").textContent = "";
  if (location.hash !== START) window.history.replaceState(null, "", START);
  start.show();
}

function openPerson(name: string): void {
  if (start.shown && name === draft.person) {
    // It is here already: only its page was hidden.
    start.hide();
    return newAddress();
  }
  void form.settled().then(() => {
    if (draft.open(name)) return;
    start.hide();
    told("First choose what to do with the text that isn't saved.");
    find("conflict-mine").focus();
  });
}

function newFile({ about, path, formats, languages: tags, view }: Opened): void {
  start.hide();
  application.show(about);
  editor.kind = about.kind;
  download.formats = formats;
  form.views.open(view, about.kind === "letter");
  people.show(draft.person, about.kind === "person" ? null : { name: draft.person, title: about.title ?? "", path });
  packet.forget();
  history.forget();
  styles.close();
  languages.forget(tags);
  newAddress();
  shown.forget();
  problems.text([]);
  review.forget();
  drawer.leftOut([], toLine, () => {});
  form.opened();
  if (fresh === draft.person) form.begin();
  fresh = "";
  jumps.sameSide();
  if (form.views.view !== "form") editor.focus();
}

function newAddress(): void {
  const address = `#${encodeURIComponent(draft.person)}`;
  if (location.hash === START) window.history.pushState(null, "", address);
  else if (location.hash !== address) window.history.replaceState(null, "", address);
}

function connected(now: State): void {
  // A tab with a text goes on with it; its state says what to do.
  const stranger = now === "refused" && !draft.person;
  if (stranger || !start.shown) for (const id of ["top", "work"]) find(id).hidden = stranger;
  if (stranger) find("start").hidden = true;
  find("stranger").hidden = !stranger;
  shown.disconnected();
  draft.connected(now);
}

function state(saving: Saving): void {
  conflict.show(saving.theirs);
  form.offline(saving.state === "offline" && draft.person ? "cvbuild serve doesn’t answer. Write in the text: it is kept here." : null);
  const said = draft.person ? saving.words : "";
  const box = find("state");
  box.textContent = said;
  box.className = saving.state;
  find("save-again").hidden = saving.state !== "failed";
  const now = saving.state === "saved" || saving.state === "saving" ? "" : said;
  if (now !== trouble && (now || saving.state === "saved")) {
    aloud(now || "Saved");
    trouble = now;
  }
}

// -- the rest ----------------------------------------------------------------------------------------

find("pane-text").onclick = () => jumps.showSide("text");
find("pane-form").onclick = () => jumps.showSide("form");
document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || find("work").hidden) return;
  const target = event.target as HTMLElement;
  const letter = event.key.toLowerCase();
  if (event.key === "F2" && !find("views-bar").hidden) jumps.across();
  // Where nothing is typed, undo is that of the file: the focus may be nowhere.
  else if ((event.ctrlKey || event.metaKey) && ["z", "y"].includes(letter) && !target.closest("input:not([type=checkbox]), textarea, rich-text, dialog, #editor")) {
    const again = letter === "y" || event.shiftKey;
    if (form.views.view === "text") editor.undo(again);
    else form.undo(again);
  } else return;
  event.preventDefault();
});
NARROW.addEventListener("change", () => jumps.sameSide());
find("save-again").onclick = save;
find<HTMLInputElement>("private").onchange = (event) => {
  shown.change({ private: (event.target as HTMLInputElement).checked });
};
find("people-start").onclick = toStart;
find("keys-button").onclick = () => find<HTMLDialogElement>("keys").showModal();
document.addEventListener("click", ({ target }) => (target as Element).closest("[data-close]")?.closest("dialog")?.close());
window.addEventListener("hashchange", () => {
  const name = wished();
  if (!name || name === "/") showStart();
  else if (name !== draft.person || start.shown) openPerson(name);
});
window.addEventListener("beforeunload", (event) => {
  void form.settled();
  draft.save();
  if (draft.unsaved || !form.writer.idle) event.preventDefault();
});
