"""Build the verbs of questions: answers in progress, and sessions of assistants."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shisho.domain.corpus import UNBOUNDED_ROOM

if TYPE_CHECKING:
    from shisho.bootstrap.queue_parts import Parts
    from shisho.bootstrap.store_parts import QueueStores
    from shisho.ports import Conversations, Ledger
    from shisho.services.access import CorpusAccess
    from shisho.services.answers import AnswerDesk
    from shisho.services.conversing import ConversationDesk
    from shisho.services.inquiries import LibrarianInquiries
    from shisho.services.sessions import Sessions
    from shisho.services.tasks import TaskDesk


def build_answers(parts: Parts, stores: QueueStores, tasks: TaskDesk) -> AnswerDesk:
    """Build the verbs of answers without opening anything."""
    from shisho.jobs.status import TaskWatch
    from shisho.librarian.record import trace_run
    from shisho.services.answers import AnswerDesk, AnswerParts

    wired = AnswerParts(
        owner=parts.owner,
        ledger=parts.ledger,
        sessions=parts.searcher.log,
        tasks=tasks,
        queue=stores.tasks,
        jobs=stores.jobs,
        finds=stores.finds,
        watch=TaskWatch(stores.tasks, stores.bell),
        trace=trace_run,
    )
    return AnswerDesk(wired)


def build_sessions(parts: Parts, stores: QueueStores) -> Sessions:
    """Build the sessions of assistants without opening anything."""
    from shisho.jobs.ids import make_id
    from shisho.librarian.assistant import Assistant
    from shisho.services.session_parts import SessionParts
    from shisho.services.sessions import Sessions

    wired = SessionParts(
        owner=parts.owner,
        access=parts.access,
        shelf=parts.shelf,
        ledger=parts.ledger,
        log=parts.searcher.log,
        book=parts.assistants,
        searching=parts.searcher,
        rules=Assistant(),
        checks=parts.checks,
        quotas=parts.quotas,
        list_left_out=stores.opinions.list_left_out,
        clock=parts.clock,
        make_id=make_id,
        room_tokens=parts.settings.read_int("room_tokens") or UNBOUNDED_ROOM,
    )
    return Sessions(wired)


def build_conversations(
    access: CorpusAccess,
    stored: Conversations,
    ledger: Ledger,
    inquiries: LibrarianInquiries,
    tasks: TaskDesk,
) -> ConversationDesk:
    """Build the verbs of conversations without opening anything."""
    from shisho.services.conversing import ConversationDesk

    return ConversationDesk(access, stored, ledger, tasks, inquiries.understand)
