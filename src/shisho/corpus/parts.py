"""A long reading in parts that are stored one by one. A reading that fits into one part stays as it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from shisho.domain.corpus import Block, BlockKind, Reading

PART = 500_000  # characters: about 1,300 passages, which one transaction stores in less than a second


def split_reading(reading: Reading, most: int = PART) -> Iterator[Reading]:
    """Its blocks in order, each in one part. A part ends with the block that fills it, and never with a
    heading: what stands under it comes with it."""
    blocks: list[Block] = []
    size = 0
    for block in reading.blocks:
        if size >= most and blocks[-1].kind is not BlockKind.HEADING and block.text.strip():
            yield replace(reading, blocks=tuple(blocks))
            blocks = []
            size = 0
        blocks.append(block)
        size += len(block.text)
    if blocks:
        yield replace(reading, blocks=tuple(blocks))
