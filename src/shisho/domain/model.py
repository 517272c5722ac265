"""A request to a language model, its cost, and how it can fail."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

from shisho.messages.message import Message

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True)
class ModelUsage:
    """The use of a model: replies asked for, and tokens as the provider counts them."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0

    def __add__(self, other: ModelUsage) -> ModelUsage:
        return ModelUsage(
            self.calls + other.calls,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
        )

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens


@dataclass(frozen=True, slots=True)
class ModelPrompt:
    """A prompt ready to be sent. `instructions` are ours; `text` holds the question and, fenced, words of
    documents. `sha256`: of the prompt's file. `max_output_tokens`: the longest reply. `seconds`: the most
    that all of it may take, with retries and the repair. `repairs`: how often a broken reply may be asked for
    again."""

    instructions: str
    text: str
    sha256: str
    max_output_tokens: int
    seconds: float
    repairs: int = 1


@dataclass(frozen=True, slots=True)
class ModelReply(Generic[T_co]):
    """A reply that has the shape that was asked for. `text`: as the model wrote it. `repairs`: how often a
    broken one was asked for again."""

    value: T_co
    text: str
    usage: ModelUsage
    repairs: int = 0


class ModelFault(StrEnum):
    """How a model can fail. `malformed`: no reply of the wanted shape, also after the repair; `unusable`: one
    of that shape, of which nothing holds against what was asked and shown; `budget`: it was not asked, as the
    reply could have cost more than is left; `quota`: the same for what its asker may use in a day."""

    UNREACHABLE = "unreachable"
    TIMEOUT = "timeout"
    RATE_LIMITED = "rate_limited"
    UNAUTHORISED = "unauthorised"
    UNKNOWN_MODEL = "unknown_model"
    WRONG_ADDRESS = "wrong_address"
    OVERFLOW = "overflow"
    REJECTED = "rejected"
    UNAVAILABLE = "unavailable"
    REFUSED = "refused"
    TRUNCATED = "truncated"
    MALFORMED = "malformed"
    UNUSABLE = "unusable"
    TOO_LONG = "too_long"
    BUDGET = "budget"
    QUOTA = "quota"
    FAILED = "failed"


FAULT_REASONS: Mapping[ModelFault, Message] = {
    ModelFault.UNREACHABLE: Message("its server could not be reached"),
    ModelFault.TIMEOUT: Message("it took too long"),
    ModelFault.RATE_LIMITED: Message("its provider takes no more calls for now"),
    ModelFault.UNAUTHORISED: Message("its provider does not accept the key"),
    ModelFault.UNKNOWN_MODEL: Message("its server does not have the model"),
    ModelFault.WRONG_ADDRESS: Message("what replies at its address is no models' server, or streams nothing"),
    ModelFault.OVERFLOW: Message("what it was sent is longer than its server takes at once"),
    ModelFault.REJECTED: Message("its server did not take the call"),
    ModelFault.UNAVAILABLE: Message("its server has a fault"),
    ModelFault.REFUSED: Message("it refused to reply"),
    ModelFault.TRUNCATED: Message("its reply was cut off for its length"),
    ModelFault.MALFORMED: Message("its reply did not have the form that was asked for"),
    ModelFault.UNUSABLE: Message("nothing of its reply held against what it was asked and shown"),
    ModelFault.TOO_LONG: Message("its reply did not end"),
    ModelFault.BUDGET: Message("the reply could have cost more than the budget has left"),
    ModelFault.QUOTA: Message("the reply could have cost more tokens than the quota of the day has left"),
    ModelFault.FAILED: Message("its client failed"),
}
"""Why rules did what a model was to do, as a reader is told."""


class ModelWorkKind(StrEnum):
    """Long work on the models of a machine. `pull`: one is fetched; `calibrate`: the share of words is
    measured."""

    PULL = "pull"
    CALIBRATE = "calibrate"


class ModelWorkState(StrEnum):
    """Where such work stands."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class ModelWork:
    """Long work on the models of a machine. `subject`: a model, or the folder of a set of questions; `done`
    of `total` bytes, 0 where that is not known; `message`: what came of it, or why it failed."""

    kind: ModelWorkKind
    subject: str
    state: ModelWorkState
    done: int = 0
    total: int = 0
    message: str = ""


@dataclass(frozen=True, slots=True)
class ModelUse:
    """One node's use of a model, as the ledger and the answer keep it. `fault`: why the node's rules have
    thought instead, empty where the model did. `reply`: its words, for the ledger only. What was done to them
    is counted: `dropped` quotations or sentences were taken out, as they could not be verified; `rewritten`
    sentences were replaced by their quotations; `supplied` ones cited nothing and were given the quotation
    that carries them; `repairs`: how often a broken reply was asked for again."""

    node: str
    model: str
    prompt_sha256: str
    usage: ModelUsage
    fault: ModelFault | None = None
    reply: str = ""
    dropped: int = 0
    rewritten: int = 0
    supplied: int = 0
    repairs: int = 0
