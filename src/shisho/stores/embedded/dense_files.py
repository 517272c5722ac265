"""The files of the vector index, which the holder of the folder's lock appends to.

The watermark, written last, records the valid length of each file, so that a killed process leaves no partial
state.
"""

from __future__ import annotations

import fcntl
import json
import os
import uuid
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shisho.records import dataclass
from shisho.stores.embedded.index_damage import LOOKED_AT, IndexDamaged

FORMAT = 5
ROW = np.dtype([("passage", "<i8"), ("document", "<u4"), ("page", "<i4")])
"""A row: passage, position of its document in the list, and page (0 for none)."""
VECTOR = np.dtype("<f2")
WATERMARK = "watermark"
FILES = ("rows", "codes", "vectors", "documents")
Rows = NDArray[np.void]
Codes = NDArray[np.uint8]
Vectors = NDArray[np.float16]


@dataclass(frozen=True, slots=True)
class Watermark:
    """The valid length of the files: last vector, number of rows, bytes of the list.

    `document_bytes` is the length of the list of documents, `scale` the factor applied to components.
    `generation` changes when the files are rebuilt. `sums` has the checksum of each file so far.
    """

    generation: str
    seq: int = 0
    rows: int = 0
    document_bytes: int = 0
    scale: float = 0.0
    sums: Mapping[str, int] = field(default_factory=lambda: dict.fromkeys(FILES, 0))
    format: int = FORMAT


@dataclass(frozen=True, slots=True)
class DenseBatch:
    """Rows of vectors in order of arrival, with the documents that are new among them."""

    rows: Rows
    codes: Codes
    documents: Sequence[str]


class DenseFiles:
    """The files in a folder.

    Methods other than `watermark`, `load`, `check` and `map_vectors` need the write lock.
    """

    def __init__(self, folder: Path, dimensions: int) -> None:
        self._folder = folder
        self._dimensions = dimensions

    def watermark(self) -> Watermark | None:
        """Read the watermark; None if there is none of this format.

        Raises: IndexDamaged if it cannot be read, or if files are shorter than it says.
        """
        try:
            fields = json.loads((self._folder / WATERMARK).read_text("ascii"))
            if fields["format"] != FORMAT:
                return None
            mark = Watermark(**fields)
        except FileNotFoundError:
            return None
        except (ValueError, TypeError, KeyError) as error:
            raise IndexDamaged(WATERMARK) from error
        for name, size in self._measure_files(mark).items():
            if not self._has(name, size):
                raise IndexDamaged(name)
        return mark

    def load(self, after: Watermark, mark: Watermark) -> DenseBatch:
        """Load the rows between two watermarks of one generation. Raises OSError, IndexDamaged."""
        self._check(after, mark, LOOKED_AT)
        width = self._dimensions
        rows = self._read_part("rows", ROW, after.rows, mark.rows)
        codes = self._read_part("codes", np.dtype(np.uint8), after.rows * width, mark.rows * width)
        names = self._read_part("documents", np.dtype(np.uint8), after.document_bytes, mark.document_bytes)
        return DenseBatch(rows, codes.reshape(-1, width), names.tobytes().decode("ascii").split())

    def check(self, mark: Watermark) -> None:
        """Verify all files. Raises OSError, IndexDamaged."""
        self._check(Watermark(mark.generation), mark, None)

    def _check(self, after: Watermark, mark: Watermark, most_bytes: int | None) -> None:
        """Verify checksums; skip files of vectors above `most_bytes`, which are too large to read whole."""
        begins = self._measure_files(after)
        for name, end in self._measure_files(mark).items():
            length = end - begins[name]
            if name == "vectors" and most_bytes is not None and length > most_bytes:
                continue
            data = self._read_part(name, np.dtype(np.uint8), begins[name], end).data
            if len(data) < length or zlib.crc32(data, after.sums[name]) != mark.sums[name]:
                raise IndexDamaged(name)

    def map_vectors(self, mark: Watermark) -> Vectors:
        """Map the vectors up to a watermark into memory. Raises OSError, ValueError."""
        shape = (mark.rows, self._dimensions)
        if not mark.rows:  # an empty file cannot be mapped
            return np.empty(shape, VECTOR)
        return np.asarray(np.memmap(self._folder / "vectors", VECTOR, "r", shape=shape))

    @contextmanager
    def hold_for_writing(self) -> Iterator[None]:
        """Hold the lock of the folder.

        Raises: BlockingIOError if another process holds it, another OSError if the folder is not writable.
        """
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with (self._folder / "lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield

    def begin(self) -> Watermark:
        """Delete the files and create empty ones."""
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
        """Append a batch and its vectors after `mark`, overwriting leftovers of a killed process."""
        documents = "".join(f"{name}\n" for name in batch.documents).encode("ascii")
        contents = {
            "rows": batch.rows.tobytes(),
            "codes": batch.codes.tobytes(),
            "vectors": vectors.tobytes(),
            "documents": documents,
        }
        ends = self._measure_files(mark)
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

    def _measure_files(self, mark: Watermark) -> dict[str, int]:
        """Return the valid size of each file in bytes."""
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

    def _read_part(self, name: str, kind: np.dtype[Any], start: int, end: int) -> NDArray[Any]:
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
