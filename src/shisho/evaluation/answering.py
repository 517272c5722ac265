"""Measure answers, citations and abstentions on questions that come with their own passages.

Each question has a library of its own.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from shisho.bootstrap.library import open_library
from shisho.domain.corpus import Source
from shisho.domain.inquiry import ANSWERING_LEVELS, Answer
from shisho.errors import InvalidParams
from shisho.evaluation.answers import AnswerItem, AnswerResult, group_results, judge_answer, load_items

Figures = dict[str, dict[str, float]]
"""Metrics by name, for each kind of question."""


async def measure_answers(folder: Path, settings: Mapping[str, Any], limit: int | None = None) -> Figures:
    """Measure every item of the folder's `*.jsonl.gz`, or the first `limit` of them.

    `settings` are those of the library. Raises: InvalidParams if there are none.
    """
    items = await asyncio.to_thread(load_folder, folder)
    results = [(await ask_item(item, settings))[1] for item in items[:limit]]
    return {name: citation_figures(group) for name, group in group_results(results).items()}


def load_folder(folder: Path) -> list[AnswerItem]:
    """Load the items of all files. Raises: InvalidParams if there are none."""
    items = [item for path in sorted(folder.glob("*.jsonl.gz")) for item in load_items(path)]
    if not items:
        raise InvalidParams("eval.no_questions", folder=str(folder))
    return items


async def ask_item(item: AnswerItem, settings: Mapping[str, Any]) -> tuple[Answer, AnswerResult]:
    """Ask the question with its passages as the only documents, without vectors."""
    positive = {f"positive{number}.md": text for number, text in enumerate(item.positive)}
    negative = {f"negative{number}.md": text for number, text in enumerate(item.negative)}
    with tempfile.TemporaryDirectory(prefix="shisho-answers-") as home:
        async with open_library(**{**settings, "home": home, "web": "off", "embedder": "none"}) as library:
            for name, text in {**positive, **negative}.items():
                await library.documents.add_source(Source(name, text.encode(), media_type(text)))
            answer = await library.questions.ask(item.question)
    return answer, judge_answer(item, answer, frozenset(positive))


def media_type(passage: str) -> str:
    """Return the media type of a passage: HTML if it begins with a tag, otherwise Markdown."""
    return "text/html" if passage.lstrip().startswith("<") else "text/markdown"


def citation_figures(results: Sequence[AnswerResult]) -> dict[str, float]:
    """Compute the metrics of these results.

    `right`: answered, and every need is found in a quotation of a positive passage. Citation precision: the
    share of citations from positive passages. Recall: the share of needs found in cited quotations.
    `refused`: not answered, which is right for unanswerable questions.
    """
    answered = [result for result in results if result.level in ANSWERING_LEVELS]
    needing = [result for result in results if result.needs]
    citations = sum(result.citations for result in answered)
    return {
        "items": len(results),
        "right": _share(sum(result.holds_all for result in answered), len(results)),
        "needs_held": _mean([len(result.held) / len(result.needs) for result in needing]),
        "citation_precision": _share(sum(result.right_citations for result in answered), citations),
        "citation_recall": _mean([result.held_by_cited / len(result.needs) for result in needing]),
        "refused": _share(len(results) - len(answered), len(results)),
        "refused_and_says_why": _share(sum(result.is_explained for result in results), len(results)),
    }


def _share(part: int, whole: int) -> float:
    return round(part / whole, 3) if whole else 0.0


def _mean(values: Sequence[float]) -> float:
    return round(fmean(values), 3) if values else 0.0
