"""Tells the user where a person is needed: every worker in its own terminal, one of them all on the
desktop."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from types import TracebackType

from shisho.domain.event import EventKind
from shisho.domain.intervention import news
from shisho.errors import ShishoError
from shisho.jobs.worker import repeat_forever
from shisho.ports import Bell, Interventions, Notifier

LOOK_SECONDS = 60.0


class Notices:
    """For as long as it is entered, what waits for a person is told: each domain once, however many jobs it
    holds. `notifier` hears of what waits already, too; the desktop only of what no process has told it of."""

    def __init__(
        self,
        owner: str,
        interventions: Interventions,
        bell: Bell,
        notifier: Notifier | None,
        desktop: Notifier | None,
    ) -> None:
        self._owner = owner
        self._interventions = interventions
        self._bell = bell
        self._here = notifier
        self._desktop = desktop
        self._told: set[str] = set()
        self._telling = asyncio.Lock()
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
        async with self._telling:  # what is marked as told must be told
            self._task.cancel()
        await asyncio.wait([self._task])
        with suppress(ShishoError):
            await self._tell()  # what came last may be why there is nothing left to do

    async def _listen(self) -> None:
        with self._bell.listen(EventKind.AWAITING_AUTH) as ear:
            async with self._telling:
                await self._tell()
            await ear.wait(LOOK_SECONDS)

    async def _tell(self) -> None:
        if self._here is not None:
            interventions = await self._interventions.list_waiting(self._owner)
            new = news(interventions, self._told)
            self._told = {intervention.id for intervention in interventions}
            for intervention in new:
                await self._here.notify(intervention)
        if self._desktop is not None:
            for intervention in await self._interventions.take_unannounced(self._owner):
                await self._desktop.notify(intervention)
