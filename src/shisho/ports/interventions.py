"""Ports for jobs that wait for a person, and for notifying that person."""

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
    """The store of pending interventions.

    `JobStore` and `TaskStore` create and end an intervention with the waiting of its job; the methods here
    end it because someone acted. Each applies to all interventions of the same owner on the same domain or
    engine.
    """

    async def list_waiting(self, owner: str, task_id: TaskId | None = None) -> Sequence[PendingIntervention]:
        """List all, oldest first."""

    async def find_pending(self, owner: str, engine: str) -> HumanChallenge | None:
        """Return the challenge that blocks an engine.

        Another job can then wait for the same person without a request to the engine.
        """

    async def mark(
        self, owner: str, target: AuthTarget, name: str, state: InterventionState
    ) -> Sequence[PendingIntervention]:
        """Set pending or in progress, with all interventions on the same domain or engine."""

    async def complete(self, owner: str, target: AuthTarget, name: str) -> Sequence[PendingIntervention]:
        """Queue the waiting jobs again, with all that wait on the same domain or engine.

        Returns the interventions that were pending.
        """

    async def skip(self, owner: str, target: AuthTarget, name: str) -> Sequence[PendingIntervention]:
        """End exactly these jobs with their partial results."""

    async def list_solved(self, owner: str, engine: str) -> Sequence[PendingIntervention]:
        """Complete all interventions on an engine that answers again, as `complete`.

        Cheap if there are none.
        """

    async def take_unannounced(self, owner: str) -> Sequence[PendingIntervention]:
        """Return one intervention per domain that no desktop notification has announced.

        Each is returned once, to whichever process asks first.
        """


class Notifier(Protocol):
    """A notifier that asks the user for help."""

    async def notify(self, waiting: PendingIntervention) -> None:
        """Send a notification. Never raises: notifications are best effort."""
