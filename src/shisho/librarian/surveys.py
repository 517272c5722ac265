"""Surveys of the collection, and their answers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial

from shisho.domain.corpus import Citation, Complexity
from shisho.domain.inquiry import (
    AnswerBlock,
    AnswerHeading,
    AnswerList,
    AnswerNote,
    EvidenceRef,
    Goal,
    LoopStop,
    NoteRole,
    Sentence,
    Strategy,
    SupportedBy,
    SupportOutcome,
    build_evidence_ref,
)
from shisho.domain.loop_state import Draft, LoopState
from shisho.domain.requirements import RequestKind, Requirements
from shisho.domain.survey import Survey, SurveyKind, SurveyRow
from shisho.language.script import answer_language
from shisho.librarian.citations import Citations
from shisho.librarian.levels import RELATED, level_of_evidence
from shisho.librarian.route import conclude
from shisho.messages.catalogue import word


@dataclass(frozen=True, slots=True)
class CitedSurvey:
    """A survey with its citations and their headings."""

    survey: Survey
    citations: tuple[Citation, ...] = ()
    headings: tuple[str, ...] = ()


AskCollection = Callable[[str, Requirements], Awaitable[CitedSurvey | None]]
"""Answers a question about the collection; None for any other question."""


async def survey_nothing(question: str, required: Requirements) -> CitedSurvey | None:
    """Return no survey: no collection is available."""
    return None


def speak_for(question: str) -> Callable[..., str]:
    """Return the texts of answers in the language of the question."""
    return partial(word, language=answer_language(question))


def begin_survey(
    cited: CitedSurvey, question: str, required: Requirements, citations: Citations
) -> LoopState:
    """Return the state of a question about the collection with its evidence.

    Nothing is searched.
    """
    goal = Goal("G1", question)
    score = RELATED if cited.survey.kind is SurveyKind.MODEL else 1.0
    refs = tuple(
        build_evidence_ref(citations.take(citation), goal.id, citation, heading, score, 0)
        for citation, heading in zip(cited.citations, cited.headings, strict=True)
    )
    status = citations.status((goal,), refs)
    stop = LoopStop.CONDITION_MET if status[0].met else LoopStop.EXHAUSTED
    return LoopState(
        strategy=Strategy(
            question,
            (goal,),
            goal.id,
            required.complexity or Complexity.SINGLE,
            _choose_kind(cited.survey.kind, required.kind),
        ),
        survey=cited.survey,
        evidence=refs,
        goal_status=status,
        verdicts=(conclude(stop, status, cited.survey.kind),),
        rounds_without_evidence=0,
        uses=(),
    )


def _choose_kind(of_survey: SurveyKind, wanted: RequestKind) -> RequestKind:
    if wanted is not RequestKind.AUTO:
        return wanted
    kinds = {SurveyKind.SUMMARY: RequestKind.SUMMARY, SurveyKind.MODEL: RequestKind.REPORT}
    return kinds.get(of_survey, RequestKind.COLLECTION)


def write_survey(survey: Survey, refs: Sequence[EvidenceRef], question: str) -> Draft:
    """Write the answer: the method, its lines, and each row above its quotations."""
    say = speak_for(question)
    level = level_of_evidence(refs)
    head = say("survey_head", level=say(f"level_{level}"), how=say(f"survey_{survey.kind}"))
    notes = (
        AnswerNote(head, NoteRole.OPENING),
        AnswerNote("\n".join(survey.lines), NoteRole.REMARK),
    )
    rows = [block for row in survey.rows for block in write_row(row, refs)]
    missing = (question,) if survey.kind in (SurveyKind.MODEL, SurveyKind.UNNAMED) else ()
    return Draft((*notes, *rows), missing, level)


def write_row(row: SurveyRow, refs: Sequence[EvidenceRef]) -> list[AnswerBlock]:
    """Return a row of a survey above its quotations."""
    blocks: list[AnswerBlock] = [AnswerHeading(row.title, 3)] if row.title else []
    quoted = [refs[place] for _, place in row.quotes]
    items = tuple(
        Sentence(ref.snippet, (ref.number,), SupportOutcome.SUPPORTED, SupportedBy.QUOTATION)
        for ref in quoted
    )
    signs = tuple(sign for sign, _ in row.quotes)
    return [*blocks, AnswerList(items, signs if any(signs) else ())] if items else blocks
