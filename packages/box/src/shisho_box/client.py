"""Control a running box from another process."""

from __future__ import annotations

import asyncio
import http.client
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shisho.errors import InvalidParams
from shisho.messages.system import explain_error
from shisho.system.box import HOME, LOG, BoxAddress, find_box
from shisho_box.log import LogRecord, read


class BoxClient(BoxAddress):
    """A client of a running box in another process."""

    @property
    def log(self) -> LogRecord:
        """The requests logged so far."""
        return read(self.folder / LOG)

    async def behave(self, **rule: Any) -> None:
        """Add a rule, as `Box.behave` does."""
        await self._post("/rules", rule)

    async def calm_down(self) -> None:
        """Remove all rules, as `Box.calm_down` does."""
        await self._post("/calm", {})

    async def expire(self, engine: str) -> None:
        """Invalidate an engine's tokens, as `Box.expire` does."""
        await self._post("/expire", {"engine": engine})

    async def _post(self, path: str, values: Mapping[str, Any]) -> None:
        await asyncio.to_thread(self._send, path, json.dumps(values).encode())

    def _send(self, path: str, body: bytes) -> None:
        connection = http.client.HTTPConnection(HOME, self.ports.http, timeout=10)
        try:
            connection.request("POST", path, body, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            text = answer.read().decode("utf-8", "replace")
        except OSError as error:
            raise InvalidParams(
                "box.unreachable",
                folder=self.folder,
                error=explain_error(error),
            ) from error
        finally:
            connection.close()
        if answer.status != 200:
            raise InvalidParams("box.refused", text=text)


def connect(folder: Path) -> BoxClient:
    """Return a client of the box that was started with this folder. Raises InvalidParams if none runs."""
    found = find_box(folder)
    return BoxClient(found.folder, found.ports, found.hosts)
