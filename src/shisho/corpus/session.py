"""Search sessions: one inquiry's searches in a scope.

Only a session knows ids, seen passages, N and k.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import replace
from functools import partial
from itertools import takewhile
from typing import TypeVar

from shisho.corpus import diversity
from shisho.corpus.retrieve import Retriever, write_meaning_query
from shisho.domain.corpus import (
    FILTER_FIELDS,
    UNBOUNDED_ROOM,
    BlockKind,
    Citation,
    Complexity,
    DefinitionMark,
    Document,
    DocumentId,
    NumberedPassage,
    Passage,
    PassageId,
    RankedCandidate,
    RankedPassage,
    Round,
    RoundRecord,
    Scope,
    SearchRequest,
    ShownRecord,
)
from shisho.domain.place import restrict_place
from shisho.errors import InvalidParams, ShishoError
from shisho.language import estimate_passage_tokens, estimate_row_tokens
from shisho.language.table_headers import find_table_header
from shisho.messages import Message
from shisho.ports import Reranker, SessionLog, Shelf
from shisho.records import dataclass
from shisho.telemetry import log, span

SMALL = 1_000
LARGE = 100_000
HUGE = 1_000_000
MAX_DEPTH = 100
COMPLEXITY = {Complexity.SINGLE: 1.0, Complexity.SEVERAL: 1.5, Complexity.COMPARISON: 2.0}
GROWTH = {"linear": (1, 2, 3), "exponential": (1, 3, 10)}


def compute_top_k(in_scope: int, complexity: Complexity, round_: int, growth: str = "linear") -> int:
    """Return k of round `round_` (from 1) over `in_scope` passages, between 1 and 100."""
    steps = GROWTH[growth]
    step = steps[min(max(round_, 1), len(steps)) - 1]
    return min(MAX_DEPTH, max(1, math.floor(choose_base_k(in_scope) * COMPLEXITY[complexity] * step + 0.5)))


def choose_base_k(in_scope: int) -> float:
    """Return 5 for a small corpus, 20 for a medium one, then up to 50 by its logarithm."""
    if in_scope < SMALL:
        return 5
    if in_scope < LARGE:
        return 20
    return 20 + 30 * min(1.0, math.log(in_scope / LARGE) / math.log(HUGE / LARGE))


RERANKED = 20


async def rerank(reranker: Reranker, question: str, ranking: Sequence[RankedPassage]) -> list[RankedPassage]:
    """Return the ranking with its first twenty reranked; unchanged if the reranker fails."""
    best = ranking[:RERANKED]
    texts = [f"{hit.passage.heading}\n{hit.passage.text}".strip() for hit in best]
    try:
        with span("rerank", passages=len(best)):
            scores = await reranker.score(question, texts)
    except ShishoError as error:
        log.warning(Message("search.without_reranker", why=error.message))
        return list(ranking)
    return [*reorder(best, scores), *ranking[RERANKED:]]


def reorder(ranking: Sequence[RankedPassage], scores: Sequence[float]) -> list[RankedPassage]:
    """Return the ranking ordered by these scores; ties keep their order.

    Each passage takes the score of its new place, so that it compares with those that were not reranked; its
    own score is the part `reranked`.
    """
    order = sorted(range(len(ranking)), key=lambda place: -scores[place])
    return [
        replace(ranking[old], score=hit.score, parts={**ranking[old].parts, "reranked": scores[old]})
        for hit, old in zip(ranking, order, strict=True)
    ]


FLOOR_BELOW = 1_000  # N below which passages that match too little of the query are dropped
DIVERSE_ABOVE = 100_000  # N above which near-duplicates make room for others
MIN_RANKED = 50
T = TypeVar("T")
COPIES = 2  # copies of one file in a library: added by hand, and in the corpus of its folder


def ignore_site(source: str) -> str:
    """Return no site, so that every document counts as its own."""
    return ""


@dataclass(frozen=True, slots=True)
class CorpusSearcher:
    """A `ports.Searcher` over the shelf.

    `floor` is the least share of a query's idf that a passage must match. `site` returns the website of a
    document's source, or "".
    """

    shelf: Shelf
    retriever: Retriever
    log: SessionLog
    growth: str = "linear"
    # On questions with a wording gap .15 loses 1.5 % of the relevant passages among the first five and 13 %
    # of the others; .25 would lose 6 % and 42 %.
    floor: float = 0.15
    site: Callable[[str], str] = ignore_site
    reranker: Reranker | None = None

    async def open(
        self, scope: Scope, complexity: Complexity, room_tokens: int, session_id: str
    ) -> CorpusSession:
        """Open a new session, or resume the one with this id."""
        rounds = await self.log.list_rounds(session_id)
        return CorpusSession(self, scope, complexity, room_tokens, session_id, rounds)

    async def rank_top(
        self,
        request: SearchRequest,
        scope: Scope,
        limit: int | None = None,
        room_tokens: int = UNBOUNDED_ROOM,
    ) -> Sequence[RankedPassage]:
        """Return a first round's passages that fit the room, outside any session.

        `limit` replaces the round's own k. A passage at the same place of the same file in two corpora is
        returned once.
        """
        _, hits = await self.choose(request, scope, Complexity.SINGLE, 1, frozenset(), limit, COPIES)
        return take_fitting(hits, lambda hit: _measure(hit.passage, estimate_passage_tokens), room_tokens)

    async def rank(self, request: SearchRequest, scope: Scope, depth: int) -> Sequence[RankedPassage]:
        """Return the ranking before the depth cut."""
        return await self._rerank(request, await self.retriever.rank(request, scope, depth))

    async def rank_documents(self, request: SearchRequest, scope: Scope, depth: int) -> Sequence[DocumentId]:
        """Return the documents of `rank`, each at the place of its best passage."""
        if self.reranker is not None:
            hits = await self.rank(request, scope, depth)
            return list(dict.fromkeys(hit.passage.document_id for hit in hits))
        ranking = await self.retriever.rank_candidates(request, scope, depth)
        return list(dict.fromkeys(candidate.document_id for candidate in ranking))

    async def choose(
        self,
        request: SearchRequest,
        scope: Scope,
        complexity: Complexity,
        round_: int,
        passage_ids: frozenset[PassageId],
        k: int | None = None,
        copies: int = 1,
    ) -> tuple[int, Sequence[RankedPassage]]:
        """Return N and the k passages that matter.

        They are above the floor if N is small, and diversified if it is large. `copies`: up to so many copies
        of one file may be found, and one of them is kept.
        """
        cut = DepthCut(
            partial(compute_top_k, complexity=complexity, round_=round_, growth=self.growth),
            k,
            self.floor,
            0 if self.reranker is None else RERANKED,
            copies,
        )
        best = await self.retriever.retrieve_best(request, scope, cut, passage_ids.union(scope.rejected))
        ranked = await self._rerank(request, best.hits)
        hits = ranked if copies == 1 else _drop_copies(ranked)
        k = cut.choose_k(best.in_scope)
        if not cut.is_diversified(best.in_scope):
            return best.in_scope, hits[:k]
        passages = [hit.passage for hit in hits]
        likeness = diversity.compare_by_pairs(passages)
        if best.embeddings:
            likeness = diversity.compare_by_meaning(passages, best.embeddings, likeness)
        return best.in_scope, diversity.spread(hits, k, likeness)

    async def _rerank(
        self, request: SearchRequest, ranking: Sequence[RankedPassage]
    ) -> Sequence[RankedPassage]:
        if self.reranker is None or not ranking:
            return ranking
        return await rerank(self.reranker, write_meaning_query(request), ranking)


@dataclass(frozen=True, slots=True)
class DepthCut:
    """A `retrieve.RankingCut` to k passages.

    `by_scope` returns k by N unless it is `fixed`. More than k are kept for later steps: for diversification,
    `least` for reranking, and `copies` times k for dropping copies.
    """

    by_scope: Callable[[int], int]
    fixed: int | None
    floor: float
    least: int = 0
    copies: int = 1

    def choose_k(self, in_scope: int) -> int:
        return self.fixed or self.by_scope(in_scope)

    def choose_depth(self, in_scope: int) -> int:
        return max(MIN_RANKED, 2 * self.choose_k(in_scope))

    def cut(
        self, in_scope: int, ranking: Sequence[RankedCandidate], meaning_floor: float
    ) -> Sequence[RankedCandidate]:
        if in_scope < FLOOR_BELOW:
            ranking = [
                candidate
                for candidate in ranking
                if candidate.parts.get("match", 1.0) >= self.floor
                or candidate.parts.get("meaning", -1.0) >= meaning_floor
            ]
        most = max(self.least, self.copies * self.choose_k(in_scope))
        return ranking if self.is_diversified(in_scope) else ranking[:most]

    def is_diversified(self, in_scope: int) -> bool:
        return in_scope > DIVERSE_ABOVE


class CorpusSession:
    """A `ports.SearchSession`: numbers outside, ids inside."""

    def __init__(
        self,
        searcher: CorpusSearcher,
        scope: Scope,
        complexity: Complexity,
        room_tokens: int,
        session_id: str,
        rounds: Sequence[RoundRecord],
    ) -> None:
        self.id = session_id
        self._searcher = searcher
        self._scope = scope
        self._complexity = complexity
        self._room = room_tokens
        self._rounds = {record.round: record for record in rounds}
        self._shown = {
            shown_record.number: shown_record for record in rounds for shown_record in record.shown
        }

    async def search(
        self,
        request: SearchRequest,
        round_: int,
        room_tokens: int = UNBOUNDED_ROOM,
        page_tokens: int = UNBOUNDED_ROOM,
        *,
        anew: bool = False,
    ) -> Round:
        record = self._rounds.get(round_)
        if record is None:
            record = await self._make_next_round(
                request, round_, min(room_tokens, self._room), page_tokens, anew
            )
            await self._searcher.log.add(self.id, record)
            self._remember(record)
        definitions = await self._searcher.retriever.find_definitions(request, self._scope)
        return await self._describe(record, record.shown, definitions)

    async def show_more(self, round_: int, after: int, page_tokens: int = UNBOUNDED_ROOM) -> Round:
        record = self._rounds.get(round_)
        if record is None or after not in {shown_record.number for shown_record in record.shown}:
            raise InvalidParams(
                "common.unknown_cursor",
                noun=Message("noun.passage"),
                id=f"{round_}.{after}",
            )
        later = [shown_record for shown_record in record.shown if shown_record.number > after]
        page = await self._fill_page(later, page_tokens)
        if not later and record.pending:
            record, page = await self._turn_page(record, page_tokens)
        if later and len(page) < len(later):
            record = replace(record, pending=(*later[len(page) :], *record.pending))
        return await self._describe(record, page, {})

    async def _turn_page(
        self, record: RoundRecord, page_tokens: int
    ) -> tuple[RoundRecord, Sequence[ShownRecord]]:
        """Return the round with its next page shown, and that page.

        Passages that another round has shown since are skipped.
        """
        read_ids = {shown_record.passage_id for shown_record in self._shown.values()}
        pending = [passage for passage in record.pending if passage.passage_id not in read_ids]
        first = max(self._shown, default=0) + 1
        page = [
            replace(passage, number=first + place)
            for place, passage in enumerate(await self._fill_page(pending, page_tokens))
        ]
        read_ids.update(passage.passage_id for passage in page)
        last_id = page[-1].passage_id if page else None
        places = [place for place, passage in enumerate(pending) if passage.passage_id == last_id]
        record = replace(
            record,
            exhausted=self._is_exhausted(read_ids, record.in_scope),
            shown=(*record.shown, *page),
            pending=tuple(pending[places[-1] + 1 :]) if places else (),
        )
        await self._searcher.log.update(self.id, record, page)
        self._remember(record)
        return record, page

    async def _fill_page(self, records: Sequence[ShownRecord], page_tokens: int) -> Sequence[ShownRecord]:
        """Return as many of the records as fit the page, skipping removed passages."""
        passages, _ = await self._select_readable([record.passage_id for record in records])
        readable = [record for record in records if record.passage_id in passages]
        return take_fitting(
            readable, lambda record: _measure(passages[record.passage_id], estimate_row_tokens), page_tokens
        )

    def _remember(self, record: RoundRecord) -> None:
        self._rounds[record.round] = record
        self._shown.update({shown_record.number: shown_record for shown_record in record.shown})

    async def _describe(
        self,
        record: RoundRecord,
        records: Sequence[ShownRecord],
        definitions: Mapping[PassageId, DefinitionMark],
    ) -> Round:
        """Return these passages of a round, as far as they still exist."""
        passages, documents = await self._select_readable([shown.passage_id for shown in records])
        following = await self._searcher.shelf.find_following(list(passages))
        stored_records = [record for record in records if record.passage_id in passages]
        shown_passages = tuple(
            _number_passage(
                shown_record,
                passages[shown_record.passage_id],
                following.get(shown_record.passage_id, ()),
                documents[shown_record.document_id],
                definitions.get(shown_record.passage_id),
            )
            for shown_record in stored_records
        )
        sources = tuple(
            self._cite_passage(passages[shown_record.passage_id], documents[shown_record.document_id])
            for shown_record in stored_records
        )
        pending = len(record.pending)
        return Round(shown_passages, record.ranked, record.in_scope, record.exhausted, sources, pending)

    async def resolve(self, temp_index: int, start: int, end: int) -> Citation:
        if temp_index not in self._shown:
            raise InvalidParams("session.unknown_passage", temp_index=temp_index)
        passage, document = await self._find_passage(self._shown[temp_index].passage_id)
        holder = await self._find_holder(passage, passage.start + start)
        text = await self._searcher.shelf.read_text(passage.document_id)
        first = passage.start + start
        last = passage.start + end
        snippet = text[first:last]
        return replace(
            self._cite_passage(passage, document),
            page=holder.page,
            start=first,
            end=last,
            snippet=snippet,
            sha256=hashlib.sha256(snippet.encode("utf-8", "surrogatepass")).hexdigest(),
            place=restrict_place(passage.place, passage.text, start, end),
            code=holder.kind is BlockKind.CODE,
            header=find_table_header(text, first),
        )

    async def measure_rarity(self, terms: Sequence[str]) -> Mapping[str, float]:
        return await self._searcher.retriever.measure_rarity(terms, self._scope)

    async def list_fields(self) -> Sequence[str]:
        return (*FILTER_FIELDS, *await self._searcher.shelf.list_metadata_keys(self._scope.owner))

    async def find_short_names(self, question: str) -> Mapping[str, frozenset[str]]:
        return await self._searcher.retriever.find_short_names(question, self._scope)

    async def read_texts(self) -> Sequence[str]:
        return await self._searcher.retriever.read_texts(self._scope)

    def _cite_passage(self, passage: Passage, document: Document) -> Citation:
        """Return the citation of a whole passage, without its text."""
        return Citation(
            document_id=document.id,
            title=document.title,
            source=document.source,
            page=passage.page,
            start=passage.start,
            end=passage.end,
            snippet="",
            sha256="",
            passage_id=passage.id,
            cluster=self._identify_cluster(passage, document),
            site=self._searcher.site(document.source),
            place=passage.place,
            ocr=passage.ocr,
            code=passage.kind is BlockKind.CODE,
        )

    async def _find_passage(self, name: PassageId) -> tuple[Passage, Document]:
        passages, documents = await self._select_readable([name])
        if name not in passages:
            raise InvalidParams("session.passage_removed")
        return passages[name], documents[passages[name].document_id]

    async def _select_readable(
        self, names: Sequence[PassageId]
    ) -> tuple[Mapping[PassageId, Passage], Mapping[DocumentId, Document]]:
        """Return the readable ones of the passages, and their documents.

        The document must be live, and the owner must still be allowed to search its corpus.
        """
        shelf = self._searcher.shelf
        passages = await shelf.fetch_passages(names)
        ids = tuple({passage.document_id for passage in passages.values()})
        scope = Scope(self._scope.owner, filters={"document": ids})
        documents = {
            document.id: document for document in await shelf.list_documents(scope, limit=max(1, len(ids)))
        }
        readable = {name: passage for name, passage in passages.items() if passage.document_id in documents}
        return readable, documents

    def _identify_cluster(self, passage: Passage, document: Document) -> str:
        """Return the cluster of near-duplicates; in another owner's corpus, of equal texts only.

        Similarities within a corpus may reveal what its owner has elsewhere, which is private.
        """
        if document.owner == self._scope.owner:
            return passage.cluster
        return hashlib.sha256(passage.text.encode("utf-8", "surrogatepass")).hexdigest()[:16]

    async def _find_holder(self, passage: Passage, start: int) -> Passage:
        """Return the passage with this offset of the document: this one, or one shown after it."""
        if start < passage.end:
            return passage
        following = await self._searcher.shelf.find_following([passage.id])
        return next((other for other in following.get(passage.id, ()) if start < other.end), passage)

    async def _make_next_round(
        self, request: SearchRequest, round_: int, room_tokens: int, page_tokens: int, anew: bool
    ) -> RoundRecord:
        passage_ids = frozenset(record.passage_id for record in self._shown.values())
        without = frozenset[PassageId]() if anew else passage_ids
        ranking = partial(self._searcher.choose, round_=round_, passage_ids=without)
        in_scope, hits = await ranking(
            request, self._scope, self._complexity, k=MAX_DEPTH if request.fills_room else None
        )
        if not hits and request.filter_conditions and request.are_filters_optional:
            request = replace(request, filter_conditions={})
            in_scope, hits = await ranking(request, self._scope, self._complexity)
        around = await self._list_neighbours(request.read_around, passage_ids.union(self._scope.rejected))
        near_ids = {hit.passage.id for hit in around}
        hits = [*around, *(hit for hit in hits if hit.passage.id not in near_ids)]
        fitting = take_fitting(hits, lambda hit: _measure(hit.passage, estimate_passage_tokens), room_tokens)
        page = take_fitting(fitting, lambda hit: _measure(hit.passage, estimate_row_tokens), page_tokens)
        first = max(self._shown, default=0) + 1
        records = [
            ShownRecord(
                first + place if place < len(page) else 0,
                hit.passage.id,
                hit.passage.document_id,
                hit.parts.get("match", 0.0),
            )
            for place, hit in enumerate(fitting)
        ]
        shown_records = tuple(records[: len(page)])
        read_ids = passage_ids.union(record.passage_id for record in shown_records)
        # N counts passages that pass the filters, which may differ from those that were read.
        exhausted = not request.filter_conditions and self._is_exhausted(read_ids, in_scope)
        pending = tuple(records[len(page) :])
        return RoundRecord(round_, len(hits), in_scope, exhausted, shown_records, pending)

    async def _list_neighbours(
        self, numbers: Sequence[int], passage_ids: Set[PassageId]
    ) -> Sequence[RankedPassage]:
        """Return the unread passages directly before and after these, in document order."""
        if "page" in self._scope.filters:  # a neighbour may be on a page that the user excluded
            return ()
        shown_ids = [self._shown[number].passage_id for number in numbers if number in self._shown]
        centres, documents = await self._select_readable(shown_ids)
        neighbours: list[RankedPassage] = []
        for document_id, document in documents.items():
            ordinals = {
                passage.ordinal + step
                for passage in centres.values()
                if passage.document_id == document_id
                for step in (-1, 1)
            }
            neighbours += [
                RankedPassage(passage, 0.0, title=document.title)
                for passage in await self._searcher.shelf.list_passages_of(document_id)
                if passage.ordinal in ordinals and passage.id not in passage_ids
            ]
        return neighbours

    def _is_exhausted(self, read_ids: Set[PassageId], in_scope: int) -> bool:
        return len(read_ids | set(self._scope.rejected)) >= in_scope


def _drop_copies(hits: Sequence[RankedPassage]) -> list[RankedPassage]:
    """Return the best copy of each passage of a file that is in several corpora."""
    best: dict[tuple[str, int, str], RankedPassage] = {}
    for hit in hits:
        best.setdefault((hit.source, hit.passage.start, hit.passage.text), hit)
    return [*best.values()]


def take_fitting(things: Sequence[T], measure: Callable[[T], int], room_tokens: int) -> Sequence[T]:
    """Return as many things from the top as fit the room.

    At least one, so that a round always progresses.
    """
    if room_tokens == UNBOUNDED_ROOM:
        return things
    remaining = room_tokens
    for place, thing in enumerate(things):
        remaining -= measure(thing)
        if remaining < 0:
            return things[: max(1, place)]
    return things


def _measure(passage: Passage, measure: Callable[[str, str], int]) -> int:
    return measure(passage.text, passage.heading)


def _number_passage(
    record: ShownRecord,
    passage: Passage,
    following: Sequence[Passage],
    document: Document,
    definition: DefinitionMark | None,
) -> NumberedPassage:
    same_page = [*takewhile(lambda follower: _find_place(follower) == _find_place(passage), following)]
    after = _cut_text_between(passage.end, same_page)
    turned = [follower for follower in following[len(same_page) :] if _is_on_next_page(passage, follower)][:1]
    return NumberedPassage(
        record.number,
        passage.text,
        passage.heading,
        record.match,
        passage.ocr,
        after,
        document.title,
        _cut_text_between(passage.end + len(after), turned),
        passage.kind is BlockKind.CODE,
        None if definition is None else (definition.start - passage.start, definition.end - passage.start),
        definition is not None and definition.is_stated,
        _find_code_after(passage, same_page),
    )


def _find_code_after(passage: Passage, same_page: Sequence[Passage]) -> str:
    """Return the code that the passage introduces, or an empty text."""
    if passage.kind is BlockKind.CODE or not same_page or same_page[0].kind is not BlockKind.CODE:
        return ""
    return same_page[0].text


def _find_place(passage: Passage) -> tuple[int | None, str]:
    """Return the page and heading, where a reader would continue."""
    return passage.page, passage.heading


def _is_on_next_page(passage: Passage, follower: Passage) -> bool:
    """Return whether the follower is on the next page, under the same heading."""
    if passage.page is None or follower.page is None:
        return False
    return follower.page == passage.page + 1 and follower.heading == passage.heading


def _cut_text_between(end: int, followers: Sequence[Passage]) -> str:
    """Return the text of the followers from this offset of the document on.

    The white space between them is included.
    """
    text = ""
    for follower in followers:
        between = follower.start - end
        text += follower.text[-between:] if between <= 0 else "\n" * between + follower.text
        end = follower.end
    return text
