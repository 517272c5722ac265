"""Which pages only lead on, and where to."""

from __future__ import annotations

from shisho.domain.web import Response
from shisho.web.http.redirects import SHORT, refresh_target
from tests.tables import each_row

URL = "https://old.example/a/b"
NEW = "https://old.example/new"
LEADS = [
    ('<meta http-equiv="refresh" content="0; url=/new">', NEW),
    ("<META HTTP-EQUIV=REFRESH CONTENT='5;URL=https://old.example/new'>", NEW),
    ("""<meta content="2; url='/new?a=1&amp;b=2'" http-equiv="Refresh" />""", f"{NEW}?a=1&b=2"),
    ('<meta http-equiv="refresh" content="0.5;/new">', NEW),
    ('<meta http-equiv="refresh" content="10; url=../図書">', "https://old.example/図書"),
    ('<meta http-equiv="refresh" content="30"><meta http-equiv="refresh" content="0;url=/new">', NEW),
]
STAYS = [
    '<meta http-equiv="refresh" content="300">',
    '<meta http-equiv="refresh" content="60; url=/new">',
    '<meta http-equiv="refresh" content="0; url=javascript:alert(1)">',
    '<meta http-equiv="refresh" content="">',
    '<meta name="refresh" content="0; url=/new">',
    '<!-- <meta http-equiv="refresh" content="0; url=/new"> -->',
    '<noscript><meta http-equiv="refresh" content="0; url=/new"></noscript>',
    """<script>document.write('<meta http-equiv="refresh" content="0; url=/new">')</script>""",
    '<meta http-equiv="refresh" content="0; url=/new">' + "長い本文。" * SHORT,
]


@each_row(("page", "target"), LEADS)
def test_where_a_page_leads(page: str, target: str) -> None:
    assert refresh_target(Response(f"<html><head>{page}</head></html>".encode(), URL)) == target


@each_row("page", STAYS)
def test_a_page_of_its_own_stays(page: str) -> None:
    assert refresh_target(Response(f"<html><head>{page}</head></html>".encode(), URL)) == ""


def test_an_address_in_the_encoding_of_its_page() -> None:
    page = '<meta http-equiv="refresh" content="0; url=/図書">'.encode("shift_jis")
    assert refresh_target(Response(page, URL)) == "https://old.example/%90}%8F%91"


def test_a_header_leads_as_the_page_does() -> None:
    page = b"<html><p>moved</p></html>"
    assert refresh_target(Response(page, URL, headers={"refresh": "0; url=/new"})) == NEW
    assert refresh_target(Response(page, URL, headers={"refresh": "300"})) == ""


def test_only_html_is_read() -> None:
    page = LEADS[0][0].encode()
    assert refresh_target(Response(page, URL, media_type="text/plain")) == ""
