"""What others keep to themselves changes nothing: every verb that looks gives a reader the same with it and
without."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shisho.corpus.retrieve import Retriever
from shisho.corpus.session import CorpusSearcher
from shisho.domain.corpus import Complexity, Intake, Scope, SearchRequest
from shisho.domain.team import Access, CorpusKey, Grantee, GranteeKind
from shisho.language.terms import make_query
from tests.contracts.conftest import INDEXES, Store, indexed_store
from tests.faults.children import LONG
from tests.making import intake

EXAMPLES = 12 if LONG else 3
WORDS = (
    "決定係数",
    "回帰分析",
    "残差",
    "統計",
    "指標",
    "当てはまり",
    "標本",
    "図書館",
    "の",
    "は",
    "を示す",
    "値",
)
OWN = "決定係数は回帰分析の当てはまりを示す指標である。"
GRANTED = "残差は統計の値と標本の差である。"
QUERIES = ("決定係数", "残差の値", "統計 回帰分析", "図書館の標本", "株")
# Two more of hanako's, beside the one that is granted, and two of others, under names that taro uses too.
FOREIGN = (("hanako", "diary"), ("hanako", "notes"), ("jiro", "papers"), ("local", "default"))

texts = st.lists(
    st.one_of(
        st.lists(st.sampled_from(WORDS), min_size=3, max_size=40).map("".join),
        st.sampled_from([OWN, GRANTED]),
    ),
    min_size=1,
    max_size=6,
)
foreign_documents = st.lists(
    st.builds(
        lambda where, paragraphs, source, key: intake(
            "\n\n".join(paragraphs), source=source, owner=where[0], corpus=where[1], metadata={key: "秘"}
        ),
        st.sampled_from(FOREIGN),
        texts,
        st.sampled_from(["r2.txt", "memo.txt", "密.txt"]),
        st.sampled_from(["課", "密"]),
    ),
    min_size=1,
    max_size=3,
)


def library() -> Sequence[Intake]:
    """What taro may search: many own passages, so that the index must choose which it proposes, and hanako's
    papers."""
    many = [f"{WORDS[at % 7]}の第{at}回。{WORDS[at % 5] * (1 + at % 9)}。" for at in range(150)]
    own = intake(
        "\n\n".join([OWN, *many]), source="memo.txt", owner="taro", corpus="notes", metadata={"課": "統計"}
    )
    papers = intake("\n\n".join([GRANTED, OWN]), source="r2.txt", owner="hanako", corpus="papers")
    gone = intake("消した統計。", source="gone.txt", owner="taro", corpus="notes")
    return [own, papers, gone]


async def prepare(store: Store) -> None:
    for document in library():
        await store.shelf.put(document)
    await store.shelf.remove(library()[-1].document.id, purge=False)
    reader = Grantee(GranteeKind.USER, "taro")
    await store.grants.grant(CorpusKey("hanako", "papers"), reader, Access.READ)


async def look(store: Store, round_: int) -> dict[str, Any]:
    """All that taro is told."""
    shelf = store.shelf
    searcher = CorpusSearcher(shelf, Retriever(store.index, make_query), store.sessions)
    told: dict[str, Any] = {}
    for scope in (Scope("taro"), Scope("taro", ("papers@hanako",)), Scope("taro", filters={"課": "統計"})):
        session = await searcher.open(scope, Complexity.SEVERAL, 3_000, f"session {round_} {scope}")
        rounds = [
            await session.search(SearchRequest(keyword_query=(text,)), at)
            for at, text in enumerate(QUERIES, 1)
        ]
        ranked = {
            text: [
                (hit.passage.id, hit.score, dict(hit.parts))
                for hit in await searcher.rank(SearchRequest(keyword_query=(text,)), scope, 60)
            ]
            for text in QUERIES
        }
        told[repr(scope)] = {
            "rounds": [asdict(shown) for shown in rounds],
            "ranked": ranked,
            "rarity": await session.measure_rarity(WORDS),
            "texts": sorted(await session.read_texts()),
            "count": await shelf.count(scope),
            "metadata": await shelf.count_metadata(scope, 9, 9),
            "documents": [document.id for document in await shelf.list_documents(scope)],
        }
    told["corpora"] = [asdict(corpus) for corpus in await shelf.list_corpora("taro")]
    told["keys"] = list(await shelf.list_metadata_keys("taro"))
    told["ids"] = [document.id for document in await shelf.find_documents("doc_", "taro", 99)]
    for name in ("r2.txt", "memo.txt", "密.txt", "gone.txt"):
        told[name] = [
            sorted(document.id for document in documents)
            for documents in (
                await shelf.find_by_source(name, "taro"),
                await shelf.find_removed(name, "taro"),
            )
        ]
    told["reachable"] = list(await store.grants.list_reachable("taro"))
    return told


@pytest.mark.parametrize("kind", INDEXES)
def test_what_others_keep_changes_nothing_that_a_reader_is_told(kind: str, tmp_path: Path) -> None:
    with asyncio.Runner() as runner:
        opening = indexed_store(kind, tmp_path)
        store = runner.run(opening.__aenter__())
        runner.run(prepare(store))
        alone = runner.run(look(store, 0))
        assert any(alone[repr(Scope("taro"))]["ranked"].values())
        turn = 0

        async def add(documents: Sequence[Intake]) -> None:
            for at, given_document in enumerate(documents):
                await store.shelf.put(given_document)
                readable = await store.grants.select_readable([given_document.document.id], "taro")
                assert not readable
                if at == 2:
                    await store.shelf.remove(given_document.document.id, purge=turn % 2 == 0)

        @settings(max_examples=EXAMPLES, deadline=None, database=None)
        @given(foreign_documents)
        def holds(documents: Sequence[Intake]) -> None:
            nonlocal turn
            turn += 1
            runner.run(add([replace(document) for document in documents]))
            assert runner.run(look(store, turn)) == alone

        holds()
        runner.run(opening.__aexit__(None, None, None))
