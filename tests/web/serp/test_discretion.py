"""What is told of a failure to those who have not asked."""

from __future__ import annotations

from shisho.domain.web import Request
from shisho.messages import Message, pack
from shisho.web.serp.client import hide_words
from tests.tables import each_row

WORDS = "花子の持病 治療"
ASKED = "https://www.ecosia.org/search?q=%E8%8A%B1%E5%AD%90%E3%81%AE%E6%8C%81%E7%97%85+%E6%B2%BB%E7%99%82&p=0"
UNOPENED = "The browser couldn't open {url} ({cause}). Try again later, or open it yourself."


@each_row(
    ("reason", "shown"),
    [
        (
            Message(UNOPENED, url=ASKED, cause=f"net::ERR_EMPTY_RESPONSE at {ASKED}"),
            "The browser couldn't open www.ecosia.org (net::ERR_EMPTY_RESPONSE at www.ecosia.org). "
            "Try again later, or open it yourself.",
        ),
        (
            Message("{engine} refused: {reason}", engine="ecosia", reason=f"「{WORDS}」"),
            "ecosia refused: 「…」",
        ),
        (
            Message("{cause}", cause=Message(UNOPENED, url=ASKED, cause="p=0")),
            "The browser couldn't open www.ecosia.org (p=0). Try again later, or open it yourself.",
        ),
        ("blocked: /search?q=" + ASKED.partition("q=")[2], "blocked: /search?q=…&p=0"),
        ("no answer", "no answer"),
    ],
)
def test_neither_addresses_nor_words_are_told(reason: str, shown: str) -> None:
    for request in (Request(ASKED), Request("https://www.ecosia.org/search", "POST", {"q": WORDS, "p": "0"})):
        told = hide_words(reason, request)
        assert told == shown
        assert "花子" not in repr(pack(told))
