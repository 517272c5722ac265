"""The public errors. The class says whether to retry, the message what happened and what to do.

ShishoError                      code                  retry
├─ InvalidParams                 INVALID_PARAMS        no
├─ NotFound                      RESOURCE_NOT_FOUND    no
│  └─ TaskNotFound               TASK_NOT_FOUND        no
├─ EmptyCorpus                   EMPTY_CORPUS          no
├─ BudgetExhausted               BUDGET_EXHAUSTED      no
│  └─ QuotaExhausted             QUOTA_EXHAUSTED       no
├─ SourceRemoved                 SOURCE_REMOVED        no
├─ EngineUnavailable             ENGINE_UNAVAILABLE    no
├─ ParserFailed                  PARSER_FAILED         no
├─ AllEnginesBlocked             ALL_ENGINES_BLOCKED   no
├─ AllFetchesFailed              ALL_FETCHES_FAILED    no
├─ ForbiddenAddress              FORBIDDEN_ADDRESS     no
├─ RobotsDisallowed              ROBOTS_DISALLOWED     no
├─ ExtraMissing                  EXTRA_MISSING         no
├─ ForbiddenPath                 FORBIDDEN_PATH        no
├─ AccessDenied                  ACCESS_DENIED         no
├─ AuthRequired                  AUTH_REQUIRED         no
├─ ConsentRequired               CONSENT_REQUIRED      no
├─ Conflict                      CONFLICT              yes
│  ├─ KeyConflict                CONFLICT              no
│  └─ NameConflict                  NAME_TAKEN            no
├─ StoreUnavailable              STORE_UNAVAILABLE     yes
├─ StorageUnusable               STORAGE_UNUSABLE      no
├─ ModelFailed                   MODEL_FAILED          no
├─ TimedOut                      TIMEOUT               yes
├─ InternalError                 INTERNAL              no
└─ UnusableDocument                                    no
   ├─ DocumentUnreadable         DOCUMENT_UNREADABLE
   ├─ DocumentEncrypted          DOCUMENT_ENCRYPTED
   ├─ UnsupportedMedia           UNSUPPORTED_MEDIA
   ├─ TooLarge                   TOO_LARGE
   └─ NeedsOcr                   NEEDS_OCR
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from shisho.messages import Message, install_command


class ShishoError(Exception):
    """Base of all errors.

    Raise it with the id of a message and its values, `NotFound("job.not_found", job_id="7")`, or with a
    Message. `details` are the values and further facts for programs: JSON-ready, never a secret or the text
    of a document.
    """

    code: ClassVar[str] = "INTERNAL"
    retry: ClassVar[bool] = False

    def __init__(self, message: str, /, **details: Any) -> None:
        self.message = message if isinstance(message, Message) else Message(message, **details)
        super().__init__(self.message)
        values = {name: self.message.values.get(name, value) for name, value in details.items()}
        self.details: Mapping[str, Any] = {
            name: str(value) if isinstance(value, Message) else value for name, value in values.items()
        }

    @property
    def message_id(self) -> str:
        return self.message.id


class InvalidParams(ShishoError):
    """The arguments of the call are wrong: correct them."""

    code = "INVALID_PARAMS"


class NotFound(ShishoError):
    """No such document, answer, evidence or passage (or the prefix fits several)."""

    code = "RESOURCE_NOT_FOUND"


class TaskNotFound(NotFound):
    """No such task (or the prefix fits several)."""

    code = "TASK_NOT_FOUND"


class EmptyCorpus(ShishoError):
    """There is nothing to search: add documents first."""

    code = "EMPTY_CORPUS"


class BudgetExhausted(ShishoError):
    """A limit was reached before anything was found: raise it."""

    code = "BUDGET_EXHAUSTED"


class QuotaExhausted(BudgetExhausted):
    """The daily quota of a user or a group is used up.

    Wait until tomorrow, or ask the library's administrator.
    """

    code = "QUOTA_EXHAUSTED"


class SourceRemoved(ShishoError):
    """The text was purged; its quotations can no longer be shown."""

    code = "SOURCE_REMOVED"


class EngineUnavailable(ShishoError):
    """A search engine cannot be used as requested.

    Turn on the browser, set its key, or use another engine.
    """

    code = "ENGINE_UNAVAILABLE"


class ParserFailed(ShishoError):
    """A result page of an unknown layout: ask another engine and report the page."""

    code = "PARSER_FAILED"


class AllEnginesBlocked(ShishoError):
    """Every suitable engine needs a person, refuses, or is over its daily limit: see `shisho engines`."""

    code = "ALL_ENGINES_BLOCKED"


class AllFetchesFailed(ShishoError):
    """A page could not be fetched: open it in a browser to see why, or try another address."""

    code = "ALL_FETCHES_FAILED"


class ConsentRequired(ShishoError):
    """Words would leave this machine without consent: a person gives it once."""

    code = "CONSENT_REQUIRED"


class ForbiddenAddress(ShishoError):
    """The address is in this machine or a private network.

    Add its host to `allow_private_hosts` if that is intended.
    """

    code = "FORBIDDEN_ADDRESS"


class RobotsDisallowed(ShishoError):
    """The site's robots.txt forbids this page to programs: open it in a browser and add it as a file."""

    code = "ROBOTS_DISALLOWED"


class ExtraMissing(ShishoError):
    """An optional package is needed: install the named extra. `extra` fills `{install}` in the message."""

    code = "EXTRA_MISSING"

    def __init__(self, message: str, /, *, extra: str = "", **details: Any) -> None:
        values = {"extra": extra, "install": install_command(extra)} if extra else {}
        super().__init__(message, **values, **details)


class ForbiddenPath(ShishoError):
    """A file outside the folders that remote callers may name: add its folder to `allowed_roots`."""

    code = "FORBIDDEN_PATH"


class AccessDenied(ShishoError):
    """The user may read this but not change it. Its owner or the administrator can grant it."""

    code = "ACCESS_DENIED"


class AuthRequired(ShishoError):
    """A page needed a person and nobody acted: solve it in a browser, then resume the task."""

    code = "AUTH_REQUIRED"


class Conflict(ShishoError):
    """Another process holds a required resource: try again."""

    code = "CONFLICT"
    retry = True


class KeyConflict(Conflict):
    """An idempotency key that belongs to another request: use another key for this one."""

    retry = False


class NameConflict(Conflict):
    """Another document has the name of an upload: use another name, or replace that document."""

    code = "NAME_TAKEN"
    retry = False


class StoreUnavailable(ShishoError):
    """A storage server does not answer: try again. Jobs retry automatically."""

    code = "STORE_UNAVAILABLE"
    retry = True


class ServerBusy(ShishoError):
    """The server has reached its maximum of connections: try again in a moment."""

    code = "SERVER_BUSY"
    retry = True


class StorageUnusable(ShishoError):
    """The home cannot be read or written: free space, restore a backup, or use another one."""

    code = "STORAGE_UNUSABLE"


class ModelFailed(ShishoError):
    """A language model gave no usable reply: rules do what they can without it.

    `fault` is one of `domain.model.ModelFault`, `usage` the tokens that were used anyway.
    """

    code = "MODEL_FAILED"

    def __init__(self, message: str, /, *, usage: Any = None, **details: Any) -> None:
        super().__init__(message, **details)
        self.usage = usage

    @property
    def fault(self) -> str:
        return str(self.details["fault"])


class TimedOut(ShishoError):
    """The allowed time ran out: try again or allow more."""

    code = "TIMEOUT"
    retry = True


class InternalError(ShishoError):
    """A bug: report it with its error id."""


class UnusableDocument(ShishoError):
    """One file cannot be added; the others can."""

    code = "DOCUMENT_UNREADABLE"


class DocumentUnreadable(UnusableDocument):
    """Damaged, or it crashed its reader."""


class DocumentEncrypted(UnusableDocument):
    """A password is required, or the one given is wrong."""

    code = "DOCUMENT_ENCRYPTED"


class UnsupportedMedia(UnusableDocument):
    """No reader supports this kind of file."""

    code = "UNSUPPORTED_MEDIA"


class TooLarge(UnusableDocument):
    """Above a limit of size, depth or time."""

    code = "TOO_LARGE"


class NeedsOcr(UnusableDocument):
    """Pages without a text layer: add one with OCR first."""

    code = "NEEDS_OCR"


def map_by_code() -> dict[str, type[ShishoError]]:
    """Map each code to its concrete class.

    Used for errors that crossed a process boundary and for the documentation test.
    """
    errors: dict[str, type[ShishoError]] = {}
    todo: list[type[ShishoError]] = [ShishoError]
    while todo:
        cls = todo.pop()
        todo.extend(cls.__subclasses__())
        if "code" in vars(cls) or cls is DocumentUnreadable or cls is InternalError:
            errors[cls.code] = cls
    errors["INTERNAL"] = InternalError
    errors["DOCUMENT_UNREADABLE"] = DocumentUnreadable
    return errors
