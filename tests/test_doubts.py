"""The comments of an import are found where they are comments, and nowhere else."""

from __future__ import annotations

from cvbuild.inputs.yaml import doubts, writer

TEXT = f"""\
# {writer.MARKED}
name: Ada Example
headline: Engineer  # ?
summary: >-  # ?
  One # ? of many,
  # ? and no home: here
contact:
  address: "a # ? b"  # ? "Ogdenville"
sections:
  - kind: award
    items:
      # ? row 2
      - title: Prize
        date: 2024
      # no home: row 2, column 3: "€1,200", which is
      # told in two lines
      # no home: a picture
      - |
        # ? text
  - kind: skill
    items:
      # ?
      - Rust  # a comment of the person
# no home, and told when this was imported: 3 more
"""


def test_a_comment_is_no_longer_than_a_line() -> None:
    """With the sign and the most indentation before it."""
    words = ["x" * 80, "y" * 3]
    assert writer.comment_lines(" ".join(words)) == [" ".join(words)]
    assert writer.comment_lines(" ".join(words) + "z") == [words[0], f"{words[1]}z"]


def test_guesses_and_losses_are_found_with_their_places() -> None:
    found = doubts.find(TEXT)
    lines = TEXT.split("\n")
    told = []
    for one in found:
        (row, column), (end_row, end_column) = one.begin, one.end
        cut = [*lines[row - 1 : end_row]]
        cut[-1] = cut[-1][: end_column - 1]
        cut[0] = cut[0][column - 1 :]
        value = ""
        if one.value:
            row, column, _, end_column = one.value
            value = lines[row - 1][column - 1 : end_column - 1]
        told.append((one.kind, one.words, one.key, cut[0][:12], value))
    assert told == [
        ("guess", "", "headline", "# ?", "Engineer"),
        ("guess", "", "summary", "# ?", ""),
        ("guess", '"Ogdenville"', "address", '# ? "Ogdenvi', '"a # ? b"'),
        ("guess", "row 2", "", "# ? row 2", "Prize"),
        ("lost", 'row 2, column 3: "€1,200", which is told in two lines', "", "# no home: r", ""),
        ("lost", "a picture", "", "# no home: a", ""),
        ("guess", "", "", "# ?", "Rust"),
        ("lost", "and told when this was imported: 3 more", "", "# no home, a", ""),
    ]


def test_what_is_written_with_marks_is_found_again() -> None:
    data = {
        "name": "Ada",
        "sections": [{"kind": "skill", "items": [{"name": "R", "date": "2020"}]}],
    }
    paths = [("name",), ("sections", 0, "items", 0), ("sections", 0, "items", 0, "date")]
    marks = dict.fromkeys(paths, "")
    text = writer.write(data, {("sections", 0): [f"{writer.LOSS}: x"]}, "# first", marks)
    assert [(one.kind, one.key) for one in doubts.find(text)] == [
        ("guess", "name"),
        ("lost", ""),
        ("guess", ""),
        ("guess", "date"),
    ]


def test_a_text_without_them_or_that_is_no_yaml_has_none() -> None:
    assert doubts.find("name: Ada # why\n") == []
    assert doubts.find("name: [Ada  # ?\n") == []
