"""Minds that are lent for a question, as long as who lends them waits for its answer."""

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
    """A policy, and the runs that were begun while it was lent."""

    policy: Policy
    run_ids: list[str] = field(default_factory=list)
    is_over: bool = False


# The loan of who begins runs just now: two of one owner may ask the same at the same time, each with a model
# of their own.
LOAN: ContextVar[PolicyLoan | None] = ContextVar("loan", default=None)


class LentPolicies:
    """The policies lent in this process, by run."""

    def __init__(self) -> None:
        self._policies: dict[str, Policy] = {}

    @contextmanager
    def lend(self, policy: Policy) -> Iterator[None]:
        """While it is entered, runs that are begun inside think with this policy."""
        loan = PolicyLoan(policy)
        token = LOAN.set(loan)
        try:
            yield
        finally:
            LOAN.reset(token)
            loan.is_over = True  # a task that was begun inside may outlive it
            for run_id in loan.run_ids:
                self._policies.pop(run_id, None)

    def is_lent(self) -> bool:
        """Return whether a run that is begun here would think with a lent policy."""
        loan = LOAN.get()
        return loan is not None and not loan.is_over

    def assign(self, run_id: str) -> None:
        """To a run that is begun here the policy that is lent here, if one is."""
        loan = LOAN.get()
        if loan is not None and not loan.is_over:
            loan.run_ids.append(run_id)
            self._policies[run_id] = loan.policy

    def find(self, run_id: str) -> Policy | None:
        """The one that a run thinks with; None where none is lent to it."""
        return self._policies.get(run_id)
