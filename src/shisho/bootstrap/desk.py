"""Settings to adapters to a Desk. The one page that knows both sides; optional drivers are imported here and
nowhere else."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shisho import settings as settings_
from shisho.bootstrap.deferred import deferred
from shisho.bootstrap.embedder import BuiltEmbedders, build_embedders
from shisho.bootstrap.intake import build_ingest, build_reader, query_terms
from shisho.bootstrap.models import build_mind, build_recorded_mind, model_ceilings, passage_room
from shisho.bootstrap.proof import build_proofs
from shisho.bootstrap.questions import build_conversations
from shisho.bootstrap.setting_values import list_settings
from shisho.bootstrap.viewer import PageStores, build_page_stores, build_viewer, erase_all
from shisho.bootstrap.web import WebAccess, build_consent, consent_file, web_of
from shisho.desk.desk import Desk
from shisho.desk.parts import DeskParts
from shisho.domain.corpus import LOCAL_OWNER, Check, DocumentId, FileSurvey
from shisho.domain.folder import FileOnDisk
from shisho.domain.inquiry import Budget, Gap, with_ceilings
from shisho.errors import ExtraMissing
from shisho.handlers.inquiries import LibrarianInquiries, load_own_runner
from shisho.messages.catalogue import render
from shisho.messages.message import Message
from shisho.settings import Settings, Value
from shisho.system import files, reading
from shisho.system.clock import SystemClock
from shisho.telemetry import log

if TYPE_CHECKING:
    from shisho.bootstrap.queue import QueueSide
    from shisho.corpus.ingest import Ingest
    from shisho.corpus.readers.killable import KillableReader
    from shisho.corpus.session import CorpusSearcher
    from shisho.corpus.usefulness import Usefulness
    from shisho.desk.embeddings import EmbeddingDesk
    from shisho.desk.folders import FolderDesk
    from shisho.desk.references import ReferenceDesk
    from shisho.domain.reference import Reference
    from shisho.domain.web import Response, Serp
    from shisho.librarian.table import Runner
    from shisho.ports import Clock, Files, Index, Ledger, Opinions, Originals, Reader, Shelf
    from shisho.stores.embedded.connect import Database
    from shisho.stores.embedded.erasure import Erasure
    from shisho.stores.embedded.lexical import LexicalIndex
    from shisho.stores.embedded.shelf import EmbeddedShelf
    from shisho.system.consent import ConsentFile

DATABASE = "shisho.db"
EMBEDDING = "shisho.db.embedding"  # the file that the process holds which makes vectors in the background
FOLLOWER = "shisho.db.follower"  # the file that the process holds which follows the folders
MB = 1 << 20


@asynccontextmanager
async def open_desk(
    *, web_access: WebAccess | None = None, **given: Value | Path | None
) -> AsyncIterator[Desk]:
    """A desk over the configured home. Keywords are settings: `async with shisho.open(home="~/library") as
    desk: …`; None leaves one as it is elsewhere. `web_access`: another way to the web than the settings
    describe.

    Raises InvalidParams for an unknown setting or a value it does not take, StorageUnusable."""
    settings = settings_.load(**given)
    desk = build_desk(settings, web_access or web_of(settings))
    try:
        yield desk
    finally:
        await desk.close()


def build_desk(settings: Settings, web: WebAccess | None = None) -> Desk:
    """Every piece, by explicit constructor calls. Nothing works on the queue before `working` is entered."""
    from shisho.language.tokens import tokens
    from shisho.librarian.export import export
    from shisho.stores.embedded.connect import Database
    from shisho.stores.embedded.ledger import EmbeddedLedger
    from shisho.stores.embedded.opinions import EmbeddedOpinions

    database = Database(settings.home / DATABASE)
    disk = _Files(settings.whole("max_file_mb") * MB)
    clock = SystemClock(database.line)
    embedders, without = _embedders(settings)
    index = _index(settings, database, embedders)
    shelf, pages, erasure = _shelf(settings, database, clock, index)
    ledger = EmbeddedLedger(database, clock)
    reader = build_reader(settings, disk.max_bytes)
    ingest = build_ingest(settings, shelf, reader, clock, pages.originals)
    searcher = _searcher(settings, database, shelf, index, embedders)
    budget = _budget(settings)
    opinions = EmbeddedOpinions(database, clock)
    inquiries = _inquiries(settings, web, clock, ledger, searcher, opinions)
    folders = deferred(partial(_folders, settings, database, clock, shelf, disk, ingest))
    embeddings = deferred(partial(_embeddings, settings, database, clock, embedders))
    viewer = deferred(partial(build_viewer, settings, shelf, ledger, disk, pages))
    tasks = deferred(lambda: queue().tasks)
    talks = deferred(partial(build_conversations, database, clock, ledger, inquiries, erasure, tasks))
    stores = (shelf, ledger, disk, pages.originals)
    judge = _judge(settings, shelf, index)
    work = (ingest, inquiries, searcher, budget, judge, web, folders, talks, embeddings)
    queue = cache(partial(_queue_of, settings, database, clock, LOCAL_OWNER, *stores, *work))
    checked = (settings, database, index, reader, embeddings, embedders or without, pages.originals)
    wired = DeskParts(
        owner=LOCAL_OWNER,
        shelf=shelf,
        ledger=ledger,
        files=disk,
        ingest=ingest,
        folders=folders,
        references=deferred(partial(_references, settings, database, clock, shelf, reader, web)),
        embeddings=embeddings,
        viewer=viewer,
        proofs=deferred(partial(build_proofs, settings, shelf, viewer)),
        rankings=searcher,
        inquiries=inquiries,
        budget=budget,
        tasks=tasks,
        conversations=talks,
        sessions=deferred(lambda: queue().sessions),
        answers=deferred(lambda: queue().answers),
        working=lambda slots=None, notifier=None: queue().working(slots, notifier),
        new_run=lambda: uuid.uuid4().hex[:24],
        exported=export,
        tokens=tokens,
        settings=partial(list_settings, settings),
        checks=partial(_checked, *checked),
        storage=database,
        close=partial(_close, (reader.close, viewer.close, erasure.close), web, database),
        left_out=opinions.left_out,
    )
    return Desk(wired)


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
    minds = (cache(partial(build_mind, settings)), partial(build_recorded_mind, settings))
    thinking = (partial(_runner, settings), *minds)
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
    settings: Settings, database: Database, clock: Clock, embedders: BuiltEmbedders | None
) -> EmbeddingDesk:
    from shisho.corpus.embedding import PassageEmbedding
    from shisho.desk.embeddings import EmbeddingDesk
    from shisho.stores.embedded.embeddings import EmbeddedEmbeddings
    from shisho.system.turn import FileTurn

    turn = FileTurn(settings.home / EMBEDDING)
    if embedders is None:
        return EmbeddingDesk(None, turn, clock.monotonic)
    embedder = embedders.current
    store = EmbeddedEmbeddings(database, embedder.about)
    return EmbeddingDesk(PassageEmbedding(store, embedder), turn, clock.monotonic)


def _folders(
    settings: Settings, database: Database, clock: Clock, shelf: Shelf, disk: Files, ingest: Ingest
) -> FolderDesk:
    from shisho.desk.folders import FolderDesk, FolderParts
    from shisho.stores.embedded.folders import EmbeddedFolders
    from shisho.system.turn import FileTurn
    from shisho.system.watching import SystemFolderWatcher

    wired = FolderParts(
        owner=LOCAL_OWNER,
        shelf=shelf,
        files=disk,
        ingest=ingest,
        register=EmbeddedFolders(database, clock),
        watcher=SystemFolderWatcher(),
        turn=FileTurn(settings.home / FOLLOWER),
        seconds=clock.monotonic,
    )
    return FolderDesk(wired)


def _references(
    settings: Settings, database: Database, clock: Clock, shelf: Shelf, reader: Reader, web: WebAccess | None
) -> ReferenceDesk:
    from shisho.desk.references import ReferenceDesk, ReferenceParts
    from shisho.handlers.registry import CrossrefRegistry
    from shisho.stores.embedded.limiter import EmbeddedLimiter

    async def look_up(doi: str) -> Reference | None:
        assert web is not None
        about = web.engines["crossref"].about
        registry = CrossrefRegistry(web.fetcher, reader, EmbeddedLimiter(database, clock), about, web.keys)
        return await registry.look_up(doi)

    consent = build_consent(settings, web, clock)
    return ReferenceDesk(ReferenceParts(LOCAL_OWNER, shelf, consent, None if web is None else look_up))


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


def _judge(settings: Settings, shelf: Shelf, index: Index) -> _Judge:
    from shisho.corpus.usefulness import Usefulness

    return _Judge(Usefulness(shelf, index, query_terms(settings)))


def _queue_of(*parts: Any) -> QueueSide:
    from shisho.bootstrap.queue import build_queue
    from shisho.bootstrap.queue_parts import Parts

    return build_queue(Parts(*parts))


async def _checked(
    settings: Settings,
    database: Database,
    index: LexicalIndex,
    reader: KillableReader,
    embeddings: EmbeddingDesk,
    embedders: BuiltEmbedders | Message,
    originals: Originals,
) -> Sequence[Check]:
    from shisho.bootstrap.checks import checks

    return await checks(settings, database, index, reader, embeddings, embedders, originals)


@dataclass(frozen=True, slots=True)
class _Files:
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


async def _close(
    closing: Sequence[Callable[[], Awaitable[None]]], web: WebAccess | None, database: Database
) -> None:
    for close in closing:
        await close()
    if web is not None:
        await web.close()
    await database.close()


def _runner(settings: Settings) -> Runner:
    if settings.text("loop") == "own":
        return load_own_runner()
    try:
        from shisho.integrations.langgraph import run_graph
    except ImportError as error:
        raise ExtraMissing('The setting "loop" needs an extra: pip install "shisho[langgraph]"') from error
    return run_graph


async def read_result_page(engine: str, response: Response, **given: Any) -> Serp:
    """A saved result page by the engine of that name, or `auto`, as engines.toml has them. Keywords are
    settings. Raises ParserFailed, EngineUnavailable, InvalidParams."""
    from shisho.web.serp.parser import KillableSerpParser

    overrides = settings_.engine_overrides(settings_.load(**given).home)
    parser = KillableSerpParser(overrides, settings_.child_environment())
    try:
        return await parser.parse(engine, response)
    finally:
        await parser.close()


@dataclass(frozen=True, slots=True)
class _Judge:
    usefulness: Usefulness

    async def __call__(self, query: str, document: DocumentId, clusters: frozenset[str]) -> frozenset[str]:
        useful_content = await self.usefulness.of(query, document, clusters)
        return useful_content.clusters if useful_content else frozenset()


def web_consent(settings: Settings) -> ConsentFile:
    """Open the person's consent to web searches without opening a desk."""
    return consent_file(settings, SystemClock(), settings.text("web"))
