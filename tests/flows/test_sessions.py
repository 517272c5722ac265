"""An assistant as its own librarian: what it is shown, what of its claims stands, what of its sentences."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from shisho.bootstrap.library import open_library
from shisho.domain.codec import to_plain
from shisho.domain.corpus import NumberedPassage, SearchRequest
from shisho.domain.inquiry import Finding, Goal, list_contradicted
from shisho.domain.session import CitedSentence, SupportCounts
from shisho.domain.task import Opinion
from shisho.errors import EmptyCorpus, InvalidParams, NotFound, SourceRemoved
from shisho.interfaces.api.answers import get_evidence
from shisho.services import Library
from tests.flows.conftest import SAMPLES
from tests.inside import builder_of

QUESTION = "決定係数が0に近いとき何を意味するか"
TRUE = "決定係数が0に近くても、二つの変数が無関係だとは限らない。"
ASKED = SearchRequest(keyword_query=("決定係数", "0に近い"))


async def shown(library: Library, session: str, *requests: SearchRequest) -> list[NumberedPassage]:
    rounds = [await library.sessions.search_next(session, one) for one in requests or (ASKED,)]
    return [one for round_ in rounds for one in round_.shown]


def holding(text: str, passages: list[NumberedPassage]) -> NumberedPassage:
    return next(one for one in passages if text in one.text)


async def test_two_rounds_share_nothing_and_tell_no_id(stocked: Library) -> None:
    opened = await stocked.sessions.open_session(QUESTION)
    assert opened.strategy.condition == "G1" and not opened.condition_met
    first = await stocked.sessions.search_next(opened.session_id, ASKED)
    second = await stocked.sessions.search_next(opened.session_id, ASKED)
    texts = [[one.text for one in round_.shown] for round_ in (first, second)]
    assert texts[0] and texts[1] and not set(texts[0]) & set(texts[1])
    assert [one.temp_index for one in (*first.shown, *second.shown)] == list(
        range(1, len(texts[0]) + len(texts[1]) + 1)
    )
    assert (first.round, second.round, first.passages) == (1, 2, ())
    documents = await stocked.documents.list()
    passages = [
        one.id
        for document in documents
        for one in await builder_of(stocked).stores.shelf.list_passages_of(document.id)
    ]
    told = json.dumps(to_plain([first, second]), ensure_ascii=False)
    assert not [name for name in (*passages, *(one.id for one in documents)) if name in told]


async def test_side_by_side_searches_share_nothing(stocked: Library) -> None:
    session = (await stocked.sessions.open_session(QUESTION)).session_id
    requests = [replace(ASKED, search_intent=str(number)) for number in range(6)]
    rounds = await asyncio.gather(*(stocked.sessions.search_next(session, one) for one in requests))
    numbers = [one.temp_index for each in rounds for one in each.shown]
    assert sorted(numbers) == list(range(1, len(numbers) + 1)) and sorted(each.round for each in rounds) == [
        1,
        2,
        3,
        4,
        5,
        6,
    ]


async def test_a_true_an_altered_and_an_invented_finding(stocked: Library) -> None:
    session = (await stocked.sessions.open_session(QUESTION)).session_id
    passage = holding(TRUE, await shown(stocked, session))
    altered = TRUE.replace("二つ", "2つ").replace("無関係だ", "無関係")
    done = await stocked.sessions.submit_findings(
        session,
        [
            Finding(passage.temp_index, "G1", "決定係数が大きければ因果関係がある。", 0.9),
            Finding(passage.temp_index, "G1", altered, 0.9),
            Finding(999, "G1", TRUE, 0.9),
            Finding(passage.temp_index, "G9", TRUE, 0.9),
            Finding(passage.temp_index, "G1", TRUE, float("nan")),
        ],
    )
    invented, mended, unseen, goalless, scoreless = done.findings
    assert (mended.accepted, mended.replaced, mended.snippet) == (
        True,
        True,
        TRUE,
    ) and "stored text" in mended.reason
    assert [(one.accepted, one.number) for one in (invented, unseen, goalless, scoreless)] == [
        (False, None)
    ] * 4
    assert (
        "do not occur" in invented.reason
        and "999" in unseen.reason
        and "G9" in goalless.reason
        and "score" in scoreless.reason
    )
    assert done.condition_met and done.goal_status[0].met
    again = await stocked.sessions.submit_findings(session, [Finding(passage.temp_index, "G1", TRUE, 0.5)])
    assert (again.findings[0].number, again.findings[0].replaced, again.goal_status[0].evidence) == (
        mended.number,
        False,
        1,
    )


async def test_the_condition_is_evaluated_by_code(stocked: Library) -> None:
    goals = [Goal("G1", "0に近いとは何か"), Goal("G2", "残差とは何か", min_evidence=2)]
    opened = await stocked.sessions.open_session(QUESTION, goals=goals, condition="G1 and G2")
    session = opened.session_id
    passages = await shown(stocked, session, ASKED, SearchRequest(keyword_query=("残差",)))
    about = holding("残差", passages)
    sentences = [each + "。" for each in about.text.split("。") if each.strip()]
    one = holding(TRUE, passages)
    done = await stocked.sessions.submit_findings(session, [Finding(one.temp_index, "G1", TRUE, 0.9)])
    assert [status.met for status in done.goal_status] == [True, False] and not done.condition_met
    done = await stocked.sessions.submit_findings(
        session, [Finding(about.temp_index, "G2", sentences[0], 0.1)]
    )
    assert not done.condition_met, "a finding that is only near must not meet a goal"
    near = holding("残差", [each for each in passages if each != about])
    more = [
        Finding(about.temp_index, "G2", sentences[0], 0.9),
        Finding(near.temp_index, "G2", near.text[:60], 0.9),
    ]
    done = await stocked.sessions.submit_findings(session, more)
    assert done.goal_status[1].evidence == 2 and done.condition_met
    odd = await stocked.sessions.open_session(QUESTION, goals=goals, condition="not G1")
    assert odd.strategy.condition == "not G1" and not odd.condition_met
    either = await stocked.sessions.open_session(QUESTION, goals=goals, condition="G1 or G2")
    assert either.strategy.condition == "G1 or G2"


async def test_evidence_of_a_session_opens_without_an_answer(stocked: Library) -> None:
    session = (
        await stocked.sessions.open_session(QUESTION, goals=[{"id": "課題-1", "question": QUESTION}])
    ).session_id
    one = holding(TRUE, await shown(stocked, session))
    done = await stocked.sessions.submit_findings(session, [Finding(one.temp_index, "課題-1", TRUE, 0.9)])
    (row,) = (await stocked.questions.list_evidence(session)).evidence
    assert done.findings[0].evidence == row and (row.goal_id, row.snippet, row.score) == ("課題-1", TRUE, 0.9)
    assert (
        (await stocked.documents.read_text(row.document_id))[row.start : row.end] == TRUE
        and row.page
        and row.link
    )
    assert (await stocked.sessions.read_passage(id=row.passage_id)).text == one.text
    with pytest.raises(NotFound):
        await get_evidence(stocked, answer_id=session)
    assert (await get_evidence(stocked, session_id=session)).evidence == (row,)


async def test_an_answer_keeps_what_is_carried_and_nothing_else(stocked: Library) -> None:
    session = (await stocked.sessions.open_session(QUESTION)).session_id
    passage = holding(TRUE, await shown(stocked, session))
    await stocked.sessions.submit_findings(session, [Finding(passage.temp_index, "G1", TRUE, 0.9)])
    composed = await stocked.sessions.compose_answer(
        session,
        [
            CitedSentence("以下に答えを示す。"),
            CitedSentence("決定係数が0に近くても、二つの変数が無関係とは限らない [1][7]。"),
            CitedSentence("決定係数が0に近いとき、相関は0.98である。", (1,)),
            CitedSentence("富士山の標高は3776メートルである。", (42,)),
        ],
    )
    assert [one.became for one in composed.mended] == ["kept", "kept", "kept", "removed"]
    assert [one.support for one in composed.mended] == [None, "supported", "unverified", None]
    assert [one.support for one in composed.sentences] == [None, "supported", "unverified"]
    assert list_contradicted(composed.blocks) == ()
    assert "0.98である。 [1](未確認)" in composed.text
    assert composed.counts == SupportCounts(supported=1, unverified=1, contradicted=0, removed=1)
    assert "確認済み 1 (うちモデルによる 0) · 未確認 1 · 食い違い 0 · 裏付けがなく削除 1" in composed.text
    assert (composed.mended[1].unknown, composed.mended[3].unknown) == ((7,), (42,))
    assert composed.mended[2].lacking
    assert "[7]" not in composed.text and "富士山" not in composed.text
    assert f"[1]の記述:「{TRUE}」" in composed.text and composed.text.count("[1]") == 3
    answer = await stocked.questions.get(composed.answer_id)
    assert (answer.text, answer.model, answer.condition) == (composed.text, "assistant", "G1")
    (evidence,) = answer.evidence
    text = await stocked.documents.read_text(evidence.document_id)
    assert text[evidence.start : evidence.end] == evidence.snippet == TRUE
    assert await stocked.exports.render(composed.answer_id, "md")
    empty = (await stocked.sessions.open_session(QUESTION)).session_id
    nothing = await stocked.sessions.compose_answer(empty, [CitedSentence("決定係数は0.5である。", (1,))])
    assert (
        nothing.sentences == ()
        and nothing.missing == (QUESTION,)
        and (await stocked.questions.get(nothing.answer_id)).abstained
    )


async def test_uncited_statements_are_sought_for_then_removed_whatever_the_question_says(
    stocked: Library,
) -> None:
    question = "決定係数が0に近いとき、相関係数は0か、それとも1か"
    session = (await stocked.sessions.open_session(question)).session_id
    passage = holding(TRUE, await shown(stocked, session))
    await stocked.sessions.submit_findings(session, [Finding(passage.temp_index, "G1", TRUE, 0.9)])
    other = next(
        one + "。"
        for one in passage.text.split("。")
        if len(one) > 20 and one + "。" != TRUE and one not in TRUE
    )
    composed = await stocked.sessions.compose_answer(
        session,
        [
            CitedSentence("決定係数が0に近いとき、相関係数は0である。"),
            CitedSentence("決定係数が0に近いとき、相関係数は1である。"),
            CitedSentence("結論: 相関係数は0である。"),
            CitedSentence(TRUE),
            CitedSentence(" ".join(other.split())),
            CitedSentence("## まとめ"),
        ],
    )
    assert [one.became for one in composed.mended] == [
        "removed",
        "removed",
        "removed",
        "kept",
        "kept",
        "kept",
    ]
    assert [one.support for one in composed.sentences] == ["supported", "supported", None]
    assert composed.mended[3].evidence == (1,) and composed.mended[4].evidence == (2,)
    assert [one.number for one in composed.evidence] == [1, 2] and composed.counts.removed == 3


async def test_an_unverified_sentence_stays_with_its_quotation_under_it_on_every_surface(
    stocked: Library,
) -> None:
    session = (await stocked.sessions.open_session(QUESTION)).session_id
    passage = holding(TRUE, await shown(stocked, session))
    await stocked.sessions.submit_findings(session, [Finding(passage.temp_index, "G1", TRUE, 0.9)])
    far = "決定係数がゼロ付近であっても、両変数を無縁と断じるのは早計である。"
    composed = await stocked.sessions.compose_answer(session, [CitedSentence(far, (1,))])
    assert [one.support for one in composed.sentences] == ["unverified"] and composed.counts.unverified == 1
    markdown = await stocked.exports.render(composed.answer_id, "md")
    rows = (await stocked.exports.render(composed.answer_id, "jsonl")).splitlines()
    for text in (composed.text, (await stocked.questions.get(composed.answer_id)).text, markdown):
        at = text.index(far)
        assert "未確認" in text[at : at + len(far) + 20] and f"「{TRUE}」" in text[at:]
        assert "確認済み 0 (うちモデルによる 0) · 未確認 1" in text
    unit = {"text": far, "evidence": [1], "support": "unverified", "by": None}
    assert json.loads(rows[0])["blocks"][0] == {"kind": "paragraph", "sentences": [unit]}


async def test_a_session_survives_a_restart(tmp_path: Path) -> None:
    async with open_library(home=tmp_path) as library:
        assert [one.outcome async for one in library.documents.add(SAMPLES)].count("added") == 4
        session = (await library.sessions.open_session(QUESTION)).session_id
        before = await shown(library, session)
        passage = holding(TRUE, before)
        done = await library.sessions.submit_findings(session, [Finding(passage.temp_index, "G1", TRUE, 0.9)])
    async with open_library(home=tmp_path) as library:
        after = await shown(library, session[:20])
        assert not {one.text for one in before} & {one.text for one in after}
        assert min(one.temp_index for one in after) == len(before) + 1
        read = await library.sessions.read_passage(session_id="last", number=passage.temp_index)
        assert read.text == passage.text
        again = await library.sessions.submit_findings(
            session, [Finding(passage.temp_index, "G1", TRUE, 0.9)]
        )
        assert again.findings[0].number == done.findings[0].number and again.condition_met


async def test_passages_are_read_with_their_neighbours(stocked: Library) -> None:
    opened = await stocked.sessions.open_session(QUESTION)
    passage = (await shown(stocked, opened.session_id))[0]
    read = await stocked.sessions.read_passage(
        session_id=opened.session_id, number=passage.temp_index, context=1
    )
    assert read.text == passage.text and read.link == "" and len(read.before) + len(read.after) >= 1
    assert passage.text not in (*read.before, *read.after)
    found = await stocked.documents.search(ASKED)
    assert found and found[0].score >= found[-1].score and found[0].parts
    linked = await stocked.sessions.read_passage(id=found[0].passage, context=5)
    assert (
        linked.text == found[0].text and linked.link == f"document://{found[0].document}/page/{found[0].page}"
    )
    answer = await stocked.questions.ask(QUESTION)
    evidence = answer.evidence[0]
    assert evidence.snippet in (await stocked.sessions.read_passage(id=evidence.id)).text
    await stocked.documents.remove(evidence.document_id, purge=True)
    with pytest.raises(SourceRemoved):
        await stocked.sessions.read_passage(id=evidence.id)
    for wrong in (
        {"session_id": opened.session_id, "number": 999},
        {"id": "nothing"},
        {"session_id": "none", "number": 1},
    ):
        with pytest.raises(NotFound):
            await stocked.sessions.read_passage(**wrong)  # type: ignore[arg-type]


async def test_a_purge_leaves_nothing_of_a_document_in_a_session(stocked: Library, tmp_path: Path) -> None:
    session = (await stocked.sessions.open_session(QUESTION)).session_id
    passage = holding(TRUE, await shown(stocked, session))
    await stocked.sessions.submit_findings(session, [Finding(passage.temp_index, "G1", TRUE, 0.9)])
    await stocked.documents.remove("01-regression.pdf", purge=True)
    refused = await stocked.sessions.submit_findings(session, [Finding(passage.temp_index, "G1", TRUE, 0.9)])
    assert not refused.findings[0].accepted and not refused.condition_met
    composed = await stocked.sessions.compose_answer(session, [CitedSentence(TRUE, (1,))])
    assert composed.mended[0].became == "removed"
    await stocked.backup(tmp_path / "copy.db")
    assert TRUE[:12].encode() not in (tmp_path / "copy.db").read_bytes()


async def test_rejected_evidence_is_passed_over(stocked: Library) -> None:
    answer = await stocked.questions.ask(QUESTION)
    await stocked.questions.record_feedback(Opinion.REJECT_EVIDENCE, answer.evidence[0].id)
    session = (await stocked.sessions.open_session(QUESTION)).session_id
    assert not [
        one for one in await shown(stocked, session, ASKED, ASKED) if answer.evidence[0].snippet in one.text
    ]


async def test_wrong_calls_are_refused(stocked: Library, tmp_path: Path) -> None:
    sessions = stocked.sessions
    opened = (await sessions.open_session(QUESTION)).session_id
    doubled = [Goal("G1", "一"), Goal("G1", "二")]
    for call in (
        sessions.open_session(" "),
        sessions.open_session(QUESTION, goals=doubled),
        sessions.open_session(QUESTION, goals=[Goal("goal\none", "一")]),
        sessions.open_session(QUESTION, goals=[Goal("T1", " ")]),
        sessions.open_session(QUESTION, goals=["一"] * 21),
        sessions.open_session(QUESTION, goals=[Goal("and", "一")]),
        sessions.open_session(QUESTION, goals=[Goal("T1", "一", min_evidence=0)]),
        sessions.open_session(QUESTION, goals=["一", "二"], condition="G1 or"),
        sessions.open_session(QUESTION, complexity="hard"),
        sessions.open_session(QUESTION, exclude_ids=["nothing"]),
        stocked.documents.search(SearchRequest()),
        sessions.search_next(opened, SearchRequest()),
        sessions.submit_findings(opened, []),
        sessions.compose_answer(opened, []),
        sessions.read_passage(),
        sessions.read_passage(session_id=opened),
        sessions.read_passage(id="x", session_id=opened, number=1),
        sessions.read_passage(id="x", context=6),
    ):
        with pytest.raises(InvalidParams):
            await call
    with pytest.raises(NotFound):
        await sessions.search_next("nothing", ASKED)
    async with open_library(home=tmp_path / "empty") as empty:
        with pytest.raises(EmptyCorpus):
            await empty.sessions.open_session(QUESTION)
