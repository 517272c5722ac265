"""The questions to real documents: the rule that scores an answer, and that what they call gold is there."""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from shisho.bootstrap.library import open_library
from shisho.domain.corpus import DocumentId, Source
from shisho.domain.inquiry import Answer, AnswerLevel, Evidence, LoopStop
from shisho.domain.time import Instant
from shisho.errors import InvalidParams
from shisho.evaluation.reading import (
    BLIND,
    FRESH,
    FURTHER,
    HALVES,
    LATER,
    NOT_THERE,
    TRAIN,
    ReadingOutcome,
    ReadingQuestion,
    find_missing_needs,
    fold_text,
    judge,
    load_questions,
    stands_in,
)
from tests.faults.children import LONG
from tests.shared import shared

FOLDER = Path(__file__).parents[2] / "eval" / "reading"
LONGEST_SPAN = 120
STEP = 1 if LONG else 3  # of the documents, which take a while to read
QUESTIONS = {half: load_questions(FOLDER / f"{half}.jsonl") for half in HALVES}
HALVED = [question for questions in QUESTIONS.values() for question in questions]
ALL = [
    *HALVED,
    *(
        question
        for name in (TRAIN, FRESH, FURTHER, LATER)
        for question in load_questions(FOLDER / f"{name}.jsonl")
    ),
]


@pytest.mark.parametrize(
    ("need", "text", "stands"),
    [
        ("8割以上", "所定労働日の８割以上出勤", True),
        ("入力フォーム", "⼊⼒フォームのある画⾯", True),
        ("失敗した後", "失敗し\nた後", True),
        ("LINE", "line や Facebook", True),
        ("10日", "210日", False),
        ("10日", "210日、10日", True),
        ("25", "1.25を乗じ", False),
        ("25", "25.5", False),
        ("25", "25、それに3", True),
        ("16,000", "116,000 cores", False),
        ("in 1868", "patented in 1868.", True),
        ("17.0", "31 年～35 年 17.0\n36 年～40 年", True),
        ("17.036年", "17.0\n36 年", False),
        ("2016年4月19日", "2016 年 4 月 19 日", True),
        ("三割", "二割", False),
    ],
)
def test_a_need_stands_in_a_quotation(need: str, text: str, stands: bool) -> None:
    assert stands_in(need, fold_text(text)) is stands


def test_of_each_need_one_alternative_stands_in_one_quotation() -> None:
    needs = (("1,234", "千二百三十四"), ("2019年",))
    assert find_missing_needs(needs, ["千二百三十四人", "2019 年"]) == ()
    assert find_missing_needs(needs, ["2019年度"]) == (("1,234", "千二百三十四"),)
    assert find_missing_needs(needs, ["1,2", "34、20", "19年"]) == needs


ANSWERED = ("右", "左")


@pytest.mark.parametrize(
    ("needs", "snippets", "abstained", "missing", "outcome"),
    [
        ((("右",), ("左",)), ANSWERED, False, (), ReadingOutcome.RIGHT),
        ((("右",), ("左",)), ANSWERED, False, ("何か",), ReadingOutcome.RIGHT),
        ((("右",), ("左",)), ("右",), False, (), ReadingOutcome.WRONG),
        ((("右",), ("左",)), ("右",), False, ("左は",), ReadingOutcome.RELATED),
        ((("右",), ("左",)), ("上",), False, ("左は",), ReadingOutcome.WRONG),
        ((("右",), ("左",)), ANSWERED, True, ("右と左は",), ReadingOutcome.RELATED),
        ((("右",), ("左",)), ("上",), True, ("右と左は",), ReadingOutcome.ABSTAINED),
        ((("見出し",),), ("上",), False, (), ReadingOutcome.RIGHT),
        ((), ("上",), True, ("何か",), ReadingOutcome.ABSTAINED),
        ((), ("上",), False, ("何か",), ReadingOutcome.WRONG),
        ((), (), False, (), ReadingOutcome.WRONG),
    ],
)
def test_an_answer_is_judged(
    needs: tuple[tuple[str, ...], ...],
    snippets: tuple[str, ...],
    abstained: bool,
    missing: tuple[str, ...],
    outcome: ReadingOutcome,
) -> None:
    question = ReadingQuestion("x", "fact", "ja", "何か", (), needs)
    assert judge(question, answer_of(snippets, abstained, missing)) is outcome


def answer_of(snippets: tuple[str, ...], abstained: bool, missing: tuple[str, ...]) -> Answer:
    evidence = tuple(
        Evidence("e", 1, "g", DocumentId("d"), "d.txt", "d", "見出し", None, 0, len(text), text, "", 1.0, 1)
        for text in snippets
    )
    return Answer(
        id="a",
        task_id="t",
        question="何か",
        text="",
        blocks=(),
        evidence=evidence,
        condition="",
        goals=(),
        goal_status=(),
        loop_stop=LoopStop.CONDITION_MET,
        rounds=1,
        budget_used={},
        level=AnswerLevel.RELATED if abstained else AnswerLevel.ANSWERED,
        abstained=abstained,
        missing=missing,
        model="",
        created_at=Instant(0),
    )


@pytest.mark.parametrize(
    "line", ["{", "[]", '{"id": "x"}', '{"id": "x", "kind": "fact", "lang": "ja", "gold": 3}']
)
def test_a_line_that_is_no_question_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "dev.jsonl"
    path.write_text(line, "utf-8")
    with pytest.raises(InvalidParams, match=r"dev\.jsonl, line 1"):
        load_questions(path)


def test_the_id_decides_the_half_and_no_question_is_there_twice() -> None:
    assert all(question.half == half for half, questions in QUESTIONS.items() for question in questions)
    assert len({question.id for question in ALL}) == len({question.text for question in ALL}) == len(ALL)


def test_blind_questions_are_no_others_again_and_of_every_kind() -> None:
    blind = load_questions(FOLDER / f"{BLIND}.jsonl")
    assert not {question.text for question in blind} & {question.text for question in ALL}
    assert len({question.id for question in (*blind, *ALL)}) == len(blind) + len(ALL)
    assert {question.kind for question in blind} == {question.kind for question in ALL}
    assert all(bool(question.needs) != (question.kind == NOT_THERE) for question in blind)


def test_each_half_has_enough_of_every_kind() -> None:
    kinds = Counter(question.kind for question in HALVED)
    assert len(HALVED) >= 120
    assert kinds[NOT_THERE] >= 30
    assert min(kinds.values()) >= 12
    for questions in QUESTIONS.values():
        assert min(Counter(question.kind for question in questions).values()) >= 6


def test_only_what_is_not_there_has_no_gold_and_a_span_is_short() -> None:
    for question in ALL:
        assert bool(question.needs) is bool(question.gold) is (question.kind != NOT_THERE), question.id
        assert all(question.needs), question.id
        assert all(len(span.text) <= LONGEST_SPAN for span in question.gold), question.id
        assert question.needs or question.note, question.id


@pytest.mark.slow
@pytest.mark.floors
async def test_every_gold_span_and_every_need_is_in_the_documents(tmp_path: Path) -> None:
    documents = sorted({span.document for question in ALL for span in question.gold})[::STEP]
    questions = [question for question in ALL if {span.document for span in question.gold} <= {*documents}]
    pages = await pages_of(documents, tmp_path)
    elsewhere = [
        (question.id, span)
        for question in questions
        for span in question.gold
        if span.text not in pages[span.document].get(span.page, "")
    ]
    assert not elsewhere, "where a reader reads better than before, correct these in eval/reading"
    assert sum(bool(question.gold) for question in questions) > 30
    for question in questions:
        names = sorted({span.document for span in question.gold})
        texts = ["".join(pages[name].values()) for name in names]
        assert find_missing_needs(question.needs, texts) == (), question.id


async def pages_of(names: Sequence[str], home: Path) -> dict[str, dict[int | None, str]]:
    """The text of each page of these documents as it is stored; all of it under None where there are none."""
    files = {path.name: path for folder in ("ja", "en") for path in shared("pdf", folder).iterdir()}
    files |= {path.name.removesuffix(".gz"): path for path in shared("extract", "html").iterdir()}
    pages: dict[str, dict[int | None, str]] = {}
    async with open_library(home=home) as library:
        for name in names:
            data = files[name].read_bytes()
            data = gzip.decompress(data) if files[name].suffix == ".gz" else data
            document_id = (await library.documents.add_source(Source(name, data))).document_id
            assert document_id, name
            text = await library.documents.read_text(document_id)
            starts = dict(await library.viewer.list_page_starts(document_id)) or {None: 0}
            ends = [*list(starts.values())[1:], len(text)]
            pages[name] = {
                number: text[start:end] for (number, start), end in zip(starts.items(), ends, strict=True)
            }
    return pages
