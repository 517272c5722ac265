"""Conversations in one process."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from shisho.domain.conversation import ConversationRemoved, ConversationSummary, ConversationTurn
from shisho.domain.time import Instant
from shisho.errors import NotFound
from shisho.ports import Clock
from shisho.stores.beginnings import check_beginning
from shisho.stores.conversation_names import expect_only_conversation, no_conversation
from shisho.stores.memory.ledger import MemoryLedger


class MemoryConversations:
    """`ports.Conversations` in a dictionary, over the ledger that holds the runs."""

    def __init__(self, ledger: MemoryLedger, clock: Clock) -> None:
        self._ledger = ledger
        self._clock = clock
        self._owners: dict[str, str] = {}
        self._questions: dict[str, tuple[str, str]] = {}  # by run: its conversation, what was asked
        self._asked_at: dict[str, Instant] = {}

    async def add_turn(self, run_id: str, question: str, owner: str, conversation_id: str = "") -> None:
        if run_id in self._questions:
            return
        if not conversation_id:
            self._owners.setdefault(run_id, owner)
        elif self._owners.get(conversation_id) != owner:
            raise no_conversation(conversation_id)
        self._questions[run_id] = (conversation_id or run_id, question)
        self._asked_at[run_id] = self._clock.now()

    async def find(self, prefix: str, owner: str) -> str:
        names = [name for name, _ in self._questions.values() if self._owners[name] == owner]
        if prefix == "last":
            return expect_only_conversation(names[-1:], prefix)
        check_beginning(prefix, "conversation")
        fitting = {name for name in names if name.startswith(prefix)}
        fitting.update(
            name
            for run_id, (name, _) in self._questions.items()
            if run_id.startswith(prefix) and self._owners[name] == owner
        )
        with suppress(NotFound):
            answer = await self._ledger.answer(prefix, owner)
            runs = (answer.id, answer.task_id)
            fitting.update(self._questions[run_id][0] for run_id in runs if run_id in self._questions)
        return expect_only_conversation(sorted(fitting), prefix)

    async def list_newest(self, owner: str, before: int | None, limit: int) -> Sequence[ConversationSummary]:
        places = {name: place for place, (name, _) in enumerate(self._questions.values(), 1)}
        names = [name for name, whose in self._owners.items() if whose == owner]
        names = [name for name in names if before is None or places[name] < before]
        names.sort(key=lambda name: -places[name])
        return [await self._summary(name, places[name]) for name in names[:limit]]

    async def _summary(self, name: str, place: int) -> ConversationSummary:
        turns = await self.list_turns(name)
        last = turns[-1].run_id
        answers = self._ledger.answers_of(last)
        return ConversationSummary(
            conversation_id=name,
            question=turns[0].question,
            turns=len(turns),
            last_answer_id=turns[-1].answer_id,
            created_at=self._asked_at[turns[0].run_id],
            changed_at=answers[-1].created_at if answers else self._asked_at[last],
            place=place,
        )

    async def list_turns(self, conversation_id: str) -> Sequence[ConversationTurn]:
        runs = [run_id for run_id, (name, _) in self._questions.items() if name == conversation_id]
        turns = []
        for number, run_id in enumerate(runs, 1):
            question = self._questions[run_id][1]
            answers = self._ledger.answers_of(run_id)
            turn = ConversationTurn(number, run_id, question, question)
            if answers:
                latest = answers[-1]
                turn = ConversationTurn(
                    number=number,
                    run_id=run_id,
                    question=question,
                    understood=latest.understood or question,
                    answer_id=latest.id,
                    level=latest.level,
                    loop_stop=latest.loop_stop,
                )
            turns.append(turn)
        return turns

    async def remove(self, conversation_id: str) -> ConversationRemoved:
        turns = await self.list_turns(conversation_id)
        answers = sum(self._ledger.forget_run(turn.run_id) for turn in turns)
        for turn in turns:
            del self._questions[turn.run_id]
            del self._asked_at[turn.run_id]
        self._owners.pop(conversation_id, None)
        return ConversationRemoved(conversation_id, len(turns), answers)
