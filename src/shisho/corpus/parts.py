"""Splitting of a long reading into parts that are stored one by one.

A reading that fits into one part is unchanged.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from shisho.domain.corpus import Block, BlockKind, Reading

PART = 500_000  # characters: about 1,300 passages, which one transaction stores in less than a second


def split_reading(reading: Reading, most: int = PART) -> Iterator[Reading]:
    """Yield the blocks in order, each in one part.

    A part ends with the block that fills it, but never with a heading, which stays with the text under it.
    """
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
