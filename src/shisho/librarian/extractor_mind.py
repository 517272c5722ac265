"""Rules that leave the choice of sentences to a small extractor: between rules and a language model."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence

from shisho.domain.corpus import NumberedPassage
from shisho.domain.embedding import ExtractedScores
from shisho.domain.inquiry import EvidenceRef, Finding, Goal
from shisho.domain.model import ModelFault, ModelUsage, ModelUse
from shisho.errors import ModelFailed, ShishoError
from shisho.language.sentences import sentences
from shisho.librarian.allowance import ModelAllowance
from shisho.librarian.evidence import double
from shisho.librarian.levels import RELATED
from shisho.librarian.mind import NodeThought, PassageMatter, RulesMind
from shisho.messages.message import Message
from shisho.ports import Extractor
from shisho.telemetry import log, span

QUOTES = 5  # sentences of one goal at most, unless it asks for more


class ExtractorMind(RulesMind):
    """Evaluates by the extractor's sentences, and by rules where it fails. Its scores are kept as the reply
    of a model, so that a replay needs no extractor."""

    def __init__(self, extractor: Extractor) -> None:
        self._extractor = extractor

    async def evaluate(self, matter: PassageMatter, allowance: ModelAllowance) -> NodeThought[list[Finding]]:
        if not (matter.passages and matter.goals):
            return await super().evaluate(matter, allowance)
        spans = [sentences(passage.text) for passage in matter.passages]
        texts = [passage.text for passage in matter.passages]
        findings: list[Finding] = []
        reply: list[Sequence[ExtractedScores]] = []
        try:
            for goal in matter.goals:
                with span("extract", passages=len(texts)):
                    scores = await self._extractor.score(goal.question, texts, spans)
                reply.append(scores)
                findings += _findings(goal, matter.passages, spans, scores, matter.evidence)
        except ShishoError as error:
            log.warning(Message("The sentences are chosen by rules: {why}", why=error.message))
            by_rules = await super().evaluate(matter, allowance)
            use = ModelUse("evaluate", self._extractor.name, "", ModelUsage(), ModelFault.FAILED)
            return NodeThought(by_rules.value, (use,))
        use = ModelUse("evaluate", self._extractor.name, "", ModelUsage(), reply=_written(reply))
        return NodeThought(findings, (use,))


class RecordedExtractor:
    """`ports.Extractor` that gives the scores of recorded uses again; one that failed fails again."""

    def __init__(self, uses: Iterable[ModelUse]) -> None:
        self._uses = list(uses)
        self._replies = iter([scores for use in self._uses for scores in _read(use)])

    @property
    def name(self) -> str:
        return self._uses[0].model if self._uses else "none"

    async def score(
        self, question: str, texts: Sequence[str], spans: Sequence[Sequence[tuple[int, int]]]
    ) -> Sequence[ExtractedScores]:
        scores = next(self._replies, None)
        if scores is None or len(scores) != len(texts):
            raise ModelFailed(
                "The extractor {name} is not asked again.", name=self.name, fault=str(ModelFault.FAILED)
            )
        return scores


def is_of_extractor(use: ModelUse) -> bool:
    """An extractor has no prompt."""
    return use.node == "evaluate" and not use.prompt_sha256


def _written(reply: Sequence[Sequence[ExtractedScores]]) -> str:
    """For each goal of each passage its own number, then those of its sentences."""
    return json.dumps(
        [[[scores.passage, *scores.sentences] for scores in of_passages] for of_passages in reply]
    )


def _read(use: ModelUse) -> list[list[ExtractedScores] | None]:
    if not use.reply:
        return [None]
    return [
        [ExtractedScores(passage, tuple(of_sentences)) for passage, *of_sentences in scores]
        for scores in json.loads(use.reply)
    ]


def _findings(
    goal: Goal,
    passages: Sequence[NumberedPassage],
    spans: Sequence[Sequence[tuple[int, int]]],
    scores: Sequence[ExtractedScores],
    refs: Sequence[EvidenceRef],
) -> list[Finding]:
    """The best sentences for a goal, best first, that nothing says yet. A sentence is as sure as it and its
    passage are."""
    candidates = []
    for passage, of_sentences, of_passage in zip(passages, spans, scores, strict=True):
        for (start, end), score in zip(of_sentences, of_passage.sentences, strict=True):
            sure = min(score, of_passage.passage)
            if math.isfinite(sure) and sure >= RELATED:
                candidates.append(
                    Finding(passage.temp_index, goal.id, passage.text[start:end], round(sure, 4))
                )
    candidates.sort(key=lambda finding: -finding.score)
    told_texts = [ref.snippet for ref in refs if ref.goal_id == goal.id]
    chosen: list[Finding] = []
    for finding in candidates:
        if len(chosen) == max(QUOTES, goal.min_evidence):
            break
        if not any(double(finding.snippet, text) for text in told_texts):
            told_texts.append(finding.snippet)
            chosen.append(finding)
    return chosen
