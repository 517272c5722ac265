"""A question and its processing: goals, plan, evidence, answer.

Only Evidence and Answer carry ids; no type here knows k.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, replace
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
from shisho.records import dataclass


@dataclass(frozen=True, slots=True)
class Budget:
    """Ceilings, checked before they are spent.

    0 model calls or tokens: none may be used. `max_rounds` is counted again from zero after a web search.
    `max_seconds` limits working time and, separately, the longest wait for the web.
    """

    max_rounds: int = 3
    max_seconds: float = 120.0
    max_pages: int = 200
    max_model_calls: int = 8
    max_tokens: int = 60_000


def with_ceilings(budget: Budget, ceilings: Mapping[str, float | None]) -> Budget:
    """Return the budget with these ceilings instead of its own; None keeps one.

    Raises:
        TypeError: A name is unknown.
    """
    chosen = {name: most for name, most in ceilings.items() if most is not None}
    whole = {name: most if name == "max_seconds" else int(most) for name, most in chosen.items()}
    return replace(budget, **whole)  # type: ignore[arg-type]  # all but max_seconds are whole numbers


@dataclass(frozen=True, slots=True)
class PlannedSection:
    """A section in the outline of a report: its heading and its goals."""

    heading: str
    goals: tuple[Goal, ...]


@dataclass(frozen=True, slots=True)
class Strategy:
    """The goals of a question, and the boolean condition over them that ends the search.

    `kind`: the kind of answer; AUTO only in old stored strategies. `sections`: the outline of a report, whose
    sections are searched for one after the other.
    """

    question: str
    goals: tuple[Goal, ...]
    condition: str
    complexity: Complexity
    kind: RequestKind = RequestKind.AUTO
    sections: tuple[PlannedSection, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """The request of one round.

    `keyword_query`: the words of the question, by rules. `added_words`: additional words from a model.
    `read_around`: numbers of shown passages whose neighbours are shown first.
    """

    search_intent: str
    keyword_query: tuple[str, ...]
    vector_query: str
    reasoning: str
    filter_conditions: Mapping[str, Condition] = field(default_factory=dict)
    with_synonyms: bool = False
    added_words: tuple[str, ...] = ()
    read_around: tuple[int, ...] = ()


class WebPolicy(StrEnum):
    """When an inquiry searches the web.

    Never; first, for every goal before any document; or last, for the goals that the documents leave open.
    """

    NEVER = "never"
    FIRST = "first"
    LAST = "last"


@dataclass(frozen=True, slots=True)
class Inquiry:
    """A question with everything its run depends on, as the ledger stores it."""

    run_id: str
    question: str
    scope: Scope = field(default_factory=Scope)
    """Includes the user's filters, which no plan can drop."""
    budget: Budget = field(default_factory=Budget)
    task_id: str = ""
    """The task of the question, or "".

    The answer to a task's inquiry has the run's id, so that it can be named before it exists.
    """
    web_policy: WebPolicy = WebPolicy.NEVER
    folders: tuple[str, ...] = ()
    """Corpora that mirror folders of this machine. They are synced before the run starts or resumes."""
    conversation_id: str = ""
    """The conversation that the question continues.

    An empty one starts a new conversation, which has the run's id.
    """
    earlier: tuple[str, ...] = ()
    """The earlier questions of the conversation as they were understood, oldest first."""
    requirements: Requirements = NO_REQUIREMENTS


class StepText(NamedTuple):
    """A text that was shown to a step: `document text[start:start + len(text)] == text`.

    White space may differ in the document.
    """

    document_id: DocumentId
    start: int
    text: str


@dataclass(frozen=True, slots=True)
class RunStep:
    """A step of a run in the ledger.

    `output`: the node's result without the texts of passages. `texts`: those texts, in order.
    """

    number: int
    """From 1."""
    node: str
    input_hash: str
    """The hash of the node's name and input."""
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
    """Why the web gave less than requested.

    `not_asked`: nobody has said yet that words may be sent out.
    """

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
    """A query that was not searched completely; an empty query means the whole web.

    `detail`: the domain that needs a person, or the code of the error.
    """

    why: Gap
    query: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class WebResult:
    """The combined result of all web searches of an inquiry."""

    queries: tuple[WebQuery, ...] = ()
    """Queries that were sent."""
    pages: int = 0
    """The number of requested pages."""
    unsearched: tuple[UnsearchedQuery, ...] = ()
    """Gaps in the result, and their reasons."""
    rounds_before: int = 0
    """Rounds before the web search."""
    engines: tuple[tuple[str, str], ...] = ()
    """Which engine answered for which goal: (goal, engine)."""
    times: int = 1


class Stance(StrEnum):
    """The stance of a quotation towards its goal.

    It answers the goal, says that the answer is unknown or unpublished, or conflicts with another quotation,
    so that neither can be trusted.
    """

    ANSWERS = "answers"
    UNKNOWN = "says_unknown"
    CONFLICTS = "conflicts"


@dataclass(frozen=True, slots=True)
class Finding:
    """An unverified claim of Evaluate: a snippet of this passage answers this goal.

    `also`: numbers of other passages that say the same. `rule_score`: if a model read the passage, the
    score of these words by rules; 0 if they did not take them.
    """

    index: int
    goal_id: str
    snippet: str
    score: float
    stance: Stance = Stance.ANSWERS
    also: tuple[int, ...] = ()
    rule_score: float | None = None


@dataclass(frozen=True, slots=True)
class EvidenceRef:
    """Verified evidence as the librarian holds it: with a number instead of an id.

    `context`: the words right before it in its passage; for a table row, the header. `table_header`: the
    table's labels, if the heading lacks them. `same_as`: number of evidence with the same content from
    another document, 0 for none. `code`: lines of code. `passage`: the text of its passage, in which the
    snippet begins at `offset`. `rule_score`: see `Finding`.
    """

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
    rule_score: float | None = None


def build_evidence_ref(
    number: int,
    goal_id: str,
    citation: Citation,
    heading: str,
    score: float,
    round_: int,
) -> EvidenceRef:
    """Return a citation as numbered evidence for the librarian."""
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
    """How much was found.

    ANSWERED: a quotation answers. PARTIAL: quotations answer, but a goal lacks something, like items of a
    list. RELATED: the closest passages are quoted; they may not answer. NOTHING: nothing is quoted.
    """

    ANSWERED = "answered"
    PARTIAL = "partial"
    RELATED = "related"
    NOTHING = "nothing"


ANSWERING_LEVELS = frozenset({AnswerLevel.ANSWERED, AnswerLevel.PARTIAL})


def choose_best_level(levels: Iterable[AnswerLevel]) -> AnswerLevel:
    """Return the best of these, or NOTHING if there are none."""
    return min(levels, key=list(AnswerLevel).index, default=AnswerLevel.NOTHING)


class GoalState(StrEnum):
    """The state of a goal.

    COMPLETE: the goal lacks nothing. PARTIAL: some of it was found. OPEN: none was.
    """

    COMPLETE = "complete"
    PARTIAL = "partial"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class GoalJudgment:
    """A model's judgment of a goal over everything found, and its `missing` part."""

    goal_id: str
    state: GoalState
    missing: str = ""


@dataclass(frozen=True, slots=True)
class GoalStatus:
    """The progress of a goal.

    `evidence` and `sources` count what answers it. It is `met` if both counts reach its minimum and the
    model, if one judged it, called it complete. `missing`: the model's words.
    """

    goal_id: str
    evidence: int
    sources: int
    met: bool
    level: AnswerLevel
    state: GoalState = GoalState.OPEN
    missing: str = ""


class NextStep(StrEnum):
    """The next step of the loop, decided by Route."""

    CONTINUE = "CONTINUE"
    COMPLETE = "COMPLETE"
    ABSTAIN = "ABSTAIN"


@dataclass(frozen=True, slots=True)
class Judgment:
    """A model's judgment of everything read so far.

    `goals`: the judged goals. `read_around`: passages whose neighbours it wants to read. `status`: None if it
    gave none.
    """

    goals: tuple[GoalJudgment, ...] = ()
    read_around: tuple[int, ...] = ()
    status: NextStep | None = None
    next_focus: str = ""
    reason: str = ""


class LoopStop(StrEnum):
    """The reason why the loop ended."""

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
    """Route's decision.

    `next_focus`: the purpose of the next round, as a phrase or a goal's id. `loop_stop` is set unless the
    loop continues. `model_reason`: the model's reason, in the question's language.
    """

    status: NextStep
    next_focus: str
    judgment_reason: str
    loop_stop: LoopStop | None = None
    model_reason: str = ""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A quotation that opens: `text[start:end] == snippet` of the original document.

    `sha256` is the hash of the snippet's UTF-8 bytes. `snippet` is text of a document: data, never an
    instruction. `link` opens the quoted span, as far as the kind of document allows; `source_url` is the
    address of a web page. `source_state`: the current state of the document; a quotation of a document that
    is not live still opens but is not found by searches. `place`: its position in a document without pages:
    cells, a chapter. `ocr`: the words were recognised in a picture and may have wrong letters. `same_as`: the
    number of evidence with the same words in another document, 0 for none. `code`: lines of code, shown
    verbatim. `other_goals`: goals besides `goal_id` that the same words are evidence for.
    """

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
    other_goals: tuple[str, ...] = ()

    @property
    def goal_ids(self) -> tuple[str, ...]:
        """All goals that it is evidence for."""
        return (self.goal_id, *self.other_goals)


class SupportOutcome(StrEnum):
    """The outcome of checking a sentence against its quotations.

    SUPPORTED: they say it. UNVERIFIED: nothing contradicts it, but its wording is too far from theirs to be
    sure, or they are erased. CONTRADICTED: they say otherwise.
    """

    SUPPORTED = "supported"
    UNVERIFIED = "unverified"
    CONTRADICTED = "contradicted"


class SupportedBy(StrEnum):
    """The kind of support.

    QUOTATION: the sentence is one. CODE: it has the same words, figures and marks. JUDGE: a model has
    compared it with its quotations.
    """

    QUOTATION = "quotation"
    CODE = "code"
    JUDGE = "judge"


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of an answer with the numbers of its evidence.

    `support`: the outcome of its check. `by`: the kind of support. Both are None for a frame such as "In
    short:", which states no fact. Contradicted sentences are listed under the text of the answer.
    """

    text: str
    evidence: tuple[int, ...]
    support: SupportOutcome | None
    by: SupportedBy | None = None


@dataclass(frozen=True, slots=True)
class PassageMark:
    """A marked span: `text[start:end]` of a shown passage is the snippet of this evidence."""

    start: int
    end: int
    number: int


@dataclass(frozen=True, slots=True)
class AnswerPassage:
    """A passage that an answer without a model shows whole, with its best sentences marked.

    `start`: the offset of its text in the document. Its text is data, never an instruction. The librarian,
    which knows no document, leaves `document_id`, `title`, `page` and `start` to the citations.
    """

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
    """The role of a note by Shisho.

    It says how much was found, remarks on the evidence, or says what is missing.
    """

    OPENING = "opening"
    REMARK = "remark"
    CLOSING = "closing"


@dataclass(frozen=True, slots=True)
class AnswerNote:
    """Lines written by Shisho itself."""

    text: str
    role: NoteRole
    kind: Literal["note"] = "note"


@dataclass(frozen=True, slots=True)
class AnswerHeading:
    """A heading; it needs no source. `level`: 2 for a chapter, 3 below it."""

    text: str
    level: int = 2
    kind: Literal["heading"] = "heading"


@dataclass(frozen=True, slots=True)
class AnswerParagraph:
    """A paragraph of sentences, each with its evidence."""

    sentences: tuple[Sentence, ...]
    kind: Literal["paragraph"] = "paragraph"


@dataclass(frozen=True, slots=True)
class AnswerList:
    """A list of items, each with its evidence.

    `signs`: the label before each ("1.", "+"); empty for bullets. `is_source_list`: the items are the titles
    of cited documents, which count as no sentences.
    """

    items: tuple[Sentence, ...]
    signs: tuple[str, ...] = ()
    is_source_list: bool = False
    kind: Literal["list"] = "list"


@dataclass(frozen=True, slots=True)
class AnswerTable:
    """A table of cells, each with its evidence, under the labels of `header`."""

    header: tuple[str, ...]
    rows: tuple[tuple[Sentence, ...], ...]
    kind: Literal["table"] = "table"


@dataclass(frozen=True, slots=True)
class ContradictedSentences:
    """Sentences removed from the answer because the quotations they cite contradict them."""

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
    """Return the sentences, items and cells of an answer in order.

    Of passages, the marked sentences.
    """
    return tuple(sentence for block in blocks for sentence in _list_units(block))


def list_contradicted(blocks: Iterable[AnswerBlock]) -> tuple[Sentence, ...]:
    """Return the sentences that were left out because their quotations contradict them."""
    lists = (block.sentences for block in blocks if isinstance(block, ContradictedSentences))
    return tuple(sentence for sentences in lists for sentence in sentences)


def list_passages(blocks: Iterable[AnswerBlock]) -> tuple[AnswerPassage, ...]:
    """Return the passages that an answer shows whole."""
    return tuple(block for block in blocks if isinstance(block, AnswerPassage))


def is_written(blocks: Iterable[AnswerBlock]) -> bool:
    """Return whether an answer has sentences of its own, not only passages and notes."""
    return any(isinstance(block, AnswerParagraph | AnswerList | AnswerTable) for block in blocks)


def choose_quoted(sentences: Iterable[Sentence], printed: set[int]) -> list[int]:
    """Return the quotations to show under sentences that they may not support.

    Each is shown once, so `printed` grows.
    """
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
            return () if block.is_source_list else block.items
        case AnswerTable():
            return tuple(cell for row in block.rows for cell in row)
        case AnswerPassage():
            # A marked sentence supports itself: its text is the very slice that its number opens.
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
    """The answer that the visitor gets.

    `text` is `blocks` as plain text. `level` is that of its best goal, `partial` if an answered goal lacks
    something; `abstained`: nothing answers.
    `missing`: the unanswered goals, then the searches that were impossible, and why. `understood`: the
    question as it was understood, if that differs from its wording.
    """

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
        """The sentences, items and cells of the answer."""
        return list_sentences(self.blocks)

    @property
    def passages(self) -> tuple[AnswerPassage, ...]:
        """The passages shown whole. A written answer shows those of goals whose sources disagree."""
        return list_passages(self.blocks)
