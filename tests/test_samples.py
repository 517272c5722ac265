"""The sample lectures hold what `samples/questions.toml` says they hold, as PDFium reads them."""

import tomllib
from pathlib import Path
from typing import Any

import pypdfium2
import pytest

SAMPLES = Path(__file__).parents[1] / "samples"
LECTURES = sorted((SAMPLES / "lectures").glob("*.pdf"))
QUESTIONS: list[dict[str, Any]] = tomllib.loads((SAMPLES / "questions.toml").read_text("utf-8"))["question"]


def pages(path: Path) -> list[str]:
    with pypdfium2.PdfDocument(path) as pdf:
        return [pdf[number].get_textpage().get_text_range() for number in range(len(pdf))]


def unbroken(text: str, language: str = "ja") -> str:
    """Without line breaks, which end no word in Japanese and one in English."""
    return (" " if language == "en" else "").join(text.split())


@pytest.mark.parametrize("row", QUESTIONS, ids=lambda row: row["question"])
def test_the_answer_stands_on_its_page_and_no_other(row: dict[str, Any]) -> None:
    wanted = unbroken(row["answer"], row["language"])
    read = [unbroken(text, row["language"]) for text in pages(SAMPLES / row["file"])]
    found = [number for number, text in enumerate(read, 1) if wanted in text]
    assert found == [row["page"]]


@pytest.mark.parametrize("path", LECTURES, ids=lambda path: path.name)
def test_a_lecture_is_small_titled_and_numbered(path: Path) -> None:
    assert path.stat().st_size < 400_000
    with pypdfium2.PdfDocument(path) as pdf:
        assert pdf.get_metadata_value("Title")
    read = pages(path)
    assert 4 <= len(read) <= 8
    for number, text in enumerate(read, 1):
        assert text.splitlines()[-1] == f"{number} / {len(read)}"


def test_the_characters_that_normalising_would_change_are_there() -> None:
    text = "".join(unbroken(page) for path in LECTURES for page in pages(path))
    for mark in ("R²", "10²", "½", "㈱", "ｶﾀｶﾅ", "①", "令和6年"):
        assert mark in text


def test_every_lecture_is_asked_about() -> None:
    assert {row["file"] for row in QUESTIONS} == {f"lectures/{path.name}" for path in LECTURES}
    assert {row["language"] for row in QUESTIONS} == {"ja", "en"}
