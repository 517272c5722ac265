"""The browser's proxy: what it lets through, what it refuses, and that a refusal never becomes a
connection."""

from __future__ import annotations

import asyncio
import base64
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

import pytest

from shisho.domain.web import Endpoint
from shisho.errors import ForbiddenAddress, InvalidParams
from shisho.web.browser import proxy as proxies
from shisho.web.browser.proxy import GuardedProxy, Limits, Streams, open_endpoint
from shisho.web.http.address import AllowList, check_url
from tests.machine import PATIENCE
from tests.web.servers import Answer, Asked, Names, serving, tls

PUBLIC = Endpoint("93.184.216.34", 80)


@dataclass
class Outward:
    """Stands where the Internet begins: every connection is noted; a public address leads to `server`, none
    other anywhere."""

    server: Endpoint | None = None
    reached: list[Endpoint] = field(default_factory=list)

    async def __call__(self, endpoint: Endpoint) -> Streams:
        self.reached.append(endpoint)
        if self.server is None or not endpoint.address.startswith("93."):
            raise OSError("nothing there")
        return await open_endpoint(self.server)


@dataclass
class Client:
    proxy: GuardedProxy
    port: int
    user: str = "shisho"

    @property
    def credential(self) -> str:
        return base64.b64encode(f"{self.user}:{self.proxy.password}".encode()).decode()

    async def open(
        self, raw: str | bytes, *, known: bool = True
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        raw = raw.encode("latin-1") if isinstance(raw, str) else raw
        if known:
            raw = raw.replace(b"\r\n", f"\r\nProxy-Authorization: Basic {self.credential}\r\n".encode(), 1)
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(raw)
        return reader, writer

    async def ask(self, raw: str | bytes, *, known: bool = True) -> bytes:
        reader, writer = await self.open(raw, known=known)
        try:
            return await asyncio.wait_for(reader.read(), PATIENCE)
        finally:
            await shut(writer)


async def shut(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()


@asynccontextmanager
async def proxying(
    names: Names, outward: Outward, allow: AllowList | None = None, limits: Limits | None = None
) -> AsyncIterator[Client]:
    proxy = GuardedProxy(names, allow or AllowList(), connect=outward, limits=limits or Limits())
    url = await proxy.start()
    try:
        yield Client(proxy, int(url.rpartition(":")[2]))
    finally:
        await proxy.close()


def get(url: str, fields: str = "") -> str:
    return f"GET {url} HTTP/1.1\r\nHost: ignored.example\r\n{fields}\r\n"


def tunnel(authority: str) -> str:
    return f"CONNECT {authority} HTTP/1.1\r\nHost: {authority}\r\n\r\n"


FORBIDDEN = [
    get("http://127.0.0.1:8080/"),
    get("http://127.0.0.1/"),
    get("http://localhost/"),
    get("http://169.254.169.254/latest/meta-data/"),
    get("http://[::1]/"),
    get("http://[::ffff:127.0.0.1]/"),
    get("http://2130706433/"),
    get("http://0177.0.0.1/"),
    get("http://10.0.0.1/"),
    get("http://public.example:22/"),
    get("http://mixed.example/"),
    get("http://private.example/"),
    tunnel("127.0.0.1:443"),
    tunnel("[::1]:443"),
    tunnel("169.254.169.254:80"),
    tunnel("private.example:443"),
    tunnel("mixed.example:443"),
    tunnel("public.example:22"),
    tunnel("metadata.google.internal:80"),
]


@pytest.mark.parametrize("raw", FORBIDDEN, ids=lambda raw: raw.split("\r")[0])
async def test_what_is_forbidden_is_never_connected_to(raw: str) -> None:
    names = Names()
    outward = Outward()
    names.lead("public.example", [PUBLIC])
    names.lead("private.example", [Endpoint("192.168.1.1", 443)])
    names.lead("mixed.example", [PUBLIC, Endpoint("127.0.0.1", 443)])
    async with proxying(names, outward) as client:
        answer = await client.ask(raw)
        assert answer.startswith(b"HTTP/1.1 403 ")
        assert len(client.proxy.refused) == 1
        assert isinstance(client.proxy.refused[0].error, ForbiddenAddress)
        assert client.proxy.refused[0].error.message.encode() in answer
    assert outward.reached == []


@pytest.mark.parametrize(
    "raw",
    [
        get("/etc/passwd"),
        get("https://public.example/"),
        get("file:///etc/passwd"),
        get("ftp://public.example/"),
        tunnel("public.example"),
        tunnel("public.example/x:443"),
        tunnel("user@public.example:443"),
        "POST http://public.example/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST http://public.example/ HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        "GET http://public.example/ HTTP/1.1\r\nX: a\r\n folded\r\n\r\n",
        "GET http://public.example/ HTTP/1.1\r\nX: a\nHost: b\r\n\r\n",
        "GET http://public.example/ HTTP/2.0\r\n\r\n",
        "nonsense\r\n\r\n",
        get("http://public.example/", "X: " + "a" * 70_000 + "\r\n"),
    ],
    ids=lambda raw: raw.split("\r")[0][:50],
)
async def test_what_cannot_be_read_one_way_is_refused(raw: str) -> None:
    names = Names()
    outward = Outward()
    names.lead("public.example", [PUBLIC])
    async with proxying(names, outward) as client:
        assert (await client.ask(raw))[:12] in (b"HTTP/1.1 400", b"HTTP/1.1 403")
    assert outward.reached == []


async def test_only_who_knows_the_password_is_served() -> None:
    names = Names()
    outward = Outward()
    names.lead("public.example", [PUBLIC])
    async with proxying(names, outward) as client, proxying(names, outward) as other:
        raw = get("http://public.example/")
        wrong = f"Proxy-Authorization: Basic {other.credential}\r\n"
        for answer in (
            await client.ask(raw, known=False),
            await client.ask(get("http://public.example/", wrong), known=False),
        ):
            assert answer.startswith(b"HTTP/1.1 407 ") and b"Proxy-Authenticate: Basic" in answer
        assert outward.reached == []
        assert not (await client.ask(raw)).startswith(b"HTTP/1.1 407 ")
        assert outward.reached == [PUBLIC]


async def test_a_name_is_resolved_and_checked_for_every_connection() -> None:
    names = Names()
    names.lead("rebind.example", [PUBLIC], [Endpoint("127.0.0.1", 80)])
    async with serving(lambda asked: Answer("first")) as server:
        outward = Outward(server.endpoint)
        async with proxying(names, outward) as client:
            assert (await client.ask(get("http://rebind.example/"))).endswith(b"first")
            assert (await client.ask(get("http://rebind.example/"))).startswith(b"HTTP/1.1 403 ")
    assert outward.reached == [PUBLIC]
    assert server.connections == 1


async def test_plain_http_goes_through_with_the_host_of_its_url() -> None:
    def echo(asked: Asked) -> Answer:
        return Answer(
            asked.body,
            headers=[("X-Path", asked.path), ("Connection", "keep-alive"), ("Keep-Alive", "timeout=5")],
        )

    names = Names()
    names.lead("public.example", [PUBLIC])
    async with serving(echo) as server, proxying(names, Outward(server.endpoint)) as client:
        body = "本文".encode()
        fields = f"Content-Length: {len(body)}\r\nCookie: a=b\r\nConnection: X-Secret\r\nX-Secret: 1\r\nUpgrade: h2c\r\n"
        second = b"GET http://elsewhere.example/ HTTP/1.1\r\n\r\n"
        raw = (
            f"POST http://public.example/a?b=%20c HTTP/1.1\r\nHost: other.example\r\n{fields}\r\n".encode()
            + body
            + second
        )
        answer = await client.ask(raw)
    assert answer.startswith(b"HTTP/1.1 200 OK\r\n") and answer.endswith("本文".encode())
    assert b"Keep-Alive: timeout" not in answer
    (asked,) = server.asked
    assert (asked.method, asked.path, asked.body) == ("POST", "/a?b=%20c", body)
    assert asked.headers["host"] == "public.example"
    assert asked.headers["cookie"] == "a=b" and asked.headers["connection"] == "close"
    assert not {"x-secret", "upgrade", "proxy-authorization"} & asked.headers.keys()


async def test_tls_goes_through_a_tunnel_untouched() -> None:
    context, authority = tls("public.example")
    trusting = ssl.create_default_context()
    authority.configure_trust(trusting)
    names = Names()
    names.lead("public.example", [PUBLIC])
    async with (
        serving(lambda asked: Answer("秘密"), context) as server,
        proxying(names, Outward(server.endpoint)) as client,
    ):
        reader, writer = await client.open(tunnel("public.example:443"))
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200 ")
        await writer.start_tls(trusting, server_hostname="public.example")
        writer.write(b"GET / HTTP/1.1\r\nHost: public.example\r\n\r\n")
        assert (await reader.read()).endswith("秘密".encode())
        await shut(writer)


async def test_exceptions_open_their_own_host_and_nothing_else() -> None:
    names = Names()
    async with serving(lambda asked: Answer("wiki")) as server:
        names.lead("wiki.example", [server.endpoint])
        names.lead("other.example", [server.endpoint])
        proxy = GuardedProxy(names, AllowList.from_names(["wiki.example"]))
        client = Client(proxy, int((await proxy.start()).rpartition(":")[2]))
        assert (await client.ask(get("http://wiki.example/"))).endswith(b"wiki")
        for url in ("http://other.example/", f"http://127.0.0.1:{server.port}/", "http://wiki.example:8080/"):
            assert (await client.ask(get(url))).startswith(b"HTTP/1.1 403 ")
        await proxy.close()
    assert server.connections == 1


async def test_a_server_that_answers_nothing_or_nonsense_is_a_bad_gateway() -> None:
    class Odd(Answer):
        def raw(self) -> bytes:
            return b"SSH-2.0-OpenSSH\r\n\r\n"

    names = Names()
    names.lead("public.example", [PUBLIC])
    async with proxying(names, Outward()) as client:
        answer = await client.ask(get("http://public.example/"))
        assert answer.startswith(b"HTTP/1.1 502 ") and b"public.example does not answer" in answer
        assert (await client.ask(get("http://unknown.example/"))).startswith(b"HTTP/1.1 502 ")
    async with serving(lambda asked: Odd()) as server, proxying(names, Outward(server.endpoint)) as client:
        assert (await client.ask(get("http://public.example/"))).startswith(b"HTTP/1.1 502 ")


async def test_time_and_number_are_limited() -> None:
    names = Names()
    names.lead("public.example", [PUBLIC])
    # By any other limit it would come after those who wait here have gone.
    short = Limits(head_s=0.2, idle_s=0.4, total_s=10 * PATIENCE, connections=2)
    async with (
        serving(lambda asked: Answer("half", hold=True)) as server,
        proxying(names, Outward(server.endpoint), limits=short) as client,
    ):
        assert await client.ask("GET http://public.example/ HTTP/1.1\r\n") == b""  # a head that never ends
        assert (await client.ask(get("http://public.example/"))).endswith(b"half")  # a body that never ends
        held = [await client.open(tunnel("public.example:80")) for _ in range(2)]
        for reader, _ in held:
            await reader.readuntil(b"\r\n\r\n")
        assert (await client.ask(get("http://public.example/"))).startswith(b"HTTP/1.1 503 ")
        for reader, writer in held:
            assert await asyncio.wait_for(reader.read(), PATIENCE) == b""  # idle
            await shut(writer)


async def test_what_flows_is_not_idle() -> None:
    names = Names()
    names.lead("public.example", [PUBLIC])

    async def drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for _ in range(8):
            writer.write(b".")
            await writer.drain()
            await asyncio.sleep(0.1)
        writer.close()

    server = await asyncio.start_server(drip, "127.0.0.1", 0)
    outward = Outward(Endpoint("127.0.0.1", server.sockets[0].getsockname()[1]))
    async with proxying(names, outward, limits=Limits(idle_s=0.4)) as client:
        assert (await client.ask(tunnel("public.example:443"))).endswith(b"........")
    server.close()


async def test_refusals_are_told_by_authority_and_time() -> None:
    async with proxying(Names(), Outward()) as client:
        before = asyncio.get_running_loop().time()
        await client.ask(tunnel("127.0.0.1:443"))
        await client.ask(get("http://[::1]:80/x"))
        assert isinstance(
            client.proxy.find_refusal(proxies.parse_authority("https://127.0.0.1/x"), before),
            ForbiddenAddress,
        )
        assert isinstance(
            client.proxy.find_refusal(proxies.parse_authority("http://[::1]/"), before), ForbiddenAddress
        )
        assert client.proxy.find_refusal("127.0.0.1:443", asyncio.get_running_loop().time()) is None
        assert client.proxy.find_refusal("127.0.0.1:80", before) is None


def test_hops_keep_their_own_fields() -> None:
    head = proxies.read_head(
        b"GET http://a.example/ HTTP/1.1\r\nAccept: x\r\nProxy-Connection: keep-alive\r\nTE: gzip\r\n\r\n"
    )
    sent = proxies.build_outgoing(head, check_url("http://a.example:80/%E6%9C%AC", AllowList()))
    assert sent == b"GET /%E6%9C%AC HTTP/1.1\r\nHost: a.example\r\nAccept: x\r\nConnection: close\r\n\r\n"
    answer = (
        b"HTTP/1.1 200 OK\r\nSet-Cookie: a=\xe6\x9c\xac\r\nbad line\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    assert proxies.build_incoming(answer) == answer.replace(b"bad line\r\n", b"").replace(
        b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"
    )
    assert proxies.is_interim(b"HTTP/1.1 103 Early Hints\r\n\r\n") and not proxies.is_interim(
        b"HTTP/1.1 200 OK\r\n\r\n"
    )
    with pytest.raises(InvalidParams):
        _ = proxies.read_head(b"POST http://a/ HTTP/1.1\r\nContent-Length: +1\r\n\r\n").body_size


async def test_under_the_name_of_a_visit_only_its_page_s_hosts_are_let_through_and_the_others_not_even_resolved() -> (
    None
):
    names = Names()
    for name in ("page.example", "part.example", "maker.example"):
        names.lead(name, [PUBLIC])
    async with (
        serving(lambda asked: Answer("本文")) as server,
        proxying(names, Outward(server.endpoint)) as client,
    ):
        with client.proxy.visit() as hosts:
            mine = Client(client.proxy, client.port, hosts.user)
            hosts.add("http://page.example./start")
            assert b"200 " in await mine.ask(get("http://page.example/"))
            # its word comes after the connection
            late = asyncio.create_task(mine.ask(get("http://PART.example/")))
            refused = asyncio.create_task(mine.ask(tunnel("maker.example:443")))
            await asyncio.sleep(0.1)
            hosts.add("wss://part.example/line")
            assert b"200 " in await late
            assert (await refused).startswith(b"HTTP/1.1 403 ")
        assert client.proxy.uninvited == {"maker.example:443": 1} and not client.proxy.refused
        assert set(names.asked) == {"page.example", "part.example"}
        assert (await mine.ask(get("http://page.example/"))).startswith(b"HTTP/1.1 407 "), "the visit is over"
