"""Measure a set of documents and questions with the real ingest, searcher and librarian."""

from __future__ import annotations

import asyncio
import math
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from shisho.bootstrap.library import open_library
from shisho.domain.corpus import IntakeOutcome, Source
from shisho.errors import InvalidParams
from shisho.evaluation import EvalDocument, EvalQuestion, EvalSet, load
from shisho.evaluation.reading import list_shown_texts
from shisho.language.terms import fold
from shisho.services import Library


def ndcg(ranking: Sequence[str], judged: Mapping[str, int], depth: int = 10) -> float:
    """Return the nDCG with linear gain and log2 discount, as in trec_eval."""
    gained = sum(judged.get(name, 0) / math.log2(place + 1) for place, name in enumerate(ranking[:depth], 1))
    best = sorted((score for score in judged.values() if score > 0), reverse=True)[:depth]
    ideal = sum(score / math.log2(place + 1) for place, score in enumerate(best, 1))
    return gained / ideal if ideal else 0.0


def recall(ranking: Sequence[str], judged: Mapping[str, int], depth: int = 50) -> float:
    """Return the share of the relevant documents among the first `depth`."""
    relevant = {name for name, score in judged.items() if score > 0}
    return len(relevant.intersection(ranking[:depth])) / len(relevant) if relevant else 0.0


def reciprocal_rank(ranking: Sequence[str], judged: Mapping[str, int], depth: int = 10) -> float:
    """Return 1 / rank of the first relevant document, 0 if there is none in the first `depth`."""
    places = (place for place, name in enumerate(ranking[:depth], 1) if judged.get(name, 0) > 0)
    return 1.0 / next(places, math.inf)


DEPTH = 200
MAX_CONCURRENT_DOCUMENTS = 64  # documents added concurrently are committed together


async def measure(
    folder: Path, *, answers: int = 0, limit: int | None = None, embedder: str = "none"
) -> dict[str, Any]:
    """Return ndcg@10, recall@50 and mrr@10 over the first `limit` judged questions, or all.

    Retrieved by words, or by words and an embedder. `answers`: the number of questions with gold answers,
    spread evenly over the set, that are also put to the librarian.
    """
    eval_set = await asyncio.to_thread(load, folder)
    started = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="shisho-eval-") as home:
        async with open_library(home=home, embedder=embedder) as library:
            await fill(library, eval_set)
            await library.embeddings.embed()
            questions = eval_set.questions[:limit]
            figures = await evaluate_retrieval(library, eval_set, questions)
            if answers:
                gold = [question for question in questions if question.answers]
                figures |= await measure_answers(
                    library, eval_set, gold[:: max(1, len(gold) // answers)][:answers]
                )
    return {**figures, "seconds": round(time.perf_counter() - started, 2)}


async def fill(library: Library, eval_set: EvalSet) -> None:
    """Add the whole corpus. Raises: InvalidParams if a document cannot be added."""
    turn = asyncio.Semaphore(MAX_CONCURRENT_DOCUMENTS)

    async def add(source: Source) -> None:
        async with turn:
            receipt = await library.documents.add_source(source)
        if receipt.outcome is IntakeOutcome.FAILED and source.data.strip():
            raise InvalidParams("eval.bad_document", name=source.name, reason=receipt.reason)

    async with asyncio.TaskGroup() as group:
        for entry in eval_set.entries:
            group.create_task(add(_source(entry)))


async def evaluate_retrieval(
    library: Library, eval_set: EvalSet, questions: Sequence[EvalQuestion]
) -> dict[str, Any]:
    """Rank each question to a depth of 200 passages.

    A document's rank is that of its best passage.
    """
    rankings = await rank_questions(library, questions)
    judged = [eval_set.judged[question.id] for question in questions]
    pairs = list(zip(rankings, judged, strict=True))
    return {
        "ndcg@10": _mean(ndcg(ranking, grades) for ranking, grades in pairs),
        "recall@50": _mean(recall(ranking, grades) for ranking, grades in pairs),
        "mrr@10": _mean(reciprocal_rank(ranking, grades) for ranking, grades in pairs),
        "queries": len(questions),
        "documents": len(eval_set.entries),
    }


async def rank_questions(library: Library, questions: Sequence[EvalQuestion]) -> list[list[str]]:
    """Return the names of the set's documents for each question, best first."""
    standing: dict[str, list[str]] = {}
    for name, document in (await library.documents.list_sources()).items():
        standing.setdefault(document, []).append(name)
    return [await _rank_documents(library, question, standing) for question in questions]


async def measure_answers(
    library: Library, eval_set: EvalSet, questions: Sequence[EvalQuestion]
) -> dict[str, Any]:
    """Measure how often the shown text contains the gold answer, and the abstentions.

    Also the mean length of the shown text in characters; abstention with the gold passage in and out of the
    corpus.
    """
    found_shares = []
    shown_chars = []
    silent = []
    for question in questions:
        answer = await library.questions.ask(question.text)
        found_shares.append(_has_answer(list_shown_texts(answer), question.answers))
        shown_chars.append(sum(len(passage.text) for passage in answer.passages))
        silent.append(answer.abstained or bool(answer.missing))
    without = [await _check_without(library, eval_set, question) for question in questions]
    return {
        "answer@shown": _mean(found_shares),
        "shown_characters": _mean(shown_chars),
        "abstains_with_gold": _mean(silent),
        "abstains_without_gold": _mean(without),
        "answered_queries": len(questions),
    }


async def _rank_documents(
    library: Library, question: EvalQuestion, standing: Mapping[str, Sequence[str]]
) -> list[str]:
    """Return the names of the set's documents in order; those with identical text are adjacent."""
    documents = await library.documents.rank_documents([question.text], depth=DEPTH)
    return [name for document in documents for name in standing[document]]


async def _check_without(library: Library, eval_set: EvalSet, question: EvalQuestion) -> bool:
    """Return whether it abstains, or reports a missing part, without the gold documents."""
    gold = {name for name, grade in eval_set.judged[question.id].items() if grade > 0}
    entries = [entry for entry in eval_set.entries if entry.id in gold]
    for entry in entries:
        await library.documents.remove(entry.id)
    answer = await library.questions.ask(question.text)
    for entry in entries:
        await library.documents.add_source(_source(entry))
    await library.embeddings.embed()
    return answer.abstained or bool(answer.missing)


def _source(entry: EvalDocument) -> Source:
    return Source(entry.id, entry.text.encode(), "text/plain", entry.title)


def _has_answer(snippets: Iterable[str], answers: Iterable[str]) -> bool:
    quoted_text = "\n".join("".join(fold(snippet).split()) for snippet in snippets)
    return any("".join(fold(answer).split()) in quoted_text for answer in answers)


def _mean(values: Iterable[float]) -> float:
    return round(fmean(list(values) or [0.0]), 4)
