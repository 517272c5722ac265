"""Text as a person reads and copies it: broken lines, bullets, tabs, radicals; nothing that a terminal would
obey."""

from __future__ import annotations

import unicodedata
from html import unescape

from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from shisho.language.display import UNKNOWN, escape_markdown, join_lines, make_legible
from tests.tables import each_row


@each_row(
    ("printed", "read"),
    [
        ("決定係数が1に近いとき、観\n測値が並ぶ。", "決定係数が1に近いとき、観測値が並ぶ。"),
        ("決定係数 \n　R²は", "決定係数R²は"),
        ("この\nmodel は", "このmodel は"),
        ("a linear\nregression", "a linear regression"),
        ("a linear\r\n  regression\n", "a linear regression"),
        ("the regres-\nsion line", "the regression line"),
        ("New York-\nTokyo", "New York-Tokyo"),
        ("1999-\n2004年", "1999-2004年"),
        ("한국어는\n띄어쓰기", "한국어는 띄어쓰기"),
        ("一つ目。\n\n二つ目。", "一つ目。二つ目。"),
        (
            "打つもの: \n\n$ make all\n\nこの命令は\n\n全てを作る。",
            "打つもの: $ make all この命令は全てを作る。",
        ),
        ("\uf0b7\t定義を述\nべる\n\uf0b7\t意味を説明する", "• 定義を述べる • 意味を説明する"),
        ("\uf0d8 次へ", "➢ 次へ"),
        ("\uf123 知らない印", "• 知らない印"),
        ("外\ue123字", f"外{UNKNOWN}字"),
        ("1.\t導入\n2.\t結論", "1. 導入 2. 結論"),
        ("年\t値\n2020\t5", "年 | 値 / 2020 | 5"),
        ("⼆つの⻑⽅形と⺟", "二つの長方形と母"),
        ("ﬁrst oﬃce", "first office"),
        ("面積は10²cm、㈱司書、ｶﾅ、½", "面積は10²cm、㈱司書、ｶﾅ、½"),
        ("辻\U000e0100さん", "辻\U000e0100さん"),
        (" \n\t ", ""),
    ],
)
def test_a_quotation_is_read_on_one_line(printed: str, read: str) -> None:
    assert join_lines(printed) == read


def test_lines_and_cells_stay_where_a_whole_text_is_read() -> None:
    assert make_legible("題⽬\r\n\uf0b7 年\t値\n") == "題目\n• 年\t値\n"


def test_nothing_reaches_a_terminal_that_it_would_obey() -> None:
    assert make_legible("赤\x1b[31m\x07\u202e青\u2066\U000e0041\ufeff\x9b2J") == "赤[31m青2J"


@given(st.text())
def test_nothing_else_is_lost(text: str) -> None:
    """All visible letters are there in their order, but for hyphens of broken words and the signs between
    cells and rows."""
    shown = join_lines(text)
    assert "\n" not in shown and "\t" not in shown

    def letters(given: str) -> str:
        return "".join(char for char in unicodedata.normalize("NFKC", given) if char.isalnum())

    assert letters(shown) == letters(make_legible(text))


@example("1\t 1")
@given(st.text(alphabet="あ漢aZ1-‐ \n\t•\uf0b7⼆。,"))
def test_what_was_read_reads_the_same(text: str) -> None:
    assert join_lines(join_lines(text)) == join_lines(text)


@each_row(
    "text",
    [
        "木の上で<img src=x onerror=alert(1)>暮らす</b>",
        "<!-- 隠れた文 --><?php x ?>",
        "[続き](javascript:alert(1))と![絵](https://example.com/x.png)",
        "2*3*4は24、**太字**ではない",
        "x < 3 かつ y > 5 * z、_傍線_、snake_case",
        "&lt;b&gt;は太字、C:\\*と\\[x\\]",
        "`<b>`と\\`コード\\`",
    ],
)
def test_markdown_shows_the_letters_of_a_quotation_and_obeys_none(text: str) -> None:
    shown = MarkdownIt().render(f"「{escape_markdown(text)}」")
    assert unescape(shown) == f"<p>「{text}」</p>\n" and shown.count("<") == 2


def test_no_text_opens_a_fence_for_itself() -> None:
    text = "```![x](http://evil/p.png) <img src=http://evil/y>\n```\n<b>"
    shown = MarkdownIt().render(escape_markdown(text))
    assert unescape(shown) == f"<p>{text}</p>\n" and shown.count("<") == 2
