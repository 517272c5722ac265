"""Documents that the web brings: scans are not recognised there, which may take minutes a book; sheets and
books may be as large as other documents."""

import pytest

from shisho.domain.web import Response
from shisho.services.web_pages import PageOrder, _build_source
from shisho.web.http.body import limit


def test_a_scan_from_the_web_is_left_to_the_person() -> None:
    order = PageOrder("https://a.example/b.pdf", "https://a.example/b.pdf", "local", "web")
    assert _build_source(order, Response(b"%PDF-1.7", "https://a.example/b.pdf"), None).ocr is False


@pytest.mark.parametrize("kind", ["application/epub+zip", "application/pdf"])
def test_books_may_be_as_large_as_other_documents(kind: str) -> None:
    assert limit(kind) == limit("application/octet-stream")
