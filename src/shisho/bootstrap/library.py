"""Settings to adapters: the stores, readers and rankings that the desks of all owners share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from shisho.bootstrap.deferred import deferred
from shisho.bootstrap.embedder import BuiltEmbedders, build_embedders
from shisho.bootstrap.intake import build_ingest, build_reader, query_terms
from shisho.bootstrap.models import (
    build_borrowed_mind,
    build_mind,
    build_recorded_mind,
    model_ceilings,
    passage_room,
)
from shisho.bootstrap.viewer import PageStores, build_page_stores, build_renderer, erase_all
from shisho.bootstrap.web import WebAccess, build_consent
from shisho.domain.corpus import DocumentId, FileSurvey
from shisho.domain.folder import FileOnDisk
from shisho.domain.inquiry import Budget, Gap, with_ceilings
from shisho.errors import ExtraMissing
from shisho.handlers.inquiries import LibrarianInquiries, load_own_runner
from shisho.messages.catalogue import render
from shisho.messages.message import Message
from shisho.settings import Settings
from shisho.system import files, reading
from shisho.system.clock import SystemClock
from shisho.telemetry import log

if TYPE_CHECKING:
    from shisho.bootstrap.queue_parts import Stores
    from shisho.corpus.ingest import Ingest
    from shisho.corpus.readers.killable import KillableReader
    from shisho.corpus.readers.rendering import KillablePageRenderer
    from shisho.corpus.session import CorpusSearcher
    from shisho.corpus.usefulness import Usefulness
    from shisho.desk.embeddings import EmbeddingDesk
    from shisho.librarian.table import Runner
    from shisho.ports import Clock, Index, Ledger, Opinions, Shelf
    from shisho.stores.embedded.connect import Database
    from shisho.stores.embedded.erasure import Erasure
    from shisho.stores.embedded.lexical import LexicalIndex
    from shisho.stores.embedded.shelf import EmbeddedShelf

DATABASE = "shisho.db"
EMBEDDING = "shisho.db.embedding"  # the file that the process holds which makes vectors in the background
MB = 1 << 20


@dataclass(frozen=True, slots=True)
class SharedLibrary:
    """The parts that the desks of all owners share."""

    settings: Settings
    web: WebAccess | None
    database: Database
    clock: Clock
    disk: DiskFiles
    shelf: Shelf
    pages: PageStores
    erasure: Erasure
    ledger: Ledger
    reader: KillableReader
    renderer: KillablePageRenderer
    ingest: Ingest
    index: LexicalIndex
    searcher: CorpusSearcher
    opinions: Opinions
    inquiries: LibrarianInquiries
    embedders: BuiltEmbedders | Message
    embeddings: EmbeddingDesk
    budget: Budget
    judge: UsefulnessJudge
    stores: Callable[[], Stores]

    async def close(self) -> None:
        """End what was opened, the database last."""
        await self.reader.close()
        await self.renderer.close()
        await self.erasure.close()
        if self.web is not None:
            await self.web.close()
        await self.database.close()


def build_library(settings: Settings, web: WebAccess | None) -> SharedLibrary:
    """Every piece, by explicit constructor calls. Nothing is opened."""
    from shisho.stores.embedded.connect import Database
    from shisho.stores.embedded.ledger import EmbeddedLedger
    from shisho.stores.embedded.opinions import EmbeddedOpinions

    database = Database(settings.home / DATABASE)
    disk = DiskFiles(settings.whole("max_file_mb") * MB)
    clock = SystemClock(database.line)
    embedders, without = _embedders(settings)
    index = _index(settings, database, embedders)
    shelf, pages, erasure = _shelf(settings, database, clock, index)
    ledger = EmbeddedLedger(database, clock)
    reader = build_reader(settings, disk.max_bytes)
    searcher = _searcher(settings, database, shelf, index, embedders)
    opinions = EmbeddedOpinions(database, clock)
    return SharedLibrary(
        settings=settings,
        web=web,
        database=database,
        clock=clock,
        disk=disk,
        shelf=shelf,
        pages=pages,
        erasure=erasure,
        ledger=ledger,
        reader=reader,
        renderer=deferred(partial(build_renderer, settings)),
        ingest=build_ingest(settings, shelf, reader, clock, pages.originals),
        index=index,
        searcher=searcher,
        opinions=opinions,
        inquiries=_inquiries(settings, web, clock, ledger, searcher, opinions),
        embedders=embedders or without,
        embeddings=deferred(partial(_embeddings, settings, database, clock, index, embedders)),
        budget=_budget(settings),
        judge=_judge(settings, shelf, index),
        stores=cache(partial(_queue_stores, settings, database, clock)),
    )


def _shelf(
    settings: Settings, database: Database, clock: Clock, index: LexicalIndex
) -> tuple[EmbeddedShelf, PageStores, Erasure]:
    """The shelf, the pages beside it, and what goes after a purge through all copies."""
    from shisho.stores.embedded.erasure import Erasure
    from shisho.stores.embedded.shelf import EmbeddedShelf

    erasure = Erasure(settings.home / DATABASE, index)
    pages = build_page_stores(settings, database)
    return EmbeddedShelf(database, clock, partial(erase_all, pages, erasure)), pages, erasure


def _budget(settings: Settings) -> Budget:
    budget = Budget(max_rounds=settings.whole("max_rounds"), max_seconds=settings.real("max_seconds"))
    return with_ceilings(budget, model_ceilings(settings))


def _inquiries(
    settings: Settings,
    web: WebAccess | None,
    clock: Clock,
    ledger: Ledger,
    searcher: CorpusSearcher,
    opinions: Opinions,
) -> LibrarianInquiries:
    room_tokens = passage_room(settings)
    barred = partial(_barred, settings, web, clock)
    replayed = partial(build_recorded_mind, settings)
    borrowed = partial(build_borrowed_mind, settings)
    thinking = (partial(_runner, settings), cache(partial(build_mind, settings)), replayed, borrowed)
    return LibrarianInquiries(searcher, ledger, clock, opinions.left_out, room_tokens, barred, *thinking)


def _embedders(settings: Settings) -> tuple[BuiltEmbedders | None, Message]:
    """The embedders; None and why where there are none. What was asked for and is not there is said once."""
    built = build_embedders(settings)
    if not isinstance(built, Message):
        return built, Message("")
    if settings.text("embedder") not in ("auto", "none"):
        log.warning("%s", render(built))
    return None, built


def _index(settings: Settings, database: Database, embedders: BuiltEmbedders | None) -> LexicalIndex:
    from shisho.stores.embedded.lexical import LexicalIndex
    from shisho.stores.embedded.serving import ServingIndex

    dense = None
    if embedders is not None:
        find = embedders.find
        about = embedders.current.about
        dense = ServingIndex(
            settings.home / "vectors", database, about, lambda other: find(other) is not None
        )
    return LexicalIndex(settings.home / "lexical", database, dense)


def _embeddings(
    settings: Settings, database: Database, clock: Clock, index: Index, embedders: BuiltEmbedders | None
) -> EmbeddingDesk:
    from shisho.corpus.embedding import PassageEmbedding
    from shisho.desk.embeddings import EmbeddingDesk
    from shisho.stores.embedded.embeddings import EmbeddedEmbeddings
    from shisho.system.turn import FileTurn

    turn = FileTurn(settings.home / EMBEDDING)
    if embedders is None:
        return EmbeddingDesk(None, index, turn, clock.monotonic)
    embedder = embedders.current
    store = EmbeddedEmbeddings(database, embedder.about)
    return EmbeddingDesk(PassageEmbedding(store, embedder), index, turn, clock.monotonic)


def _searcher(
    settings: Settings, database: Database, shelf: Shelf, index: Index, embedders: BuiltEmbedders | None
) -> CorpusSearcher:
    from shisho.corpus.retrieve import Retriever
    from shisho.corpus.session import CorpusSearcher
    from shisho.stores.embedded.sessions import EmbeddedSessions
    from shisho.web.http.site import registered_domain

    retriever = Retriever(index, query_terms(settings), embedders)
    log = EmbeddedSessions(database)
    return CorpusSearcher(shelf, retriever, log, settings.text("growth"), site=registered_domain)


def _judge(settings: Settings, shelf: Shelf, index: Index) -> UsefulnessJudge:
    from shisho.corpus.usefulness import Usefulness

    return UsefulnessJudge(Usefulness(shelf, index, query_terms(settings)))


def _queue_stores(settings: Settings, database: Database, clock: Clock) -> Stores:
    from shisho.bootstrap.queue import build_stores

    return build_stores(settings, database, clock)


@dataclass(frozen=True, slots=True)
class DiskFiles:
    max_bytes: int

    def survey(self, paths: Iterable[Path]) -> FileSurvey:
        return files.survey(paths)

    def look(self, paths: Sequence[Path]) -> Sequence[FileOnDisk]:
        return files.look(paths)

    def read(self, path: Path, within: Path | None = None) -> bytes:
        return reading.read(path, self.max_bytes, within)


def _barred(settings: Settings, web: WebAccess | None, clock: Clock) -> Gap:
    """Why the web is not searched where it is not."""
    from shisho.domain.task import WebConsent

    why = {WebConsent.OFF: Gap.OFF, WebConsent.NOT_ASKED: Gap.NOT_ASKED}
    return why.get(build_consent(settings, web, clock).state(), Gap.NO_WAY)


@dataclass(frozen=True, slots=True)
class UsefulnessJudge:
    usefulness: Usefulness

    async def __call__(self, query: str, document: DocumentId, clusters: frozenset[str]) -> frozenset[str]:
        useful_content = await self.usefulness.of(query, document, clusters)
        return useful_content.clusters if useful_content else frozenset()


def _runner(settings: Settings) -> Runner:
    if settings.text("loop") == "own":
        return load_own_runner()
    try:
        from shisho.integrations.langgraph import run_graph
    except ImportError as error:
        raise ExtraMissing('The setting "loop" needs an extra: pip install "shisho[langgraph]"') from error
    return run_graph
