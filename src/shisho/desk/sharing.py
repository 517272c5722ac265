"""The view that a member of a group has of a task or an answer that another has shared: nothing of documents
that they may not read
themselves."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence, Set
from dataclasses import dataclass, replace

from shisho.domain.corpus import LOCAL_OWNER, DocumentId
from shisho.domain.inquiry import (
    Answer,
    AnswerBlock,
    AnswerList,
    AnswerParagraph,
    AnswerPassage,
    AnswerTable,
    Evidence,
    Sentence,
    list_sentences,
)
from shisho.domain.task import TaskSnapshot
from shisho.domain.team import TaskShare
from shisho.errors import InvalidParams, NotFound
from shisho.messages.catalogue import render
from shisho.messages.message import Message
from shisho.ports import TaskShares, Users

HIDDEN = Message("share.hidden_document")
MOST_SHARES = 1_000


@dataclass(frozen=True, slots=True)
class SharedReading:
    """The part that one visitor may read of what others share. `readable`: those of some documents that they
    may open now."""

    owner: str
    shares: TaskShares
    users: Users
    readable: Callable[[Sequence[DocumentId]], Awaitable[frozenset[DocumentId]]]

    async def find(self, shared_id: str) -> TaskShare | None:
        """The user who has shared this task or answer with the visitor."""
        return await self.shares.find(shared_id, self.owner)

    async def check_group(self, group: str) -> None:
        """Raises NotFound for a group that the visitor is no member of, InvalidParams for a blank; who runs
        the library may name any."""
        if not group.strip():
            raise InvalidParams("share.group_unnamed")
        for known in await self.users.list_groups():
            if known.name == group and (self.owner == LOCAL_OWNER or self.owner in known.members):
                return
        raise NotFound("share.not_a_member", name=group)

    async def answer(self, answer: Answer) -> Answer:
        """The part of another's answer that the visitor may see."""
        documents = sorted({evidence.document_id for evidence in answer.evidence})
        return hide_unreadable(answer, await self.readable(documents))

    async def read_status(self, snapshot: TaskSnapshot) -> TaskSnapshot:
        """What of another's task the visitor may see: its errors and delays and the persons that it waits for
        name addresses."""
        documents = [row.document_id for row in snapshot.results if row.document_id is not None]
        readable = await self.readable(documents)
        results = tuple(row for row in snapshot.results if row.document_id in readable)
        return replace(snapshot, results=results, errors=(), waiting_for=(), delays=())


def hide_unreadable(answer: Answer, readable: Collection[DocumentId]) -> Answer:
    """The answer without a word of documents that are not readable. Nobody can tell whose words a model has
    for what is missing."""
    answer = replace(answer, goal_status=tuple(replace(row, missing="") for row in answer.goal_status))
    hidden = {item.number for item in answer.evidence if item.document_id not in readable}
    if not hidden:
        return answer
    blocks = tuple(_hide(block, hidden) for block in answer.blocks if _is_readable(block, readable, hidden))
    return replace(
        answer,
        text="\n".join(map(_line, list_sentences(blocks))),
        blocks=blocks,
        evidence=tuple(_emptied(item) if item.number in hidden else item for item in answer.evidence),
    )


def _is_readable(block: AnswerBlock, readable: Collection[DocumentId], hidden: Set[int]) -> bool:
    """True for sentences, and for passages of readable documents. Nobody can tell whose words a heading or a
    remark has."""
    if isinstance(block, AnswerPassage):
        return block.document_id in readable and not hidden & {mark.number for mark in block.marks}
    return isinstance(block, AnswerParagraph | AnswerList | AnswerTable)


def _hide(block: AnswerBlock, hidden: Set[int]) -> AnswerBlock:
    match block:
        case AnswerParagraph(sentences):
            return AnswerParagraph(tuple(_without(unit, hidden) for unit in sentences))
        case AnswerList(items, signs):
            return AnswerList(tuple(_without(unit, hidden) for unit in items), signs)
        case AnswerTable(header, rows):
            cells = tuple(tuple(_without(cell, hidden) for cell in row) for row in rows)
            return AnswerTable(tuple("" for _ in header), cells)
        case _:
            return block


def _without(sentence: Sentence, hidden: Set[int]) -> Sentence:
    return replace(sentence, text=render(HIDDEN)) if hidden & {*sentence.evidence} else sentence


def _line(sentence: Sentence) -> str:
    return f"{sentence.text} {' '.join(f'[{number}]' for number in sentence.evidence)}".rstrip()


def _emptied(evidence: Evidence) -> Evidence:
    """Its number and its goal alone."""
    return replace(
        evidence,
        id="",
        document_id=DocumentId(""),
        document="",
        title=render(HIDDEN),
        heading="",
        page=None,
        start=0,
        end=0,
        snippet="",
        sha256="",
        source_url=None,
        link="",
        place="",
    )
