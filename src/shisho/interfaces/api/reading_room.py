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
from shisho.interfaces.api.operations import Effect, Verb
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
    """One thing that works here or does not. Where `ok` is false, `remedy` tells how to get it; `optional`:
    it is not needed. `title` is its name in the reader's words.
    """

    name: str
    title: str
    ok: bool
    detail: str
    remedy: str
    optional: bool


@dataclass(frozen=True, slots=True)
class CheckList:
    """Checks of this machine, the needed things first."""

    checks: tuple[CheckResult, ...]


@dataclass(frozen=True, slots=True)
class CorpusList:
    """Corpora by name."""

    corpora: tuple[Corpus, ...]


@dataclass(frozen=True, slots=True)
class MetadataFields:
    """Names under which something is said of documents, those of most documents first."""

    fields: tuple[MetadataField, ...]


@dataclass(frozen=True, slots=True)
class ConsentStatus:
    """Whether words may go out: `given`, `off`, or `not_asked`; `since` when the person said so, null where a
    setting decides. `queries` would go to one of `engines` each; `boxed`: to this machine alone.
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
    """Return what a report of this size takes of the model, before it is asked for."""
    return library.questions.estimate_report(sections=sections, words=words)


async def list_conversations(library: Library, cursor: Cursor = None, limit: Limit = 50) -> ConversationList:
    """Conversations, the one with the newest question first."""
    page = await library.conversations.list(cursor=cursor, limit=limit)
    return ConversationList(page.conversations, page.cursor is not None, page.cursor)


async def get_conversation(library: Library, conversation_id: ConversationName) -> Conversation:
    """The questions of a conversation in their order, how each was understood, and where it stands."""
    return await library.conversations.get(conversation_id)


async def get_answer_log(library: Library, answer_id: Id) -> AnswerLog:
    """What was done for an answer: rounds, searches, each page with its fate, models, why it ended. Also
    while it is being made.
    """
    return await library.questions.get_log(answer_id)


async def stop_answer(library: Library, answer_id: Id) -> AnswerHandle:
    """Stop the work on a question, with all else of its task. The answer is what was found until then, and
    its `loop_stop` is STOPPED; it is null where nothing had begun.
    """
    return await library.questions.stop(answer_id)


async def resume_answer(library: Library, answer_id: Id) -> AnswerHandle:
    """Go on with a question that was stopped or has failed; what was done is not done again."""
    return await library.questions.resume_queued(answer_id)


async def get_settings(library: Library) -> SettingList:
    """Every setting with its value, where that came from, its help and its choices. Of a secret only whether
    it is set.
    """
    return SettingList(tuple(await library.list_settings()))


async def get_checks(library: Library) -> CheckList:
    """What works on this machine, and how to get what does not; a language model is called once, shortly."""
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
    """The corpora of the library, with how much they hold."""
    return CorpusList(tuple(await library.documents.list_corpora()))


async def get_metadata(library: Library, corpora: Corpora = []) -> MetadataFields:  # noqa: B006
    """What is said of documents, to filter by: names with their most frequent values."""
    return MetadataFields(tuple(await library.documents.list_metadata(corpora=corpora)))


async def get_consent(
    library: Library,
    question: Annotated[
        Text | None, Field(description="whose queries are wanted; none: only to whom")
    ] = None,
) -> ConsentStatus:
    """Whether words may go out to search engines, and which words to whom. Nothing is sent."""
    if question is None:
        outgoing = await library.web.preview_queries()
    else:
        outgoing = await library.web.preview_question(question)
    return _to_consent(library, outgoing)


async def set_consent(
    library: Library,
    consent: Annotated[bool | None, Field(description="true: yes; false: no; null: to be asked again")],
) -> ConsentStatus:
    """Remember a person's yes or no to searching the web. Ask the person: nobody says it for them. A setting
    goes before it.
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
    """The public half of the key that the caller's proof files are signed with; empty where there is none."""

    public_key: str


async def get_key(library: Library) -> SigningKey:
    """The public key of the caller's proof files."""
    return SigningKey(await library.proofs.read_public_key())


async def make_key(library: Library) -> SigningKey:
    """Make the key that the caller's proof files are signed with from then on. One that is there stays."""
    return SigningKey(await library.proofs.make_key())


WORDS = {True: WebConsent.GIVEN, False: WebConsent.OFF, None: WebConsent.NOT_ASKED}
ANSWER = "answer://{0.answer_id}"


@dataclass(frozen=True, slots=True)
class WindowOpening:
    """A window for the person before the server's screen. `through`: the page asks no more; False: it is open
    still, and `get_auth_queue` tells when it is done with.
    """

    id: str
    through: bool


async def open_auth(library: Library, id: Id) -> WindowOpening:
    """Open what waits for a person in a browser window on the server's screen. Ends once the window is open,
    or at once with the reason why it cannot be.
    """
    opening = asyncio.create_task(library.web.open_auth(id))
    _OPENINGS.add(opening)
    opening.add_done_callback(_forget)
    ended, _ = await asyncio.wait([opening], timeout=UNTIL_OPEN)
    return WindowOpening(id, through=bool(ended) and opening.result().through)


def _forget(opening: asyncio.Task[WindowResult]) -> None:
    _OPENINGS.discard(opening)
    if not opening.cancelled():
        opening.exception()  # of an open window: the queue shows that the challenge still waits


UNTIL_OPEN = 3.0  # seconds in which a missing browser or screen is detected
_OPENINGS: set[asyncio.Task[WindowResult]] = set()  # the event loop only has weak references
VERBS = (
    Verb(
        open_auth,
        WindowOpening,
        "Open a window for a person",
        ("POST", "/auth/{id}/open"),
        Effect.CHANGE,
        outside=True,
    ),
    Verb(
        estimate_report,
        ReportEstimate,
        "Estimate a report",
        ("GET", "/reports/estimate"),
        Effect.READ,
    ),
    Verb(
        list_conversations,
        ConversationList,
        "List conversations",
        ("GET", "/conversations"),
        Effect.READ,
        rows=("conversations", "place"),
    ),
    Verb(
        get_conversation,
        Conversation,
        "Get a conversation",
        ("GET", "/conversations/{conversation_id}"),
        Effect.READ,
    ),
    Verb(get_answer_log, AnswerLog, "Log of an answer", ("GET", "/answers/{answer_id}/log"), Effect.READ),
    Verb(
        stop_answer,
        AnswerHandle,
        "Stop a question",
        ("POST", "/answers/{answer_id}/stop"),
        Effect.CHANGE,
        link=ANSWER,
    ),
    Verb(
        resume_answer,
        AnswerHandle,
        "Go on with a question",
        ("POST", "/answers/{answer_id}/resume"),
        Effect.CHANGE,
        outside=True,
        link=ANSWER,
    ),
    Verb(get_settings, SettingList, "Settings", ("GET", "/settings"), Effect.READ),
    Verb(get_checks, CheckList, "What works here", ("GET", "/checks"), Effect.READ, outside=True),
    Verb(list_corpora, CorpusList, "List corpora", ("GET", "/corpora"), Effect.READ),
    Verb(get_metadata, MetadataFields, "What to filter by", ("GET", "/metadata"), Effect.READ),
    Verb(get_consent, ConsentStatus, "Consent to web searches", ("GET", "/consent"), Effect.READ),
    Verb(get_key, SigningKey, "Signing key", ("GET", "/key"), Effect.READ),
    Verb(make_key, SigningKey, "Make a signing key", ("POST", "/key"), Effect.ADD),
    Verb(set_consent, ConsentStatus, "Say yes or no to web searches", ("POST", "/consent"), Effect.CHANGE),
)
