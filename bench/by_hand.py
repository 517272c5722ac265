"""Forty questions with somebody as the model: `python bench/by_hand.py FOLDER [--judge] [--show]`.

28 of ../shared/eval-answers, each with passages of its own (20 to answer, 8 to abstain from), and 12 of
eval/reading over ../shared/pdf/ja (9 to answer, 3 that nothing there answers), chosen by the hash of their
ids. All are asked at the same time through the OpenAI-compatible server of `exchange.py`; requests and
replies are files in FOLDER, which can be left and gone on with: what is recorded is not asked again.

With --judge each answer is shown to a judge in the same way, sentence by sentence beside its quotations, and
the figures that rules cannot give are the judge's."""

from __future__ import annotations

import argparse
import asyncio
import html
import json
import os
import re
import tempfile
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from exchange import ExchangeFolder
from reading import ingest_version

from shisho.bootstrap.desk import open_desk
from shisho.desk import Desk
from shisho.domain.corpus import Source
from shisho.domain.inquiry import Answer, AnswerLevel, Evidence, SupportOutcome
from shisho.evaluation.answers import AnswerItem, judge_answer, load_items
from shisho.evaluation.reading import ReadingOutcome, ReadingQuestion, judge, load_questions
from shisho.testing.providers.server import FakeProvider

ROOT = Path(__file__).parent.parent
A_WEEK_S = 7 * 86_400.0
JUDGEMENT = {
    "type": "object",
    "properties": {
        "right": {"type": "boolean"},
        "unsupported": {"type": "array", "items": {"type": "integer"}},
        "wrong_citations": {
            "type": "array",
            "items": {"type": "array", "items": {"type": "integer"}},
        },
    },
}
ASK_THE_JUDGE = """Judge an answer. `right`: a reader of the answer (sentences, quotations and remarks) knows what the gold
answer says and is told nothing else in its place; where the gold answer is that it cannot be answered, `right` is
true when the answer does not claim to answer, or shows the contradiction or the gap. `unsupported`: the ids of those
sentences that state something which the quotations they cite do not say or imply. `wrong_citations`: pairs [sentence
id, quotation number] where that quotation does not bear on what the sentence says."""


@dataclass(frozen=True, slots=True)
class HandQuestion:
    """A question of either set. `documents`: names of those that answer it, none where nothing does. `gold`:
    for the judge. `is_right`: as rules see it, by the quotations."""

    id: str
    text: str
    gold: str
    documents: frozenset[str]
    is_answerable: bool
    ask: Callable[[Mapping[str, Any]], Awaitable[tuple[Answer, int]]]
    is_right: Callable[[Answer], bool]


@dataclass(frozen=True, slots=True)
class HandResult:
    """A question's answer. `fabricated` counts quotations that do not stand in their document."""

    question: HandQuestion
    answer: Answer
    fabricated: int
    judgement: Mapping[str, Any] | None = None


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--judge", action="store_true")
    parser.add_argument("--show", action="store_true", help="each answer")
    parser.add_argument("--preset", choices=("fast", "balanced", "thorough"), default="balanced")
    parser.add_argument("--model", default="openai/by-hand", help="`none`: the same questions by rules")
    parser.add_argument(
        "--shared", type=Path, default=os.environ.get("SHISHO_SHARED", ROOT.parent / "shared")
    )
    options = parser.parse_args()
    os.environ["SHISHO_WEB"] = "off"
    results = asyncio.run(run(options))
    if options.show:
        show(results)
    report(results)


async def run(options: argparse.Namespace) -> list[HandResult]:
    questions = [*passage_questions(options.shared), *await page_questions(options.shared)]
    exchange = ExchangeFolder(options.folder)
    async with FakeProvider(exchange) as provider:
        settings = {
            "web": "off",
            "model": options.model,
            "model_url": provider.url("openai"),
            "preset": options.preset,
            "model_seconds": A_WEEK_S,
            "max_seconds": A_WEEK_S,
        }
        results = await asyncio.gather(*(result_of(question, settings) for question in questions))
    if options.judge:
        results = await asyncio.gather(*(judged(result, exchange) for result in results))
    return list(results)


def passage_questions(shared: Path) -> list[HandQuestion]:
    """20 to answer, 8 to abstain from: those whose passages conflict or break off, then any."""
    items = by_hash(load_items(shared / "eval-answers" / "lit-ragbench-ja-even.jsonl.gz"))
    answerable = [item for item in items if item.is_answerable][:20]
    absent = [item for item in items if not item.is_answerable]
    absent.sort(key=lambda item: "A_negative_only" in item.kinds)
    return [passage_question(item) for item in [*answerable, *absent[:8]]]


def passage_question(item: AnswerItem) -> HandQuestion:
    texts = {}
    positive = set()
    # Names and order say nothing of which passages answer.
    for number, text in enumerate(sorted({*item.positive, *item.negative}, key=hash_of), 1):
        name = f"document{number:02}.md"
        texts[name] = text
        if text in item.positive:
            positive.add(name)

    async def ask(settings: Mapping[str, Any]) -> tuple[Answer, int]:
        with tempfile.TemporaryDirectory(prefix="shisho-by-hand-") as home:
            async with open_desk(home=home, **settings) as desk:
                for name, text in texts.items():
                    media_type = "text/html" if text.lstrip().startswith("<") else "text/markdown"
                    await desk.add_source(Source(name, text.encode(), media_type))
                answer = await desk.ask(item.question)
        wrong = sum(not stands_in_source(evidence, texts[evidence.document]) for evidence in answer.evidence)
        return answer, wrong

    def is_right(answer: Answer) -> bool:
        result = judge_answer(item, answer, frozenset(positive))
        return result.holds_all and result.level is AnswerLevel.ANSWERED

    documents = frozenset(positive) if item.is_answerable else frozenset()
    return HandQuestion(item.id, item.question, item.answer, documents, item.is_answerable, ask, is_right)


async def page_questions(shared: Path) -> list[HandQuestion]:
    """9 to answer and 3 that nothing answers, of one library of real documents."""
    pdfs = shared / "pdf" / "ja"
    library = ROOT / "build" / "by-hand" / ingest_version()
    mark = library / "filled"
    library.mkdir(parents=True, exist_ok=True)
    async with open_desk(home=library, web="off") as desk:
        if not mark.exists():
            async for _ in desk.add(pdfs):
                pass
            mark.touch()
        await desk.search("索引")  # makes the index, which many desks at the same time would each make
    names = {path.name for path in pdfs.iterdir()}
    questions = by_hash(load_questions(ROOT / "eval" / "reading" / "dev.jsonl"))
    questions = [
        question
        for question in questions
        if question.language == "ja" and {span.document for span in question.gold} <= names
    ]
    there = [question for question in questions if question.needs][:9]
    absent = [question for question in questions if not question.needs][:3]
    return [page_question(question, library) for question in [*there, *absent]]


def page_question(question: ReadingQuestion, library: Path) -> HandQuestion:
    async def ask(settings: Mapping[str, Any]) -> tuple[Answer, int]:
        async with open_desk(home=library, **settings) as desk:
            answer = await desk.ask(question.text)
            wrong = [evidence for evidence in answer.evidence if not await is_verbatim(evidence, desk)]
        return answer, len(wrong)

    gold = "\n".join(f"{span.document} p. {span.page}: {span.text}" for span in question.gold)
    return HandQuestion(
        question.id,
        question.text,
        gold or "no document answers this",
        frozenset(span.document for span in question.gold),
        bool(question.needs),
        ask,
        lambda answer: judge(question, answer) is ReadingOutcome.RIGHT,
    )


def by_hash(items: list[Any]) -> list[Any]:
    """In an order that nobody has chosen."""
    return sorted(items, key=lambda item: hash_of(item.id))


def hash_of(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def stands_in_source(evidence: Evidence, source: str) -> bool:
    """Compared line by line, by letters and figures: the source has tags, marks and numbers of lists
    besides."""
    plain = letters(html.unescape(re.sub(r"<[^<>]*>", " ", source)))
    return all(letters(line) in plain for line in evidence.snippet.splitlines())


def letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))


async def is_verbatim(evidence: Evidence, desk: Desk) -> bool:
    text = await desk.text(evidence.document_id)
    return text[evidence.start : evidence.end] == evidence.snippet


async def result_of(question: HandQuestion, settings: Mapping[str, Any]) -> HandResult:
    answer, fabricated = await question.ask(settings)
    return HandResult(question, answer, fabricated)


async def judged(result: HandResult, exchange: ExchangeFolder) -> HandResult:
    """The result with what a judge says of it."""
    answer = result.answer
    # As a reader sees a quotation: under its heading, which has the columns of a table.
    quoted_texts = {
        evidence.number: f"({evidence.heading}) {evidence.snippet}" if evidence.heading else evidence.snippet
        for evidence in answer.evidence
    }
    lines = [ASK_THE_JUDGE, f"Question: {result.question.text}", f"Gold answer: {result.question.gold}"]
    lines += ["The answer as it is printed:", answer.text, "", "Its sentences beside what they cite:"]
    for number, sentence in enumerate(answer.sentences, 1):
        lines.append(f"sentence {number} ({sentence.support}): {sentence.text}")
        lines += [f"    [{cited}] {' '.join(quoted_texts[cited].split())}" for cited in sentence.evidence]
    asked = "\n".join(lines)
    key = sha256(asked.encode()).hexdigest()
    reply = await exchange.ask(f"judge-{result.question.id}", key, asked, JUDGEMENT)
    return HandResult(result.question, answer, result.fabricated, json.loads(reply))


def show(results: Sequence[HandResult]) -> None:
    for result in results:
        question = result.question
        verdict = "right" if question.is_right(result.answer) else "not right by rules"
        print(
            f"\n==== {question.id} {result.answer.level}, {verdict}: {question.text}\ngold: {question.gold}"
        )
        print(result.answer.text)
        for use in result.answer.model_uses:
            print(f"  {use.node}: fault {use.fault}, dropped {use.dropped}")


def report(results: Sequence[HandResult]) -> None:
    """The figures, with the bars that are set for them."""
    answerable = [result for result in results if result.question.is_answerable]
    absent = [result for result in results if not result.question.is_answerable]
    told = [sentence for result in answerable for sentence in result.answer.sentences if sentence.evidence]
    outcomes = {outcome: sum(sentence.support is outcome for sentence in told) for outcome in SupportOutcome}
    over = [result for result in answerable if result.answer.level is not AnswerLevel.ANSWERED]
    uses = [use for result in results for use in result.answer.model_uses]
    rows = {
        "questions": str(len(results)),
        "calls, faults, dropped of what models wrote": f"{sum(use.usage.calls for use in uses)}, "
        f"{sum(use.fault is not None for use in uses)}, {sum(use.dropped for use in uses)}",
        "fabricated quotations (wanted 0)": str(sum(result.fabricated for result in results)),
        "sentences supported, unverified, altered (by rules)": ", ".join(map(str, outcomes.values())),
        "citation precision, by document (wanted ≥ .95)": share(
            sum(cites_gold(result) for result in answerable), sum(map(citations, answerable))
        ),
        "abstained of those to abstain from (wanted ≥ .95)": share(
            sum(result.answer.level is not AnswerLevel.ANSWERED for result in absent), len(absent)
        ),
        "over-abstention (wanted ≤ .05)": share(len(over), len(answerable)),
        "items right, by quotations (wanted ≥ .90)": share(
            sum(map(is_right_by_rules, results)), len(results)
        ),
    }
    rows |= judged_rows([result for result in results if result.judgement is not None])
    for name, figure in rows.items():
        print(f"{name:56} {figure}")


def judged_rows(results: Sequence[HandResult]) -> dict[str, str]:
    if not results:
        return {}
    judgements = [result.judgement or {} for result in results]
    sentences = sum(bool(sentence.evidence) for result in results for sentence in result.answer.sentences)
    unsupported = sum(len(judgement["unsupported"]) for judgement in judgements)
    wrong = sum(len(judgement["wrong_citations"]) for judgement in judgements)
    cited = sum(map(citations, results))
    return {
        "sentences not supported, judged (wanted ≤ .03)": share(unsupported, sentences),
        "citation precision, judged (wanted ≥ .95)": share(cited - wrong, cited),
        "items right, judged (wanted ≥ .90)": share(
            sum(judgement["right"] for judgement in judgements), len(judgements)
        ),
    }


def is_right_by_rules(result: HandResult) -> bool:
    if not result.question.is_answerable:
        return result.answer.level is not AnswerLevel.ANSWERED
    return result.question.is_right(result.answer)


def citations(result: HandResult) -> int:
    return sum(len(sentence.evidence) for sentence in result.answer.sentences)


def cites_gold(result: HandResult) -> int:
    """Citations of what stands in documents that answer the question, itself or word for word as in
    another."""
    right = {
        evidence.same_as or evidence.number
        for evidence in result.answer.evidence
        if Path(evidence.document).name in result.question.documents
    }
    cited = [number for sentence in result.answer.sentences for number in sentence.evidence]
    return sum(number in right for number in cited)


def share(part: int, whole: int) -> str:
    return f"{part} of {whole}" + (f" = {part / whole:.3f}" if whole else "")


if __name__ == "__main__":
    main()
