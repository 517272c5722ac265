"""Verify evidence, number its sources, and map its scores to levels: answered, related or nothing.

Evidence must be a slice of a shown passage, and near-duplicates count once. The thresholds are here only.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from shisho.domain.corpus import Citation, DocumentId, NumberedPassage
from shisho.domain.evidence import build_evidence, group_by_number
from shisho.domain.inquiry import (
    AnswerLevel,
    Evidence,
    EvidenceRef,
    Finding,
    Goal,
    GoalJudgment,
    GoalState,
    GoalStatus,
    Stance,
)
from shisho.domain.place import split_cells
from shisho.language import answer_language
from shisho.language.display import join_lines
from shisho.language.normalise import View, fold_with_map
from shisho.language.numbers import find_figures
from shisho.language.sentences import split_sentences as sentence_spans
from shisho.language.table_headers import label_table_header
from shisho.messages.catalogue import translate_word
from shisho.records import dataclass

if TYPE_CHECKING:
    import numpy as np

CHARS_PER_EDIT = 10  # of a snippet: one in ten may differ from the stored text
MIN_SIMILARITY = 0.95  # similarity from which two snippets count as one
MAX_SNIPPET = 2_000  # characters; a longer quotation is rejected
MAX_PASSAGE = 10_000
MAX_CONTEXT = 160  # characters
MIN_CONTEXT = 4  # letters and figures: less is the label of an item (A4.)
MIN_CELLS = 3  # of a line that counts as a row of a table
ANSWERING_SCORE = 0.5  # a sentence with this score answers its goal
RELATED = 0.03  # below ANSWERING_SCORE, but worth showing


@dataclass(frozen=True, slots=True)
class VerifiedQuote:
    """A verified quotation: `snippet` is `text[start:end]` of the shown passage `index`.

    `replaced`: the finding had other words.
    """

    index: int
    start: int
    end: int
    snippet: str
    replaced: bool


def verify(finding: Finding, passages: Sequence[NumberedPassage]) -> VerifiedQuote | None:
    """Find the finding in the stored text: exactly, else folded, else aligned.

    None rejects it.
    """
    passage = next((passage for passage in passages if passage.temp_index == finding.index), None)
    snippet = finding.snippet.strip()
    if passage is None or not is_informative(snippet) or len(snippet) > MAX_SNIPPET:
        return None
    whole = f"{passage.text}{passage.after}"
    is_code = snippet == passage.code_after.strip() != ""
    at = whole.find(snippet, len(passage.text) if is_code else 0)
    overleaf = passage.overleaf.find(snippet) if at < 0 else -1
    if overleaf >= 0:
        at = len(whole) + overleaf
    if 0 <= at < len(passage.text) or is_code or overleaf >= 0:
        return VerifiedQuote(finding.index, at, at + len(snippet), snippet, False)
    span = _locate(snippet, passage.text[:MAX_PASSAGE])
    if span is None:
        return None
    kept_text = passage.text[span[0] : span[1]]
    return VerifiedQuote(finding.index, *span, kept_text, True) if kept_text.strip() else None


def is_informative(snippet: str) -> bool:
    """Return whether these words can be a quotation.

    A mark (「。」) or a single letter is too common.
    """
    letters = [letter for letter in snippet if letter.isalnum()]
    return len(letters) > 1 or any(letter.isnumeric() for letter in letters)


def context_of(text: str, start: int) -> str:
    """Return the context of a quotation that begins here.

    Its table's first row, else the sentence before.

    Empty at the beginning.
    """
    before = text[:start].rstrip()
    if not before:
        return ""
    line = text[start:].split("\n", 1)[0]
    mark = next((mark for mark in "|\t," if line.count(mark) >= MIN_CELLS - 1), "")
    rows: list[str] = []
    for row in reversed(before.split("\n")) if mark else ():
        if row.count(mark) < MIN_CELLS - 1:
            break
        rows.append(row)
    if rows:
        return join_lines(rows[-1])[:MAX_CONTEXT]
    sentences = (join_lines(before[begins:ends]) for begins, ends in reversed(sentence_spans(before)[-3:]))
    informative = (sentence for sentence in sentences if sum(map(str.isalnum, sentence)) >= MIN_CONTEXT)
    return next(informative, "")[-MAX_CONTEXT:]


def with_table_header(ref: EvidenceRef, citation: Citation, question: str) -> EvidenceRef:
    """Add the header of its table to a row of evidence.

    The header becomes its context; the labels are also named in the question's language, unless the heading
    has them.
    """
    # Rows of a sheet already contain the labels of their columns.
    if not citation.header or citation.code or split_cells(citation.place) is not None:
        return ref
    context = "\n".join(join_lines(row)[:MAX_CONTEXT] for row in citation.header.split("\n"))
    labels = label_table_header(citation.header)
    table_header = (
        ""
        if labels in ref.heading
        else translate_word("table_header", answer_language(question), text=labels)
    )
    return replace(ref, context=context, table_header=table_header)


def is_near_duplicate(first: str, other: str) -> bool:
    """Return whether two snippets are near-duplicates under folding.

    One contains the other, or they are similar at 0.95 with the same figures.
    """
    a, b = sorted((_fold_dense(first)[0], _fold_dense(other)[0]), key=len)
    if a in b:
        return bool(a)
    if len(a) < MIN_SIMILARITY * len(b) or len(b) > MAX_SNIPPET or find_figures(first) != find_figures(other):
        return False
    return int(_compute_distances(a, b).min()) <= (1 - MIN_SIMILARITY) * len(b)


def _fold_dense(text: str) -> tuple[str, list[int], View]:
    """Return the folded text without white space, and each character's view position."""
    view = fold_with_map(text)
    places = [place for place, char in enumerate(view.text) if not char.isspace()]
    return "".join(_lower(view.text[place]) for place in places), places, view


def _lower(char: str) -> str:
    # İ would become two characters and shift every later position by one.
    lowered = char.lower()
    return lowered if len(lowered) == 1 else char


def _locate(snippet: str, text: str) -> tuple[int, int] | None:
    wanted_text, _, _ = _fold_dense(snippet)
    stored, places, view = _fold_dense(text)
    at = stored.find(wanted_text) if wanted_text else -1
    span = (at, at + len(wanted_text)) if at >= 0 else _align(wanted_text, stored)
    if span is None:
        return None
    return view.locate_original(places[span[0]], places[span[1] - 1] + 1)


def _align(wanted_text: str, stored: str) -> tuple[int, int] | None:
    """Return the span of `stored` closest by edit distance, if at most a tenth differs."""
    allowed = len(wanted_text) // CHARS_PER_EDIT
    if allowed == 0:
        return None
    ends = _compute_distances(wanted_text, stored)
    end = int(ends.argmin())
    if ends[end] > allowed:
        return None
    starts = _compute_distances(wanted_text[::-1], stored[:end][::-1])
    return end - int(starts.argmin()), end


def _compute_distances(wanted_text: str, stored: str) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    """Return the edit distance to the best substring of `stored` that ends at each position.

    Computed row by row (Sellers 1980).
    """
    import numpy as np  # imported here, as a server starts without it

    codes = np.frombuffer(stored.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    steps = np.arange(len(codes) + 1, dtype=np.int32)
    row = np.zeros(len(codes) + 1, dtype=np.int32)
    for count, char in enumerate(wanted_text, 1):
        above = row + 1
        above[0] = count
        above[1:] = np.minimum(above[1:], row[:-1] + (codes != ord(char)))
        row = np.minimum.accumulate(above - steps) + steps
    return row


def level_of_evidence(refs: Iterable[EvidenceRef]) -> AnswerLevel:
    """Return the level of a goal with this evidence. Any evidence at all is related."""
    of_goal = list(refs)
    if not of_goal:
        return AnswerLevel.NOTHING
    return AnswerLevel.ANSWERED if select_answering(of_goal) else AnswerLevel.RELATED


def select_answering(refs: Sequence[EvidenceRef]) -> list[EvidenceRef]:
    """Return the answering evidence of a goal.

    Without evidence that the answer is unknown; empty if the sources contradict each other.
    """
    if stance_of(refs) is Stance.CONFLICTS:
        return []
    return [ref for ref in refs if ref.score >= ANSWERING_SCORE and ref.stance is Stance.ANSWERS]


def stance_of(refs: Sequence[EvidenceRef]) -> Stance:
    """Return the combined stance of all evidence of one goal."""
    stances = {ref.stance for ref in refs if ref.score >= ANSWERING_SCORE}
    if Stance.CONFLICTS in stances:
        return Stance.CONFLICTS
    is_unknown = Stance.UNKNOWN in stances and Stance.ANSWERS not in stances
    return Stance.UNKNOWN if is_unknown else Stance.ANSWERS


class Citations:
    """The evidence numbers, from 1, and their sources."""

    def __init__(self) -> None:
        self._taken: list[Citation] = []

    def __len__(self) -> int:
        return len(self._taken)

    def take(self, citation: Citation) -> int:
        """Add a citation and return its number."""
        self._taken.append(citation)
        return len(self._taken)

    def find(self, citation: Citation) -> int:
        """Return the number of a citation of the same span, 0 for none."""
        for number, taken in enumerate(self._taken, 1):
            if _locate_span(taken) == _locate_span(citation):
                return number
        return 0

    def list_since(self, number: int) -> tuple[Citation, ...]:
        """Return the citations after this number."""
        return tuple(self._taken[number:])

    def status(
        self, goals: Iterable[Goal], evidence: Sequence[EvidenceRef], judgments: Iterable[GoalJudgment] = ()
    ) -> tuple[GoalStatus, ...]:
        """Return the progress of each goal.

        Its answering evidence, the number of its independent sources, and a model's judgment, if there is
        one.
        """
        judgment_of_goal = {judgment.goal_id: judgment for judgment in judgments}
        return tuple(
            self._judge_goal(
                goal, [ref for ref in evidence if ref.goal_id == goal.id], judgment_of_goal.get(goal.id)
            )
            for goal in goals
        )

    def _judge_goal(
        self, goal: Goal, refs: Sequence[EvidenceRef], judgment: GoalJudgment | None
    ) -> GoalStatus:
        answering_refs = select_answering(refs)
        sources = self.sources(ref.number for ref in answering_refs)
        count = len({ref.number for ref in answering_refs if not ref.same_as})
        is_enough = count >= goal.min_evidence and sources >= goal.min_sources
        met = is_enough and (judgment is None or judgment.state is GoalState.COMPLETE)
        return GoalStatus(
            goal_id=goal.id,
            evidence=count,
            sources=sources,
            met=met,
            level=level_of_evidence(refs),
            state=GoalState.COMPLETE if met else GoalState.PARTIAL if count else GoalState.OPEN,
            missing=judgment.missing if judgment and not met else "",
        )

    def sources(self, numbers: Iterable[int]) -> int:
        """Return the number of independent sources of these citations.

        A document is one source, and so are all pages of a site, and near-duplicates.
        """
        groups: list[set[str]] = []
        for number in numbers:
            citation = self._taken[number - 1]
            marks = {f"document {citation.document_id}"}
            marks |= {
                f"{kind} {name}"
                for kind, name in (("cluster", citation.cluster), ("site", citation.site))
                if name
            }
            joined = [group for group in groups if group & marks]
            groups = [group for group in groups if not group & marks] + [marks.union(*joined)]
        return len(groups)

    def evidence(self, answer_id: str, refs: Sequence[EvidenceRef]) -> tuple[Evidence, ...]:
        """Return the rows of an answer: each number with its source."""
        return tuple(
            build_evidence(answer_id, same, self._taken[number - 1])
            for number, same in group_by_number(refs).items()
        )


def _locate_span(citation: Citation) -> tuple[DocumentId, int, int]:
    return citation.document_id, citation.start, citation.end


def is_by_rules(ref: EvidenceRef) -> bool:
    """Return whether rules took this evidence from a passage of which a model took other words."""
    return ref.rule_score is not None and 0 < ref.rule_score == ref.score
