"""Embedding of the library's passages: in the foreground, or slowly in the background."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol

from shisho.domain.answer_news import ignore_news
from shisho.domain.embedding import EmbeddingProgress
from shisho.errors import ShishoError
from shisho.messages.message import Message
from shisho.ports import FollowerTurn, Index
from shisho.services.callbacks import Notify
from shisho.services.news import VectorsMade
from shisho.telemetry import log

TURN_S = 5.0  # between two attempts to get the lock
AFTER_FAILURE_S = 60.0
IDLE_S = 2.0  # between two checks for work
REST = 1.0  # of the time that a batch took: leave half of a core to others
NOTHING = EmbeddingProgress(0, 0)


class PassageEmbedder(Protocol):
    """A service that embeds passages."""

    async def embed_next(self) -> int:
        """Embed the next few passages. Returns their number; 0 if none is left."""

    async def measure_progress(self) -> EmbeddingProgress: ...


class Embeddings:
    """Embeddings of the library's passages."""

    def __init__(
        self,
        embedding: PassageEmbedder | None,
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
                count = await self._embedded_next()
                await asyncio.sleep(REST * (self._seconds() - started) if count else IDLE_S)
        finally:
            self._turn.end()

    async def _embedded_next(self) -> int:
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
