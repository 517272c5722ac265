"""Calibrate an embedder on a set of questions.

The weight of words, and the cosine of relevant passages.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from shisho.bootstrap.embedder import keep_scale
from shisho.bootstrap.library import open_library
from shisho.domain.embedding import CalibrationTarget, WordShare
from shisho.evaluation import EvalQuestion, EvalSet, load
from shisho.evaluation.run import fill, ndcg, rank_questions
from shisho.language import is_japanese
from shisho.records import dataclass
from shisho.services import Library

FACTORS = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1 / 2**0.5, 1.0, 2**0.5, 2.0, 4.0, 8.0, 16.0)
FEWEST = 20  # questions of a language, or relevant passages, below which the share or the floor is unchanged
AMONG = 10  # the best passages of a question, from which the floor is measured
FLOOR_SHARE = 0.95  # of the relevant passages among them have a cosine above the floor


@dataclass(frozen=True, slots=True)
class Calibration:
    """The result: nDCG@10 by share of words and language, and the best shares.

    `meaning_floor`: the cosine that 95 % of the relevant passages reach.
    """

    embedder: str
    questions: Mapping[str, int]
    ndcg: Mapping[str, Mapping[str, float]]
    share: WordShare
    meaning_floor: float


async def calibrate(target: CalibrationTarget, folder: Path, *, limit: int | None = None) -> Calibration:
    """Try shares on a set, and store the best in the home.

    Raises: InvalidParams for an unreadable set.
    """
    about = target.about
    eval_set = await asyncio.to_thread(load, folder)
    with tempfile.TemporaryDirectory(prefix="shisho-eval-") as place:
        scores, cosines = await _try_shares(target, Path(place), eval_set, limit)
    share = WordShare(
        _choose_best(scores["japanese"], about.share.japanese),
        _choose_best(scores["english"], about.share.english),
    )
    meaning_floor = _choose_floor(cosines, about.meaning_floor)
    keep_scale(target.home, about.name, share, meaning_floor)
    return Calibration(
        about.name,
        {language: len(next(iter(by_share.values()), [])) for language, by_share in scores.items()},
        {
            language: {f"{value:.3g}": round(fmean(results), 4) for value, results in by_share.items()}
            for language, by_share in scores.items()
        },
        share,
        meaning_floor,
    )


async def _try_shares(
    target: CalibrationTarget, home: Path, eval_set: EvalSet, limit: int | None
) -> tuple[dict[str, dict[float, list[float]]], list[float]]:
    """Return nDCG@10 by language and share, and the cosines of relevant passages.

    Measured with the real searcher over a temporary home.
    """
    options: dict[str, Any] = {**target.options, "home": home}
    scores: dict[str, dict[float, list[float]]] = {"japanese": {}, "english": {}}
    cosines: list[float] = []
    questions = eval_set.questions[:limit]
    languages = ["japanese" if is_japanese(question.text) else "english" for question in questions]
    for factor in FACTORS:
        share = WordShare(target.about.share.japanese * factor, target.about.share.english * factor)
        keep_scale(home, target.about.name, share, target.about.meaning_floor)
        async with open_library(**options) as library:
            if factor == FACTORS[0]:
                await fill(library, eval_set)
                await library.embeddings.embed()
            rankings = await rank_questions(library, questions)
            if factor == 1.0:
                cosines = await _measure_relevant_cosines(library, eval_set, questions)
        for question, language, ranking in zip(questions, languages, rankings, strict=True):
            value = share.japanese if language == "japanese" else share.english
            scores[language].setdefault(value, []).append(ndcg(ranking, eval_set.judged[question.id]))
    return scores, cosines


async def _measure_relevant_cosines(
    library: Library, eval_set: EvalSet, questions: Sequence[EvalQuestion]
) -> list[float]:
    """Return the cosines of relevant passages among the best of each question."""
    cosines = []
    for question in questions:
        judged = eval_set.judged[question.id]
        hits = await library.documents.rank([question.text], depth=AMONG)
        relevant = [hit for hit in hits if judged.get(hit.source, 0) > 0]
        cosines += [hit.parts["meaning"] for hit in relevant if "meaning" in hit.parts]
    return cosines


def _choose_floor(cosines: Sequence[float], before: float) -> float:
    if len(cosines) < FEWEST:
        return before
    return round(sorted(cosines)[int((1 - FLOOR_SHARE) * len(cosines))], 3)


def _choose_best(by_share: Mapping[float, Sequence[float]], before: float) -> float:
    """Return the share with the best mean, smoothed over its neighbours.

    A single peak may be luck.
    """
    shares = sorted(by_share)
    if len(next(iter(by_share.values()), [])) < FEWEST:
        return before
    means = [fmean(by_share[share]) for share in shares]
    smooth = [fmean(means[max(0, at - 1) : at + 2]) for at in range(len(means))]
    return shares[smooth.index(max(smooth))]
