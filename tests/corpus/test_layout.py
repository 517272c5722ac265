"""A reading laid out: verbatim, in order, with its lines where they belong."""

from shisho.corpus.layout import lay_out
from shisho.domain.corpus import Block, BlockKind, PrintedLine, Reading

BOX = (1.0, 2.0, 3.0, 4.0)


def test_blocks_are_verbatim_and_lines_shifted() -> None:
    reading = Reading(
        (
            Block("回帰", BlockKind.HEADING, 1),
            Block(
                "R²は\n指標。",
                BlockKind.PARAGRAPH,
                1,
                ("回帰", "定義"),
                (PrintedLine(0, 3, 1, BOX), PrintedLine(4, 7, 1, BOX)),
            ),
            Block(" \n ", BlockKind.PARAGRAPH, 1),
            Block("次。", BlockKind.PARAGRAPH, 2, (), (PrintedLine(0, 2, 2, BOX),)),
        )
    )
    layout = lay_out(reading)
    assert layout.text == "回帰\n\nR²は\n指標。\n\n次。"
    assert [layout.text[block.start : block.end] for block in layout.blocks] == [
        "回帰",
        "R²は\n指標。",
        "次。",
    ]
    assert [block.heading for block in layout.blocks] == ["", "回帰 › 定義", ""]
    assert [(line.page, layout.text[line.start : line.end]) for line in layout.lines] == [
        (1, "R²は"),
        (1, "指標。"),
        (2, "次。"),
    ]


def test_nothing_gives_nothing() -> None:
    assert lay_out(Reading(())).text == ""
