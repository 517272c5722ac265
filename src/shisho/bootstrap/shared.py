"""Build the stores, readers and rankings that all owners share from settings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from shisho import settings as settings_
from shisho.bootstrap.deferred import defer, defer_call
from shisho.bootstrap.embedder import BuiltEmbedders, build_embedders
from shisho.bootstrap.intake import build_ingest, build_reader, query_terms
from shisho.bootstrap.models import (
    CurrentPolicy,
    build_borrowed_policy,
    build_recorded_policy,
    model_ceilings,
)
from shisho.bootstrap.reranking import build_reranker
from shisho.bootstrap.store_parts import LibraryStores
from shisho.bootstrap.stores import build_stores
from shisho.bootstrap.web import WebAccess, build_consent
from shisho.domain.corpus import UNBOUNDED_ROOM, DocumentId, FileSurvey
from shisho.domain.folder import FileOnDisk
from shisho.domain.inquiry import Budget, Gap, with_ceilings
from shisho.errors import ExtraMissing
from shisho.messages.message import Message
from shisho.services.inquiries import LibrarianInquiries, load_own_runner
from shisho.services.recalling import Recollection
from shisho.settings import Settings
from shisho.system import files, reading
from shisho.system.clock import SystemClock
from shisho.telemetry import log

if TYPE_CHECKING:
    from shisho.corpus.ingest import Ingest
    from shisho.corpus.readers.killable import KillableReader
    from shisho.corpus.readers.rendering import KillablePageRenderer
    from shisho.corpus.retrieve import AskTerms
    from shisho.corpus.session import CorpusSearcher
    from shisho.corpus.usefulness import Usefulness
    from shisho.librarian.model_policy import ModelPolicy
    from shisho.librarian.policy import Policy
    from shisho.librarian.table import Runner
    from shisho.ports import Clock, Embedder, Index, Reranker, Shelf
    from shisho.services.embeddings import Embeddings
    from shisho.services.search_jobs import Judge
    from shisho.services.sentence_checks import KillableSentenceChecks

MB = 1 << 20


@dataclass(frozen=True, slots=True)
class SharedLibrary:
    """The parts that the libraries of all owners share."""

    settings: Settings
    web: WebAccess | None
    stores: LibraryStores
    disk: DiskFiles
    reader: KillableReader
    renderer: KillablePageRenderer
    ingest: Ingest
    searcher: CorpusSearcher
    inquiries: LibrarianInquiries
    embedders: BuiltEmbedders | Message
    make_embeddings: Callable[[], Embeddings]
    budget: Budget
    judge: Judge
    checks: KillableSentenceChecks

    async def close(self) -> None:
        """Close everything that was opened, the stores last."""
        await self.reader.close()
        await self.renderer.close()
        await self.checks.close()
        if self.web is not None:
            await self.web.close()
        await self.stores.close()


def build_shared(settings: Settings, web: WebAccess | None) -> SharedLibrary:
    """Build every shared part by explicit constructor calls, without opening anything."""
    disk = DiskFiles(settings.read_int("max_file_mb") * MB)
    embedders, without = _embedders(settings)
    stores = build_stores(settings, embedders, SystemClock)
    reader = defer(partial(build_reader, settings, disk.max_bytes))
    ranking = (query_terms(settings), _reranker(settings))  # built now: missing parts are logged at once
    searcher = defer(partial(_searcher, settings, stores, embedders, *ranking))
    return SharedLibrary(
        settings=settings,
        web=web,
        stores=stores,
        disk=disk,
        reader=reader,
        renderer=defer(partial(_renderer, settings)),
        ingest=defer(
            partial(build_ingest, settings, stores.shelf, reader, stores.clock, stores.pages.originals)
        ),
        searcher=searcher,
        inquiries=_inquiries(settings, web, stores, searcher, embedders.current if embedders else None),
        embedders=embedders or without,
        make_embeddings=cache(partial(_embeddings, stores, embedders)),
        budget=_budget(settings),
        judge=defer_call(cache(partial(_judge, settings, stores.shelf, stores.index))),
        checks=defer(_checks),
    )


def _renderer(settings: Settings) -> KillablePageRenderer:
    """Build the page renderer with the reader's limits."""
    from shisho.corpus.readers.rendering import KillablePageRenderer

    seconds = settings.read_float("reader_seconds")
    memory_mb = settings.read_int("reader_memory_mb")
    return KillablePageRenderer(seconds, memory_mb, settings_.child_environment())


def _checks() -> KillableSentenceChecks:
    from shisho.services.sentence_checks import KillableSentenceChecks

    return KillableSentenceChecks(settings_.child_environment())


def _budget(settings: Settings) -> Budget:
    budget = Budget(
        max_rounds=settings.read_int("max_rounds"), max_seconds=settings.read_float("max_seconds")
    )
    return with_ceilings(budget, model_ceilings(settings))


def _inquiries(
    settings: Settings,
    web: WebAccess | None,
    stores: LibraryStores,
    searcher: CorpusSearcher,
    embedder: Embedder | None,
) -> LibrarianInquiries:
    room_tokens = settings.read_int("room_tokens") or UNBOUNDED_ROOM
    barred = partial(_barred, settings, web, stores.clock)
    left_out = stores.opinions.list_left_out
    replayed = partial(build_recorded_policy, settings)
    borrowed = partial(build_borrowed_policy, settings, embedder)
    policy = partial(_policy, CurrentPolicy(settings, embedder), stores)
    thinking = (partial(_runner, settings), policy, replayed, borrowed)
    recollection = Recollection(stores.conversations, stores.ledger, stores.shelf, searcher)
    return LibrarianInquiries(
        searcher,
        stores.ledger,
        stores.clock,
        left_out,
        room_tokens,
        barred,
        *thinking,
        recall=recollection.recall,
    )


def _policy(shared: Callable[[], ModelPolicy | None], stores: LibraryStores, owner: str) -> Policy | None:
    """Return the configured models, counted against the owner's quotas; None without models."""
    policy = shared()
    if policy is None:
        return None
    from shisho.librarian.allowance import OwnerTokens

    return policy.with_meter(OwnerTokens(stores.quotas, owner))


def _embedders(settings: Settings) -> tuple[BuiltEmbedders | None, Message]:
    """Return the embedders; or None and the reason.

    A configured but missing embedder is logged once.
    """
    built = build_embedders(settings)
    if not isinstance(built, Message):
        return built, Message("")
    if settings.text("embedder") not in ("auto", "none"):
        log.warning(built)
    return None, built


def _embeddings(stores: LibraryStores, embedders: BuiltEmbedders | None) -> Embeddings:
    from shisho.corpus.embedding import PassageEmbedding
    from shisho.services.embeddings import Embeddings

    making = (stores.index, stores.embedding_turn, stores.clock.monotonic)
    if embedders is None:
        return Embeddings(None, *making)
    return Embeddings(PassageEmbedding(stores.embeddings(), embedders.current), *making)


def _searcher(
    settings: Settings,
    stores: LibraryStores,
    embedders: BuiltEmbedders | None,
    terms: AskTerms,
    reranker: Reranker | None,
) -> CorpusSearcher:
    from shisho.corpus.retrieve import Retriever
    from shisho.corpus.session import CorpusSearcher
    from shisho.web.http.site import find_registered_domain

    retriever = Retriever(stores.index, terms, embedders, settings.text("fusion"))
    return CorpusSearcher(
        stores.shelf,
        retriever,
        stores.sessions,
        settings.text("growth"),
        site=find_registered_domain,
        reranker=reranker,
    )


def _reranker(settings: Settings) -> Reranker | None:
    """Return the configured reranker. A configured but missing one is logged once."""
    reranker = build_reranker(settings)
    if isinstance(reranker, Message):
        log.warning(reranker)
        return None
    return reranker


def _judge(settings: Settings, shelf: Shelf, index: Index) -> Judge:
    from shisho.corpus.usefulness import Usefulness

    return UsefulnessJudge(Usefulness(shelf, index, query_terms(settings)))


@dataclass(frozen=True, slots=True)
class DiskFiles:
    max_bytes: int

    def survey(self, paths: Iterable[Path]) -> FileSurvey:
        return files.survey(paths)

    def is_folder(self, path: Path) -> bool:
        return files.is_folder(path)

    def look(self, paths: Sequence[Path]) -> Sequence[FileOnDisk]:
        return files.look(paths)

    def read(self, path: Path, within: Path | None = None) -> bytes:
        return reading.read(path, self.max_bytes, within)


def _barred(settings: Settings, web: WebAccess | None, clock: Clock, owner: str) -> Gap:
    """Return why this user's questions are not searched on the web."""
    from shisho.domain.task import WebConsent

    why = {WebConsent.OFF: Gap.OFF, WebConsent.NOT_ASKED: Gap.NOT_ASKED}
    return why.get(build_consent(settings, web, clock, owner).state(), Gap.NO_WAY)


@dataclass(frozen=True, slots=True)
class UsefulnessJudge:
    usefulness: Usefulness

    async def __call__(self, query: str, document: DocumentId) -> frozenset[str]:
        useful_content = await self.usefulness.find(query, document)
        return useful_content.clusters if useful_content else frozenset()


def _runner(settings: Settings) -> Runner:
    if settings.text("loop") == "own":
        return load_own_runner()
    try:
        from shisho.integrations.langgraph import run_graph
    except ImportError as error:
        raise ExtraMissing("blobs.extra_missing", setting="loop", extra="langgraph") from error
    return run_graph
