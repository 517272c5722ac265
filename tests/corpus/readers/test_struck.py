"""What a line is drawn through does not count any more, in a page, a book, a letter or Markdown."""

from __future__ import annotations

import pytest

from shisho.corpus.readers import html, markdown


@pytest.mark.parametrize(
    "old",
    [
        "<del>八百円</del>",
        "<s>八百円</s>",
        "<strike>八百<b>円</b></strike>",
        '<span style="color: red; Text-Decoration: line-through">八百円</span>',
        '<span style="text-decoration-line:line-through">八百円</span>',
    ],
)
def test_struck_out_text_of_a_page_is_left_out(old: str) -> None:
    page = (
        f"<html><body><p>大人の入館料は{old}<ins>千円</ins>である。子どもは払わなくてよい。</p></body></html>"
    )
    (block,) = html.read(page.encode()).blocks
    assert block.text == "大人の入館料は千円である。子どもは払わなくてよい。"


@pytest.mark.parametrize("mark", ["text-decoration: underline", "--note: line-through"])
def test_other_lines_stay(mark: str) -> None:
    page = f'<html><body><p>入館料は<span style="{mark}">千円</span>である。</p></body></html>'
    assert html.read(page.encode()).blocks[0].text == "入館料は千円である。"


def test_an_element_that_was_left_open_does_not_take_the_page_with_it() -> None:
    page = f"<html><body><div><s>見出し<p>{'本文がここに続く。' * 200}</p></div></body></html>"
    assert "本文がここに続く。" in html.read(page.encode()).blocks[-1].text


def test_struck_out_text_of_markdown_is_left_out() -> None:
    assert (
        markdown.read("年会費は~~三千円~~五千円である。".encode()).blocks[0].text == "年会費は五千円である。"
    )
