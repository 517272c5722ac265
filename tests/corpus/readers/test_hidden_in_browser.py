"""What the reader drops from a page, a browser does not paint; what looks alike and the reader keeps, it
paints."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence

import pytest
from PIL import Image, ImageChops
from playwright.sync_api import Page, sync_playwright

from shisho.corpus.readers.css import FAINT
from tests.corpus.readers.hidden_forms import HIDING, SHOWING, SMALL_IN_PARTS
from tests.machine import PATIENCE
from tests.web.browsing import find_page_browser, need_browser

WORDS = "Hamburg letters of some length"
TURNED = " ".join(word[::-1] for word in WORDS.split())  # as many letters in as much room, but others
STRONG = 255 * FAINT
AT_ONCE = 20  # on one screen
# Chromium shows letters of one pixel, as a grey that nobody reads.
DROPPED = [form for form in HIDING if form not in SMALL_IN_PARTS and "font-size:1px" not in form]


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    need_browser()
    with sync_playwright() as playwright:
        options = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path=find_page_browser(), args=options)
        opened = browser.new_page(viewport={"width": 1_200, "height": 700})
        opened.set_default_timeout(1_000 * PATIENCE)
        yield opened
        browser.close()


def painted(page: Page, forms: Sequence[str], words: str) -> Image.Image:
    parts = "".join(
        f"<div style='display:flow-root;height:30px'><p {form}>{words}</p></div>" for form in forms
    )
    page.set_content(f"<!doctype html><html><body><p>Above.</p>{parts}<p>Below.</p></body></html>")
    return Image.open(io.BytesIO(page.screenshot())).convert("RGB")


def strongest_trace(page: Page, *forms: str) -> int:
    """By how much a pixel differs at most when the letters are others: 0 where none is painted."""
    difference = ImageChops.difference(painted(page, forms, WORDS), painted(page, forms, TURNED))
    return max(most for _, most in difference.getextrema())


@pytest.mark.parametrize("first", range(0, len(DROPPED), AT_ONCE))
def test_of_what_is_dropped_nothing_is_painted_that_anybody_reads(page: Page, first: int) -> None:
    assert strongest_trace(page, *DROPPED[first : first + AT_ONCE]) <= STRONG


@pytest.mark.slow
@pytest.mark.parametrize("form", SHOWING)
def test_what_looks_alike_and_is_kept_is_painted(page: Page, form: str) -> None:
    assert strongest_trace(page, form) > STRONG
