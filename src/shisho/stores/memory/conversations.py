"""Conversations in one process."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from shisho.domain.conversation import ConversationRemoved, ConversationTurn
from shisho.errors import NotFound
from shisho.stores.conversation_names import no_conversation, only_conversation
from shisho.stores.memory.ledger import MemoryLedger


class MemoryConversations:
    """`ports.Conversations` in a dictionary, over the ledger that holds the runs."""

    def __init__(self, ledger: MemoryLedger) -> None:
        self._ledger = ledger
        self._owners: dict[str, str] = {}
        self._questions: dict[str, tuple[str, str]] = {}  # by run: its conversation, what was asked

    async def add_turn(self, run_id: str, question: str, owner: str, conversation_id: str = "") -> None:
        if run_id in self._questions:
            return
        if not conversation_id:
            self._owners.setdefault(run_id, owner)
        elif self._owners.get(conversation_id) != owner:
            raise no_conversation(conversation_id)
        self._questions[run_id] = (conversation_id or run_id, question)

    async def find(self, prefix: str, owner: str) -> str:
        names = [name for name, _ in self._questions.values() if self._owners[name] == owner]
        if prefix == "last":
            return only_conversation(names[-1:], prefix)
        fitting = {name for name in names if name.startswith(prefix)}
        with suppress(NotFound):
            answer = await self._ledger.answer(prefix, owner)
            runs = (answer.id, answer.task_id)
            fitting.update(self._questions[run_id][0] for run_id in runs if run_id in self._questions)
        return only_conversation(sorted(fitting), prefix)

    async def turns(self, conversation_id: str) -> Sequence[ConversationTurn]:
        runs = [run_id for run_id, (name, _) in self._questions.items() if name == conversation_id]
        turns = []
        for number, run_id in enumerate(runs, 1):
            question = self._questions[run_id][1]
            answers = self._ledger.answers_of(run_id)
            understood = answers[-1].understood if answers else ""
            turns.append(ConversationTurn(number, run_id, question, understood or question))
        return turns

    async def remove(self, conversation_id: str) -> ConversationRemoved:
        turns = await self.turns(conversation_id)
        answers = sum(self._ledger.forget_run(turn.run_id) for turn in turns)
        for turn in turns:
            del self._questions[turn.run_id]
        self._owners.pop(conversation_id, None)
        return ConversationRemoved(conversation_id, len(turns), answers)
