"""The files of the index of vectors. Whoever holds the lock of the folder appends; the watermark, written
last, says how far the files are good, so that a process killed in the middle leaves nothing half done."""

from __future__ import annotations

import fcntl
import json
import os
import uuid
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shisho.stores.embedded.index_damage import LOOKED_AT, IndexDamaged

FORMAT = 4
ROW = np.dtype([("passage", "<i8"), ("document", "<u4"), ("page", "<i4")])
"""What stands beside the code of a vector: its passage, the place of its document in the list of documents,
and its page, 0 for none."""
VECTOR = np.dtype("<f2")
WATERMARK = "watermark"
FILES = ("rows", "codes", "vectors", "documents")
Rows = NDArray[np.void]
Codes = NDArray[np.uint8]
Vectors = NDArray[np.float16]


@dataclass(frozen=True, slots=True)
class Watermark:
    """How far files are good: the last vector taken in, how many there are, and the bytes of the list of
    documents. `scale`: what a component was multiplied by; `generation` changes when they are made anew.
    `sums`: the checksum of each file so far."""

    generation: str
    seq: int = 0
    rows: int = 0
    document_bytes: int = 0
    scale: float = 0.0
    sums: Mapping[str, int] = field(default_factory=lambda: dict.fromkeys(FILES, 0))
    format: int = FORMAT


@dataclass(frozen=True, slots=True)
class DenseBatch:
    """What is remembered of vectors in the order in which they came, with the documents that are new among
    theirs."""

    rows: Rows
    codes: Codes
    documents: Sequence[str]


class DenseFiles:
    """The files below a folder. Every method but `watermark`, `load`, `check` and `map_vectors` is for
    whoever is writing."""

    def __init__(self, folder: Path, dimensions: int) -> None:
        self._folder = folder
        self._dimensions = dimensions

    def watermark(self) -> Watermark | None:
        """None where there is none of this form. Raises IndexDamaged where it cannot be read, or where files
        are shorter than it says."""
        try:
            fields = json.loads((self._folder / WATERMARK).read_text("ascii"))
            if fields["format"] != FORMAT:
                return None
            mark = Watermark(**fields)
        except FileNotFoundError:
            return None
        except (ValueError, TypeError, KeyError) as error:
            raise IndexDamaged(WATERMARK) from error
        for name, size in self._sizes(mark).items():
            if not self._has(name, size):
                raise IndexDamaged(name)
        return mark

    def load(self, after: Watermark, mark: Watermark) -> DenseBatch:
        """Load what stands between two watermarks of one generation. Raises OSError, IndexDamaged."""
        self._check(after, mark, LOOKED_AT)
        width = self._dimensions
        rows = self._part("rows", ROW, after.rows, mark.rows)
        codes = self._part("codes", np.dtype(np.uint8), after.rows * width, mark.rows * width)
        names = self._part("documents", np.dtype(np.uint8), after.document_bytes, mark.document_bytes)
        return DenseBatch(rows, codes.reshape(-1, width), names.tobytes().decode("ascii").split())

    def check(self, mark: Watermark) -> None:
        """Look through all that the files hold. Raises OSError, IndexDamaged."""
        self._check(Watermark(mark.generation), mark, None)

    def _check(self, after: Watermark, mark: Watermark, most_bytes: int | None) -> None:
        """`most_bytes`: vectors of more are not looked at, as nobody reads them all."""
        begins = self._sizes(after)
        for name, end in self._sizes(mark).items():
            length = end - begins[name]
            if name == "vectors" and most_bytes is not None and length > most_bytes:
                continue
            data = self._part(name, np.dtype(np.uint8), begins[name], end).data
            if len(data) < length or zlib.crc32(data, after.sums[name]) != mark.sums[name]:
                raise IndexDamaged(name)

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
        for name in (WATERMARK, *FILES):
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
        contents = {
            "rows": batch.rows.tobytes(),
            "codes": batch.codes.tobytes(),
            "vectors": vectors.tobytes(),
            "documents": documents,
        }
        ends = self._sizes(mark)
        for name, data in contents.items():
            self._extend(name, ends[name], data)
        fresh = replace(
            mark,
            seq=seq,
            rows=mark.rows + len(batch.rows),
            document_bytes=mark.document_bytes + len(documents),
            scale=scale,
            sums={name: zlib.crc32(data, mark.sums[name]) for name, data in contents.items()},
        )
        self._write(fresh)
        return fresh

    def _sizes(self, mark: Watermark) -> dict[str, int]:
        """The bytes of each file that are good."""
        return {
            "rows": mark.rows * ROW.itemsize,
            "codes": mark.rows * self._dimensions,
            "vectors": mark.rows * self._dimensions * VECTOR.itemsize,
            "documents": mark.document_bytes,
        }

    def _has(self, name: str, size: int) -> bool:
        try:
            return (self._folder / name).stat().st_size >= size
        except FileNotFoundError:
            return False

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
        fresh = self._folder / f"{WATERMARK}.new"
        fresh.write_text(json.dumps(asdict(mark)), "ascii")
        fresh.replace(self._folder / WATERMARK)
