"""The reference splitter: LangChain's SpacyTextSplitter over GiNZA.

Its chunks are mapped to spans of the text.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from shisho.corpus.chunk import Piece, Span, cut, split_long
from shisho.corpus.layout import DocumentLayout
from shisho.errors import ExtraMissing
from shisho.language.sentences import split_sentences

MAX_BYTES = 40_000  # Sudachi raises above 49,149
CARRIED = 100
_alone = threading.Lock()  # its tokenizer is not thread-safe


def cut_ginza(layout: DocumentLayout, size: int = 500, overlap: int = 100) -> list[Piece]:
    """Cut like `chunk.cut`, with prose cut by LangChain and GiNZA.

    Some thousand times slower.

    Raises:
        ExtraMissing: The extra is not installed.
    """
    return cut(layout, size, overlap, prose=cut_spans)


def cut_spans(text: str, start: int, end: int, size: int, overlap: int) -> list[Span]:
    """Return chunks of `text[start:end]` as spans of `text`, in order, up to `size` long."""
    found_spans: list[Span] = []
    for first, last in cut_blocks(text, start, end):
        with _alone:
            chunks = _make_splitter(size, overlap).split_text(text[first:last])
        for span in align(text, first, last, chunks, overlap):
            for part in split_long(text, span, size):
                # Text carried over from the previous block may be a chunk that exists already.
                if not found_spans or (part[1] > found_spans[-1][1] and part[0] > found_spans[-1][0]):
                    found_spans.append(part)
    return found_spans


@lru_cache(maxsize=1)
def _make_splitter(size: int, overlap: int) -> Any:
    try:
        from langchain_text_splitters import SpacyTextSplitter

        return SpacyTextSplitter(separator="", pipeline="ja_ginza", chunk_size=size, chunk_overlap=overlap)
    except (
        ImportError,
        OSError,
    ) as missing:  # spaCy raises OSError for a pipeline that is not installed
        raise ExtraMissing("blobs.extra_missing", setting="splitter", extra="ginza") from missing


def cut_blocks(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield spans of at most MAX_BYTES each, cut after a sentence, else after a character.

    CARRIED characters are in both neighbours.
    """
    while len(ahead := text[start : min(end, start + MAX_BYTES + 1)].encode()) > MAX_BYTES:
        fits = start + len(ahead[:MAX_BYTES].decode("utf-8", "ignore"))
        ends = [start + stop for _, stop in split_sentences(text[start:fits])[:-1]]
        stop = ends[-1] if ends and ends[-1] - start > 2 * CARRIED else fits
        yield start, stop
        start = stop - CARRIED
    yield start, end


def align(text: str, start: int, end: int, chunks: list[str], overlap: int) -> Iterator[Span]:
    """Yield the span of each chunk.

    White space, which the splitter strips or changes, is ignored. Text that no chunk covers is yielded
    between them (repeated text cannot be told apart any further).
    """
    solid = [place for place in range(start, end) if not text[place].isspace()]
    packed = "".join(text[place] for place in solid)
    cursor = 0
    done = 0
    for chunk in chunks:
        bare = "".join(chunk.split())
        at = packed.find(bare, max(cursor, done - overlap))
        if not bare or at < 0:
            continue
        if at > done:
            yield solid[done], solid[at - 1] + 1
        yield solid[at], solid[at + len(bare) - 1] + 1
        cursor = at + 1
        done = max(done, at + len(bare))
    if done < len(solid):
        yield solid[done], solid[-1] + 1
