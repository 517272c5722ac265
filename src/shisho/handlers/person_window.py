"""A window for the person whom a page asks for: opened on the engine's profile, done when the page asks no
more."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from shisho.domain.intervention import HumanChallenge
from shisho.domain.web import Response
from shisho.errors import EngineUnavailable, ParserFailed
from shisho.ports import Browser, SerpParser
from shisho.web.http.challenge import detect


@dataclass(frozen=True, slots=True)
class Window:
    """A window for a person. That they got through is read off the page itself, by the parser that met
    the challenge."""

    browser: Browser
    parser: SerpParser

    async def __call__(self, challenge: HumanChallenge) -> bool:
        """Show what was met. False: the window was closed before the page was through."""
        return await self.browser.open_for_person(
            challenge.url, challenge.engine, partial(self._through, challenge.engine)
        )

    async def _through(self, engine: str, response: Response) -> bool:
        if not engine:
            return detect(response.body.decode("utf-8", "replace"), response.url, response.status) is None
        try:
            return (await self.parser.parse(engine, response)).challenge is None
        except (ParserFailed, EngineUnavailable):  # on its way from one page to the next
            return False
