"""Build the stores, readers and rankings that all owners share from settings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from shisho import settings as settings_
from shisho.bootstrap.embedder import BuiltEmbedders, build_embedders, build_reranker
from shisho.bootstrap.intake import build_ingest, build_query_terms, build_reader
from shisho.bootstrap.models import (
    CurrentPolicy,
    build_borrowed_policy,
    build_recorded_policy,
    read_model_ceilings,
)
from shisho.bootstrap.sql_stores import LibraryStores, MakeClock
from shisho.bootstrap.web import WebAccess, build_web, open_consent
from shisho.domain.corpus import UNBOUNDED_ROOM, DocumentId, FileSurvey
from shisho.domain.folder import FileOnDisk
from shisho.domain.inquiry import Budget, Gap, with_ceilings
from shisho.errors import ExtraMissing
from shisho.messages import Message
from shisho.records import dataclass
from shisho.services.inquiries import LibrarianInquiries, Policies, load_own_runner
from shisho.services.recalling import Recollection
from shisho.services.stores import RunHistory
from shisho.settings import Settings
from shisho.system import files, reading
from shisho.system.clock import SystemClock
from shisho.telemetry import log

if TYPE_CHECKING:
    from shisho.corpus.ingest import Ingest
    from shisho.corpus.readers.killable import KillableReader
    from shisho.corpus.readers.rendering import KillablePageRenderer
    from shisho.corpus.session import CorpusSearcher
    from shisho.corpus.usefulness import Usefulness
    from shisho.domain.conversation import Surroundings
    from shisho.domain.inquiry import Inquiry
    from shisho.librarian.model_policy import ModelPolicy
    from shisho.librarian.policy import Policy
    from shisho.librarian.table import Runner
    from shisho.ports import Reranker
    from shisho.services.models import Embeddings
    from shisho.services.search_jobs import Judge
    from shisho.services.sentence_checks import KillableSentenceChecks
    from shisho.system.consent import ConsentFile

MB = 1 << 20


class SharedLibrary:
    """The parts that the libraries of all owners share."""

    def __init__(self, settings: Settings, web: WebAccess | None = None) -> None:
        self.settings = settings
        self.disk = DiskFiles(settings.read_int("max_file_mb") * MB)
        self.budget = _build_budget(settings)
        self._given_web = web
        self._terms = build_query_terms(settings)
        # Missing optional parts are logged at once.
        self.embedders = _build_embedders(settings)
        self._reranker = _build_reranker(settings)
        embedders = None if isinstance(self.embedders, Message) else self.embedders
        self._embedders = embedders
        self.stores = build_stores(settings, embedders, SystemClock)

    @property
    def web_mode(self) -> str:
        """The user's access to the web: `off`, `ask`, or `on`. Callers with their own access consent."""
        if self._given_web is not None:
            return "ask" if self._given_web.needs_consent else "on"
        return self.settings.read_text("web")

    @cached_property
    def web(self) -> WebAccess | None:
        """The access to the web; None if it is off."""
        return self._given_web or build_web(self.settings)

    @cached_property
    def reader(self) -> KillableReader:
        """The reader of files, with the configured limits."""
        return build_reader(self.settings, self.disk.max_bytes)

    @cached_property
    def renderer(self) -> KillablePageRenderer:
        """The page renderer, with the reader's limits."""
        from shisho.corpus.readers.rendering import KillablePageRenderer

        seconds = self.settings.read_float("reader_seconds")
        memory_mb = self.settings.read_int("reader_memory_mb")
        return KillablePageRenderer(seconds, memory_mb, settings_.build_child_environment())

    @cached_property
    def checks(self) -> KillableSentenceChecks:
        """The checks of an assistant's sentences."""
        from shisho.services.sentence_checks import KillableSentenceChecks

        return KillableSentenceChecks(settings_.build_child_environment())

    @cached_property
    def ingest(self) -> Ingest:
        """The ingestion of documents."""
        stores = self.stores
        return build_ingest(self.settings, stores.shelf, self.reader, stores.clock, stores.pages.originals)

    @cached_property
    def searcher(self) -> CorpusSearcher:
        """The search of passages."""
        from shisho.corpus.retrieve import Retriever
        from shisho.corpus.session import CorpusSearcher
        from shisho.web.http.url import find_registered_domain

        fusion = self.settings.read_text("fusion")
        return CorpusSearcher(
            self.stores.shelf,
            Retriever(self.stores.index, self._terms, self._embedders, fusion),
            self.stores.sessions,
            self.settings.read_text("growth"),
            site=find_registered_domain,
            reranker=self._reranker,
        )

    @cached_property
    def judge(self) -> Judge:
        """The judge of whether a page is useful for a query."""
        from shisho.corpus.usefulness import Usefulness

        return UsefulnessJudge(Usefulness(self.stores.shelf, self.stores.index, self._terms))

    @cached_property
    def embeddings(self) -> Embeddings:
        """The embeddings of all passages."""
        from shisho.corpus.embedding import PassageEmbedding
        from shisho.services.models import Embeddings

        stores, embedders = self.stores, self._embedders
        making = (stores.index, stores.embedding_turn, stores.clock.monotonic)
        if embedders is None:
            return Embeddings(None, *making)
        vectors = stores.build_embeddings(embedders.current.about)
        return Embeddings(PassageEmbedding(vectors, embedders.current), *making)

    @cached_property
    def inquiries(self) -> LibrarianInquiries:
        """The runs of the librarian."""
        settings, stores = self.settings, self.stores
        embedder = None if self._embedders is None else self._embedders.current
        policies = Policies(
            partial(_build_policy, CurrentPolicy(settings, embedder), stores),
            partial(build_recorded_policy, settings),
            partial(build_borrowed_policy, settings, embedder),
        )
        return LibrarianInquiries(
            lambda: self.searcher,
            RunHistory(stores.ledger, stores.opinions, stores.sessions),
            stores.clock,
            settings.read_int("room_tokens") or UNBOUNDED_ROOM,
            self.budget,
            self._report_gap,
            partial(_load_runner, settings),
            policies,
            self._recall,
        )

    def find_consent(self, owner: str) -> ConsentFile:
        """Return a person's consent to this web access."""
        return open_consent(self.settings, self.stores.clock, self.web_mode, owner)

    async def close(self) -> None:
        """Close everything that was made, the stores last."""
        made = vars(self)
        for name in ("reader", "renderer", "checks"):
            if name in made:
                await made[name].close()
        if (web := self._given_web or made.get("web")) is not None:
            await web.close()
        await self.stores.close()

    async def _recall(self, inquiry: Inquiry) -> Surroundings:
        stores = self.stores
        recollection = Recollection(stores.conversations, stores.ledger, stores.shelf, self.searcher)
        return await recollection.recall(inquiry)

    def _report_gap(self, owner: str) -> Gap:
        """Return why this user's questions are not searched on the web."""
        from shisho.domain.task import WebConsent

        gaps = {WebConsent.OFF: Gap.OFF, WebConsent.NOT_ASKED: Gap.NOT_ASKED}
        return gaps.get(self.find_consent(owner).read_state(), Gap.NO_WAY)


def _build_budget(settings: Settings) -> Budget:
    budget = Budget(
        max_rounds=settings.read_int("max_rounds"), max_seconds=settings.read_float("max_seconds")
    )
    return with_ceilings(budget, read_model_ceilings(settings))


def _build_policy(
    shared: Callable[[], ModelPolicy | None], stores: LibraryStores, owner: str
) -> Policy | None:
    """Return the configured models, counted against the owner's quotas; None without models."""
    policy = shared()
    if policy is None:
        return None
    from shisho.librarian.allowance import OwnerTokens

    return policy.with_meter(OwnerTokens(stores.quotas, owner))


def _build_embedders(settings: Settings) -> BuiltEmbedders | Message:
    """Return the embedders, or the reason for none.

    A configured but missing embedder is logged once.
    """
    built = build_embedders(settings)
    if isinstance(built, Message) and settings.read_text("embedder") not in ("auto", "none"):
        log.warning(built)
    return built


def _build_reranker(settings: Settings) -> Reranker | None:
    """Return the configured reranker. A configured but missing one is logged once."""
    reranker = build_reranker(settings)
    if isinstance(reranker, Message):
        log.warning(reranker)
        return None
    return reranker


@dataclass(frozen=True, slots=True)
class DiskFiles:
    """The files of this machine, up to a size."""

    max_bytes: int

    def survey(self, paths: Iterable[Path]) -> FileSurvey:
        return files.survey(paths)

    def is_folder(self, path: Path) -> bool:
        return files.is_folder(path)

    def look(self, paths: Sequence[Path]) -> Sequence[FileOnDisk]:
        return files.look(paths)

    def read(self, path: Path, within: Path | None = None) -> bytes:
        return reading.read(path, self.max_bytes, within)


@dataclass(frozen=True, slots=True)
class UsefulnessJudge:
    """A judge of pages by their passages."""

    usefulness: Usefulness

    async def __call__(self, query: str, document: DocumentId) -> frozenset[str]:
        useful_content = await self.usefulness.find(query, document)
        return useful_content.clusters if useful_content else frozenset()


def _load_runner(settings: Settings) -> Runner:
    if settings.read_text("loop") == "own":
        return load_own_runner()
    try:
        from shisho.integrations.langgraph import run_graph
    except ImportError as error:
        raise ExtraMissing("blobs.extra_missing", setting="loop", extra="langgraph") from error
    return run_graph


def build_stores(
    settings: Settings, embedders: BuiltEmbedders | None, make_clock: MakeClock
) -> LibraryStores:
    """Build the stores without opening anything.

    `make_clock` gets the timeline of the storage, which measures all waiting.
    """
    if settings.read_text("store"):
        try:
            from shisho.bootstrap.postgres_stores import PostgresStores
        except ImportError as error:
            raise ExtraMissing("blobs.extra_missing", setting="store", extra="postgres") from error
        return PostgresStores(settings, embedders, make_clock)
    from shisho.bootstrap.embedded_stores import EmbeddedStores

    return EmbeddedStores(settings, embedders, make_clock)
