"""Ports for what waits for a person, and for telling that person."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from shisho.domain.intervention import (
        AuthTarget,
        HumanChallenge,
        InterventionState,
        PendingIntervention,
    )
    from shisho.domain.job import TaskId


class Interventions(Protocol):
    """The store of what waits for a person. `JobStore` and `TaskStore` begin and end it with the waiting
    of its job; the verbs here end it because someone came. Together with one go all of its owner that
    the same domain or the same engine holds."""

    async def list_waiting(self, owner: str, task_id: TaskId | None = None) -> Sequence[PendingIntervention]:
        """All, oldest first."""

    async def find_pending(self, owner: str, engine: str) -> HumanChallenge | None:
        """The challenge that holds an engine, so that another job may wait for the same person without
        asking the engine again."""

    async def mark(
        self, owner: str, target: AuthTarget, name: str, state: InterventionState
    ) -> Sequence[PendingIntervention]:
        """Pending or in progress, together with all that the same domain or engine holds."""

    async def complete(self, owner: str, target: AuthTarget, name: str) -> Sequence[PendingIntervention]:
        """The person has come: the jobs are queued again, with all that the same domain or engine holds.
        Returns what has waited."""

    async def skip(self, owner: str, target: AuthTarget, name: str) -> Sequence[PendingIntervention]:
        """These and no others end with what they have."""

    async def list_solved(self, owner: str, engine: str) -> Sequence[PendingIntervention]:
        """The engine answers again: as `complete`, for all that it holds. Cheap where it holds nothing."""

    async def take_unannounced(self, owner: str) -> Sequence[PendingIntervention]:
        """One of each domain that the desktop has not been told of; each is returned once, in whichever
        process asks."""


class Notifier(Protocol):
    """Tells the user that a person is needed."""

    async def notify(self, waiting: PendingIntervention) -> None:
        """Never raises: a notice is a courtesy."""
