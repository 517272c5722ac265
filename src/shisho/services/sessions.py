"""Sessions of an assistant that acts as its own librarian.

The assistant searches, claims and writes; the code shows, verifies and renders.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Protocol
from weakref import WeakValueDictionary

from shisho.domain.answer_log import AcceptedEvidence, list_goals
from shisho.domain.audit import AuditVerb
from shisho.domain.corpus import (
    UNBOUNDED_ROOM,
    Complexity,
    Condition,
    NumberedPassage,
    Passage,
    PassageId,
    Round,
    Scope,
    SearchRequest,
)
from shisho.domain.evidence import build_evidence
from shisho.domain.find import ExcludedSources
from shisho.domain.inquiry import (
    Answer,
    AnswerBlock,
    AnswerLevel,
    EvidenceRef,
    Finding,
    GoalStatus,
    LoopStop,
    Strategy,
    build_evidence_ref,
    list_contradicted,
    list_sentences,
)
from shisho.domain.quota import QuotaResource
from shisho.domain.requirements import RequestKind, Requirements
from shisho.domain.session import (
    CitedSentence,
    ComposedAnswer,
    FindingVerdict,
    FindingVerdicts,
    PassageReading,
    RankedPassages,
    SentenceRevision,
    SessionFacts,
    SessionOpened,
    StoredEvidence,
    SupportCounts,
)
from shisho.errors import EmptyCorpus, InvalidParams, NotFound, SourceRemoved
from shisho.messages.message import Message
from shisho.ports import Clock, Ledger, Quotas, SearchSession, SessionBook, SessionLog, Shelf
from shisho.services.access import CorpusAccess
from shisho.services.choosing import (
    check_elsewhere,
    check_filters,
    check_request,
    read_room,
    unknown_place,
)
from shisho.services.coercion import coerce_strings
from shisho.services.documents import link_to
from shisho.services.requirements import GoalLike, build_requirements, exclude, find_excluded


class Span(Protocol):
    """A span of a shown passage. `replaced`: a finding quoted it in other words."""

    @property
    def index(self) -> int: ...
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def replaced(self) -> bool: ...


class AssistantRules(Protocol):
    """The librarian's rules for assistants."""

    def aim(self, question: str, required: Requirements) -> Strategy: ...

    def judge(self, finding: Finding, passages: Sequence[NumberedPassage], aim: Strategy) -> Span | str: ...

    def status(
        self, aim: Strategy, refs: Sequence[StoredEvidence], *, is_over: bool
    ) -> tuple[tuple[GoalStatus, ...], bool]: ...

    def list_missing(self, aim: Strategy, status: Sequence[GoalStatus]) -> tuple[str, ...]: ...

    def name_headers(self, aim: Strategy, refs: Sequence[StoredEvidence]) -> list[StoredEvidence]: ...

    def counts(self, revisions: Sequence[SentenceRevision]) -> SupportCounts: ...

    def write(
        self,
        aim: Strategy,
        evidence: Sequence[EvidenceRef],
        revisions: Sequence[SentenceRevision],
    ) -> tuple[tuple[AnswerBlock, ...], str]: ...


class SentenceChecks(Protocol):
    """A checker of an assistant's sentences with limited CPU time. Cancelling a call ends its work."""

    async def find_citations(
        self,
        evidence: Sequence[EvidenceRef],
        passages: Sequence[NumberedPassage],
        aim: Strategy,
        sentences: Sequence[CitedSentence],
    ) -> list[CitedSentence | Finding]: ...

    async def check(
        self, aim: Strategy, evidence: Sequence[EvidenceRef], sentences: Sequence[CitedSentence]
    ) -> list[SentenceRevision]: ...


class SessionSearcher(Protocol):
    """A factory of search sessions."""

    async def open(
        self, scope: Scope, complexity: Complexity, room_tokens: int, session_id: str
    ) -> SearchSession: ...


@dataclass(frozen=True, slots=True)
class SessionParts:
    """The dependencies of the sessions."""

    owner: str
    access: CorpusAccess
    shelf: Shelf
    ledger: Ledger
    log: SessionLog
    book: SessionBook
    searching: SessionSearcher
    rules: AssistantRules
    checks: SentenceChecks
    quotas: Quotas
    list_left_out: Callable[[str], Awaitable[ExcludedSources]]
    clock: Clock
    make_id: Callable[[], str]
    room_tokens: int


MAX_CONTEXT = 5
MAX_FINDINGS = 50
MAX_SENTENCES = 100
MODEL = "assistant"


class Sessions:
    """Sessions of an assistant that acts as its own librarian, stored by id.

    Sessions can be named by id, unique prefix or `last`. Raises NotFound for an unknown one.
    """

    __slots__ = ("_composing", "_parts", "_turns")

    def __init__(self, parts: SessionParts) -> None:
        self._parts = parts
        self._composing = asyncio.Lock()  # only one of the owner's calls is checked at a time
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def open_session(
        self,
        question: str,
        *,
        goals: GoalLike | Sequence[GoalLike] = (),
        condition: str = "",
        complexity: Complexity | str | None = None,
        kind: RequestKind | str = RequestKind.AUTO,
        exclude_ids: str | Sequence[str] = (),
        corpora: str | Sequence[str] = (),
        filters: Mapping[str, Condition] | None = None,
        room_tokens: int | None = None,
    ) -> SessionOpened:
        """Begin a session.

        Without goals, they are made from the question; without a condition, all goals are required.
        `room_tokens`: maximum size of a round's passages.

        Raises: InvalidParams for a blank question or requirements that can't be read; EmptyCorpus.
        """
        room = read_room(room_tokens, 0)
        required = build_requirements(goals, condition, complexity, kind, exclude_ids)
        aim = await asyncio.to_thread(self._parts.rules.aim, question, required)
        scope = await self._build_scope(corpora, filters)
        scope = exclude(
            scope, await find_excluded(self._parts.shelf, self._parts.access, required.exclude_ids)
        )
        facts = SessionFacts(self._parts.make_id()[:24], self._parts.owner, aim, scope, room)
        await self._parts.book.begin(facts)
        await self._parts.access.record(AuditVerb.ASK, facts.id)
        status, is_met = self._parts.rules.status(aim, (), is_over=False)
        return SessionOpened(facts.id, aim, status, is_met)

    async def search_next(
        self,
        session_id: str,
        request: SearchRequest,
        *,
        room_tokens: int | None = None,
        page_tokens: int = UNBOUNDED_ROOM,
    ) -> RankedPassages:
        """Return the next round of a session: numbered passages that it has not shown before.

        As many as suit the library and fit `room_tokens`; the first ones that fit `page_tokens`, the rest
        after `cursor`. Raises InvalidParams for a blank request or an unknown field to filter by.
        """
        room = read_room(room_tokens)
        check_request(request)
        await check_filters(self._parts.shelf, self._parts.owner, request.filter_conditions)
        facts = await self._parts.book.find_session(session_id, self._parts.owner)
        await self._parts.access.record(AuditVerb.SEARCH, facts.id)
        # Assistants call tools concurrently; each round must know what the previous one has shown.
        async with self._turns.setdefault(facts.id, asyncio.Lock()):
            session = await self._open_session(facts)
            round_ = len(await self._parts.log.list_rounds(facts.id)) + 1
            return _to_page(round_, await session.search(request, round_, room, page_tokens))

    async def show_more(
        self, session_id: str, cursor: str, *, page_tokens: int = UNBOUNDED_ROOM
    ) -> RankedPassages:
        """Return the next passages of a round, after the cursor of the previous page.

        Raises: InvalidParams for a cursor that this session has not returned.
        """
        facts = await self._parts.book.find_session(session_id, self._parts.owner)
        round_, _, after = cursor.partition(".")
        if not (round_.isdecimal() and after.isdecimal()):
            raise unknown_place("passage", cursor)
        await self._parts.access.record(AuditVerb.SEARCH, facts.id)
        async with self._turns.setdefault(facts.id, asyncio.Lock()):
            session = await self._open_session(facts)
            return _to_page(int(round_), await session.show_more(int(round_), int(after), page_tokens))

    async def submit_findings(self, session_id: str, findings: Sequence[Finding]) -> FindingVerdicts:
        """Verify findings against the shown passages.

        Accepted ones get a permanent number; the same quotation for the same goal keeps its number.
        """
        if not 1 <= len(findings) <= MAX_FINDINGS:
            raise InvalidParams("session.findings_out_of_range", max_findings=MAX_FINDINGS)
        facts = await self._parts.book.find_session(session_id, self._parts.owner)
        passages, rounds = await self._list_shown(facts.id)
        session = await self._open_session(facts)
        judged = [await self._judge(facts, finding, passages, rounds, session) for finding in findings]
        status, is_met = self._parts.rules.status(
            facts.strategy,
            await self._parts.book.list_evidence(facts.id),
            is_over=await self._is_search_over(facts.id),
        )
        return FindingVerdicts(tuple(judged), status, facts.strategy.condition, is_met)

    async def list_evidence(self, session_id: str = "last") -> AcceptedEvidence:
        """Return the evidence accepted in a session so far, without composing an answer."""
        facts = await self._parts.book.find_session(session_id, self._parts.owner)
        aim = facts.strategy
        refs = self._parts.rules.name_headers(aim, await self._parts.book.list_evidence(facts.id))
        status, _ = self._parts.rules.status(aim, refs, is_over=False)
        rows = tuple(build_evidence(facts.id, stand.ref, stand.citation) for stand in refs)
        return AcceptedEvidence(facts.id, aim.question, aim.condition, list_goals(aim.goals, status), rows)

    async def _is_search_over(self, session_id: str) -> bool:
        """Return True if the last round has shown all that is left, or nothing."""
        rounds = await self._parts.log.list_rounds(session_id)
        return bool(rounds) and (rounds[-1].exhausted or not rounds[-1].shown)

    async def compose_answer(self, session_id: str, sentences: Sequence[CitedSentence]) -> ComposedAnswer:
        """Verify the sentences of an answer against their cited evidence, render and save it.

        A sentence without citations gets one search for support, then is left out. Sentences that cannot be
        checked within the call's CPU time stay unverified. Raises QuotaExhausted: a call counts as a job.
        """
        if not 1 <= len(sentences) <= MAX_SENTENCES:
            raise InvalidParams("session.sentences_out_of_range", max_sentences=MAX_SENTENCES)
        facts = await self._parts.book.find_session(session_id, self._parts.owner)
        await self._parts.quotas.take(self._parts.owner, QuotaResource.JOBS, 1)
        aim = facts.strategy
        async with self._composing:
            cited = await self._find_citations(facts, sentences)
            refs = self._parts.rules.name_headers(aim, await self._parts.book.list_evidence(facts.id))
            revisions = await self._parts.checks.check(aim, [stand.ref for stand in refs], cited)
        counts = self._parts.rules.counts(revisions)
        status, is_met = self._parts.rules.status(aim, refs, is_over=True)
        blocks, text = self._parts.rules.write(aim, [stand.ref for stand in refs], revisions)
        answer = await self._answer(facts, refs, blocks, text, status, is_met)
        await self._parts.ledger.save(answer, self._parts.owner)
        return ComposedAnswer(
            answer.id,
            text,
            blocks,
            answer.evidence,
            tuple(revisions),
            counts,
            aim.condition,
            is_met,
            status,
            answer.missing,
        )

    async def read_passage(
        self,
        *,
        session_id: str | None = None,
        number: int | None = None,
        id: str | None = None,
        context: int = 0,
    ) -> PassageReading:
        """Return a passage by session and number, or by the id of a passage or evidence.

        With up to 5 neighbours on each side. Raises NotFound, SourceRemoved after a purge.
        """
        if not 0 <= context <= MAX_CONTEXT:
            raise InvalidParams(
                "session.context_out_of_range",
                max_context=MAX_CONTEXT,
                context=context,
            )
        if (session_id is None) != (number is None) or (session_id is None) == (id is None):
            raise InvalidParams("session.which_passage")
        if session_id is not None and number is not None:
            facts = await self._parts.book.find_session(session_id, self._parts.owner)
            passage = await self._find_by_number(facts.id, number)
            return await self._read(passage, context, linked=False)
        passage = await self._find_by_id(id or "")
        return await self._read(passage, context, linked=True)

    async def _build_scope(
        self, corpora: str | Sequence[str], filters: Mapping[str, Condition] | None
    ) -> Scope:
        excluded = await self._parts.list_left_out(self._parts.owner)
        scope = Scope(
            self._parts.owner, coerce_strings(corpora), filters or {}, excluded.documents, excluded.passages
        )
        if await self._parts.shelf.count(replace(scope, filters={})) == 0:
            await check_elsewhere(self._parts.shelf, self._parts.owner, scope.corpora)
            raise EmptyCorpus("session.empty_library")
        await check_filters(self._parts.shelf, self._parts.owner, scope.filters)
        return scope

    async def _open_session(self, facts: SessionFacts) -> SearchSession:
        return await self._parts.searching.open(
            facts.scope, facts.strategy.complexity, facts.room_tokens or self._parts.room_tokens, facts.id
        )

    async def _list_shown(self, session_id: str) -> tuple[list[NumberedPassage], dict[int, int]]:
        """Return all shown passages of a session that still exist, and the round of each number."""
        records = [
            (record.round, shown_record)
            for record in await self._parts.log.list_rounds(session_id)
            for shown_record in record.shown
        ]
        passages = await self._parts.shelf.fetch_passages([record.passage_id for _, record in records])
        shown_passages = [
            NumberedPassage(
                record.number,
                passages[record.passage_id].text,
                passages[record.passage_id].heading,
                record.match,
                passages[record.passage_id].ocr,
            )
            for _, record in records
            if record.passage_id in passages
        ]
        return shown_passages, {record.number: round_ for round_, record in records}

    async def _judge(
        self,
        facts: SessionFacts,
        finding: Finding,
        passages: Sequence[NumberedPassage],
        rounds: Mapping[int, int],
        session: SearchSession,
    ) -> FindingVerdict:
        span = await asyncio.to_thread(self._parts.rules.judge, finding, passages, facts.strategy)
        if isinstance(span, str):
            return FindingVerdict(finding.index, finding.goal_id, False, None, "", False, span)
        try:
            citation = await session.resolve(span.index, span.start, span.end)
        except (NotFound, SourceRemoved):
            return FindingVerdict(
                finding.index,
                finding.goal_id,
                False,
                None,
                "",
                False,
                Message("session.document_removed"),
            )
        round_ = rounds[span.index]
        number = await self._parts.book.accept(facts.id, finding.goal_id, citation, finding.score, round_)
        heading = next(passage.heading for passage in passages if passage.temp_index == span.index)
        ref = build_evidence_ref(number, finding.goal_id, citation, heading, finding.score, round_)
        evidence = build_evidence(facts.id, ref, citation)
        reason = Message("session.quotation_replaced") if span.replaced else ""
        return FindingVerdict(
            finding.index, finding.goal_id, True, number, citation.snippet, span.replaced, reason, evidence
        )

    async def _find_citations(
        self, facts: SessionFacts, sentences: Sequence[CitedSentence]
    ) -> list[CitedSentence]:
        """Search for the support of sentences without citations; matching shown passages become evidence."""
        refs = [stand.ref for stand in await self._parts.book.list_evidence(facts.id)]
        passages, rounds = await self._list_shown(facts.id)
        session = await self._open_session(facts)
        outcomes = await self._parts.checks.find_citations(refs, passages, facts.strategy, sentences)
        cited: list[CitedSentence] = []
        for sentence, outcome in zip(sentences, outcomes, strict=True):
            if isinstance(outcome, CitedSentence):
                cited.append(outcome)
                continue
            judged = await self._judge(facts, outcome, passages, rounds, session)
            numbers = () if judged.number is None else (judged.number,)
            cited.append(replace(sentence, cites=(*sentence.cites, *numbers)))
        return cited

    async def _answer(
        self,
        facts: SessionFacts,
        refs: Sequence[StoredEvidence],
        blocks: tuple[AnswerBlock, ...],
        text: str,
        status: tuple[GoalStatus, ...],
        is_met: bool,
    ) -> Answer:
        aim = facts.strategy
        answer_id = self._parts.make_id()[:24]
        shown = [*list_sentences(blocks), *list_contradicted(blocks)]
        cited = {number for sentence in shown for number in sentence.evidence}
        rounds = await self._parts.log.list_rounds(facts.id)
        return Answer(
            id=answer_id,
            task_id=facts.id,
            question=aim.question,
            text=text,
            blocks=blocks,
            evidence=tuple(
                build_evidence(answer_id, stand.ref, stand.citation)
                for stand in refs
                if stand.ref.number in cited
            ),
            condition=aim.condition,
            goals=aim.goals,
            goal_status=status,
            loop_stop=LoopStop.CONDITION_MET if is_met else LoopStop.STOPPED,
            rounds=len(rounds),
            budget_used={"rounds": float(len(rounds))},
            level=AnswerLevel.ANSWERED if cited else AnswerLevel.NOTHING,
            abstained=not cited,
            missing=() if is_met else self._parts.rules.list_missing(aim, status),
            model=MODEL,
            created_at=self._parts.clock.now(),
        )

    async def _find_by_number(self, session_id: str, number: int) -> Passage:
        rounds = await self._parts.log.list_rounds(session_id)
        shown = chain.from_iterable(record.shown for record in rounds)
        records = [passage for passage in shown if passage.number == number]
        passages = await self._parts.shelf.fetch_passages([passage.passage_id for passage in records])
        documents = [passage.document_id for passage in passages.values()]
        if not all([await self._parts.access.is_readable(document_id) for document_id in documents]):
            passages = {}
        if not passages:
            raise NotFound(
                "session.passage_gone",
                number=number,
            )
        return passages[records[0].passage_id]

    async def _find_by_id(self, name: str) -> Passage:
        found_passage = (await self._parts.shelf.fetch_passages([PassageId(name)])).get(PassageId(name))
        if found_passage is not None and await self._parts.access.is_readable(found_passage.document_id):
            return found_passage
        evidence = await self._parts.ledger.find_evidence(name, self._parts.owner)
        if await self._parts.access.is_readable(evidence.document_id):
            await self._parts.shelf.read_text(evidence.document_id)  # raises for a purged document
        else:
            raise self._build_not_found(name)
        for passage in await self._parts.shelf.list_passages_of(evidence.document_id):
            if passage.start <= evidence.start and evidence.end <= passage.end:
                return passage
        raise self._build_not_found(name)

    @staticmethod
    def _build_not_found(name: str) -> NotFound:
        return NotFound("evidence.passage_gone", name=name)

    async def _read(self, passage: Passage, context: int, *, linked: bool) -> PassageReading:
        document = await self._parts.shelf.find_document(passage.document_id)
        await self._parts.access.record(AuditVerb.READ, document.id)
        near = await self._parts.shelf.list_passages_of(passage.document_id)
        at = next(place for place, other_passage in enumerate(near) if other_passage.id == passage.id)
        return PassageReading(
            text=passage.text,
            before=tuple(passage.text for passage in near[max(0, at - context) : at]),
            after=tuple(passage.text for passage in near[at + 1 : at + 1 + context]),
            heading=passage.heading,
            title=document.title,
            page=passage.page,
            link=link_to(document.id, passage.page) if linked else "",
            place=passage.place,
            ocr=passage.ocr,
            document=document.id if linked else "",
            start=passage.start if linked else 0,
        )


def _to_page(round_: int, page: Round) -> RankedPassages:
    """Return a page of a round, with a `cursor` if the round continues."""
    more = page.pending > 0 and bool(page.shown)
    return RankedPassages(
        page.shown,
        (),
        round_,
        page.ranked,
        page.in_scope,
        page.exhausted,
        more,
        f"{round_}.{page.shown[-1].temp_index}" if more else None,
    )
