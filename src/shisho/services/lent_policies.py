"""Policies borrowed for a question, for as long as their lender waits for the answer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shisho.librarian.policy import Policy


@dataclass(slots=True)
class PolicyLoan:
    """A policy, and the runs that began while it was borrowed."""

    policy: Policy
    run_ids: list[str] = field(default_factory=list)
    is_over: bool = False


# The loan of the current caller: two callers of one owner may ask the same question at once, each with their
# own model.
LOAN: ContextVar[PolicyLoan | None] = ContextVar("loan", default=None)


class LentPolicies:
    """The borrowed policies of this process, by run."""

    def __init__(self) -> None:
        self._policies: dict[str, Policy] = {}

    @contextmanager
    def lend(self, policy: Policy) -> Iterator[None]:
        """Let runs that begin inside the block use this policy."""
        loan = PolicyLoan(policy)
        token = LOAN.set(loan)
        try:
            yield
        finally:
            LOAN.reset(token)
            loan.is_over = True  # a task started inside may outlive it
            for run_id in loan.run_ids:
                self._policies.pop(run_id, None)

    def is_lent(self) -> bool:
        """Return whether a run that begins here would use a borrowed policy."""
        loan = LOAN.get()
        return loan is not None and not loan.is_over

    def assign(self, run_id: str) -> None:
        """Assign the borrowed policy, if there is one, to a run that begins here."""
        loan = LOAN.get()
        if loan is not None and not loan.is_over:
            loan.run_ids.append(run_id)
            self._policies[run_id] = loan.policy

    def find(self, run_id: str) -> Policy | None:
        """Return the borrowed policy of a run, or None."""
        return self._policies.get(run_id)
