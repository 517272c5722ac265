"""Long readings cross the pipe in parts, and a paragraph without end is cut at its lines."""

from __future__ import annotations

import pytest

from shisho.corpus.readers import text, wire
from shisho.corpus.readers.killable import KillableReader
from shisho.domain.corpus import Block, Reading, Source


@pytest.mark.slow
async def test_a_reading_longer_than_one_reply_comes_whole() -> None:
    """A reply has 64 MB at most."""
    paragraphs = [f"{number:06} " + "x" * 995 for number in range(75_000)]
    reader = KillableReader(60, 1024, 200 * 2**20)
    try:
        reading = await reader.read(Source("long.txt", "\n\n".join(paragraphs).encode()))
    finally:
        await reader.close()
    assert [block.text for block in reading.blocks] == paragraphs


def test_parts_are_joined_to_the_reading_they_were() -> None:
    reading = Reading(tuple(Block(f"{number}" * 400_000) for number in range(9)), "題", 5, (2,), ("一言",))
    parts = list(wire.pack(reading))
    assert len(parts) > 1
    assert wire.join_readings([wire.unpack(part) for part in parts]) == reading


def test_a_log_without_a_blank_line_is_cut_at_its_lines() -> None:
    lines = [f"2026-01-01 entry {number}" for number in range(20_000)]
    blocks = text.read("\n".join(lines).encode()).blocks
    assert len(blocks) > 1 and max(len(block.text) for block in blocks) <= text.LONGEST
    assert [line for block in blocks for line in block.text.split("\n")] == lines
    (short,) = text.read("\n".join(lines[:3]).encode()).blocks
    assert short.text == "\n".join(lines[:3])
