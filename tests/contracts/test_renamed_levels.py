"""A library whose answers were stored under the levels' earlier names."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from hashlib import sha256

import pytest

from shisho.domain.codec import Payload, dumps
from shisho.domain.inquiry import AnswerLevel, GoalStatus, Inquiry, LoopStop
from shisho.domain.payloads import AnswerOutcome
from tests.contracts.conftest import EmbeddedStore, PostgresStore, Store, embedded_store
from tests.contracts.test_ledger import answer, evidence

AT = "2026-01-01T00:00:00Z"
FORGET = "DELETE FROM migrations WHERE name IN ('0080_answer_levels.sql', '0098_answer_levels.sql')"
OLD_STEP = """INSERT INTO steps(run_id, step, node, input_hash, input, output, at)
    VALUES ('run1', CAST(? AS integer), ?, ?, ?, ?, ?)"""
OLD = {"related": "near", "nothing": "not_found"}
STATUS = tuple(GoalStatus(f"G{number}", 0, 0, False, level) for number, level in enumerate(AnswerLevel))
METADATA = {"level": "near", "note": '"level":"near","met":', "title": "not_found"}
STEP = {"goal_status": STATUS, "metadata": METADATA}


def under_old_names(text: str) -> str:
    for new, old in OLD.items():
        text = text.replace(f'"level":"{new}"', f'"level":"{old}"')
    return text


def fingerprint(node: str, input_: str) -> str:
    return sha256(f"[{dumps(node)},{input_}]".encode()).hexdigest()


async def run(store: Store, *statements: tuple[str, Sequence[str]]) -> None:
    assert isinstance(store, (EmbeddedStore, PostgresStore))

    def work(connection: object) -> None:
        for statement, values in statements:
            sql = statement if isinstance(store, EmbeddedStore) else statement.replace("?", "%s").encode()
            connection.execute(sql, values)  # type: ignore[attr-defined]

    await store.database.write(work)


async def restore_old_steps(store: Store, *steps: tuple[int, str, str, str, str]) -> None:
    """Give the table of steps the columns that it had before they were compressed, and store old steps:
    number, node, hash of the input, input and output."""
    await run(
        store,
        ("ALTER TABLE steps ADD COLUMN input TEXT NOT NULL DEFAULT '{}'", ()),
        ("ALTER TABLE steps ADD COLUMN output TEXT NOT NULL DEFAULT '{}'", ()),
        ("ALTER TABLE steps DROP COLUMN content", ()),
        (
            "DELETE FROM migrations WHERE name IN ('0085_compressed_steps.sql', '0104_compressed_steps.sql')",
            (),
        ),
        *((OLD_STEP, (*map(str, step), AT)) for step in steps),
    )


async def reopen(store: Store, check: Callable[[Store], object]) -> None:
    """Run `check` on the store after the scripts that it has forgotten."""
    if isinstance(store, EmbeddedStore):
        path = store.database.path
        await store.database.close()
        async with embedded_store(path.parent) as opened:
            await check(opened)  # type: ignore[misc]
    elif isinstance(store, PostgresStore):
        await store.database.migrate()
        await check(store)  # type: ignore[misc]


@pytest.mark.parametrize("level", AnswerLevel)
@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": ")])
async def test_a_stored_answer_has_its_level(
    store: Store, level: AnswerLevel, separators: tuple[str, str]
) -> None:
    given = replace(answer("abc1", "2026-01-01", evidence(1, '"level":"near","met":')), level=level)
    given = replace(given, goal_status=STATUS)
    await store.ledger.begin(Inquiry("run1", "何か。"))
    await store.ledger.save(given, "local")
    old = json.loads(under_old_names(dumps(replace(given, evidence=()))))
    body = json.dumps(old, ensure_ascii=False, separators=separators)
    await restore_old_steps(store)
    await run(store, ("UPDATE answers SET body = ?", (body,)), (FORGET, ()))

    async def check(opened: Store) -> None:
        assert await opened.ledger.answer("abc1", "local") == given

    await reopen(store, check)


async def test_a_stored_step_has_the_hash_of_its_input(store: Store) -> None:
    await store.ledger.begin(Inquiry("run1", "何か。"))
    now = Payload.wrap(STEP)
    steps: list[tuple[int, str, str, str, str]] = []
    for number, payload in enumerate((now, Payload.wrap({"metadata": METADATA})), 1):
        node = "answer"
        old = under_old_names(payload.text)
        steps.append((number, node, fingerprint(node, old), old, old))
    await restore_old_steps(store, *steps)
    await run(store, (FORGET, ()))

    async def check(opened: Store) -> None:
        first, second = await opened.ledger.list_steps("run1")
        assert first.output == now
        assert first.input_hash == fingerprint("answer", now.text)
        assert second.output == Payload.wrap({"metadata": METADATA})
        assert second.input_hash == fingerprint("answer", second.output.text)

    await reopen(store, check)


async def test_stored_outcomes_and_events_have_their_levels(store: Store) -> None:
    outcome = AnswerOutcome("abc1", 1, AnswerLevel.RELATED, True, LoopStop.STAGNATION, 2)
    new = dumps({"outcome": outcome, "metadata": METADATA})
    old = under_old_names(new)
    await restore_old_steps(store)
    await run(
        store,
        (
            "INSERT INTO tasks(id, owner, question, state, budget_json, created_at) VALUES (?, '', '', ?, ?, ?)",
            ("t1", "completed", "{}", AT),
        ),
        (
            "INSERT INTO jobs(id, task_id, kind, state, priority, input_json, output_json, created_at) "
            "VALUES (?, 't1', 'answer', 'completed', 1, '{}', ?, ?)",
            ("j1", old, AT),
        ),
        ("INSERT INTO job_steps(job_id, step_key, attempt, output_json) VALUES ('j1', 's', 1, ?)", (old,)),
        (
            "INSERT INTO events(task_id, revision, job_id, at, kind, data_json) VALUES ('t1', 1, 'j1', ?, 'job', ?)",
            (AT, old),
        ),
        (FORGET, ()),
    )

    async def check(opened: Store) -> None:
        for column in ("output_json FROM jobs", "output_json FROM job_steps", "data_json FROM events"):
            assert await fetch(opened, f"SELECT {column}") == [new]

    await reopen(store, check)


async def fetch(store: Store, query: str) -> list[str]:
    assert isinstance(store, (EmbeddedStore, PostgresStore))
    sql = query if isinstance(store, EmbeddedStore) else query.encode()

    def work(connection: object) -> list[str]:
        return [row[0] for row in connection.execute(sql)]  # type: ignore[attr-defined]

    return await store.database.read(work)  # type: ignore[arg-type]
