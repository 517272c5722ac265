"""Passages of a library from before script 0087, which stored each text and word as it is, are kept."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from importlib import resources
from pathlib import Path

import apsw
import pytest

from shisho.corpus.ingest import complete_passage
from shisho.domain.corpus import Intake, Scope
from shisho.language.terms import analyse
from shisho.stores import nouns
from shisho.stores.embedded import older_rows, vectors
from shisho.stores.embedded.connect import Database
from shisho.stores.embedded.home import NEW_MIGRATIONS, PACKAGE
from shisho.stores.embedded.lexical import LexicalIndex
from shisho.stores.embedded.shelf import EmbeddedShelf
from shisho.stores.nouns import vector_of
from shisho.stores.sql.migrating import scripts_in
from shisho.system.clock import SystemClock
from tests.making import intake

WORDS = ["灯台", "霧笛", "岬", "𠮷野", "カタカナ", "tidal window", "1,024", "第3回", "ﾊﾝｶｸ", "を測る。", "\n"]
RANDOM = random.Random(5)
TEXTS = [
    "".join(RANDOM.choices(WORDS, k=length)).strip() or "岬" for length in RANDOM.choices(range(1, 200), k=90)
]
GIVEN = [
    intake("統計の講義。標本々々。\n\n回帰の演習。", title="講義"),
    intake("\n\n".join(TEXTS), source="b.txt", title="岬の記録", pages=4),
]
# What a script of before has no default for.
DOCUMENT = """INSERT INTO documents(id, corpus_id, owner, source, title, media_type, sha256, size, page_count, state, added_at,
        warnings, passage_count, term_count, bigram_count, heading_count)
    VALUES (?, 1, ?, ?, ?, ?, ?, ?, ?, 'live', ?, '[]', ?, ?, ?, ?)"""
PASSAGE = """INSERT INTO passages(id, document_id, ordinal, start, "end", page, heading, kind, text, terms, heading_terms,
        bigrams, cluster, place, ocr)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""


@pytest.fixture
def older(tmp_path: Path) -> Iterator[Path]:
    """A library with two documents, the second of which was stored in two parts, and a purged one."""
    path = tmp_path / "shisho.db"
    with closing(apsw.Connection(str(path))) as connection:
        vectors.register(connection)
        older_rows.register(connection)
        connection.execute(NEW_MIGRATIONS)
        for name in scripts_in(PACKAGE):
            if name < older_rows.TEXTS_SCRIPT:
                connection.execute((resources.files(PACKAGE) / "schema" / name).read_text("utf-8"))
                connection.execute("INSERT INTO migrations VALUES (?, '2026-01-01')", (name,))
        connection.execute(
            "INSERT INTO corpora(id, owner, name, created_at) VALUES (1, 'local', 'default', '')"
        )
        for given in GIVEN:
            put(connection, given)
        put_purged(connection)
    yield path


def put(connection: apsw.Connection, given: Intake) -> None:
    one = given.document
    counts = (len(given.passages), *nouns.passage_sizes(given.passages))
    facts = (
        one.owner,
        one.source,
        one.title,
        one.media_type,
        one.sha256,
        one.size,
        one.page_count,
        one.added_at,
    )
    connection.execute(DOCUMENT, (one.id, *facts, *counts))
    half = given.passages[len(given.passages) // 2].start - 2
    lines = nouns.pack_lines(given.lines)
    connection.execute("INSERT INTO parts VALUES (?, 0, ?, ?)", (one.id, given.text[:half], lines))
    connection.execute("INSERT INTO parts VALUES (?, ?, ?, NULL)", (one.id, half, given.text[half:]))
    for passage in given.passages:
        number = nouns.passage_number(passage.id)
        words = (passage.text, passage.terms, passage.heading_terms, passage.bigrams)
        place = (passage.start, passage.end, passage.page, passage.heading, str(passage.kind))
        values = (number, one.id, passage.ordinal, *place, *words, passage.cluster, "", 0)
        connection.execute(PASSAGE, values)
        for band in passage.bands:
            connection.execute("INSERT INTO passage_bands VALUES (?, ?)", (band, number))


def put_purged(connection: apsw.Connection) -> None:
    """A document whose text and passages were erased."""
    one = intake("消された文書。", source="gone.txt").document
    facts = (
        one.owner,
        one.source,
        one.title,
        one.media_type,
        one.sha256,
        one.size,
        one.page_count,
        one.added_at,
    )
    connection.execute(DOCUMENT, (one.id, *facts, 0, 0, 0, 0))
    connection.execute("UPDATE documents SET state = 'purged' WHERE id = ?", (one.id,))


async def check(path: Path) -> None:
    """Every text, vector and band is what it was."""
    database = Database(path)
    shelf = EmbeddedShelf(database, SystemClock())
    index = LexicalIndex(path.parent / "lexical", database)
    for given in GIVEN:
        assert await shelf.read_text(given.document.id) == given.text
        assert tuple(await shelf.read_lines(given.document.id)) == given.lines
        passages = await shelf.list_passages_of(given.document.id)
        assert [passage.text for passage in passages] == [passage.text for passage in given.passages]
        names = [passage.id for passage in given.passages]
        of_document = nouns.passage_sizes(given.passages)[0]
        held = await index.view(lambda view, names=names: view.read_vectors(names))
        assert held == {passage.id: vector_of(passage, of_document) for passage in given.passages}
        near = await shelf.find_near_duplicates("local", given.passages[0].bands)
        assert [sorted(passage.bands) for passage in near] == [sorted(given.passages[0].bands)]
    assert await index.view(lambda view: view.propose(["灯台"], [], Scope(), 5, frozenset()))
    for given in GIVEN:
        await shelf.remove(given.document.id, purge=True)
    left = await database.read(
        lambda connection: connection.execute("SELECT count(*) FROM passage_bands").get
    )
    assert left == 0, "each band is deleted by its key"
    await database.close()


async def test_texts_vectors_and_bands_are_what_they_were(older: Path) -> None:
    await check(older)


async def test_a_process_of_an_earlier_version_cannot_add_wide_bands(older: Path) -> None:
    """They would not be deleted by a purge, because the passage keeps them in another width."""
    await check(older)
    with closing(apsw.Connection(str(older))) as connection:
        connection.execute("INSERT INTO passage_bands VALUES (?, 1), (?, 1)", (-(1 << 31), (1 << 31) - 1))
        for band in (1 << 31, -(1 << 62)):
            with pytest.raises(apsw.ConstraintError):
                connection.execute("INSERT INTO passage_bands VALUES (?, 1) ON CONFLICT DO NOTHING", (band,))


async def test_a_fill_that_fails_leaves_the_library_as_it_was(
    older: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(older_rows, "_pack_bands", lambda bands: 1 / 0)
        database = Database(older)
        with pytest.raises(ZeroDivisionError):
            await database.read(lambda connection: None)
        await database.close()
    with closing(apsw.Connection(str(older))) as connection:
        assert connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'blocks'").get is None
        assert connection.execute("SELECT count(*) FROM parts").get == 4
    await check(older)


def test_a_stored_passage_is_completed_as_ingest_made_it() -> None:
    for passage in GIVEN[0].passages:
        whole = complete_passage(replace(passage, terms="", heading_terms="", bigrams=""), analyse)
        assert (whole.heading_terms, whole.bigrams) == (passage.heading_terms, passage.bigrams)
        assert whole.terms.split() == passage.terms.split()
