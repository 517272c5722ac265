"""The tantivy indexes of the lexical index: one folder for each corpus.

So the content of a corpus never affects scores in another. Fields are tokenized at white space, and only
terms have frequencies. BM25 in tantivy is fixed at k1=1.2, b=.75.
"""

from __future__ import annotations

import errno
import os
import shutil
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

import tantivy

from shisho.domain.library import IndexDamage
from shisho.language.vectors import LINE_END, TERM_BYTES, encode_term
from shisho.messages import Message
from shisho.messages.system import explain_error
from shisho.records import dataclass
from shisho.stores.embedded.index_damage import (
    LOOKED_AT,
    META,
    IndexDamaged,
    find_damage,
    log_other_history,
    log_rebuild,
    notice_damage,
)
from shisho.stores.indexing import Word
from shisho.system.turn import FileTurn
from shisho.telemetry import log

FORMAT = "5"
HEAP = 128 << 20
LOCK = "lock"
WATERMARK = "watermark"
END = "."  # the end of the watermark: a truncated number would be another number
PATIENCE = 5.0  # seconds to wait for another writing process


@dataclass(frozen=True, slots=True)
class LexicalWatermark:
    """The last change that all indexes include, its salt, and the corpora that have an index."""

    last_change: int
    salt: int
    corpora: frozenset[int]


class CorpusIndexes:
    """The indexes in a folder, and the number of the last change that all of them include."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._opened: dict[int, Any] = {}
        self._turn = FileTurn(folder / LOCK)
        self._is_passing = False
        self._passing_mark = 0

    def find(self, corpus_id: int) -> Any | None:
        """Return the index of a corpus, if it has one."""
        return self._opened.get(corpus_id)

    def list_corpora(self) -> Sequence[int]:
        """Return the corpora that have an index."""
        return tuple(self._opened)

    def close(self) -> None:
        """Drop the indexes: each open one has a thread."""
        self._opened = {}

    def reload(self) -> int:
        """Reload what other processes have written; return the last change. Raises IndexDamaged."""
        if self._is_passing:
            return self._passing_mark
        try:
            mark = self._read_watermark()
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._open_all({} if mark is None else self._list_folders())
        except OSError as error:  # it can neither be read nor rebuilt
            return self.use_memory(error)
        if mark is not None and not mark.corpora <= self._opened.keys():
            raise IndexDamaged(_find_missing(mark.corpora, self._opened))
        return 0 if mark is None else mark.last_change

    def _open_all(self, folders: Mapping[int, Path]) -> None:
        self._opened = {corpus_id: index for corpus_id, index in self._opened.items() if corpus_id in folders}
        with notice_damage():
            for index in self._opened.values():
                index.reload()
            for corpus_id in folders.keys() - self._opened.keys():
                self._opened[corpus_id] = _open(folders[corpus_id], LOOKED_AT)

    def _list_folders(self) -> dict[int, Path]:
        """Return the folders that contain an index, by corpus."""
        return {
            int(path.name): path
            for path in self._folder.iterdir()
            if path.name.isdecimal() and (path / META).is_file()
        }

    def delete_if_foreign(self, is_foreign: Callable[[LexicalWatermark], bool]) -> bool:
        """Delete the indexes if they belong to another database history.

        Returns True if they did. If they cannot be deleted, new indexes are built in memory.
        """
        if not self._is_foreign(is_foreign):
            return False
        try:
            if not os.access(self._folder, os.W_OK):
                raise PermissionError(errno.EACCES, "", str(self._folder))
            if not self._wait_for_turn():
                return False
            try:
                if self._is_foreign(is_foreign):  # no other process has rebuilt them since
                    log_other_history(self._folder)
                    self._clear()
            finally:
                self.end()
        except OSError as error:
            self.use_memory(error)
        return True

    def _is_foreign(self, is_foreign: Callable[[LexicalWatermark], bool]) -> bool:
        if self._is_passing:
            return False
        with suppress(IndexDamaged, OSError):  # the next reader sees the same error
            mark = self._read_watermark()
            return mark is not None and is_foreign(mark)
        return False

    def examine(self) -> IndexDamage | None:
        """Check all files, which takes a while, and delete them if one is damaged.

        They are rebuilt at the next use. Returns None if there is no damage, or if another process is
        writing. Raises OSError.
        """
        if not self._folder.is_dir() or self._is_passing:
            return None
        if not os.access(self._folder, os.W_OK):
            file = self._find_damage()
            return IndexDamage(self._folder.name, file, is_remade=False) if file else None
        if not self._wait_for_turn():
            return None
        try:
            file = self._find_damage()
            if file:
                log_rebuild(self._folder, file)
                self._clear()
            self._opened = {}
        finally:
            self.end()
        return IndexDamage(self._folder.name, file, is_remade=True) if file else None

    def _wait_for_turn(self) -> bool:
        until = time.monotonic() + PATIENCE
        while not self._turn.take():
            if time.monotonic() > until:
                return False
            time.sleep(0.05)
        return True

    def _find_damage(self) -> str:
        """Return the name of a damaged file, or ""."""
        try:
            mark = self._read_watermark()
            if mark is None:
                return ""
            folders = self._list_folders()
            missing = mark.corpora - folders.keys()
            if missing:
                return _find_missing(missing)
            for folder in folders.values():
                _open(folder, None)
        except IndexDamaged as damage:
            return str(damage)
        return ""

    def use_memory(self, error: Exception) -> int:
        """Use in-memory indexes until this process ends, because the folder is not usable.

        Returns the number of the last change that they include.
        """
        why = explain_error(error)
        log.warning(Message("index.in_memory", why=why))
        self._is_passing = True
        self._passing_mark = 0
        self._opened = {}
        return 0

    def mark(self, seen: int, salt: int) -> None:
        """Record the last change that all indexes include."""
        if self._is_passing:
            self._passing_mark = seen
            return
        # After the commits: a crash in between repeats a batch, and indexing a document twice changes
        # nothing.
        words = (FORMAT, seen, salt, *sorted(self._opened), END)
        fresh = self._folder / f"{WATERMARK}.new"
        fresh.write_text(" ".join(map(str, words)), "ascii")
        fresh.replace(self._folder / WATERMARK)

    def take(self) -> bool:
        """Acquire the write lock until `end`; return False if another process holds it.

        Indexes of another format are deleted.
        """
        if not (self._is_passing or os.access(self._folder, os.W_OK)):
            self.use_memory(PermissionError(errno.EACCES, "", str(self._folder)))
        if self._is_passing:
            return True
        if not self._turn.take():
            return False
        if self._read_watermark() is None:
            self._clear()
        return True

    def end(self) -> None:
        """Release the write lock."""
        self._turn.end()

    def ensure(self, corpus_id: int) -> Any:
        """Return the index of a corpus; create it if it is missing."""
        index = self.find(corpus_id)
        if index is None:
            path = self._locate(corpus_id)
            if not self._is_passing:
                path.mkdir(mode=0o700, parents=True, exist_ok=True)
            new_index = (
                tantivy.Index(_build_schema())
                if self._is_passing
                else tantivy.Index(_build_schema(), str(path))
            )
            index = _prepare(new_index)
            self._opened[corpus_id] = index
        return index

    def _read_watermark(self) -> LexicalWatermark | None:
        """Read the watermark; None if there is none of this format. Raises IndexDamaged."""
        file = self._folder / WATERMARK
        try:
            words = file.read_text("ascii").split() if file.is_file() else []
            if words[:1] != [FORMAT]:
                return None
            if words[-1] != END:
                raise IndexDamaged(WATERMARK)
            last_change, salt, *corpora = map(int, words[1:-1])
            return LexicalWatermark(last_change, salt, frozenset(corpora))
        except ValueError as error:
            raise IndexDamaged(WATERMARK) from error

    def _clear(self) -> None:
        self._opened = {}
        for path in self._folder.iterdir():
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            elif path.name != LOCK:
                with suppress(OSError):
                    path.unlink()

    def _locate(self, corpus_id: int) -> Path:
        return self._folder / str(corpus_id)


class CorpusWriter:
    """Writes one index at a time: a corpus's writer stays open until another corpus is next.

    Raises: ValueError if another process is writing.
    """

    def __init__(self, indexes: CorpusIndexes) -> None:
        self._indexes = indexes
        self._corpus_id = -1
        self._writer: Any = None

    def __enter__(self) -> CorpusWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._finish()

    def get(self, corpus_id: int) -> Any:
        """Return the writer of a corpus."""
        if corpus_id != self._corpus_id:
            self._finish()
            index = self._indexes.ensure(corpus_id)
            self._writer = index.writer(heap_size=HEAP, num_threads=1)
            self._corpus_id = corpus_id
        return self._writer

    def show(self) -> None:
        """Make committed entries visible to searches."""
        if self._writer is not None:
            self._indexes.ensure(self._corpus_id).reload()

    def _finish(self) -> None:
        if self._writer is not None:
            self._writer.wait_merging_threads()
            self.show()
            self._writer = None
            self._corpus_id = -1


def _find_missing(corpora: Iterable[int], present: Iterable[int] = ()) -> str:
    """Return the name of the metadata file of a missing index."""
    return f"{min({*corpora} - {*present})}/{META}"


def _open(folder: Path, most_bytes: int | None) -> Any:
    """Open the index in a folder. Raises IndexDamaged.

    An index of more than `most_bytes` is not checked here; damage then shows up in searches, or never.
    """
    try:
        file = find_damage(folder, most_bytes)
    except FileNotFoundError as error:  # another process may have merged it away
        file = Path(error.filename).name
    if file:
        raise IndexDamaged(f"{folder.name}/{file}")
    try:
        with notice_damage():
            return _prepare(tantivy.Index(_build_schema(), str(folder)))
    except IndexDamaged as damage:
        log.debug("the index in %s: %s", folder, damage)
        raise IndexDamaged(folder.name) from damage


def _prepare(index: Any) -> Any:
    index.register_tokenizer("spaces", tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build())
    index.config_reader(reload_policy="manual")  # otherwise each index has a thread that watches its folder
    return index


def write_tokens(codes: bytes) -> str:
    """Return the codes of `encode_terms`, separated by spaces: an index contains no words."""
    return codes.hex(" ", TERM_BYTES).replace(LINE_END.hex(), "")


def write_token(word: Word) -> tuple[str, str]:
    """Return the field and the token of a word of a query."""
    field, text = word
    return field, encode_term(text).hex() if field == "terms" else text


def _build_schema() -> Any:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("terms", stored=False, tokenizer_name="spaces", index_option="freq")
    # Most pairs occur once in a passage: their frequencies took a sixth of the index.
    builder.add_text_field("bigrams", stored=False, tokenizer_name="spaces", index_option="basic")
    builder.add_text_field("document", stored=False, tokenizer_name="raw", index_option="basic")
    builder.add_unsigned_field("page", stored=False, indexed=True, fast=True)
    builder.add_unsigned_field("passage", stored=False, indexed=False, fast=True)
    return builder.build()
