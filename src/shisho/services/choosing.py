"""Resolving of visitors' references: one document among several, fields to filter by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress

from shisho.domain.corpus import (
    DEFAULT_CORPUS,
    FILTER_FIELDS,
    UNBOUNDED_ROOM,
    WEB_CORPUS,
    Condition,
    Document,
    Scope,
    SearchRequest,
)
from shisho.domain.task import AskOptions, Sources, WebConsent
from shisho.errors import EmptyCorpus, EngineUnavailable, InvalidParams, NotFound
from shisho.messages import Message
from shisho.ports import Shelf
from shisho.services.access import CorpusAccess
from shisho.services.coercion import coerce_strings
from shisho.services.queue import check_consent

MAX_LISTED_DOCUMENTS = 20
MAX_HITS = 1_000
MAX_ROOM = 10_000_000  # tokens


async def find_one_document(shelf: Shelf, owner: str, name: str) -> Document:
    """Return a document by id, unique prefix, or the path or name of its file.

    Raises: InvalidParams for a blank; NotFound with the candidates if there are several.
    """
    documents = await shelf.find_documents(
        name, owner, MAX_LISTED_DOCUMENTS + 1
    ) or await shelf.find_by_source(name, owner)
    # A folder's corpus may mirror the same file too: the name means the one that was added by hand.
    by_hand = [document for document in documents if document.corpus == DEFAULT_CORPUS]
    if len(by_hand) == 1:
        return by_hand[0]
    if not documents:
        raise NotFound("document.not_found", name=name)
    if len(documents) > 1:
        raise _build_ambiguity_error(name, by_hand or documents)
    return documents[0]


async def find_removable_document(shelf: Shelf, owner: str, name: str, purge: bool) -> Document:
    """Return a document as `find_one_document`; to purge, also one that was already removed."""
    try:
        return await find_one_document(shelf, owner, name)
    except NotFound as nowhere:
        if purge:
            with suppress(NotFound):
                return await find_removed_document(shelf, owner, name)
        raise nowhere from None


async def list_copies(shelf: Shelf, access: CorpusAccess, document: Document) -> list[Message]:
    """Return warnings about other files that a removal concerns.

    Files with the same content are removed too; the same file in other corpora is still found, and the
    warning says how to remove it.
    """
    places = await shelf.list_places(document.corpus, document.owner)
    twins = sorted(
        source for source, id_ in places.items() if id_ == document.id and source != document.source
    )
    leaving = [Message("document.copy_removed", source=source) for source in twins[:MAX_LISTED_DOCUMENTS]]
    if len(twins) > MAX_LISTED_DOCUMENTS:
        leaving.append(Message("document.more_copies", count=len(twins) - MAX_LISTED_DOCUMENTS))
    return leaving + [
        Message(
            "document.still_in_corpus",
            corpus=access.replace_corpus_name(other).corpus,
            id=other.id,
        )
        for other in await shelf.find_by_source(document.source, access.owner)
        if other.source == document.source and other.id != document.id
    ]


async def find_removed_document(shelf: Shelf, owner: str, name: str) -> Document:
    """Return a removed document by id, unique prefix, or the path or name of its file.

    Raises: InvalidParams for a blank; NotFound with the candidates if there are several.
    """
    documents = await shelf.find_documents(name, owner, MAX_LISTED_DOCUMENTS + 1) or await shelf.find_removed(
        name, owner
    )
    if not documents:
        raise NotFound("document.not_removed", name=name)
    if len(documents) > 1:
        raise _build_ambiguity_error(name, documents)
    return documents[0]


def check_conversation(name: str | None) -> str:
    """Return the conversation of a question; "" for none.

    Raises InvalidParams for a blank, which may have been meant as a name.
    """
    if name is not None and not name.strip():
        raise InvalidParams("common.blank_id", noun=Message("noun.conversation"))
    return name or ""


async def check_listed(shelf: Shelf, owner: str, document_id: str) -> None:
    """Raise InvalidParams if a visitor continues a list from a document that they cannot see."""
    if not any(document.id == document_id for document in await shelf.find_documents(document_id, owner, 1)):
        raise build_cursor_error("document", document_id)


def build_cursor_error(noun: str, id_: str) -> InvalidParams:
    """Return the error for a list that continues after an unknown item.

    An empty page would look like the end.
    """
    return InvalidParams(
        "common.unknown_cursor",
        noun=Message(f"noun.{noun}"),
        id=id_,
    )


async def check_filters(
    shelf: Shelf, owner: str, filters: Mapping[str, Condition]
) -> Mapping[str, Condition]:
    """Return the filters.

    Raises InvalidParams for a field that no document has, listing the existing ones.
    """
    metadata_fields = [key for key in filters if key not in FILTER_FIELDS]
    if metadata_fields:
        known_keys = await shelf.list_metadata_keys(owner)
        unknown = [key for key in metadata_fields if key not in known_keys]
        if unknown:
            all_fields = [*known_keys, *FILTER_FIELDS]
            raise InvalidParams(
                "filter.unknown_field",
                unknown=", ".join(unknown),
                fields=", ".join(all_fields),
                known=all_fields,
            )
    return filters


def check_limit(limit: int | None) -> None:
    """Raise InvalidParams for a limit that is too large: an index allocates space for all in advance."""
    if limit is not None and not 1 <= limit <= MAX_HITS:
        raise InvalidParams("common.out_of_range", name="limit", least=1, most=MAX_HITS, value=limit)


def read_room(room_tokens: int | None, default: int = UNBOUNDED_ROOM) -> int:
    """Return the caller's room, or the default one. Raises InvalidParams if it is out of range."""
    if room_tokens is not None and not 1 <= room_tokens <= MAX_ROOM:
        raise InvalidParams(
            "common.out_of_range",
            name="room_tokens",
            least=1,
            most=MAX_ROOM,
            value=room_tokens,
        )
    return room_tokens or default


def check_request(request: SearchRequest) -> None:
    """Raise InvalidParams for a request without words."""
    if not any(text.strip() for text in (*request.keyword_query, request.vector_query)):
        raise InvalidParams("search.no_query")


def check_words(query: str | Sequence[str] | SearchRequest, request: SearchRequest) -> None:
    """Raise InvalidParams if the visitor's query or request is blank."""
    if isinstance(query, SearchRequest):
        check_request(request)
    elif not any(text.strip() for text in request.keyword_query):
        raise InvalidParams("search.no_words")


def _build_ambiguity_error(name: str, documents: Sequence[Document]) -> NotFound:
    rows = [f"  {document.id}  {document.source}" for document in documents[:MAX_LISTED_DOCUMENTS]]
    more = ["  …"] if len(documents) > MAX_LISTED_DOCUMENTS else []
    return NotFound(
        "document.ambiguous",
        name=name,
        rows="\n".join([*rows, *more]),
        documents=[
            {"id": document.id, "source": document.source} for document in documents[:MAX_LISTED_DOCUMENTS]
        ],
    )


def to_request(query: str | Sequence[str] | SearchRequest) -> SearchRequest:
    """Return the request itself, or one for these words."""
    return query if isinstance(query, SearchRequest) else SearchRequest(keyword_query=coerce_strings(query))


async def check_searchable(shelf: Shelf, owner: str, corpora: Sequence[str]) -> None:
    """Raise EmptyCorpus if these corpora are empty."""
    if await shelf.count(Scope(owner, tuple(corpora))) == 0:
        await check_elsewhere(shelf, owner, corpora)
        raise EmptyCorpus("search.empty_library")


async def check_elsewhere(shelf: Shelf, owner: str, corpora: Sequence[str]) -> None:
    """Raise EmptyCorpus if these corpora are empty but others are not."""
    if corpora and await shelf.count(Scope(owner)) > 0:
        raise EmptyCorpus(
            "search.empty_corpora",
            corpora=", ".join(corpora),
        )


async def choose_sources(
    shelf: Shelf, owner: str, options: AskOptions, consent: WebConsent, *, has_way: bool
) -> Sources:
    """Return the sources of a queued answer. `has_way`: web searches are possible and allowed.

    Raises EmptyCorpus, EngineUnavailable, InvalidParams for filters.
    """
    await check_filters(shelf, owner, options.filters)
    is_inside = options.sources is not Sources.WEB
    if is_inside and await shelf.count(Scope(owner, options.corpora)) == 0:
        await check_elsewhere(shelf, owner, options.corpora)
    if options.sources in (Sources.WEB, Sources.BOTH):
        corpora = options.corpora if is_inside else (WEB_CORPUS,)
        # If consent is undecided, an answer from documents alone mentions the unused web.
        is_undecided = consent is WebConsent.NOT_ASKED
        if has_way or (is_undecided and await shelf.count(Scope(owner, corpora)) > 0):
            return options.sources
        if consent is WebConsent.OFF:
            raise EngineUnavailable("question.web_off")
        check_consent(consent)
        raise EngineUnavailable("question.no_engine")
    # Filters refer to documents; web pages have none of the filtered fields.
    auto = options.sources is Sources.AUTO and not options.filters
    if not (auto and has_way) and await shelf.count(Scope(owner, options.corpora)) == 0:
        if auto and consent is not WebConsent.OFF:
            check_consent(consent)
        if has_way:
            raise EmptyCorpus("question.no_documents")
        raise EmptyCorpus("question.no_documents_web_off")
    return Sources.AUTO if auto else Sources.DOCUMENTS
