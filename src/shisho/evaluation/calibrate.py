"""Measure on a set of questions how much words should count beside the meaning of the embedder that is set."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from shisho.bootstrap.desk import open_desk
from shisho.bootstrap.word_shares import keep_share
from shisho.domain.embedding import CalibrationTarget, WordShare
from shisho.evaluation.metrics import ndcg
from shisho.evaluation.run import fill, rank_questions
from shisho.evaluation.sets import EvalSet, load
from shisho.language.script import is_japanese

FACTORS = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1 / 2**0.5, 1.0, 2**0.5, 2.0, 4.0, 8.0, 16.0)
FEWEST = 20  # questions of a language, below which its share stays as it is


@dataclass(frozen=True, slots=True)
class Calibration:
    """nDCG@10 by the share of words, for each language with enough questions, and the shares that were best."""

    embedder: str
    questions: Mapping[str, int]
    ndcg: Mapping[str, Mapping[str, float]]
    share: WordShare


async def calibrate(target: CalibrationTarget, folder: Path, *, limit: int | None = None) -> Calibration:
    """Try shares on a set, and keep the best with the home. Raises InvalidParams for a set that cannot be read."""
    about = target.about
    eval_set = await asyncio.to_thread(load, folder)
    with tempfile.TemporaryDirectory(prefix="shisho-eval-") as place:
        scores = await _tried(target, Path(place), eval_set, limit)
    share = WordShare(
        _best(scores["japanese"], about.share.japanese), _best(scores["english"], about.share.english)
    )
    keep_share(target.home, about.name, share)
    return Calibration(
        about.name,
        {language: len(next(iter(by_share.values()), [])) for language, by_share in scores.items()},
        {
            language: {f"{value:.3g}": round(fmean(results), 4) for value, results in by_share.items()}
            for language, by_share in scores.items()
        },
        share,
    )


async def _tried(
    target: CalibrationTarget, home: Path, eval_set: EvalSet, limit: int | None
) -> dict[str, dict[float, list[float]]]:
    """By language and share, nDCG@10 of each question, from the real searcher over a home of its own."""
    options: dict[str, Any] = {**target.options, "home": home}
    scores: dict[str, dict[float, list[float]]] = {"japanese": {}, "english": {}}
    questions = eval_set.questions[:limit]
    languages = ["japanese" if is_japanese(question.text) else "english" for question in questions]
    for factor in FACTORS:
        share = WordShare(target.about.share.japanese * factor, target.about.share.english * factor)
        keep_share(home, target.about.name, share)
        async with open_desk(**options) as desk:
            if factor == FACTORS[0]:
                await fill(desk, eval_set)
                await desk.embeddings.embed()
            rankings = await rank_questions(desk, questions)
        for question, language, ranking in zip(questions, languages, rankings, strict=True):
            value = share.japanese if language == "japanese" else share.english
            scores[language].setdefault(value, []).append(ndcg(ranking, eval_set.judged[question.id]))
    return scores


def _best(by_share: Mapping[float, Sequence[float]], before: float) -> float:
    """The share whose mean, with those beside it, is best: one alone may be luck."""
    shares = sorted(by_share)
    if len(next(iter(by_share.values()), [])) < FEWEST:
        return before
    means = [fmean(by_share[share]) for share in shares]
    smooth = [fmean(means[max(0, at - 1) : at + 2]) for at in range(len(means))]
    return shares[smooth.index(max(smooth))]
