"""One browser and one server for all pages that are tried here. Each test is a person of its own on it, with
a token, so that nobody meets what another has put in or asked."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from itertools import count

import pytest
import pytest_asyncio
from playwright.async_api import Browser

from tests.fonts import japanese_fonts
from tests.interfaces.serving import serving
from tests.interfaces.ui.room import Reader, chromium_browser

PEOPLE = 60  # more than there are tests
_number = count()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    async with chromium_browser() as browser:
        yield browser


@pytest.fixture(scope="session")
def shared_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("room")
    people = " ".join(f"reader-{number}:{token(number)}" for number in range(PEOPLE))
    letters = japanese_fonts(folder / "data")
    with serving(folder / "home", SHISHO_TOKENS=people, **letters) as url:
        yield url


@pytest.fixture
def reader(shared_url: str) -> Reader:
    """Somebody who has not been here before."""
    return Reader(shared_url, token(next(_number)))


@pytest.fixture
def other_reader(shared_url: str) -> Reader:
    """Somebody else."""
    return Reader(shared_url, token(next(_number)))


def token(number: int) -> str:
    return f"canary-{number:02}-7f3a9c"
