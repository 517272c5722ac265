"""The language model and local models: list, download, test, calibrate; embedding of passages.

Long work runs in the background.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from shisho.domain.answer_news import ignore_news
from shisho.domain.corpus import LOCAL_OWNER, Check
from shisho.domain.embedding import CalibrationTarget, EmbeddingProgress, StoredModel
from shisho.domain.model import FoundModel, ModelSetting, ModelWork, ModelWorkKind, ModelWorkState
from shisho.errors import Conflict, InvalidParams, ShishoError
from shisho.messages import Message
from shisho.messages.system import explain_error
from shisho.ports import FollowerTurn, Index
from shisho.services import intake
from shisho.services.news import Notify, VectorsMade
from shisho.telemetry import log

if TYPE_CHECKING:
    from shisho.corpus.embedding import PassageEmbedding

ReportBytes = Callable[[int, int], None]


class LanguageModel(Protocol):
    """The configured language model, and the models of servers on this machine."""

    def get_chosen(self) -> ModelSetting: ...
    def choose(self, setting: ModelSetting) -> None: ...
    async def check(self, setting: ModelSetting | None) -> Check: ...
    async def find_served(self) -> Sequence[FoundModel]: ...


class LocalEmbedders(Protocol):
    """The embedders that are stored on this machine."""

    def list_stored(self) -> Sequence[StoredModel]: ...
    async def pull(self, name: str, report: ReportBytes) -> bool:
        """Download an embedder. Returns False if it was already stored."""

    def get_target(self) -> CalibrationTarget:
        """Return the embedder to calibrate. Raises ExtraMissing if none works."""


class Models:
    """The language model, and local embedders. Only this machine's owner may change models.

    `roots`: the allowed folders.
    """

    def __init__(
        self,
        owner: str,
        roots: Sequence[Path],
        language_model: LanguageModel,
        embedders: LocalEmbedders,
        embeddings: Embeddings,
    ) -> None:
        self._owner = owner
        self._roots = roots
        self._language_model = language_model
        self._embedders = embedders
        self._embeddings = embeddings
        self._work: ModelWork | None = None
        self._running: asyncio.Task[None] | None = None

    async def list_stored(self) -> Sequence[StoredModel]:
        """List the embedders that are completely stored on this machine."""
        return await asyncio.to_thread(self._embedders.list_stored)

    def get_work(self) -> ModelWork | None:
        """Return the current or latest background work; None if there was none since the start."""
        return self._work

    async def get_progress(self) -> EmbeddingProgress | None:
        """Return how many passages have a vector.

        Returns None without an embedder, and for users other than this machine's owner, because the count
        includes everyone's passages.
        """
        return await self._embeddings.get_progress() if self._owner == LOCAL_OWNER else None

    def get_calibration_target(self) -> CalibrationTarget:
        """Return the embedder to calibrate. Raises ExtraMissing if none works."""
        return self._embedders.get_target()

    async def check(self, setting: ModelSetting | None = None) -> Check:
        """Make one real call of the language model, or of another one. Raises InvalidParams for guests."""
        if setting is not None:
            self._check_host()
        return await self._language_model.check(setting)

    async def find(self) -> Sequence[FoundModel]:
        """Return the models of servers on this machine; none for guests."""
        return await self._language_model.find_served() if self._owner == LOCAL_OWNER else ()

    def get_chosen(self) -> ModelSetting:
        """Return the configured language model. Its key is only empty or `set`."""
        self._check_host()
        return self._language_model.get_chosen()

    async def choose(self, setting: ModelSetting) -> None:
        """Configure the language model from the next question on. Raises InvalidParams, ExtraMissing."""
        self._check_host()
        await asyncio.to_thread(self._language_model.choose, setting)

    async def begin_pull(self, name: str) -> ModelWork:
        """Start the download of an embedder, named owner/name.

        Raises Conflict during other work, InvalidParams.
        """
        self._check_host()
        name = name.strip()
        if name.count("/") != 1 or not all(name.split("/")):
            raise InvalidParams("models.bad_name", name=name)

        async def pull() -> str:
            is_new = await self._embedders.pull(name, self._report)
            return Message("models.fetched") if is_new else Message("models.was_here")

        return self._begin(ModelWorkKind.PULL, name, pull)

    async def begin_calibration(
        self, folder: Path | str, calibrate: Callable[[Path], Awaitable[str]]
    ) -> ModelWork:
        """Start to calibrate the weight of words against meaning.

        On a set of questions below `allowed_roots`. Raises Conflict during other work, ForbiddenPath,
        InvalidParams.
        """
        self._check_host()
        root = await asyncio.to_thread(intake.check_allowed, folder, self._roots)
        return self._begin(ModelWorkKind.CALIBRATE, str(root), lambda: calibrate(root))

    def _check_host(self) -> None:
        if self._owner != LOCAL_OWNER:
            raise InvalidParams("models.owner_only")

    def _begin(self, kind: ModelWorkKind, subject: str, run: Callable[[], Awaitable[str]]) -> ModelWork:
        if self._running is not None and not self._running.done():
            raise Conflict("models.busy", subject="" if self._work is None else self._work.subject)
        self._work = ModelWork(kind, subject, ModelWorkState.RUNNING)
        self._running = asyncio.create_task(self._run(run))
        return self._work

    async def _run(self, run: Callable[[], Awaitable[str]]) -> None:
        try:
            message = await run()
        except (ShishoError, OSError) as error:
            reason = explain_error(error)
            self._end(ModelWorkState.FAILED, reason)
        else:
            self._end(ModelWorkState.DONE, message)

    def _report(self, done: int, total: int) -> None:
        assert self._work is not None
        self._work = replace(self._work, done=done, total=total)

    def _end(self, state: ModelWorkState, message: str) -> None:
        assert self._work is not None
        self._work = replace(self._work, state=state, message=message)


TURN_S = 5.0  # between two attempts to get the lock
AFTER_FAILURE_S = 60.0
IDLE_S = 5.0  # between two checks for work
REST = 1.0  # of the time that a batch took: leave half of a core to others
NOTHING = EmbeddingProgress(0, 0)


class Embeddings:
    """Embeddings of the library's passages."""

    def __init__(
        self,
        embedding: PassageEmbedding | None,
        index: Index,
        turn: FollowerTurn,
        seconds: Callable[[], float],
    ) -> None:
        """Create it.

        `embedding`: None without an embedder; `index`: applies new vectors, so that searches need not;
        `turn`: only one process works in the background; `seconds`: a monotonic clock.
        """
        self._embedding = embedding
        self._index = index
        self._turn = turn
        self._seconds = seconds

    async def get_progress(self) -> EmbeddingProgress | None:
        """Return how many passages have a vector; None without an embedder."""
        return None if self._embedding is None else await self._embedding.measure_progress()

    async def embed(self, notify: Notify = ignore_news) -> EmbeddingProgress:
        """Embed all passages without a vector. `notify` receives `VectorsMade` after each batch.

        Finished batches are kept if it is interrupted.
        """
        progress = await self.get_progress() or NOTHING
        notify(VectorsMade(progress))
        # One more call than there are batches: only finding nothing left retires an earlier embedder.
        while self._embedding is not None and (count := await self._embedding.embed_next()):
            done = progress.done + count
            progress = EmbeddingProgress(done, max(progress.total, done))
            notify(VectorsMade(progress))
        notify(VectorsMade(progress))
        return progress

    async def keep_up(self) -> None:
        """Embed missing and future passages until it is cancelled, waiting while another process does so."""
        if self._embedding is None:
            await asyncio.Event().wait()
            return
        try:
            while True:
                if not await asyncio.to_thread(self._turn.take):
                    await asyncio.sleep(TURN_S)
                    continue
                started = self._seconds()
                count = await self._embed_batch()
                await asyncio.sleep(REST * (self._seconds() - started) if count else IDLE_S)
        finally:
            self._turn.end()

    async def _embed_batch(self) -> int:
        """Embed the next batch and return its size. A server that does not answer is retried later."""
        assert self._embedding is not None
        try:
            count = await self._embedding.embed_next()
            if count:
                await self._index.catch_up()
            return count
        except ShishoError as error:
            log.warning(Message("embedding.paused", why=error.message))
            await asyncio.sleep(AFTER_FAILURE_S)
            return 0
