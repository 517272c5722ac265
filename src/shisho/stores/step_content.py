"""The content of a stored step, the same in every database.

It is compressed JSON in which texts of passages are references to their documents.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Sequence

from shisho.domain.codec import Payload
from shisho.domain.inquiry import RunStep, StepText
from shisho.errors import SourceRemoved
from shisho.stores.nouns import Row

Slice = tuple[str, int, int]
"""A document's ID, and a start and an end in its text."""
ReadSlices = Callable[[Sequence[Slice]], Sequence[str | None]]
"""Read slices of documents; None for each missing one."""


def pack_step(output: str, texts: Sequence[StepText], read: ReadSlices) -> bytes:
    """Compress the output of a step. A text that differs from its document is stored as it is."""
    slices = [(text.document_id, text.start, text.start + len(text.text)) for text in texts]
    stored = read(slices)
    documents = list(dict.fromkeys(text.document_id for text in texts))
    references = [
        [documents.index(document_id), start, end - start] if text.text and text.text == slice_ else text.text
        for text, (document_id, start, end), slice_ in zip(texts, slices, stored, strict=True)
    ]
    data = {"documents": documents, "texts": references}
    rest = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return zlib.compress(f'{{"output":{output},{rest[1:]}'.encode("utf-8", "surrogatepass"))


def unpack_step(row: Row, read: ReadSlices) -> RunStep:
    """Read a step from its columns. A migrated step may be uncompressed. Raises SourceRemoved."""
    content = bytes(row.content)
    plain = content if content.startswith(b"{") else zlib.decompress(content)
    data = json.loads(plain.decode("utf-8", "surrogatepass"))
    documents = data["documents"]
    references = data["texts"]
    slices = [
        (documents[number], start, start + length)
        for number, start, length in (place for place in references if not isinstance(place, str))
    ]
    slice_texts = [text for text in read(slices) if text is not None]
    if len(slice_texts) < len(slices):
        raise SourceRemoved("question.document_purged")
    remaining = iter(slice_texts)
    texts = tuple(place if isinstance(place, str) else next(remaining) for place in references)
    return RunStep(row.step, row.node, row.input_hash, Payload.wrap(data["output"]), texts, row.at)
