"""The base of all encoders of text: an own thread, and unit vectors in half precision."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeAlias

from shisho.domain.embedding import EmbedderAbout, Embedding
from shisho.domain.model import ModelFault
from shisho.errors import ModelFailed
from shisho.records import dataclass

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Matrix: TypeAlias = "NDArray[np.float32]"
Encode = Callable[[Sequence[str]], Matrix]
QUIET_S = 0.5  # without a query, after which passages are encoded at full speed
LONGEST_WAIT_S = 1.0
LONGEST = 2_000  # characters: the limit of a passage, and of a query to bound its cost


@dataclass(frozen=True, slots=True)
class EncoderPair:
    """The encoders of passages and queries, which differ.

    Each returns a row of numbers for each text.
    """

    passages: Encode
    query: Encode


class ThreadedEmbedder:
    """`ports.Embedder` over functions that compute.

    `load` is called for the first text, as weights load slowly. One thread encodes all texts, because most
    encoders are not thread-safe. An encoder that is gets a second thread for queries, which then never wait
    for a passage.

    Queries go before passages: passages are encoded one at a time, and each waits up to a second while
    queries arrive. A search then collides with a passage in one case of 25, and ten thousand passages need
    three hours of uninterrupted searches.
    """

    def __init__(
        self, about: EmbedderAbout, load: Callable[[], EncoderPair], *, for_several_threads: bool = False
    ) -> None:
        self.about = about
        self._load = load
        self._loading = threading.Lock()
        self._encoders: EncoderPair | None = None
        self._queried = -QUIET_S
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="shisho-embed")
        self._asked = self._worker
        if for_several_threads:
            self._asked = ThreadPoolExecutor(1, thread_name_prefix="shisho-embed-query")

    async def embed_passages(self, texts: Sequence[str]) -> Sequence[Embedding]:
        vectors = []
        for text in texts:
            await self._wait_for_quiet()
            vectors += await self._encode(self._worker, text, lambda encoders: encoders.passages)
        return vectors

    async def embed_query(self, text: str) -> Embedding:
        self._queried = time.monotonic()
        return (await self._encode(self._asked, text, lambda encoders: encoders.query))[0]

    async def _wait_for_quiet(self) -> None:
        """Wait until no query has arrived for a while."""
        until = time.monotonic() + LONGEST_WAIT_S
        while (now := time.monotonic()) < until and now - self._queried < QUIET_S:  # noqa: ASYNC110  (time, not an event)
            await asyncio.sleep(min(until - now, QUIET_S - (now - self._queried)))

    async def _encode(
        self, worker: ThreadPoolExecutor, text: str, which: Callable[[EncoderPair], Encode]
    ) -> list[Embedding]:
        def encode_text() -> list[Embedding]:
            encode = which(self._load_pair())
            return normalise_rows(encode([text[:LONGEST]]), self.about.name)

        return await asyncio.get_running_loop().run_in_executor(worker, encode_text)

    def _load_pair(self) -> EncoderPair:
        with self._loading:
            if self._encoders is None:
                self._encoders = self._load()
            return self._encoders


def add_prefixes(encode: Encode, passage: str, query: str) -> EncoderPair:
    """Return a pair that uses one encoder with different text prefixes."""

    def prepend_prefix(prefix: str) -> Encode:
        return lambda texts: encode([prefix + text for text in texts])

    return EncoderPair(prepend_prefix(passage), prepend_prefix(query))


def normalise_rows(rows: Any, name: str) -> list[Embedding]:
    """Normalize rows to unit length; a row of zeros is unchanged.

    Raises: ModelFailed for NaN or infinity.
    """
    import numpy as np  # imported here, as listing documents does not need it

    matrix = np.atleast_2d(np.asarray(rows, np.float32))
    if not np.isfinite(matrix).all():
        raise ModelFailed(
            "embedder.not_finite",
            name=name,
            fault=str(ModelFault.MALFORMED),
        )
    lengths = np.linalg.norm(matrix.astype(np.float64), axis=1, keepdims=True)
    units = matrix / np.maximum(lengths, np.finfo(np.float32).tiny)
    return [Embedding(row.tobytes()) for row in units.astype("<f2")]
