"""What stands on printed pages and is no text: contents lines, heads of chapters; and titles that are
none."""

from __future__ import annotations

import docx
import pptx
import pytest

from shisho.corpus.readers import docx as word_reader
from shisho.corpus.readers import pdf as pdf_reader
from shisho.corpus.readers import pptx as slide_reader
from shisho.corpus.readers.headings import title_of
from shisho.corpus.readers.shapes import is_contents_line
from shisho.domain.corpus import Block, BlockKind, PrintedLine, Reading
from tests.corpus.readers.making import Text, lines, pdf, saved

BODY = "決定係数は当てはまりの良さを表す指標であり、回帰分析で使われる。"


def text_of(reading: Reading) -> str:
    return "\n".join(block.text for block in reading.blocks)


@pytest.mark.parametrize(
    ("text", "is_contents"),
    [
        ("第1章 序論 ........ 3", True),
        ("2.1 方法・・・・・・・・12", True),
        ("はじめに……………… iv", True),
        ("Introduction . . . . . . . . 17", True),
        ("付録A …………(45)", True),
        ("氏名 ........................", False),
        ("そして……3人が残った。", False),
        ("円周率は3.14159である。 3", False),
        ("版 1.2.3.4 5", False),
    ],
)
def test_a_contents_line_leads_to_a_page(text: str, is_contents: bool) -> None:
    assert is_contents_line(text) is is_contents


def test_contents_lines_are_left_out_and_a_single_blank_to_fill_in_is_not() -> None:
    listing = lines("第1章 序論 ............ 3", "第2章 方法 ............ 12", "第3章 結果 ............ 40")
    read = text_of(pdf_reader.read(pdf([listing, lines(BODY), lines(BODY, "提出期限 ........ 31")])))
    assert "序論" not in read
    assert BODY in read
    assert "提出期限" in read


def with_head(head: str, number: int) -> list[Text]:
    word = "甲乙丙丁戊己庚辛壬癸子丑寅"[number - 1]
    return [
        (head, 9, 72, 50),
        *lines(*(f"{letter}の{word}について述べた文である。" for letter in "いろはにほへ")),
    ]


def test_a_head_that_changes_with_the_chapter_is_said_once_each() -> None:
    heads = ["第1章 序論"] * 3 + ["第2章 方法"] * 3 + ["第3章 結果"] * 4 + ["第4章 考察"] * 3
    pages = [with_head(f"{head}  {number}", number) for number, head in enumerate(heads, start=1)]
    read = text_of(pdf_reader.read(pdf(pages)))
    for head in set(heads):
        assert read.count(head) == 1, head
    assert read.count("について述べた文である。") == 6 * len(heads)


def test_titles_of_slides_that_go_on_and_heads_of_two_pages_stay() -> None:
    titles = ["表題A"] * 3 + ["表題B"] * 3 + ["表題C"] * 4
    deck = [[(title, 28, 72, 60), *lines(f"{at}枚目の本文。", top=200)] for at, title in enumerate(titles)]
    assert text_of(pdf_reader.read(pdf(deck, slides=True))).count("表題A") == 3
    pages = [with_head("前書き" if number < 3 else f"頁{number}の見出し", number) for number in range(1, 9)]
    assert text_of(pdf_reader.read(pdf(pages))).count("前書き") == 2


def test_the_rows_and_columns_of_a_printed_table_stay() -> None:
    columns = (72, 220, 340)
    cells = [("地域", "売上 (円)", "前年比"), ("関東 地方", "1,234", "12%"), ("関西 地方", "987", "3%")]
    page: list[Text] = [*lines(BODY)]
    for row, texts in enumerate(cells):
        page += [(text, 10.5, left, 200 + 18 * row) for text, left in zip(texts, columns, strict=True)]
    (block,) = [block for block in pdf_reader.read(pdf([page])).blocks if block.kind is BlockKind.TABLE]
    assert block.text.split("\n") == ["\t".join(texts) for texts in cells]
    assert [block.text[line.start : line.end] for line in block.lines] == block.text.split("\n")


@pytest.mark.parametrize(
    "said",
    [
        "",
        "PowerPoint プレゼンテーション",
        "PowerPoint Presentation",
        "Microsoft PowerPoint - 01_回帰.pptx",
        "Microsoft Word - 報告書.doc",
        "スライド 1",
        "文書 1",
        "名称未設定-1",
        "untitled",
        "報告書最終版.indd",
        "book.p65",
        "<819A94F190B38B4B984A93AD8ED2>",
    ],
)
def test_a_programs_word_for_no_title_gives_way_to_the_first_heading(said: str) -> None:
    blocks = [Block("本文"), Block("回帰分析の\n基礎", BlockKind.HEADING)]
    assert title_of(said, blocks) == "回帰分析の 基礎"
    assert title_of("年次報告書 2024", blocks) == "年次報告書 2024"
    assert title_of("スライドガイド入門", blocks) == "スライドガイド入門"
    assert title_of(said, [Block("第1章 序論", BlockKind.HEADING)]) == ""
    assert title_of(said, [Block("奥付", BlockKind.HEADING, page=9)]) == ""


def test_office_files_and_pdfs_get_their_first_heading() -> None:
    deck = pptx.Presentation()
    deck.core_properties.title = "PowerPoint プレゼンテーション"
    deck.slides.add_slide(deck.slide_layouts[5]).shapes.title.text = "回帰分析の基礎"
    assert slide_reader.read(saved(deck)).title == "回帰分析の基礎"
    document = docx.Document()
    document.core_properties.title = "文書1"
    document.add_heading("回帰分析の基礎", 1)
    assert word_reader.read(saved(document)).title == "回帰分析の基礎"
    page = [("回帰分析の基礎", 24, 72, 60), *lines(BODY, BODY, BODY, BODY)]
    assert pdf_reader.read(pdf([page], title="Microsoft Word - a.doc")).title == "回帰分析の基礎"


def head(text: str, size: float, page: int = 1) -> Block:
    printed = (PrintedLine(0, len(text), page, (50.0, 100.0, 400.0, 100.0 + size)),)
    return Block(text, BlockKind.HEADING, page, lines=printed)


def test_a_title_that_ends_inside_a_bracket_gives_way_to_the_heading() -> None:
    cut = "「広告表示に関す"
    assert title_of(cut, [head("広告表示に関する\n自主基準", 20)]) == "広告表示に関する 自主基準"
    assert title_of(cut, [Block("本文")]) == cut
    assert title_of("共通ガイド（本編)", [head("別の見出し", 20)]) == "共通ガイド（本編)"


def test_a_heading_beside_the_name_of_an_organisation_is_the_title() -> None:
    publisher = head("財 務 省\n理財局", 24)
    assert title_of("", [publisher, head("はじめに", 20), head("財政投融資", 36)]) == "財政投融資"
    assert title_of("", [publisher, head("次のページの見出し", 36, page=2)]) == "財 務 省 理財局"
    assert title_of("", [head("調査の概要", 24), head("本文", 36)]) == "調査の概要"


def test_letters_of_a_title_that_are_spaced_out_are_joined() -> None:
    assert title_of("", [head("調 査 報 告 書", 16)]) == "調査報告書"
    assert title_of("A B テスト", []) == "A B テスト"
