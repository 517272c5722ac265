"""The context of a question for a model: its conversation and the library, as they are now.

Nothing of it is copied into the run, so that a purge need not search there.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from shisho.domain.conversation import (
    ConversationTurn,
    CorpusFacts,
    DocumentFacts,
    EarlierTurn,
    Surroundings,
)
from shisho.domain.corpus import Corpus, Document, Passage, Scope, SearchRequest
from shisho.domain.inquiry import Inquiry
from shisho.domain.requirements import RequestKind
from shisho.errors import ShishoError
from shisho.language import answer_language
from shisho.ports import ConversationStore, Ledger, Shelf
from shisho.records import dataclass

if TYPE_CHECKING:
    from shisho.corpus.session import CorpusSearcher

MAX_CORPORA = 10
TITLES = 20  # of a corpus, to determine its languages
DEPTH = 50  # passages ranked to find the likely documents
MAX_DOCUMENTS = 8
MAX_MAPPED = 24  # documents in the map for a report
MAX_TITLES = 10_000  # of the documents that a report may read; those it has not read are counted
MAX_PASSAGES = 2_000  # passages of a document that are read for headings
MAX_HEADINGS = 16  # of one document
HEADING_MARK = " › "
DATE_FIELDS = ("date", "year")


@dataclass(frozen=True, slots=True)
class Recollection:
    """A provider of context for runs. Unreadable parts are left out."""

    conversations: ConversationStore
    ledger: Ledger
    shelf: Shelf
    searcher: CorpusSearcher

    async def recall(self, inquiry: Inquiry) -> Surroundings:
        """Return the turns before a question, its corpora, and the likely documents."""
        turns = await self._list_turns(inquiry)
        corpora = await self._describe_corpora(inquiry.scope)
        is_report = inquiry.requirements.kind is RequestKind.REPORT
        documents = await self._outline_likely(inquiry, MAX_MAPPED if is_report else MAX_DOCUMENTS)
        return Surroundings(turns, corpora, documents, await self._list_titles(inquiry) if is_report else ())

    async def _list_titles(self, inquiry: Inquiry) -> tuple[str, ...]:
        documents = await self.shelf.list_documents(inquiry.scope, limit=MAX_TITLES)
        return tuple(dict.fromkeys(map(_title, documents)))

    async def _list_turns(self, inquiry: Inquiry) -> tuple[EarlierTurn, ...]:
        if not inquiry.earlier:
            return ()
        earlier_turns: list[ConversationTurn] = []
        for turn in await self.conversations.list_turns(inquiry.conversation_id):
            if turn.run_id == inquiry.run_id:
                break
            earlier_turns.append(turn)
        return tuple(
            [
                await self._summarise_turn(turn, inquiry.scope.owner)
                for turn in earlier_turns[-len(inquiry.earlier) :]
            ]
        )

    async def _summarise_turn(self, turn: ConversationTurn, owner: str) -> EarlierTurn:
        with suppress(ShishoError):  # erased since
            if turn.answer_id is not None:
                answer = await self.ledger.answer(turn.answer_id, owner)
                return EarlierTurn(turn.understood, " ".join(sentence.text for sentence in answer.sentences))
        return EarlierTurn(turn.understood)

    async def _describe_corpora(self, scope: Scope) -> tuple[CorpusFacts, ...]:
        corpora = [
            corpus
            for corpus in await self.shelf.list_corpora(scope.owner)
            if corpus.passages and (not scope.corpora or corpus.name in scope.corpora)
        ]
        return tuple([await self._describe_corpus(corpus, scope.owner) for corpus in corpora[:MAX_CORPORA]])

    async def _describe_corpus(self, corpus: Corpus, owner: str) -> CorpusFacts:
        documents = await self.shelf.list_documents(Scope(owner, (corpus.name,)), limit=TITLES)
        languages = sorted({answer_language(document.title or document.source) for document in documents})
        # A corpus that mirrors a folder has its path as name, which is private.
        return CorpusFacts(Path(corpus.name).name or corpus.name, corpus.passages, tuple(languages))

    async def _outline_likely(self, inquiry: Inquiry, most: int) -> tuple[DocumentFacts, ...]:
        query = (*inquiry.earlier[-1:], inquiry.question)
        ids = await self.searcher.rank_documents(SearchRequest(keyword_query=query), inquiry.scope, DEPTH)
        likely_ids = ids[:most]
        documents = await self.shelf.fetch_documents(likely_ids)
        return tuple([await self._outline(documents[id_]) for id_ in likely_ids if id_ in documents])

    async def _outline(self, document: Document) -> DocumentFacts:
        passages: Sequence[Passage] = ()
        if document.passage_count <= MAX_PASSAGES:
            passages = await self.shelf.list_passages_of(document.id)
        paths = [passage.heading.split(HEADING_MARK) for passage in passages]
        below_title = [path[1:] if path[0] == document.title else path for path in paths]
        headings = dict.fromkeys(path[0] for path in below_title if path and path[0])
        date = next((document.metadata[name] for name in DATE_FIELDS if document.metadata.get(name)), "")
        return DocumentFacts(_title(document), date, tuple(headings)[:MAX_HEADINGS])


def _title(document: Document) -> str:
    return document.title or Path(document.source).name
