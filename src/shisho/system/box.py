"""A web in a box on this machine: the files by which a process finds one, and the resolver of its names.

The distribution `shisho-box` plays the web; the setting `box` names the folder of one that runs.
"""

from __future__ import annotations

import json
import ssl
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import cached_property
from ipaddress import ip_address
from pathlib import Path

from shisho.domain.web import Endpoint
from shisho.errors import AllFetchesFailed, InvalidParams
from shisho.records import dataclass

FILE = "box.json"
CA = "ca.pem"
LOG = "log.jsonl"
HOME = "127.0.0.1"

# Names that lead to forbidden addresses: the reply to each request, and the last one for all later requests.
# 2d00::/8 is public but not allocated, so a connection to it cannot succeed anywhere. None of these names is
# among the hosts that are exempt from the address guard.
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
class BoxPorts:
    """The ports on 127.0.0.1 on which a box listens: for http, and with TLS for https."""

    http: int
    https: int


class BoxResolver:
    """A `ports.Resolver` for the names of a box only: nothing is looked up elsewhere."""

    def __init__(self, ports: BoxPorts, hosts: Sequence[str]) -> None:
        self._ports = {80: ports.http, 443: ports.https}
        self._hosts = frozenset(hosts)
        self.asked: Counter[str] = Counter()

    async def resolve(self, host: str, port: int) -> Sequence[Endpoint]:
        """Return the endpoints of a name. Raises AllFetchesFailed if the box has no such name or port."""
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
        raise AllFetchesFailed("box.unknown_host", host=name, port=port)


@dataclass(frozen=True)
class BoxAddress:
    """A running box, as its folder describes it. `hosts` are for `allow_private_hosts`."""

    folder: Path
    ports: BoxPorts
    hosts: tuple[str, ...]

    @cached_property
    def resolver(self) -> BoxResolver:
        return BoxResolver(self.ports, self.hosts)

    @cached_property
    def ssl_context(self) -> ssl.SSLContext:
        return make_tls_context((self.folder / CA).read_text("ascii"))


def find_box(folder: Path) -> BoxAddress:
    """Return the box that was started with this folder. Raises InvalidParams if none runs."""
    try:
        state = json.loads((folder / FILE).read_text("utf-8"))
        return BoxAddress(folder, BoxPorts(**state["ports"]), tuple(state["hosts"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InvalidParams("box.not_running", folder=folder) from error


def announce_box(folder: Path, ports: BoxPorts, hosts: Sequence[str], ca_pem: str) -> None:
    """Write the files that `find_box` reads: the description last and atomically, when the box listens."""
    (folder / CA).write_text(ca_pem, "ascii")
    draft = folder / f"{FILE}.new"
    draft.write_text(
        json.dumps({"ports": asdict(ports), "hosts": list(hosts), "ca": CA, "log": LOG}), "utf-8"
    )
    draft.replace(folder / FILE)


def make_tls_context(ca_pem: str) -> ssl.SSLContext:
    """Return a TLS context that trusts the box's authority and no other."""
    return ssl.create_default_context(cadata=ca_pem)


def _is_address(name: str) -> bool:
    try:
        ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True
