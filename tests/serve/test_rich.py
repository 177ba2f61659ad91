"""Fields of prose in Chromium: what is bold, italic and a link looks so, and what is written."""

from __future__ import annotations

import random

from browsers import has_no_fault
from playwright.sync_api import Locator, expect
from serve.desks import FORMED, Desk, paste

from cvbuild.model.text import rich_text
from cvbuild.model.text.rich_text import Code, Link, Node, Span, Text

WORDS = ("scheduler", "in", "Python", "Zürich", "M.", "10%", "C++", "snake_case", "2^8", "粗体")
MARKS = (
    "**{}**", "*{}*", "***{}***", "_{}_", "[{}](https://example.org/a_b?q=(1)&r)", "`{}`",
    "**{} *word***", "*{} **word***", "[**{}**](mailto:a@example.org)", "{} x^2^", "{} H~2~O",
    "{} \\* 2 * 3", "(*{}*)", "<https://example.org/{}>",
)  # fmt: skip


def seen(box: Locator) -> str:
    found: str = box.evaluate('box => box.innerHTML.replace(/ (href|title)="[^"]*"/g, \'\')')
    return found


def bullet(form: Desk, number: int) -> Locator:
    form.part("sections.0.items.0")
    row = form.page.get_by_label(f"Bullet {number} of 3")
    row.click()
    form.page.keyboard.press("End")
    return row


def styles(nodes: tuple[Node, ...], outside: frozenset[str] = frozenset()) -> list[object]:
    found: list[object] = []
    for node in nodes:
        if isinstance(node, Text):
            found += [(character, outside) for character in node.text]
        elif isinstance(node, Code):
            found += [(character, outside) for character in f"`{node.text}`"]
        elif isinstance(node, Span) and node.style in ("sup", "sub"):
            sign = Text("^" if node.style == "sup" else "~")
            found += styles((sign, *node.children, sign), outside)
        elif isinstance(node, Span):
            found += styles(node.children, outside | {"B" if node.style == "strong" else "I"})
        elif isinstance(node, Link):
            found += styles(node.children, outside | {"A"})
    return found


def test_bold_and_italic_by_keys_and_by_the_bar(form: Desk) -> None:
    page, before = form.page, form.written()
    form.part("sections.0.items.0")
    row = page.get_by_label("Bullet 3 of 3")
    bar = row.locator("xpath=ancestor::*[@data-name][1]").locator(".marks")
    expect(bar).to_be_hidden()
    row.click()
    page.keyboard.press("End")
    page.keyboard.type(" in ")
    page.keyboard.press("ControlOrMeta+b")
    expect(bar.get_by_label("Bold")).to_have_attribute("aria-pressed", "true")
    page.keyboard.type("two words")
    page.keyboard.press("ControlOrMeta+b")
    page.keyboard.type(" and ")
    bar.get_by_label("Italic").click()
    page.keyboard.type("C++")
    bar.get_by_label("Italic").click()
    page.keyboard.type(": 2*3 *x")
    expect(row).to_be_focused()
    assert seen(row) == "Mentored two in <b>two words</b> and <i>C++</i>: 2*3 *x"
    # What would be a mark, and isn't meant as one, is escaped.
    typed = "Mentored two in **two words** and *C++*: 2\\*3 \\*x"
    form.becomes(before.replace("- Mentored two", f"- '{typed}'"))
    form.shows("Mentored two in two words")
    # The word at the cursor, or part of it, is marked from end to end; once more takes it away.
    page.keyboard.press("Home")
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("ControlOrMeta+b")
    form.has("'**Mentored** two in")
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("ControlOrMeta+i")
    form.has("'***Mentored*** two in")
    page.keyboard.press("ControlOrMeta+i")
    form.has("'**Mentored** two in")
    page.keyboard.press("ControlOrMeta+z")
    form.becomes(before)
    expect(row).to_have_text("Mentored two")
    # What is no prose has no bar.
    form.part("")
    email = page.get_by_label("E-mail 1 of 1")
    email.click()
    page.keyboard.press("ControlOrMeta+b")
    expect(email).to_have_value("ada@example.org")
    expect(email.locator("xpath=ancestor::*[@data-name][1]").locator(".marks")).to_have_count(0)


def test_a_link_is_set_changed_and_taken_away(form: Desk) -> None:
    page = form.page
    row = bullet(form, 1)
    page.keyboard.press("ControlOrMeta+Shift+ArrowLeft")
    page.keyboard.press("ControlOrMeta+k")
    address = page.locator(".linking input:visible")
    expect(address).to_be_focused()
    page.keyboard.type("javascript:alert(1)")
    page.keyboard.press("Enter")
    expect(row.locator("a")).to_have_count(0)
    page.keyboard.press("ControlOrMeta+k")
    page.keyboard.type("https://example.org")
    page.keyboard.press("Escape")
    page.keyboard.press("ControlOrMeta+k")
    page.keyboard.type("https://example.org/a (b)")
    page.keyboard.press("Enter")
    expect(row).to_be_focused()
    expect(row.locator("a")).to_have_text("Python")
    form.has("scheduler in [Python](https://example.org/a%20%28b%29)\n")
    # What is typed behind it isn't of it; what is typed in it is.
    page.keyboard.type(" 3")
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
    page.keyboard.type("o")
    form.has("[Pythoon](https://example.org/a%20%28b%29) 3\n")
    page.keyboard.press("ControlOrMeta+k")
    expect(address).to_have_value("https://example.org/a%20%28b%29")
    has_no_fault(page)
    address.fill("example.org")
    form.field("Title").click()
    form.has("[Pythoon](example.org) 3\n")
    expect(form.field("Title")).to_be_focused()
    row.locator("a").click()
    page.keyboard.press("ControlOrMeta+k")
    page.locator(".linking button:visible").click()
    form.has("scheduler in Pythoon 3\n")
    page.keyboard.press("End")
    page.keyboard.type(" and ")
    page.keyboard.press("ControlOrMeta+k")
    page.keyboard.type("https://a.example")
    page.keyboard.press("Enter")
    page.keyboard.type(", List<int>")
    form.has("Pythoon 3 and [https://a.example](https://a.example), List<int>\n")


def test_a_row_is_parted_and_joined_within_bold_words(form: Desk) -> None:
    page = form.page
    bold = FORMED.replace("Mentored two", "Mentored **two good people** well")
    form.file.write_text(bold, "utf-8")
    form.part("sections.0.items.0")
    row = page.get_by_label("Bullet 3 of 3")
    expect(row.locator("b")).to_have_text("two good people")
    row.click()
    page.keyboard.press("Home")
    for _ in range(len("Mentored two")):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    form.has("- Mentored **two**\n          - '**good people** well'\n")
    page.keyboard.press("Backspace")
    form.has("- Mentored **two** **good people** well\n")
    page.keyboard.type("s")
    form.has("- Mentored **twos** **good people** well\n")


def test_what_may_be_read_in_several_ways_is_seen_as_it_is_written(form: Desk) -> None:
    page = form.page
    unsure = "Mentored **two *good** people*"
    form.file.write_text(FORMED.replace("Mentored two", unsure), "utf-8")
    form.part("sections.0.items.0")
    row = page.get_by_label("Bullet 3 of 3")
    expect(row).to_have_text(unsure)
    row.click()
    expect(row).to_have_class("as-written")
    page.keyboard.press("End")
    page.keyboard.type("!")
    form.has(f"- {unsure}!\n")


def test_what_is_pasted_is_its_words(form: Desk) -> None:
    page, before = form.page, form.written()
    bullet(form, 3)
    html = '<b> with great</b> <a href="javascript:x">care</a> <i>*always*</i>'
    paste(page, " with great care *always*\n", html)
    # Of lines, this field has one; what would be a mark is escaped.
    marked = "Mentored two with great care \\*always\\*"
    form.becomes(before.replace("Mentored two", marked))


def test_an_input_method_is_left_alone(form: Desk) -> None:
    page, before = form.page, form.written()
    row = bullet(form, 3)
    page.keyboard.type(" ")
    page.keyboard.press("ControlOrMeta+b")
    devtools = page.context.new_cdp_session(page)
    for text in ("k", "か", "かん"):
        devtools.send(
            "Input.imeSetComposition",
            {"text": text, "selectionStart": len(text), "selectionEnd": len(text)},
        )
        page.wait_for_timeout(250)
    # The file changes meanwhile, below what is composed.
    form.file.write_text(before.replace("Labs", "Other Labs"), "utf-8")
    page.wait_for_timeout(500)
    assert "かん" in row.inner_text()
    devtools.send("Input.insertText", {"text": "漢字"})
    form.has("Mentored two **漢字**", "Other Labs")
    expect(row).to_have_text("Mentored two 漢字")


def test_what_nobody_edits_is_written_as_it_was(form: Desk) -> None:
    page, random_ = form.page, random.Random(20261129)
    texts = []
    for _ in range(200):
        parts = [
            random_.choice(MARKS).format(" ".join(random_.choices(WORDS, k=random_.randint(1, 3))))
            if random_.random() < 0.7
            else random_.choice(WORDS)
            for _ in range(random_.randint(1, 6))
        ]
        texts.append(random_.choice((" ", ", ", "\n")).join(parts))
    places = [random_.random() for _ in texts]
    found = page.evaluate(
        """([texts, places]) => texts.map((text, at) => {
            const box = document.createElement("rich-text");
            box.contentEditable = "plaintext-only";
            box.ariaMultiLine = "true";
            document.body.append(box);
            box.value = text;
            const [same, written, seen] = [box.value, box.asWritten, []];
            const walker = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
            while (walker.nextNode()) {
                const node = walker.currentNode, marks = [];
                let up = node;
                while ((up = up.parentNode) !== box) marks.push(up.tagName);
                for (const character of node.data) seen.push([character, marks]);
            }
            box.focus();
            const place = Math.floor(places[at] * box.textContent.length);
            box.setSelectionRange(place, place);
            document.execCommand("insertText", false, "x");
            const typed = box.value;
            box.remove();
            return {same, written, seen, typed};
        })""",
        [texts, places],
    )
    assert [one["same"] for one in found] == texts
    as_written = 0
    for text, one in zip(texts, found, strict=True):
        as_written += one["written"]
        if not one["written"]:
            shown = [(character, frozenset(marks)) for character, marks in one["seen"]]
            assert shown == styles(rich_text.parse(text)), text
        # The letter is new, and perhaps a backslash beside it.
        start = next((at for at, sign in enumerate(text) if one["typed"][at] != sign), len(text))
        rest = one["typed"][start:]
        assert rest.endswith(text[start:].removeprefix("*")), one["typed"]
        assert len(one["typed"]) <= len(text) + 2, one["typed"]
    # Few have several marks in a row, which may be read in another way.
    assert as_written < len(texts) / 4
