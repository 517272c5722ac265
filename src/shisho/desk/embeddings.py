"""Vectors for what is in the library: made now while somebody waits, or little by little in the
background."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol

from shisho.desk.callbacks import Notify
from shisho.desk.news import VectorsMade
from shisho.domain.answer_news import ignore_news
from shisho.domain.embedding import EmbeddingProgress
from shisho.errors import ShishoError
from shisho.messages.message import Message
from shisho.ports import FollowerTurn, Index
from shisho.telemetry import log

TURN_S = 5.0  # between two tries to become the one that works
AFTER_FAILURE_S = 60.0
IDLE_S = 2.0  # between two looks whether there is work
REST = 1.0  # of the time that a batch took: half of a core is left to others
NOTHING = EmbeddingProgress(0, 0)


class PassageEmbedder(Protocol):
    """Gives passages their vectors."""

    async def embed_next(self) -> int:
        """The next few. Returns how many there were; 0: nothing is missing."""

    async def measure_progress(self) -> EmbeddingProgress: ...


class EmbeddingDesk:
    """The verbs of vectors."""

    def __init__(
        self,
        embedding: PassageEmbedder | None,
        index: Index,
        turn: FollowerTurn,
        seconds: Callable[[], float],
    ) -> None:
        """`embedding`: None where there is no embedder; `index`: takes new vectors in, so that no search has
        to; `turn`: one process at a time works in the background;
        `seconds`: a clock that never runs back."""
        self._embedding = embedding
        self._index = index
        self._turn = turn
        self._seconds = seconds

    async def progress(self) -> EmbeddingProgress | None:
        """How many passages have a vector; None where there is no embedder."""
        return None if self._embedding is None else await self._embedding.measure_progress()

    async def embed(self, notify: Notify = ignore_news) -> EmbeddingProgress:
        """Make all that are missing. `notify` hears `VectorsMade` after each batch; what is made is kept,
        wherever it is broken off."""
        progress = await self.progress() or NOTHING
        notify(VectorsMade(progress))
        # Once more than there are batches: that nothing is missing is what ends the time of an earlier
        # embedder.
        while self._embedding is not None and (count := await self._embedding.embed_next()):
            done = progress.done + count
            progress = EmbeddingProgress(done, max(progress.total, done))
            notify(VectorsMade(progress))
        notify(VectorsMade(progress))
        return progress

    async def keep_up(self) -> None:
        """Make what is missing, and what will be, until it is cancelled. Another process that does so is
        waited for."""
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
        """How many passages got a vector. A server that does not answer is asked again later, and stops
        nothing else."""
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
