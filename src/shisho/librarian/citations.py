"""Map numbers to citations: the physical side of a run, outside the librarian's state."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from shisho.domain.corpus import Citation
from shisho.domain.evidence import build_evidence
from shisho.domain.inquiry import Evidence, EvidenceRef, Goal, GoalJudgment, GoalState, GoalStatus
from shisho.librarian.levels import level_of_evidence, select_answering


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
            self._goal_status(
                goal, [ref for ref in evidence if ref.goal_id == goal.id], judgment_of_goal.get(goal.id)
            )
            for goal in goals
        )

    def _goal_status(
        self, goal: Goal, refs: Sequence[EvidenceRef], judgment: GoalJudgment | None
    ) -> GoalStatus:
        answering_refs = select_answering(refs)
        sources = self.sources(ref.number for ref in answering_refs)
        count = sum(not ref.same_as for ref in answering_refs)
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
        return tuple(build_evidence(answer_id, ref, self._taken[ref.number - 1]) for ref in refs)
