"""Ingest: read, lay out, chunk, make terms, find near-duplicates, store in one transaction."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import field, replace
from pathlib import PurePath
from weakref import WeakValueDictionary

from shisho.corpus import duplicates
from shisho.corpus.chunk import Piece
from shisho.corpus.layout import SEPARATOR, DocumentLayout, lay_out
from shisho.corpus.references import BibliographyImport
from shisho.domain.corpus import (
    DEFINING_KINDS,
    Block,
    BlockKind,
    Document,
    DocumentId,
    DocumentNames,
    DocumentState,
    Intake,
    IntakeOutcome,
    IntakeStage,
    Passage,
    PassageId,
    Reading,
    Receipt,
    Source,
    list_aliases,
    make_names,
)
from shisho.domain.reference import ANY_REFERENCES, REFERENCE_TYPES
from shisho.domain.viewing import PAGED_TYPES
from shisho.errors import DocumentUnreadable, InternalError, NameConflict, ShishoError, UnusableDocument
from shisho.language.document_names import SplitPassage, find_links, find_marks, split_passage
from shisho.language.normalise import fold_text
from shisho.language.terms import Analysis
from shisho.messages import Message
from shisho.ports import Clock, Originals, Reader, Shelf
from shisho.records import dataclass
from shisho.telemetry import log, span

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


PIPELINE = "5"  # part of every passage id: raise it when the same bytes give other passages
HEADING_SEPARATOR = " › "
FAULT = "ingest.internal_error"

Cut = Callable[[DocumentLayout], Sequence[Piece]]
Sniff = Callable[[str, bytes, str | None], str]
Analyse = Callable[[Sequence[str]], Analysis]


@dataclass(frozen=True, slots=True)
class PassageMaker:
    """The configured splitter and term maker."""

    cut: Cut
    analyse: Analyse

    def make_intake(self, document: Document, reading: Reading, start: int, ordinal: int) -> Intake:
        """Return a part of a document in the form that is stored."""
        layout = lay_out(reading)
        between = SEPARATOR if start else ""
        shift = start + len(between)
        passages, split = self._make_passages(document, layout, shift, ordinal)
        lines = tuple(replace(line, start=shift + line.start, end=shift + line.end) for line in layout.lines)
        counted = replace(document, passage_count=len(passages))
        names = self._find_names(document, split)
        return Intake(counted, between + layout.text, lines, passages, start, names)

    def _make_passages(
        self, document: Document, layout: DocumentLayout, shift: int, ordinal: int
    ) -> tuple[tuple[Passage, ...], list[SplitPassage]]:
        """Return the passages and their sentences.

        Each step processes all passages: passage by passage, everything except term making takes twice as
        long, since Sudachi's dictionary evicts all else from the processor's caches.
        """
        pieces = self.cut(layout)
        texts = [layout.text[piece.start : piece.end] for piece in pieces]
        headings = [_join_heading(document.title, piece.heading) for piece in pieces]
        names = [make_passage_id(document.id, shift + piece.start, shift + piece.end) for piece in pieces]
        bands = [duplicates.compute_bands(text) for text in texts]
        heading_terms = {
            heading: self.analyse([fold_text(heading)]).terms for heading in dict.fromkeys(headings)
        }
        split = [
            split_passage(
                names[at], headings[at], texts[at], shift + piece.start, piece.kind in DEFINING_KINDS
            )
            for at, piece in enumerate(pieces)
        ]
        analyses = [self.analyse(passage.folded) for passage in split]
        passages = tuple(
            Passage(
                id=names[at],
                document_id=document.id,
                ordinal=ordinal + at,
                start=shift + piece.start,
                end=shift + piece.end,
                page=piece.page,
                heading=headings[at],
                kind=piece.kind,
                text=texts[at],
                terms=analyses[at].terms,
                heading_terms=heading_terms[headings[at]],
                bigrams=analyses[at].bigrams,
                cluster=names[at],
                bands=bands[at],
                place=piece.place,
                ocr=piece.ocr,
            )
            for at, piece in enumerate(pieces)
        )
        return passages, split

    def _find_names(self, document: Document, split: Sequence[SplitPassage]) -> DocumentNames:
        def read(name: str) -> list[str]:
            return self.analyse([name]).terms.split()

        links = find_links(split, document.title, list_aliases(document.metadata), read)
        return make_names(links, find_marks(split, read))


@dataclass(frozen=True, slots=True)
class ClusterAssigner:
    """The clustering of near-duplicates.

    `storing`: the bands of parts being stored. Their near-duplicates wait: two that were clustered at once
    would not find each other.
    """

    shelf: Shelf
    storing: list[tuple[frozenset[int], asyncio.Event]] = field(default_factory=list)

    @asynccontextmanager
    async def assign(self, intake: Intake) -> AsyncGenerator[Intake, None]:
        """Return the intake with clusters. Near-duplicates wait until the caller has stored it."""
        bands = frozenset(band for passage in intake.passages for band in passage.bands)
        turn = (bands, asyncio.Event())
        earlier = [stored for others, stored in self.storing if not bands.isdisjoint(others)]
        self.storing.append(turn)
        try:
            for stored in earlier:
                await stored.wait()
            yield await self._assign_clusters(intake)
        finally:
            self.storing.remove(turn)
            turn[1].set()

    async def _assign_clusters(self, intake: Intake) -> Intake:
        """Return the intake with each passage in the cluster of an earlier near-duplicate, if any."""
        bands = [band for passage in intake.passages for band in passage.bands]
        akin = await self.shelf.find_near_duplicates(intake.document.owner, bands) if bands else ()
        if not akin and len(set(bands)) == len(bands):
            return intake
        passages = await asyncio.to_thread(duplicates.join, intake.passages, akin)
        return replace(intake, passages=passages)


@dataclass(frozen=True, slots=True)
class Ingest:
    """The ingest of sources.

    `sniff` detects their media type. `originals` stores bytes that are in no file and have pages to render.
    """

    shelf: Shelf
    reader: Reader
    clock: Clock
    sniff: Sniff
    passages: PassageMaker
    clusters: ClusterAssigner
    originals: Originals
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)  # one long document at a time
    turns: WeakValueDictionary[DocumentId, asyncio.Lock] = field(default_factory=WeakValueDictionary)
    """Serialises sources with equal bytes, so that the second one is recognised as known."""

    async def add(self, source: Source, corpus: str, owner: str) -> Receipt:
        """Ingest one source, completely or not at all.

        An unusable source gets a receipt with the reason, and so does one that triggers a bug in Shisho, so
        that other sources are not affected.

        Raises:
            Conflict: The store is full or locked.
            InternalError: No reader can be started.
        """
        try:
            sha256 = hashlib.sha256(source.data).hexdigest()
            async with self.turns.setdefault(make_document_id(sha256, corpus, owner), asyncio.Lock()):
                return await self._add(source, sha256, corpus, owner)
        except (UnusableDocument, NameConflict) as error:
            return Receipt(source.name, IntakeOutcome.FAILED, code=error.code, reason=error.message)
        except ShishoError:
            raise
        except Exception as fault:
            log.debug("taking in %s failed", source.name, exc_info=True)
            return Receipt(
                source.name,
                IntakeOutcome.FAILED,
                code=InternalError.code,
                reason=Message(FAULT, kind=type(fault).__name__),
            )

    async def _add(self, source: Source, sha256: str, corpus: str, owner: str) -> Receipt:
        if not _is_storable(source.name):
            raise DocumentUnreadable("ingest.name_undecodable")
        # A file that its owner declares to be a bibliography is not a text, even if it was ingested as one.
        is_document = source.media_type != ANY_REFERENCES
        known_document = await self.shelf.find_known(corpus, owner, sha256) if is_document else None
        if known_document is not None and await self.shelf.record_seen(
            known_document, source.name, source.metadata, may_replace=source.may_replace
        ):
            await self._keep(source, known_document.media_type, sha256)
            return Receipt(
                source.name,
                IntakeOutcome.KNOWN,
                known_document.id,
                known_document.title,
                known_document.page_count,
                known_document.passage_count,
            )
        source = replace(source, media_type=self.sniff(source.name, source.data, source.media_type))
        if source.media_type in REFERENCE_TYPES:
            return await BibliographyImport(self.shelf, self.reader).apply(source, corpus, owner)
        with span("ingest.read", source=source.name):
            reading = await self.reader.read(source)
        if not any(block.text.strip() for block in reading.blocks):
            raise DocumentUnreadable("ingest.no_text")
        document = self._make_document(source, reading, sha256, corpus, owner)
        await self._keep(source, document.media_type, sha256)
        readings = tuple(split_reading(reading))
        if len(readings) == 1:
            async with self._prepare(document, reading, 0, 0) as intake:
                earlier = await self.shelf.put(intake, may_replace=source.may_replace)
            passages = len(intake.passages)
        else:
            async with self.turn:
                earlier, passages = await self._store_by_parts(document, readings, source)
        # Again: an earlier document with these bytes may have been purged concurrently, together with them.
        await self._keep(source, document.media_type, sha256)
        outcome = IntakeOutcome.ADDED if earlier is None else IntakeOutcome.REPLACED
        return Receipt(
            source.name,
            outcome,
            document.id,
            document.title,
            document.page_count,
            passages,
            warnings=document.warnings,
        )

    async def _keep(self, source: Source, media_type: str, sha256: str) -> None:
        """Store bytes that are in no file, if their pages can be rendered.

        Password-protected bytes are skipped: passwords are not stored, so nobody could render them.
        """
        if not source.has_file and media_type in PAGED_TYPES and source.password is None:
            await self.originals.put(sha256, source.data)

    async def _store_by_parts(
        self,
        document: Document,
        readings: Sequence[Reading],
        source: Source,
    ) -> tuple[DocumentId | None, int]:
        """Store a long document piece by piece.

        Returns the superseded version and the passage count. The document would not fit into memory, or would
        block other writers for long. It is invisible until the last piece is stored.
        """
        token = await self.shelf.begin(document)
        whole = sum(len(block.text) for reading in readings for block in reading.blocks)
        start = 0
        passages = 0
        # The first part takes seconds, and the progress of reading is complete.
        source.notify(IntakeStage.STORING, 0, whole)
        try:
            for reading in readings:
                async with self._prepare(document, reading, start, passages) as part:
                    await self.shelf.extend(token, part)
                start = start + len(part.text)
                passages = passages + len(part.passages)
                log.debug("%s: %d passages stored", document.source, passages)
                # The separators between blocks count in `start` only.
                source.notify(IntakeStage.STORING, min(start, whole), whole)
            earlier = await self.shelf.finish(token, document, may_replace=source.may_replace)
            return earlier, passages
        except BaseException:
            await asyncio.shield(self.shelf.abandon(token, document.id))
            raise

    @asynccontextmanager
    async def _prepare(
        self, document: Document, reading: Reading, start: int, ordinal: int
    ) -> AsyncGenerator[Intake, None]:
        with span("ingest.prepare", source=document.source):
            intake = await asyncio.to_thread(self.passages.make_intake, document, reading, start, ordinal)
        async with self.clusters.assign(intake) as assigned:
            yield assigned

    def _make_document(
        self, source: Source, reading: Reading, sha256: str, corpus: str, owner: str
    ) -> Document:
        warnings = reading.warnings
        if reading.needs_ocr:
            pages = ", ".join(str(page) for page in reading.needs_ocr)
            warnings = (*warnings, Message("ingest.needs_ocr", pages=pages))
        return Document(
            id=make_document_id(sha256, corpus, owner),
            corpus=corpus,
            owner=owner,
            source=source.name,
            title=source.title or reading.title or PurePath(source.name).stem,
            media_type=source.media_type or "",
            sha256=sha256,
            size=len(source.data),
            page_count=reading.page_count,
            passage_count=0,
            state=DocumentState.LIVE,
            added_at=self.clock.now(),
            metadata={
                **reading.description,
                **source.metadata,
            },  # its owner's metadata takes precedence over its own
            warnings=warnings,
        )


def complete_passage(passage: Passage, analyse: Analyse) -> Passage:
    """Return a stored passage with what ingest derives from its text and no store returns."""
    split = split_passage(passage.id, passage.heading, passage.text, passage.start, is_prose=True)
    analysis = analyse(split.folded)
    return replace(
        passage,
        terms=analysis.terms,
        heading_terms=analyse([fold_text(passage.heading)]).terms,
        bigrams=analysis.bigrams,
        bands=duplicates.compute_bands(passage.text),
    )


def make_document_id(sha256: str, corpus: str, owner: str) -> DocumentId:
    """Return the id of these bytes in this corpus of this owner."""
    return DocumentId("doc_" + hashlib.sha256("\0".join((owner, corpus, sha256)).encode()).hexdigest()[:20])


def make_passage_id(document: DocumentId, start: int, end: int) -> PassageId:
    """Return 60 bits of the hash of document, span and pipeline."""
    return PassageId(hashlib.sha256(f"{document}:{start}:{end}:{PIPELINE}".encode()).hexdigest()[:15])


def _is_storable(name: str) -> bool:
    """Return whether stores accept a name: file names may contain bytes that are not text."""
    return not any("\ud800" <= character <= "\udfff" for character in name)


def _join_heading(title: str, heading: str) -> str:
    """Return a heading under the title of its document, which is named once."""
    if heading.startswith(title):
        return heading
    return HEADING_SEPARATOR.join(part for part in (title, heading) if part)
