/** The page of `cvbuild serve`: what each message does, and what each control sends. */

import { redo, undo } from "@codemirror/commands";
import type { StateEffect } from "@codemirror/state";
import { EditorView } from "@codemirror/view";

import { Connection, type State } from "./connection";
import { Draft, inWords, type Saving } from "./draft";
import { counted, find } from "./dom";
import { Editor } from "./editor/editor";
import { itemRange, setItem } from "./editor/item";
import { placed, places, placesAt, setPlaces, type Placed } from "./editor/places";
import type { Schema } from "./editor/schema";
import { Form } from "./form/form";
import { same, sentence, type Checked, type Described, type Diagnostic, type Document, type Early, type FromServer, type Opened, type Pages, type Places } from "./messages";
import { current, earlier } from "./pages/earlier";
import { PagesView } from "./pages/pages";
import { Conflict } from "./panels/conflict";
import { divide, panes } from "./panels/divider";
import { Download } from "./panels/download";
import { Drawer } from "./panels/drawer";
import { Match } from "./panels/match";
import { Options } from "./panels/options";
import { People } from "./panels/people";
import { Problems } from "./panels/problems";
import { Tabs } from "./panels/tabs";
import { NARROW } from "./panels/views";
import { Quiet } from "./quiet";
import { get } from "./requests";
import { OpenApplication } from "./start/application";
import { Languages } from "./start/languages";
import { Packet } from "./start/packet";
import { Review } from "./start/review";
import { Start } from "./start/start";
import { Styles } from "./start/styles";

const showPane = panes();
divide();

const editor = new Editor(find("editor"), {
  edited: (changes) => {
    draft.edited(changes);
    form.edited(changes);
  },
  typed: () => quiet.key(),
  moved: (following) => moved(following),
  save,
  toPage,
  problems: () => problems.focus(),
});
const connection = new Connection(receive, connected);
const draft = new Draft(editor, connection, state);
const quiet = new Quiet(() => (form.focusedHere ? form.line : lineOf(editor.view.state.selection.main.head)));
const view = new PagesView({ chosen: fromPage, sharpness: show });
const form = new Form(editor, draft, {
  marked: (line) => markLine(line),
  shown: (lines) => beside(lines),
  goTo,
  toPage,
  problems: () => problems.focus(),
  typed: () => quiet.key(),
});
const problems = new Problems(toLine);
const drawer = new Drawer(() => showPane("pages"));
const people = new People(openPerson);
const tabs = new Tabs((document) => {
  guessed = false;
  choose(document);
});
const options = new Options({ set: (path, value) => form.set(path, value), go: goTo });
const match = new Match(request, goTo);
const download = new Download({ request, tell: (said) => tell(said, false) });
const review = new Review(editor, {
  since: (revision) => draft.since(revision),
  go: ({ from, to }) => {
    if (form.views.view === "form") return showPane("form"), form.reveal(lineOf(from));
    showPane("text");
    editor.jump(from, to);
  },
  look: (from) => form.views.view !== "text" && form.look(lineOf(from)),
  form: () => {
    form.views.prefer("form");
    sameSide();
  },
  done: (words) => {
    form.begin();
    sameSide();
    form.say(words);
  },
});
const start = new Start({
  open: openPerson,
  made: (person) => {
    fresh = person;
    openPerson(person);
  },
  imported: (person, files) => {
    review.await(person, files);
    openPerson(person);
  },
  tell: (said) => (find("start-notice").textContent = said),
});
const application = new OpenApplication(openPerson);
const packet = new Packet({ slug: () => application.about.slug ?? null, saved });
const languages = new Languages({
  choose: (locale) => shown && choose({ ...shown, locale }),
  request: () => (application.about.kind === "person" ? { person: draft.person, text: editor.text } : null),
  write: (change) => form.act(change),
  look,
  revision: () => draft.revision,
  dated,
  toLine,
  hide: () => drawer.hide("language"),
});
const styles = new Styles({
  documents: () => tabs.all,
  show: (document) => {
    guessed = false;
    choose(document);
  },
  options: () => drawer.open("options"),
  request: () => (application.about.kind === "person" && !start.shown ? { person: draft.person, text: editor.text } : null),
  use: (value) => form.set(["template"], value),
  back: () => editor.view.focus(),
});
const conflict = new Conflict({
  mine: () => editor.text,
  path: () => draft.path,
  resolve: (mine) => draft.resolve(mine),
});

/** The address of the start page: no file is called so. */
const START = "#/";
let first = true;
/** Whose file was just made. */
let fresh = "";
/** Whether the schema is here. */
let known = false;
let shown: Document | null = null;
let shownRevision = -1;
let withPrivate = false;
/** Places of pages that aren't shown yet. */
let early: Places | null = null;
/** Whether what is shown was neither picked in the file nor chosen here. */
let guessed = false;
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
      documents(message.documents);
      show();
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
      return tell(sentence(message));
    default:
      if (draft.settled) made(message);
  }
}

/** Of which state of the text a diagnostic tells. */
const told = new WeakMap<Diagnostic, number>();

function dated(all: Diagnostic[], revision: number): void {
  for (const one of all) told.set(one, revision);
}

function made(message: Extract<FromServer, { type: "checked" | "making" | "early" | "pages" | "places" | "failed" }>): void {
  if (message.type === "checked") {
    if (message.documents) documents(message.documents);
    dated(message.diagnostics, message.revision);
    if (message.revision !== draft.revision) return;
    found(message);
    review.set(message, draft.person);
    return;
  }
  if (!same(message.document, shown) || message.revision < shownRevision) return;
  if (message.type === "pages") dated([...message.left_out, ...message.notes], message.revision);
  if (message.type === "failed") dated(message.diagnostics, message.revision);
  if (message.type === "making") making("Typesetting");
  else if (message.type === "early") void soon(message);
  else if (message.type === "failed") failed(message.diagnostics);
  else if (message.type === "places") placesCame(message);
  else void pages(message);
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

function making(what: string): void {
  find("making").textContent = what;
  find("making").hidden = false;
}

/** Show pages that may still be set anew; their texts can't be chosen yet. */
async function soon(message: Early): Promise<void> {
  const title = tabs.current?.title ?? message.document.name;
  if (!(await view.show(message.pages, title)) || !same(message.document, shown)) return;
  making(message.finished ? "Typesetting" : "Fitting the pages");
  editor.change({ effects: setPlaces.of([]) });
  view.place([]);
}

async function pages(message: Pages): Promise<void> {
  const title = tabs.current?.title ?? message.document.name;
  if (!(await view.show(message.pages, title)) || !same(message.document, shown)) return;
  shownRevision = message.revision;
  quiet.forget("pages");
  current();
  find("page-count").textContent = counted(message.pages.length, "page");
  problems.pages(message.document, message.notes);
  drawer.leftOut(message.left_out, toLine);
  draft.forget(Math.min(message.revision, languages.revision));
  languages.refresh();
  styles.edited();
  match.refresh();
  if (application.about.slug) void packet.refresh();
  if (early) placesCame(early);
}

/** Let the texts of the pages be chosen, as soon as these pages are shown. */
function placesCame(message: Places): void {
  early = message.revision === shownRevision ? null : message;
  if (early) return;
  editor.change({ effects: setPlaces.of(placed(message.places, draft.since(message.revision))) });
  view.place(editor.view.state.field(places));
  highlight(false);
  item();
  find("pages").dataset["revision"] = String(message.revision);
}

function failed(diagnostics: Diagnostic[]): void {
  find("making").hidden = true;
  quiet.say("pages", () => {
    earlier(diagnostics, toLine);
    if (shown) problems.pages(shown, diagnostics);
  });
}

// -- files -------------------------------------------------------------------------------------------

function begin(named: string | null, all: string[]): void {
  first = false;
  const name = wished();
  const found = name !== null && name !== "/" && (all.includes(name) ? name : named);
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
  for (let turn = 0; turn < 100 && draft.unsaved; turn += 1) await new Promise((done) => setTimeout(done, 50));
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
  void form.settled().then(() => open(name));
}

function open(name: string): void {
  if (draft.open(name)) return;
  start.hide();
  tell("First choose what to do with the text that isn't saved.");
  find("conflict-mine").focus();
}

function newFile({ about, path }: Opened): void {
  start.hide();
  application.show(about);
  editor.markdown = about.kind === "letter";
  form.views.only(editor.markdown);
  people.show(draft.person, about.kind === "person" ? null : { title: about.title ?? "", path });
  packet.forget();
  styles.close();
  languages.forget(about.kind === "person");
  newAddress();
  shown = null;
  withPrivate = false;
  forgetPages();
  problems.text([]);
  review.forget();
  drawer.leftOut([], toLine);
  form.opened();
  if (fresh === draft.person) form.begin();
  fresh = "";
  sameSide();
  if (form.views.view !== "form") editor.view.focus();
}

function newAddress(): void {
  const address = `#${encodeURIComponent(draft.person)}`;
  if (location.hash === START) window.history.pushState(null, "", address);
  else if (location.hash !== address) window.history.replaceState(null, "", address);
}

function forgetPages(): void {
  shownRevision = -1;
  early = null;
  view.clear();
  find("earlier").hidden = true;
  find("making").hidden = false;
  find("page-count").textContent = "";
  editor.change({ effects: setPlaces.of([]) });
}

function connected(now: State): void {
  if (now === "open" && !known) void schema();
  // A tab with a text goes on with it; its state says what to do.
  const stranger = now === "refused" && !draft.person;
  if (stranger || !start.shown) for (const id of ["top", "work"]) find(id).hidden = stranger;
  if (stranger) find("start").hidden = true;
  find("stranger").hidden = !stranger;
  shownRevision = -1;
  find("making").hidden = true;
  draft.connected(now);
}

function state(saving: Saving): void {
  conflict.show(saving.state === "conflict" ? saving.theirs : null);
  form.offline(saving.state === "offline" && draft.person ? "cvbuild serve doesn’t answer. Write in the text: it is kept here." : null);
  const said = draft.person ? inWords(saving) : "";
  const box = find("state");
  box.textContent = said;
  box.className = saving.state;
  find("save-again").hidden = saving.state !== "failed";
  const now = saving.state === "saved" || saving.state === "saving" ? "" : said;
  if (now !== trouble && (now || saving.state === "saved")) {
    find("aloud").textContent = now || "Saved";
    trouble = now;
  }
}

// -- documents ---------------------------------------------------------------------------------------

function documents(all: Described[]): void {
  if (!all.length) return;
  tabs.set(all);
  const known = all.some(({ document }) => shown && same(document, { ...shown, private: document.private, locale: document.locale }));
  const picked = all.some((one) => one.picked && shown && same(one.document, { ...shown, private: one.document.private, locale: one.document.locale }));
  if (!known || (guessed && !picked)) {
    choose((all.find(({ picked }) => picked) ?? all[0]!).document);
    // A broken file picks nothing: look again when it is mended.
    guessed = !all.some((one) => one.picked);
  }
  options.show(tabs.current);
  styles.update();
  form.printed(tabs.current);
  languages.own(tabs.current?.language ?? null);
}

function choose(document: Document): void {
  const next = { ...document, private: withPrivate, locale: document.locale ?? languages.chosen };
  if (same(next, shown)) return;
  shown = next;
  tabs.select(document);
  options.show(tabs.current);
  form.printed(tabs.current);
  languages.own(tabs.current?.language ?? null);
  problems.only(next);
  forgetPages();
  show();
}

function show(): void {
  if (shown && draft.settled) connection.send({ type: "show", document: shown, scale: view.scale });
}

function request(): Record<string, unknown> | null {
  return shown && { person: draft.person, text: editor.text, document: shown };
}

// -- jumps -------------------------------------------------------------------------------------------

function fromPage(place: Placed): void {
  const now = editor.view.state.field(places).find((one) => one.page === place.page && one.box.join() === place.box.join());
  const { from, to } = now ?? place;
  styles.close();
  showPane(form.views.view === "text" ? "text" : "form");
  if (form.views.view === "text") editor.jump(from, to);
  else form.reveal(lineOf(from));
}

/** Return where a diagnostic is in the text that is there now; null if it has no place. */
function placeOf(diagnostic: Diagnostic): { from: number; to: number } | null {
  return draft.now(diagnostic, told.get(diagnostic) ?? draft.revision);
}

function toLine(diagnostic: Diagnostic): void {
  const place = placeOf(diagnostic);
  if (!place) return;
  styles.close();
  if (form.views.view === "form") {
    showPane("form");
    return form.reveal(lineOf(place.from));
  }
  showPane("text");
  editor.jump(place.from);
}

/** Show where something is, and let the focus be. */
function look(diagnostic: Diagnostic): void {
  const place = placeOf(diagnostic);
  if (place) markLine(lineOf(place.from));
}

function goTo(line: number): void {
  const { doc } = editor.view.state;
  styles.close();
  if (form.views.view === "form") form.views.show("text");
  showPane("text");
  editor.jump(doc.line(Math.min(line, doc.lines)).from);
}

function toPage(): void {
  showPane("pages");
  view.focus();
}

function lineOf(offset: number): number {
  const { doc } = editor.view.state;
  return doc.lineAt(Math.min(offset, doc.length)).number;
}

/** Put the cursor of the text on the line of the field that has focus. */
function markLine(number: number): void {
  const { doc } = editor.view.state;
  const { to } = doc.line(Math.min(number, doc.lines));
  editor.change({ selection: { anchor: to }, scrollIntoView: form.views.view !== "form", userEvent: "select.field" });
}

/** Mark the item that the form shows, in the text and on the pages. */
function beside(lines: [number, number] | null): void {
  const { doc } = editor.view.state;
  const range = lines && { from: doc.line(Math.min(lines[0], doc.lines)).from, to: doc.line(Math.min(lines[1], doc.lines)).to };
  const before = editor.view.state.field(itemRange);
  const effects: StateEffect<unknown>[] = [setItem.of(range)];
  if (range && range.from !== before?.from && form.views.view === "both") effects.push(EditorView.scrollIntoView(range.from, { y: "start", yMargin: 24 }));
  editor.change({ effects });
  item();
}

function item(): void {
  const range = editor.view.state.field(itemRange);
  const own = range ? editor.view.state.field(places).filter((one) => one.from >= range.from && one.to <= range.to) : [];
  view.beside(form.views.view === "text" ? [] : own);
}

/** Where one side has room, show the one that is chosen; pages stay. */
function sameSide(): void {
  if (find("work").dataset["pane"] !== "pages") showPane(form.views.view === "text" ? "text" : "form");
}

function showSide(which: "text" | "form"): void {
  form.views.show(which);
  showPane(which);
}

/** From the text to the form and back, to the same value. */
function across(): void {
  if (form.focusedHere) {
    const { line } = form;
    if (form.views.view === "form") form.views.show("text");
    showPane("text");
    if (line === null) editor.view.focus();
    else editor.jump(editor.view.state.doc.line(Math.min(line, editor.view.state.doc.lines)).to);
    return;
  }
  const line = lineOf(editor.view.state.selection.main.head);
  if (form.views.view === "text") form.views.show("form");
  showPane("form");
  form.reveal(line);
}

let waiting = 0;

function moved(following: boolean): void {
  cancelAnimationFrame(waiting);
  waiting = requestAnimationFrame(() => highlight(!following));
  quiet.moved();
}

function highlight(scroll: boolean): void {
  const { state: now } = editor.view;
  const { head } = now.selection.main;
  view.highlight(placesAt(now.field(places), head, now.doc.lineAt(head)), scroll && (editor.view.hasFocus || form.focusedHere || drawer.focused));
}

// -- the rest ----------------------------------------------------------------------------------------

let silence = 0;

/** Say what happened; at the start only what is wrong is said. */
function tell(said: string, wrong = true): void {
  find("notice").textContent = said;
  if (wrong || !start.shown) find("start-notice").textContent = wrong ? said : "";
  clearTimeout(silence);
  silence = window.setTimeout(() => (find("notice").textContent = ""), 8000);
}

find("pane-text").onclick = () => showSide("text");
find("pane-form").onclick = () => showSide("form");
document.addEventListener("keydown", (event) => {
  if (event.key !== "F2" || find("work").hidden || find("views-bar").hidden) return;
  event.preventDefault();
  across();
});
document.addEventListener("keydown", (event) => {
  // Where nothing is typed, undo is that of the file: the focus may be nowhere.
  const target = event.target as HTMLElement;
  const letter = event.key.toLowerCase();
  if (!(event.ctrlKey || event.metaKey) || !["z", "y"].includes(letter) || event.defaultPrevented || find("work").hidden) return;
  if (target.closest("input:not([type=checkbox]), textarea, dialog, #editor")) return;
  event.preventDefault();
  const again = letter === "y" || event.shiftKey;
  if (form.views.view === "text") (again ? redo : undo)(editor.view);
  else form.undo(again);
});
NARROW.addEventListener("change", sameSide);
find("save-again").onclick = save;
find<HTMLInputElement>("private").onchange = (event) => {
  withPrivate = (event.target as HTMLInputElement).checked;
  if (shown) choose({ ...shown, private: withPrivate });
};
find("people-start").onclick = toStart;
find("keys-button").onclick = () => find<HTMLDialogElement>("keys").showModal();
find("keys-close").onclick = () => find<HTMLDialogElement>("keys").close();
window.addEventListener("hashchange", () => {
  const name = wished();
  if (!name || name === "/") showStart();
  else if (name !== draft.person || start.shown) openPerson(name);
});
window.addEventListener("beforeunload", (event) => {
  void form.settled();
  draft.save();
  if (draft.unsaved || !form.idle) event.preventDefault();
});

async function schema(): Promise<void> {
  try {
    const found = (await (await get("/schema.json")).json()) as Schema;
    editor.use(found);
    download.use(found);
    known = true;
  } catch {
    tell("Nothing is completed here: the schema can't be read; reload the page.");
  }
}
