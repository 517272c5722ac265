"""Sessions of an assistant that acts as its own librarian.

The assistant searches, claims and writes; the code shows, verifies and renders.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from shisho.domain.answer_log import AcceptedEvidence, list_goals
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
from shisho.domain.inquiry import (
    Answer,
    AnswerBlock,
    AnswerLevel,
    Finding,
    GoalStatus,
    LoopStop,
    build_evidence_ref,
    list_contradicted,
    list_sentences,
)
from shisho.domain.requirements import RequestKind
from shisho.domain.session import (
    CitedSentence,
    ComposedAnswer,
    FindingVerdict,
    FindingVerdicts,
    PassageReading,
    RankedPassages,
    SessionFacts,
    SessionOpened,
    StoredEvidence,
)
from shisho.domain.team import AuditVerb, QuotaResource
from shisho.errors import EmptyCorpus, InvalidParams, NotFound, SourceRemoved
from shisho.jobs.timing import make_id
from shisho.librarian.assistant import Assistant
from shisho.messages import Message
from shisho.ports import Clock, Quotas, SearchSession, SessionLog, SessionStore, Shelf
from shisho.records import dataclass
from shisho.services.access import CorpusAccess
from shisho.services.choosing import (
    build_cursor_error,
    check_elsewhere,
    check_filters,
    check_request,
    read_room,
)
from shisho.services.coercion import coerce_strings
from shisho.services.documents import link_to
from shisho.services.requirements import GoalLike, build_requirements, exclude, find_excluded
from shisho.services.stores import RunHistory

if TYPE_CHECKING:
    from shisho.corpus.session import CorpusSearcher
    from shisho.services.sentence_checks import KillableSentenceChecks

MAX_CONTEXT = 5
MAX_FINDINGS = 50
MAX_SENTENCES = 100
MODEL = "assistant"
RULES = Assistant()


@dataclass(frozen=True, slots=True)
class SessionFindings:
    """The passages that sessions have shown, and the evidence accepted from them.

    `room_tokens`: the default size of a round.
    """

    book: SessionStore
    log: SessionLog
    shelf: Shelf
    searcher: CorpusSearcher
    room_tokens: int

    async def open(self, facts: SessionFacts) -> SearchSession:
        """Open the search of a session after its last round."""
        room = facts.room_tokens or self.room_tokens
        return await self.searcher.open(facts.scope, facts.strategy.complexity, room, facts.id)

    async def list_evidence(self, facts: SessionFacts) -> list[StoredEvidence]:
        """Return the accepted evidence with the headers of its tables."""
        return RULES.name_headers(facts.strategy, await self.book.list_evidence(facts.id))

    async def is_search_over(self, session_id: str) -> bool:
        """Return True if the last round has shown all that is left, or nothing."""
        rounds = await self.log.list_rounds(session_id)
        return bool(rounds) and (rounds[-1].exhausted or not rounds[-1].shown)

    async def list_shown(self, session_id: str) -> tuple[list[NumberedPassage], dict[int, int]]:
        """Return all shown passages of a session that still exist, and the round of each number."""
        records = [
            (record.round, shown_record)
            for record in await self.log.list_rounds(session_id)
            for shown_record in record.shown
        ]
        passages = await self.shelf.fetch_passages([record.passage_id for _, record in records])
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

    async def judge(self, facts: SessionFacts, findings: Sequence[Finding]) -> list[FindingVerdict]:
        """Verify findings against the shown passages. Accepted ones get a permanent number."""
        passages, rounds = await self.list_shown(facts.id)
        session = await self.open(facts)
        return [await self._judge_one(facts, finding, passages, rounds, session) for finding in findings]

    async def _judge_one(
        self,
        facts: SessionFacts,
        finding: Finding,
        passages: Sequence[NumberedPassage],
        rounds: Mapping[int, int],
        session: SearchSession,
    ) -> FindingVerdict:
        span = await asyncio.to_thread(RULES.judge, finding, passages, facts.strategy)
        if isinstance(span, str):
            return _reject(finding, span)
        try:
            citation = await session.resolve(span.index, span.start, span.end)
        except (NotFound, SourceRemoved):
            return _reject(finding, Message("session.document_removed"))
        round_ = rounds[span.index]
        number = await self.book.accept(facts.id, finding.goal_id, citation, finding.score, round_)
        heading = next(passage.heading for passage in passages if passage.temp_index == span.index)
        ref = build_evidence_ref(number, finding.goal_id, citation, heading, finding.score, round_)
        evidence = build_evidence(facts.id, (ref,), citation)
        reason = Message("session.quotation_replaced") if span.replaced else ""
        return FindingVerdict(
            finding.index, finding.goal_id, True, number, citation.snippet, span.replaced, reason, evidence
        )


def _reject(finding: Finding, reason: str) -> FindingVerdict:
    return FindingVerdict(finding.index, finding.goal_id, False, None, "", False, reason)


@dataclass(frozen=True, slots=True)
class PassageReader:
    """A reader of single passages that the visitor may read, with their neighbours."""

    access: CorpusAccess
    shelf: Shelf
    history: RunHistory

    async def find_by_number(self, session_id: str, number: int) -> Passage:
        """Return a passage that a session has shown. Raises NotFound."""
        rounds = await self.history.sessions.list_rounds(session_id)
        shown = chain.from_iterable(record.shown for record in rounds)
        ids = [passage.passage_id for passage in shown if passage.number == number]
        for passage in (await self.shelf.fetch_passages(ids[:1])).values():
            if await self.access.is_readable(passage.document_id):
                return passage
        raise NotFound("session.passage_gone", number=number)

    async def find_by_id(self, name: str) -> Passage:
        """Return a passage by its id, or by that of evidence. Raises NotFound, SourceRemoved."""
        found_passage = (await self.shelf.fetch_passages([PassageId(name)])).get(PassageId(name))
        if found_passage is not None and await self.access.is_readable(found_passage.document_id):
            return found_passage
        evidence = await self.history.ledger.find_evidence(name, self.access.owner)
        if await self.access.is_readable(evidence.document_id):
            await self.shelf.read_text(evidence.document_id)  # raises for a purged document
            for passage in await self.shelf.list_passages_of(evidence.document_id):
                if passage.start <= evidence.start and evidence.end <= passage.end:
                    return passage
        raise NotFound("evidence.passage_gone", name=name)

    async def read(self, passage: Passage, context: int, *, is_linked: bool) -> PassageReading:
        """Return a passage with `context` neighbours on each side."""
        document = await self.shelf.find_document(passage.document_id)
        near = await self.shelf.list_passages_of(passage.document_id)
        at = next(place for place, other_passage in enumerate(near) if other_passage.id == passage.id)
        return PassageReading(
            text=passage.text,
            before=tuple(passage.text for passage in near[max(0, at - context) : at]),
            after=tuple(passage.text for passage in near[at + 1 : at + 1 + context]),
            heading=passage.heading,
            title=document.title,
            page=passage.page,
            link=link_to(document.id, passage.page) if is_linked else "",
            place=passage.place,
            ocr=passage.ocr,
            document=document.id if is_linked else "",
            start=passage.start if is_linked else 0,
        )


class Sessions:
    """Sessions of an assistant that acts as its own librarian, stored by id.

    Sessions can be named by id, unique prefix or `last`. Raises NotFound for an unknown one.
    """

    def __init__(
        self,
        access: CorpusAccess,
        shelf: Shelf,
        history: RunHistory,
        findings: SessionFindings,
        checks: KillableSentenceChecks,
        quotas: Quotas,
        clock: Clock,
    ) -> None:
        self._access = access
        self._shelf = shelf
        self._history = history
        self._book = findings.book
        self._findings = findings
        self._passages = PassageReader(access, shelf, history)
        self._checks = checks
        self._quotas = quotas
        self._clock = clock
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
        aim = await asyncio.to_thread(RULES.aim, question, required)
        scope = await self._build_scope(corpora, filters)
        scope = exclude(scope, await find_excluded(self._shelf, self._access, required.exclude_ids))
        facts = SessionFacts(make_id()[:24], self._access.owner, aim, scope, room)
        await self._book.begin(facts)
        await self._access.record(AuditVerb.ASK, facts.id)
        status, is_met = RULES.status(aim, (), is_over=False)
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
        await check_filters(self._shelf, self._access.owner, request.filter_conditions)
        facts = await self._book.find_session(session_id, self._access.owner)
        await self._access.record(AuditVerb.SEARCH, facts.id)
        # Assistants call tools concurrently; each round must know what the previous one has shown.
        async with self._turns.setdefault(facts.id, asyncio.Lock()):
            session = await self._findings.open(facts)
            round_ = len(await self._history.sessions.list_rounds(facts.id)) + 1
            return _to_page(round_, await session.search(request, round_, room, page_tokens))

    async def show_more(
        self, session_id: str, cursor: str, *, page_tokens: int = UNBOUNDED_ROOM
    ) -> RankedPassages:
        """Return the next passages of a round, after the cursor of the previous page.

        Raises: InvalidParams for a cursor that this session has not returned.
        """
        facts = await self._book.find_session(session_id, self._access.owner)
        round_, _, after = cursor.partition(".")
        if not (round_.isdecimal() and after.isdecimal()):
            raise build_cursor_error("passage", cursor)
        await self._access.record(AuditVerb.SEARCH, facts.id)
        async with self._turns.setdefault(facts.id, asyncio.Lock()):
            session = await self._findings.open(facts)
            return _to_page(int(round_), await session.show_more(int(round_), int(after), page_tokens))

    async def submit_findings(self, session_id: str, findings: Sequence[Finding]) -> FindingVerdicts:
        """Verify findings against the shown passages.

        Accepted ones get a permanent number; the same quotation for the same goal keeps its number.
        """
        if not 1 <= len(findings) <= MAX_FINDINGS:
            raise InvalidParams("session.findings_out_of_range", max_findings=MAX_FINDINGS)
        facts = await self._book.find_session(session_id, self._access.owner)
        judged = await self._findings.judge(facts, findings)
        status, is_met = RULES.status(
            facts.strategy,
            await self._book.list_evidence(facts.id),
            is_over=await self._findings.is_search_over(facts.id),
        )
        return FindingVerdicts(tuple(judged), status, facts.strategy.condition, is_met)

    async def list_evidence(self, session_id: str = "last") -> AcceptedEvidence:
        """Return the evidence accepted in a session so far, without composing an answer."""
        facts = await self._book.find_session(session_id, self._access.owner)
        aim = facts.strategy
        refs = await self._findings.list_evidence(facts)
        status, _ = RULES.status(aim, refs, is_over=False)
        rows = tuple(build_evidence(facts.id, (stored.ref,), stored.citation) for stored in refs)
        return AcceptedEvidence(facts.id, aim.question, aim.condition, list_goals(aim.goals, status), rows)

    async def compose_answer(self, session_id: str, sentences: Sequence[CitedSentence]) -> ComposedAnswer:
        """Verify the sentences of an answer against their cited evidence, render and save it.

        A sentence without citations gets one search for support, then is left out. Sentences that cannot be
        checked within the call's CPU time stay unverified. Raises QuotaExhausted: a call counts as a job.
        """
        if not 1 <= len(sentences) <= MAX_SENTENCES:
            raise InvalidParams("session.sentences_out_of_range", max_sentences=MAX_SENTENCES)
        facts = await self._book.find_session(session_id, self._access.owner)
        await self._quotas.take(self._access.owner, QuotaResource.JOBS, 1)
        aim = facts.strategy
        async with self._composing:
            cited = await self._find_citations(facts, sentences)
            refs = await self._findings.list_evidence(facts)
            revisions = await self._checks.check(aim, [stored.ref for stored in refs], cited)
        counts = RULES.counts(revisions)
        status, is_met = RULES.status(aim, refs, is_over=True)
        blocks, text = RULES.write(aim, [stored.ref for stored in refs], revisions)
        answer = await self._answer(facts, refs, blocks, text, status, is_met)
        await self._history.ledger.save(answer, self._access.owner)
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
            facts = await self._book.find_session(session_id, self._access.owner)
            passage = await self._passages.find_by_number(facts.id, number)
        else:
            passage = await self._passages.find_by_id(id or "")
        await self._access.record(AuditVerb.READ, passage.document_id)
        return await self._passages.read(passage, context, is_linked=id is not None)

    async def _build_scope(
        self, corpora: str | Sequence[str], filters: Mapping[str, Condition] | None
    ) -> Scope:
        excluded = await self._history.opinions.list_left_out(self._access.owner)
        names = coerce_strings(corpora)
        scope = Scope(self._access.owner, names, filters or {}, excluded.documents, excluded.passages)
        if await self._shelf.count(replace(scope, filters={})) == 0:
            await check_elsewhere(self._shelf, self._access.owner, scope.corpora)
            raise EmptyCorpus("session.empty_library")
        await check_filters(self._shelf, self._access.owner, scope.filters)
        return scope

    async def _find_citations(
        self, facts: SessionFacts, sentences: Sequence[CitedSentence]
    ) -> list[CitedSentence]:
        """Search for the support of sentences without citations; matching shown passages become evidence."""
        refs = [stored.ref for stored in await self._book.list_evidence(facts.id)]
        passages, _ = await self._findings.list_shown(facts.id)
        outcomes = await self._checks.find_citations(refs, passages, facts.strategy, sentences)
        found = [outcome for outcome in outcomes if isinstance(outcome, Finding)]
        verdicts = iter(await self._findings.judge(facts, found) if found else ())
        cited: list[CitedSentence] = []
        for sentence, outcome in zip(sentences, outcomes, strict=True):
            if isinstance(outcome, CitedSentence):
                cited.append(outcome)
                continue
            number = next(verdicts).number
            cited.append(sentence if number is None else replace(sentence, cites=(*sentence.cites, number)))
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
        answer_id = make_id()[:24]
        shown = [*list_sentences(blocks), *list_contradicted(blocks)]
        cited = {number for sentence in shown for number in sentence.evidence}
        rounds = await self._history.sessions.list_rounds(facts.id)
        return Answer(
            id=answer_id,
            task_id=facts.id,
            question=aim.question,
            text=text,
            blocks=blocks,
            evidence=tuple(
                build_evidence(answer_id, (stored.ref,), stored.citation)
                for stored in refs
                if stored.ref.number in cited
            ),
            condition=aim.condition,
            goals=aim.goals,
            goal_status=status,
            loop_stop=LoopStop.CONDITION_MET if is_met else LoopStop.STOPPED,
            rounds=len(rounds),
            budget_used={"rounds": float(len(rounds))},
            level=AnswerLevel.ANSWERED if cited else AnswerLevel.NOTHING,
            abstained=not cited,
            missing=() if is_met else RULES.list_missing(aim, status),
            model=MODEL,
            created_at=self._clock.now(),
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
