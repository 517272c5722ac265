"""The files of the index of vectors. Whoever holds the lock of the folder appends; the watermark, written
last, says how far the files are good, so that a process killed in the middle leaves nothing half done."""

from __future__ import annotations

import fcntl
import json
import os
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

FORMAT = 3
ROW = np.dtype([("passage", "<i8"), ("document", "<u4"), ("page", "<i4")])
"""What stands beside the code of a vector: its passage, the place of its document in the list of documents,
and its page, 0 for none."""
VECTOR = np.dtype("<f2")
FILES = ("rows", "codes", "vectors", "documents")
Rows = NDArray[np.void]
Codes = NDArray[np.uint8]
Vectors = NDArray[np.float16]


@dataclass(frozen=True, slots=True)
class Watermark:
    """How far files are good: the last vector taken in, how many there are, and the bytes of the list of
    documents. `scale`: what a component was multiplied by; `generation` changes when they are made anew."""

    generation: str
    seq: int = 0
    rows: int = 0
    document_bytes: int = 0
    scale: float = 0.0
    format: int = FORMAT


@dataclass(frozen=True, slots=True)
class DenseBatch:
    """What is remembered of vectors in the order in which they came, with the documents that are new among
    theirs."""

    rows: Rows
    codes: Codes
    documents: Sequence[str]


class DenseFiles:
    """The files below a folder. Every method but `watermark`, `load` and `map_vectors` is for whoever is
    writing."""

    def __init__(self, folder: Path, dimensions: int) -> None:
        self._folder = folder
        self._dimensions = dimensions

    def watermark(self) -> Watermark | None:
        """None where there is nothing good."""
        with suppress(OSError, ValueError, TypeError):
            mark = Watermark(**json.loads((self._folder / "watermark").read_text("ascii")))
            return mark if mark.format == FORMAT and self._holds(mark) else None
        return None

    def load(self, after: Watermark, mark: Watermark) -> DenseBatch:
        """Load what stands between two watermarks of one generation. Raises OSError."""
        width = self._dimensions
        rows = self._part("rows", ROW, after.rows, mark.rows)
        codes = self._part("codes", np.dtype(np.uint8), after.rows * width, mark.rows * width)
        names = self._part("documents", np.dtype(np.uint8), after.document_bytes, mark.document_bytes)
        return DenseBatch(rows, codes.reshape(-1, width), names.tobytes().decode("ascii").split())

    def map_vectors(self, mark: Watermark) -> Vectors:
        """The vectors up to a watermark, read only where they are looked at. Raises OSError, ValueError."""
        shape = (mark.rows, self._dimensions)
        if not mark.rows:  # an empty file cannot be mapped
            return np.empty(shape, VECTOR)
        return np.asarray(np.memmap(self._folder / "vectors", VECTOR, "r", shape=shape))

    @contextmanager
    def hold_for_writing(self) -> Iterator[None]:
        """Hold the lock of the folder. Raises BlockingIOError where another process holds it, another OSError
        where the folder cannot be written."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with (self._folder / "lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield

    def begin(self) -> Watermark:
        """Make the files anew."""
        for name in ("watermark", *FILES):
            (self._folder / name).unlink(missing_ok=True)
        mark = Watermark(uuid.uuid4().hex)
        for name in FILES:
            (self._folder / name).touch(mode=0o600)
        self._write(mark)
        return mark

    def append(
        self, mark: Watermark, batch: DenseBatch, vectors: Vectors, seq: int, scale: float
    ) -> Watermark:
        """Add a batch and its vectors after `mark`, over whatever a killed process left there."""
        documents = "".join(f"{name}\n" for name in batch.documents).encode("ascii")
        self._extend("rows", mark.rows * ROW.itemsize, batch.rows.tobytes())
        self._extend("codes", mark.rows * self._dimensions, batch.codes.tobytes())
        self._extend("vectors", mark.rows * self._dimensions * VECTOR.itemsize, vectors.tobytes())
        self._extend("documents", mark.document_bytes, documents)
        fresh = replace(
            mark,
            seq=seq,
            rows=mark.rows + len(batch.rows),
            document_bytes=mark.document_bytes + len(documents),
            scale=scale,
        )
        self._write(fresh)
        return fresh

    def _holds(self, mark: Watermark) -> bool:
        sizes = {
            "rows": mark.rows * ROW.itemsize,
            "codes": mark.rows * self._dimensions,
            "vectors": mark.rows * self._dimensions * VECTOR.itemsize,
            "documents": mark.document_bytes,
        }
        return all((self._folder / name).stat().st_size >= size for name, size in sizes.items())

    def _part(self, name: str, kind: np.dtype[Any], start: int, end: int) -> NDArray[Any]:
        return np.fromfile(self._folder / name, kind, end - start, offset=start * kind.itemsize)

    def _extend(self, name: str, at: int, data: bytes) -> None:
        with (self._folder / name).open("r+b") as file:
            file.truncate(at)
            file.seek(at)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())

    def _write(self, mark: Watermark) -> None:
        fresh = self._folder / "watermark.new"
        fresh.write_text(json.dumps(asdict(mark)), "ascii")
        fresh.replace(self._folder / "watermark")
