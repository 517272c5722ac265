"""Fetching over real connections on loopback, and the guard before a way out that only records."""

from __future__ import annotations

import asyncio
import gzip
import ssl
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest

from shisho.bootstrap.web import format_user_agent
from shisho.corpus.readers import html
from shisho.domain.web import Endpoint, Request
from shisho.errors import (
    AllFetchesFailed,
    ForbiddenAddress,
    InvalidParams,
    ShishoError,
    TimedOut,
    TooLarge,
    UnsupportedMedia,
)
from shisho.messages.catalogue import render
from shisho.system.resolver import SystemResolver
from shisho.version import VERSION
from shisho.web.http import address
from shisho.web.http.address import AllowList
from shisho.web.http.fetch import HttpFetcher
from tests.machine import PATIENCE
from tests.web.servers import Answer, Asked, Handler, Names, Server, serving, tls
from tests.web.ssrf import Insider, Recorder, refused_urls

AGENT = "Shisho/1.2.3 (+https://shisho.example/about)"
BOX = AllowList.from_names(["a.test", "b.test"])
PUBLIC = "93.184.216.34"


def reaching(server: Server, *hosts: str, **options: Any) -> HttpFetcher:
    names = Names()
    for host in hosts or ("a.test", "b.test"):
        names.lead(host, [server.endpoint])
    return HttpFetcher(names, BOX, AGENT, **options)


def text(body: str, **fields: Any) -> Handler:
    return lambda _: Answer(body, **fields)


@asynccontextmanager
async def serving_raw(*answers: bytes) -> AsyncIterator[Server]:
    """Each connection is given the next of these bytes."""
    state = Server()
    left = list(answers)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(left.pop(0))
        await writer.drain()
        await reader.read()
        writer.close()

    tasks: list[asyncio.Task[None]] = []
    server = await asyncio.start_server(
        lambda *streams: tasks.append(asyncio.create_task(serve(*streams))), "127.0.0.1", 0
    )
    state.port = server.sockets[0].getsockname()[1]
    yield state
    server.close()
    await asyncio.gather(*tasks)


class ByPort:
    """`ports.Resolver` that leads http and https of any name to two addresses."""

    async def resolve(self, host: str, port: int) -> Sequence[Endpoint]:
        return [Endpoint(f"10.0.{port}.1" if port < 256 else "10.0.0.1", port)]


# ── what is sent, what comes back ──


async def test_a_page_comes_back_as_it_is() -> None:
    headers = [
        ("ETag", '"7"'),
        ("Last-Modified", "Mon, 02 Nov 2026 00:00:00 GMT"),
        ("Set-Cookie", "a=b"),
        ("X-Other", "1"),
    ]
    page = "図書館".encode("shift_jis")
    async with serving(
        lambda _: Answer(page, media_type="Text/HTML; Charset=Shift_JIS", headers=headers)
    ) as server:
        answer = await reaching(server).fetch(Request("http://a.test/図書館?q=1#part"))
    assert answer.body == page
    assert (answer.status, answer.media_type, answer.charset) == (200, "text/html", "shift_jis")
    assert answer.url == "http://a.test/%E5%9B%B3%E6%9B%B8%E9%A4%A8?q=1"
    assert answer.headers == {"etag": '"7"', "last-modified": "Mon, 02 Nov 2026 00:00:00 GMT"}


async def test_what_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    lies = {
        "User-Agent": "Mozilla/5.0",
        "Host": "other.example",
        "accept-encoding": "br",
        "Content-Length": "7",
        "Connection": "x",
    }
    given = {"Accept-Language": "en", "If-None-Match": '"7"', "X-Key": "k"}
    async with serving(text("ok")) as server:
        await reaching(server).fetch(
            Request("http://a.test/p?q=1", headers=given | lies, cookies={"c": "1", "d": "2"})
        )
    (asked,) = server.asked
    assert (asked.method, asked.path) == ("GET", "/p?q=1")
    assert asked.headers["user-agent"] == "Shisho/1.2.3 (+https://shisho.example/about)"
    assert (asked.headers["host"], asked.headers["accept-encoding"]) == ("a.test", "gzip")
    assert (asked.headers["accept-language"], asked.headers["if-none-match"], asked.headers["x-key"]) == (
        "en",
        '"7"',
        "k",
    )
    assert asked.headers["cookie"] == "c=1; d=2"
    assert "content-length" not in asked.headers


async def test_a_form_is_posted() -> None:
    async with serving(text("ok")) as server:
        await reaching(server).fetch(Request("http://a.test/html/", "POST", {"q": "司書 補", "b": ""}))
    (asked,) = server.asked
    assert (asked.method, asked.body) == ("POST", b"q=%E5%8F%B8%E6%9B%B8+%E8%A3%9C&b=")
    assert asked.headers["content-type"] == "application/x-www-form-urlencoded"


@pytest.mark.parametrize("status", [304, 404, 403, 429, 503])
async def test_every_status_is_an_answer(status: int) -> None:
    async with serving(
        text("" if status == 304 else "no", status=status, headers=[("Retry-After", "120")])
    ) as server:
        answer = await reaching(server).fetch(Request("http://a.test/"))
    assert (answer.status, answer.headers["retry-after"]) == (status, "120")


async def test_what_has_not_changed_names_a_length_it_does_not_send() -> None:
    head = b'HTTP/1.1 304 Not Modified\r\nContent-Length: 8000000000\r\nETag: "7"\r\n\r\n'
    async with serving_raw(head) as server:
        answer = await reaching(server).fetch(Request("http://a.test/", headers={"If-None-Match": '"7"'}))
    assert (answer.status, answer.body) == (304, b"")


@pytest.mark.parametrize(
    "request_",
    [
        Request("http://a.test/", "DELETE"),
        Request("http://a.test/", headers={"x": "secret\r\nb: c"}),
        Request("http://a.test/", headers={"x": "secret図書館"}),
        Request("http://a.test/", cookies={"x": "secret図書館"}),
        Request("http://a.test/", "POST", {"q": "secret\ud800"}),
    ],
)
async def test_what_cannot_be_asked(request_: Request) -> None:
    async with serving(text("ok")) as server:
        with pytest.raises(InvalidParams) as refusal:
            await reaching(server).fetch(request_)
    assert server.asked == [] and "secret" not in refusal.value.message


def test_who_we_are() -> None:
    assert format_user_agent("") == f"Shisho/{VERSION}"
    assert format_user_agent("mailto:me@example.jp") == f"Shisho/{VERSION} (+mailto:me@example.jp)"
    for wrong in ("a\r\nb", "図書館", "two words", "a)"):
        with pytest.raises(InvalidParams):
            format_user_agent(wrong)


# ── redirects ──


def chain(rules: dict[str, tuple[int, str]]) -> Handler:
    """`host/path` → status and Location; anything else is the end."""

    def answer(asked: Asked) -> Answer:
        rule = rules.get(asked.headers["host"] + asked.path)
        return Answer("end") if rule is None else Answer("", rule[0], headers=[("Location", rule[1])])

    return answer


async def test_redirects_are_followed_to_five() -> None:
    rules = {f"a.test/{number}": (302, f"{number + 1}") for number in range(6)}
    async with serving(chain(rules)) as server:
        answer = await reaching(server).fetch(Request("http://a.test/1"))
        assert (answer.url, answer.body, len(server.asked)) == ("http://a.test/6", b"end", 6)
        with pytest.raises(AllFetchesFailed, match="more than 5"):
            await reaching(server).fetch(Request("http://a.test/0"))


async def test_a_circle_is_seen_at_once() -> None:
    async with serving(
        chain({"a.test/1": (302, "//b.test/2"), "b.test/2": (301, "http://a.test/1")})
    ) as server:
        with pytest.raises(AllFetchesFailed, match="loop"):
            await reaching(server).fetch(Request("http://a.test/1"))
    assert len(server.asked) == 2


@pytest.mark.parametrize(
    "location", ["ftp://a.test/", "javascript:alert(1)", "http://[broken", "http://a.test:99999/", "data:,x"]
)
async def test_a_redirect_to_no_web_address(location: str) -> None:
    async with serving(chain({"a.test/1": (302, location)})) as server:
        with pytest.raises(AllFetchesFailed, match="redirects to something that is not a web address"):
            await reaching(server).fetch(Request("http://a.test/1"))


@pytest.mark.parametrize(
    ("raw", "path"),
    [
        ("/図書館".encode(), "/%E5%9B%B3%E6%9B%B8%E9%A4%A8"),
        ("/図書館".encode("shift_jis"), "/%90%7D%8F%91%8A%D9"),
    ],
)
async def test_a_japanese_location_is_followed_as_it_is(raw: bytes, path: str) -> None:
    first = b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: " + raw + b"\r\n\r\n"
    async with serving_raw(first, b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nend") as server:
        answer = await reaching(server).fetch(Request("http://a.test/1"))
    assert answer.url == f"http://a.test{path}" and answer.body == b"end"


@pytest.mark.parametrize(
    ("status", "method"), [(301, "GET"), (302, "GET"), (303, "GET"), (307, "POST"), (308, "POST")]
)
async def test_a_form_goes_on_only_where_it_must(status: int, method: str) -> None:
    async with serving(chain({"a.test/1": (status, "/2")})) as server:
        await reaching(server).fetch(Request("http://a.test/1", "POST", {"q": "x"}))
    assert [(asked.method, asked.body) for asked in server.asked][1] == (
        method,
        b"q=x" if method == "POST" else b"",
    )


async def test_a_form_is_not_sent_on_to_another_host() -> None:
    async with serving(chain({"a.test/1": (307, "http://b.test/2")})) as server:
        with pytest.raises(AllFetchesFailed, match=r"b\.test"):
            await reaching(server).fetch(Request("http://a.test/1", "POST", {"q": "x"}))
    assert len(server.asked) == 1


async def test_nothing_private_goes_to_another_host_nor_comes_back() -> None:
    rules = {
        "a.test/1": (302, "/2"),
        "a.test/2": (302, "http://b.test/3"),
        "b.test/3": (302, "http://a.test/4"),
    }
    headers = {
        "Authorization": "Bearer k",
        "X-Subscription-Token": "k",
        "Accept-Language": "en",
        "If-None-Match": '"7"',
    }
    async with serving(chain(rules)) as server:
        await reaching(server).fetch(Request("http://a.test/1", headers=headers, cookies={"c": "k"}))
    held = [
        {name for name in ("authorization", "x-subscription-token", "cookie") if name in asked.headers}
        for asked in server.asked
    ]
    assert held == [{"authorization", "x-subscription-token", "cookie"}] * 2 + [set(), set()]
    assert all(
        (asked.headers["accept-language"], asked.headers["if-none-match"]) == ("en", '"7"')
        for asked in server.asked
    )


@pytest.mark.parametrize(("first", "second", "kept"), [("http", "https", True), ("https", "http", False)])
async def test_cookies_go_up_to_https_and_not_down(first: str, second: str, kept: bool) -> None:
    context, authority = tls("a.test")
    ours = ssl.create_default_context()
    authority.configure_trust(ours)
    rules = {"a.test/1": (302, f"{second}://a.test/2")}
    async with serving(chain(rules)) as plain, serving(chain(rules), context) as secure:
        network = Recorder({"10.0.80.1": plain.port, "10.0.0.1": secure.port})
        fetcher = HttpFetcher(ByPort(), BOX, AGENT, ssl_context=ours, network=network)
        answer = await fetcher.fetch(Request(f"{first}://a.test/1", cookies={"c": "k"}))
    last = (secure if second == "https" else plain).asked[0]
    assert answer.url == f"{second}://a.test/2" and ("cookie" in last.headers) is kept


# ── the guard ──


@pytest.mark.parametrize("resolver", [Insider()])
async def test_the_shared_list_is_refused_and_nothing_is_opened(resolver: Insider) -> None:
    recorder = Recorder()
    fetcher = HttpFetcher(resolver, AllowList(), AGENT, network=recorder)
    for url in refused_urls():
        with pytest.raises((ForbiddenAddress, InvalidParams)):
            await fetcher.fetch(Request(url))
    assert recorder.opened == []


async def test_the_recorder_would_have_seen_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the guard the same list opens connections: the test above can fail."""
    monkeypatch.setattr(address, "explain_forbidden", lambda _: None)
    monkeypatch.setattr(address, "_INSIDE", address.re.compile("(?!)"))
    monkeypatch.setattr(address, "_NUMBER", address.re.compile("(?!)"))
    recorder = Recorder()
    fetcher = HttpFetcher(Insider(), AllowList(), AGENT, network=recorder)
    for url in refused_urls():
        with pytest.raises(ShishoError):
            await fetcher.fetch(Request(url))
    assert len(recorder.opened) > 90  # all but what is no URL, and ports
    assert {"127.0.0.1", "169.254.169.254", "::1", "192.0.0.192", "64:ff9b::a9fe:a9fe", "2002:7f00:1::"} <= {
        host for host, _ in recorder.opened
    }


@pytest.mark.parametrize("check", ["check_url", "check_endpoints"])
async def test_each_half_of_the_guard_is_needed(check: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Literals and names are refused before they are resolved, names that lead inside after it."""
    if check == "check_url":
        monkeypatch.setattr(address, "_check", lambda *_: None)
        url = "http://metadata.packet.net/userdata"  # a public address
    else:
        monkeypatch.setattr("shisho.web.http.fetch.check_endpoints", lambda endpoints, *_: endpoints)
        url = "http://loopback-by-dns.test/"
    names = Names()
    names.lead("metadata.packet.net", [Endpoint(PUBLIC, 80)])
    names.lead("loopback-by-dns.test", [Endpoint("127.0.0.1", 80)])
    recorder = Recorder()
    with pytest.raises(AllFetchesFailed, match="recorded"):
        await HttpFetcher(names, AllowList(), AGENT, network=recorder).fetch(Request(url))
    assert len(recorder.opened) == 1


async def test_another_checked_address_is_tried_where_one_is_dead() -> None:
    names = Names()
    names.lead("two.test", [Endpoint("2606:4700::1111", 80), Endpoint(PUBLIC, 80)])
    async with serving(text("ok")) as server:
        recorder = Recorder({PUBLIC: server.port})
        answer = await HttpFetcher(names, AllowList(), AGENT, network=recorder).fetch(
            Request("http://two.test/")
        )
    assert answer.body == b"ok" and recorder.opened == [("2606:4700::1111", 80), (PUBLIC, 80)]


async def test_why_nobody_is_reached_is_told_in_both_languages() -> None:
    names = Names()
    async with serving(text("gone")) as server:
        names.lead("a.test", [server.endpoint])
    with pytest.raises(AllFetchesFailed, match="connection refused") as failed:
        await HttpFetcher(names, BOX, AGENT).fetch(Request("http://a.test/"))
    assert "接続が拒否されました" in render(failed.value.message, "ja")


async def test_a_name_is_resolved_once_and_held_to_its_address() -> None:
    names = Names()
    names.lead("rebinding.test", [Endpoint(PUBLIC, 80)], [Endpoint("127.0.0.1", 80)])
    async with serving(text("ok")) as server:
        recorder = Recorder({PUBLIC: server.port})
        await HttpFetcher(names, AllowList(), AGENT, network=recorder).fetch(
            Request("http://rebinding.test/")
        )
    assert names.asked == ["rebinding.test"] and recorder.opened == [(PUBLIC, 80)]


async def test_a_name_that_leads_elsewhere_at_the_next_hop_is_refused() -> None:
    names = Names()
    names.lead("rebinding.test", [Endpoint(PUBLIC, 80)], [Endpoint("127.0.0.1", 80)])
    async with serving(chain({"rebinding.test/1": (302, "/2")})) as server:
        recorder = Recorder({PUBLIC: server.port, "127.0.0.1": server.port})
        with pytest.raises(ForbiddenAddress, match=r"127\.0\.0\.1"):
            await HttpFetcher(names, AllowList(), AGENT, network=recorder).fetch(
                Request("http://rebinding.test/1")
            )
    assert recorder.opened == [(PUBLIC, 80)]


@pytest.mark.parametrize(
    "location",
    [
        "http://127.0.0.1/",
        "//169.254.169.254/latest/",
        "http://inside.test/",
        "http://2130706433/",
        "http://[::1]/",
        "http://out.test:22/",
    ],
)
async def test_a_redirect_inside_is_refused(location: str) -> None:
    names = Names()
    names.lead("out.test", [Endpoint(PUBLIC, 80)])
    names.lead("inside.test", [Endpoint(PUBLIC, 80), Endpoint("10.0.0.1", 80)])
    async with serving(chain({"out.test/1": (302, location)})) as server:
        recorder = Recorder({PUBLIC: server.port, "127.0.0.1": server.port, "10.0.0.1": server.port})
        with pytest.raises(ForbiddenAddress):
            await HttpFetcher(names, AllowList(), AGENT, network=recorder).fetch(Request("http://out.test/1"))
    assert recorder.opened == [(PUBLIC, 80)]


async def test_an_exception_is_for_its_name_alone() -> None:
    async with serving(chain({"a.test/1": (302, "http://c.test/")})) as server:
        names = Names()
        names.lead("a.test", [server.endpoint])
        names.lead("c.test", [server.endpoint])
        with pytest.raises(ForbiddenAddress, match=r"c\.test"):
            await HttpFetcher(names, BOX, AGENT).fetch(Request("http://a.test/1"))
        with pytest.raises(ForbiddenAddress):
            await HttpFetcher(names, BOX, AGENT).fetch(Request(f"http://127.0.0.1:{server.port}/"))
    assert server.paths == ["/1"]


async def test_the_system_resolver() -> None:
    resolver = SystemResolver()
    try:
        assert Endpoint("127.0.0.1", 80) in await resolver.resolve("127.0.0.1", 80)
        with pytest.raises(AllFetchesFailed, match=r"no IP address|can't be resolved"):
            await resolver.resolve("name.invalid", 80)
        with pytest.raises(AllFetchesFailed):
            await resolver.resolve("a" * 300, 80)
    finally:
        resolver.close()


# ── TLS ──


async def test_tls_is_verified_against_the_name_not_the_address() -> None:
    context, authority = tls("a.test")
    ours = ssl.create_default_context()
    authority.configure_trust(ours)
    async with serving(text("ok"), context) as server:
        fetcher = reaching(server, ssl_context=ours)
        assert (await fetcher.fetch(Request("https://a.test/"))).body == b"ok"
        with pytest.raises(AllFetchesFailed, match=r"certificate of b\.test"):
            await fetcher.fetch(Request("https://b.test/"))
        with pytest.raises(AllFetchesFailed, match="certificate"):  # an authority nobody knows
            await reaching(server).fetch(Request("https://a.test/"))
    assert server.paths == ["/"]


async def test_names_of_one_address_share_no_connection() -> None:
    context, authority = tls("a.test", "b.test")
    named: list[str | None] = []
    context.sni_callback = lambda _socket, name, _context: named.append(name)
    ours = ssl.create_default_context()
    authority.configure_trust(ours)
    async with serving(text("ok"), context) as server:
        fetcher = reaching(server, ssl_context=ours)
        for host in ("a.test", "b.test", "a.test"):
            await fetcher.fetch(Request(f"https://{host}/"))
        await asyncio.gather(
            *(fetcher.fetch(Request(f"https://{host}/")) for host in ("a.test", "b.test") * 3)
        )
    hosts = [asked.headers["host"] for asked in server.asked]
    assert server.connections == 9 and sorted(named) == sorted(hosts)  # type: ignore[type-var]


# ── limits of time and size ──


async def test_one_deadline_over_everything() -> None:
    async def slowly(asked: Asked) -> Answer:
        await asyncio.sleep(0.3)
        return Answer("", 302, headers=[("Location", f"{asked.path}x")])

    async with serving(slowly) as server:
        loop = asyncio.get_running_loop()
        started = loop.time()
        with pytest.raises(TimedOut):
            await reaching(server, total_s=0.7).fetch(Request("http://a.test/"))
        assert loop.time() - started >= 0.7
    assert 1 <= len(server.asked) <= 3  # each takes .3 s: a fourth would come after the deadline


async def test_a_resolver_that_does_not_answer_is_given_up() -> None:
    class Silent:
        async def resolve(self, host: str, port: int) -> Sequence[Endpoint]:
            await asyncio.sleep(3600)
            return []

    with pytest.raises(TimedOut):
        await HttpFetcher(Silent(), BOX, AGENT, total_s=0.2).fetch(Request("http://a.test/"))


@pytest.mark.parametrize(
    ("scheme", "stopped"), [("http", False), ("https", False), ("http", True), ("https", True)]
)
async def test_a_connection_is_closed_however_a_fetch_ends(scheme: str, stopped: bool) -> None:
    came = asyncio.Event()
    left = asyncio.Event()

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        came.set()
        while await reader.read(1000):
            pass
        left.set()
        writer.close()

    server = await asyncio.start_server(silent, "127.0.0.1", 0)
    async with server:
        fetcher = reaching(Server(server.sockets[0].getsockname()[1]), total_s=60 if stopped else 0.3)
        fetching = asyncio.create_task(fetcher.fetch(Request(f"{scheme}://a.test/")))
        await came.wait()
        if stopped:
            fetching.cancel()
        with pytest.raises(asyncio.CancelledError if stopped else TimedOut):
            await fetching
        await asyncio.wait_for(left.wait(), PATIENCE)


@pytest.mark.parametrize(
    ("media", "opening", "megabytes"),
    [
        ("text/html", b"", 5),
        ("application/xhtml+xml", b"%PDF-1.7", 5),
        ("text/plain", b"", 10),
        ("application/json", b"", 10),
        ("application/pdf", b"\r\n%PDF-1.7", 50),
        ("application/pdf", b"", 10),
        ("", b"PK\x03\x04", 50),
        ("", b"", 10),
    ],
)
async def test_limits_go_by_media_type_and_opening(media: str, opening: bytes, megabytes: int) -> None:
    body = opening.ljust(megabytes * 2**20, b"\0")
    sent = b""

    def answer(_: Asked) -> Answer:
        return Answer(sent, media_type=media, headers=[("Content-Encoding", "gzip")])

    async with serving(answer) as server:
        sent = gzip.compress(body, 1)
        assert (await reaching(server).fetch(Request("http://a.test/"))).body == body
        sent = gzip.compress(body + b"x", 1)
        with pytest.raises(TooLarge, match=f"{megabytes} MB"):
            await reaching(server).fetch(Request("http://a.test/"))


async def test_an_announced_length_over_the_limit_is_not_waited_for() -> None:
    async with serving_raw(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 10000000000\r\n\r\n<p>"
    ) as server:
        with pytest.raises(TooLarge):
            await reaching(server, total_s=5).fetch(Request("http://a.test/"))


async def test_a_header_that_leads_on_is_kept() -> None:
    async with serving(text("moved", headers=[("Refresh", "0; url=/new")])) as server:
        response = await reaching(server).fetch(Request("http://a.test/"))
    assert response.headers == {"refresh": "0; url=/new"}


@pytest.mark.parametrize("media", ["image/png", "video/mp4", "font/woff2"])
async def test_what_holds_no_text_is_refused(media: str) -> None:
    async with serving(text("x", media_type=media)) as server:
        with pytest.raises(UnsupportedMedia):
            await reaching(server).fetch(Request("http://a.test/"))


# ── the characters of a page ──

ARTICLE = (
    "<html><head>{}<title>図書館の蔵書</title></head>"
    "<body><p>閲覧室では、蔵書を静かに読むことができます。</p></body></html>"
)


@pytest.mark.parametrize("name", ["Shift_JIS", "EUC-JP", "ISO-2022-JP", "UTF-8"])
@pytest.mark.parametrize(
    ("header", "meta"),
    [(True, True), (True, False), (False, True), (False, False)],
    ids=["both", "header", "meta", "neither"],
)
async def test_a_japanese_page_is_read_however_it_is_encoded(name: str, header: bool, meta: bool) -> None:
    page = ARTICLE.format(
        f'<meta http-equiv="Content-Type" content="text/html; charset={name}">' if meta else ""
    )
    media = f"text/html; charset={name}" if header else "text/html"
    async with serving(lambda _: Answer(page.encode(name), media_type=media)) as server:
        answer = await reaching(server).fetch(Request("http://a.test/"))
    reading = html.read(answer.body, answer.charset)
    assert reading.title == "図書館の蔵書"
    assert "閲覧室では、蔵書を静かに読むことができます。" in reading.blocks[-1].text
