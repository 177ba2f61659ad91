"""A PDF that somebody else made is refused or read: in time, in memory, without a traceback."""

from __future__ import annotations

import io
import re
from pathlib import Path

import deep
import pikepdf
import pytest
from attacks.table import harmless
from conftest import Run
from foreign_pdfs import BAD, LARGE, ODD, PLAINLY, WHOLE
from samples import sample

from cvbuild.applications.merge_pdf import About, Part, merge
from cvbuild.common import processes
from cvbuild.common.errors import CvbuildError
from cvbuild.importers.documents.pdf import pdfium

ALL = {**BAD, **ODD}
#: Of what takes seconds, one is tried in every run.
SMALL = [name for name in ALL if name not in LARGE]
NAMES = dict.fromkeys([*SMALL, "a page of 1 GB", *sample(list(ALL), 4, "foreign")])


@pytest.mark.parametrize("name", deep.but(SMALL, NAMES))
@pytest.mark.usefixtures("here")
def test_import_refuses_or_reads_it(name: str, run: Run, request: pytest.FixtureRequest) -> None:
    if name in SMALL[2:]:
        request.getfixturevalue("not_apart")
    Path("it.pdf").write_bytes(ALL[name]())
    ran = run("import", "it.pdf", "--as", "Ada Example", "--dry-run")
    harmless(ran, {0, 1})
    assert "it.pdf" in ran.err


@pytest.mark.usefixtures("here")
def test_the_reader_loads_nothing_from_the_working_folder_and_ends_in_time() -> None:
    for name in ("pypdfium2", "json", "cvbuild", "sitecustomize", "usercustomize"):
        Path(f"{name}.py").write_text("open('owned', 'w')\n", encoding="utf-8")
    assert "refused" not in processes.call_apart(pdfium.__name__, "child", WHOLE)
    assert not Path("owned").exists()
    with pytest.raises(processes.FailedError, match=r"took over 0\.01 s to read"):
        processes.call_apart(pdfium.__name__, "child", WHOLE, 0.01)


#: What nothing in a packet may do.
ACTS = re.compile(rb"/(?:OpenAction|JavaScript|JS|Launch|SubmitForm|XFA|EmbeddedFiles|AA)\b")


@pytest.mark.parametrize("name", deep.but(SMALL, NAMES))
def test_an_attachment_is_refused_or_cleaned(name: str, tmp_path: Path) -> None:
    part = Part("It", ALL[name](), "it.pdf")
    try:
        merged = merge([Part("Good", WHOLE, "good.pdf"), part], About("Ada", "Packet", "en", 0))
    except CvbuildError as error:
        messages = [item.message for item in error.diagnostics]
    else:
        with pikepdf.open(io.BytesIO(merged.content)) as pdf:
            pdf.save(tmp_path / "plain.pdf", object_stream_mode=PLAINLY)
        assert not ACTS.search((tmp_path / "plain.pdf").read_bytes())
        return
    assert all("it.pdf" in message for message in messages)
