"""The events of a run while it makes an answer, and the steps reported to clients."""

from __future__ import annotations

from shisho.domain.event import Event, EventKind
from shisho.domain.inquiry import Verdict
from shisho.domain.job import Job, JobId
from shisho.domain.loop_state import LoopState
from shisho.domain.payloads import AnswerProgress, SearchProgress, describe_subject
from shisho.domain.task import JobKind
from shisho.domain.time import Instant
from shisho.records import dataclass


@dataclass(frozen=True, slots=True)
class StepTaken:
    """A completed node of the loop.

    `replayed`: its stored output was used. `change`: the part of the state that it changed.
    """

    node: str
    step: int
    replayed: bool
    change: LoopState


@dataclass(frozen=True, slots=True)
class StepForgotten:
    """A stored step that no longer fits. The run resumes from before it."""

    node: str
    step: int


@dataclass(frozen=True, slots=True)
class SentenceWritten:
    """A line of the answer: a checked line of a model, or a quotation chosen by rules.

    Lines arrive in no fixed order.
    """

    text: str


@dataclass(frozen=True, slots=True)
class ModelWaits:
    """A pause of so many seconds, because the model's provider accepts no calls.

    The run then retries.
    """

    seconds: float


RunNews = StepTaken | StepForgotten | SentenceWritten | ModelWaits


def ignore_news(news: object) -> None:
    """Discard the event."""


@dataclass(frozen=True, slots=True)
class AnswerStep:
    """One event of a question's job, or of a search job that it needs.

    `revision` orders the steps: later ones have higher numbers. `state` is the kind of event, `progress`
    while the job runs. For an answer's progress, `node` and `step` locate its loop, and `replayed` says that
    the step was stored before. For a search's progress there are counts of result pages, visited hits and
    documents. `sentence`: a checked line of a model, or a quotation chosen by rules; the lines arrive in no
    fixed order. None: unknown.
    """

    revision: int
    at: Instant
    job_id: JobId
    kind: str
    """`answer` or `search_queue`."""
    state: EventKind
    subject: str
    """The question, or the query of the search."""
    node: str | None = None
    step: int | None = None
    replayed: bool | None = None
    sentence: str | None = None
    verdict: Verdict | None = None
    """The verdict of the route step: whether the search continues, and why."""
    section: int | None = None
    """The current section of a report."""
    sections: int | None = None
    engine: str | None = None
    pages: int | None = None
    visited: int | None = None
    documents: int | None = None
    code: str | None = None
    """The code of the error that ended an attempt."""
    domain: str | None = None
    """The domain of a page that needs a person."""


def build_progress(news: RunNews) -> AnswerProgress:
    """Return the progress of an answer's job for an event of its run."""
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
    """Return the number of the section that a step begins, and the number of sections.

    Both are zero if it begins none.
    """
    sections = len(change["strategy"].sections) if "section" in change and "strategy" in change else 0
    number = change["section"].number if sections else 0
    return (number, sections) if number <= sections else (0, 0)


def build_answer_step(event: Event, job: Job) -> AnswerStep:
    """Return an event of a question's job, or of one of its searches, as a step."""
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
