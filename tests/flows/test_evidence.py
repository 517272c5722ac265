"""Every quotation, whatever was asked, is a slice of the stored document and stands on its page."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from shisho.bootstrap.library import open_library
from shisho.domain.corpus import IntakeOutcome
from shisho.evaluation import load
from shisho.evaluation.run import fill
from shisho.language.sentences import split_sentences
from shisho.services import Library
from tests.faults.children import LONG
from tests.flows.test_documents_to_answer import check_evidence
from tests.shared import shared

QUESTIONS = (
    {"niilc-dev": 40, "jsquad-valid": 30, "cranfield": 15} if LONG else {"niilc-dev": 15, "cranfield": 5}
)
STEP = 3 if LONG else 18  # of the hostile files


@pytest.mark.floors
@pytest.mark.parametrize(("name", "questions"), QUESTIONS.items())
async def test_quotations_over_the_evaluation_sets(library: Library, name: str, questions: int) -> None:
    held = load(shared("eval", name))
    await fill(library, held)
    quoted = 0
    for question in random.Random(7).sample(held.questions, questions):
        answer = await library.questions.ask(question.text)
        await check_evidence(library, answer)
        quoted += len(answer.evidence)
    # As few are quoted as carry the answer, and none where nothing is near.
    assert quoted >= 0.8 * questions


async def test_quotations_from_real_pdfs_stand_on_their_page(library: Library) -> None:
    rng = random.Random(3)
    quoted = 0
    asked = 0
    names = sorted(path for path in shared("pdf", "ja").glob("*.pdf") if path.stat().st_size < 500_000)
    for path in names[:8]:
        (receipt,) = [one async for one in library.documents.add(path)]
        if receipt.document_id is None:
            continue
        text = await library.documents.read_text(receipt.document_id)
        whole = [text[start:end] for start, end in split_sentences(text) if 15 < end - start < 80]
        for sentence in rng.sample(whole, min(3, len(whole))):
            answer = await library.questions.ask(" ".join(sentence.split()))
            await check_evidence(library, answer)
            quoted = quoted + len(answer.evidence)
            asked = asked + 1
    assert asked > 15 and quoted > asked / 2


@pytest.mark.slow
async def test_nothing_of_a_hostile_file_that_failed_stays_behind(tmp_path: Path) -> None:
    """Some of the files; `test_hostile_pdfs` reads each in its long form."""
    folder = tmp_path / "hostile"
    folder.mkdir()
    files = sorted(path for path in shared("hostile", "pdf").iterdir() if not path.name.startswith("."))
    for path in files[::STEP]:
        shutil.copy(path, folder)
    async with open_library(home=tmp_path / "home", reader_seconds=5) as library:
        receipts = [one async for one in library.documents.add(folder)]
        taken = {one.source for one in receipts if one.outcome is not IntakeOutcome.FAILED}
        held = await library.documents.list(limit=10_000)
        assert {one.source for one in held} <= taken and len(held) == sum(
            one.outcome is IntakeOutcome.ADDED for one in receipts
        )
        assert all(one.code and one.reason for one in receipts if one.outcome is IntakeOutcome.FAILED)
        assert len(receipts) == len(files[::STEP]) > len(held) > 3
        for document in held:
            assert await library.documents.read_text(document.id)
