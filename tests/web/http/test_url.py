"""Which URLs are one page, where redirectors lead, what is no result."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shisho.errors import ForbiddenAddress
from shisho.web.browser.proxy import parse_authority
from shisho.web.http.address import AllowList, check_url
from shisho.web.http.url import (
    canonicalise,
    extract_host,
    extract_site,
    is_result,
    resolve_href,
    strip_final_dot,
    strip_tracking,
    unwrap,
)
from tests.tables import each_row

SAME = [
    ("http://example.com", "https://example.com/"),
    ("HTTPS://Example.COM:443/a", "https://example.com/a"),
    ("http://example.com:80/a/", "https://example.com/a"),
    ("https://example.com/a#part", "https://example.com/a"),
    ("https://example.com/a/./b/../c", "https://example.com/a/c"),
    ("https://example.com/%7Euser/%e3%81%82", "https://example.com/~user/%E3%81%82"),
    ("https://ja.wikipedia.org/wiki/司書", "https://ja.wikipedia.org/wiki/%E5%8F%B8%E6%9B%B8"),
    ("https://example.com/?b=2&a=1", "https://example.com/?a=1&b=2"),
    ("https://example.com/?q=a+b", "https://example.com/?q=a%20b"),
    ("https://example.com/?id=7&utm_source=x&fbclid=y&gclid=z", "https://example.com/?id=7"),
    ("https://日本語.jp/", "https://xn--wgv71a119e.jp/"),
    ("https://example.com./a", "https://example.com/a"),
    ("https://例え。jp。/a", "https://xn--r8jz45g.jp/a"),
    ("https://www.google.com/url?q=https://", "https://www.google.com/url?q=https:%2F%2F"),
    ("https://www.google.com/url?q=http://[", "https://www.google.com/url?q=http:%2F%2F%5B"),
    ("https://www.google.com/url?q=http://example.com/a&sa=U&ved=1", "https://example.com/a"),
]
DIFFERENT = [
    ("https://example.com/A", "https://example.com/a"),
    ("https://example.com/?id=1", "https://example.com/?id=2"),
    ("https://example.com/a%2Fb", "https://example.com/a/b"),
    ("https://example.com:8080/", "https://example.com/"),
    ("https://www.example.com/", "https://example.com/"),
    # Two words in Shift_JIS: no UTF-8, and still two words.
    ("https://example.jp/?q=%83e%83X%83g", "https://example.jp/?q=%83%8F%81%5B%83h"),
    ("https://example.com/?q=a%26b", "https://example.com/?q=a&b="),
]
LEADS = [
    ("https://www.google.com/url?q=https://a.example/x&sa=U", "https://a.example/x"),
    ("https://www.google.co.jp/url?sa=t&url=https%3A%2F%2Fa.example%2F%3Fq%3D1", "https://a.example/?q=1"),
    (
        "https://www.google.com/imgres?imgurl=http://i/x.png&imgrefurl=https://a.example/p",
        "https://a.example/p",
    ),
    ("https://duckduckgo.com/l/?uddg=https%3A%2F%2Frust%2Dlang.org%2F&rut=d43f", "https://rust-lang.org/"),
    (
        "https://www.bing.com/ck/a?!&&p=2eb&u=a1aHR0cHM6Ly9leGFtcGxlLmNvbS9hP2I9Yw&ntb=1",
        "https://example.com/a?b=c",
    ),
    ("https://www.bing.com/ck/a?u=a1!!!not-base64", "https://www.bing.com/ck/a?u=a1!!!not-base64"),
    ("https://www.google.com/url?q=javascript:alert(1)", "https://www.google.com/url?q=javascript:alert(1)"),
    ("https://example.com/url?q=https://a.example/", "https://example.com/url?q=https://a.example/"),
    ("http://[broken", "http://[broken"),
]
RESULTS = [
    ("https://developers.google.com/search/docs/intro", True),
    ("https://www.google.com/search/howsearchworks/", True),
    ("https://support.google.com/websearch", True),
    ("https://www.google.com/search?q=x", False),
    ("https://www.google.de/aclk?sa=l", False),
    ("http://216.239.39.104/search?q=cache:x", False),
    ("https://www.bing.com/aclick?ld=e8", False),
    ("https://www.bing.com/images/search?q=x", False),
    ("https://blogs.bing.com/search/2023", True),
    ("https://duckduckgo.com/y.js?ad_domain=x", False),
    ("https://duckduckgo.com/?q=x&ia=news", False),
    ("https://duckduckgo.com/about", True),
    ("https://www.qwant.com/?t=videos&q=x", False),
    ("https://help.qwant.com/", True),
    ("https://eu-browse.startpage.com/av/proxy?ep=1", False),
]


@each_row(("one", "other"), SAME)
def test_one_page(one: str, other: str) -> None:
    assert canonicalise(one) == canonicalise(other)


@each_row(("one", "other"), DIFFERENT)
def test_two_pages(one: str, other: str) -> None:
    assert canonicalise(one) != canonicalise(other)


@each_row(("url", "target"), LEADS)
def test_where_a_redirector_leads(url: str, target: str) -> None:
    assert unwrap(url) == target


@each_row(("url", "expected"), RESULTS)
def test_what_may_be_a_result(url: str, expected: bool) -> None:
    assert is_result(url) is expected


@each_row(
    "url",
    [
        "",
        "mailto:a@b",
        "ftp://example.com/",
        "javascript:void(0)",
        "https:///x",
        "http://[broken",
        "http://./",
    ],
)
def test_no_web_address_has_no_canonical_form(url: str) -> None:
    with pytest.raises(ValueError):
        canonicalise(url)


@each_row(
    ("href", "expected"),
    [("/wiki/A", "https://h.example/wiki/A"), ("//o.example/x", "https://o.example/x"), ("javascript:void(0)", ""),
     ("https://[x", ""), ("https://a.example:99999/", ""), ("", "https://h.example/d/p")],
)  # fmt: skip
def test_links_are_seen_from_their_page(href: str, expected: str) -> None:
    assert resolve_href("https://h.example/d/p", href) == expected


def test_an_address_of_ipv6_stays_one_host() -> None:
    url = canonicalise("http://[2001:DB8::1]:8443/a")
    assert url == "https://[2001:db8::1]:8443/a" and extract_host(url) == "2001:db8::1"


@given(st.text(max_size=80))
def test_canonical_is_stable(tail: str) -> None:
    try:
        once = canonicalise(f"https://example.com/{tail}")
    except ValueError:
        return
    assert canonicalise(once) == once


@each_row(
    ("found", "cited"),
    [
        ("https://example.com/?utm_source=a&id=7&fbclid=b", "https://example.com/?id=7"),
        ("https://example.com/a?gclid=x", "https://example.com/a"),
        (
            "http://Example.com/%e3%81%82/?b=2&UTM_Medium=x&a=1+2&b=#part?gclid=1",
            "http://Example.com/%e3%81%82/?b=2&a=1+2&b=#part?gclid=1",
        ),
        ("https://example.com/?", "https://example.com/?"),
        ("https://example.com/a#:~:text=x", "https://example.com/a#:~:text=x"),
        ("/home/someone/file?gclid", "/home/someone/file"),
    ],
)
def test_an_address_is_cited_without_who_followed_it(found: str, cited: str) -> None:
    assert strip_tracking(found) == cited == strip_tracking(cited)


@given(st.lists(st.sampled_from(["a=1", "b", "utm_source=x", "q=%E3%81%82", "fbclid=1", "c="]), max_size=6))
def test_it_stays_the_same_page(pairs: list[str]) -> None:
    url = "https://example.com/page" + ("?" + "&".join(pairs) if pairs else "")
    assert canonicalise(strip_tracking(url)) == canonicalise(url)
    assert "utm" not in strip_tracking(url) and "fbclid" not in strip_tracking(url)


@each_row(
    ("url", "same"),
    [
        ("https://example.org./a", "https://example.org/a"),
        ("http://例え.テスト./", "http://例え.テスト/"),
        ("https://me:pw@example.org.:8443/a?q=./", "https://me:pw@example.org:8443/a?q=./"),
        ("https://example.org/a./", "https://example.org/a./"),
        ("https://[::1]:99999/", "https://[::1]:99999/"),
    ],
)
def test_a_final_dot_is_no_other_host(url: str, same: str) -> None:
    assert strip_final_dot(url) == same


def test_with_a_final_dot_it_is_the_same_page_site_host_and_limit() -> None:
    dotted = "https://Example.ORG./a?b=1"
    plain = "https://example.org/a?b=1"
    assert canonicalise(dotted) == canonicalise(plain)
    assert extract_host(dotted) == extract_host(plain) and extract_site(dotted) == extract_site(plain)
    assert (
        extract_site("https://example.org:443/")
        == extract_site("https://example.org./")
        == "https://example.org"
    )
    assert parse_authority(dotted) == parse_authority(plain) == "example.org:443"
    assert not is_result("https://www.google.com./search?q=a") and unwrap(
        "https://www.google.com./url?q=https://a.example/"
    )
    allow = AllowList.from_names(["inside.example.:8080"])
    assert check_url("http://inside.example:8080/", allow) == check_url("http://inside.example.:8080/", allow)
    with pytest.raises(ForbiddenAddress):
        check_url("http://localhost./", allow)
