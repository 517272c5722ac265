"""A long reading in parts: nothing lost, nothing twice, and no heading without what stands under it."""

from __future__ import annotations

from shisho.corpus.ingest import split_reading
from shisho.domain.corpus import Block, BlockKind, Reading


def test_a_reading_that_fits_is_one_part() -> None:
    reading = Reading((Block("一。"), Block("二。")), title="題", page_count=2)
    assert list(split_reading(reading, most=100)) == [reading]


def test_parts_end_with_the_block_that_fills_them_and_never_with_a_heading() -> None:
    blocks = (
        Block("一二三四五六七八九十"),
        Block("見出し", BlockKind.HEADING),
        Block("その下の文。"),
        Block("   "),
        Block("もう一つの文である。"),
        Block("終わり。"),
    )
    parts = list(split_reading(Reading(blocks, title="題", page_count=3), most=10))
    assert [block for part in parts for block in part.blocks] == list(blocks)
    assert all(part.blocks[-1].kind is not BlockKind.HEADING for part in parts) and len(parts) > 1
    assert {(part.title, part.page_count) for part in parts} == {("題", 3)}
