"""The vector index: eight bits per component, scanned completely by faiss.

It is derived from the vectors in the database; its folder can be deleted at any time. A scan is exact under
any filter and any exclusion, at the speed of the machine's memory; a graph is not. The best candidates are
sorted by their full vectors, which are read from a memory-mapped file: reading them from the database took a
sixth of the time of a search.
"""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import apsw
import numpy as np
from numpy.typing import NDArray

from shisho.domain.corpus import PassageId
from shisho.domain.embedding import EmbedderAbout, Embedding
from shisho.domain.library import IndexDamage
from shisho.messages import Message
from shisho.messages.system import explain_error
from shisho.stores import nouns
from shisho.stores.embedded import rows
from shisho.stores.embedded.connect import Database
from shisho.stores.embedded.dense_files import ROW, VECTOR, Codes, DenseBatch, DenseFiles, Vectors, Watermark
from shisho.stores.embedded.index_damage import IndexDamaged, log_rebuild
from shisho.stores.embedded.packed_vectors import unpack_vectors
from shisho.stores.indexing import IndexScope
from shisho.telemetry import log, span

BATCH = 2_000  # vectors to index at once
# Extra candidates that are re-sorted by their stored vectors: of 100,000 × 256 clustered vectors, the
# eight-bit scores misplaced no nearest neighbour by more than this.
SPARE = 50
STEPS = 127  # of a component on each side of zero
MIDDLE = 128  # the code of zero
ROOM = 1.25  # headroom for components that are larger than any of the first batch
FRACTION_BITS = 13  # that a float has more than a half
KEPT_BITS = np.int32(0x0FFFE000 - (1 << 31))  # mask of a shifted half: its sign, exponent and fraction
EXPONENT_FACTOR = np.float32(2.0**112)  # exponents of floats are biased by 127, those of halves by 15
Mask = NDArray[np.bool_]
PATIENCE = 5.0  # seconds to wait for another process

# Read the newest vector of an embedder, and the newest change of the shelf.
NEWEST = """SELECT (SELECT coalesce(max(e.seq), 0) FROM embeddings e JOIN embedders m ON m.id = e.embedder_id
        WHERE m.name = ?) AS vector, (SELECT coalesce(max(seq), 0) FROM changes) AS change"""
# Check whether an embedder has at least so many vectors.
IS_LARGE = """SELECT count(*) = :number AS is_large FROM (SELECT 1 FROM embeddings e JOIN embedders m ON m.id = e.embedder_id
    WHERE m.name = :name LIMIT :number)"""
# Read the dimensions of an embedder's vectors.
DIMENSIONS = "SELECT dimensions FROM embedders WHERE name = ?"
# List vectors after a given one, in order of arrival.
NEW_VECTORS = """SELECT e.seq, e.passage_id, e.vector, p.document_id, coalesce(p.page, 0) AS page
    FROM embeddings e JOIN embedders m ON m.id = e.embedder_id JOIN passages p ON p.id = e.passage_id
    WHERE m.name = ? AND e.seq > ? ORDER BY e.seq LIMIT ?"""
# List documents that changed since a given change, with their current states. A missing document was purged.
CHANGED = """SELECT DISTINCT c.document_id AS id, coalesce(d.state, 'purged') AS state
    FROM changes c LEFT JOIN documents d ON d.id = c.document_id WHERE c.seq > ?"""
# Select the live documents among some, with their corpora.
LIVE = f"SELECT d.id, d.corpus_id FROM documents d WHERE d.state = 'live' AND d.id IN {rows.ANY_OF}"
# Read the vectors of some passages.
STORED = f"""SELECT e.passage_id AS passage, e.vector FROM embeddings e
    WHERE e.embedder_id = (SELECT id FROM embedders WHERE name = ?) AND e.passage_id IN {rows.ANY_NUMBER_OF}"""


class DenseIndex:
    """The vectors of one embedder. A lock serializes access.

    An embedder with fewer vectors than `files_from` has no files, which would store them a second time. Each
    process reads them from the database.
    """

    def __init__(self, folder: Path, database: Database, about: EmbedderAbout, files_from: int = 0) -> None:
        self._folder = folder
        self._database = database
        self._about = about
        self._files_from = files_from
        self._is_in_memory = False
        self._dimensions = 0
        self._lock = threading.Lock()
        self._forget()

    def is_current(self, connection: apsw.Connection) -> bool:
        """Return True if it includes everything that the connection sees."""
        newest = rows.fetch_all(connection.execute(NEWEST, (self._about.name,)))[0]
        return bool(self._mark.seq >= newest.vector and self._change >= newest.change)

    def catch_up(self) -> None:
        """Index new vectors, and update which documents are live.

        Waits for a while if another process is doing the same.
        """
        with self._lock, span("dense.catch_up", since=self._mark.seq):
            if not self._dimensions:
                self._dimensions = self._database.snapshot(self._read_dimensions)
            if not self._dimensions:  # there are no vectors yet
                _, self._change = self._database.snapshot(self._list_changed)
                return
            until = time.monotonic() + PATIENCE
            while not self._has_written():
                if time.monotonic() > until:
                    log.warning(Message("vectors.behind"))
                    return
                time.sleep(0.05)

    def find_nearest(
        self,
        connection: apsw.Connection,
        vector: Embedding,
        allowed: IndexScope,
        limit: int,
        passage_ids: frozenset[PassageId],
    ) -> dict[PassageId, float]:
        """Implement `ports.SearchView.find_nearest`."""
        most = limit + SPARE
        with self._lock:
            rows_found = self._scan_nearest(_read_floats(vector), allowed, most + len(passage_ids))
            numbers = self._rows["passage"][rows_found]
            vectors = self._vectors
        if passage_ids:
            others = ~np.isin(numbers, [nouns.passage_number(name) for name in passage_ids])
            rows_found = rows_found[others]
            numbers = numbers[others]
        rows_found = rows_found[:most]
        numbers = numbers[:most]
        if vectors is None:
            names = map(nouns.passage_id, numbers.tolist())
            scores = cosines(connection, self._about.name, vector, [*names])
            best = dict(sorted(scores.items(), key=lambda scored: (-scored[1], scored[0])))
        else:
            exact = _score(vectors[rows_found], vector)
            order = np.lexsort((numbers, -exact))  # numbers sort like the names
            best = _map_scores(numbers[order], exact[order])
        return dict(islice(best.items(), limit))

    def measure_similarities(
        self, connection: apsw.Connection, vector: Embedding, ids: Sequence[PassageId]
    ) -> dict[PassageId, float]:
        """Implement `ports.SearchView.measure_similarities`."""
        names = {nouns.passage_number(name): name for name in ids}
        with self._lock:
            rows_found = self._find_rows([*names])
            numbers = self._rows["passage"][rows_found]
            vectors = self._vectors
        if vectors is None:
            return cosines(connection, self._about.name, vector, ids)
        known_names = map(names.__getitem__, numbers.tolist())
        known = dict(zip(known_names, _score(vectors[rows_found], vector).tolist(), strict=True))
        unknown = [name for name in ids if name not in known]
        return known | cosines(connection, self._about.name, vector, unknown) if unknown else known

    def read_embeddings(
        self, connection: apsw.Connection, ids: Sequence[PassageId]
    ) -> dict[PassageId, Embedding]:
        """Implement `ports.SearchView.read_embeddings`."""
        return read_embeddings(connection, self._about.name, ids)

    def _read_dimensions(self, connection: apsw.Connection) -> int:
        row = rows.fetch_first(connection.execute(DIMENSIONS, (self._about.name,)))
        return 0 if row is None else int(row.dimensions)

    def _forget(self) -> None:
        self._mark = Watermark("")
        self._change = 0
        self._rows = np.zeros(0, ROW)
        self._order = RowOrder()
        self._document_codes: dict[str, int] = {}
        self._corpora = np.zeros(0, np.int64)  # of each document in the list; -1 if it is not live
        self._scan: Any = None
        self._vectors: Vectors | None = None  # of each row; None if they are in the database alone

    def _has_written(self) -> bool:
        """Update the files and memory; return False if another process locks the files."""
        is_in_memory = not self._database.snapshot(self._is_large)
        if is_in_memory != self._is_in_memory:
            self._forget()
            self._is_in_memory = is_in_memory
        if is_in_memory:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._apply_changes(None)
            return True
        try:
            files = DenseFiles(self._folder, self._dimensions)
            with files.hold_for_writing():
                try:
                    self._read_files(files)
                except IndexDamaged as damage:
                    self._rebuild(files, str(damage))
                self._apply_changes(files)
                self._vectors = files.map_vectors(self._mark)
        except BlockingIOError:
            return False
        except OSError as error:  # the home folder is not writable
            why = explain_error(error)
            log.warning(Message("vectors.in_memory", why=why))
            self._vectors = None
            self._apply_changes(None)
        return True

    def _is_large(self, connection: apsw.Connection) -> bool:
        values = {"name": self._about.name, "number": self._files_from}
        return bool(connection.execute(IS_LARGE, values).get)

    def examine(self) -> IndexDamage | None:
        """Check all files, and rebuild them if one is damaged.

        Returns None if there is no damage, or if another process is writing. Raises OSError.
        """
        with self._lock:
            self._dimensions = self._dimensions or self._database.snapshot(self._read_dimensions)
            if not self._database.snapshot(self._is_large):
                return None
            files = DenseFiles(self._folder, self._dimensions)
            try:
                with files.hold_for_writing():
                    return self._examine(files)
            except BlockingIOError:
                return None

    def _examine(self, files: DenseFiles) -> IndexDamage | None:
        try:
            mark = files.watermark()
            if mark is not None:
                files.check(mark)
        except IndexDamaged as damage:
            self._rebuild(files, str(damage))
            return IndexDamage(self._folder.name, str(damage), is_remade=True)
        return None

    def _rebuild(self, files: DenseFiles, file: str) -> None:
        log_rebuild(self._folder, file)
        self._forget()
        self._mark = files.begin()

    def _read_files(self, files: DenseFiles) -> None:
        """Load the rows that other processes have written since."""
        mark = files.watermark()
        if mark is None:
            mark = files.begin()
        if mark.generation != self._mark.generation:
            self._forget()
            self._mark = Watermark(mark.generation)
        if mark.rows > self._mark.rows:
            self._remember(files.load(self._mark, mark))
        self._mark = mark

    def _apply_changes(self, files: DenseFiles | None) -> None:
        changed, newest = self._database.snapshot(self._list_changed)
        if any(row.state == "purged" and row.id in self._document_codes for row in changed):
            # Its codes would still reveal its content, and rows refer to documents by position: rebuild
            # everything, O(vectors).
            self._forget()
            self._mark = Watermark("") if files is None else files.begin()
        while arrived := self._database.snapshot(self._list_new_vectors):
            self._append(arrived, files)
        self._update({row.id for row in changed})
        self._change = newest

    def _list_changed(self, connection: apsw.Connection) -> tuple[list[rows.Row], int]:
        newest = rows.fetch_all(connection.execute(NEWEST, (self._about.name,)))[0]
        return rows.fetch_all(connection.execute(CHANGED, (self._change,))), newest.change

    def _list_new_vectors(self, connection: apsw.Connection) -> list[rows.Row]:
        return rows.fetch_all(connection.execute(NEW_VECTORS, (self._about.name, self._mark.seq, BATCH)))

    def _append(self, arrived: Sequence[rows.Row], files: DenseFiles | None) -> None:
        vectors = unpack_vectors([row.vector for row in arrived])
        scale = self._mark.scale or STEPS / (ROOM * float(np.abs(vectors).max()))
        names = dict.fromkeys(row.document_id for row in arrived)
        new = [name for name in names if name not in self._document_codes]
        codes = self._document_codes | {name: len(self._document_codes) + at for at, name in enumerate(new)}
        table = np.array([(row.passage_id, codes[row.document_id], row.page) for row in arrived], ROW)
        batch = DenseBatch(table, _encode(vectors, scale), new)
        seq = arrived[-1].seq
        mark = self._mark if files is None else files.append(self._mark, batch, vectors, seq, scale)
        self._remember(batch)
        if self._is_in_memory:
            self._vectors = vectors if self._vectors is None else np.concatenate([self._vectors, vectors])
        self._mark = mark if files is not None else Watermark("", seq, len(self._rows), scale=scale)

    def _remember(self, batch: DenseBatch) -> None:
        import faiss  # imported here, because it takes 0.2 s and many libraries have no vectors

        if self._scan is None:
            kind = faiss.ScalarQuantizer.QT_8bit_direct_signed
            self._scan = faiss.IndexScalarQuantizer(self._dimensions, kind, faiss.METRIC_INNER_PRODUCT)
        self._scan.add_sa_codes(batch.codes)
        self._rows = np.concatenate([self._rows, batch.rows])
        first = len(self._document_codes)
        self._document_codes |= {name: first + at for at, name in enumerate(batch.documents)}
        self._corpora = np.concatenate([self._corpora, np.full(len(batch.documents), -1)])
        self._update(batch.documents)

    def _update(self, documents: Iterable[str]) -> None:
        """Update the corpora of these documents; -1 for those that are not live."""
        known = [name for name in documents if name in self._document_codes]
        live = self._database.snapshot(partial(_live, names=known)) if known else {}
        codes = [self._document_codes[name] for name in known]
        self._corpora[codes] = [live.get(name, -1) for name in known]

    def _scan_nearest(
        self, vector: NDArray[np.float32], allowed: IndexScope, limit: int
    ) -> NDArray[np.int64]:
        """Return the rows of the nearest vectors, nearest first."""
        if self._scan is None:
            return np.zeros(0, np.int64)
        mask = self._mask(allowed)
        bits = None if mask is None else np.packbits(mask, bitorder="little")
        parameters = None if bits is None else _restrict(bits)
        most = min(limit, len(self._rows))
        # For wide vectors, faiss rounds the query's numbers to integers: those of a unit vector would all
        # become zero.
        steps = np.rint(vector * (STEPS / max(float(np.abs(vector).max()), 1e-9))).astype(np.float32)
        _use_one_thread()
        _, rows_found = self._scan.search(steps.reshape(1, -1), most, params=parameters)
        nearest: NDArray[np.int64] = rows_found[0][rows_found[0] >= 0]
        return nearest

    def _find_rows(self, numbers: Sequence[int]) -> NDArray[np.int64]:
        """Return the rows of some passages, without those that have none."""
        self._order.extend(self._rows["passage"])
        return self._order.find(numbers)

    def _mask(self, allowed: IndexScope) -> Mask | None:
        """Return the mask of vectors in scope; None if all are."""
        documents = self._corpora >= 0
        if allowed.corpora is not None:
            documents &= np.isin(self._corpora, allowed.corpora)
        if allowed.documents is not None:
            documents &= self._mark_documents(allowed.documents)
        if allowed.without:
            documents &= ~self._mark_documents(allowed.without)
        if allowed.pages is None and documents.all():
            return None
        mask: Mask = documents[self._rows["document"]]
        if allowed.pages is not None:
            low, high = allowed.pages
            pages = self._rows["page"]
            mask &= pages > 0
            mask &= pages >= (low or 0)
            mask &= pages <= (np.iinfo(np.int32).max if high is None else high)
        return mask

    def _mark_documents(self, documents: Iterable[str]) -> Mask:
        marked = np.zeros(len(self._corpora), np.bool_)
        marked[[self._document_codes[name] for name in documents if name in self._document_codes]] = True
        return marked


def cosines(
    connection: apsw.Connection, embedder: str, vector: Embedding, ids: Sequence[PassageId]
) -> dict[PassageId, float]:
    """Return cosines with the stored vectors of an embedder, for those of `ids` that have one."""
    names, vectors = _read_vectors(connection, embedder, ids)
    return dict(zip(names, _score(vectors, vector).tolist(), strict=True)) if names else {}


def _score(vectors: Vectors, vector: Embedding) -> NDArray[np.float32]:
    """Return the cosine with each of some vectors."""
    scores: NDArray[np.float32] = widen_halves(vectors) @ _read_floats(vector)
    return scores


def widen_halves(halves: Vectors) -> NDArray[np.float32]:
    """Convert finite halves to floats of the same value, five times as fast as `astype`.

    Exponent and fraction are shifted to their positions in a float; a factor corrects the exponent's bias.
    """
    bits = halves.view("<i2").astype(np.int32)  # the sign extends into the upper half
    bits <<= FRACTION_BITS
    bits &= KEPT_BITS
    floats: NDArray[np.float32] = bits.view(np.float32)
    floats *= EXPONENT_FACTOR
    return floats


def _map_scores(numbers: NDArray[np.int64], scores: NDArray[np.float32]) -> dict[PassageId, float]:
    """Return scores by passage ID."""
    return dict(zip(map(nouns.passage_id, numbers.tolist()), scores.tolist(), strict=True))


def read_embeddings(
    connection: apsw.Connection, embedder: str, ids: Iterable[PassageId]
) -> dict[PassageId, Embedding]:
    """Read the stored vectors of an embedder, for those of `ids` that have one."""
    names, vectors = _read_vectors(connection, embedder, ids)
    return {name: Embedding(vector.tobytes()) for name, vector in zip(names, vectors, strict=True)}


def _read_vectors(
    connection: apsw.Connection, embedder: str, ids: Iterable[PassageId]
) -> tuple[list[PassageId], Vectors]:
    """Read the stored vectors of an embedder: the passages that have one, and a row for each."""
    names = {nouns.passage_number(name): name for name in ids}
    stored: list[Any] = connection.execute(STORED, (embedder, rows.bind_numbers(names))).fetchall()
    if not stored:
        return [], np.empty((0, 0), VECTOR)
    return [names[number] for number, _ in stored], unpack_vectors([packed for _, packed in stored])


def _restrict(bits: Codes) -> Any:
    """Return parameters that restrict faiss to the vectors of a bitmap.

    `bits` must outlive them.
    """
    import faiss

    selector = faiss.IDSelectorBitmap(len(bits), faiss.swig_ptr(bits))
    parameters: Any = faiss.SearchParameters
    return parameters(sel=selector)


def _use_one_thread() -> None:
    """Use one thread for the scan: a second one spins while waiting, at eight times the cost.

    The setting applies to the calling thread, so each search sets it.
    """
    import faiss

    faiss.omp_set_num_threads(1)


def _live(connection: apsw.Connection, names: Sequence[str]) -> dict[str, int]:
    stored = rows.fetch_all(connection.execute(LIVE, (rows.bind_list(names),)))
    return {row.id: row.corpus_id for row in stored}


def _read_floats(vector: Embedding) -> NDArray[np.float32]:
    return np.frombuffer(vector, VECTOR).astype(np.float32)


def _encode(vectors: NDArray[np.float16], scale: float) -> Codes:
    steps = np.clip(np.rint(vectors.astype(np.float32) * scale), -STEPS, STEPS)
    codes: Codes = (steps + MIDDLE).astype(np.uint8)
    return codes


class RowOrder:
    """A sorted index from passage numbers to rows.

    It is extended when it is queried, so a search reads no database rows to find positions.
    """

    def __init__(self) -> None:
        self._numbers: NDArray[np.int64] = np.zeros(0, np.int64)
        self._rows: NDArray[np.int64] = np.zeros(0, np.int64)

    def extend(self, numbers: NDArray[np.int64]) -> None:
        """Add the rows that are new among `numbers`, the list of all rows."""
        known = len(self._numbers)
        if known == len(numbers):
            return
        fresh = numbers[known:]
        order = np.argsort(fresh, kind="stable")
        at = np.searchsorted(self._numbers, fresh[order], side="right")
        self._numbers = np.insert(self._numbers, at, fresh[order])
        self._rows = np.insert(self._rows, at, order + known)

    def find(self, numbers: Sequence[int]) -> NDArray[np.int64]:
        """Return the newest rows of some passages in the given order, without missing ones."""
        sought = np.array(numbers, np.int64)
        if not len(self._numbers):
            return np.zeros(0, np.int64)
        at = np.searchsorted(self._numbers, sought, side="right") - 1
        found: NDArray[np.int64] = at[(at >= 0) & (self._numbers[at] == sought)]
        return self._rows.take(found)
