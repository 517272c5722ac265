"""A library whose answers and drafts were stored as text and flat sentences, before they were blocks."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from shisho.domain.codec import Payload, dumps, to_plain
from shisho.domain.inquiry import (
    AnswerBlock,
    AnswerLevel,
    AnswerNote,
    AnswerParagraph,
    AnswerPassage,
    Inquiry,
    NoteRole,
    PassageMark,
    Sentence,
    SupportOutcome,
)
from shisho.domain.model import ModelUsage, ModelUse
from shisho.librarian.record import StepOutput, trace_run
from shisho.librarian.replay import RecordedRun
from tests.contracts.conftest import PostgresStore, Store
from tests.contracts.test_ledger import answer
from tests.contracts.test_renamed_levels import reopen, restore_old_steps, run

FORGET = "DELETE FROM migrations WHERE name IN ('0082_answer_blocks.sql', '0100_answer_blocks.sql')"
TEXT = "概要\n\n「講義」は3件の文書にある。\0 \\u0000"
SENTENCES = (Sentence("猫は魚を好む。", (1,), SupportOutcome.SUPPORTED),)
PASSAGE = AnswerPassage("G1", "第一章", "猫は魚を好む。", (PassageMark(0, 7, 1),))
USE = ModelUse("blocks", "m-1", "sha", ModelUsage())


def flatten(plain: dict[str, Any], sentences: object, passages: object) -> dict[str, Any]:
    rest = {key: part for key, part in plain.items() if key != "blocks"}
    return to_plain({**rest, "text": TEXT, "sentences": sentences, "passages": passages})  # type: ignore[no-any-return]


@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": ")])
@pytest.mark.parametrize(
    ("sentences", "passages", "uses", "block"),
    [
        ((), (), (), None),
        (SENTENCES, (), (), None),
        ((), (), (USE,), None),
        (SENTENCES, (), (USE,), AnswerParagraph(SENTENCES)),
        (SENTENCES, (PASSAGE,), (USE,), PASSAGE),
    ],
    ids=["nothing", "survey", "a model that finds nothing", "model", "rules"],
)
async def test_a_flat_answer_is_read_as_blocks(
    store: Store,
    sentences: tuple[Sentence, ...],
    passages: tuple[AnswerPassage, ...],
    uses: tuple[ModelUse, ...],
    block: AnswerBlock | None,
    separators: tuple[str, str],
) -> None:
    text = TEXT.replace("\0", "") if isinstance(store, PostgresStore) else TEXT
    blocks = (block or AnswerNote(text, NoteRole.REMARK),)
    given = replace(answer("abc1", "2026-01-01"), text=text, blocks=blocks, model_uses=uses)
    body = flatten(to_plain(given), sentences, passages)
    draft = flatten({"missing": ["何か。"], "level": AnswerLevel.NOTHING}, sentences, passages)
    empty = Payload("{}")
    output = to_plain(StepOutput(Payload.wrap({"draft": draft, "uses": uses}), ()))
    await store.ledger.begin(Inquiry("run1", "何か。"))
    await store.ledger.save(given, "local")
    step = dumps(StepOutput(empty, ()))
    nodes = enumerate(("strategy", "answer"), 1)
    await restore_old_steps(store, *((number, node, "hash", "{}", step) for number, node in nodes))

    def write(plain: object) -> str:
        return json.dumps(plain, ensure_ascii=False, separators=separators)

    await run(
        store,
        ("UPDATE answers SET body = ?", (write(body),)),
        ("UPDATE steps SET output = ? WHERE node = 'answer'", (write(output),)),
        (FORGET, ()),
    )

    async def check(opened: Store) -> None:
        assert await opened.ledger.answer("abc1", "local") == given
        steps = await opened.ledger.list_steps("run1")
        assert trace_run(steps, ()).model == uses
        (state,) = RecordedRun(steps).list_of_node("answer")
        assert (state["draft"].blocks, state["draft"].missing) == (blocks, ("何か。",))

    await reopen(store, check)
