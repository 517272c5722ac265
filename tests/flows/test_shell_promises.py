"""What the shell offers and says: options of searches, advice to follow, full names, plain text."""

from __future__ import annotations

import re
from email.message import EmailMessage
from pathlib import Path

import pytest

from shisho.bootstrap.library import open_library
from shisho.corpus.readers import media
from shisho.domain.reference import REFERENCE_TYPES
from shisho.domain.task import AskOptions, Sources
from shisho.errors import EmptyCorpus, EngineUnavailable
from tests.flows.conftest import Shell
from tests.flows.smallweb import small_web, way

ENGLISH = {"SHISHO_LANGUAGE": "en"}
NAMES = {
    media.PDF: "PDF",
    media.HTML: "HTML",
    media.DOCX: "DOCX",
    media.PPTX: "PPTX",
    media.XLSX: "XLSX",
    media.EPUB: "EPUB",
    media.RTF: "RTF",
    media.EML: "EML",
    media.IPYNB: "IPYNB",
    media.MARKDOWN: "Markdown",
    media.CSV: "CSV",
    media.TSV: "TSV",
    media.TEXT: "text",
    media.PNG: "PNG",
    media.JPEG: "JPEG",
    media.TIFF: "TIFF",
}


@pytest.mark.parametrize(("priority", "number"), [("high", 10), ("medium", 50), ("low", 90)])
def test_a_search_is_queued_with_its_priority_and_first_page(
    shell: Shell, priority: str, number: int
) -> None:
    shell.environment |= {"SHISHO_WEB": "on"}
    shell("queue", "add", "決定係数", "--priority", priority, "--page", "3", "--json")
    (job,) = shell("jobs", "last", "--json")["jobs"]
    assert (job["priority"], job["input"]["serp_page"]) == (number, 3)


def test_an_unknown_priority_is_refused_with_those_there_are(shell: Shell) -> None:
    done = shell.run("queue", "add", "決定係数", "--priority", "urgent")
    assert done.returncode == 2
    assert all(word in done.stderr for word in ("high", "medium", "low"))


@pytest.mark.parametrize("has_way", [False, True])
@pytest.mark.parametrize("sources", list(Sources))
@pytest.mark.parametrize("web", ["off", "on"])
async def test_an_empty_library_is_not_advised_to_ask_a_web_that_is_off(
    tmp_path: Path, web: str, sources: Sources, has_way: bool
) -> None:
    access = way(small_web([1])) if has_way else None
    messages = []
    async with open_library(home=tmp_path, web=web, web_access=access) as library:
        is_usable = await library.web.is_usable()
        options = AskOptions((), {}, sources, {}, "")
        for question in (
            library.questions.ask("決定係数とは何か", sources=Sources.DOCUMENTS),
            library.documents.search("決定係数"),
            library.sessions.open_session("決定係数とは何か"),
            library.questions.queue("決定係数とは何か", options=options, wait=0),
        ):
            try:
                await question
            except (EmptyCorpus, EngineUnavailable) as error:
                messages.append(error.message)
    assert len(messages) >= 3
    assert [message for message in messages if "sources=web" in message] == (
        [messages[-1]] if is_usable and sources is Sources.DOCUMENTS else []
    )


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ("ruri-v3", [f"cl-nagoya/ruri-v3-{size}" for size in ("30m", "70m", "130m", "310m")]),
        ("Ruri", [f"cl-nagoya/ruri-v3-{size}" for size in ("30m", "70m", "130m", "310m")]),
        ("cl-nagoya/ruri-v3", [f"cl-nagoya/ruri-v3-{size}" for size in ("30m", "70m", "130m", "310m")]),
        ("static-embedding-japanese", ["hotchpotch/static-embedding-japanese"]),
    ],
)
def test_a_short_name_of_an_embedder_is_told_in_full(shell: Shell, given: str, named: list[str]) -> None:
    shell.environment |= {"SHISHO_EMBEDDER": given, **ENGLISH}
    checks = shell.run("doctor", "--json").stdout
    assert re.findall(r"[\w-]+/[\w-]+-(?:v3-\w+|japanese)\b", checks.replace(f"'{given}'", "")) == named
    assert "rerank" not in "".join(named)


def test_a_short_name_to_pull_is_told_in_full(shell: Shell) -> None:
    shell.environment |= ENGLISH
    done = shell.run("models", "pull", "ruri-v3")
    assert "cl-nagoya/ruri-v3-30m, cl-nagoya/ruri-v3-70m" in done.stderr


def test_warnings_of_a_document_are_shown_as_text(shell: Shell, tmp_path: Path) -> None:
    page = tmp_path / "a.eml"
    letter = EmailMessage()
    letter["Subject"] = "決定係数"
    letter.set_content("決定係数は指標である。")
    letter.add_attachment(b"%PDF-1.4", maintype="application", subtype="pdf", filename="a.pdf")
    page.write_bytes(letter.as_bytes())
    shell("add", page)
    warnings = shell("list", "--json")[0]["warnings"]
    assert warnings and all(isinstance(warning, str) for warning in warnings)
    shown = shell("show", page.name)
    assert warnings[0] in shown and '"id":' not in shown


def test_doctor_lists_every_format_that_is_read(shell: Shell) -> None:
    shell.environment |= ENGLISH
    (line,) = [line for line in shell.run("doctor").stdout.splitlines() if "child process" in line]
    assert set(NAMES) == set(media.SUPPORTED) and len(REFERENCE_TYPES) == 3
    assert not [name for name in (*NAMES.values(), "BibTeX", "RIS", "CSL-JSON") if name not in line], line
