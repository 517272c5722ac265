"""A word at the terminal where a person is waited for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from shisho.interfaces.cli.messages import Words

if TYPE_CHECKING:
    from shisho.domain.intervention import PendingIntervention


class Terminal:
    """`ports.Notifier`: a line on the error stream, since the other one may carry a protocol."""

    def __init__(self, words: Words) -> None:
        self._words = words

    async def notify(self, waiting: PendingIntervention) -> None:
        typer.echo(self._words("person_needed", text=say_where(waiting)), err=True)


def say_where(intervention: PendingIntervention) -> str:
    """The engine that waits for a person, with its domain; the domain alone where none does."""
    return f"{intervention.engine} ({intervention.domain})" if intervention.engine else intervention.domain
