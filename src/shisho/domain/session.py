"""A session of an assistant that is its own librarian: what it is shown, what it claims, what stands of it.
Only `StoredEvidence`, which never leaves the desk, carries ids."""

from __future__ import annotations

from dataclasses import dataclass

from shisho.domain.corpus import Citation, NumberedPassage, PassageHit, Scope
from shisho.domain.inquiry import (
    AnswerBlock,
    Evidence,
    EvidenceRef,
    GoalStatus,
    Sentence,
    Strategy,
    SupportedBy,
    SupportOutcome,
    list_sentences,
)


@dataclass(frozen=True, slots=True)
class SessionOpened:
    """A session as its assistant sees it: find evidence for each goal until the condition holds."""

    session_id: str
    strategy: Strategy
    goal_status: tuple[GoalStatus, ...]
    condition_met: bool


@dataclass(frozen=True, slots=True)
class RankedPassages:
    """Without a session: `passages` with their ids. With one: `shown`, passages by number, text and heading,
    and nothing else of the library. `exhausted`: every passage in scope was shown. `more`: the round goes on
    at `cursor`."""

    shown: tuple[NumberedPassage, ...] = ()
    passages: tuple[PassageHit, ...] = ()
    round: int = 0
    ranked: int = 0
    in_scope: int = 0
    exhausted: bool = False
    more: bool = False
    cursor: str | None = None


@dataclass(frozen=True, slots=True)
class FindingVerdict:
    """The verdict on one finding. `number` is its evidence's, None if it was refused; `snippet` is the stored
    text, `replaced` if the finding had other words; `reason` says why it was refused or what was done;
    `evidence` opens it."""

    index: int
    goal_id: str
    accepted: bool
    number: int | None
    snippet: str
    replaced: bool
    reason: str
    evidence: Evidence | None = None


@dataclass(frozen=True, slots=True)
class FindingVerdicts:
    """The verdicts on the findings, and where the condition stands after them."""

    findings: tuple[FindingVerdict, ...]
    goal_status: tuple[GoalStatus, ...]
    condition: str
    condition_met: bool


@dataclass(frozen=True, slots=True)
class CitedSentence:
    """One sentence of an assistant's answer with the evidence numbers it cites. `context`: the row and column
    of a cell."""

    text: str
    cites: tuple[int, ...] = ()
    context: str = ""


@dataclass(frozen=True, slots=True)
class SentenceRevision:
    """The outcome of one sentence, in order of writing: `kept`, `contradicted` by its quotations (taken out
    of the text and listed under it), or `removed` (nothing supports it). `support` is None for a frame and
    for a removed sentence; `by` says who vouches for it. `evidence` are the numbers it rests on, searched for
    if it cited none. `unknown` lists the numbers that were no evidence; `lacking` what its quotations do not
    say, or `unchecked` if the time of the call was up."""

    text: str
    became: str
    support: SupportOutcome | None
    evidence: tuple[int, ...]
    unknown: tuple[int, ...]
    lacking: tuple[str, ...]
    by: SupportedBy | None = None


@dataclass(frozen=True, slots=True)
class SupportCounts:
    """How many sentences of an answer came out how. `removed`: they cite nothing, and nothing was found that
    supports them. `by_judge`: of the supported ones, those that a model vouches for."""

    supported: int
    unverified: int
    contradicted: int
    removed: int
    by_judge: int = 0


@dataclass(frozen=True, slots=True)
class ComposedAnswer:
    """The verified answer: `text` with its numbers, and what each number opens."""

    answer_id: str
    text: str
    blocks: tuple[AnswerBlock, ...]
    evidence: tuple[Evidence, ...]
    mended: tuple[SentenceRevision, ...]
    counts: SupportCounts
    condition: str
    condition_met: bool
    goal_status: tuple[GoalStatus, ...]
    missing: tuple[str, ...]

    @property
    def sentences(self) -> tuple[Sentence, ...]:
        """Its sentences, as they stand in its blocks."""
        return list_sentences(self.blocks)


@dataclass(frozen=True, slots=True)
class PassageReading:
    """A passage word for word, with `context` neighbours on each side. `link` opens it; empty inside a
    session, and so are the document and the passage's `start` in its text."""

    text: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    heading: str
    title: str
    page: int | None
    link: str
    place: str = ""
    ocr: bool = False
    document: str = ""
    start: int = 0


@dataclass(frozen=True, slots=True)
class SessionFacts:
    """A session as it is stored. `room_tokens`: what a round shows at most, in tokens; 0: what is set."""

    id: str
    owner: str
    strategy: Strategy
    scope: Scope
    room_tokens: int = 0


@dataclass(frozen=True, slots=True)
class StoredEvidence:
    """Accepted evidence with what it opens."""

    ref: EvidenceRef
    citation: Citation
