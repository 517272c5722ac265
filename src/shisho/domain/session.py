"""The session of an assistant that is its own librarian: passages, claims and verdicts.

Only `StoredEvidence`, which never leaves the library, carries ids.
"""

from __future__ import annotations

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
from shisho.records import dataclass


@dataclass(frozen=True, slots=True)
class SessionOpened:
    """A session as its assistant sees it.

    The assistant finds evidence for each goal until the condition holds.
    """

    session_id: str
    strategy: Strategy
    goal_status: tuple[GoalStatus, ...]
    condition_met: bool


@dataclass(frozen=True, slots=True)
class RankedPassages:
    """The result of a search, with or without a session.

    Without one: `passages` with their ids. With one: `shown`, passages by number, text and heading, and no
    other data of the library. `exhausted`: every passage in scope was shown. `more`: the round continues at
    `cursor`.
    """

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
    """The verdict on one finding.

    `number` is its evidence's, None if it was rejected. `snippet` is the stored text; `replaced`: the finding
    had different words. `reason`: why it was rejected, or what was done. `evidence` opens it.
    """

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
    """The verdicts on the findings, and the state of the condition after them."""

    findings: tuple[FindingVerdict, ...]
    goal_status: tuple[GoalStatus, ...]
    condition: str
    condition_met: bool


@dataclass(frozen=True, slots=True)
class CitedSentence:
    """One sentence of an assistant's answer with the evidence numbers it cites.

    `context`: the row and column of a cell.
    """

    text: str
    cites: tuple[int, ...] = ()
    context: str = ""


@dataclass(frozen=True, slots=True)
class SentenceRevision:
    """The outcome of one sentence, in order of writing.

    `became`: `kept`, `contradicted` by its quotations (removed from the text and listed under it), or
    `removed` (unsupported). `support` is None for a frame and for a removed sentence; `by` is the kind of
    support. `evidence`: the numbers that support it, searched for if it cited none. `unknown`: the cited
    numbers that are not evidence. `lacking`: its claims that its quotations do not contain, or `unchecked` if
    the call timed out.
    """

    text: str
    became: str
    support: SupportOutcome | None
    evidence: tuple[int, ...]
    unknown: tuple[int, ...]
    lacking: tuple[str, ...]
    by: SupportedBy | None = None


@dataclass(frozen=True, slots=True)
class SupportCounts:
    """The number of sentences of an answer by outcome.

    `removed`: they cite nothing, and no evidence was found for them. `by_judge`: the supported ones that a
    model has checked.
    """

    supported: int
    unverified: int
    contradicted: int
    removed: int
    by_judge: int = 0


@dataclass(frozen=True, slots=True)
class ComposedAnswer:
    """The verified answer: `text` with its numbers, and the evidence of each number."""

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
        """The sentences in the order of the blocks."""
        return list_sentences(self.blocks)


@dataclass(frozen=True, slots=True)
class PassageReading:
    """A passage verbatim, with `context` neighbours on each side.

    `link` opens it. Inside a session, `link`, the document and the passage's `start` in its text are empty.
    """

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
    """A stored session. `room_tokens`: the most tokens a round shows; 0: as configured."""

    id: str
    owner: str
    strategy: Strategy
    scope: Scope
    room_tokens: int = 0


@dataclass(frozen=True, slots=True)
class StoredEvidence:
    """Accepted evidence with the citation that opens it."""

    ref: EvidenceRef
    citation: Citation
