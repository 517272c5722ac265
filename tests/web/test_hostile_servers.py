"""Servers that wear their readers down: every script of the box, all at once, from a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zlib
from collections.abc import Iterator
from typing import Any

import pytest

from shisho.corpus.readers import html
from shisho.domain.web import Request
from shisho.errors import TooLarge
from shisho.web.http.address import AllowList
from shisho.web.http.fetch import HttpFetcher
from shisho_box import hostile
from shisho_box.hostile import SCRIPTS
from tests.machine import PATIENCE
from tests.web.hostile import Ports

# What each may take on a machine at rest. Beside busy processes as many times as long: ten gigabytes that end
# for their size take computing, and a deadline is a time by the clock.
TOTAL_S = 4.0 * min(max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1)), 10.0)
OUTCOMES = {
    "slow_loris": "TIMEOUT",
    "one_byte_a_second": "TIMEOUT",
    "redirect_loop": "ALL_FETCHES_FAILED",
    "endless_redirects": "ALL_FETCHES_FAILED",
    "endless_headers": "ALL_FETCHES_FAILED",
    "endless_interim_answers": "ALL_FETCHES_FAILED",
    "endless_trailers": "ALL_FETCHES_FAILED",
    "ten_gigabytes": "TOO_LARGE",
    "crumbs": "TIMEOUT",
    "packed_crumbs": "TIMEOUT",
    "gzip_bomb": "TOO_LARGE",
    "pdf_bomb": "TOO_LARGE",
    "stacked_encodings": "UNSUPPORTED_MEDIA",
    "unknown_encoding": "UNSUPPORTED_MEDIA",
    "cut_off_gzip": "ALL_FETCHES_FAILED",
    "too_short": "ALL_FETCHES_FAILED",
    "two_lengths": "ALL_FETCHES_FAILED",
    "reset": "ALL_FETCHES_FAILED",
    "deep": "200 503037",
    "attributes": "200 441932",
    "nonsense": "ALL_FETCHES_FAILED",
    "never": "TIMEOUT",
}


@pytest.fixture(scope="module")
def ports() -> Iterator[dict[str, int]]:
    command = [sys.executable, "-m", "tests.web.hostile", "serve"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdout is not None
        yield json.loads(server.stdout.readline())
        server.kill()


@pytest.fixture(scope="module")
def report(ports: dict[str, int]) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.web.hostile", "read", json.dumps(ports), str(TOTAL_S)]
    found: dict[str, Any] = json.loads(
        subprocess.run(command, capture_output=True, check=True, timeout=4 * PATIENCE).stdout
    )
    print({name: figure for name, figure in found.items() if name != "outcomes"})
    return found


pytestmark = [
    pytest.mark.apart,
    pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc"),
]


def test_every_one_ends_in_a_typed_error_or_a_page(report: dict[str, Any]) -> None:
    found = {
        host.removesuffix(".test").replace("-", "_"): outcome
        for host, (outcome, _) in report["outcomes"].items()
    }
    assert found == OUTCOMES and set(OUTCOMES) == set(SCRIPTS)


def test_the_deadline_is_kept(report: dict[str, Any]) -> None:
    late = {host: seconds for host, (_, seconds) in report["outcomes"].items() if seconds > TOTAL_S + 0.5}
    assert not late


def test_memory_stays_bounded(report: dict[str, Any]) -> None:
    assert report["grown_mb"] <= 64


def test_others_are_not_held_up(report: dict[str, Any]) -> None:
    assert report["lag_p99_ms"] <= 50
    assert report["good"] > 10


@pytest.mark.parametrize("host", ["deep.test", "attributes.test"])
async def test_a_page_that_breaks_parsers_is_fetched_and_refused_by_its_reader(
    host: str, ports: dict[str, int]
) -> None:
    answer = await HttpFetcher(Ports(ports), AllowList.from_names(ports), "Shisho/test").fetch(
        Request(f"http://{host}/")
    )
    with pytest.raises(TooLarge):
        html.read(answer.body)


async def test_the_bomb_is_one() -> None:
    bomb = hostile._stream_bomb()
    packed = [await anext(bomb) for _ in range(4)]
    await bomb.aclose()  # type: ignore[attr-defined]
    assert zlib.decompressobj(wbits=31).decompress(b"".join(packed)) == b"<p>" + bytes(3 * 2**20)
    assert 2**20 / len(packed[-1]) > 1000
