"""Questions about the collection, answered from the shelf and its index: the part that knows ids."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from shisho.domain.corpus import (
    BlockKind,
    Citation,
    Document,
    DocumentId,
    Passage,
    PassageId,
    Scope,
    SearchRequest,
)
from shisho.domain.place import restrict_place
from shisho.domain.survey import Survey, SurveyKind, SurveyRow
from shisho.domain.time import Instant, to_date
from shisho.language.meanings import Word
from shisho.language.sentences import split_sentences
from shisho.language.terms import fold, split_terms
from shisho.librarian.surveys import CitedSurvey, choose_texts
from shisho.ports import SearchView
from shisho.records import dataclass
from shisho.surveys import changes, counting, deadlines, naming, outline
from shisho.surveys.counting import SoughtWord
from shisho.surveys.outline import SentencePlace, list_sentences
from shisho.surveys.recognise import CollectionQuestion

if TYPE_CHECKING:
    from shisho.corpus.session import CorpusSearcher

MAX_LISTED_DOCUMENTS = 50  # documents
SUMMARISED = 24  # documents of a set that are summarised together
MIN_EXTRACTED = 3  # minimum of sentences, and of sections, for each of them
CANDIDATES = 5  # documents that a name may mean
CLOSEST = 3  # passages shown with the note that a model is needed
MAX_SENTENCES = 4_000  # sentences read of a document that is extracted or compared
MAX_DATED = 5_000  # passages searched for deadlines
PAGE = 1_000  # documents fetched at once
LONG = 3  # terms: anything longer is not a name
Mentions = Mapping[DocumentId, tuple[int, PassageId]]
"""How often each document mentions a thing, and the passage with the most mentions."""


@dataclass(frozen=True, slots=True)
class _Found:
    """The documents with all words, and those with synonyms of some.

    `are_apart`: the terms of the words occur in one passage, but not next to each other.
    """

    matches: Mentions
    similar: Mentions
    are_apart: bool = False


@dataclass(frozen=True, slots=True)
class CollectionLook:
    """One question about the collection in scope. `question` decides the language of the reply."""

    searcher: CorpusSearcher
    scope: Scope
    question: str
    now: Instant

    async def survey(self, request: CollectionQuestion, *, has_model: bool) -> CitedSurvey | None:
        """Answer a question about the collection. None if a named document does not exist."""
        match request.kind:
            case SurveyKind.COUNT | SurveyKind.LIST:
                return await self._list_mentioning(request)
            case SurveyKind.DEADLINES:
                return await self._list_deadlines(request)
            case SurveyKind.MODEL:
                return await self._show_closest(request)
            case _:
                return await self._read_named(request, has_model=has_model)

    async def _list_mentioning(self, request: CollectionQuestion) -> CitedSurvey | None:
        words = counting.read_topic(request.topic, is_question=request.is_chosen)
        if not words:
            return None
        say = choose_texts(self.question)
        look = await self.searcher.retriever.index.view(lambda view: self._find(view, words))
        if not (look.matches or look.similar) and any(len(word.terms) > LONG for word in words):
            return None  # a description rather than a name: its words are searched for
        documents = await self._fetch_documents([*look.matches, *look.similar])
        matches = [id_ for id_ in documents if id_ in look.matches]
        titled = [id_ for id_ in matches if request.noun and _is_called(documents[id_], request.noun)]
        places = {**look.similar, **look.matches}
        ranked = sorted(titled or matches, key=lambda id_: (-places[id_][0], documents[id_].source))
        alike = [] if titled else [id_ for id_ in documents if id_ in look.similar]
        listed = [*ranked, *alike][:MAX_LISTED_DOCUMENTS]
        passages = await self.searcher.shelf.fetch_passages([places[id_][1] for id_ in listed])
        visible = {id_: passages[places[id_][1]] for id_ in listed if places[id_][1] in passages}
        cited = _Cited(self.searcher)
        phrases = [phrase for word in words for phrase in (word.terms, *word.synonyms)]
        rows = []
        for id_, passage in visible.items():
            span = counting.choose_sentence(passage, phrases)
            title = ("≈ " if id_ in alike else "") + _title(documents[id_])
            rows.append(SurveyRow(title, (("", cited.add(documents[id_], passage, *span)),)))
        texts = [passage.text for id_, passage in visible.items() if id_ not in alike]
        forms = [form for word in words for form in counting.list_forms(texts, word, [word.terms])]
        label = counting.name_words([word.text for word in words], forms, say)
        lines = counting.count_documents(len(titled), len(matches), label, request.noun, look.are_apart, say)
        if alike:
            texts = [passage.text for id_, passage in visible.items() if id_ in alike]
            used = [form for word in words for form in counting.list_forms(texts, word, word.synonyms)]
            lines.append(say("survey_alike", words=say("answer_comma").join(dict.fromkeys(used))))
        if len(ranked) + len(alike) > MAX_LISTED_DOCUMENTS:
            lines.append(say("survey_shown", count=MAX_LISTED_DOCUMENTS))
        return cited.survey(Survey(request.kind, tuple(lines), tuple(rows)))

    def _find(self, view: SearchView, words: Sequence[SoughtWord]) -> _Found:
        exact = [self._count_mentions(view, [word.terms]) for word in words]
        matches = _intersect(exact)
        others = [self._count_mentions(view, word.synonyms) for word in words]
        wide = _intersect([{**other, **own} for other, own in zip(others, exact, strict=True)])
        similar = {id_: place for id_, place in wide.items() if id_ not in matches}
        if matches or similar or not any(word.terms[1:] for word in words):
            return _Found(matches, similar)
        apart = [self._count_mentions(view, [word.terms], are_apart=True) for word in words]
        return _Found(_intersect(apart), {}, are_apart=True)

    def _count_mentions(
        self, view: SearchView, phrases: Sequence[Word], *, are_apart: bool = False
    ) -> Mentions:
        """Count mentions exactly over the whole scope.

        The rarest term of each phrase proposes all its passages; the rest is compared by codes without
        reading texts: 30,000 passages take as long as one search.
        """
        matches: dict[DocumentId, tuple[int, PassageId]] = {}
        best: dict[DocumentId, int] = {}
        for phrase in phrases:
            counts = view.read_frequencies("terms", phrase, self.scope)
            rarest = min(phrase, key=counts.__getitem__)
            if not counts[rarest]:
                continue
            ids = view.propose([rarest], (), self.scope, counts[rarest], frozenset(self.scope.rejected))
            for vector in view.read_vectors(ids).values():
                parts = [(term,) for term in phrase] if are_apart else [phrase]
                count = min(counting.count_mentions(vector, part) for part in parts)
                if count:
                    id_ = vector.document_id
                    total, place = matches.get(id_, (0, vector.passage_id))
                    if count > best.get(id_, 0):
                        best[id_] = count
                        place = vector.passage_id
                    matches[id_] = (total + count, place)
        return matches

    async def _read_named(self, request: CollectionQuestion, *, has_model: bool) -> CitedSurvey | None:
        if "page" in self.scope.filters:
            return None
        documents = await self._list_documents()
        names = [naming.read_name(document.title, document.source) for document in documents]
        if request.kind is SurveyKind.CHANGES:
            pair = await asyncio.to_thread(naming.find_pair, request.names[0], request.names[1], names)
            return None if pair is None else await self._compare(documents[pair[0]], documents[pair[1]])
        places = await asyncio.to_thread(naming.find_named, request.names[0], names)
        if len(places) == 1:
            return await self._extract([documents[places[0]]], has_model=has_model)
        if request.is_chosen and not places and documents and (self.scope.corpora or self.scope.filters):
            return await self._extract(documents, has_model=has_model)
        if not request.is_chosen and not places:
            return None
        say = choose_texts(self.question)
        rows = tuple(SurveyRow(_title(documents[place])) for place in places[:CANDIDATES])
        line = say("survey_name", name=request.names[0])
        return CitedSurvey(Survey(SurveyKind.UNNAMED, (line,), rows))

    async def _extract(self, documents: Sequence[Document], *, has_model: bool) -> CitedSurvey:
        """Extract one document, or the caller's selection one after the other."""
        cited = _Cited(self.searcher)
        rows: list[SurveyRow] = []
        lines: list[str] = []
        for document in documents[:SUMMARISED]:
            more_rows, more_lines = await self._extract_one(
                document, cited, min(len(documents), SUMMARISED), has_model=has_model
            )
            rows += more_rows
            lines += more_lines
        if len(documents) > SUMMARISED:
            lines.append(choose_texts(self.question)("survey_unread", count=len(documents) - SUMMARISED))
        return cited.survey(Survey(SurveyKind.SUMMARY, tuple(lines), tuple(rows)))

    async def _extract_one(
        self, document: Document, cited: _Cited, count: int, *, has_model: bool
    ) -> tuple[list[SurveyRow], list[str]]:
        """Return the rows and lines of one of `count` documents."""
        say = choose_texts(self.question)
        places = await self._read_sentences(document)
        most = (outline.READ_SENTENCES, outline.READ_SECTIONS)
        if not has_model:
            most = (outline.SENTENCES, outline.MAX_SECTIONS)
        limits = [max(MIN_EXTRACTED, limit // count) for limit in most]
        sections, omitted = await asyncio.to_thread(outline.extract, places, *limits)
        prefix = _title(document) if count > 1 else ""
        rows = [
            SurveyRow(
                " › ".join(filter(None, (prefix, section.name_under(document.title)))),
                tuple(
                    ("", cited.add(document, place.passage, place.start, place.end))
                    for place in section.sentences
                ),
            )
            for section in sections
        ]
        lines = [say("survey_extract", title=_title(document))]
        pages = [place.passage.page for place in places if place.passage.page is not None]
        if pages:
            key = "survey_page" if min(pages) == max(pages) else "survey_pages"
            lines.append(say(key, first=min(pages), last=max(pages), sections=len(sections)))
        if omitted:
            lines.append(say("survey_left", count=omitted))
        if len(places) == MAX_SENTENCES:
            lines.append(say("survey_beginning", count=MAX_SENTENCES))
        return rows, lines

    async def _compare(self, old: Document, new: Document) -> CitedSurvey:
        say = choose_texts(self.question)
        before, after = [await self._read_sentences(document) for document in (old, new)]
        texts = [[place.text for place in places] for places in (before, after)]
        matches, same = await asyncio.to_thread(changes.compare_sentences, *texts)
        cited = _Cited(self.searcher)
        rows = []
        for change in matches[:MAX_LISTED_DOCUMENTS]:
            sides = (("−", old, before, change.old), ("+", new, after, change.new))
            quotes = tuple(
                (sign, cited.add(document, places[at].passage, places[at].start, places[at].end))
                for sign, document, places, at in sides
                if at is not None
            )
            rows.append(SurveyRow("", quotes))
        counts = {
            "changed": sum(change.old is not None and change.new is not None for change in matches),
            "come": sum(change.old is None for change in matches),
            "gone": sum(change.new is None for change in matches),
        }
        lines = [say("survey_compared", old=_title(old), new=_title(new), same=same, **counts)]
        if len(matches) > MAX_LISTED_DOCUMENTS:
            lines.append(say("survey_shown", count=MAX_LISTED_DOCUMENTS))
        if MAX_SENTENCES in (len(before), len(after)):
            lines.append(say("survey_beginning", count=MAX_SENTENCES))
        return cited.survey(Survey(SurveyKind.CHANGES, tuple(lines), tuple(rows)))

    async def _list_deadlines(self, request: CollectionQuestion) -> CitedSurvey | None:
        say = choose_texts(self.question)
        sought = deadlines.list_sought()
        rejected = frozenset(self.scope.rejected)
        # Only passages with a month or a deadline word are read, and only up to a limit.
        passages = await self.searcher.retriever.index.view(
            lambda view: [
                label.passage
                for label in view.fetch_passages(
                    view.propose(sought, (), self.scope, MAX_DATED, rejected)
                ).values()
            ]
        )
        documents = await self._fetch_documents([passage.document_id for passage in passages])
        today = to_date(self.now)
        limits = deadlines.list_limits(request.topic)
        dated = {}
        for passage in passages:
            document = documents.get(passage.document_id)
            for start, end in split_sentences(passage.text) if document else ():
                text = passage.text[start:end]
                day = deadlines.find_day(text)
                around = (
                    frozenset(split_terms(fold(f"{text} {passage.heading} {document.title}")))
                    if day and document
                    else ()
                )
                if day and limits <= frozenset(around):
                    dated[passage.document_id, passage.start + start] = (day, passage, start, end)
        if limits and not dated and not request.is_chosen:
            return None
        cited = _Cited(self.searcher)
        upcoming = sorted(
            (row for row in dated.values() if row[0] >= today),
            key=lambda row: (row[0], row[1].document_id),
        )
        rows = tuple(
            SurveyRow(
                f"{day.isoformat()} · {_title(documents[passage.document_id])}",
                (("", cited.add(documents[passage.document_id], passage, start, end)),),
            )
            for day, passage, start, end in upcoming[:MAX_LISTED_DOCUMENTS]
        )
        lines = [say("survey_days", today=today.isoformat(), open=len(upcoming), all=len(dated))]
        if len(upcoming) > MAX_LISTED_DOCUMENTS:
            lines.append(say("survey_shown", count=MAX_LISTED_DOCUMENTS))
        if len(passages) == MAX_DATED:
            lines.append(say("survey_looked", count=MAX_DATED))
        return cited.survey(Survey(SurveyKind.DEADLINES, tuple(lines), rows))

    async def _show_closest(self, request: CollectionQuestion) -> CitedSurvey:
        hits = await self.searcher.rank(SearchRequest(keyword_query=(request.topic,)), self.scope, CLOSEST)
        documents = await self._fetch_documents([hit.passage.document_id for hit in hits])
        cited = _Cited(self.searcher)
        phrases = [(term,) for term in split_terms(fold(request.topic))]
        rows = []
        for hit in hits:
            span = counting.choose_sentence(hit.passage, phrases)
            document = documents.get(hit.passage.document_id)
            if span and document:
                rows.append(SurveyRow(_title(document), (("", cited.add(document, hit.passage, *span)),)))
        say = choose_texts(self.question)
        lines = [say("survey_no_model"), *([say("survey_closest")] if rows else [])]
        return cited.survey(Survey(SurveyKind.MODEL, tuple(lines), tuple(rows)))

    async def _read_sentences(self, document: Document) -> Sequence[SentencePlace]:
        passages = await self.searcher.shelf.list_passages_of(document.id)
        readable = [passage for passage in passages if passage.id not in self.scope.rejected]
        return await asyncio.to_thread(list_sentences, readable, MAX_SENTENCES)

    async def _list_documents(self) -> list[Document]:
        """List all documents in scope without their texts: any of them may be the named one.

        Only needed if a question names a document.
        """
        listed: list[Document] = []
        while page := await self.searcher.shelf.list_documents(
            self.scope, listed[-1].id if listed else "", PAGE
        ):
            listed += page
            if len(page) < PAGE:
                break
        return list(_drop_copies(listed).values())

    async def _fetch_documents(self, ids: Sequence[DocumentId]) -> dict[DocumentId, Document]:
        """Return those documents, with a file in two corpora only once."""
        matches = await self.searcher.shelf.fetch_documents(list(dict.fromkeys(ids)))
        return _drop_copies([matches[id_] for id_ in dict.fromkeys(ids) if id_ in matches])


class _Cited:
    """The growing list of citations of one survey."""

    def __init__(self, searcher: CorpusSearcher) -> None:
        self._searcher = searcher
        self._citations: list[Citation] = []
        self._headings: list[str] = []

    def add(self, document: Document, passage: Passage, start: int, end: int) -> int:
        """Cite a span of a passage. Returns its index among the citations."""
        snippet = passage.text[start:end]
        self._citations.append(
            Citation(
                document_id=document.id,
                title=document.title,
                source=document.source,
                page=passage.page,
                start=passage.start + start,
                end=passage.start + end,
                snippet=snippet,
                sha256=hashlib.sha256(snippet.encode("utf-8", "surrogatepass")).hexdigest(),
                passage_id=passage.id,
                cluster="",
                site=self._searcher.site(document.source),
                place=restrict_place(passage.place, passage.text, start, end),
                ocr=passage.ocr,
                code=passage.kind is BlockKind.CODE,
            )
        )
        self._headings.append(passage.heading)
        return len(self._citations) - 1

    def survey(self, survey: Survey) -> CitedSurvey:
        return CitedSurvey(survey, tuple(self._citations), tuple(self._headings))


def _intersect(all_mentions: Sequence[Mentions]) -> dict[DocumentId, tuple[int, PassageId]]:
    """Return the documents in all mentions, with the passages of the first."""
    first, *others = all_mentions
    return {
        id_: (sum(mentions[id_][0] for mentions in all_mentions), place)
        for id_, (_, place) in first.items()
        if all(id_ in mentions for mentions in others)
    }


def _drop_copies(documents: Sequence[Document]) -> dict[DocumentId, Document]:
    unique = {(document.source, document.sha256): document for document in reversed(documents)}
    return {document.id: document for document in reversed(unique.values())}


def _is_called(document: Document, noun: str) -> bool:
    words = naming.read_name(document.title, document.source).words
    file_type = document.source.rpartition(".")[2]
    return frozenset(split_terms(fold(noun))) <= words or fold(noun).removesuffix("s") == fold(file_type)


def _title(document: Document) -> str:
    file = naming.read_name(document.title, document.source).file
    stem = file.rpartition(".")[0]
    return file if document.title in ("", file, stem) else f"{document.title} ({file})"
