"""The address guard, as pure rules."""

from __future__ import annotations

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shisho.domain.web import Endpoint
from shisho.errors import AllFetchesFailed, ForbiddenAddress, InvalidParams, ShishoError
from shisho.web.http.address import AllowList, Target, check_url, choose_endpoint, explain_forbidden
from tests.tables import each_row
from tests.web.ssrf import refused_urls

STRICT = AllowList()

TARGETS = [
    ("http://example.com", Target("http", "example.com", 80, "/")),
    ("https://EXAMPLE.com.:443/a?b=c#d", Target("https", "example.com", 443, "/a?b=c")),
    ("http://example.com?q=1", Target("http", "example.com", 80, "/?q=1")),
    (
        "https://日本語.jp/図書館?q=司書 補",
        Target(
            "https", "xn--wgv71a119e.jp", 443, "/%E5%9B%B3%E6%9B%B8%E9%A4%A8?q=%E5%8F%B8%E6%9B%B8%20%E8%A3%9C"
        ),
    ),
    ("https://example.jp/%83e%83X?x=%2F", Target("https", "example.jp", 443, "/%83e%83X?x=%2F")),
    ("http://my_host.example.com/", Target("http", "my_host.example.com", 80, "/")),
    ("http://8.8.8.8/", Target("http", "8.8.8.8", 80, "/")),
    ("http://[2606:4700:0:0::1111]:443/", Target("http", "2606:4700::1111", 443, "/")),
    ("http://local.example.com/", Target("http", "local.example.com", 80, "/")),
]
NO_URLS = [
    "",
    "example.com",
    "http://",
    "http://exa mple.com/",
    "http://example.com:port/",
    "http://example.com:99999/",
    "http://example.com:0/",
    "http://a..b/",
    "http://example%2ecom/",
    "http://[::1/",
    "http://[example.com]/",
    "http://[1.2.3.4]/",
    "http://example.com\\.evil.example/",
    "http://exam\nple.com/",
    "http://example.com/a\r\nHost: x",
    "http://" + "あ" * 300 + ".jp/",
    "http://\ud800.example/",
    "http://example.com/\ud800",
    "ws://example.com/",
]
REFUSED = [
    "http://user:secret@example.com/",
    "http://1.2.3.4.5/",
    "http://256.1.1.1/",
    "http://010.1.1.1/",
    "http://8.8.8.8.0x/",
    "http://3232235777/",
    "http://intranet/",
    "http://printer.local/",
    "http://wiki.corp.internal/",
    "http://router.home.arpa/",
    "http://example.com:8080/",
    "https://example.com:8443/",
    "http://168.63.129.16/",
    "http://[::ffff:8.8.8.8]/",
    "http://[100::1]/",
    "http://[4000::1]/",
    "http://[3fff::1]/",
]
PUBLIC = [
    "8.8.8.8",
    "93.184.216.34",
    "1.1.1.1",
    "172.15.255.255",
    "172.32.0.1",
    "100.128.0.1",
    "2606:4700::1111",
    "2001:4860::8888",
]
HIDDEN = ["::ffff:{}", "::{}", "64:ff9b::{}", "64:ff9b:1::{}"]


@each_row(("url", "target"), TARGETS)
def test_a_url_is_read_once(url: str, target: Target) -> None:
    assert check_url(url, STRICT) == target
    assert check_url(target.url, STRICT) == target


@each_row("url", NO_URLS)
def test_what_is_no_web_address(url: str) -> None:
    with pytest.raises(InvalidParams):
        check_url(url, STRICT)


@each_row("url", REFUSED)
def test_what_may_not_be_asked(url: str) -> None:
    with pytest.raises(ForbiddenAddress):
        check_url(url, STRICT)


def test_the_shared_list_is_refused() -> None:
    for url in refused_urls():
        if "by-dns" not in url:
            with pytest.raises((ForbiddenAddress, InvalidParams)):
                check_url(url, STRICT)


def test_no_secret_is_said_again() -> None:
    for url in (
        "http://user:secret@example.com/",
        "ftp://user:secret@example.com/",
        "http://a..b/?key=secret",
        "http://x:1/?secret",
    ):
        with pytest.raises(ShishoError) as refusal:
            check_url(url, STRICT)
        assert "secret" not in refusal.value.message


@each_row("address", PUBLIC)
def test_public_addresses_are_allowed(address: str) -> None:
    assert explain_forbidden(address) is None


@given(st.ip_addresses())
def test_nothing_is_allowed_that_is_not_global(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> None:
    if explain_forbidden(str(address)) is None:
        assert address.is_global and not address.is_multicast and not address.is_reserved


@given(st.ip_addresses(v=4))
def test_no_ipv4_address_is_hidden_in_ipv6(address: ipaddress.IPv4Address) -> None:
    for pattern in HIDDEN:
        assert explain_forbidden(pattern.format(address)) is not None
    number = int(address)
    assert explain_forbidden(str(ipaddress.IPv6Address((0x2002 << 112) | (number << 80)))) is not None
    assert (
        explain_forbidden(str(ipaddress.IPv6Address((0x20010000 << 96) | (number ^ 0xFFFFFFFF)))) is not None
    )


@each_row("address", ["", "localhost", "fe80::1%eth0", "2606:4700::1%1", "1.2.3", "0x7f000001"])
def test_what_is_no_plain_address_is_forbidden(address: str) -> None:
    assert explain_forbidden(address) is not None


PARTS = st.sampled_from(
    [
        "http://",
        "https:",
        "//",
        "127.0.0.1",
        "example.com",
        "@",
        ":",
        "80",
        "[",
        "]",
        "::1",
        "%",
        "。",
        "①",
        "\\",
        "/",
        "?",
        "#",
        "\t",
        "0x7f",
        ".",
    ]
)


@given(st.lists(PARTS | st.text(max_size=3), max_size=10).map("".join))
def test_whatever_is_read_is_safe_and_reads_the_same_again(url: str) -> None:
    try:
        target = check_url(url, STRICT)
    except (InvalidParams, ForbiddenAddress):
        return
    assert check_url(target.url, STRICT) == target
    assert (
        target.port in (80, 443)
        and target.path.isascii()
        and target.path.isprintable()
        and " " not in target.path
    )
    if ":" in target.host or target.host.replace(".", "").isdecimal():
        assert explain_forbidden(target.host) is None


def test_one_bad_address_refuses_all() -> None:
    target = check_url("http://example.com/", STRICT)
    good = Endpoint("93.184.216.34", 80)
    bad = Endpoint("10.0.0.1", 80)
    assert choose_endpoint([good], target, STRICT) == good
    for mixed in ([good, bad], [bad, good], [bad]):
        with pytest.raises(ForbiddenAddress, match=r"10\.0\.0\.1"):
            choose_endpoint(mixed, target, STRICT)
    with pytest.raises(AllFetchesFailed):
        choose_endpoint([], target, STRICT)


def test_exceptions_are_names_not_addresses() -> None:
    allow = AllowList.from_names(
        ["Wiki.Example.jp", "box.test:8080", "日本語.jp", "192.168.0.5", "::1"], ["8443"]
    )
    inside = [Endpoint("10.0.0.1", 80)]
    assert choose_endpoint(inside, check_url("http://wiki.example.jp/", allow), allow) == inside[0]
    assert check_url("http://xn--wgv71a119e.jp/", allow).host == "xn--wgv71a119e.jp"
    assert check_url("http://192.168.0.5/", allow).host == "192.168.0.5"
    assert check_url("http://[::1]/", allow).host == "::1"
    assert check_url("http://box.test:8080/", allow).port == 8080
    assert check_url("http://other.example:8443/", allow).port == 8443
    for url in (
        "http://192.168.0.6/",
        "http://wiki.example.jp:8080/",
        "http://box.test:8081/",
        "http://localhost/",
        "http://[::2]/",
    ):
        with pytest.raises(ForbiddenAddress):
            check_url(url, allow)
    elsewhere = check_url("http://box.test/", allow)
    with pytest.raises(ForbiddenAddress):
        choose_endpoint(inside, elsewhere, allow)


def test_a_port_behind_an_ipv6_address_is_no_longer_address() -> None:
    allow = AllowList.from_names(["[fd00::1]:80"])
    assert check_url("http://[fd00::1]/", allow).port == 80
    with pytest.raises(ForbiddenAddress):
        check_url("http://[fd00::1:80]:443/", allow)


@each_row("hosts", [["http://wiki.example.jp"], ["a b"], ["wiki:port"], ["*.example.jp"], ["10.0.0.0/8"]])
def test_exceptions_that_are_none(hosts: list[str]) -> None:
    with pytest.raises(InvalidParams):
        AllowList.from_names(hosts)
    with pytest.raises(InvalidParams):
        AllowList.from_names([], ["http"])
