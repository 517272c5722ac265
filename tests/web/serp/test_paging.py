"""What ends the result pages of a search, and what only interrupts them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from shisho.domain.web import PagingStop
from shisho.errors import ParserFailed, ShishoError, StoreUnavailable
from shisho.web.serp.stopping import ResultPage, ResultPages

PAGE = ResultPage("memory", 1, "https://memory.example/?p=1", 200, ("https://a.example/",), 1, None, 1)


def one_page_then(error: ShishoError) -> ResultPages:
    async def ask(pages: Sequence[ResultPage]) -> ResultPage:
        if pages:
            raise error
        return PAGE

    async def go_on(pages: Sequence[ResultPage]) -> None:
        return None

    return ResultPages(ask, go_on)


async def test_an_error_after_a_page_ends_the_search_with_that_page() -> None:
    paging = one_page_then(ParserFailed("Unknown."))
    assert [page async for page in paging.pull()] == [PAGE]
    assert (paging.stop, [error.code for error in paging.errors]) == (PagingStop.ERROR, ["PARSER_FAILED"])


async def test_an_outage_of_the_store_ends_nothing() -> None:
    paging = one_page_then(StoreUnavailable("Away."))
    with pytest.raises(StoreUnavailable):
        [page async for page in paging.pull()]
    assert (paging.pages, paging.stop, paging.errors) == ([PAGE], None, [])
