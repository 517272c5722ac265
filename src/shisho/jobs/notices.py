"""Notifications that a person is needed: in the terminal of every worker, and once on the desktop."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from types import TracebackType

from shisho.domain.event import EventKind
from shisho.domain.intervention import select_unannounced
from shisho.errors import ShishoError
from shisho.jobs.worker import repeat_forever
from shisho.ports import ChangeNotifier, Interventions, Notifier

LOOK_SECONDS = 60.0


class Notices:
    """A service that announces pending interventions while it is entered.

    Each domain is announced once, however many jobs wait for it. `notifier` also receives those that are
    already pending; the desktop only those that no process has announced.
    """

    def __init__(
        self,
        owner: str,
        interventions: Interventions,
        changes: ChangeNotifier,
        notifier: Notifier | None,
        desktop: Notifier | None,
    ) -> None:
        self._owner = owner
        self._interventions = interventions
        self._changes = changes
        self._here = notifier
        self._desktop = desktop
        self._announced: set[str] = set()
        self._announcing = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Notices:
        if self._here or self._desktop:
            self._task = asyncio.create_task(repeat_forever(self._listen))
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._task is None:
            return
        async with self._announcing:  # an announcement that is recorded must be sent
            self._task.cancel()
        await asyncio.wait([self._task])
        with suppress(ShishoError):
            await self._send_unannounced()  # the last one may be the reason that nothing is left to do

    async def _listen(self) -> None:
        with self._changes.subscribe(EventKind.AWAITING_AUTH) as subscription:
            async with self._announcing:
                await self._send_unannounced()
            await subscription.wait(LOOK_SECONDS)

    async def _send_unannounced(self) -> None:
        if self._here is not None:
            interventions = await self._interventions.list_waiting(self._owner)
            new = select_unannounced(interventions, self._announced)
            self._announced = {intervention.id for intervention in interventions}
            for intervention in new:
                await self._here.notify(intervention)
        if self._desktop is not None:
            for intervention in await self._interventions.take_unannounced(self._owner):
                await self._desktop.notify(intervention)
