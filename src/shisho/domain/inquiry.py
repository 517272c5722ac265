"""A question and what becomes of it: goals, plan, evidence, answer. Only Evidence and Answer carry ids;
nothing knows k."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Literal, NamedTuple

from shisho.domain.codec import Payload
from shisho.domain.corpus import (
    Citation,
    Complexity,
    Condition,
    DocumentId,
    DocumentState,
    PassageId,
    Scope,
)
from shisho.domain.model import ModelUse
from shisho.domain.requirements import NO_REQUIREMENTS, RequestKind, Requirements
from shisho.domain.requirements import Goal as Goal
from shisho.domain.time import Instant


@dataclass(frozen=True, slots=True)
class Budget:
    """Ceilings, checked before they are spent. 0 model calls or tokens means none may be used. `max_rounds`
    counts anew once the web was searched; `max_seconds` is of work, and by itself the longest wait for the
    web."""

    max_rounds: int = 3
    max_seconds: float = 120.0
    max_pages: int = 200
    max_model_calls: int = 8
    max_tokens: int = 60_000


def with_ceilings(budget: Budget, ceilings: Mapping[str, float | None]) -> Budget:
    """The budget with these instead of its own; None leaves one as it is. Raises TypeError for an unknown
    name."""
    chosen = {name: most for name, most in ceilings.items() if most is not None}
    whole = {name: most if name == "max_seconds" else int(most) for name, most in chosen.items()}
    return replace(budget, **whole)  # type: ignore[arg-type]  # all but max_seconds are whole numbers


@dataclass(frozen=True, slots=True)
class PlannedSection:
    """A section of a report in its outline: its heading, and the goals that are looked for in its turn."""

    heading: str
    goals: tuple[Goal, ...]


@dataclass(frozen=True, slots=True)
class Strategy:
    """The goals of a question, and the boolean condition over them that ends the search. `kind`: of answer
    that is wanted, AUTO only in what was stored before it was kept. `sections`: the outline of a report; its
    sections are looked for one after the other."""

    question: str
    goals: tuple[Goal, ...]
    condition: str
    complexity: Complexity
    kind: RequestKind = RequestKind.AUTO
    sections: tuple[PlannedSection, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """One round's request. `keyword_query`: the words of the question, by rules; `added_words`: what a model
    looks for besides; `read_around`: numbers of shown passages whose neighbours are shown first."""

    search_intent: str
    keyword_query: tuple[str, ...]
    vector_query: str
    reasoning: str
    filter_conditions: Mapping[str, Condition] = field(default_factory=dict)
    with_synonyms: bool = False
    added_words: tuple[str, ...] = ()
    read_around: tuple[int, ...] = ()


class WebPolicy(StrEnum):
    """When an inquiry goes to the web: not at all, for every goal before it looks at anything, or for the
    goals still open once the documents have had their say."""

    NEVER = "never"
    FIRST = "first"
    LAST = "last"


@dataclass(frozen=True, slots=True)
class Inquiry:
    """A question with all that its run depends on, as the ledger keeps it."""

    run_id: str
    question: str
    scope: Scope = field(default_factory=Scope)
    """With the user's filters: no plan can drop them."""
    budget: Budget = field(default_factory=Budget)
    task_id: str = ""
    """The task that the question belongs to, "" for none. Of a task's inquiry the answer bears the run's id,
    so that it can be named before it is there."""
    web_policy: WebPolicy = WebPolicy.NEVER
    folders: tuple[str, ...] = ()
    """Corpora that mirror folders of this machine: brought up to date before the run begins or goes on."""
    conversation_id: str = ""
    """The conversation that the question goes on with; "" where it begins its own, which bears the run's
    id."""
    earlier: tuple[str, ...] = ()
    """The questions before it there, as they were understood, oldest first."""
    requirements: Requirements = NO_REQUIREMENTS


class StepText(NamedTuple):
    """A text that a step was shown: `document text[start:start + len(text)] == text`, unless the document has
    other white space there."""

    document_id: DocumentId
    start: int
    text: str


@dataclass(frozen=True, slots=True)
class RunStep:
    """A step of a run as the ledger keeps it. `output`: what the node gave, without the texts of passages;
    `texts`: those texts, in their order."""

    number: int
    """From 1."""
    node: str
    input_hash: str
    """Of the node's name and what it was given."""
    output: Payload
    texts: tuple[str, ...]
    at: Instant


@dataclass(frozen=True, slots=True)
class WebQuery:
    """A query to a search engine for a goal. `language` is a two-letter code."""

    goal_id: str
    text: str
    language: str
    without: tuple[str, ...] = ()


class Gap(StrEnum):
    """Why the web brought less than it was asked for. `not_asked`: nobody has said that words may go out."""

    NO_WAY = "no_way"
    OFF = "off"
    NOT_ASKED = "not_asked"
    PERSON = "person"
    FAILED = "failed"
    UNFINISHED = "unfinished"
    BUDGET = "budget"
    QUOTA = "quota"


@dataclass(frozen=True, slots=True)
class UnsearchedQuery:
    """A query that was not searched to its end, none: the whole web. `detail`: the domain that wants a
    person, or the code of the error."""

    why: Gap
    query: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class WebResult:
    """The result of going to the web, over all times that it was asked."""

    queries: tuple[WebQuery, ...] = ()
    """Asked of it."""
    pages: int = 0
    """How many pages were asked for."""
    unsearched: tuple[UnsearchedQuery, ...] = ()
    """What is lacking, and why."""
    rounds_before: int = 0
    """Rounds that there had been before."""
    engines: tuple[tuple[str, str], ...] = ()
    """Which engine has answered for which goal: (goal, engine)."""
    times: int = 1


class Stance(StrEnum):
    """The stance of a quotation towards its goal: it answers it, it says that the answer is not known or not
    published, or it stands against another quotation, so that neither can be believed."""

    ANSWERS = "answers"
    UNKNOWN = "says_unknown"
    CONFLICTS = "conflicts"


@dataclass(frozen=True, slots=True)
class Finding:
    """A claim of Evaluate, not yet verified: a snippet of the passage with this number speaks to this goal.
    `also`: numbers of other passages that say the same."""

    index: int
    goal_id: str
    snippet: str
    score: float
    stance: Stance = Stance.ANSWERS
    also: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class EvidenceRef:
    """Verified evidence as the librarian holds it: a number instead of an id. `context`: the words right
    before it in its passage, of a row the header of its table. `table_header`: its labels, named as such,
    if the heading does not have them. `same_as`: the number of evidence that says the same, from another
    document, 0 for none. `code`: lines for a machine. `passage`: the text of its passage, in which the
    snippet begins at `offset`."""

    number: int
    goal_id: str
    snippet: str
    heading: str
    score: float
    round: int
    place: str = ""
    ocr: bool = False
    stance: Stance = Stance.ANSWERS
    context: str = ""
    same_as: int = 0
    code: bool = False
    table_header: str = ""
    passage: str = ""
    offset: int = 0


def build_evidence_ref(
    number: int,
    goal_id: str,
    citation: Citation,
    heading: str,
    score: float,
    round_: int,
) -> EvidenceRef:
    """A citation as the librarian holds it, under its number."""
    return EvidenceRef(
        number=number,
        goal_id=goal_id,
        snippet=citation.snippet,
        heading=heading,
        score=score,
        round=round_,
        place=citation.place,
        ocr=citation.ocr,
        code=citation.code,
    )


class AnswerLevel(StrEnum):
    """How much was found. ANSWERED: a quotation answers. RELATED: the closest passages are quoted, which may
    not answer. NOTHING: nothing is quoted."""

    ANSWERED = "answered"
    RELATED = "related"
    NOTHING = "nothing"


def choose_best_level(levels: Iterable[AnswerLevel]) -> AnswerLevel:
    """Return the best of these, or NOTHING if there are none."""
    return min(levels, key=list(AnswerLevel).index, default=AnswerLevel.NOTHING)


class GoalState(StrEnum):
    """COMPLETE: nothing of the goal is missing. PARTIAL: something of it was found. OPEN: nothing was."""

    COMPLETE = "complete"
    PARTIAL = "partial"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class GoalJudgment:
    """A model's judgment of a goal over all that was found, and what is `missing` of it."""

    goal_id: str
    state: GoalState
    missing: str = ""


@dataclass(frozen=True, slots=True)
class GoalStatus:
    """The progress of a goal. `evidence` and `sources` count what answers it. It is `met` if it has as many
    as it wants and, where a model has judged it, if that called it complete. `missing`: by the model."""

    goal_id: str
    evidence: int
    sources: int
    met: bool
    level: AnswerLevel
    state: GoalState = GoalState.OPEN
    missing: str = ""


class NextStep(StrEnum):
    """Where Route sends the loop."""

    CONTINUE = "CONTINUE"
    COMPLETE = "COMPLETE"
    ABSTAIN = "ABSTAIN"


@dataclass(frozen=True, slots=True)
class Judgment:
    """A model's judgment of all that was read so far. `goals`: of all goals that it has judged;
    `read_around`: passages whose neighbours it wants to read; `status`: None if it gave none."""

    goals: tuple[GoalJudgment, ...] = ()
    read_around: tuple[int, ...] = ()
    status: NextStep | None = None
    next_focus: str = ""
    reason: str = ""


class LoopStop(StrEnum):
    """Why the loop ended."""

    CONDITION_MET = "CONDITION_MET"
    ROUNDS = "ROUNDS"
    PAGES = "PAGES"
    SECONDS = "SECONDS"
    MODEL_CALLS = "MODEL_CALLS"
    TOKENS = "TOKENS"
    STAGNATION = "STAGNATION"
    EXHAUSTED = "EXHAUSTED"
    STOPPED = "STOPPED"
    MODEL_FAILED = "MODEL_FAILED"


@dataclass(frozen=True, slots=True)
class Verdict:
    """Route's decision. `next_focus`: what the next round is for, in a phrase or as a goal's id; `loop_stop`
    is set unless the loop goes on. `model_reason`: why a model wants it so, in the question's language."""

    status: NextStep
    next_focus: str
    judgment_reason: str
    loop_stop: LoopStop | None = None
    model_reason: str = ""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A quotation that opens: `text[start:end] == snippet` of the original document, sha256 of the snippet's
    UTF-8 bytes. `snippet` is words of a document: data, never an instruction. `link` opens it on its span, as
    far as its kind of document allows; `source_url` is the address of a web page. `source_state`: what has
    become of the document since; a quotation of one that is not live still opens, and is found no more.
    `place` says where it stands in what has no pages: cells, a chapter; `ocr`: the words were recognised in a
    picture and may have wrong letters. `same_as`: the number of the evidence that has the same words in
    another document, 0 for none. `code`: lines for a machine, shown as they stand."""

    id: str
    number: int
    goal_id: str
    document_id: DocumentId
    document: str
    title: str
    heading: str
    page: int | None
    start: int
    end: int
    snippet: str
    sha256: str
    score: float
    round: int
    source_url: str | None = None
    link: str = ""
    source_state: DocumentState = DocumentState.LIVE
    place: str = ""
    ocr: bool = False
    stance: Stance = Stance.ANSWERS
    same_as: int = 0
    code: bool = False
    passage_id: PassageId = field(default=PassageId(""))


class SupportOutcome(StrEnum):
    """The outcome of checking a sentence against its quotations. SUPPORTED: they say it. UNVERIFIED:
    nothing contradicts it, but its wording is too far from theirs to be sure, or they are erased.
    CONTRADICTED: they say otherwise."""

    SUPPORTED = "supported"
    UNVERIFIED = "unverified"
    CONTRADICTED = "contradicted"


class SupportedBy(StrEnum):
    """The kind of support. QUOTATION: the sentence is one. CODE: it has the same words, figures and marks.
    JUDGE: a model has read it beside its quotations."""

    QUOTATION = "quotation"
    CODE = "code"
    JUDGE = "judge"


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of an answer with the numbers of its evidence. `support`: the outcome of its check, and
    `by` the kind of support; None for a frame such as "In short:", which tells nothing. A contradicted one is
    listed under the text of the answer."""

    text: str
    evidence: tuple[int, ...]
    support: SupportOutcome | None
    by: SupportedBy | None = None


@dataclass(frozen=True, slots=True)
class PassageMark:
    """`text[start:end]` of a shown passage is the snippet of the evidence with this number."""

    start: int
    end: int
    number: int


@dataclass(frozen=True, slots=True)
class AnswerPassage:
    """A passage that an answer without a model shows whole, with its best sentences marked.

    `start`: where its text begins in the document. Words of a document: data, never an instruction. The
    librarian, which knows no document, leaves `document_id`, `title`, `page` and `start` to the citations."""

    goal_id: str
    heading: str
    text: str
    marks: tuple[PassageMark, ...]
    code: bool = False
    document_id: DocumentId = field(default=DocumentId(""))
    title: str = ""
    page: int | None = None
    start: int = 0
    kind: Literal["passage"] = "passage"


class NoteRole(StrEnum):
    """What a line of the product itself says: how much was found, a remark on the evidence, or what is
    missing."""

    OPENING = "opening"
    REMARK = "remark"
    CLOSING = "closing"


@dataclass(frozen=True, slots=True)
class AnswerNote:
    """Lines of the product itself."""

    text: str
    role: NoteRole
    kind: Literal["note"] = "note"


@dataclass(frozen=True, slots=True)
class AnswerHeading:
    """A heading; it says nothing that a source would have to carry. `level`: 2 for a chapter, 3 below it."""

    text: str
    level: int = 2
    kind: Literal["heading"] = "heading"


@dataclass(frozen=True, slots=True)
class AnswerParagraph:
    """Sentences, each with its evidence."""

    sentences: tuple[Sentence, ...]
    kind: Literal["paragraph"] = "paragraph"


@dataclass(frozen=True, slots=True)
class AnswerList:
    """Items, each with its evidence. `signs`: what stands before each ("1.", "+"); empty for bullets."""

    items: tuple[Sentence, ...]
    signs: tuple[str, ...] = ()
    kind: Literal["list"] = "list"


@dataclass(frozen=True, slots=True)
class AnswerTable:
    """Rows of cells, each cell with its evidence, under the labels of `header`."""

    header: tuple[str, ...]
    rows: tuple[tuple[Sentence, ...], ...]
    kind: Literal["table"] = "table"


@dataclass(frozen=True, slots=True)
class ContradictedSentences:
    """What was written and then left out, because the quotations it cites contradict it."""

    sentences: tuple[Sentence, ...]
    kind: Literal["contradicted"] = "contradicted"


AnswerBlock = (
    AnswerHeading
    | AnswerParagraph
    | AnswerList
    | AnswerTable
    | AnswerPassage
    | ContradictedSentences
    | AnswerNote
)


def list_sentences(blocks: Iterable[AnswerBlock]) -> tuple[Sentence, ...]:
    """Return the sentences, items and cells of an answer in their order; of passages the marked sentences."""
    return tuple(sentence for block in blocks for sentence in _list_units(block))


def list_contradicted(blocks: Iterable[AnswerBlock]) -> tuple[Sentence, ...]:
    """Return the sentences that were left out because their quotations contradict them."""
    lists = (block.sentences for block in blocks if isinstance(block, ContradictedSentences))
    return tuple(sentence for sentences in lists for sentence in sentences)


def list_passages(blocks: Iterable[AnswerBlock]) -> tuple[AnswerPassage, ...]:
    """Return the passages that an answer shows whole."""
    return tuple(block for block in blocks if isinstance(block, AnswerPassage))


def is_written(blocks: Iterable[AnswerBlock]) -> bool:
    """Return whether an answer has sentences of its own, and not only passages and notes."""
    return any(isinstance(block, AnswerParagraph | AnswerList | AnswerTable) for block in blocks)


def choose_quoted(sentences: Iterable[Sentence], printed: set[int]) -> list[int]:
    """Return the numbers of quotations to show beneath sentences that they may not carry: each once, so
    `printed` grows."""
    doubted = (sentence for sentence in sentences if sentence.support not in (None, SupportOutcome.SUPPORTED))
    numbers = dict.fromkeys(number for sentence in doubted for number in sentence.evidence)
    fresh = [number for number in numbers if number not in printed]
    printed.update(fresh)
    return fresh


def _list_units(block: AnswerBlock) -> tuple[Sentence, ...]:
    match block:
        case AnswerParagraph():
            return block.sentences
        case AnswerList():
            return block.items
        case AnswerTable():
            return tuple(cell for row in block.rows for cell in row)
        case AnswerPassage():
            # A marked sentence carries itself: its text is the very slice that its number opens.
            return tuple(
                Sentence(
                    block.text[mark.start : mark.end],
                    (mark.number,),
                    SupportOutcome.SUPPORTED,
                    SupportedBy.QUOTATION,
                )
                for mark in block.marks
            )
        case _:
            return ()


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer that the visitor gets. `text` is `blocks` as plain text. `level` is that of its best goal;
    `abstained` says that it is not `answered`; `missing` names what is not answered, and after that what
    could not be searched for it, and why. `understood`: how the question was read, if it was not read as it
    was put."""

    id: str
    task_id: str
    question: str
    text: str
    blocks: tuple[AnswerBlock, ...]
    evidence: tuple[Evidence, ...]
    condition: str
    goals: tuple[Goal, ...]
    goal_status: tuple[GoalStatus, ...]
    loop_stop: LoopStop
    rounds: int
    budget_used: Mapping[str, float]
    level: AnswerLevel
    abstained: bool
    missing: tuple[str, ...]
    model: str
    created_at: Instant
    understood: str = ""
    conversation_id: str = ""
    model_uses: tuple[ModelUse, ...] = ()
    """Each use of a model, in order, without its replies."""

    @property
    def sentences(self) -> tuple[Sentence, ...]:
        """Its sentences, items and cells."""
        return list_sentences(self.blocks)

    @property
    def passages(self) -> tuple[AnswerPassage, ...]:
        """The passages that it shows whole. A written answer shows those of goals whose sources disagree."""
        return list_passages(self.blocks)
