"""What is told of a file that takes long by itself."""

from __future__ import annotations

import io
import unicodedata

import pytest
from rich.console import Console

from shisho.domain.corpus import FileSurvey
from shisho.interfaces.cli import render_adding
from shisho.interfaces.cli.render_adding import LINES, AddingDisplay, describe_left_out
from shisho.interfaces.cli.shell import Words
from shisho.services.news import FileNews, PageRecognised, PagesRead, TextPartStored

BOOK = "/書庫/[2024] 統計的推測のための長い講義ノート第三版.pdf"
READ = PagesRead(BOOK, 1426, 1500)
RECOGNISED = PageRecognised(BOOK, 12, 340)
STORED = TextPartStored(BOOK, 1_000_000, 4_000_000)


@pytest.mark.parametrize(
    ("language", "lines"),
    [
        ("ja", ["1426 / 1500ページ", "文字認識 12 / 340ページ", "25%を保存"]),
        ("en", ["page 1426 of 1500", "OCR page 12 of 340", "25 % stored"]),
    ],
)
def test_a_long_file_says_how_far_it_is(
    capsys: pytest.CaptureFixture[str], language: str, lines: list[str]
) -> None:
    display = AddingDisplay(Words(language))
    quiet = AddingDisplay(Words(language), quiet=True)
    for news in (READ, RECOGNISED, STORED):
        display.notify(news)
        quiet.notify(news)
    told = capsys.readouterr()
    name = BOOK.rpartition("/")[2]
    assert (told.out, told.err) == ("", "".join(f"{name}: {line}\n" for line in lines))


def test_where_there_is_no_bar_a_long_pdf_is_a_few_lines(capsys: pytest.CaptureFixture[str]) -> None:
    display = AddingDisplay(Words("en"))
    for page in range(1, 1501):
        display.notify(PagesRead(BOOK, page, 1500))
    told = capsys.readouterr().err.splitlines()
    assert len(told) == LINES + 1
    assert told[0].endswith("page 1 of 1500") and told[-1].endswith("page 1500 of 1500")
    display.notify(PagesRead("/書庫/another.pdf", 1500, 1500))
    assert capsys.readouterr().err == "another.pdf: page 1500 of 1500\n"


@pytest.mark.parametrize("columns", [40, 80])
@pytest.mark.parametrize("language", ["ja", "en"])
@pytest.mark.parametrize("news", [READ, RECOGNISED, STORED], ids=["read", "recognised", "stored"])
def test_a_bar_gives_way_to_it_and_only_the_name_is_cut(
    monkeypatch: pytest.MonkeyPatch, news: FileNews, language: str, columns: int
) -> None:
    console = Console(file=io.StringIO(), width=columns, force_terminal=True, emoji=False)
    monkeypatch.setattr(render_adding, "_err", console)
    words = Words(language)
    display = AddingDisplay(words)
    display.bar = render_adding.build_progress(words)
    display.bar.add_task("", total=7, completed=3, page="")
    display.notify(news)
    with console.capture() as shown:
        console.print(display.bar.get_renderable())
    line = shown.get().rstrip("\n")
    plain = "".join(part.partition("m")[2] if at else part for at, part in enumerate(line.split("\x1b")))
    assert "\n" not in plain and width(plain) <= columns
    assert words("counted", n=3, total=7) in plain
    assert render_adding.describe_progress(news, words) in plain
    assert columns == 40 or "[2024] 統計的推測のための長い講義" in plain


def width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(letter) in "FW" else 1 for letter in text)


def test_a_line_names_six_kinds_of_skipped_files_and_counts_the_others() -> None:
    survey = FileSurvey((), {".git": 3, **{f"{letter}.tmp": 1 for letter in "abcdefgh"}})
    named = ".git ×3 · a.tmp · b.tmp · c.tmp · d.tmp · e.tmp"
    assert describe_left_out(survey, Words("en")) == f"Left out: {named} · 3 more"
