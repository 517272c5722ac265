"""One shelf's documents on another, with everything that was made of them."""

from __future__ import annotations

from shisho.corpus.ingest import complete_passage
from shisho.domain.corpus import Intake, Scope
from shisho.language.terms import analyse
from shisho.ports import Shelf


async def copy_documents(source: Shelf, target: Shelf) -> list[Intake]:
    """All live documents; what was copied."""
    intakes = []
    after = ""
    while documents := await source.list_documents(Scope(), after):
        for document in documents:
            text = await source.read_text(document.id)
            lines = tuple(await source.read_lines(document.id))
            stored = await source.list_passages_of(document.id)
            passages = tuple(complete_passage(passage, analyse) for passage in stored)
            intakes.append(Intake(document, text, lines, passages))
            await target.put(intakes[-1])
        after = documents[-1].id
    return intakes
