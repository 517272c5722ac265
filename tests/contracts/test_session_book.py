"""What every book of assistants' sessions promises."""

from __future__ import annotations

from hashlib import sha256

import pytest

from shisho.domain.corpus import Complexity, FilterRange, Scope
from shisho.domain.inquiry import EvidenceRef, Goal, Strategy
from shisho.domain.session import SessionFacts
from shisho.errors import InvalidParams, NotFound
from tests.contracts.discoveries import Discoveries, cited
from tests.making import intake
from tests.queues import OWNER

AIM = Strategy("決定係数とは何か。", (Goal("G1", "定義"), Goal("G2", "性質")), "G1 AND G2", Complexity.SINGLE)
SCOPE = Scope(OWNER, ("講義",), {"年度": FilterRange("2024", None), "課": ("統計学", "物理")})


async def test_session_is_found_by_id_prefix_or_as_the_last(discoveries: Discoveries) -> None:
    facts = [SessionFacts("s_ab1", OWNER, AIM, SCOPE), SessionFacts("s_ab2", OWNER, AIM, SCOPE, 4_000)]
    for session in facts:
        await discoveries.book.begin(session)
        discoveries.queue.clock.pass_(1)
    await discoveries.book.begin(SessionFacts("s_theirs", "stranger", AIM, SCOPE))
    assert await discoveries.book.find_session("s_ab1", OWNER) == facts[0]
    assert (
        await discoveries.book.find_session("s_ab2", OWNER)
        == await discoveries.book.find_session("last", OWNER)
        == facts[1]
    )
    for prefix in ("s_ab", "none", "s_theirs"):
        with pytest.raises(NotFound):
            await discoveries.book.find_session(prefix, OWNER)
    with pytest.raises(NotFound):
        await discoveries.book.find_session("last", "nobody")


async def test_a_blank_names_no_session_though_there_is_one(discoveries: Discoveries) -> None:
    await discoveries.book.begin(SessionFacts("s_ab1", OWNER, AIM, SCOPE))
    for blank in ("", " "):
        with pytest.raises(InvalidParams, match="The id of the session is blank"):
            await discoveries.book.find_session(blank, OWNER)


async def test_accepted_quotation_keeps_its_number_and_its_highest_score(discoveries: Discoveries) -> None:
    given = intake("決定係数は1に近い。", source="https://a.example/x", title="回帰分析")
    await discoveries.shelf.put(given)
    (passage,) = given.passages
    for session_id in ("s1", "s2"):
        await discoveries.book.begin(SessionFacts(session_id, OWNER, AIM, SCOPE))
    whole = cited(passage, 0, len(passage.text))
    part = cited(passage, 0, 4)
    accepted = [
        ("G1", part, 0.5, 1),
        ("G2", part, 0.7, 1),
        ("G1", whole, 0.6, 2),
        ("G1", part, 0.9, 3),
        ("G1", part, 0.1, 4),
    ]
    numbers = [await discoveries.book.accept("s1", *given_one) for given_one in accepted]
    assert numbers == [1, 2, 3, 1, 1]
    assert await discoveries.book.accept("s2", "G1", whole, 0.5, 1) == 1
    first, second, third = await discoveries.book.list_evidence("s1")
    assert first.ref == EvidenceRef(1, "G1", "決定係数", "回帰分析", 0.9, 1)
    assert (second.ref.goal_id, third.ref.snippet) == ("G2", passage.text)
    assert (first.citation.title, first.citation.source) == ("回帰分析", "https://a.example/x")
    assert (first.citation.site, first.citation.sha256) == (
        "a.example",
        sha256("決定係数".encode()).hexdigest(),
    )
    assert (first.citation.start, first.citation.end, first.citation.passage_id) == (
        part.start,
        part.end,
        passage.id,
    )


async def test_evidence_of_a_purged_document_is_gone(discoveries: Discoveries) -> None:
    kept = intake("残る文。", source="k")
    purged = intake("消える文。", source="p")
    await discoveries.book.begin(SessionFacts("s1", OWNER, AIM, SCOPE))
    for given in (purged, kept):
        await discoveries.shelf.put(given)
        await discoveries.book.accept("s1", "G1", cited(given.passages[0], 0, 2), 0.5, 1)
    await discoveries.shelf.remove(purged.document.id, purge=True)
    (standing,) = await discoveries.book.list_evidence("s1")
    assert (standing.ref.number, standing.ref.snippet) == (2, "残る")
    assert list(await discoveries.book.list_evidence("none")) == []
