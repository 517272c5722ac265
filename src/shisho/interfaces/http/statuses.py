"""The HTTP status of each error: what a client, a proxy or a generated client does with it without reading
the code."""

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

# A class that is not here has the status of the class it comes from.
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
    EmptyCorpus: 409,  # the request is right; the library has to hold something first
    SourceRemoved: 410,
    TooLarge: 413,
    UnsupportedMedia: 415,
    UnusableDocument: 422,
    KeyConflict: 422,  # as draft-ietf-httpapi-idempotency-key-header has it for a key with another request
    BudgetExhausted: 429,
    ExtraMissing: 501,
    AuthRequired: 502,  # the page asks for a person; 401 would tell a client that its own token is wrong
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
AT_THE_DOOR = (401, 408, 421)  # said by the guard, before anything is asked of the desk


def status_of(error: ShishoError) -> int:
    """The status of an error's class, or of the nearest class that it comes from."""
    return next(STATUSES[kind] for kind in type(error).__mro__ if kind in STATUSES)


def build_headers(error: ShishoError) -> dict[str, str]:
    """`Retry-After` in whole seconds, where it is known when asking again makes sense."""
    seconds = error.details.get("retry_after_s")
    return (
        {"Retry-After": str(math.ceil(seconds))} if isinstance(seconds, int | float) and seconds > 0 else {}
    )
