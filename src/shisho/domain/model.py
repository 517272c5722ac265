"""A request to a language model, its cost, and its failures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Generic, TypeVar

from shisho.messages import Message
from shisho.records import dataclass

T_co = TypeVar("T_co", covariant=True)


MAX_THINKING_TOKENS = 2_000
"""The tokens reserved for thinking in one reply, in addition to the reply."""


@dataclass(frozen=True, slots=True)
class ModelUsage:
    """The use of a model: requested replies, and tokens as counted by the provider."""

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
    """A prompt ready to send.

    `instructions` are Shisho's own; `text` holds the question and, fenced, text of documents. `sha256`: of
    the prompt's file. `max_output_tokens`: the longest reply. `seconds`: the time limit, including retries
    and the repair. `repairs`: how often an invalid reply may be requested again.
    """

    instructions: str
    text: str
    sha256: str
    max_output_tokens: int
    seconds: float
    repairs: int = 1


@dataclass(frozen=True, slots=True)
class ModelReply(Generic[T_co]):
    """A reply in the requested shape.

    `text`: as the model wrote it. `repairs`: how often an invalid reply was requested again.
    """

    value: T_co
    text: str
    usage: ModelUsage
    repairs: int = 0


class ModelFault(StrEnum):
    """How a model can fail.

    `malformed`: no reply in the requested shape, even after the repair. `unusable`: a reply in that shape
    that matches neither question nor documents. `budget`: not called, because the reply could cost more than
    is left. `quota`: the same for a user's daily tokens.
    """

    UNREACHABLE = "unreachable"
    CUT_OFF = "cut_off"
    TIMEOUT = "timeout"
    RATE_LIMITED = "rate_limited"
    UNAUTHORISED = "unauthorised"
    NO_CREDIT = "no_credit"
    UNKNOWN_MODEL = "unknown_model"
    WRONG_ADDRESS = "wrong_address"
    OVERFLOW = "overflow"
    REJECTED = "rejected"
    UNAVAILABLE = "unavailable"
    REFUSED = "refused"
    TRUNCATED = "truncated"
    ONLY_THINKING = "only_thinking"
    MALFORMED = "malformed"
    UNUSABLE = "unusable"
    TOO_LONG = "too_long"
    BUDGET = "budget"
    QUOTA = "quota"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class ModelSetting:
    """The language model of the librarian.

    `name`: provider/name, or none. `url`: empty for the provider's own address. `key`: None keeps the stored
    one, unless provider or address change.
    """

    name: str
    url: str = ""
    key: str | None = None


@dataclass(frozen=True, slots=True)
class FoundModel:
    """A model on a server of this machine; `name` and `url` are valid settings."""

    name: str
    url: str
    server: str


@dataclass(frozen=True, slots=True)
class ModelMeasurement:
    """The measurements of one real call.

    `schema`: the server accepts a JSON Schema. `repairs`: how often the reply was requested again.
    `is_thinking`: the model thinks before it replies.
    """

    model: str
    seconds: float
    input_tokens: int
    output_tokens: int
    schema: bool
    repairs: int
    is_thinking: bool


class ModelWorkKind(StrEnum):
    """The kind of long work on models.

    `pull`: download one. `calibrate`: measure the word share.
    """

    PULL = "pull"
    CALIBRATE = "calibrate"


class ModelWorkState(StrEnum):
    """The state of long work on models."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class ModelWork:
    """Long work on the models of a machine.

    `subject`: a model, or the folder of a question set. `done` of `total` bytes; 0 if unknown. `message`: the
    result, or the reason of the failure.
    """

    kind: ModelWorkKind
    subject: str
    state: ModelWorkState
    done: int = 0
    total: int = 0
    message: str = ""


@dataclass(frozen=True, slots=True)
class ModelUse:
    """One node's use of a model, as stored in the ledger and the answer.

    `fault`: why the node's rules were used instead; empty if the model was used. `reply`: its words, in the
    ledger only. The other fields count changes to its reply: `dropped` quotations or sentences were removed
    because they could not be verified; `rewritten` sentences were contradicted by their quotations and
    removed from the text; `supplied` sentences cited nothing and got the quotation that supports them;
    `repairs`: how often an invalid reply was requested again.
    """

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


FAULT_REASONS: Mapping[ModelFault, Message] = {
    ModelFault.UNREACHABLE: Message("model.fault_unreachable"),
    ModelFault.CUT_OFF: Message("model.fault_broken"),
    ModelFault.TIMEOUT: Message("model.fault_timeout"),
    ModelFault.RATE_LIMITED: Message("model.fault_busy"),
    ModelFault.UNAUTHORISED: Message("model.fault_key"),
    ModelFault.NO_CREDIT: Message("model.fault_credit"),
    ModelFault.UNKNOWN_MODEL: Message("model.fault_unknown_model"),
    ModelFault.WRONG_ADDRESS: Message("model.fault_not_a_server"),
    ModelFault.OVERFLOW: Message("model.fault_too_long"),
    ModelFault.REJECTED: Message("model.fault_rejected"),
    ModelFault.UNAVAILABLE: Message("model.fault_server"),
    ModelFault.REFUSED: Message("model.fault_refused"),
    ModelFault.TRUNCATED: Message("model.fault_cut_off"),
    ModelFault.ONLY_THINKING: Message("model.fault_only_thinking"),
    ModelFault.MALFORMED: Message("model.fault_form"),
    ModelFault.UNUSABLE: Message("model.fault_no_match"),
    ModelFault.TOO_LONG: Message("model.fault_endless"),
    ModelFault.BUDGET: Message("model.fault_budget"),
    ModelFault.QUOTA: Message("model.fault_quota"),
    ModelFault.FAILED: Message("model.fault_client"),
}
"""The reasons why rules replaced a model."""
FAULT_REMEDIES: Mapping[ModelFault, Message] = {
    ModelFault.UNREACHABLE: Message("model.remedy_start_server"),
    ModelFault.CUT_OFF: Message("model.remedy_ask_again"),
    ModelFault.TIMEOUT: Message("model.remedy_raise_seconds"),
    ModelFault.RATE_LIMITED: Message("model.remedy_wait"),
    ModelFault.UNAUTHORISED: Message("model.remedy_key"),
    ModelFault.NO_CREDIT: Message("model.remedy_credit"),
    ModelFault.UNKNOWN_MODEL: Message("model.remedy_load_model"),
    ModelFault.WRONG_ADDRESS: Message("model.remedy_url"),
    ModelFault.OVERFLOW: Message("model.remedy_context"),
    ModelFault.REJECTED: Message("model.remedy_see_log"),
    ModelFault.UNAVAILABLE: Message("model.remedy_ask_later"),
    ModelFault.REFUSED: Message("model.remedy_rephrase"),
    ModelFault.TRUNCATED: Message("model.remedy_schema"),
    ModelFault.ONLY_THINKING: Message("model.remedy_no_thinking"),
    ModelFault.MALFORMED: Message("model.remedy_schema"),
    ModelFault.UNUSABLE: Message("model.remedy_larger_model"),
    ModelFault.TOO_LONG: Message("model.remedy_other_model"),
    ModelFault.BUDGET: Message("model.remedy_preset"),
    ModelFault.QUOTA: Message("model.remedy_tomorrow"),
    ModelFault.FAILED: Message("model.remedy_try"),
}
FATAL_FAULTS = frozenset(
    {
        ModelFault.UNREACHABLE,
        ModelFault.UNAUTHORISED,
        ModelFault.NO_CREDIT,
        ModelFault.UNKNOWN_MODEL,
        ModelFault.WRONG_ADDRESS,
    }
)
"""Faults that every later call would meet: the model is not called again for the same question."""
UNFORMED_FAULTS = frozenset({ModelFault.MALFORMED, ModelFault.TRUNCATED, ModelFault.ONLY_THINKING})
"""Faults of a reply's form: a plainer form may succeed."""
_MINOR_FAULTS = frozenset({ModelFault.BUDGET, ModelFault.UNUSABLE})
_MAIN_NODES = frozenset({"evaluate", "fact", "answer"})


def explain_failures(uses: Sequence[ModelUse]) -> Message | None:
    """Return one sentence on why a model failed and one on what to do; None if none failed.

    The first fatal fault is chosen, else the last fault. A spent budget or an unusable reply only counts in
    nodes that read passages or write the answer. A reply that was requested again in a plainer form doesn't
    count.
    """
    was_asked_again = any(use.node == "evaluate" for use in uses)
    failed = [
        use
        for use in uses
        if use.fault
        and (use.fault not in _MINOR_FAULTS or use.node in _MAIN_NODES)
        and not (was_asked_again and use.node == "fact" and use.fault in UNFORMED_FAULTS)
    ]
    if not failed:
        return None
    use = next((use for use in failed if use.fault in FATAL_FAULTS), failed[-1])
    fault = use.fault or ModelFault.FAILED
    values = {"model": use.model, "why": FAULT_REASONS[fault], "remedy": FAULT_REMEDIES[fault]}
    if any(not other.fault for other in uses):
        return Message("model.failed_in_part", **values)
    return Message("model.failed", **values)
