"""A browser window for a challenge: opened on the engine's profile, closed when the challenge is solved."""

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
    """A browser window for a person.

    The page itself shows that the challenge is solved, by the parser that found it.
    """

    browser: Browser
    parser: SerpParser

    async def __call__(self, challenge: HumanChallenge) -> bool:
        """Show the challenge. Returns False if the window was closed before it was solved."""
        return await self.browser.open_for_person(
            challenge.url, challenge.engine, partial(self._through, challenge.engine)
        )

    async def _through(self, engine: str, response: Response) -> bool:
        if not engine:
            return detect(response.body.decode("utf-8", "replace"), response.url, response.status) is None
        try:
            return (await self.parser.parse(engine, response)).challenge is None
        except (ParserFailed, EngineUnavailable):  # navigating from one page to the next
            return False
