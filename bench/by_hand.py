"""Forty questions with somebody as the model: `python bench/by_hand.py FOLDER [--judge] [--show]`.

28 of ../shared/eval-answers, each with passages of its own (20 to answer, 8 to abstain from), and 12 of
eval/reading over ../shared/pdf/ja (9 to answer, 3 that nothing there answers), chosen by the hash of their
ids. All are asked at the same time through the OpenAI-compatible server of `exchange.py`; requests and
replies are files in FOLDER, which can be left and gone on with: what is recorded is not asked again.

With --judge each answer is shown to a judge in the same way, sentence by sentence beside its quotations, and
the figures that rules cannot give are the judge's. --pack FILE keeps the replies that were used, with what
was asked but for the words of documents, for tests to replay."""

from __future__ import annotations

import argparse
import asyncio
import gzip
import html
import json
import os
import re
import tempfile
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from exchange import ExchangeFolder
from judging import Asked, Judgement, judge_answer

import shisho
from shisho.bootstrap.desk import open_desk
from shisho.desk import Desk
from shisho.domain.corpus import Source
from shisho.domain.inquiry import Answer, AnswerLevel, Evidence, SupportOutcome
from shisho.evaluation.answers import AnswerItem, load_items
from shisho.evaluation.answers import judge_answer as judge_quotations
from shisho.evaluation.reading import ReadingOutcome, ReadingQuestion, judge, load_questions
from shisho.testing.providers.recorded import RecordedReply, outline_reply
from shisho.testing.providers.server import FakeProvider

ROOT = Path(__file__).parent.parent
INGEST = ("corpus", "language", "isolation", "stores/embedded")  # what decides what a library holds
A_WEEK_S = 7 * 86_400.0


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
    judgement: Judgement | None = None


@dataclass(frozen=True, slots=True)
class Figure:
    """A share with the bar that is set for it."""

    name: str
    part: int
    whole: int
    least: float = 0.0
    most: float = 1.0

    @property
    def share(self) -> float:
        return self.part / self.whole if self.whole else 0.0

    @property
    def holds(self) -> bool:
        return self.least <= self.share <= self.most

    @property
    def bar(self) -> str:
        return f"≥ {self.least:.2f}" if self.least else f"≤ {self.most:.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--judge", action="store_true")
    parser.add_argument("--show", action="store_true", help="each answer")
    parser.add_argument("--pack", type=Path, help="a file of recorded replies, compressed")
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
    if options.pack:
        pack_replies(options.pack, exchange.used.values())
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
                wrong = [
                    evidence
                    for evidence in answer.evidence
                    if not stands_in_source(evidence.snippet, texts[evidence.document])
                    or not await is_verbatim(evidence, desk)
                ]
        return answer, len(wrong)

    def is_right(answer: Answer) -> bool:
        result = judge_quotations(item, answer, frozenset(positive))
        return result.holds_all and result.level is AnswerLevel.ANSWERED

    documents = frozenset(positive) if item.is_answerable else frozenset()
    return HandQuestion(item.id, item.question, item.answer, documents, item.is_answerable, ask, is_right)


def ingest_version() -> str:
    """Return a name that changes with what decides what a library holds."""
    package = Path(shisho.__file__).parent
    pages = [page for folder in INGEST for page in sorted((package / folder).rglob("*.*"))]
    texts = [page.read_bytes() for page in pages if page.suffix in (".py", ".sql")]
    return sha256(b"\0".join(texts)).hexdigest()[:12]


async def page_questions(shared: Path) -> list[HandQuestion]:
    """9 to answer and 3 that nothing answers, of one library of real documents."""
    pdfs = shared / "pdf" / "ja"
    library = ROOT / "build" / "by-hand" / ingest_version()
    mark = library / "filled"
    library.mkdir(parents=True, exist_ok=True)
    async with open_desk(home=library, web="off") as desk:
        if not mark.exists():
            # What is recognised in pictures depends on the program that does; no question needs it.
            async for _ in desk.add(pdfs, ocr=False):
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


def stands_in_source(snippet: str, source: str) -> bool:
    """Compared line by line, by letters and figures: the source has tags, marks and numbers of lists besides.
    A cell that spans rows or columns stands once in the source and beside each cell it is for in what is
    stored: there cell by cell."""
    plain = letters(html.unescape(re.sub(r"<[^<>]*>", " ", source)))
    has_spans = re.search(r"\b(?:row|col)span\b", source) is not None
    return all(
        letters(line) in plain or (has_spans and all(letters(cell) in plain for cell in line.split("\t")))
        for line in snippet.splitlines()
    )


def letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))


async def is_verbatim(evidence: Evidence, desk: Desk) -> bool:
    text = await desk.text(evidence.document_id)
    return text[evidence.start : evidence.end] == evidence.snippet


async def result_of(question: HandQuestion, settings: Mapping[str, Any]) -> HandResult:
    answer, fabricated = await question.ask(settings)
    return HandResult(question, answer, fabricated)


async def judged(result: HandResult, judge: Asked) -> HandResult:
    """The result with what a judge says of it."""
    question = result.question
    judgement = await judge_answer(question.id, question.text, question.gold, result.answer, judge)
    return replace(result, judgement=judgement)


def pack_replies(path: Path, replies: Iterable[RecordedReply]) -> None:
    """Keep the replies; of what was asked all but the words of documents, which are others'."""
    outlined = sorted((outline_reply(reply) for reply in replies), key=lambda reply: (reply.asked, reply.key))
    lines = "".join(json.dumps(asdict(reply), ensure_ascii=False) + "\n" for reply in outlined)
    path.write_bytes(gzip.compress(lines.encode(), mtime=0))


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
    """The figures, with the bars that are set for them, as a table."""
    told = [sentence for result in results for sentence in result.answer.sentences if sentence.evidence]
    outcomes = {outcome: sum(sentence.support is outcome for sentence in told) for outcome in SupportOutcome}
    uses = [use for result in results for use in result.answer.model_uses]
    print(f"{sum(use.usage.calls for use in uses)} calls of the model for {len(results)} questions, ", end="")
    print(f"{sum(use.fault is not None for use in uses)} faults; of {len(told)} sentences ", end="")
    print(", ".join(f"{count} {outcome}" for outcome, count in outcomes.items()) + ".\n")
    print("| | figure | of | share | wanted |\n|---|---:|---:|---:|---:|")
    for figure in list_figures(results):
        print(f"| {figure.name} | {figure.part} | {figure.whole} | {figure.share:.3f} | {figure.bar} |")


def list_figures(results: Sequence[HandResult]) -> list[Figure]:
    """What is to be shown of these questions; the judge's where all were judged."""
    answerable = [result for result in results if result.question.is_answerable]
    absent = [result for result in results if not result.question.is_answerable]
    quotations = sum(len(result.answer.evidence) for result in results)
    figures = [
        Figure(
            "quotations that do not stand in their document",
            sum(map(fabricated, results)),
            quotations,
            most=0,
        ),
        Figure(
            "citations of documents that answer",
            sum(map(cites_gold, answerable)),
            sum(map(citations, answerable)),
            least=0.95,
        ),
        Figure(
            "questions without an answer, not answered", sum(map(is_silent, absent)), len(absent), least=0.95
        ),
        Figure(
            "questions with an answer, not answered",
            sum(map(is_silent, answerable)),
            len(answerable),
            most=0.05,
        ),
        Figure("right, by the quotations", sum(map(is_right_by_rules, results)), len(results), least=0.9),
    ]
    judgements = [result.judgement for result in results if result.judgement is not None]
    if len(judgements) < len(results):
        return figures
    cited = sum(map(citations, results))
    wrong = sum(judgement.wrong_citations for judgement in judgements)
    sentences = sum(judgement.sentences for judgement in judgements)
    unsupported = sum(judgement.unsupported for judgement in judgements)
    right = sum(judgement.is_right for judgement in judgements)
    return [
        *figures,
        Figure("sentences not supported, judged", unsupported, sentences, most=0.03),
        Figure("citations that bear on their sentence, judged", cited - wrong, cited, least=0.95),
        Figure("right, judged", right, len(results), least=0.9),
    ]


def fabricated(result: HandResult) -> int:
    return result.fabricated


def is_silent(result: HandResult) -> bool:
    return result.answer.level is not AnswerLevel.ANSWERED


def is_right_by_rules(result: HandResult) -> bool:
    if not result.question.is_answerable:
        return is_silent(result)
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


if __name__ == "__main__":
    main()
