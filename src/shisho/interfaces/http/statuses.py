"""The HTTP status of each error, for clients and proxies that do not parse the error code."""

from __future__ import annotations

import math
from collections.abc import Mapping

from shisho.errors import (
    AccessDenied,
    AllEnginesBlocked,
    AllFetchesFailed,
    AuthRequired,
    BudgetExhausted,
    Conflict,
    ConsentRequired,
    EmptyCorpus,
    EngineUnavailable,
    ExtraMissing,
    ForbiddenAddress,
    ForbiddenPath,
    InternalError,
    InvalidParams,
    KeyConflict,
    ModelFailed,
    NotFound,
    ParserFailed,
    RobotsDisallowed,
    ServerBusy,
    ShishoError,
    SourceRemoved,
    StorageUnusable,
    StoreUnavailable,
    TimedOut,
    TooLarge,
    UnsupportedMedia,
    UnusableDocument,
)

# Other classes have the status of their base class.
STATUSES: Mapping[type[ShishoError], int] = {
    ShishoError: 500,
    InternalError: 500,
    InvalidParams: 400,
    ConsentRequired: 403,
    ForbiddenAddress: 403,
    ForbiddenPath: 403,
    AccessDenied: 403,
    RobotsDisallowed: 403,
    NotFound: 404,
    Conflict: 409,
    EmptyCorpus: 409,  # the request is right, but the library has no documents yet
    SourceRemoved: 410,
    TooLarge: 413,
    UnsupportedMedia: 415,
    UnusableDocument: 422,
    KeyConflict: 422,  # draft-ietf-httpapi-idempotency-key-header: a reused key with another request
    BudgetExhausted: 429,
    ExtraMissing: 501,
    AuthRequired: 502,  # the web page asks for a person; 401 would mean that the client's own token is wrong
    AllFetchesFailed: 502,
    ModelFailed: 502,
    ParserFailed: 502,
    AllEnginesBlocked: 503,
    EngineUnavailable: 503,
    ServerBusy: 503,
    StorageUnusable: 503,
    StoreUnavailable: 503,
    TimedOut: 504,
}
GUARD_STATUSES = (401, 408, 421)  # sent by the guard, before the library is called


def status_of(error: ShishoError) -> int:
    """Return the status of the error's class, or of its nearest base class."""
    return next(STATUSES[kind] for kind in type(error).__mro__ if kind in STATUSES)


def build_headers(error: ShishoError) -> dict[str, str]:
    """Return `Retry-After` in whole seconds, if the error says when to retry."""
    seconds = error.details.get("retry_after_s")
    return (
        {"Retry-After": str(math.ceil(seconds))} if isinstance(seconds, int | float) and seconds > 0 else {}
    )
