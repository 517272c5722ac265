"""What a model has written of a purged document under no number is purged as well."""

from __future__ import annotations

from dataclasses import replace

import pytest

from shisho.domain.codec import Payload, dumps
from shisho.domain.corpus import DocumentId, RoundRecord, ShownRecord
from shisho.domain.inquiry import (
    AnswerHeading,
    AnswerTable,
    Inquiry,
    LoopStop,
    NextStep,
    Sentence,
    SupportOutcome,
    Verdict,
)
from shisho.domain.payloads import AnswerProgress
from shisho.rendering.answer_text import write_text
from tests.contracts.conftest import EmbeddedStore, PostgresStore, Store
from tests.contracts.test_ledger import GONE, answer, evidence
from tests.contracts.test_renamed_levels import run
from tests.making import intake

SECRET = "藤色の書庫"
AT = "2026-01-01T00:00:00Z"
TASK = "INSERT INTO tasks (id, owner, question, state, budget_json, created_at) VALUES (?, ?, ?, ?, ?, ?)"
JOB = """INSERT INTO jobs (id, task_id, kind, state, priority, input_json, progress_json, created_at)
    VALUES ('run1', 't1', 'answer', 'completed', 0, '{}', ?, ?)"""
EVENT = """INSERT INTO events (task_id, revision, job_id, at, kind, data_json)
    VALUES ('t1', 1, 'run1', ?, 'progress', ?)"""


async def test_an_answer_keeps_no_word_of_a_model_under_no_number(store: Store) -> None:
    purged = intake("消える文。")
    await store.shelf.put(purged)
    quoted = evidence(1, "消える文。", purged.document.id)
    cell = Sentence("一冊", (2,), SupportOutcome.SUPPORTED)
    blocks = (
        AnswerHeading(SECRET),
        AnswerHeading("問いの題", 3),
        AnswerTable((f"{SECRET}|数", "題"), ((cell, cell),)),
    )
    given = answer("abc1", AT, quoted, evidence(2, "一冊", DocumentId("doc_other")))
    status = tuple(replace(row, missing=f"{SECRET}の場所") for row in given.goal_status)
    await store.ledger.begin(Inquiry("run1", "何か。"))
    await store.ledger.save(
        replace(given, text=write_text(blocks, {}, "ja"), blocks=blocks, goal_status=status), "local"
    )
    await store.shelf.remove(purged.document.id, purge=True)
    left = await store.ledger.answer("abc1", "local")
    assert SECRET not in dumps(left)
    kept = (AnswerHeading(GONE), blocks[1], AnswerTable(("", ""), ((cell, cell),)))
    assert (left.blocks, left.text) == (kept, write_text(kept, {}, "ja"))


async def test_an_answer_that_read_the_document_keeps_nothing_that_a_model_misses(store: Store) -> None:
    """Even if it quotes another one."""
    purged = intake("消える文。")
    await store.shelf.put(purged)
    given = answer("abc1", AT, evidence(1, "一冊", DocumentId("doc_other")))
    status = tuple(replace(row, missing=f"{SECRET}の場所") for row in given.goal_status)
    await store.ledger.begin(Inquiry("run1", "何か。"))
    shown = ShownRecord(1, purged.passages[0].id, purged.document.id, 1.0)
    await store.sessions.add("run1", RoundRecord(1, 1, 2, False, (shown,)))
    await store.ledger.save(replace(given, task_id="run1", goal_status=status), "local")
    await store.shelf.remove(purged.document.id, purge=True)
    left = await store.ledger.answer("abc1", "local")
    assert left.goal_status and SECRET not in dumps(left)
    assert left.text == given.text


@pytest.mark.parametrize("sentence", ["", SECRET])
async def test_progress_and_events_keep_no_word_of_a_verdict(store: Store, sentence: str) -> None:
    assert isinstance(store, (EmbeddedStore, PostgresStore))
    purged = intake("消える文。")
    await store.shelf.put(purged)
    await store.ledger.begin(Inquiry("run1", "何か。"))
    shown = ShownRecord(1, purged.passages[0].id, purged.document.id, 1.0)
    await store.sessions.add("run1", RoundRecord(1, 1, 2, False, (shown,)))
    verdict = Verdict(NextStep.COMPLETE, SECRET, f"{SECRET}がある", LoopStop.CONDITION_MET, SECRET)
    told = AnswerProgress("route", 3, False, sentence, verdict)
    await run(
        store,
        (TASK, ("t1", "local", "何か。", "completed", "{}", AT)),
        (JOB, (dumps(told), AT)),
        (EVENT, (AT, dumps({"progress": told}))),
    )
    await store.shelf.remove(purged.document.id, purge=True)
    left = await read(store)
    assert SECRET not in left[0] + left[1]
    emptied = AnswerProgress(
        "route", 3, False, "", replace(verdict, next_focus="", judgment_reason="", model_reason="")
    )
    assert Payload(left[0]).read(AnswerProgress) == emptied
    assert left[1].count('"COMPLETE"') == 1


async def read(store: EmbeddedStore | PostgresStore) -> tuple[str, str]:
    def work(connection: object) -> list[str]:
        sql = ("SELECT progress_json FROM jobs", "SELECT data_json FROM events")
        rows = [connection.execute(one).fetchone() for one in sql]  # type: ignore[attr-defined]
        return [row[0] for row in rows]

    progress, data = await store.database.write(work)
    return progress, data
