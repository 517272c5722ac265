"""What a question stands in, for the model that reads it: its conversation and the library, as they are now.
Nothing of it is copied into the run, so that a purge need not look for it there."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from shisho.domain.conversation import ConversationTurn, CorpusFacts, EarlierTurn, Surroundings
from shisho.domain.corpus import Corpus, Scope
from shisho.domain.inquiry import Inquiry
from shisho.errors import ShishoError
from shisho.language.script import answer_language
from shisho.ports import Conversations, Ledger, Shelf

MOST_CORPORA = 10
TITLES = 20  # of a corpus tell its languages


@dataclass(frozen=True, slots=True)
class Recollection:
    """Recalls for a run. What cannot be read any more is left out."""

    conversations: Conversations
    ledger: Ledger
    shelf: Shelf

    async def recall(self, inquiry: Inquiry) -> Surroundings:
        """The turns that its question may point back to, and the corpora it looks in."""
        return Surroundings(await self._turns(inquiry), await self._corpora(inquiry.scope))

    async def _turns(self, inquiry: Inquiry) -> tuple[EarlierTurn, ...]:
        if not inquiry.earlier:
            return ()
        earlier_turns: list[ConversationTurn] = []
        for turn in await self.conversations.list_turns(inquiry.conversation_id):
            if turn.run_id == inquiry.run_id:
                break
            earlier_turns.append(turn)
        return tuple(
            [await self._turn(turn, inquiry.scope.owner) for turn in earlier_turns[-len(inquiry.earlier) :]]
        )

    async def _turn(self, turn: ConversationTurn, owner: str) -> EarlierTurn:
        with suppress(ShishoError):  # erased meanwhile
            if turn.answer_id is not None:
                answer = await self.ledger.answer(turn.answer_id, owner)
                return EarlierTurn(turn.understood, " ".join(sentence.text for sentence in answer.sentences))
        return EarlierTurn(turn.understood)

    async def _corpora(self, scope: Scope) -> tuple[CorpusFacts, ...]:
        corpora = [
            corpus
            for corpus in await self.shelf.list_corpora(scope.owner)
            if corpus.passages and (not scope.corpora or corpus.name in scope.corpora)
        ]
        return tuple([await self._facts(corpus, scope.owner) for corpus in corpora[:MOST_CORPORA]])

    async def _facts(self, corpus: Corpus, owner: str) -> CorpusFacts:
        documents = await self.shelf.list_documents(Scope(owner, (corpus.name,)), limit=TITLES)
        languages = sorted({answer_language(document.title or document.source) for document in documents})
        # A corpus that mirrors a folder bears its path, which is nobody's business.
        return CorpusFacts(Path(corpus.name).name or corpus.name, corpus.passages, tuple(languages))
