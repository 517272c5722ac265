"""Whose page an address is."""

import socket
from pathlib import Path

import pytest

from shisho.web.http.url import find_registered_domain
from tests.tables import each_row


@each_row(
    ("url", "site"),
    [
        ("https://www.example.co.jp/x", "example.co.jp"),
        ("http://a.b.example.ac.jp:8080/", "example.ac.jp"),
        ("https://www.mext.go.jp./", "mext.go.jp"),
        ("https://news.bbc.co.uk/", "bbc.co.uk"),
        ("https://someone.github.io/x", "someone.github.io"),
        ("https://other.github.io/x", "other.github.io"),
        ("https://例え.jp/", "xn--r8jz45g.jp"),
        ("https://xn--r8jz45g.jp/", "xn--r8jz45g.jp"),
        ("https://www.site.example/", "site.example"),
        ("http://192.0.2.7/x", "192.0.2.7"),
        ("http://[2001:db8::1]/", "2001:db8::1"),
        ("https://localhost/", "localhost"),
        ("/home/someone/report.pdf", ""),
        ("report.pdf", ""),
        ("C:\\papers\\a.pdf", ""),
        ("https://", ""),
        ("http://[bad", ""),
    ],
)
def test_registered_domains(url: str, site: str) -> None:
    assert find_registered_domain(url) == site


def test_nothing_is_fetched_and_nothing_written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from shisho.web.http import url

    def refused(*arguments: object) -> None:
        raise AssertionError("it went to the network")

    monkeypatch.setattr(socket, "getaddrinfo", refused)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("TLDEXTRACT_CACHE", str(tmp_path / "cache"))
    url._list.cache_clear()
    assert find_registered_domain("https://www.example.co.jp/") == "example.co.jp"
    assert list(tmp_path.iterdir()) == []
