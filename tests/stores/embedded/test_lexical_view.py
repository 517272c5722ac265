"""How the index proposes: words that tell passages apart, and the owner's passages alone."""

from __future__ import annotations

from pathlib import Path

from shisho.domain.corpus import Scope
from shisho.stores.embedded.connect import Database
from shisho.stores.embedded.lexical import LexicalIndex
from shisho.stores.embedded.shelf import EmbeddedShelf
from shisho.system.clock import SystemClock
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
