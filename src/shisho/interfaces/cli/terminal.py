"""A notification in the terminal when a challenge waits for a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from shisho.interfaces.cli.messages import Words

if TYPE_CHECKING:
    from shisho.domain.intervention import PendingIntervention


class Terminal:
    """`ports.Notifier`: a line on stderr, because stdout may carry a protocol."""

    def __init__(self, words: Words) -> None:
        self._words = words

    async def notify(self, waiting: PendingIntervention) -> None:
        typer.echo(self._words("person_needed", text=say_where(waiting)), err=True)


def say_where(intervention: PendingIntervention) -> str:
    """Return the waiting engine with its domain; only the domain if there is no engine."""
    return f"{intervention.engine} ({intervention.domain})" if intervention.engine else intervention.domain
