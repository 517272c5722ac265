"""A library whose answers were stored when contradicted sentences were called altered."""

from __future__ import annotations

from dataclasses import replace

from shisho.domain.codec import dumps
from shisho.domain.inquiry import AnswerParagraph, Inquiry, Sentence, SupportOutcome
from shisho.domain.model import ModelUsage, ModelUse
from tests.contracts.conftest import Store
from tests.contracts.test_ledger import answer, evidence
from tests.contracts.test_renamed_levels import reopen, restore_old_steps, run

FORGET = (
    "DELETE FROM migrations"
    " WHERE name IN ('0084_contradicted_sentences.sql', '0102_contradicted_sentences.sql')"
)


def under_old_names(text: str) -> str:
    plain = text.replace('"by":null,', "").replace('"support":"contradicted"', '"support":"altered"')
    return plain.replace('"node":"judge"', '"node":"entailment"')


async def test_a_stored_sentence_keeps_its_text_and_has_its_outcome(store: Store) -> None:
    sentence = Sentence('Halls "support":"altered","text": seat 300.', (1,), SupportOutcome.CONTRADICTED)
    use = ModelUse("judge", "m", "0" * 64, ModelUsage(1, 2, 3))
    given = replace(
        answer("abc1", "2026-01-01", evidence(1, "Halls seat 120.")),
        blocks=(AnswerParagraph((sentence,)),),
        model_uses=(use,),
    )
    await store.ledger.begin(Inquiry("run1", "何か。"))
    await store.ledger.save(given, "local")
    step = dumps({"sentences": [sentence], "uses": [use]})
    await restore_old_steps(store, (1, "answer", "0" * 64, "{}", under_old_names(step)))
    old = under_old_names(dumps(replace(given, evidence=())))
    assert '"altered"' in old and '"entailment"' in old
    await run(store, ("UPDATE answers SET body = ?", (old,)), (FORGET, ()))

    async def check(opened: Store) -> None:
        assert await opened.ledger.answer("abc1", "local") == given
        (stored,) = await opened.ledger.list_steps("run1")
        assert stored.output.text == step.replace('"by":null,', "")

    await reopen(store, check)
