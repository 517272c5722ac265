"""Markdown with HTML in it, as files that are read on the web mostly have: read as the page that it makes."""

import pytest

from shisho.corpus.readers import markdown
from shisho.corpus.readers.headings import Headings
from shisho.domain.corpus import BlockKind


def texts(source: str) -> list[str]:
    return [block.text for block in markdown.read(source.encode()).blocks]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("面積は10<sup>2</sup>、濃度は10<sup>-3</sup>、H<sub>2</sub>O。", "面積は10²、濃度は10⁻³、H₂O。"),
        ("<p>体積は3<SUP>2</SUP>である。</p>", "体積は3²である。"),
        ("<ruby>箪笥<rt>たんす</rt></ruby>の金具", "箪笥(たんす)の金具"),
        ("<ruby>箪笥<rp>(</rp><rt>たんす<rp>)</rp></ruby>の金具", "箪笥(たんす)の金具"),
        ("一行目<br>二行目<br/>三行目", "一行目\n二行目\n三行目"),
        ("<p>10 &lt; W &lt; 20&nbsp;kg &amp; &plusmn;5&deg;C</p>", "10 < W < 20\u00a0kg & ±5°C"),
        ("本文<!-- 秘密 -->の**続き**", "本文の続き"),
        ("![配線図 1 < 2](a.png)を見る", "配線図 1 < 2を見る"),
        ("`<br>`と`a  b`", "<br>とa  b"),
        ("一行目\n二行目  \n三行目", "一行目\n二行目\n三行目"),
    ],
)
def test_html_in_a_paragraph_counts(source: str, text: str) -> None:
    assert texts(source) == [text]


def test_html_between_paragraphs_is_blocks() -> None:
    source = "<h1 align=center>設置</h1>\n\n<ul><li>ねじは30mm</li><li>座金は12mm</li></ul>\n\n次の<b>段落</b>\n\n## 節\n\n末尾"
    assert [(block.kind, block.text, block.headings) for block in markdown.read(source.encode()).blocks] == [
        (BlockKind.HEADING, "設置", ()),
        (BlockKind.LIST, "• ねじは30mm", ("設置",)),
        (BlockKind.LIST, "• 座金は12mm", ("設置",)),
        (BlockKind.PARAGRAPH, "次の段落", ("設置",)),
        (BlockKind.HEADING, "節", ("設置",)),
        (BlockKind.PARAGRAPH, "末尾", ("設置", "節")),
    ]


def test_items_have_the_marks_of_the_page() -> None:
    assert texts("3. 三つ目\n4. 四つ目\n   - 入れ子\n\n     続き\n\n* [ ] 仕事") == [
        "3. 三つ目",
        "4. 四つ目",
        "• 入れ子",
        "続き",
        "• [ ] 仕事",
    ]


def test_lines_of_a_cell_stay_apart_and_empty_labels_move_no_row() -> None:
    assert texts("| | |\n|---|---|\n| 金具 | 左 1<br>右 2 |\n| | ねじ |") == ["金具\t左 1 右 2\n\tねじ"]


@pytest.mark.parametrize(
    "hidden",
    [
        "<!--\n合言葉は海豚である。\n\n# 題\n-->",
        "<style>\np { color: red; }\n</style>",
        '<script>\nalert("a");\n\nalert("b");\n</script>',
        "<div hidden>\n\n**合言葉**は海豚である。\n\n- 項目\n\n</div>",
        '<p style="display: none">合言葉</p>',
        "<?php\necho 1;\n?>",
    ],
)
def test_what_nobody_sees_is_left_out(hidden: str) -> None:
    assert texts(f"前。\n\n{hidden}\n\n後。") == ["前。", "後。"]


@pytest.mark.parametrize(
    "name", ["title", "file", "textarea", "String", "script", "xmp", "table", "div hidden"]
)
def test_a_tag_that_nothing_in_its_paragraph_ends_is_no_element(name: str) -> None:
    assert texts(f"要素<{name}>は**題**である。\n\n次の段落。") == ["要素は題である。", "次の段落。"]


def test_words_between_angle_brackets_are_not_nested() -> None:
    assert len(texts("copy <file> to <place> at <time>\n\n" * 5_000)) == 5_000


def test_tables_in_code_stay_code() -> None:
    assert texts("`<table>`は`</table>`で終わる。") == ["<table>は</table>で終わる。"]
    blocks = markdown.read(("```\n<table></table>\n```\n\n<table><tr><td>1</table>\n\n" * 20).encode()).blocks
    assert [block.kind for block in blocks] == [BlockKind.CODE, BlockKind.TABLE] * 20


def test_a_file_larger_than_a_page_is_read_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(markdown, "STRETCH", 50)
    blocks = markdown.read_marked_blocks(
        "# 題\n\n" + "長い段落である。\n\n" * 100 + "## 節\n\n- 項目", Headings()
    )
    assert len(blocks) == 103
    assert blocks[-1].headings == ("題", "節")


@pytest.mark.parametrize(
    ("front", "title"),
    [
        ("title: 手引き", "手引き"),
        ('title: "手引き: 一"', "手引き: 一"),
        ("title: >-\n  導入の\n  手引き\nauthor: 山田", "導入の 手引き"),
        ("title: |\n  手引き", "手引き"),
        ("title: >2+\n  手引き", "手引き"),
        ("title: 導入の\n  手引き\n", "導入の 手引き"),
        ("title: >-\nauthor: 山田", "見出し"),
        ("title:\nauthor: 山田", "見出し"),
        ("author: 山田", "見出し"),
        ("title: >50% of all", ">50% of all"),
    ],
)
def test_title_of_the_front_matter(front: str, title: str) -> None:
    assert markdown.read(f"---\n{front}\n---\n# 見出し\n\n本文。".encode()).title == title


@pytest.mark.parametrize(
    ("front", "aliases"),
    [
        ("aliases: [DTE, 'Tidal Office']", "DTE; Tidal Office"),
        ('title: 潮汐\naliases:\n  - 潮研\n  - "Tidal; Office"\nauthor: 山田', "潮研; Tidal, Office"),
        ("alias: DTE", "DTE"),
        ("aliases:\nauthor: 山田", None),
        ("author: 山田", None),
    ],
)
def test_aliases_of_the_front_matter(front: str, aliases: str | None) -> None:
    reading = markdown.read(f"---\n{front}\n---\n# 見出し\n\n本文".encode())
    assert reading.description.get("aliases") == aliases


@pytest.mark.parametrize("rest", ["<td>電話", "<td>電話</td>\n<td>40</td>\n</tr>", "<td>電話</td>\n\n<td>40"])
def test_a_table_that_was_cut_off_keeps_its_rows(rest: str) -> None:
    rows = "<tr>\n <th>商品</th>\n <th>数</th> </tr>\n <tr>\n <td>ノート</td>\n<td>30</td>\n</tr>\n <tr>\n"
    text = f"前文である。<table>\n  {rows} {rest}"
    blocks = markdown.read(text.encode()).blocks
    assert [block.kind.value for block in blocks] == ["paragraph", "table"]
    assert blocks[1].text.startswith("商品\t数\nノート\t30\n電話")


def test_a_tag_that_is_only_named_begins_no_table() -> None:
    text = "表には <table> を使う。\n\n次の段落である。\n\n# 見出し\n\n本文である。"
    blocks = markdown.read(text.encode()).blocks
    assert [block.kind.value for block in blocks] == ["paragraph", "paragraph", "heading", "paragraph"]


def test_what_follows_a_table_without_an_end_is_read_as_before() -> None:
    text = "<table>\n<tr><td>ノート</td><td>30</td></tr>\n\n# 見出し\n\n本文である。"
    assert [block.kind.value for block in markdown.read(text.encode()).blocks] == [
        "table",
        "heading",
        "paragraph",
    ]
