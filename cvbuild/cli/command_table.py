"""The commands: each one's line in the help, its arguments and their defaults."""

from __future__ import annotations

from cvbuild.cli.arguments import (
    Command,
    argument,
    flag,
    group,
    names,
    number,
    one_of,
    person,
    several,
)

SHELLS = ("bash", "zsh", "fish", "powershell")
#: The files that have a JSON Schema.
_SCHEMAS = ("person", "application", "workspace")

# -- arguments that several commands have -------------------------------------------------------

A_PERSON = "a file's name in people/ without .yaml, or a path"
AN_APPLICATION = "a file's name in applications/ without .yaml"
_PRINTED = "for scripts: print one JSON object on stdout, and nothing else there"


PEOPLE = argument("people PERSON", f"{A_PERSON}; all if none is given", nargs="*")
JSON = flag("--json", _PRINTED)
REPORTS = (
    flag("--github", "also annotate the lines of a pull request, in GitHub Actions"),
    flag("--mail", "also write a draft to each person about that person's files: out/mail/errors/"),
)
TEMPLATE_PATH = several(
    "--template-path DIR",
    "look for templates in this folder first, then in templates/, then among the built-in ones",
)
LISTED = (JSON, TEMPLATE_PATH)
LOCALE = argument("--locale TAG", "in another language than the document's: de, pt-BR")
LOCALES = argument("--locale TAGS", "in another language than the document's, or in several: en,de")
SET = several(
    "--set KEY=VALUE",
    'change something for this time only: headline="Data engineer", '
    "limit.publication=5, options.accent=burgundy, or another key of a variant",
)
JOBS = argument(
    "-j, --jobs N",
    "how many documents to build at once; as many as there are cores by default",
    type=number(1, 1024, "a number from 1 to 1024"),
)
TIMEOUT = argument(
    "--timeout SECONDS",
    "give up a document that takes longer, by itself or in one run of TeX; 60 by default",
    type=number(1e-9, 86400, "seconds, more than 0 and at most 86400", float),
    default=60.0,
)
# An empty one stands for out/ at the workspace's top.
OUT = argument("-o, --out DIR", "the output folder, by default out", default="")
QUIET = flag("-q, --quiet", "print errors and warnings only")
ENGINE = argument(
    "--engine",
    "which TeX makes the PDFs: auto (the default) takes the embedded one, else the system's",
    choices=("auto", "pdflatex", "embedded"),
    default="auto",
)
HOW_TO_BUILD = (ENGINE, JOBS, TIMEOUT, OUT, QUIET, *LISTED)
NO_OPEN = argument(
    "--no-open", "don't show the page in the browser", dest="open", action="store_false"
)
ONE_DOCUMENT = one_of(
    argument("--variant VARIANT", "a document that the person's file defines"),
    argument("-t, --template TEMPLATE", "instead of the one that the person picked"),
)
#: What ``build``, ``watch`` and ``status`` share.
WHICH = group(
    "which documents",
    PEOPLE,
    one_of(
        several(
            "-t, --template TEMPLATE",
            "a template to use instead of those that the person picked; several: -t plain,grid",
            type=names,
        ),
        flag("--all-templates", "use every template"),
        several(
            "--variant VARIANT",
            "a document under `variants` of the person's file; several: --variant short,long",
            type=names,
        ),
    ),
    several("-f, --format FORMAT", "pdf, html, docx, …; several: --format pdf,txt", type=names),
)
PRIVATE = flag("--private", "also show what is private, in files of their own: NAME.private.pdf")
SHOWN = ("what they show", LOCALES, PRIVATE, SET)
HOW = (
    "how they are made (the defaults do for most)",
    ENGINE,
    argument(
        "--driver",
        "what runs TeX: the program latexmk, or cvbuild itself (direct); auto (the default) "
        "is direct, and quicker after an edit",
        choices=("auto", "latexmk", "direct"),
        default="auto",
    ),
    TEMPLATE_PATH,
)


#: Each command by its name, in the order of the help.
COMMANDS: dict[str, Command] = {
    "init": Command(
        "make a workspace: people/, applications/, a Makefile, .gitignore",
        argument("folder DIR", "the folder to make"),
        flag("--agents", "also write AGENTS.md and a skill: how programs may work on the files"),
        runs="manual.init",
    ),
    "new": Command(
        "write a commented file to start from: for a person, an application, a template",
        argument("name NAME", 'a person\'s name: "Ada Example"', nargs="*"),
        argument("--application NAME", "begin an application: applications/NAME.yaml"),
        argument("--person PERSON", "with --application: who applies, if there are several"),
        argument("--template NAME", "begin a template of your own: templates/NAME/"),
        argument("--extends TEMPLATE", "with --template: what it changes", default="academic"),
        runs="manual.new",
        usage="cvbuild new NAME | --application NAME | --template NAME [OPTION ...]",
        examples="""\
examples:
  cvbuild new "Ada Example"
  cvbuild new --application example-lab --person ada-example
  cvbuild new --template mine --extends one-page
""",
    ),
    "import": Command(
        "write a person's file from a CV in another format",
        argument("files FILE", "a CV in another format, or a folder; several are one", nargs="+"),
        flag("--each", "write a person's file for each FILE, or for each file in a folder"),
        argument("--as NAME", "whose CV it is; by default as the file says", dest="person"),
        argument("--from FORMAT", "its format; by default by its content", dest="source"),
        flag("--merge", "add to the file that is there; change nothing in it"),
        flag("--yes", "with --merge: write without asking"),
        flag("--dry-run", "print what would be written, and write nothing"),
        flag("--strict", "exit with 1 if anything was guessed, lost, or is probably wrong"),
        JSON,
        TEMPLATE_PATH,
        runs="import_file.run",
    ),
    "serve": Command(
        "edit a CV in the browser, beside its pages",
        argument("person PERSON", f"{A_PERSON}; others can be chosen in the page", nargs="?"),
        argument(
            "--port N",
            "the port; a free one by default",
            type=number(0, 65535, "a number from 1 to 65535, or 0 for a free one"),
            default=0,
        ),
        NO_OPEN,
        ENGINE,
        TIMEOUT,
        TEMPLATE_PATH,
        runs="watch.serve",
    ),
    "watch": Command(
        "rebuild CVs whenever their files are saved",
        WHICH,
        group("what they show", LOCALE, PRIVATE),
        group(*HOW, JOBS, TIMEOUT),
        group("output", OUT, flag("--json", "print one JSON object a line, as things happen")),
        usage="cvbuild watch [PERSON ...] [OPTION ...]",
        examples="""\
examples:
  cvbuild watch                          everybody
  cvbuild watch ada-example -t academic  one document, built as soon as you save
""",
    ),
    "gallery": Command(
        "show a person's CV in every style, to choose one",
        argument("person PERSON", f"{A_PERSON}; not needed for a single person", nargs="?"),
        NO_OPEN,
        LOCALE,
        *HOW_TO_BUILD,
        runs="pages.gallery",
    ),
    "templates": Command(
        "list the templates and their options",
        argument("templates TEMPLATE", "a template's name; all if none is given", nargs="*"),
        TEMPLATE_PATH,
        runs="manual.templates",
    ),
    "build": Command(
        "build people's CVs",
        WHICH,
        group(*SHOWN),
        group(
            *HOW,
            one_of(
                JOBS,
                argument("--cluster ADDRESS", "build on many machines: cvbuild docs cluster"),
            ),
            flag("--force", "build everything again, which no edit needs"),
            TIMEOUT,
        ),
        group("output", OUT, JSON, *REPORTS, QUIET),
        usage="cvbuild build [PERSON ...] [OPTION ...]",
        examples="""\
examples:
  cvbuild build                          everybody, with the templates that they picked
  cvbuild build ada-example -t industry  one person, one template
  cvbuild build ada-example --variant short --set headline="Data engineer"
  cvbuild build --format pdf,txt         PDFs, and plain text for web forms
  cvbuild build --json > report.json     for scripts
""",
    ),
    "site": Command(
        "build a web site of all people, with their CVs",
        PEOPLE,
        argument("--title TITLE", "the name of the site: Systems Group", default=""),
        argument("-t, --template TEMPLATE", "the template of every page, not each person's first"),
        LOCALE,
        *HOW_TO_BUILD,
        runs="pages.site",
    ),
    "apply": Command(
        "build everything that goes out with an application",
        argument("slugs NAME", AN_APPLICATION, nargs="*"),
        flag("--all", "all applications"),
        flag("--sent", "also keep a read-only copy of what you send in applications/sent/"),
        ENGINE,
        TIMEOUT,
        OUT,
        QUIET,
        *LISTED,
        runs="applications.apply",
    ),
    "status": Command(
        "list all documents: up to date or why not, pages, date",
        flag("--why", "tell of each document why it would be built again"),
        flag("--csv", "print the table as CSV, for spreadsheets"),
        flag("--tidy", "delete documents that were built and are not listed any more"),
        WHICH,
        group(*SHOWN),
        group(*HOW),
        group("output", OUT, JSON),
        usage="cvbuild status [PERSON ...] [OPTION ...]",
        examples="""\
examples:
  cvbuild status                         all documents
  cvbuild status ada-example --why       what changed since hers were built
""",
    ),
    "show": Command(
        "list what a document shows, what it leaves out, and why",
        argument("person PERSON", A_PERSON),
        ONE_DOCUMENT,
        flag("--private", "also show what is private"),
        SET,
        LOCALE,
        TEMPLATE_PATH,
        runs="status.show",
    ),
    "check": Command(
        "validate people's files and applications, without building",
        argument(
            "people PERSON",
            f"{A_PERSON}, also of an application; everybody if none is given",
            nargs="*",
        ),
        argument(
            "--facts FILE|REVISION",
            "also list the numbers, names, dates, degrees and words of scope that an older file, "
            "or a revision of git, doesn't have",
        ),
        *REPORTS,
        *LISTED,
    ),
    "diff": Command(
        "list what differs between two versions of a person's file, or of what was sent",
        argument(
            "first A",
            "a person, PERSON@REVISION of git, or an application that was sent",
            type=person,
        ),
        argument(
            "second B",
            "the other one; by default A as it is now, and for a person alone the last commit "
            "before it",
            nargs="?",
            type=person,
        ),
        argument("--variant V[,W]", "compare what a variant shows, or two of them"),
        argument("--locale TAG[,TAG]", "compare the texts in a language, or in two"),
        flag("--html", "print the list as a page of HTML"),
        flag("--pdf", "also write B's pages with the changes marked: out/PERSON-NAME-changes.pdf"),
        OUT,
        *LISTED,
        examples="""\
examples:
  cvbuild diff ada-example               since the last commit
  cvbuild diff ada-example@HEAD~3        since three commits before
  cvbuild diff example-lab               since the application was sent
  cvbuild diff ada-example --variant short,long
""",
    ),
    "sync": Command(
        "add the publications that Crossref, DBLP, OpenAlex and ORCID list and a file lacks",
        argument("person PERSON", A_PERSON),
        flag("--yes", "add all of it without a question"),
        flag("--dry-run", "list what could be added, and write nothing"),
        argument("--server ADDRESS", "for tests: ask http://127.0.0.1:PORT in place of all four"),
        *LISTED,
        examples="""\
examples:
  cvbuild sync ada-example --dry-run     what is new
  cvbuild sync ada-example               ask about each work, then write
  cvbuild docs sync                      what is asked for, and what is added
""",
    ),
    "apply-patch": Command(
        "show changes of a person's file that somebody proposes, and write them if you agree",
        argument("patch FILE", "the changes, as JSON"),
        flag("--yes", "write them without a question"),
        *LISTED,
        examples="""\
examples:
  cvbuild apply-patch shorter.json       show, ask, write
  cvbuild docs patches                   what a patch is
""",
        runs="diff.apply_patch",
    ),
    "mcp": Command(
        "let an agent read, propose, check, build and look: a server of the Model Context Protocol",
    ),
    "match": Command(
        "compare a job's advertisement with a document",
        argument("slug NAME", AN_APPLICATION, nargs="?"),
        argument("--person PERSON", f"without an application: {A_PERSON}"),
        ONE_DOCUMENT,
        argument("--job FILE", "the job's advertisement: text or Markdown", required=True),
        argument("--locale TAG", "the advertisement's language; the document's by default"),
        *LISTED,
        runs="applications.compare",
    ),
    "applications": Command(
        "list applications, add notes, verify what was sent",
        JSON,
        actions={
            "note": Command(
                "add a note to an application",
                argument("slug NAME", AN_APPLICATION),
                argument("text TEXT", 'one line, such as "interview: on Friday"'),
            ),
            "verify": Command(
                "check that what was sent is unmodified",
                argument("slugs NAME", f"{AN_APPLICATION}; all if none is given", nargs="*"),
            ),
        },
    ),
    "doctor": Command(
        "list the TeX and fonts found, and what is missing",
        TEMPLATE_PATH,
        runs="manual.doctor",
    ),
    "docs": Command(
        "print a page of the documentation: how to do something, all keys, all options",
        argument(
            "page PAGE", "its name: schema, moving-in; all are listed if none is given", nargs="?"
        ),
        examples="""\
examples:
  cvbuild docs                           the pages and their titles
  cvbuild docs schema                    every key of a person's file
""",
        runs="manual.docs",
    ),
    "schema": Command(
        "print the JSON Schema of a person's file, or of another, for editors",
        argument(
            "--of",
            "which file it describes: a person's (the default), an application, or cvbuild.yaml",
            choices=_SCHEMAS,
            default=_SCHEMAS[0],
        ),
        runs="manual.schema",
    ),
    "completion": Command(
        "print the script that completes arguments in a shell",
        argument("shell SHELL", ", ".join(SHELLS), choices=SHELLS),
        examples="""\
examples:
  cvbuild completion bash > ~/.local/share/bash-completion/completions/cvbuild
  cvbuild completion zsh > ~/.zfunc/_cvbuild       with fpath+=~/.zfunc before compinit in ~/.zshrc
  cvbuild completion fish > ~/.config/fish/completions/cvbuild.fish
  cvbuild completion powershell >> $PROFILE
""",
        runs="manual.completion",
    ),
}
