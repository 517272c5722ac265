"""Build the tables of features from the labelled questions: `python train/build_tables.py`.

It needs the evaluation sets (`SHISHO_SHARED`). The tables hold numbers and ids of questions, no text."""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from fit import SELECTIONS, SENTENCES, Selections, Sentences, fit_ranker
from labels import ENCYCLOPEDIA_SETS, PDF_SET, ROOT, LabelledQuestion, load_questions

from shisho.bootstrap.library import open_library
from shisho.domain.corpus import Citation, Complexity, NumberedPassage, Scope, SearchRequest, Source
from shisho.evaluation import load
from shisho.evaluation.run import fill
from shisho.librarian.plan import plan
from shisho.librarian.selection.features import (
    PassageMatch,
    SentenceCandidate,
    SentenceFeatures,
    list_candidates,
    match_passages,
)
from shisho.librarian.selection.question import AnalysedQuestion, analyse_question, list_content_terms
from shisho.librarian.selection.ranker import SelectionFeatures, choose_passages, measure_selection, rank
from shisho.librarian.strategy import strategy

LIBRARIES = ROOT / "build" / "train"
MAX_POSITIVES = 6  # rows of a question in the table of sentences: those that answer
FIRST_NEGATIVES = 8  # … the first of the others, in the order of the search
OTHER_NEGATIVES = 8  # … and others at random
ROOM = 10**6  # tokens: every passage of the round
SEED = 5


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A labelled question with the passages of its first round. `grades` are of whole passages."""

    label: LabelledQuestion
    is_absent: bool
    analysed: AnalysedQuestion
    matched: Sequence[PassageMatch]
    candidates: Sequence[SentenceCandidate]
    grades: Sequence[float]
    sentence_grades: Sequence[float]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--shared", type=Path, default=os.environ.get("SHISHO_SHARED", ROOT.parent / "shared")
    )
    shared = Path(parser.parse_args().shared)
    os.environ["SHISHO_WEB"] = "off"
    asked = asyncio.run(ask_all(load_questions(shared), shared))
    sentences = build_sentences(asked)
    sentences.save(SENTENCES)
    selections = build_selections(asked, sentences)
    selections.save(SELECTIONS)
    print(f"{len(sentences.features)} sentences, {len(selections.features)} selections")


async def ask_all(questions: Sequence[LabelledQuestion], shared: Path) -> list[AskedQuestion]:
    """Search for every question, with and without the documents that answer it."""
    asked: list[AskedQuestion] = []
    for name in dict.fromkeys(question.collection for question in questions):
        home = LIBRARIES / name
        is_new = not home.exists()
        home.mkdir(parents=True, exist_ok=True)
        async with open_library(home=home) as library:
            if is_new:
                await _fill(library, name, shared)
            searcher = library._builder.shared.searcher
            for question in questions:
                if question.collection == name:
                    asked += await _ask(searcher, question)
        print(f"{name}: {len(asked)} so far", flush=True)
    return asked


async def _fill(library, name: str, shared: Path) -> None:
    if name in ENCYCLOPEDIA_SETS:
        await fill(library, load(shared / "eval" / name))
        return
    if name == PDF_SET:
        async for _ in library.documents.add(shared / PDF_SET / "pdfs", ocr=False):
            pass
        return
    import gzip

    async for _ in library.documents.add(shared / "pdf" / "ja", shared / "pdf" / "en", ocr=False):
        pass
    for page in sorted((shared / "extract" / "html").glob("*.html.gz")):
        await library.documents.add_source(
            Source(page.name.removesuffix(".gz"), gzip.decompress(page.read_bytes()), "text/html")
        )


async def _ask(searcher, question: LabelledQuestion) -> list[AskedQuestion]:
    aim = strategy(question.text)
    first = plan(aim, aim.goals, ())
    request = SearchRequest(first.search_intent, first.keyword_query, first.vector_query)
    session = await searcher.open(
        Scope(), Complexity.SINGLE, ROOM, f"train/{question.set_name}/{question.id}"
    )
    shown = await session.search(request, 1)
    rarity = await session.measure_rarity(list_content_terms(question.text))
    analysed = analyse_question(question.text, rarity)
    pairs = list(zip(shown.shown, shown.sources, strict=True))
    asked = [_measure(question, analysed, pairs, is_absent=question.is_absent)]
    if question.gold_sources:
        without = [pair for pair in pairs if pair[1].source not in question.gold_sources]
        asked.append(_measure(question, analysed, without, is_absent=True))
    return asked


def _measure(
    question: LabelledQuestion,
    analysed: AnalysedQuestion,
    pairs: Sequence[tuple[NumberedPassage, Citation]],
    *,
    is_absent: bool,
) -> AskedQuestion:
    matched = match_passages(analysed, [passage for passage, _ in pairs])
    candidates = list(list_candidates(analysed, matched))
    grades = [
        question.grade(passage, source, join_passage(passage)) for passage, source in pairs[: len(matched)]
    ]
    sentence_grades = [
        question.grade(*pairs[each.passage], _text_of(pairs[each.passage][0], each)) for each in candidates
    ]
    return AskedQuestion(question, is_absent, analysed, matched, candidates, grades, sentence_grades)


def join_passage(passage: NumberedPassage) -> str:
    return f"{passage.heading}\n{passage.text}"


def _text_of(passage: NumberedPassage, candidate: SentenceCandidate) -> str:
    sentence = (passage.text + passage.after)[candidate.sentence.start : candidate.sentence.end]
    return f"{passage.heading}\n{sentence}"


def build_sentences(asked: Sequence[AskedQuestion]) -> Sentences:
    """Return the rows that the ranker is fitted on: of each question those that answer, and others."""
    chooser = random.Random(SEED)
    features, grades, groups, sets = [], [], [], []
    for number, question in enumerate(asked):
        places = range(len(question.candidates))
        positives = [place for place in places if question.sentence_grades[place] > 0][:MAX_POSITIVES]
        if question.is_absent or not positives:
            continue
        negatives = [place for place in places if question.sentence_grades[place] <= 0]
        others = negatives[FIRST_NEGATIVES:]
        chosen = sorted(
            positives
            + negatives[:FIRST_NEGATIVES]
            + chooser.sample(others, min(OTHER_NEGATIVES, len(others)))
        )
        for place in chosen:
            features.append(question.candidates[place].features)
            grades.append(question.sentence_grades[place])
            groups.append(number)
        sets.append((number, question.label.set_name, question.label.id))
    names = {number: (set_name, id_) for number, set_name, id_ in sets}
    return Sentences(
        SentenceFeatures._fields,
        np.round(np.array(features, np.float32), 3),
        np.round(np.array(grades, np.float32), 3),
        np.array([names[group][0] for group in groups]),
        np.array([f"{names[group][0]}/{names[group][1]}" for group in groups]),
    )


def build_selections(asked: Sequence[AskedQuestion], sentences: Sentences) -> Selections:
    """Return the rows that certainty is fitted on: each selection by a ranker that has not seen its set."""
    rankers = {
        name: fit_ranker(sentences.keep(sentences.sets != name))
        for name in dict.fromkeys(each.label.set_name for each in asked)
    }
    features, right, absent, sets, ids = [], [], [], [], []
    for question in asked:
        if question.label.set_name == PDF_SET or not question.candidates:
            continue  # its pages are known, not its answers
        ranking = rank(question.candidates, rankers[question.label.set_name])
        chosen = choose_passages(ranking, question.matched)
        texts = [join_passage(question.matched[each.place].shown) for each in chosen]
        grades = [question.grades[each.place] for each in chosen]
        features.append(measure_selection(question.analysed, ranking, question.matched))
        right.append(not question.is_absent and question.label.holds(texts, grades))
        absent.append(question.is_absent)
        sets.append(question.label.set_name)
        ids.append(f"{question.label.set_name}/{question.label.id}")
    return Selections(
        SelectionFeatures._fields,
        np.round(np.array(features, np.float32), 4),
        np.array(right),
        np.array(absent),
        np.array(sets),
        np.array(ids),
    )


if __name__ == "__main__":
    main()
