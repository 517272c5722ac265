"""What became of each page that searches have found."""

from __future__ import annotations

import pytest

from shisho.domain.answer_log import PageFate
from shisho.domain.corpus import DocumentId
from shisho.domain.discovered_url import DiscoveredUrl, StoredUrl, UrlState
from shisho.domain.job import JobState
from shisho.errors import map_by_code
from shisho.services.answer_log import BLOCKED, list_pages

DOCUMENT = DocumentId("doc_1")
QUOTED = frozenset({DOCUMENT})


def stored(
    status: UrlState, url: str = "https://a.example/", document: DocumentId | None = None, code: str = ""
) -> StoredUrl:
    find = DiscoveredUrl(url, url, "題", engine="memory", query="問い")
    return StoredUrl(find, status, document, code=code, reason=code and f"because {code}")


@pytest.mark.parametrize(
    ("row", "state", "fate"),
    [
        (stored(UrlState.VISITED, document=DOCUMENT), JobState.COMPLETED, PageFate.USED),
        (stored(UrlState.VISITED, document=DocumentId("doc_2")), JobState.COMPLETED, PageFate.READ),
        (stored(UrlState.FAILED, code="ROBOTS_DISALLOWED"), JobState.COMPLETED, PageFate.REFUSED),
        (stored(UrlState.FAILED, code="UNSUPPORTED_MEDIA"), JobState.COMPLETED, PageFate.REFUSED),
        (stored(UrlState.FAILED, code="TOO_LARGE"), JobState.COMPLETED, PageFate.REFUSED),
        (stored(UrlState.FAILED, code="AUTH_REQUIRED"), JobState.COMPLETED, PageFate.REFUSED),
        (stored(UrlState.FAILED, code="TIMEOUT"), JobState.COMPLETED, PageFate.FAILED),
        (stored(UrlState.FAILED, code="ALL_FETCHES_FAILED"), JobState.RUNNING, PageFate.FAILED),
        (stored(UrlState.LEFT_OUT), JobState.COMPLETED, PageFate.REFUSED),
        (stored(UrlState.FOUND, document=DOCUMENT), JobState.RUNNING, PageFate.UNVISITED),
        (stored(UrlState.FOUND), JobState.COMPLETED, PageFate.UNVISITED),
        (stored(UrlState.FOUND), JobState.AWAITING_AUTH, PageFate.WAITING),
    ],
)
def test_fate_of_a_page(row: StoredUrl, state: JobState, fate: PageFate) -> None:
    (page,) = list_pages([(state, [row])], QUOTED)
    assert page.fate is fate and (page.url, page.title, page.engine, page.query) == (
        row.find.url,
        "題",
        "memory",
        "問い",
    )
    assert bool(page.reason) is (fate in (PageFate.REFUSED, PageFate.FAILED))
    # what a page is about to become is nothing that was read
    assert (page.document_id is not None) is (fate in (PageFate.USED, PageFate.READ))


def test_a_blocked_page_says_so() -> None:
    (page,) = list_pages([(JobState.COMPLETED, [stored(UrlState.LEFT_OUT)])], QUOTED)
    assert page.reason == BLOCKED


def test_a_page_that_two_searches_have_found_is_told_once_at_its_best() -> None:
    first = [stored(UrlState.FAILED, code="TIMEOUT"), stored(UrlState.FOUND, "https://b.example/")]
    second = [stored(UrlState.VISITED, document=DOCUMENT)]
    pages = list_pages([(JobState.COMPLETED, first), (JobState.COMPLETED, second)], QUOTED)
    assert [(page.url, page.fate) for page in pages] == [
        ("https://a.example/", PageFate.USED),
        ("https://b.example/", PageFate.UNVISITED),
    ]


def test_every_error_that_a_visit_can_end_with_is_refusal_or_failure() -> None:
    for code in map_by_code():
        (page,) = list_pages([(JobState.COMPLETED, [stored(UrlState.FAILED, code=code)])], QUOTED)
        assert page.fate in (PageFate.REFUSED, PageFate.FAILED) and page.code == code
