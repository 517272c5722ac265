"""Exports of answers, as text and as files."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from shisho.domain.corpus import Document, DocumentId
from shisho.domain.inquiry import Answer
from shisho.domain.printing import PrintableAnswer
from shisho.errors import InvalidParams
from shisho.ports import Ledger, Shelf, Typesetter

PDF = "pdf"
PROOF = "proof"


class WriteAnswer(Protocol):
    """A writer of answers as text."""

    def __call__(
        self, answer: Answer, form: str, documents: Mapping[DocumentId, Document], *, local_paths: bool
    ) -> str: ...


@dataclass(frozen=True, slots=True)
class ExportParts:
    """The dependencies of the export verbs."""

    owner: str
    shelf: Shelf
    ledger: Ledger
    prove: Callable[[Answer], Awaitable[str]]
    write: WriteAnswer
    printable: Callable[[Answer], PrintableAnswer]
    typesetter: Typesetter


class Exports:
    """Exports of answers."""

    def __init__(self, parts: ExportParts) -> None:
        self._parts = parts

    async def render(self, prefix: str, form: str, *, local_paths: bool = False) -> str:
        """Return an answer as md, html, jsonl, bibtex, ris, csl, apa, sist02 or proof.

        Md and jsonl include folders of files only with `local_paths`. Raises NotFound, and InvalidParams for
        another form.
        """
        answer = await self._parts.ledger.answer(prefix, self._parts.owner)
        if form == PROOF:
            return await self._parts.prove(answer)
        if form == PDF:
            raise InvalidParams("export.pdf_not_text")
        quoted = [evidence.document_id for evidence in answer.evidence]
        documents = await self._parts.shelf.fetch_documents(quoted)
        return self._parts.write(answer, form, documents, local_paths=local_paths)

    async def render_file(self, prefix: str, form: str, *, local_paths: bool = False) -> bytes:
        """Return the bytes of a file, in UTF-8; also `pdf`.

        Raises: ExtraMissing for a PDF if the typesetting engine, or a font with Japanese letters, is missing.
        """
        if form != PDF:
            return (await self.render(prefix, form, local_paths=local_paths)).encode()
        answer = await self._parts.ledger.answer(prefix, self._parts.owner)
        printable = self._parts.printable(answer)
        return await asyncio.to_thread(self._parts.typesetter.typeset, printable)
