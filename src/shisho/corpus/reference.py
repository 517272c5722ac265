"""The reference splitter: LangChain's SpacyTextSplitter over GiNZA, its chunks put back to where they stand
in the text."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from shisho.corpus.chunk import Piece, Span, cut, split_long
from shisho.corpus.layout import DocumentLayout
from shisho.errors import ExtraMissing
from shisho.language.sentences import sentences

MAX_BYTES = 40_000  # Sudachi raises above 49,149
CARRIED = 100
_alone = threading.Lock()  # the tokenizer inside is not thread-safe


def cut_ginza(layout: DocumentLayout, size: int = 500, overlap: int = 100) -> list[Piece]:
    """`chunk.cut` with prose cut by LangChain and GiNZA, some thousand times slower. Raises ExtraMissing."""
    return cut(layout, size, overlap, prose=spans)


def spans(text: str, start: int, end: int, size: int, overlap: int) -> list[Span]:
    """Chunks of `text[start:end]` as spans of `text`, in order, each at most `size` long."""
    found_spans: list[Span] = []
    for first, last in blocks(text, start, end):
        with _alone:
            chunks = _splitter(size, overlap).split_text(text[first:last])
        for span in align(text, first, last, chunks, overlap):
            for part in split_long(text, span, size):
                # What a block carries over from the one before may be a chunk that is already there.
                if not found_spans or (part[1] > found_spans[-1][1] and part[0] > found_spans[-1][0]):
                    found_spans.append(part)
    return found_spans


@lru_cache(maxsize=1)
def _splitter(size: int, overlap: int) -> Any:
    try:
        from langchain_text_splitters import SpacyTextSplitter

        return SpacyTextSplitter(separator="", pipeline="ja_ginza", chunk_size=size, chunk_overlap=overlap)
    except (
        ImportError,
        OSError,
    ) as missing:  # spaCy raises OSError for a pipeline that is not installed
        raise ExtraMissing("blobs.extra_missing", setting="splitter", extra="ginza") from missing


def blocks(text: str, start: int, end: int) -> Iterator[Span]:
    """At most MAX_BYTES each, cut after a sentence, else after a character; CARRIED characters stand in
    both."""
    while len(ahead := text[start : min(end, start + MAX_BYTES + 1)].encode()) > MAX_BYTES:
        fits = start + len(ahead[:MAX_BYTES].decode("utf-8", "ignore"))
        ends = [start + stop for _, stop in sentences(text[start:fits])[:-1]]
        stop = ends[-1] if ends and ends[-1] - start > 2 * CARRIED else fits
        yield start, stop
        start = stop - CARRIED
    yield start, end


def align(text: str, start: int, end: int, chunks: list[str], overlap: int) -> Iterator[Span]:
    """Where each chunk stands. White space, which the splitter strips or changes, does not count; what no
    chunk covers (text that repeats itself can be told apart no further) is given between them."""
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
