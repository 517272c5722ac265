"""Parsing of result pages in child processes.

A child that overruns is killed, one that breaks is replaced, and the others continue.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shisho.domain.codec import build, to_plain
from shisho.domain.web import Response, Serp
from shisho.errors import EngineUnavailable, InvalidParams, ParserFailed
from shisho.isolation.killable import ChildBroken, ChildExhausted, ChildOverrun, Killable, Work
from shisho.isolation.prescan import MAX_BYTES
from shisho.messages import Message

SECONDS = 5.0
MEMORY_MB = 1024
PARSE = "shisho.web.engines:read_page"
CHILDREN = 2  # so that one slow page does not delay every engine


class KillableSerpParser:
    """The engines' parsers in killable processes, two at once. Belongs to one event loop.

    Pages of at most 5 MB, within `seconds` of CPU time and `memory_mb`. `overrides` is an engines.toml, read
    when a page is parsed. `environment` is for the children; without it they get the parent's.
    """

    def __init__(
        self,
        overrides: Mapping[str, Mapping[str, Any]] | None = None,
        environment: Mapping[str, str] | None = None,
        seconds: float = SECONDS,
        memory_mb: int = MEMORY_MB,
    ) -> None:
        self._overrides = {} if overrides is None else overrides
        self._seconds = seconds
        self._memory_mb = memory_mb
        self._killable = Killable((ParserFailed, EngineUnavailable, InvalidParams), environment, CHILDREN)

    async def parse(self, engine: str, response: Response) -> Serp:
        """Parse a result page by the engine of that name, or by `auto` detection, as `read_saved` does.

        Raises: ParserFailed, also for a page that crashes its parser; EngineUnavailable; InvalidParams;
        InternalError without a child.
        """
        if len(response.body) > MAX_BYTES:
            raise _make_failure(
                engine,
                response,
                Message("parser.too_large", megabytes=MAX_BYTES // 2**20),
            )
        fields = _describe_response(response)
        arguments = {"engine": engine, "overrides": {**self._overrides}, "fields": fields}
        work = Work(PARSE, "shisho.domain.codec:to_plain", arguments, self._seconds, self._memory_mb)
        try:
            return await self._killable.run(work, response.body, lambda value: build(value, Serp))
        except ChildOverrun as overrun:
            raise _make_failure(
                engine,
                response,
                Message("parser.timeout", seconds=self._seconds),
            ) from overrun
        except ChildExhausted as exhausted:
            raise _make_failure(engine, response, Message("parser.out_of_memory")) from exhausted
        except ChildBroken as broken:
            cause = Message("parser.broken_by", cause=broken) if str(broken) else Message("parser.broken")
            raise _make_failure(engine, response, cause) from broken

    async def close(self) -> None:
        await self._killable.close()


def _describe_response(response: Response) -> Mapping[str, Any]:
    return {name: value for name, value in to_plain(response).items() if name != "body"}


def _make_failure(engine: str, response: Response, trouble: Message) -> ParserFailed:
    message = Message("parser.failed", engine=engine, trouble=trouble)
    return ParserFailed(message, engine=engine, url=response.url, status=response.status)
