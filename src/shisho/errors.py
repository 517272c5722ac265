"""Every error a visitor can meet. The class says whether to retry; the message says what happened and what to
do.

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

from shisho.messages.installing import install_command
from shisho.messages.message import Message


class ShishoError(Exception):
    """Base of all errors. Raised with the id of a message and its values, `NotFound("job.not_found",
    job_id="7")`, or with a Message.

    `details` are the values and further facts for programs: JSON-ready, never a secret or the text of a
    document."""

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
    """The call itself is wrong: mend the arguments."""

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
    """A ceiling was reached before anything was found: raise it."""

    code = "BUDGET_EXHAUSTED"


class QuotaExhausted(BudgetExhausted):
    """What a user or a group may use on a day is used up: wait until it is free again, or ask who runs the
    library."""

    code = "QUOTA_EXHAUSTED"


class SourceRemoved(ShishoError):
    """The text was purged; what quoted it can no longer be shown."""

    code = "SOURCE_REMOVED"


class EngineUnavailable(ShishoError):
    """A search engine cannot be used as asked: turn on the browser, give its key, or ask another engine."""

    code = "ENGINE_UNAVAILABLE"


class ParserFailed(ShishoError):
    """A result page of a layout we do not know: ask another engine and report the page."""

    code = "PARSER_FAILED"


class AllEnginesBlocked(ShishoError):
    """Every engine that could answer wants a person, refuses, or has used up its day: see `shisho
    engines`."""

    code = "ALL_ENGINES_BLOCKED"


class AllFetchesFailed(ShishoError):
    """A page could not be had: open it in a browser to see why, or try another address."""

    code = "ALL_FETCHES_FAILED"


class ConsentRequired(ShishoError):
    """Words would leave this machine, and nobody has said yet that they may: a person says so once."""

    code = "CONSENT_REQUIRED"


class ForbiddenAddress(ShishoError):
    """The address leads into this machine or a private network: name its host in `allow_private_hosts` if
    that is meant."""

    code = "FORBIDDEN_ADDRESS"


class RobotsDisallowed(ShishoError):
    """The site's robots.txt asks programs not to read this page: open it in a browser and add it as a
    file."""

    code = "ROBOTS_DISALLOWED"


class ExtraMissing(ShishoError):
    """An optional package is needed: install the named extra. `extra` fills `{install}` in the message."""

    code = "EXTRA_MISSING"

    def __init__(self, message: str, /, *, extra: str = "", **details: Any) -> None:
        values = {"extra": extra, "install": install_command(extra)} if extra else {}
        super().__init__(message, **values, **details)


class ForbiddenPath(ShishoError):
    """A file outside the folders that callers from outside may name: add its folder to `allowed_roots`."""

    code = "FORBIDDEN_PATH"


class AccessDenied(ShishoError):
    """This may be read, but not changed by you: who owns it grants it, who runs the library does the rest."""

    code = "ACCESS_DENIED"


class AuthRequired(ShishoError):
    """A page asked for a person and none came: solve it in a browser, then resume the task."""

    code = "AUTH_REQUIRED"


class Conflict(ShishoError):
    """Someone else holds what this needs: try again."""

    code = "CONFLICT"
    retry = True


class KeyConflict(Conflict):
    """An idempotency key that belongs to another request: take another key for this one."""

    retry = False


class NameConflict(Conflict):
    """Another document has the name of what is handed in: give another name, or let it take that one's
    place."""

    code = "NAME_TAKEN"
    retry = False


class StoreUnavailable(ShishoError):
    """A server that things are stored on does not answer just now: try again. Jobs wait for it by
    themselves."""

    code = "STORE_UNAVAILABLE"
    retry = True


class ServerBusy(ShishoError):
    """The server has as many connections as it takes: try again in a moment."""

    code = "SERVER_BUSY"
    retry = True


class StorageUnusable(ShishoError):
    """The home cannot be written, or read: free it, restore a backup, or name another one."""

    code = "STORAGE_UNUSABLE"


class ModelFailed(ShishoError):
    """A language model gave no reply that can be used: what its rules can do is done without it. `fault` is
    one of `domain.model.ModelFault`, `usage` what was used nevertheless."""

    code = "MODEL_FAILED"

    def __init__(self, message: str, /, *, usage: Any = None, **details: Any) -> None:
        super().__init__(message, **details)
        self.usage = usage

    @property
    def fault(self) -> str:
        return str(self.details["fault"])


class TimedOut(ShishoError):
    """The time allowed ran out: try again or allow more."""

    code = "TIMEOUT"
    retry = True


class InternalError(ShishoError):
    """A fault of ours: report it with its error id."""


class UnusableDocument(ShishoError):
    """One file cannot be taken in; its neighbours can."""

    code = "DOCUMENT_UNREADABLE"


class DocumentUnreadable(UnusableDocument):
    """Damaged, or it broke its reader."""


class DocumentEncrypted(UnusableDocument):
    """A password is needed, or the one given is wrong."""

    code = "DOCUMENT_ENCRYPTED"


class UnsupportedMedia(UnusableDocument):
    """No reader for this kind of file."""

    code = "UNSUPPORTED_MEDIA"


class TooLarge(UnusableDocument):
    """Over a limit of size, depth or time."""

    code = "TOO_LARGE"


class NeedsOcr(UnusableDocument):
    """Pages without a text layer: make one with OCR first."""

    code = "NEEDS_OCR"


def map_by_code() -> dict[str, type[ShishoError]]:
    """Every concrete class under its code, for messages that crossed a process boundary and for the
    documentation test."""
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
