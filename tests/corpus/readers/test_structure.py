"""What the lines of a PDF are put together to: shapes of words, paragraphs, tables, captions, headings,
running heads."""

import pytest

from shisho.corpus.readers import paragraphs, shapes
from shisho.corpus.readers.paragraphs import find_tables
from shisho.corpus.readers.pdfpage import PdfLine, PdfPage, Typeface
from shisho.domain.corpus import Block, BlockKind

FULL = "決定係数は、回帰モデルの当てはまりの良さを表す指標であり、値は"  # 31 letters reach the margin
PITCH = 17.0


def line(
    text: str,
    top: float,
    *,
    left: float = 72.0,
    size: float = 10.5,
    bold: bool = False,
    gaps: tuple[float, ...] = (),
    page: int = 2,
) -> PdfLine:
    """A line as wide as its letters; `gaps` begin at the given places and are 30 points wide."""
    right = left + size * sum(0.5 if letter.isascii() else 1 for letter in text) + 30 * len(gaps)
    white = tuple((start, start + 30) for start in gaps)
    return PdfLine(
        text, page, (left, top - 0.8 * size, right, top + 0.1 * size), Typeface(size, top, bold), False, white
    )


def read(*lines: PdfLine, width: float = 595.0) -> list[Block]:
    numbers = sorted({line.page for line in lines})
    return list(
        paragraphs.build_blocks(
            [PdfPage([one for one in lines if one.page == n], width, 842.0) for n in numbers]
        )
    )


def texts(*lines: PdfLine) -> list[str]:
    return [block.text for block in read(*lines)]


def rest(top: float = 400.0, count: int = 12) -> list[PdfLine]:
    """Body enough to show what the document's common type is."""
    return [line(FULL, top + PITCH * row) for row in range(count)]


@pytest.mark.parametrize(
    ("text", "caption"),
    [
        ("表 1: 勉強時間と得点", True),
        ("表2　平方和の分解", True),
        ("図 3-1 残差の図", True),
        ("図1．散布図", True),
        ("Figure 1: Marks against hours", True),
        ("Table 2. Two regressions", True),
        ("表1は、学生8人の勉強時間である。", False),
        ("図 1 に示すとおり", False),
        ("表2から、この例の決定係数は", False),
        ("Figure 1 shows what happened", False),
        ("表現は自由である", False),
    ],
)
def test_captions(text: str, caption: bool) -> None:
    assert shapes.is_caption(text) is caption


@pytest.mark.parametrize(
    ("text", "depth"),
    [
        ("3 最小二乗法", 1),
        ("3.1 考え方", 2),
        ("１．目的", 1),
        ("2.1.3 方法", 3),
        ("第3章 回帰", 1),
        ("第二節　定義", 2),
        ("C.1 Shell script", 2),
        ("V1.2 認証の要件", 2),
        ("Appendix A", 1),
        ("2024年の結果", None),
        ("3つの考え方", None),
        ("目的", None),
    ],
)
def test_numbers_before_headings(text: str, depth: int | None) -> None:
    assert shapes.parse_depth(text) == depth


@pytest.mark.parametrize(
    ("text", "heads"),
    [
        ("2.2 p値", True),
        ("5.1 定義", True),
        ("序", True),
        ("Randomisation", True),
        ("R² の読み方", True),
        ("𝑛", False),
        ("ST = 1 −", False),
        ("(𝑧𝛼/2 + 𝑧𝛽)", False),
        ("16 0.75 −1.60 0.130", False),
        ("道具がそろったので、", False),
        ("見つけたい差から逆算する。", False),
        ("第1章 総則 …………… 10", False),
        ("表 1: 平均", False),
    ],
)
def test_words_of_headings(text: str, heads: bool) -> None:
    assert shapes.can_be_heading(text) is heads


@pytest.mark.parametrize(
    ("text", "formula"),
    [("𝑦𝑖 = 𝛼 + 𝛽𝑥𝑖", True), ("idf(𝑡) ⋅", True), ("得点 = 47 + 4 × 時間", False), ("the model is", False)],
)
def test_formulas(text: str, formula: bool) -> None:
    assert shapes.is_formula(text) is formula


def test_a_sentence_goes_on_over_the_margin() -> None:
    assert texts(*rest(100, 3), line("0から1までである。", 100 + 3 * PITCH)) == [
        "\n".join([FULL] * 3 + ["0から1までである。"])
    ]


def test_a_line_that_begins_like_an_item_may_go_on_with_a_sentence() -> None:
    assert len(texts(line(FULL, 100), line("3) の式で求める。", 117), *rest())) == 2


def test_a_full_line_in_larger_type_is_no_heading_when_its_sentence_goes_on() -> None:
    blocks = read(
        line("回帰分析では二つの量の関係を式で表す", 100, size=14),
        line("ことを試みる。", 122, size=14),
        *rest(160, 30),
    )
    assert [block.kind for block in blocks if "回帰分析" in block.text] == [BlockKind.PARAGRAPH]


def test_a_paragraph_ends_where_the_next_word_would_have_fitted() -> None:
    short = line("値は0から1までである。", 117)
    assert texts(line(FULL, 100), short, *rest(134, 3)) == [f"{FULL}\n{short.text}", "\n".join([FULL] * 3)]


def test_the_next_column_goes_on_with_the_sentence() -> None:
    left = [line("左の段の文であり、続く", 700 + PITCH * row, left=60) for row in range(3)]
    right = [line("右の段で終わる。", 100, left=320)]
    assert len(texts(*left, *right)) == 1


def test_a_bold_numbered_line_heads_without_swallowing_its_text() -> None:
    blocks = read(
        line("3.1 考え方", 80, size=11, bold=True),
        *rest(97, 20),
        line("3.2 計算", 500, size=11, bold=True),
        *rest(517, 5),
    )
    assert [(block.kind, block.text) for block in blocks if block.kind is BlockKind.HEADING] == [
        (BlockKind.HEADING, "3.1 考え方"),
        (BlockKind.HEADING, "3.2 計算"),
    ]
    assert [block.headings for block in blocks if block.kind is BlockKind.PARAGRAPH] == [
        ("3.1 考え方",),
        ("3.2 計算",),
    ]


def test_a_number_alone_makes_no_heading() -> None:
    assert all(block.kind is not BlockKind.HEADING for block in read(line("3 最小二乗法", 80), *rest(110)))


def test_numbers_give_the_level_where_sizes_do_not() -> None:
    head = [
        line(text, 80.0 + 150 * row, size=13)
        for row, text in enumerate(["1 序論", "1.1 背景", "1.1.1 歴史", "2 方法"])
    ]
    body = [rest(110.0 + 150 * row, 6) for row in range(4)]
    blocks = read(*[one for pair in zip(head, body, strict=True) for one in (pair[0], *pair[1])])
    assert [len(block.headings) for block in blocks if block.kind is BlockKind.HEADING] == [0, 1, 2, 0]


def test_rows_share_their_white() -> None:
    rows = [
        line("変動 平方和", 100, gaps=(150.0,)),
        line("回帰 672", 117, gaps=(148.0,)),
        line("残差 18", 134, gaps=(152.0,)),
    ]
    assert find_tables([*rows, *rest(160, 3)]) == {0: 0, 1: 0, 2: 0}
    blocks = read(line("表 1: 分解", 80, size=8.5), *rows, *rest(160, 3))
    assert [block.kind for block in blocks] == [BlockKind.CAPTION, BlockKind.TABLE, BlockKind.PARAGRAPH]


def test_lines_of_one_cell_belong_to_its_table() -> None:
    rows = [
        line("一 長い説明", 100, gaps=(150.0,)),
        line("の続き", 117, left=180),
        line("二 短い説明", 134, gaps=(150.0,)),
    ]
    assert find_tables(rows) == {0: 0, 1: 0, 2: 0}


def test_the_last_cell_goes_on_below_its_row() -> None:
    rows = [
        line("一 説明", 100, gaps=(150.0,)),
        line("二 長い説明", 117, gaps=(150.0,)),
        line("の続き", 134, left=180),
    ]
    assert find_tables([*rows, *rest(160, 2)]) == {0: 0, 1: 0, 2: 0}
    assert find_tables([*rows[:2], *rest(134, 2)]) == {0: 0, 1: 0}


def test_white_after_a_label_makes_no_row() -> None:
    items = [
        line("２ 会社は業務上必要がある場合に異動を命ずる", 100, gaps=(85.0,)),
        line("３ 前項の場合", 117, gaps=(85.0,)),
    ]
    assert find_tables(items) == {}


def test_the_words_of_a_figure_are_a_note_before_its_caption() -> None:
    ticks = [line(text, 100.0 + 14 * row, size=7) for row, text in enumerate(["40", "50", "60"])]
    axis = line("勉強時間（時間）", 160, size=8, left=250)
    blocks = read(*ticks, axis, line("図 1: 散布図", 180, size=8.5), *rest())
    assert [(block.kind, block.text) for block in blocks[:2]] == [
        (BlockKind.NOTE, "40\n50\n60\n勉強時間（時間）"),
        (BlockKind.CAPTION, "図 1: 散布図"),
    ]


def test_a_running_head_goes_from_the_first_page_where_the_title_says_it() -> None:
    def pages(title: str) -> list[PdfLine]:
        heads = [line("統計学入門 第5回", 40, size=8, page=page) for page in range(1, 5)]
        body = [line(f"{name}の本文である。", 300, page=page) for page, name in enumerate("甲乙丙丁", 1)]
        return [heads[0], line(title, 100, size=20, page=1), *body, *heads[1:]]

    assert "統計学入門 第5回" not in texts(*pages("第5回 統計学入門"))
    assert texts(*pages("回帰分析")).count("統計学入門 第5回") == 1


def test_a_wider_gap_after_a_full_stop_begins_a_paragraph() -> None:
    ended = FULL[:-1] + "。"
    assert (
        len(
            texts(line(FULL, 100), line(ended, 117), line(FULL, 136.5), line(FULL, 153.5), line(ended, 170.5))
        )
        == 2
    )


def test_numbers_stand_below_larger_heads_without_one() -> None:
    head = [
        line(text, 80.0 + 150 * row, size=size)
        for row, (text, size) in enumerate([("前編", 20), ("1 序論", 14)] * 2)
    ]
    body = [rest(110.0 + 150 * row, 6) for row in range(4)]
    blocks = read(*[one for pair in zip(head, body, strict=True) for one in (pair[0], *pair[1])])
    assert [len(block.headings) for block in blocks if block.kind is BlockKind.HEADING] == [0, 1, 0, 1]


def test_two_heads_under_each_other_are_two() -> None:
    blocks = read(line("検証要件", 80, size=14), line("V3.1 基本要件", 102, size=14), *rest(140, 20))
    assert [block.text for block in blocks if block.kind is BlockKind.HEADING] == [
        "検証要件",
        "V3.1 基本要件",
    ]


def test_a_line_of_double_height_goes_on() -> None:
    double = PdfLine(FULL, 2, (72.0, 134.0 - 8, 397.0, 151.0), Typeface(10.5, 134.0, False), False)
    assert len(texts(*rest(100, 2), double, *rest(168, 3))) == 1


def test_text_after_a_formula_is_its_own_paragraph() -> None:
    assert (
        texts(line("𝑛 − 𝑝 − 1", 100, left=250), line("ここで n は数である。", 117), *rest())[0] == "𝑛 − 𝑝 − 1"
    )


def test_two_pages_show_a_page_number() -> None:
    pages = [
        one
        for page in (1, 2)
        for one in (line(f"{page}枚目の文である。", 300, page=page), line(f"{page}", 800, page=page))
    ]
    assert texts(*pages) == ["1枚目の文である。", "2枚目の文である。"]
