"""Consent to web searches: `shisho web`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from shisho.interfaces.cli.messages import Words
from shisho.interfaces.cli.runner import Json, load_words, run, show

if TYPE_CHECKING:
    from shisho.domain.task import WebConsent
    from shisho.services import Library


def web(
    context: typer.Context,
    say: Annotated[
        Literal["on", "off", "ask"] | None,
        typer.Argument(help="help.argument_consent"),
    ] = None,
    json_: Json = False,
) -> None:
    """Set whether words of your questions may be sent to search engines.

    Without an argument, show it.
    """

    async def execute(library: Library) -> None:
        from shisho.domain.task import WebConsent

        said = {"on": WebConsent.GIVEN, "off": WebConsent.OFF, "ask": WebConsent.NOT_ASKED}
        if say is not None:
            library.web.set_consent(said[say])
        state = library.web.get_consent()
        since = library.web.get_consent_time()
        state_row = {"state": state, "since": since or None}
        show(
            state_row,
            json_,
            lambda: typer.echo(
                _describe_consent(load_words(context), state, since, said[say] if say else state)
            ),
        )

    run(context, execute, json_)


def _describe_consent(words: Words, state: WebConsent, since: str, said_consent: WebConsent) -> str:
    lines = [words(f"consent_{state}", since=since[:10]).rstrip(), words("consent_how")]
    if state is not said_consent:
        lines.insert(0, words("consent_overruled"))
    return "\n".join(lines)
