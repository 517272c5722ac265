"""Turn findings into evidence: verified in the passage, quoted from the document, and numbered."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from shisho.domain.inquiry import EvidenceRef, Finding, Plan, build_evidence_ref
from shisho.domain.loop_state import LoopState
from shisho.errors import NotFound, SourceRemoved
from shisho.language.terms import fold, split_terms
from shisho.librarian.evidence import Citations, context_of, is_near_duplicate, verify, with_table_header
from shisho.librarian.policy import SeekSupport
from shisho.librarian.search import InquirySearch
from shisho.librarian.selection.features import end_sentence

MAX_COPIES = 3  # of a quotation, in other documents
MAX_SOUGHT_TERMS = 20  # in the search for support of a sentence


class EvidenceCollector:
    """The evidence of one run, numbered in the order in which it was found."""

    def __init__(self, search: InquirySearch, citations: Citations) -> None:
        self._search = search
        self.citations = citations

    async def accept(self, finding: Finding, state: LoopState) -> EvidenceRef | None:
        """Return the finding as evidence, quoted from the document as it is stored now.

        None if its words are not in the shown passage, or if the document was removed.
        """
        verified = verify(finding, state["shown"])
        if verified is None:
            return None
        where = (state["strategy"].complexity, "reached" in state)
        try:
            citation = await self._search.resolve(*where, verified.index, verified.start, verified.end)
        except (NotFound, SourceRemoved):  # removed since it was shown
            return None
        passage = next(passage for passage in state["shown"] if passage.temp_index == verified.index)
        number = self.citations.find(citation) or self.citations.take(citation)
        ref = build_evidence_ref(
            number,
            finding.goal_id,
            citation,
            passage.heading,
            finding.score,
            len(state["plans"]),
        )
        is_inside = verified.start < len(passage.text)
        ref = replace(
            ref,
            stance=finding.stance,
            rule_score=finding.rule_score,
            context=context_of(passage.text, verified.start),
            passage=end_sentence(passage, verified.end) if is_inside else citation.snippet,
            offset=verified.start if is_inside else 0,
        )
        return with_table_header(ref, citation, state["strategy"].question)

    async def find_copies(
        self, findings: Sequence[Finding], refs: Sequence[EvidenceRef], state: LoopState
    ) -> list[EvidenceRef]:
        """Return the same words in other shown passages, as evidence from those documents."""
        copies: list[EvidenceRef] = []
        for finding in findings:
            ref = next((ref for ref in refs if _is_quotation_of(ref, finding)), None)
            if ref is None:
                continue
            for index in finding.also[:MAX_COPIES]:
                copy = await self.accept(replace(finding, index=index, also=()), state)
                if copy is not None and is_near_duplicate(copy.snippet, ref.snippet):
                    copies.append(replace(copy, same_as=ref.number))
        return copies

    def seek(self, state: LoopState, sought_refs: list[EvidenceRef]) -> SeekSupport:
        """Return a function that searches for support of a sentence and adds it to `sought_refs`."""

        async def seek(text: str) -> EvidenceRef | None:
            ref = await self._find_support(text, state, len(sought_refs) + 1)
            sought_refs.extend([] if ref is None else [ref])
            return ref

        return seek

    async def _find_support(self, text: str, state: LoopState, number: int) -> EvidenceRef | None:
        """Search everything in scope once for evidence of a sentence. `number`: of this search, from 1."""
        from shisho.librarian.checking.search import (
            SupportSearch,  # imported here: quotations need no support
        )

        aim = state["strategy"]
        keywords = tuple(dict.fromkeys(split_terms(fold(text))))[:MAX_SOUGHT_TERMS]
        plan = Plan(text, keywords, text, "")
        round_ = len(state["plans"]) + number
        shown_round, _ = await self._search.search_round(
            plan, aim.complexity, "reached" in state, round_, (), anew=True
        )
        finding = await asyncio.to_thread(lambda: SupportSearch((), shown_round.shown, aim.goals).find(text))
        if finding is None:
            return None
        return await self.accept(finding, LoopState(**{**state, "shown": shown_round.shown}))


def drop_repeated(findings: Sequence[Finding]) -> list[Finding]:
    """Return the best finding of each goal, and of the others those that no other goal's finding repeats."""
    kept_findings: list[Finding] = []
    for finding in findings:
        leads = all(other_finding.goal_id != finding.goal_id for other_finding in kept_findings)
        if leads or not any(
            is_near_duplicate(finding.snippet, other_finding.snippet) for other_finding in kept_findings
        ):
            kept_findings.append(finding)
    return kept_findings


def _is_quotation_of(ref: EvidenceRef, finding: Finding) -> bool:
    return ref.goal_id == finding.goal_id and is_near_duplicate(ref.snippet, finding.snippet)
