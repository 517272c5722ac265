"""Nothing that a page does in the browser reaches this machine or a private network. The judge is the secret
server's own count of connections, not what the browser says."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from shisho.domain.web import Endpoint, Request
from shisho.errors import ForbiddenAddress
from shisho.web.browser.proxy import Streams, open_endpoint
from tests.faults.children import LONG
from tests.web.browsing import LIGHT, browsing
from tests.web.servers import Answer, Asked, Names, Server, serving

PUBLIC = Endpoint("93.184.216.34", 80)


@dataclass
class Datagrams(asyncio.DatagramProtocol):
    received: list[bytes] = field(default_factory=list)

    def datagram_received(self, data: bytes, addr: object) -> None:
        self.received.append(data)


@asynccontextmanager
async def secret() -> AsyncIterator[tuple[Server, Datagrams]]:
    """A server of this machine, for TCP and UDP on one port, that no page may reach."""
    async with serving(lambda asked: Answer("機密")) as server:
        loop = asyncio.get_running_loop()
        transport, datagrams = await loop.create_datagram_endpoint(
            Datagrams, local_addr=("127.0.0.1", server.port)
        )
        try:
            yield server, datagrams
        finally:
            transport.close()


NAVIGATIONS: dict[str, Callable[[str], Answer]] = {
    "redirect": lambda url: Answer(status=302, headers=[("Location", url)]),
    "meta": lambda url: Answer(f'<meta http-equiv="refresh" content="0;url={url}"><p>wait'),
    "script": lambda url: Answer(f"<p>wait<script>location = '{url}'</script>"),
    "form": lambda url: Answer(
        f"<form id=f method=post action='{url}'><input name=a></form><script>f.submit()</script>"
    ),
}
GOALS = (
    "http://127.0.0.1:{port}/",
    "http://localhost:{port}/",
    "http://[::1]:{port}/",
    "http://inside.example:{port}/",
    "https://inside.example/",
    "http://169.254.169.254/latest/meta-data/",
)
ALL_WAYS = [
    *(("redirect", goal) for goal in GOALS),
    *((way, GOALS[0]) for way in NAVIGATIONS if way != "redirect"),
]
WAYS = ALL_WAYS if LONG else ALL_WAYS[::2]  # each is a browser's start


@pytest.mark.slow
async def test_no_navigation_leads_inside(tmp_path: Path) -> None:
    names = Names()
    async with secret() as (inside, _):

        def pages(asked: Asked) -> Answer:
            way, goal = (
                WAYS[int(asked.path.removeprefix("/"))] if asked.path[1:].isdecimal() else ("redirect", "/0")
            )
            return NAVIGATIONS[way](goal.format(port=inside.port))

        async with serving(pages) as server:
            names.lead("a.example", [server.endpoint])
            names.lead("inside.example", [inside.endpoint])
            async with browsing(
                tmp_path, names, "a.example", ports=frozenset({inside.port}), manner=LIGHT
            ) as browser:
                with pytest.raises(ForbiddenAddress):
                    await browser.open(Request(f"http://127.0.0.1:{inside.port}/"))
                for number, (way, goal) in enumerate(WAYS):
                    with pytest.raises(ForbiddenAddress):
                        response = await browser.open(Request(f"http://a.example/{number}"))
                        raise AssertionError(f"{way} to {goal} came back: {response}")
        assert inside.connections == 0
    assert {f"/{number}" for number in range(len(WAYS))} <= set(server.paths)


async def test_a_name_that_turns_round_is_not_followed(tmp_path: Path) -> None:
    """DNS rebinding: the page comes from a public address, what it asks of its own host next would go to this
    machine."""
    page = "<p id=a>-</p><script>fetch('/again').then(r => r.text()).then(t => {a.textContent = t})</script>"
    names = Names()
    async with secret() as (inside, _), serving(lambda asked: Answer(page)) as server:
        names.lead("turn.example", [PUBLIC], [inside.endpoint])
        reached: list[Endpoint] = []

        async def internet(endpoint: Endpoint) -> Streams:
            reached.append(endpoint)
            return await open_endpoint(server.endpoint if endpoint == PUBLIC else endpoint)

        async with browsing(tmp_path, names, connect=internet) as browser:
            text = (await browser.open(Request("http://turn.example/"))).body.decode()
            assert "機密" not in text
            assert names.asked.count("turn.example") > 1
            assert isinstance(browser.proxy.refused[0].error, ForbiddenAddress)
        assert reached == [PUBLIC] and inside.connections == 0
    assert server.paths == ["/"]


# kind → what a page does to have something from host:port `at`
PARTS = {
    "img": "<img src='http://{at}/'>",
    "picture": "<img srcset='http://{at}/ 2x'>",
    "script": "<script src='http://{at}/'></script>",
    "module": "<script type=module src='http://{at}/'></script>",
    "css": "<link rel=stylesheet href='http://{at}/'>",
    "import": "<style>@import 'http://{at}/';</style>",
    "background": "<div style='background: url(http://{at}/); height: 9px'></div>",
    "font": "<style>@font-face {{font-family: f; src: url(http://{at}/)}}</style><p style='font-family: f'>字</p>",
    "iframe": "<iframe src='http://{at}/'></iframe>",
    "object": "<object data='http://{at}/'></object>",
    "embed": "<embed src='http://{at}/'>",
    "video": "<video src='http://{at}/' preload=auto></video>",
    "fetch": "<script>fetch('http://{at}/', {{mode: 'no-cors'}})</script>",
    "xhr": "<script>x = new XMLHttpRequest; x.open('GET', 'http://{at}/'); x.send()</script>",
    "beacon": "<script>navigator.sendBeacon('http://{at}/', 'a')</script>",
    "websocket": "<script>new WebSocket('ws://{at}/')</script>",
    "events": "<script>new EventSource('http://{at}/')</script>",
    "form": "<iframe name=t></iframe><form id=g target=t action='http://{at}/'></form><script>g.submit()</script>",
    "download": "<iframe srcdoc=\"<a id=d download href='http://{at}/'>d</a><script>d.click()</script>\"></iframe>",
    "worker": "<script>new Worker(URL.createObjectURL(new Blob([\"importScripts('http://{at}/')\"])))</script>",
    "popup": "<script>open('http://{at}/')</script>",
    "preload": "<link rel=preload as=image href='http://{at}/'>",
    "svg": "<svg><image href='http://{at}/'/></svg>",
}
# Ways without HTTP: no proxy sees them, so only the secret server can tell.
LINES = """<link rel=dns-prefetch href='//{at}'><link rel=preconnect href='https://{at}'>
<script>
  try {{ new WebTransport('https://{at}/') }} catch (e) {{}}
  turn = {{urls: 'turn:{at}?transport=tcp', username: 'a', credential: 'b'}}
  line = new RTCPeerConnection({{iceServers: [{{urls: 'stun:{at}'}}, turn]}})
  line.createDataChannel('a'); line.createOffer().then(offer => line.setLocalDescription(offer))
</script>"""


@pytest.mark.slow
async def test_no_part_of_a_page_comes_from_inside(tmp_path: Path) -> None:
    names = Names()
    async with secret() as (inside, datagrams):
        for kind in PARTS:
            names.lead(f"{kind}.inside.example", [inside.endpoint])

        def page(asked: Asked) -> Answer:
            parts = [part.format(at=f"{kind}.inside.example:{inside.port}") for kind, part in PARTS.items()]
            parts += [
                PARTS[kind].format(at=f"127.0.0.1:{inside.port}")
                for kind in ("img", "websocket", "iframe", "fetch")
            ]
            return Answer(f"<p>本文</p>{''.join(parts)}{LINES.format(at=f'127.0.0.1:{inside.port}')}")

        async with serving(page) as server:
            names.lead("a.example", [server.endpoint])
            async with browsing(
                tmp_path, names, "a.example", ports=frozenset({inside.port}), manner=LIGHT
            ) as browser:
                response = await browser.open(Request("http://a.example/"), "engine")
                refused = [each.authority for each in browser.proxy.refused]
        assert "本文".encode() in response.body and "機密".encode() not in response.body
        assert inside.connections == 0 and not datagrams.received
    asked_for = {
        authority.partition(".")[0]
        for authority in refused
        if authority.endswith(f".inside.example:{inside.port}")
    }
    assert asked_for == set(PARTS)
    assert f"127.0.0.1:{inside.port}" in refused
    assert {type(each.error) for each in browser.proxy.refused} == {ForbiddenAddress}


@pytest.mark.slow
async def test_in_a_long_visit_the_browser_reaches_no_host_but_those_of_the_page(tmp_path: Path) -> None:
    """Left to itself for ten seconds it asks its maker's hosts for things of its own."""
    parts = "<script src='http://part.example/late.js'></script><img src='http://part.example/p.png'>"

    async def pages(asked: Asked) -> Answer:
        if asked.path == "/late.js":
            await asyncio.sleep(14)
            return Answer("document.title = '遅い題'", media_type="text/javascript; charset=utf-8")
        return (
            Answer(status=302, headers=[("Location", "http://b.example/")])
            if asked.path == "/old"
            else Answer(parts)
        )

    names = Names()
    async with serving(pages) as server:
        for name in ("a.example", "b.example", "part.example"):
            names.lead(name, [server.endpoint])
        async with browsing(tmp_path, names, "a.example", "b.example", "part.example") as browser:
            response = await browser.open(Request("http://a.example/old"), deadline_s=120)
        assert "遅い題" in response.body.decode()
        assert set(names.asked) == {"a.example", "b.example", "part.example"}
        assert not browser.proxy.refused
