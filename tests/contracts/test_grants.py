"""What every store promises of grants: a reader finds what is theirs and what is granted to them, and nothing
tells of the rest, in the state of the moment."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from shisho.domain.corpus import PassageId, Scope
from shisho.domain.team import Access, CorpusKey, Grantee, GranteeKind, ReachableCorpus
from shisho.errors import NotFound
from shisho.language.terms import analyse
from shisho.ports import SearchView
from tests.contracts.conftest import INDEXES, Store, indexed_store
from tests.making import intake

PAPERS = CorpusKey("hanako", "papers")
TARO = Grantee(GranteeKind.USER, "taro")
LAB = Grantee(GranteeKind.GROUP, "lab")


@pytest.fixture(
    params=[index for index in INDEXES if not index.startswith("postgres")]
)  # grants do not stand there yet
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    async with indexed_store(request.param, tmp_path) as made:
        yield made


async def fill(store: Store) -> None:
    """Papers and a diary of hanako's, notes of taro's."""
    shared = intake(
        "決定係数は指標である。", source="r2.txt", corpus="papers", owner="hanako", metadata={"課": "統計"}
    )
    secret = intake(
        "決定係数の日記。", source="diary.txt", corpus="diary", owner="hanako", metadata={"秘": "密"}
    )
    for taken in (shared, secret, intake("残差のメモ。", source="memo.txt", corpus="notes", owner="taro")):
        await store.shelf.put(taken)


async def sources(store: Store, scope: Scope) -> list[str]:
    return sorted(document.source for document in await store.shelf.list_documents(scope))


async def proposed(store: Store, text: str, scope: Scope) -> Sequence[PassageId]:
    analysis = analyse([text])

    def work(view: SearchView) -> Sequence[PassageId]:
        return view.propose(analysis.terms.split(), analysis.bigrams.split(), scope, 10, frozenset())

    return await store.index.view(work)


async def test_nothing_of_others_shows_without_a_grant(store: Store) -> None:
    await fill(store)
    taro = Scope("taro")
    assert await sources(store, taro) == ["memo.txt"]
    assert await sources(store, Scope("taro", ("papers@hanako", "papers"))) == []
    assert await store.shelf.count(taro) == 1
    assert await proposed(store, "決定係数", taro) == []
    assert await store.index.view(lambda view: view.read_frequencies("terms", ["決定"], taro)) == {"決定": 0}
    assert (await store.index.view(lambda view: view.read_statistics(taro)))["passages"] == 1
    assert [corpus.name for corpus in await store.shelf.list_corpora("taro")] == ["notes"]
    assert list(await store.shelf.list_metadata_keys("taro")) == []
    assert list(await store.shelf.find_by_source("r2.txt", "taro")) == []
    (document,) = await store.shelf.list_documents(Scope("hanako", ("papers",)))
    assert list(await store.shelf.find_documents(document.id, "taro")) == []
    assert await store.grants.select_readable([document.id], "taro") == frozenset()


@pytest.mark.parametrize("grantee", [TARO, LAB])
async def test_what_is_granted_is_found_like_ones_own_under_its_address(
    store: Store, grantee: Grantee
) -> None:
    await fill(store)
    await store.users.add_group("lab")
    await store.users.join("lab", "taro")
    await store.grants.grant(PAPERS, grantee, Access.READ)
    assert await sources(store, Scope("taro")) == ["memo.txt", "r2.txt"]
    assert await sources(store, Scope("taro", ("papers@hanako",))) == ["r2.txt"]
    assert await sources(store, Scope("taro", ("papers",))) == []
    assert await store.shelf.count(Scope("taro", ("papers@hanako",))) == 1
    assert len(await proposed(store, "決定係数", Scope("taro"))) == 1
    assert len(await proposed(store, "決定係数", Scope("taro", ("notes",)))) == 0
    assert (await store.index.view(lambda view: view.read_statistics(Scope("taro"))))["passages"] == 2
    names = [(corpus.name, corpus.owner) for corpus in await store.shelf.list_corpora("taro")]
    assert names == [("notes", "taro"), ("papers@hanako", "hanako")]
    assert list(await store.shelf.list_metadata_keys("taro")) == ["課"]
    (document,) = await store.shelf.find_by_source("r2.txt", "taro")
    assert await store.shelf.find_documents(document.id, "taro") == [document]
    assert await store.grants.select_readable([document.id], "taro") == {document.id}
    assert await sources(store, Scope("hanako")) == ["diary.txt", "r2.txt"]


async def test_a_grant_ends_at_once_with_its_revocation_membership_or_group(store: Store) -> None:
    await fill(store)
    await store.users.add_group("lab")

    async def grant() -> None:
        await store.users.join("lab", "taro")
        await store.grants.grant(PAPERS, LAB, Access.READ)
        assert await sources(store, Scope("taro")) == ["memo.txt", "r2.txt"]

    await grant()
    assert await store.grants.revoke(PAPERS, LAB)
    assert not await store.grants.revoke(PAPERS, LAB)
    assert await sources(store, Scope("taro")) == ["memo.txt"]
    await grant()
    assert await store.users.leave("lab", "taro")
    assert await sources(store, Scope("taro")) == ["memo.txt"]
    await grant()
    await store.users.remove_group("lab")
    assert await sources(store, Scope("taro")) == ["memo.txt"]
    assert list(await store.grants.list_grants()) == []
    await store.users.add_group("lab")
    assert await sources(store, Scope("taro")) == ["memo.txt"]


async def test_of_several_grants_the_one_counts_that_allows_most(store: Store) -> None:
    await fill(store)
    await store.users.add_group("lab")
    await store.users.join("lab", "taro")
    own = ReachableCorpus(CorpusKey("taro", "notes"), Access.OWN)
    assert list(await store.grants.list_reachable("taro")) == [own]
    await store.grants.grant(PAPERS, TARO, Access.WRITE)
    await store.grants.grant(PAPERS, LAB, Access.READ)
    assert list(await store.grants.list_reachable("taro")) == [ReachableCorpus(PAPERS, Access.WRITE), own]
    assert await store.shelf.count(Scope("taro")) == 2
    await store.grants.grant(PAPERS, TARO, Access.READ)
    assert list(await store.grants.list_reachable("taro")) == [ReachableCorpus(PAPERS, Access.READ), own]
    granted = [
        (grant.corpus, grant.grantee, grant.access) for grant in await store.grants.list_grants("hanako")
    ]
    assert granted == [(PAPERS, LAB, Access.READ), (PAPERS, TARO, Access.READ)]
    assert list(await store.grants.list_grants("taro")) == []


async def test_a_corpus_that_is_not_there_cannot_be_granted(store: Store) -> None:
    await fill(store)
    with pytest.raises(NotFound):
        await store.grants.grant(CorpusKey("hanako", "none"), TARO, Access.READ)
    assert list(await store.grants.list_grants()) == []


async def test_pages_of_a_list_go_on_after_a_granted_document_and_after_no_other(store: Store) -> None:
    await fill(store)
    await store.grants.grant(PAPERS, TARO, Access.READ)
    (granted,) = await store.shelf.list_documents(Scope("taro", ("papers@hanako",)))
    later = replace(intake("後のメモ。", source="later.txt", corpus="notes", owner="taro", at="2027-01-01"))
    await store.shelf.put(later)
    rest = [document.source for document in await store.shelf.list_documents(Scope("taro"), after=granted.id)]
    assert rest[-1:] == ["later.txt"] and "r2.txt" not in rest
