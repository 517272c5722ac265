"""The progress of goals: how much evidence, from how many sources that don't depend on each other."""

from __future__ import annotations

from shisho.domain.corpus import Citation, DocumentId, PassageId
from shisho.domain.inquiry import AnswerLevel, EvidenceRef, Goal, GoalJudgment, GoalState, Stance
from shisho.librarian.evidence import Citations
from tests.tables import each_row

GOAL = Goal("G1", "幅はいくらか")
COMPLETE, PARTIAL = GoalState.COMPLETE, GoalState.PARTIAL


def cite(document: str, cluster: str = "", site: str = "") -> Citation:
    words = ("棚の幅", "0" * 64)
    return Citation(DocumentId(document), "", "", 1, 0, 3, *words, PassageId(document), cluster, site)


def make_ref(
    number: int, score: float = 0.9, stance: Stance = Stance.ANSWERS, same_as: int = 0
) -> EvidenceRef:
    return EvidenceRef(number, "G1", "棚の幅", "", score, 1, stance=stance, same_as=same_as)


@each_row(
    ("citations", "sources"),
    [
        ([cite("a"), cite("a")], 1),
        ([cite("a"), cite("b")], 2),
        ([cite("a", "copy"), cite("b", "copy")], 1),
        ([cite("a", site="a.example"), cite("b", site="a.example")], 1),
        ([cite("a", "one", "a.example"), cite("b", "two", "b.example")], 2),
        ([cite("a", "one"), cite("b", "two", "b.example"), cite("c", "one", "b.example")], 1),
    ],
)
def test_what_copies_each_other_or_is_of_one_site_is_one_source(
    citations: list[Citation], sources: int
) -> None:
    held = Citations()
    assert [held.take(each) for each in citations] == list(range(1, len(citations) + 1))
    assert held.sources(range(1, len(citations) + 1)) == sources
    assert held.list_since(1) == tuple(citations[1:])


@each_row(
    ("goal", "judged", "state", "is_met"),
    [
        (GOAL, None, COMPLETE, True),
        (GOAL, COMPLETE, COMPLETE, True),
        (GOAL, PARTIAL, PARTIAL, False),
        (Goal("G1", "幅", min_evidence=3), None, PARTIAL, False),
        (Goal("G1", "幅", min_evidence=3), COMPLETE, PARTIAL, False),
        (Goal("G1", "幅", min_sources=2), COMPLETE, COMPLETE, True),
        (Goal("G1", "幅", min_sources=3), None, PARTIAL, False),
    ],
)
def test_a_goal_is_met_by_its_evidence_and_by_the_judgment_of_it(
    goal: Goal, judged: GoalState | None, state: GoalState, is_met: bool
) -> None:
    held = Citations()
    refs = [make_ref(held.take(cite("a"))), make_ref(held.take(cite("b")))]
    judgments = [] if judged is None else [GoalJudgment("G1", judged, "the depth")]
    (status,) = held.status([goal], refs, judgments)
    assert (status.met, status.state, status.evidence, status.sources) == (is_met, state, 2, 2)
    assert status.missing == ("the depth" if judged and not is_met else "")


def test_only_what_answers_counts_and_a_copy_counts_once() -> None:
    held = Citations()
    near = make_ref(held.take(cite("a")), score=0.4)
    (status,) = held.status([GOAL], [near])
    assert (status.evidence, status.level, status.state) == (0, AnswerLevel.RELATED, GoalState.OPEN)
    answers, copy = make_ref(held.take(cite("b"))), make_ref(held.take(cite("c")), same_as=2)
    (status,) = held.status([GOAL], [near, answers, copy])
    assert (status.evidence, status.sources, status.level) == (1, 2, AnswerLevel.ANSWERED)
    conflict = make_ref(held.take(cite("d")), stance=Stance.CONFLICTS)
    (status,) = held.status([GOAL], [answers, conflict])
    assert (status.evidence, status.met) == (0, False)
    (status,) = held.status([Goal("G2", "other")], [answers])
    assert (status.evidence, status.level) == (0, AnswerLevel.NOTHING)
