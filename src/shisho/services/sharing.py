"""The view that group members have of a shared task or answer, without documents that they may not read."""

from __future__ import annotations

from collections.abc import Collection, Set
from dataclasses import replace

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
from shisho.messages import Message
from shisho.messages.catalogue import render
from shisho.ports import TaskShares, Users
from shisho.records import dataclass
from shisho.services.access import CorpusAccess

HIDDEN = Message("share.hidden_document")
MAX_SHARES = 1_000


@dataclass(frozen=True, slots=True)
class SharedReading:
    """One visitor's view of others' shares."""

    access: CorpusAccess
    shares: TaskShares
    users: Users

    async def find(self, shared_id: str) -> TaskShare | None:
        """Return the share of this task or answer with the visitor, or None."""
        return await self.shares.find(shared_id, self.access.owner)

    async def check_group(self, group: str) -> None:
        """Raise NotFound for a group without the visitor as member, InvalidParams for a blank.

        The library's administrator may name any group.
        """
        if not group.strip():
            raise InvalidParams("share.group_unnamed")
        owner = self.access.owner
        for known in await self.users.list_groups():
            if known.name == group and (owner == LOCAL_OWNER or owner in known.members):
                return
        raise NotFound("share.not_a_member", name=group)

    async def answer(self, answer: Answer) -> Answer:
        """Return the part of another user's answer that the visitor may see."""
        documents = sorted({evidence.document_id for evidence in answer.evidence})
        return hide_unreadable(answer, await self.access.select_readable(documents))

    async def read_status(self, snapshot: TaskSnapshot) -> TaskSnapshot:
        """Return the part of another user's task that the visitor may see.

        Errors, delays and pending interventions are hidden, because they contain addresses.
        """
        documents = [row.document_id for row in snapshot.results if row.document_id is not None]
        readable = await self.access.select_readable(documents)
        results = tuple(row for row in snapshot.results if row.document_id in readable)
        return replace(snapshot, results=results, errors=(), waiting_for=(), delays=())


def hide_unreadable(answer: Answer, readable: Collection[DocumentId]) -> Answer:
    """Remove all text of unreadable documents from an answer.

    A model's description of missing information is removed too, because its source is unknown.
    """
    answer = replace(answer, goal_status=tuple(replace(row, missing="") for row in answer.goal_status))
    hidden = {item.number for item in answer.evidence if item.document_id not in readable}
    if not hidden:
        return answer
    blocks = tuple(_hide(block, hidden) for block in answer.blocks if _is_readable(block, readable, hidden))
    return replace(
        answer,
        text="\n".join(map(_format_line, list_sentences(blocks))),
        blocks=blocks,
        evidence=tuple(_empty(item) if item.number in hidden else item for item in answer.evidence),
    )


def _is_readable(block: AnswerBlock, readable: Collection[DocumentId], hidden: Set[int]) -> bool:
    """Return True for sentences, and for passages of readable documents.

    The source of the words of a heading or a remark is unknown.
    """
    if isinstance(block, AnswerPassage):
        return block.document_id in readable and not hidden & {mark.number for mark in block.marks}
    return isinstance(block, AnswerParagraph | AnswerList | AnswerTable)


def _hide(block: AnswerBlock, hidden: Set[int]) -> AnswerBlock:
    match block:
        case AnswerParagraph(sentences):
            return AnswerParagraph(tuple(_hide_sentence(unit, hidden) for unit in sentences))
        case AnswerList(items):
            return replace(block, items=tuple(_hide_sentence(unit, hidden) for unit in items))
        case AnswerTable(header, rows):
            cells = tuple(tuple(_hide_sentence(cell, hidden) for cell in row) for row in rows)
            return AnswerTable(tuple("" for _ in header), cells)
        case _:
            return block


def _hide_sentence(sentence: Sentence, hidden: Set[int]) -> Sentence:
    return replace(sentence, text=render(HIDDEN)) if hidden & {*sentence.evidence} else sentence


def _format_line(sentence: Sentence) -> str:
    return f"{sentence.text} {' '.join(f'[{number}]' for number in sentence.evidence)}".rstrip()


def _empty(evidence: Evidence) -> Evidence:
    """Return evidence with only its number and goal."""
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
