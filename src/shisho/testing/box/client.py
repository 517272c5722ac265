"""The box from outside: where its names lead, whom to trust, and a running box in another process. Cheap to
import."""

from __future__ import annotations

import asyncio
import http.client
import json
import ssl
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shisho.domain.web import Endpoint
from shisho.errors import AllFetchesFailed, InvalidParams
from shisho.messages.system import reason_of

if TYPE_CHECKING:
    from shisho.testing.box.log import LogRecord

FILE = "box.json"
CA = "ca.pem"
LOG = "log.jsonl"
HOME = "127.0.0.1"

# Names that lead where nobody may go: what each asking brings, and the last again ever after. 2d00::/8 is
# public but given to nobody, so a connection to it cannot succeed anywhere. None of these is among the hosts
# that are excepted from the guard.
TRAPS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "rebind.hostile.example": (("2d00::1",), (HOME,)),
    "mixed.hostile.example": (("2d00::1", HOME),),
    "loopback.hostile.example": ((HOME,),),
    "loopback6.hostile.example": (("::1",),),
    "mapped.hostile.example": (("::ffff:127.0.0.1",),),
    "private.hostile.example": (("10.0.0.1",),),
    "shared.hostile.example": (("100.64.0.1",),),
    "metadata.hostile.example": (("169.254.169.254",),),
    "localhost": ((HOME,),),
}


@dataclass(frozen=True, slots=True)
class Ports:
    """Where the box listens on 127.0.0.1: for http, and with TLS for https."""

    http: int
    https: int


class BoxResolver:
    """`ports.Resolver` for the names of a box, and for no other: nothing is looked up."""

    def __init__(self, ports: Ports, hosts: Sequence[str]) -> None:
        self._ports = {80: ports.http, 443: ports.https}
        self._hosts = frozenset(hosts)
        self.asked: Counter[str] = Counter()

    async def resolve(self, host: str, port: int) -> Sequence[Endpoint]:
        """Raises AllFetchesFailed for a name or a port the box does not have."""
        name = host.rstrip(".").lower()
        self.asked[name] += 1
        if _is_address(name):
            return [Endpoint(name, port)]
        at = self._ports.get(port, port)
        if name in TRAPS:
            turns = TRAPS[name]
            return [Endpoint(address, at) for address in turns[min(self.asked[name], len(turns)) - 1]]
        if name in self._hosts and port in self._ports:
            return [Endpoint(HOME, at)]
        raise AllFetchesFailed("The web in a box has no {host}:{port}.", host=name, port=port)


@dataclass(frozen=True)
class BoxClient:
    """A running box, from another process. `hosts` are for `allow_private_hosts`."""

    folder: Path
    ports: Ports
    hosts: tuple[str, ...]

    @cached_property
    def resolver(self) -> BoxResolver:
        return BoxResolver(self.ports, self.hosts)

    @property
    def ca_file(self) -> Path:
        return self.folder / CA

    @cached_property
    def ssl_context(self) -> ssl.SSLContext:
        return make_tls_context(self.ca_file.read_text("ascii"))

    @property
    def log(self) -> LogRecord:
        """The requests logged until now."""
        from shisho.testing.box.log import read

        return read(self.folder / LOG)

    async def behave(self, **rule: Any) -> None:
        """As `Box.behave`."""
        await self._post("/rules", rule)

    async def calm_down(self) -> None:
        """As `Box.calm_down` for all rules."""
        await self._post("/calm", {})

    async def expire(self, engine: str) -> None:
        """As `Box.expire`."""
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
                "The box of {folder} does not answer: {error}. Start it with `shisho box`.",
                folder=self.folder,
                error=reason_of(error),
            ) from error
        finally:
            connection.close()
        if answer.status != 200:
            raise InvalidParams("The box refused: {text}", text=text)


def connect(folder: Path) -> BoxClient:
    """The box that was started with this folder. Raises InvalidParams where none was."""
    try:
        state = json.loads((folder / FILE).read_text("utf-8"))
        return BoxClient(folder, Ports(**state["ports"]), tuple(state["hosts"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InvalidParams(
            "No box runs on {folder}: start one with `shisho box --folder {folder}`.", folder=folder
        ) from error


def write(folder: Path, ports: Ports, hosts: Sequence[str], ca_pem: str) -> None:
    """Write the files that `connect` reads. The description comes last and at once: whoever sees it
    finds a box that listens."""
    (folder / CA).write_text(ca_pem, "ascii")
    draft = folder / f"{FILE}.new"
    draft.write_text(
        json.dumps({"ports": asdict(ports), "hosts": list(hosts), "ca": CA, "log": LOG}), "utf-8"
    )
    draft.replace(folder / FILE)


def make_tls_context(ca_pem: str) -> ssl.SSLContext:
    """TLS that trusts the box's authority and nobody else."""
    return ssl.create_default_context(cadata=ca_pem)


def _is_address(name: str) -> bool:
    try:
        ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True
