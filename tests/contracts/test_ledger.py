"""What every ledger and every session log promises."""

from __future__ import annotations

from dataclasses import replace

import pytest

from shisho.domain.codec import Payload
from shisho.domain.corpus import (
    DocumentId,
    DocumentState,
    FilterRange,
    PassageId,
    RoundRecord,
    Scope,
    ShownRecord,
)
from shisho.domain.evidence import REMOVED
from shisho.domain.inquiry import (
    Answer,
    AnswerLevel,
    AnswerParagraph,
    Budget,
    Evidence,
    Goal,
    GoalStatus,
    Inquiry,
    LoopStop,
    Sentence,
    StepText,
    SupportOutcome,
    WebPolicy,
)
from shisho.domain.time import Instant
from shisho.errors import InvalidParams, NotFound, SourceRemoved
from shisho.stores.postgres.rows import fetch_all
from tests.contracts.conftest import EmbeddedStore, PostgresStore, Store
from tests.making import intake

GONE = "(出典は削除されました)"  # in the language of the question


def evidence(number: int, snippet: str, document: str = "doc_1") -> Evidence:
    return Evidence(
        id=f"e{number}",
        number=number,
        goal_id="G1",
        document_id=DocumentId(document),
        document="a.pdf",
        title="講義",
        heading="第一章",
        page=3,
        start=10,
        end=10 + len(snippet),
        snippet=snippet,
        sha256="0" * 64,
        score=0.5,
        round=1,
    )


def answer(name: str, at: str, *found: Evidence) -> Answer:
    level = AnswerLevel.ANSWERED if found else AnswerLevel.NOTHING
    return Answer(
        id=name,
        task_id="run1",
        question="何か。",
        text="".join(f"「{one.snippet}」[{one.number}]({one.heading})" for one in found),
        blocks=(
            AnswerParagraph(
                tuple(Sentence(one.snippet, (one.number,), SupportOutcome.SUPPORTED) for one in found)
            ),
        ),
        evidence=found,
        condition="G1",
        goals=(Goal("G1", "何か。"),),
        goal_status=(GoalStatus("G1", len(found), 1, bool(found), level),),
        loop_stop=LoopStop.CONDITION_MET,
        rounds=1,
        budget_used={"rounds": 1.0},
        level=level,
        abstained=not found,
        missing=(),
        model="none",
        created_at=at,
    )


async def test_an_answer_comes_back_whole(store: Store) -> None:
    await store.ledger.begin(Inquiry("run1", "何か。"))
    given = answer("abc1", "2026-01-01", evidence(1, "決定係数は R² と書く。"), evidence(2, "10²"))
    await store.ledger.save(given, "local")
    assert await store.ledger.answer("abc", "local") == given
    assert await store.ledger.answer("last", "local") == given
    assert await store.ledger.find_evidence("e2", "local") == given.evidence[1]
    await store.ledger.save(replace(given, text="改めた。"), "local")
    assert (await store.ledger.answer("abc1", "local")).text == "改めた。"


async def test_prefixes_must_be_unique_and_owners_are_apart(store: Store) -> None:
    await store.ledger.begin(Inquiry("run1", "何か。"))
    await store.ledger.save(answer("abc1", "2026-01-01"), "local")
    await store.ledger.save(answer("abc2", "2026-01-02"), "local")
    assert (await store.ledger.answer("last", "local")).id == "abc2"
    for prefix, owner in (("abc", "local"), ("x", "local"), ("abc1", "other"), ("last", "other")):
        with pytest.raises(NotFound):
            await store.ledger.answer(prefix, owner)
    with pytest.raises(NotFound):
        await store.ledger.find_evidence("e", "local")


async def test_a_blank_names_nothing_though_there_is_one_of_each(store: Store) -> None:
    await store.ledger.begin(Inquiry("run1", "何か。"))
    await store.ledger.save(answer("abc1", "2026-01-01", evidence(1, "引用。")), "local")
    for blank in ("", " ", "\u3000"):
        for find in (store.ledger.answer, store.ledger.find_evidence, store.ledger.find_run):
            with pytest.raises(InvalidParams, match="The id of the"):
                await find(blank, "local")


async def test_runs_and_steps(store: Store) -> None:
    scope = Scope("local", ("default",), {"title": ("甲", "乙"), "page": FilterRange("1", "3")})
    inquiry = Inquiry("run1", "甲", scope, Budget(max_rounds=2), "task1", WebPolicy.LAST, ("/docs",))
    await store.ledger.begin(inquiry)
    await store.ledger.begin(replace(inquiry, question="乙"))
    assert await store.ledger.find_inquiry("run1") == inquiry
    assert (
        await store.ledger.find_run("last", "local") == await store.ledger.find_run("ru", "local") == "run1"
    )
    with pytest.raises(NotFound):
        await store.ledger.find_inquiry("none")
    for number in (1, 2, 3):
        await store.ledger.record(
            "run1",
            number,
            f"node{number}",
            f"h{number}",
            Payload.wrap({"out": number}),
        )
    step = await store.ledger.find_step("run1", 2)
    assert step is not None and (step.node, step.input_hash) == ("node2", "h2")
    assert step.output == Payload.wrap({"out": 2})
    await store.ledger.forget_from("run1", 2)
    assert await store.ledger.find_step("run1", 2) is None
    (kept,) = await store.ledger.list_steps("run1")
    assert (kept.number, kept.node) == (1, "node1")
    assert (kept.output, kept.texts) == (Payload.wrap({"out": 1}), ())


async def test_the_last_run_is_the_last_unfinished_one(store: Store) -> None:
    with pytest.raises(NotFound, match="unfinished"):
        await store.ledger.find_run("last", "local")
    for run_id in ("run1", "run2", "run3"):
        await store.ledger.begin(Inquiry(run_id, "何か。"))
    done = answer("abc1", "2026-01-01")
    await store.ledger.save(replace(done, task_id="run3", loop_stop=LoopStop.CONDITION_MET), "local")
    await store.ledger.save(replace(done, id="abc2", task_id="run2", loop_stop=LoopStop.STOPPED), "local")
    assert await store.ledger.find_run("last", "local") == "run2", "stopped is not finished"
    await store.ledger.save(replace(done, id="abc2", task_id="run2", loop_stop=LoopStop.EXHAUSTED), "local")
    assert await store.ledger.find_run("last", "local") == "run1"
    assert await store.ledger.find_run("run3", "local") == "run3"
    with pytest.raises(NotFound, match="unfinished"):
        await store.ledger.find_run("last", "other")


async def test_a_sessions_rounds_come_back_in_order(store: Store) -> None:
    shown = tuple(ShownRecord(n, PassageId(f"{n:015x}"), DocumentId("doc_1"), n / 4) for n in (1, 2))
    pending = tuple(replace(shown[0], number=0, passage_id=PassageId(f"{n:015x}")) for n in (7, 6))
    records = [RoundRecord(1, 5, 9, False, shown, pending), RoundRecord(2, 0, 9, True, ())]
    for record in records:
        await store.sessions.add("s", record)
    assert list(await store.sessions.list_rounds("s")) == records
    page = (replace(pending[0], number=3),)
    records[0] = RoundRecord(1, 5, 9, True, (*shown, *page), pending[1:])
    await store.sessions.update("s", records[0], page)
    assert list(await store.sessions.list_rounds("s")) == records
    assert list(await store.sessions.list_rounds("other")) == []


async def purged_of(store: Store) -> None:
    """A run that was shown two documents and an answer that quotes both; then one of them is purged."""
    kept = intake("残る文。", source="k")
    purged = intake("消える文。", source="p")
    for document in (kept, purged):
        await store.shelf.put(document)
    await store.ledger.begin(Inquiry("run1", "何か。"))
    await store.ledger.record("run1", 1, "search", "h", Payload.wrap({"shown": "消える文。"}))
    shown = ShownRecord(1, purged.passages[0].id, purged.document.id, 1.0)
    await store.sessions.add("run1", RoundRecord(1, 1, 2, False, (shown,)))
    quoted = (evidence(1, "残る文。", kept.document.id), evidence(2, "消える文。", purged.document.id))
    await store.ledger.save(answer("abc1", "2026-01-01", *quoted), "local")
    await store.shelf.remove(purged.document.id, purge=True)


async def test_a_purge_reaches_every_copy(store: Store) -> None:
    await purged_of(store)
    left = await store.ledger.answer("abc1", "local")
    assert "残る文。" in left.text and "消える文" not in left.text and GONE in left.text
    assert [quotation.snippet for quotation in left.evidence] == ["残る文。", ""]
    assert (left.evidence[1].document, left.evidence[1].heading) == ("", "")
    states = [quotation.source_state for quotation in left.evidence]
    assert states == [DocumentState.LIVE, DocumentState.PURGED]
    assert [sentence.text for sentence in left.sentences] == ["残る文。", GONE]
    assert [sentence.support for sentence in left.sentences] == [
        SupportOutcome.SUPPORTED,
        SupportOutcome.UNVERIFIED,
    ]
    assert left.evidence[1].title == GONE and REMOVED not in left.text
    assert (await store.ledger.find_evidence("e1", "local")).snippet == "残る文。"
    with pytest.raises(SourceRemoved):
        await store.ledger.find_evidence("e2", "local")
    with pytest.raises(SourceRemoved):
        await store.ledger.find_inquiry("run1")
    assert list(await store.ledger.list_steps("run1")) == []


async def test_a_step_refers_to_the_texts_of_documents(store: Store) -> None:
    text = "残る文。" * 2_000
    kept = intake(text, source="k")
    await store.shelf.put(kept)
    await store.ledger.begin(Inquiry("run1", "何か。"))
    texts = [
        StepText(kept.document.id, 0, text),
        StepText(kept.document.id, 4, text[4:400]),
        StepText(kept.document.id, 4, "他の文。"),
        StepText(kept.document.id, len(text), ""),
        StepText(DocumentId("none"), 0, "どこにもない文。"),
    ]
    await store.ledger.record("run1", 1, "search", "h", Payload(), texts)
    step = await store.ledger.find_step("run1", 1)
    assert step is not None and list(step.texts) == [each.text for each in texts]
    assert isinstance(store, (EmbeddedStore, PostgresStore))
    assert await content_bytes(store) < 300
    await store.shelf.remove(kept.document.id, purge=True)
    with pytest.raises(SourceRemoved):
        await store.ledger.list_steps("run1")


async def test_steps_of_finished_runs_expire(store: Store) -> None:
    for run in ("open", "done"):
        await store.ledger.begin(Inquiry(run, "何か。"))
        await store.ledger.record(run, 1, "strategy", "h", Payload())
        await store.ledger.record(run, 2, "plan", "h", Payload())
    await store.ledger.save(answer("done", "2026-01-01"), "local")
    assert await store.ledger.expire_steps(Instant("2000-01-01T00:00:00+00:00")) == 0
    assert await store.ledger.expire_steps(Instant("2100-01-01T00:00:00+00:00")) == 2
    assert len(await store.ledger.list_steps("open")) == 2
    assert list(await store.ledger.list_steps("done")) == []
    assert (await store.ledger.answer("done", "local")).id == "done"


async def content_bytes(store: EmbeddedStore | PostgresStore) -> int:
    statement = "SELECT length(content) AS size FROM steps"
    if isinstance(store, EmbeddedStore):
        return await store.database.read(lambda connection: int(connection.execute(statement).get))
    rows = await store.database.read(lambda connection: fetch_all(connection, statement))
    return int(rows[0].size)


async def test_an_older_version_is_gone_when_the_newer_one_is(store: Store) -> None:
    older = intake("赤い本は棚の上。", source="k")
    newer = intake("赤い本は床の下。", source="k")
    await store.shelf.put(older)
    await store.ledger.save(answer("abc1", "2026-01-01", evidence(1, "赤い本", older.document.id)), "local")
    await store.shelf.put(newer)
    assert (await store.ledger.find_evidence("e1", "local")).source_state is DocumentState.SUPERSEDED
    await store.shelf.remove(newer.document.id, purge=False)
    assert (await store.ledger.find_evidence("e1", "local")).source_state is DocumentState.REMOVED
    (quoted,) = (await store.ledger.answer("abc1", "local")).evidence
    assert quoted.source_state is DocumentState.REMOVED
    await store.shelf.put(newer)
    assert (await store.ledger.find_evidence("e1", "local")).source_state is DocumentState.SUPERSEDED


async def test_a_purge_leaves_no_byte_in_the_files(embedded: EmbeddedStore) -> None:
    await purged_of(embedded)
    await embedded.database.close()
    held = b"".join(path.read_bytes() for path in embedded.database.path.parent.iterdir() if path.is_file())
    assert "消える文".encode() not in held and "残る文".encode() in held
