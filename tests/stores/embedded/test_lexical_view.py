"""How the index proposes: words that tell passages apart, and the owner's passages alone."""

from __future__ import annotations

import asyncio
import re
import threading
from pathlib import Path

import pytest

from shisho.domain.corpus import Scope
from shisho.stores.embedded import lexical, rows, vectors
from shisho.stores.embedded import shelf as embedded_shelf
from shisho.stores.embedded.connect import Database
from shisho.stores.embedded.lexical import LexicalIndex
from shisho.stores.embedded.lexical_files import CorpusWriter
from shisho.stores.embedded.shelf import EmbeddedShelf
from shisho.stores.sql import grants, scope, shelf, shelf_view
from shisho.system.clock import SystemClock
from tests.machine import PATIENCE
from tests.making import intake

LIMIT = 50


async def test_a_word_of_nearly_every_passage_proposes_nothing_beside_another(tmp_path: Path) -> None:
    database = Database(tmp_path / "shisho.db")
    given = intake(
        "\n\n".join(f"統計の第{number}回。{'回帰' if number == 7 else '標本'}。" for number in range(30))
    )
    await EmbeddedShelf(database, SystemClock()).put(given)
    index = LexicalIndex(tmp_path / "lexical", database)

    async def proposed(*terms: str) -> list[str]:
        return list(await index.view(lambda view: view.propose(terms, (), Scope(), LIMIT, frozenset())))

    assert await proposed("統計", "回帰") == [given.passages[7].id]
    assert len(await proposed("統計")) == 30
    assert len(await proposed("統計", "なし")) == 30
    await database.close()


async def test_passages_of_others_are_not_proposed(tmp_path: Path) -> None:
    database = Database(tmp_path / "shisho.db")
    shelf = EmbeddedShelf(database, SystemClock())
    index = LexicalIndex(tmp_path / "lexical", database)
    for owner in ("local", "other"):
        await shelf.put(intake(f"統計の講義、{owner}。", source=owner, owner=owner))
        names = await index.view(lambda view: view.propose(("統計",), (), Scope(), LIMIT, frozenset()))
        assert len(names) == 1
    await database.close()


async def test_search_while_the_segments_of_a_page_are_merged_finds_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = Database(tmp_path / "shisho.db")
    index = LexicalIndex(tmp_path / "lexical", database)
    loop = asyncio.get_running_loop()
    merging = asyncio.Event()
    merged = threading.Event()
    finish = CorpusWriter._finish

    def finish_later(writer: CorpusWriter) -> None:
        if writer._writer is not None:
            loop.call_soon_threadsafe(merging.set)
            merged.wait(PATIENCE)
        finish(writer)

    monkeypatch.setattr(CorpusWriter, "_finish", finish_later)
    await EmbeddedShelf(database, SystemClock()).put(intake("統計の講義。"))
    taking_in = asyncio.create_task(index.catch_up())
    await merging.wait()
    searching = asyncio.create_task(
        index.view(lambda view: view.propose(("統計",), (), Scope(), LIMIT, frozenset()))
    )
    await asyncio.wait([searching], timeout=0.5)  # it may wait, and it may not miss the page
    merged.set()
    assert len(await searching) == 1
    await taking_in
    await database.close()


async def test_catching_up_ends_though_others_add_without_a_pause(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = Database(tmp_path / "shisho.db")
    shelf = EmbeddedShelf(database, SystemClock())
    index = LexicalIndex(tmp_path / "lexical", database)
    loop = asyncio.get_running_loop()
    shown: list[int] = []
    show = CorpusWriter.show

    def show_and_find_more(writer: CorpusWriter) -> None:
        show(writer)
        shown.append(len(shown))
        if len(shown) < 20:
            more = shelf.put(intake(f"統計の第{len(shown)}回。", source=f"{len(shown)}.txt"))
            asyncio.run_coroutine_threadsafe(more, loop).result(PATIENCE)

    monkeypatch.setattr(CorpusWriter, "show", show_and_find_more)
    await shelf.put(intake("統計の講義。"))
    await index.catch_up()
    assert await index.count_behind() == len(shown) < 5
    await database.close()


STATEMENTS = {
    "what is new": lexical.NEWEST,
    "what has changed": lexical.CHANGED,
    "what the index takes in": lexical.ENTRIES_OF,
    "what an index that is made anew takes in": lexical.ENTRIES_OF_ALL,
    "how many are in scope": scope.COUNT_CORPORA.format(corpora=scope.READABLE),
    "what may be searched": scope.READABLE,
    "what is granted": grants.READABLE,
    "means": shelf_view.SUMS,
    "other owners": scope.HAS_UNREADABLE,
    "places of vectors": vectors.PLACES,
    "contents of blocks": vectors.CONTENTS,
    "passages": shelf_view.PASSAGES.format(columns=rows.PASSAGE),
    "what may be alike": embedded_shelf.NEAR_DUPLICATES,
    "whether it is known": shelf.KNOWN.format(columns=rows.DOCUMENT),
    "what it replaces": shelf.PLACE,
}


@pytest.mark.parametrize("statement", STATEMENTS.values(), ids=STATEMENTS)
async def test_no_statement_of_a_search_or_of_one_document_more_walks_through_a_large_table(
    tmp_path: Path, statement: str
) -> None:
    database = Database(tmp_path / "shisho.db")
    values = (None,) * statement.count("?") or dict.fromkeys(re.findall(r":(\w+)", statement))
    plan = await database.read(
        lambda connection: [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}", values)]
    )
    await database.close()
    scanned = [step for step in plan if step.startswith("SCAN")]
    # Lists that are bound, and corpora and grants of them, of which there are few.
    few = r"SCAN (json_each|carray|c USING COVERING INDEX sqlite_autoindex_corpora|r$|near|\(|CONSTANT)"
    assert all(re.match(few, step) for step in scanned), plan
