"""What a block looks like, by kind, and what does not look like one."""

from __future__ import annotations

import pytest

from shisho.domain.web import ChallengeKind
from shisho.web.http.challenge import detect
from tests.faults.children import LONG
from tests.tables import each_row
from tests.web.engines.pages import saved

BLOCKS = [
    (
        '<form id="challenge-form" action="//duckduckgo.com/anomaly.js?sv=html">',
        "",
        200,
        ChallengeKind.CAPTCHA,
    ),
    (
        "<html><body>x</body></html>",
        "https://www.google.com/sorry/index?continue=x",
        429,
        ChallengeKind.CAPTCHA,
    ),
    ("<html><body>x</body></html>", "https://www.startpage.com/sp/captcha?x=1", 200, ChallengeKind.CAPTCHA),
    ("<html><body>x</body></html>", "https://consent.google.com/m?continue=x", 200, ChallengeKind.CONSENT),
    ("<title>Before you continue to Google Search</title>", "", 200, ChallengeKind.CONSENT),
    ('<div class="cf-turnstile" data-sitekey="x"></div>', "", 403, ChallengeKind.TURNSTILE),
    ("<title>Just a moment...</title>", "", 403, ChallengeKind.JS_CHALLENGE),
    (
        '<script src="/x/.within.website/x/cmd/anubis/static/js/main.mjs">',
        "",
        200,
        ChallengeKind.JS_CHALLENGE,
    ),
    ('<script src="https://www.google.com/recaptcha/api.js"></script>', "", 403, ChallengeKind.CAPTCHA),
    ('<script src="https://geo.captcha-delivery.com/captcha/?x">', "", 403, ChallengeKind.CAPTCHA),
    ("<title>Access denied</title>", "", 403, ChallengeKind.BLOCKED),
    ("<html>members only</html>", "https://a.example/", 401, ChallengeKind.LOGIN),
]
PAGES = [
    ("<title>How to solve a captcha - Blog</title><p>text</p>" + "x" * 30_000, "https://a.example/", 200),
    (
        '<script src="https://www.google.com/recaptcha/api.js"></script>' + "<p>an article</p>" * 2_000,
        "https://a.example/",
        200,
    ),
    (
        "<title>Why Cloudflare says Just a moment...</title>" + "<p>an article</p>" * 2_000,
        "https://a.example/",
        200,
    ),
    (
        "<p>Our systems detected unusual traffic, says the captcha.</p>" + "<p>an article</p>" * 2_000,
        "https://a.example/",
        200,
    ),
    ("<html><body>404 not found</body></html>", "https://a.example/", 404),
    ("", "", 200),
]


@each_row(("text", "url", "status", "kind"), BLOCKS)
def test_a_block_and_its_kind(text: str, url: str, status: int, kind: ChallengeKind) -> None:
    challenge = detect(text, url, status)
    assert challenge is not None and challenge.kind is kind and challenge.marker


@each_row(("text", "url", "status"), PAGES)
def test_no_block(text: str, url: str, status: int) -> None:
    assert detect(text, url, status) is None


def test_an_engines_own_mark_comes_first() -> None:
    markers = {"not in your country": ChallengeKind.BLOCKED}
    challenge = detect("<title>Just a moment...</title> not in your country", markers=markers)
    assert challenge is not None and challenge.kind is ChallengeKind.BLOCKED


@pytest.mark.slow
def test_captured_pages_of_results_hardly_look_like_blocks_even_unread() -> None:
    """Engines ask only where nothing was found; this holds the rules themselves to account."""
    pages = [page for page in saved() if page.kind == "results"][:: 1 if LONG else 3]
    taken = [page.file for page in pages if detect(page.response.body.decode("utf-8", "replace"))]
    assert len(taken) <= len(pages) // 50, taken
