"""A hostile web, met by jobs: addresses that lead into this machine, and servers that wear down whoever reads
from them."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from shisho.bootstrap.library import open_library
from shisho.domain.payloads import read_payload
from shisho.domain.task import SearchOptions, StopStrategy
from shisho.domain.web import Endpoint
from shisho.system.box import TRAPS
from shisho.web.http.url import canonicalise
from shisho_box.hostile import SCRIPTS
from shisho_box.server import Box
from tests.flows.boxed import boxed, output, way
from tests.flows.conftest import Shell
from tests.flows.smallweb import ended
from tests.machine import PATIENCE
from tests.web.ssrf import refused_urls
from tests.web.test_hostile_servers import OUTCOMES

OPTIONS = SearchOptions(engines=("mojeek",), serp_max_pages=1, stop_strategy=StopStrategy.EXHAUSTIVE)
REFUSED = {"FORBIDDEN_ADDRESS", "INVALID_PARAMS"}
TOTAL_S = 3.0


class Insider:
    """`ports.Resolver` to which every name that is not the box's is the box itself, by its address; numbers
    are read as a C library reads them. A connection that the guard lets through stands in the box's log."""

    def __init__(self, box: Box) -> None:
        self._box = box

    async def resolve(self, host: str, port: int) -> Sequence[Endpoint]:
        if host in self._box.hosts:
            return await self._box.resolver.resolve(host, port)
        try:
            address = socket.inet_ntoa(socket.inet_aton(host))
        except OSError:
            address = host if ":" in host else "127.0.0.1"
        return [Endpoint(address, self._box.ports.http)]


@pytest.mark.parametrize("robots", [True, False])
async def test_no_address_that_leads_inside_is_asked(tmp_path: Path, robots: bool) -> None:
    urls = refused_urls("addresses.txt")
    async with Box(seed=1) as box:
        web = way(box, robots=robots, resolver=Insider(box))
        async with open_library(home=tmp_path, web_access=web) as library, library.working(8):
            queued = await library.tasks.queue_urls(urls)
            await ended(library, queued.task_id)
            jobs = (await library.tasks.list_jobs(queued.task_id, limit=200)).jobs
        assert len(jobs) + len(queued.skipped) == len(urls) and len(jobs) > 50
        let_in = {read_payload(job).subject: job.errors[-1].code if job.errors else job.state for job in jobs}
        assert {url: code for url, code in let_in.items() if code not in REFUSED} == {}
        assert box.log.connections == []


async def test_names_that_lead_inside_are_refused(tmp_path: Path) -> None:
    async with boxed(tmp_path, slots=8) as (box, library):
        for path in ("first", "second"):  # the first time, one of them leads to an address outside
            queued = await library.tasks.queue_urls([f"https://{name}/{path}" for name in TRAPS])
            await ended(library, queued.task_id)
            jobs = (await library.tasks.list_jobs(queued.task_id)).jobs
            codes = {urlsplit(read_payload(job).subject).hostname: job.errors[-1].code for job in jobs}
            early = {"rebind.hostile.example": "ALL_FETCHES_FAILED"} if path == "first" else {}
            assert codes == dict.fromkeys(TRAPS, "FORBIDDEN_ADDRESS") | early
        assert box.log.connections == []


async def test_hits_that_lead_inside_are_refused_and_the_others_read(tmp_path: Path) -> None:
    async with boxed(tmp_path) as (box, library):
        query = box.questions[20].topic
        hits = list(dict.fromkeys(map(canonicalise, box.results("mojeek", query)[:10])))
        targets = {
            f"http://127.0.0.1:{box.ports.http}/secret": "FORBIDDEN_ADDRESS",
            f"https://localhost:{box.ports.https}/secret": "FORBIDDEN_ADDRESS",
            "http://169.254.169.254/latest/meta-data/": "FORBIDDEN_ADDRESS",
            "http://[::ffff:127.0.0.1]/": "FORBIDDEN_ADDRESS",
            "https://loopback.hostile.example/secret": "FORBIDDEN_ADDRESS",
            "file:///etc/passwd": "ALL_FETCHES_FAILED",
        }
        hosts = dict(zip(dict.fromkeys(hit.split("/")[2] for hit in hits), targets.items(), strict=False))
        for host, (target, _) in hosts.items():
            box.behave(host=host, do="redirect", location=target)
        queued = await library.tasks.queue_searches([query], options=OPTIONS)
        held, _ = await ended(library, queued.task_id)
        done = await output(library, queued.task_id)
        barred = {canonicalise(one["url"]) for one in done["hits"] if one["status"] == "failed"}
        assert barred == {hit for hit in hits if hit.split("/")[2] in hosts}
        assert all(one.code == hosts[one.url.split("/")[2]][1] for one in held.errors)
        assert len(held.errors) == len(barred) >= len(targets)
        assert {one["status"] for one in done["hits"]} == {"failed", "visited"} and done[
            "paging_stop"
        ] == "LIMIT"
        assert not [
            entry for entry in box.log.requests if entry.path == "/secret" or entry.host not in box.hosts
        ]
        assert box.log.silent == []


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    shell = Shell(tmp_path_factory.mktemp("hostile"))
    folder = tmp_path_factory.mktemp("box")
    running = shell.start("box", "--folder", folder, "--seed", "1")
    assert running.stdout is not None
    while not (folder / "box.json").exists():
        assert running.stdout.readline(), running.communicate()
    yield folder
    Shell.kill(running)
    running.communicate()


@pytest.fixture(scope="module")
def report(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    topics = list(dict.fromkeys(one.topic for one in Box(seed=1).questions))[:2]
    home = tmp_path_factory.mktemp("home")
    command = [sys.executable, "-m", "tests.flows.hostile_run", str(home), str(folder), str(TOTAL_S), *topics]
    done = subprocess.run(command, capture_output=True, text=True, timeout=4 * PATIENCE)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    print({name: figure for name, figure in found.items() if name not in ("outcomes", "good")})
    return {**found, "query": topics[1]}


on_linux = pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")


@pytest.mark.slow
@on_linux
def test_every_hostile_server_ends_in_a_typed_error(report: dict[str, Any]) -> None:
    expected = {name: code if not code.startswith("200") else "TOO_LARGE" for name, code in OUTCOMES.items()}
    found = {
        host.removesuffix(".hostile.example").replace("-", "_"): code
        for host, code in report["outcomes"].items()
    }
    assert found == expected and set(found) == set(SCRIPTS)


@on_linux
def test_the_search_beside_them_is_whole(report: dict[str, Any]) -> None:
    listed = dict.fromkeys(map(canonicalise, Box(seed=1).results("mojeek", report["query"])[:10]))
    assert report["good"] == [[url, "visited"] for url in listed] and len(listed) > 5


@on_linux
def test_the_process_stays_awake_and_small(report: dict[str, Any]) -> None:
    assert report["lag_p99_ms"] <= 50 and report["lags"] > 100
    assert report["grown_mb"] <= 64
    assert report["undisturbed"] < 30
