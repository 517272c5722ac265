"""Verbs for programs with a user interface, besides those of assistants: routes without tools."""

from __future__ import annotations

import asyncio
from typing import Annotated

from pydantic import Field

from shisho.domain.answer_log import AnswerLog
from shisho.domain.conversation import Conversation, ConversationSummary
from shisho.domain.corpus import Check, Corpus
from shisho.domain.intervention import WindowResult
from shisho.domain.library import MetadataField, SettingValue
from shisho.domain.report import MAX_SECTIONS, MAX_WORDS, ReportEstimate
from shisho.domain.task import AnswerHandle, OutgoingQueries, WebConsent
from shisho.interfaces.api.operations import Effect, ReplyForm, Verb
from shisho.interfaces.api.replies import Corpora, Cursor, Id, Limit, Name, Text
from shisho.messages.catalogue import translate_word
from shisho.records import dataclass
from shisho.services import Library

ConversationName = Annotated[
    Name, Field(description="id, its unique beginning, the id of one of its answers, or `last`")
]


@dataclass(frozen=True, slots=True)
class ConversationList:
    """Conversations, the one with the newest question first."""

    conversations: tuple[ConversationSummary, ...]
    more: bool
    cursor: str | None


@dataclass(frozen=True, slots=True)
class SettingList:
    """All settings, in the order of their table."""

    settings: tuple[SettingValue, ...]


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of checking one feature of this machine.

    `title` is its name in the reader's language. `remedy`: how to fix it if `ok` is false.
    """

    name: str
    title: str
    ok: bool
    detail: str
    remedy: str
    optional: bool


@dataclass(frozen=True, slots=True)
class CheckList:
    """Checks of this machine, required features first."""

    checks: tuple[CheckResult, ...]


@dataclass(frozen=True, slots=True)
class CorpusList:
    """Corpora by name."""

    corpora: tuple[Corpus, ...]


@dataclass(frozen=True, slots=True)
class MetadataFields:
    """Metadata keys, most frequent first."""

    fields: tuple[MetadataField, ...]


@dataclass(frozen=True, slots=True)
class ConsentStatus:
    """The consent to searching the web.

    `since`: when the user decided, null if a setting decides. Each of `queries` would be sent to one of
    `engines`; `boxed`: only to this machine.
    """

    state: WebConsent
    since: str | None
    queries: tuple[str, ...]
    engines: tuple[str, ...]
    boxed: bool


async def estimate_report(
    library: Library,
    sections: Annotated[int, Field(ge=0, le=MAX_SECTIONS)] = 0,
    words: Annotated[int, Field(ge=0, le=MAX_WORDS)] = 0,
) -> ReportEstimate:
    """Estimate the model calls and tokens of a report of this size."""
    return library.questions.estimate_report(sections=sections, words=words)


async def list_conversations(library: Library, cursor: Cursor = None, limit: Limit = 50) -> ConversationList:
    """List conversations, the one with the newest question first."""
    page = await library.conversations.list(cursor=cursor, limit=limit)
    return ConversationList(page.conversations, page.cursor is not None, page.cursor)


async def get_conversation(library: Library, conversation_id: ConversationName) -> Conversation:
    """Get the questions of a conversation in order, with their interpretations and states."""
    return await library.conversations.get(conversation_id)


async def get_answer_log(library: Library, answer_id: Id) -> AnswerLog:
    """Get the log of an answer: rounds, searches, the outcome of each page, models, and why it ended.

    It is also available while the question is running.
    """
    return await library.questions.get_log(answer_id)


async def stop_answer(library: Library, answer_id: Id) -> AnswerHandle:
    """Stop a question and the rest of its task.

    Returns the answer so far, with the `loop_stop` STOPPED; null if the question had not started.
    """
    return await library.questions.stop(answer_id)


async def resume_answer(library: Library, answer_id: Id) -> AnswerHandle:
    """Resume a stopped or failed question. Completed steps are not repeated."""
    return await library.questions.resume_queued(answer_id)


async def get_settings(library: Library) -> SettingList:
    """List the settings with their values, sources, help and choices. Values of secrets are hidden."""
    return SettingList(tuple(await library.list_settings()))


async def get_checks(library: Library) -> CheckList:
    """Check the features of this machine, and how to get missing ones. The language model is called once."""
    return CheckList(tuple(map(_to_check_result, await library.run_checks())))


def _to_check_result(check: Check) -> CheckResult:
    return CheckResult(
        name=check.name,
        title=translate_word(f"check_{check.name}"),
        ok=check.ok,
        detail=check.detail,
        remedy=check.remedy,
        optional=check.optional,
    )


async def list_corpora(library: Library) -> CorpusList:
    """List the corpora of the library with their sizes."""
    return CorpusList(tuple(await library.documents.list_corpora()))


async def get_metadata(library: Library, corpora: Corpora = []) -> MetadataFields:  # noqa: B006
    """List the metadata keys to filter by, with their most frequent values."""
    return MetadataFields(tuple(await library.documents.list_metadata(corpora=corpora)))


async def get_consent(
    library: Library,
    question: Annotated[
        Text | None, Field(description="preview its queries; none: only list the engines")
    ] = None,
) -> ConsentStatus:
    """Get the consent to web searches, with the queries that would be sent and to whom. Sends nothing."""
    if question is None:
        outgoing = await library.web.preview_queries()
    else:
        outgoing = await library.web.preview_question(question)
    return _to_consent(library, outgoing)


async def set_consent(
    library: Library,
    consent: Annotated[bool | None, Field(description="true: yes; false: no; null: ask again")],
) -> ConsentStatus:
    """Store the user's consent to web searches, or its refusal. Ask the user; never decide for them.

    A setting takes precedence.
    """
    library.web.set_consent(WORDS[consent])
    return _to_consent(library, await library.web.preview_queries())


def _to_consent(library: Library, outgoing: OutgoingQueries) -> ConsentStatus:
    return ConsentStatus(
        state=library.web.get_consent(),
        since=library.web.get_consent_time() or None,
        queries=outgoing.queries,
        engines=outgoing.engines,
        boxed=outgoing.boxed,
    )


@dataclass(frozen=True, slots=True)
class SigningKey:
    """The public key of the caller's signed proof files; empty if there is none."""

    public_key: str


async def get_key(library: Library) -> SigningKey:
    """Get the public key of the caller's proof files."""
    return SigningKey(await library.proofs.read_public_key())


async def make_key(library: Library) -> SigningKey:
    """Create the key that signs the caller's proof files. An existing key is kept."""
    return SigningKey(await library.proofs.make_key())


WORDS = {True: WebConsent.GIVEN, False: WebConsent.OFF, None: WebConsent.NOT_ASKED}
ANSWER = "answer://{0.answer_id}"


@dataclass(frozen=True, slots=True)
class WindowOpening:
    """A browser window for a human check, on the server's screen.

    `through`: the check is completed; false: the window is still open, and `get_auth_queue` shows its state.
    """

    id: str
    through: bool


async def open_auth(library: Library, id: Id) -> WindowOpening:
    """Open the page of a human check in a browser window on the server's screen.

    Returns when the window is open, or fails with the reason.
    """
    opening = asyncio.create_task(library.web.open_auth(id))
    _OPENINGS.add(opening)
    opening.add_done_callback(_forget)
    ended, _ = await asyncio.wait([opening], timeout=OPENING_SECONDS)
    return WindowOpening(id, through=bool(ended) and opening.result().through)


def _forget(opening: asyncio.Task[WindowResult]) -> None:
    _OPENINGS.discard(opening)
    if not opening.cancelled():
        opening.exception()  # of an open window: the queue shows that the challenge still waits


OPENING_SECONDS = 3.0  # seconds in which a missing browser or screen is detected
_OPENINGS: set[asyncio.Task[WindowResult]] = set()  # the event loop only has weak references
VERBS = (
    Verb(
        open_auth,
        WindowOpening,
        "Open a window for a human check",
        ("POST", "/auth/{id}/open"),
        Effect("change", outside=True),
    ),
    Verb(
        estimate_report,
        ReportEstimate,
        "Estimate a report",
        ("GET", "/reports/estimate"),
        Effect("read"),
    ),
    Verb(
        list_conversations,
        ConversationList,
        "List conversations",
        ("GET", "/conversations"),
        Effect("read"),
        form=ReplyForm(rows=("conversations", "place")),
    ),
    Verb(
        get_conversation,
        Conversation,
        "Get a conversation",
        ("GET", "/conversations/{conversation_id}"),
        Effect("read"),
    ),
    Verb(get_answer_log, AnswerLog, "Log of an answer", ("GET", "/answers/{answer_id}/log"), Effect("read")),
    Verb(
        stop_answer,
        AnswerHandle,
        "Stop a question",
        ("POST", "/answers/{answer_id}/stop"),
        Effect("change"),
        form=ReplyForm(link=ANSWER),
    ),
    Verb(
        resume_answer,
        AnswerHandle,
        "Resume a question",
        ("POST", "/answers/{answer_id}/resume"),
        Effect("change", outside=True),
        form=ReplyForm(link=ANSWER),
    ),
    Verb(get_settings, SettingList, "Settings", ("GET", "/settings"), Effect("read")),
    Verb(get_checks, CheckList, "What works here", ("GET", "/checks"), Effect("read", outside=True)),
    Verb(list_corpora, CorpusList, "List corpora", ("GET", "/corpora"), Effect("read")),
    Verb(get_metadata, MetadataFields, "What to filter by", ("GET", "/metadata"), Effect("read")),
    Verb(get_consent, ConsentStatus, "Consent to web searches", ("GET", "/consent"), Effect("read")),
    Verb(get_key, SigningKey, "Signing key", ("GET", "/key"), Effect("read")),
    Verb(make_key, SigningKey, "Make a signing key", ("POST", "/key"), Effect("add")),
    Verb(set_consent, ConsentStatus, "Say yes or no to web searches", ("POST", "/consent"), Effect("change")),
)
