"""Passages: exact slices that cover every block, never too long, never across a heading, a table or a
page."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from shisho.corpus.chunk import cut
from shisho.corpus.layout import DocumentLayout, lay_out
from shisho.domain.corpus import Block, BlockKind, Reading

SENTENCE = "決定係数は、回帰モデルの当てはまりの良さを表す指標である。"

words = st.text(alphabet=st.sampled_from("決定係数は、。「」（）abc .\n\t 1"), min_size=1, max_size=150)
blocks = st.builds(
    Block,
    text=words,
    kind=st.sampled_from(list(BlockKind)),
    page=st.sampled_from([None, 1, 2, 3]),
    headings=st.sampled_from([(), ("章",), ("章", "節")]),
)
layouts = st.builds(lambda found: lay_out(Reading(tuple(found))), st.lists(blocks, max_size=12))


def paragraphs(*texts: str, page: int | None = None, headings: tuple[str, ...] = ()) -> list[Block]:
    return [Block(text, BlockKind.PARAGRAPH, page, headings) for text in texts]


def texts(layout: DocumentLayout, size: int = 500, overlap: int = 100) -> list[str]:
    return [layout.text[piece.start : piece.end] for piece in cut(layout, size, overlap)]


@given(layouts, st.integers(5, 120), st.integers(0, 40))
def test_every_block_is_covered_and_no_piece_too_long(
    layout: DocumentLayout, size: int, overlap: int
) -> None:
    pieces = cut(layout, size, overlap)
    covered = {at for piece in pieces for at in range(piece.start, piece.end)}
    for block in layout.blocks:
        if block.kind is not BlockKind.HEADING:
            assert all(at in covered for at in range(block.start, block.end) if not layout.text[at].isspace())
    for piece in pieces:
        text = layout.text[piece.start : piece.end]
        assert text
        is_code = any(
            block.kind is BlockKind.CODE and block.start <= piece.start < block.end for block in layout.blocks
        )
        assert text == (text.strip("\n") if is_code else text.strip())
        assert len(text) <= size


@given(layouts, st.integers(5, 120), st.integers(0, 40))
def test_pieces_are_in_order_and_share_at_most_the_overlap(
    layout: DocumentLayout, size: int, overlap: int
) -> None:
    pieces = cut(layout, size, overlap)
    for before, after in pairwise(pieces):
        assert before.start < after.start
        assert before.end < after.end
        assert before.end - after.start <= overlap


@given(layouts, st.integers(5, 120))
def test_no_piece_crosses_a_page_a_heading_or_a_table(layout: DocumentLayout, size: int) -> None:
    for piece in cut(layout, size, 20):
        within = [block for block in layout.blocks if block.start < piece.end and piece.start < block.end]
        assert {block.page for block in within} == {piece.page}
        alone = [block for block in within if block.kind not in (BlockKind.PARAGRAPH, BlockKind.LIST)]
        assert not alone or len(within) == 1


def test_short_paragraphs_share_a_passage() -> None:
    layout = lay_out(Reading(tuple(paragraphs("一つ目。", "二つ目。"))))
    assert texts(layout) == ["一つ目。\n\n二つ目。"]


def test_neighbours_overlap_by_whole_sentences() -> None:
    layout = lay_out(Reading(tuple(paragraphs(SENTENCE * 30))))
    found = texts(layout)
    assert all(text.startswith("決定") and text.endswith("。") for text in found)
    pieces = cut(layout)
    assert all(60 <= before.end - after.start <= 100 for before, after in pairwise(pieces))


def test_a_page_ends_a_passage() -> None:
    layout = lay_out(Reading((*paragraphs("前の頁。", page=1), *paragraphs("次の頁。", page=2))))
    assert [(piece.page, layout.text[piece.start : piece.end]) for piece in cut(layout)] == [
        (1, "前の頁。"),
        (2, "次の頁。"),
    ]


def test_the_same_heading_twice_still_parts() -> None:
    heading = Block("問", BlockKind.HEADING)
    layout = lay_out(
        Reading(
            (heading, *paragraphs("甲。", headings=("問",)), heading, *paragraphs("乙。", headings=("問",)))
        )
    )
    assert texts(layout) == ["甲。", "乙。"]


def test_a_bare_heading_is_found_too() -> None:
    reading = Reading(
        (
            Block("第1章", BlockKind.HEADING),
            Block("定義", BlockKind.HEADING, headings=("第1章",)),
            *paragraphs("本文。", headings=("第1章", "定義")),
            Block("決定係数は0から1", BlockKind.HEADING, headings=("第1章",)),
        )
    )
    layout = lay_out(reading)
    assert [(piece.heading, layout.text[piece.start : piece.end]) for piece in cut(layout)] == [
        ("第1章 › 定義", "本文。"),
        ("第1章", "決定係数は0から1"),
    ]


def test_a_table_is_cut_between_rows() -> None:
    rows = "\n".join(f"行{row}\t{'値' * 50}" for row in range(30))
    layout = lay_out(Reading((Block(rows, BlockKind.TABLE),)))
    found = texts(layout)
    assert len(found) > 2
    assert all(text.startswith("行") and text.endswith("値") for text in found)


def test_a_row_longer_than_a_passage_is_cut_between_its_cells() -> None:
    cells = [f"{year}年: {year}、うち県内 {year}" for year in range(1900, 2026)]
    layout = lay_out(Reading((Block("\t".join(cells), BlockKind.TABLE),)))
    pieces = texts(layout)
    assert len(pieces) > 3
    assert "\t".join(pieces) == layout.text


def test_a_cell_longer_than_a_passage_is_cut_as_a_sentence() -> None:
    row = f"項目: 点検\t備考: {'とても長い備考であり、' * 100}終わる。\t費用: 3,000円\t期限: 七日"
    layout = lay_out(Reading((Block(row, BlockKind.TABLE),)))
    pieces = texts(layout)
    assert pieces[0] == "項目: 点検"
    assert all(piece.endswith("、") for piece in pieces[1:-1])
    assert pieces[-1].endswith("終わる。\t費用: 3,000円\t期限: 七日")


def test_rows_beside_a_long_one_stay_whole() -> None:
    long_row = "\t".join(f"列{column}: 値" for column in range(100))
    rows = [f"県: 第{row}県\t面積: {row}" for row in range(60)]
    layout = lay_out(Reading((Block("\n".join([*rows, long_row, *rows]), BlockKind.TABLE),)))
    for line in "\n".join(texts(layout)).split("\n"):
        assert line in rows or set(line.split("\t")) <= set(long_row.split("\t"))


def test_a_sentence_longer_than_a_passage_is_cut_at_a_comma() -> None:
    layout = lay_out(Reading(tuple(paragraphs("とても長い文であり、" * 100 + "終わる。"))))
    assert all(text.endswith(("、", "。")) for text in texts(layout))


def test_every_part_of_a_table_stands_under_the_labels_of_its_columns() -> None:
    rows = "\n".join(["県\t森林面積", *(f"第{row}県\t{row},000" for row in range(100))])
    layout = lay_out(Reading((Block(rows, BlockKind.TABLE, headings=("統計",)),)))
    pieces = cut(layout, size=200)
    assert len(pieces) > 3
    assert {piece.heading for piece in pieces} == {"統計 › 県 · 森林面積"}


CODE = """def tell(name):
    # 名前を言う。終わり。
    if name:
        return f"{name}。"

    return "誰？"
"""


def test_code_is_one_passage_by_itself_with_its_indents() -> None:
    layout = lay_out(
        Reading((*paragraphs("前。"), Block(CODE.strip("\n"), BlockKind.CODE), *paragraphs("後。")))
    )
    assert texts(layout) == ["前。", CODE.strip(), "後。"]
    assert [piece.kind for piece in cut(layout)][1] is BlockKind.CODE


def test_long_code_is_cut_between_its_lines() -> None:
    code = "\n".join(f"    print('{number}。終わり。')" for number in range(40))
    pieces = texts(lay_out(Reading((Block(code, BlockKind.CODE),))), 200, 0)
    assert len(pieces) > 3 and all(len(piece) <= 200 for piece in pieces)
    assert "\n".join(pieces) == code
