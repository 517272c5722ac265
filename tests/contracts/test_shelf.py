"""What every shelf promises."""

from __future__ import annotations

from dataclasses import replace

import pytest

from shisho.domain.corpus import DocumentId, DocumentState, FilterRange, Intake, Scope
from shisho.errors import Conflict, InvalidParams, NameConflict, NotFound, SourceRemoved
from tests.contracts.conftest import Store
from tests.making import intake

EVERYTHING = Scope()


async def test_what_is_put_comes_back(store: Store) -> None:
    given = intake(
        "決定係数は1に近い。\n\nｶﾀｶﾅと10²と㈱。", title="回帰分析", metadata={"課": "統計学"}, pages=2
    )
    assert await store.shelf.put(given) is None
    document = await store.shelf.find_document(given.document.id)
    assert document == given.document
    assert await store.shelf.read_text(document.id) == given.text
    assert list(await store.shelf.read_lines(document.id)) == list(given.lines)
    held = await store.shelf.fetch_passages([one.id for one in given.passages])
    assert held == {
        one.id: replace(one, bands=(), terms="", heading_terms="", bigrams="") for one in given.passages
    }
    assert [one.id for one in await store.shelf.list_passages_of(document.id)] == [
        one.id for one in given.passages
    ]
    assert await store.shelf.count(EVERYTHING) == 2


async def test_a_blank_names_no_document_though_there_is_one(store: Store) -> None:
    await store.shelf.put(intake("本文。"))
    for blank in ("", " "):
        with pytest.raises(InvalidParams, match="The id of the document is blank"):
            await store.shelf.find_documents(blank, "local")


async def test_putting_twice_changes_nothing(store: Store) -> None:
    given = intake("同じ文書。")
    await store.shelf.put(given)
    assert await store.shelf.put(given) is None
    assert await store.shelf.count(EVERYTHING) == 1
    (corpus,) = await store.shelf.list_corpora("local")
    assert (corpus.documents, corpus.passages) == (1, 1)


async def test_a_changed_file_is_a_new_version_and_the_old_one_still_opens(store: Store) -> None:
    old = intake("古い版。")
    new = intake("新しい版。\n\n二段落目。")
    await store.shelf.put(old)
    assert await store.shelf.put(new) == old.document.id
    assert (await store.shelf.find_document(old.document.id)).state is DocumentState.SUPERSEDED
    assert await store.shelf.read_text(old.document.id) == "古い版。"
    assert await store.shelf.fetch_passages([one.id for one in old.passages]) == {}
    assert await store.shelf.count(EVERYTHING) == 2


async def test_a_version_that_comes_back_is_live_again(store: Store) -> None:
    old = intake("甲。")
    new = intake("乙。")
    for each in (old, new, old):
        await store.shelf.put(each)
    assert (await store.shelf.find_document(old.document.id)).state is DocumentState.LIVE
    assert (await store.shelf.find_document(new.document.id)).state is DocumentState.SUPERSEDED


async def test_bytes_that_stand_at_two_places_outlive_a_change_of_one(store: Store) -> None:
    shared = intake("同じ中身。", source="a.txt")
    await store.shelf.put(shared)
    await store.shelf.record_seen(shared.document, "b.txt", {})
    assert await store.shelf.put(intake("変わった中身。", source="a.txt")) is None
    assert (await store.shelf.find_document(shared.document.id)).state is DocumentState.LIVE
    assert await store.shelf.detach_source("default", "local", "b.txt") == shared.document.id
    assert (await store.shelf.find_document(shared.document.id)).state is DocumentState.REMOVED


async def test_known_is_told_within_one_corpus_of_one_owner(store: Store) -> None:
    given = intake("本文。", corpus="講義")
    await store.shelf.put(given)
    known = await store.shelf.find_known("講義", "local", given.document.sha256)
    assert known is not None and known.id == given.document.id
    assert await store.shelf.find_known("default", "local", given.document.sha256) is None
    assert await store.shelf.find_known("講義", "someone", given.document.sha256) is None


async def test_what_is_said_later_is_added_to_what_was_said(store: Store) -> None:
    given = intake("本文。", metadata={"課": "統計学"})
    await store.shelf.put(given)
    await store.shelf.record_seen(given.document, "a.txt", {"年度": "令和6年"})
    assert (await store.shelf.find_document(given.document.id)).metadata == {
        "課": "統計学",
        "年度": "令和6年",
    }


async def test_what_is_said_of_live_documents_is_known_by_name(store: Store) -> None:
    assert list(await store.shelf.list_metadata_keys("local")) == []
    gone = intake("消える。", source="b.txt", metadata={"版": "2"})
    await store.shelf.put(intake("本文。", source="a.txt", metadata={"課": "統計学", "author": "x"}))
    await store.shelf.put(gone)
    assert list(await store.shelf.list_metadata_keys("local")) == ["author", "版", "課"]
    await store.shelf.remove(gone.document.id, purge=False)
    assert list(await store.shelf.list_metadata_keys("local")) == ["author", "課"]
    assert list(await store.shelf.list_metadata_keys("other")) == []


async def test_removed_is_not_found_but_opens_and_purged_is_gone(store: Store) -> None:
    removed = intake("削除。", source="r.txt")
    purged = intake("抹消。", source="p.txt")
    await store.shelf.put(removed)
    await store.shelf.put(purged)
    await store.shelf.remove(removed.document.id, purge=False)
    await store.shelf.remove(purged.document.id, purge=True)
    assert await store.shelf.count(EVERYTHING) == 0
    assert await store.shelf.read_text(removed.document.id) == "削除。"
    with pytest.raises(SourceRemoved):
        await store.shelf.read_text(purged.document.id)
    assert (
        await store.shelf.list_passages_of(purged.document.id) == []
        or await store.shelf.list_passages_of(purged.document.id) == ()
    )
    with pytest.raises(NotFound):
        await store.shelf.remove(purged.document.id, purge=True)
    with pytest.raises(NotFound):
        await store.shelf.find_document("doc_none")  # type: ignore[arg-type]


async def test_a_removal_is_undone_where_nothing_else_took_its_place(store: Store) -> None:
    given = intake("戻る文書。", source="dir/r.txt", metadata={"課": "統計学"})
    await store.shelf.put(given)
    before = await store.shelf.find_document(given.document.id)
    await store.shelf.remove(given.document.id, purge=False)
    assert [one.id for one in await store.shelf.find_removed("r.txt", "local")] == [given.document.id]
    assert list(await store.shelf.find_removed("r.txt", "other")) == []
    for _ in range(2):
        restored = await store.shelf.restore(given.document.id)
        assert restored == before == await store.shelf.find_document(given.document.id)
    assert await store.shelf.list_places("default", "local") == {"dir/r.txt": given.document.id}
    assert list(await store.shelf.find_removed("r.txt", "local")) == []
    (corpus,) = await store.shelf.list_corpora("local")
    assert (corpus.documents, corpus.passages) == (1, 1) == (1, await store.shelf.count(EVERYTHING))
    await store.index.catch_up()
    terms = given.passages[0].terms.split()
    proposed = await store.index.view(
        lambda view: view.propose(terms, [], EVERYTHING, 5, frozenset()), current=True
    )
    assert list(proposed) == [given.passages[0].id]


async def test_what_was_replaced_purged_or_never_there_is_not_restored(store: Store) -> None:
    old = intake("古い版。")
    new = intake("新しい版。")
    await store.shelf.put(old)
    await store.shelf.remove(old.document.id, purge=False)
    await store.shelf.put(new)
    with pytest.raises(Conflict, match="newer version"):
        await store.shelf.restore(old.document.id)
    await store.shelf.put(old)
    with pytest.raises(Conflict):
        await store.shelf.restore(new.document.id)
    await store.shelf.remove(old.document.id, purge=True)
    with pytest.raises(SourceRemoved):
        await store.shelf.restore(old.document.id)
    with pytest.raises(NotFound):
        await store.shelf.restore("doc_none")  # type: ignore[arg-type]
    assert await store.shelf.count(EVERYTHING) == 0


async def test_copies_of_a_removed_document_are_akin_to_it(store: Store) -> None:
    """Or, once it is back, the two would count as independent sources."""
    given = intake("よく似た文章。")
    await store.shelf.put(given)
    await store.shelf.remove(given.document.id, purge=False)
    bands = given.passages[0].bands
    assert [one.id for one in await store.shelf.find_near_duplicates("local", bands)] == [
        given.passages[0].id
    ]


async def test_what_is_said_of_documents_is_counted(store: Store) -> None:
    said = ({"課": "統計", "年": "2024"}, {"課": "統計"}, {"課": "天文", "著者": "甲"}, {"課": "国語"})
    for number, metadata in enumerate(said):
        corpus = "b" if number == 3 else "a"
        await store.shelf.put(
            intake(f"第{number}。", source=f"{number}.txt", metadata=metadata, corpus=corpus)
        )
    gone = intake("外す。", source="gone.txt", metadata={"課": "統計"})
    await store.shelf.put(gone)
    await store.shelf.remove(gone.document.id, purge=False)
    course, year = await store.shelf.count_metadata(EVERYTHING, 2, 2)
    assert (course.name, course.documents, course.distinct) == ("課", 4, 3)
    assert [(value.value, value.documents) for value in course.values] == [("統計", 2), ("国語", 1)]
    assert year.name in ("年", "著者") and year.documents == 1
    (course,) = await store.shelf.count_metadata(Scope("local", ("b",)), 5, 5)
    assert [value.value for value in course.values] == ["国語"]
    assert list(await store.shelf.count_metadata(Scope("other"), 5, 5)) == []


async def test_a_purge_takes_the_older_versions_of_the_file_along(store: Store) -> None:
    old = intake("古い版。")
    new = intake("新しい版。", metadata={"課": "統計学"})
    other = intake("隣の文書。", source="b.txt")
    for each in (old, new, other):
        await store.shelf.put(each)
    assert await store.shelf.remove(new.document.id, purge=True)
    for document in (
        await store.shelf.find_document(old.document.id),
        await store.shelf.find_document(new.document.id),
    ):
        assert (document.state, document.source, document.title) == (DocumentState.PURGED, "", "")
        assert document.metadata == {}
    assert await store.shelf.read_text(other.document.id) == "隣の文書。"
    await store.shelf.put(old)
    assert (await store.shelf.find_document(old.document.id)).source == "a.txt"


async def test_a_purged_document_can_be_added_again(store: Store) -> None:
    given = intake("抹消して戻す。")
    await store.shelf.put(given)
    await store.shelf.remove(given.document.id, purge=True)
    await store.shelf.put(given)
    assert await store.shelf.read_text(given.document.id) == given.text
    assert await store.shelf.count(EVERYTHING) == 1


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        ({"年度": "2024年"}, {"r6"}),
        ({"年度": "令和6年"}, {"r6"}),
        ({"年度": FilterRange("2023", None)}, {"r5", "r6"}),
        ({"年度": FilterRange(None, "令和5年")}, {"r5"}),
        ({"年度": FilterRange("平成30年", "2023年12月")}, {"r5"}),
        ({"頁数": FilterRange("9", "10")}, {"r6"}),
        ({"頁数": FilterRange("2", "9")}, {"r5"}),
        ({"課": ("統計学", "物理")}, {"r5", "r6"}),
        ({"課": "ﾌﾞﾂﾘ"}, set()),
        ({"課": "統計学", "年度": "2023"}, {"r5"}),
        ({"source": "r5"}, {"r5"}),
        ({"none": "x"}, set()),
        ({"x' OR 1=1 --": "x"}, set()),
    ],
)
async def test_filters(store: Store, filters: dict[str, str], found: set[str]) -> None:
    await store.shelf.put(
        intake("五年度。", source="r5", metadata={"課": "統計学", "年度": "令和5年", "頁数": "3"})
    )
    await store.shelf.put(
        intake("六年度。", source="r6", metadata={"課": "統計学", "年度": "令和6年", "頁数": "10"})
    )
    scope = Scope(filters=filters)
    assert {one.source for one in await store.shelf.list_documents(scope)} == found
    assert await store.shelf.count(scope) == len(found)


async def test_page_filter_counts_passages(store: Store) -> None:
    await store.shelf.put(intake("一。\n\n二。\n\n三。", pages=3))
    assert await store.shelf.count(Scope(filters={"page": "2"})) == 1
    assert await store.shelf.count(Scope(filters={"page": FilterRange("2", None)})) == 2
    with pytest.raises(InvalidParams):
        await store.shelf.count(Scope(filters={"page": "表紙"}))


@pytest.mark.parametrize("beyond", [str(2**31), str(2**63), "9" * 30])
async def test_page_beyond_what_a_database_can_hold_is_beyond_all_pages(store: Store, beyond: str) -> None:
    await store.shelf.put(intake("一。\n\n二。\n\n三。", pages=3))

    async def count(condition: str | FilterRange) -> tuple[int, int]:
        scope = Scope(filters={"page": condition})
        return await store.shelf.count(scope), len(
            await store.index.view(lambda view: view.read_texts(scope, 9))
        )

    assert await count(beyond) == (0, 0)
    assert await count(FilterRange(beyond, None)) == (0, 0)
    assert await count(FilterRange("2", beyond)) == (2, 2)
    assert await count(FilterRange(f"-{beyond}", "1")) == (1, 1)


async def test_owners_do_not_see_each_other(store: Store) -> None:
    await store.shelf.put(intake("私の。", owner="a"))
    await store.shelf.put(intake("私の。", owner="b"))
    assert await store.shelf.count(Scope("a")) == 1
    (mine,) = await store.shelf.list_documents(Scope("a"))
    assert [one.id for one in await store.shelf.find_documents("doc_", "a", 9)] == [mine.id]


async def test_documents_page_by_page(store: Store) -> None:
    for number in range(5):
        await store.shelf.put(intake(f"{number}番。", source=f"{number}", at=f"2026-01-0{number + 1}"))
    first = await store.shelf.list_documents(EVERYTHING, limit=2)
    rest = await store.shelf.list_documents(EVERYTHING, after=first[-1].id, limit=9)
    assert [one.source for one in (*first, *rest)] == ["0", "1", "2", "3", "4"]


async def test_what_must_not_replace_another_document_is_refused_whole(store: Store) -> None:
    standing = intake("先の文。", source="a.txt")
    await store.shelf.put(standing, may_replace=False)
    await store.shelf.put(standing, may_replace=False)  # its own place is free
    other = intake("別の文。", source="b.txt")
    await store.shelf.put(other)
    await store.shelf.remove(other.document.id, purge=False)
    late = intake("後の文。", source="a.txt")
    with pytest.raises(NameConflict):
        await store.shelf.put(late, may_replace=False)
    token = await store.shelf.begin(late.document)
    await store.shelf.extend(token, late)
    with pytest.raises(NameConflict):
        await store.shelf.finish(token, late.document, may_replace=False)
    await store.shelf.abandon(token, late.document.id)
    with pytest.raises(NameConflict):
        await store.shelf.record_seen(other.document, "a.txt", {"年": "2026"}, may_replace=False)
    assert [document.id for document in await store.shelf.list_documents(EVERYTHING)] == [
        standing.document.id
    ]
    assert (await store.shelf.find_document(other.document.id)).metadata == other.document.metadata
    assert await store.shelf.put(late) == standing.document.id


async def test_removed_documents_are_listed_by_themselves(store: Store) -> None:
    given = [
        intake(f"{number}番。", source=f"{number}", at=f"2026-01-0{number + 1}", owner=owner)
        for number, owner in enumerate(("a", "a", "a", "b", "a"))
    ]
    for document in given:
        await store.shelf.put(document)
    newer = intake("新しい4番。", source="4", owner="a")
    await store.shelf.put(newer)  # what it supersedes was not removed
    ids = [document.document.id for document in given]
    await store.shelf.remove(*ids[:2], ids[3], purge=False)
    await store.shelf.remove(ids[2], purge=True)
    first = await store.shelf.list_documents(Scope("a"), limit=1, removed=True)
    rest = await store.shelf.list_documents(Scope("a"), after=ids[0], removed=True)
    assert [document.id for document in (*first, *rest)] == ids[:2]
    assert await store.shelf.list_documents(Scope("a", ("elsewhere",)), removed=True) == []
    await store.shelf.restore(ids[0])
    assert [document.id for document in await store.shelf.list_documents(Scope("a"), removed=True)] == [
        ids[1]
    ]


async def test_a_document_is_found_by_its_file(store: Store) -> None:
    given = intake("本文。", source="/家/講義/第1回.pdf")
    await store.shelf.put(given)
    for name in ("第1回.pdf", "/家/講義/第1回.pdf"):
        assert [one.id for one in await store.shelf.find_by_source(name, "local")] == [given.document.id]
    assert (
        list(await store.shelf.find_by_source("1回.pdf", "local"))
        == list(await store.shelf.find_by_source("第1回.pdf", "b"))
        == []
    )


async def test_akin_finds_what_shares_a_band(store: Store) -> None:
    given = intake("よく似た文章。")
    await store.shelf.put(given)
    (passage,) = given.passages
    assert [one.id for one in await store.shelf.find_near_duplicates("local", passage.bands[:1])] == [
        passage.id
    ]
    assert list(await store.shelf.find_near_duplicates("other", passage.bands)) == []


def in_parts(given: Intake) -> list[Intake]:
    """A document of two paragraphs as two parts."""
    first, second = given.passages
    lines = [tuple(line for line in given.lines if line.start < first.end), ()]
    texts = [given.text[: first.end], given.text[first.end :]]
    return [
        Intake(given.document, texts[0], lines[0], (first,)),
        Intake(given.document, texts[1], lines[1], (second,), first.end),
    ]


async def test_a_document_that_comes_in_parts_is_seen_when_it_is_whole(store: Store) -> None:
    given = intake("前の段落。\n\n後の段落。", metadata={"課": "統計学"})
    token = await store.shelf.begin(given.document)
    for part in in_parts(given):
        await store.shelf.extend(token, part)
        assert await store.shelf.count(EVERYTHING) == 0 and await store.shelf.list_documents(EVERYTHING) == []
        assert await store.shelf.fetch_passages([passage.id for passage in given.passages]) == {}
    assert await store.shelf.finish(token, given.document) is None
    assert await store.shelf.find_document(given.document.id) == given.document
    assert await store.shelf.read_text(given.document.id) == given.text
    assert list(await store.shelf.read_lines(given.document.id)) == list(given.lines)
    assert [passage.id for passage in await store.shelf.list_passages_of(given.document.id)] == [
        one.id for one in given.passages
    ]
    assert await store.shelf.count(EVERYTHING) == 2
    (corpus,) = await store.shelf.list_corpora("local")
    assert (corpus.documents, corpus.passages) == (1, 2)


async def test_parts_that_were_abandoned_are_gone_and_those_of_the_dead_make_way(store: Store) -> None:
    given = intake("前の段落。\n\n後の段落。")
    first, second = in_parts(given)
    token = await store.shelf.begin(given.document)
    await store.shelf.extend(token, first)
    await store.shelf.abandon(token, given.document.id)
    assert list(await store.shelf.list_passages_of(given.document.id)) == []
    dead = await store.shelf.begin(given.document)
    await store.shelf.extend(dead, first)
    token = await store.shelf.begin(given.document)
    with pytest.raises(Conflict):
        await store.shelf.extend(dead, second)
    await store.shelf.extend(token, first)
    await store.shelf.extend(token, second)
    await store.shelf.finish(token, given.document)
    assert await store.shelf.read_text(given.document.id) == given.text
    with pytest.raises(Conflict):
        await store.shelf.begin(given.document)


async def test_the_next_version_in_parts_supersedes_the_last(store: Store) -> None:
    old = intake("古い版。")
    new = intake("新しい版。\n\n二段落目。")
    await store.shelf.put(old)
    token = await store.shelf.begin(new.document)
    for part in in_parts(new):
        await store.shelf.extend(token, part)
    assert await store.shelf.count(EVERYTHING) == 1
    assert await store.shelf.finish(token, new.document) == old.document.id


async def test_a_document_is_called_by_a_place_where_it_still_stands(store: Store) -> None:
    """Moved: its new place is seen before the old one is left. Its older versions go with it, so that a purge
    finds them."""
    old = intake("前の版。", source="/家/甲.txt")
    moved = intake("今の版。", source="/家/甲.txt")
    await store.shelf.put(old)
    await store.shelf.put(moved)
    assert await store.shelf.record_seen(moved.document, "/家/乙/甲.txt", {})
    assert (await store.shelf.find_document(moved.document.id)).source == "/家/甲.txt"
    assert await store.shelf.detach_source("default", "local", "/家/甲.txt") is None
    assert (await store.shelf.find_document(moved.document.id)).source == "/家/乙/甲.txt"
    assert await store.shelf.list_places("default", "local") == {"/家/乙/甲.txt": moved.document.id}
    await store.shelf.remove(moved.document.id, purge=True)
    with pytest.raises(SourceRemoved):
        await store.shelf.read_text(old.document.id)


async def test_a_document_whose_first_place_holds_something_else_now_is_called_by_the_other(
    store: Store,
) -> None:
    shared = intake("同じ中身。", source="a.txt")
    await store.shelf.put(shared)
    await store.shelf.record_seen(shared.document, "b.txt", {})
    await store.shelf.put(intake("別の中身。", source="a.txt"))
    assert (await store.shelf.find_document(shared.document.id)).source == "b.txt"


async def test_a_document_that_is_retired_between_being_known_and_being_seen_is_live_again(
    store: Store,
) -> None:
    """Two files swap their contents while both are taken in at once."""
    given = intake("入れ替わる。", source="a.txt")
    await store.shelf.put(given)
    known = await store.shelf.find_known("default", "local", given.document.sha256)
    assert known is not None
    await store.shelf.put(intake("別の本文。", source="a.txt"))
    assert await store.shelf.record_seen(known, "b.txt", {})
    assert (await store.shelf.find_document(known.id)).state is DocumentState.LIVE
    assert (await store.shelf.find_document(known.id)).source == "b.txt"
    await store.shelf.remove(known.id, purge=True)
    assert not await store.shelf.record_seen(known, "c.txt", {})
    assert "c.txt" not in await store.shelf.list_places("default", "local")


async def test_the_two_passages_after_some_are_told(store: Store) -> None:
    given = intake("".join(f"{number}番目の段落には長い文がある。" * 60 + "\n\n" for number in range(4)))
    await store.shelf.put(given)
    ids = [passage.id for passage in given.passages]
    assert len(ids) > 3
    following = await store.shelf.find_following([ids[0], ids[-2], ids[-1], "0" * 15])  # type: ignore[list-item]
    assert {name: [passage.id for passage in after] for name, after in following.items()} == {
        ids[0]: ids[1:3],
        ids[-2]: ids[-1:],
    }


async def test_what_is_said_of_documents_replaces_what_was_and_says_of_how_many_it_is_news(
    store: Store,
) -> None:
    first = intake("甲の文書。", source="/甲.txt", metadata={"author": "古い", "課": "統計学"})
    second = intake("乙の文書。", source="/乙.txt")
    for given in (first, second):
        await store.shelf.put(given)
    said = {first.document.id: {"author": "新しい"}, second.document.id: {"year": "2020"}}
    assert await store.shelf.describe(said) == 2
    assert await store.shelf.describe(said) == 0
    assert await store.shelf.describe({DocumentId("doc_none"): {"author": "誰か"}}) == 0
    documents = await store.shelf.fetch_documents(list(said))
    assert documents[first.document.id].metadata == {"author": "新しい", "課": "統計学"}
    found = await store.shelf.list_documents(Scope(filters={"year": "2020"}))
    assert [document.id for document in found] == [second.document.id]
