"""The making of an answer, one step at a time: what its run tells as it goes, and what is told to those who
wait."""

from __future__ import annotations

from dataclasses import dataclass

from shisho.domain.event import Event, EventKind
from shisho.domain.inquiry import Verdict
from shisho.domain.job import Job, JobId
from shisho.domain.loop_state import LoopState
from shisho.domain.payloads import AnswerProgress, SearchProgress, describe_subject
from shisho.domain.task import JobKind
from shisho.domain.time import Instant


@dataclass(frozen=True, slots=True)
class StepTaken:
    """A node of the loop was taken. `replayed`: its stored output was given; `change`: the part of the state
    that it changed."""

    node: str
    step: int
    replayed: bool
    change: LoopState


@dataclass(frozen=True, slots=True)
class StepForgotten:
    """A stored step no longer fits: the run goes on from before it."""

    node: str
    step: int


@dataclass(frozen=True, slots=True)
class SentenceWritten:
    """A line of the answer: a model's, checked, or a quotation as rules take it. They come in no fixed
    order."""

    text: str


@dataclass(frozen=True, slots=True)
class ModelWaits:
    """A model's provider accepts no calls for now: the run waits for so many seconds, then tries again."""

    seconds: float


RunNews = StepTaken | StepForgotten | SentenceWritten | ModelWaits


def ignore_news(news: object) -> None:
    """Tells nobody."""


@dataclass(frozen=True, slots=True)
class AnswerStep:
    """One thing that has happened to the question or to a search that it needs. `revision` orders them: what
    comes later has a higher one. `state`: what became of the job, `progress` where it goes on. Of an answer's
    progress `node` and `step` say how far its loop has come, `replayed` that it was there before; of a
    search's, how many result pages and hits were looked at, and how many documents came of them. `sentence`:
    a line of the answer as a model writes it, checked, or a quotation as rules take it; they come in no fixed
    order. None: not told."""

    revision: int
    at: Instant
    job_id: JobId
    kind: str
    """answer, or search_queue."""
    state: EventKind
    subject: str
    """The question, or the query of the search."""
    node: str | None = None
    step: int | None = None
    replayed: bool | None = None
    sentence: str | None = None
    verdict: Verdict | None = None
    """Of the route step: whether the search goes on, and why."""
    section: int | None = None
    """Of a report: the section that is looked for now."""
    sections: int | None = None
    engine: str | None = None
    pages: int | None = None
    visited: int | None = None
    documents: int | None = None
    code: str | None = None
    """Of the error that an attempt ended with."""
    domain: str | None = None
    """Whose page asks for a person."""


def build_progress(news: RunNews) -> AnswerProgress:
    """The report of an answer's job on its run."""
    match news:
        case StepTaken(node, step, replayed, change):
            verdict = next(iter(change.get("verdicts", ())), None)
            section, sections = count_sections(change)
            return AnswerProgress(node, step, replayed, verdict=verdict, section=section, sections=sections)
        case StepForgotten(step=step):
            return AnswerProgress("forgotten", step, replayed=False)
        case SentenceWritten(text):
            return AnswerProgress("answer", 0, replayed=False, sentence=text)
        case ModelWaits(seconds):
            return AnswerProgress("model_wait", round(seconds), replayed=False)


def count_sections(change: LoopState) -> tuple[int, int]:
    """Return the number of the section that a step begins, and of all sections; zeros if it begins none."""
    sections = len(change["strategy"].sections) if "section" in change and "strategy" in change else 0
    number = change["section"].number if sections else 0
    return (number, sections) if number <= sections else (0, 0)


def build_answer_step(event: Event, job: Job) -> AnswerStep:
    """An event of a question's job, or of a search of its, as a step."""
    facts = event.facts
    node: str | None = None
    step: int | None = None
    replayed: bool | None = None
    sentence: str | None = None
    verdict: Verdict | None = None
    section: int | None = None
    sections: int | None = None
    engine = facts.engine
    counts: tuple[int, int, int] | tuple[None, None, None] = (None, None, None)
    if facts.progress is not None and job.kind == JobKind.ANSWER:
        progress = facts.progress.read(AnswerProgress, is_lenient=True)
        node = progress.node
        step = progress.step
        replayed = progress.replayed
        sentence = progress.sentence or None
        verdict = progress.verdict
        section = progress.section or None
        sections = progress.sections or None
    elif facts.progress is not None and job.kind == JobKind.SEARCH:
        search = facts.progress.read(SearchProgress, is_lenient=True)
        engine = search.engine
        counts = (search.pages, search.visited, search.documents)
    pages, visited, documents = counts
    return AnswerStep(
        revision=event.revision,
        at=event.at,
        job_id=event.job_id,
        kind=job.kind,
        state=event.kind,
        subject=describe_subject(job),
        node=node,
        step=step,
        replayed=replayed,
        sentence=sentence,
        verdict=verdict,
        section=section,
        sections=sections,
        engine=engine,
        pages=pages,
        visited=visited,
        documents=documents,
        code=facts.code,
        domain=facts.domain,
    )
