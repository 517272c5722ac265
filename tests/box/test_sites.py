"""The hosts that each show one thing, asked with our fetcher."""

from __future__ import annotations

import pytest

from shisho.domain.web import ChallengeKind, Endpoint, Request
from shisho.errors import AllFetchesFailed, ForbiddenAddress, ShishoError, TimedOut
from shisho.web.http.challenge import detect
from tests.box.conftest import Visitor, fetcher

BELL = "港の古い時計台"


@pytest.mark.parametrize(
    "path", ["301", "302", "303", "307", "308", "chain/4", "to?url=https://redirect.example/end"]
)
async def test_redirects_end(path: str, visitor: Visitor) -> None:
    response = await visitor.get(f"https://redirect.example/{path}")
    assert response.url == "https://redirect.example/end" and BELL in response.body.decode()


@pytest.mark.parametrize("path", ["loop", "chain/9"])
async def test_redirects_that_do_not(path: str, visitor: Visitor) -> None:
    with pytest.raises(AllFetchesFailed):
        await visitor.get(f"https://redirect.example/{path}")


@pytest.mark.parametrize("path", ["loopback", "metadata", "private"])
async def test_redirects_into_a_network_are_not_followed(path: str, visitor: Visitor) -> None:
    with pytest.raises(ForbiddenAddress):
        await visitor.get(f"https://redirect.example/{path}")
    assert len(visitor.box.log.connections) == 1 and [entry.path for entry in visitor.box.log.requests] == [
        f"/{path}"
    ]


async def test_other_hosts_and_schemes(visitor: Visitor) -> None:
    assert (await visitor.get("https://redirect.example/away")).url == "https://script.example/plain"
    with pytest.raises(ShishoError):
        await visitor.get("https://redirect.example/file")


TRAPS = ["mixed", "loopback", "loopback6", "mapped", "private", "shared", "metadata"]


@pytest.mark.parametrize("name", TRAPS)
async def test_names_that_lead_into_a_network(name: str, visitor: Visitor) -> None:
    with pytest.raises(ForbiddenAddress):
        await visitor.get(f"https://{name}.hostile.example/")
    assert not visitor.box.log.connections


async def test_a_name_that_changes_its_mind(visitor: Visitor) -> None:
    name = "rebind.hostile.example"
    first = await visitor.box.resolver.resolve(name, 443)
    assert first == [Endpoint("2d00::1", visitor.box.ports.https)]
    for _ in range(2):
        with pytest.raises(ForbiddenAddress):
            await visitor.get(f"https://{name}/")
    assert not visitor.box.log.connections


async def test_nothing_else_is_resolved(visitor: Visitor) -> None:
    for host, port in (("www.example.com", 443), ("redirect.example", 8080)):
        with pytest.raises(AllFetchesFailed):
            await visitor.box.resolver.resolve(host, port)
    assert await visitor.box.resolver.resolve("192.168.0.7", 80) == [Endpoint("192.168.0.7", 80)]


@pytest.mark.parametrize(
    ("path", "charset", "codec"),
    [
        ("sjis", None, "cp932"),
        ("sjis-header", "shift_jis", "cp932"),
        ("eucjp", None, "euc_jp"),
        ("wrong", "iso-8859-1", "euc_jp"),
    ],
)
async def test_charsets(path: str, charset: str | None, codec: str, visitor: Visitor) -> None:
    response = await visitor.get(f"https://charset.example/{path}")
    assert (response.charset or "").lower() == (charset or "") and BELL in response.body.decode(codec)


ROBOTS = [
    ("shut", 200, "Disallow: /\n"),
    ("part", 200, "Crawl-delay: 2"),
    ("none", 404, ""),
    ("broken", 500, ""),
]


@pytest.mark.parametrize(("kind", "status", "said"), ROBOTS)
async def test_robots(kind: str, status: int, said: str, visitor: Visitor) -> None:
    response = await visitor.get(f"https://robots-{kind}.example/robots.txt")
    assert response.status == status and said in response.body.decode()
    assert BELL in (await visitor.get(f"https://robots-{kind}.example/page")).body.decode()


async def test_robots_of_all_others_allow(visitor: Visitor) -> None:
    for host in ("www.mojeek.com", "www.example.ac.jp"):
        assert "Disallow:\n" in (await visitor.get(f"https://{host}/robots.txt")).body.decode()
    assert (
        not visitor.box.log.select("mojeek")
        and len((await visitor.get("https://robots-large.example/robots.txt")).body) > 2**20
    )


async def test_slow_robots(visitor: Visitor) -> None:
    hasty = fetcher(visitor.box, total_s=0.5)
    with pytest.raises(TimedOut):
        await hasty.fetch(Request("https://robots-slow.example/robots.txt"))


async def test_who_knows_a_page_gets_no_second_copy(visitor: Visitor) -> None:
    url = visitor.box.questions[-1].url
    first = await visitor.get(url)
    for header, known in (("If-None-Match", "etag"), ("If-Modified-Since", "last-modified")):
        again = await visitor.get(url, {header: first.headers[known]})
        assert (again.status, again.body) == (304, b"")
    changed = await visitor.get(
        url, {"If-None-Match": '"another"', "If-Modified-Since": "Thu, 01 Jan 1970 00:00:00 GMT"}
    )
    assert changed.status == 200 and changed.body == first.body


async def test_text_that_needs_a_script(visitor: Visitor) -> None:
    body = (await visitor.get("https://script.example/story")).body.decode()
    assert '<body><div id="root"></div><script>' in body and BELL in body.partition("<script>")[2]
    assert BELL not in (await visitor.get("https://script.example/never")).body.decode()


@pytest.mark.parametrize("kind", ChallengeKind)
async def test_walls(kind: ChallengeKind, visitor: Visitor) -> None:
    url = f"https://wall.example/{kind.value}"
    response = await visitor.get(url)
    challenge = detect(response.body.decode(), response.url, response.status)
    assert challenge is not None and challenge.kind is kind
    if kind is not ChallengeKind.BLOCKED:
        behind = await visitor.fetcher.fetch(Request(url, cookies={"box_person": "1"}))
        assert BELL in behind.body.decode()


async def test_statuses_and_missing_pages(visitor: Visitor) -> None:
    busy = await visitor.get("https://status.example/503")
    assert (busy.status, busy.headers["retry-after"]) == (503, "2")
    assert (await visitor.get("https://www.example.ac.jp/nothing-here")).status == 404
    soft = await visitor.get("https://soft404.example/anything")
    assert soft.status == 200 and "ページが見つかりません" in soft.body.decode()
    with pytest.raises(AllFetchesFailed):
        await visitor.get("https://status.example/reset")


@pytest.mark.parametrize("name", ["redirect-loop", "two-lengths", "too-short", "nonsense", "cut-off-gzip"])
async def test_hostile_hosts(name: str, visitor: Visitor) -> None:
    with pytest.raises(ShishoError):
        await visitor.get(f"https://{name}.hostile.example/")
    assert {entry.host for entry in visitor.box.log.requests} == {f"{name}.hostile.example"}


async def test_the_pdf(visitor: Visitor) -> None:
    url = next(question.url for question in visitor.box.questions if question.url.endswith(".pdf"))
    response = await visitor.get(url)
    assert response.media_type == "application/pdf" and response.body.startswith(b"%PDF-")
