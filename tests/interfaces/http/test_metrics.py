"""Figures for whoever operates a server: right, behind the token, and silent about people."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from shisho import settings as settings_
from shisho.bootstrap.library import open_library
from shisho.bootstrap.tracing import trace
from shisho.domain.corpus import Source
from shisho.interfaces.cli.log_lines import BLOTTED, JsonLines, RedactedLines, list_secrets
from shisho.interfaces.http import health
from shisho.interfaces.http.guard import AccessRules
from shisho.interfaces.http.health import build_health
from shisho.interfaces.http.metrics import figures_kept
from shisho.interfaces.http.server import build
from shisho.telemetry import bind_ids, count, measure, span
from shisho.testing import MemoryWeb
from tests.flows.smallweb import QUERY, challenge, ended, way

TOKEN = "canary-41aa-token"
PEOPLE = {"hanako": "canary-52bb-token"}
LECTURE = "相関係数とは、二つの変数の線形な関係の強さを表す指標である。"
Figures = dict[str, float]


async def figures(client: httpx.AsyncClient) -> Figures:
    """Every figure by its name and labels."""
    reply = await client.get("/metrics", headers={"authorization": f"Bearer {TOKEN}"})
    assert reply.status_code == 200, reply.text
    families = text_string_to_metric_families(reply.text)
    samples = [sample for family in families for sample in family.samples]
    return {" ".join([sample.name, *sample.labels.values()]): sample.value for sample in samples}


def client_of(application: object) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(app=application)  # type: ignore[arg-type]
    return httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1")


async def test_jobs_searches_answers_and_engines_are_counted(tmp_path: Path) -> None:
    web = MemoryWeb()
    web.serps["memory", QUERY, 1] = challenge()
    async with open_library(home=tmp_path, web_access=way(web)) as library, library.working(1):
        with figures_kept() as kept:
            async with client_of(build(library, AccessRules(token=TOKEN), kept)) as client:
                await library.documents.add_source(Source("a.txt", LECTURE.encode()))
                await library.questions.ask("相関係数とは何か")
                task = (await library.tasks.queue_searches([QUERY])).task_id
                await ended(library, task)
                told = await figures(client)
    assert told["shisho_documents"] == told["shisho_passages"] == 1
    assert told["shisho_answers_total answered"] == 1
    assert told["shisho_searches_total"] >= 1
    assert told["shisho_engine_requests_total memory challenge"] == 1
    assert told["shisho_jobs search_queue awaiting_auth"] == 1
    assert told["shisho_job_wait_seconds_count search_queue"] >= 1
    assert told["shisho_job_seconds_count search_queue"] >= 1
    assert told["shisho_span_seconds_count retrieve.rank"] >= 1
    assert told["shisho_index_behind_changes"] == 0
    assert told["shisho_store_up"] == 1


async def test_no_label_tells_of_a_person(tmp_path: Path) -> None:
    async with open_library(home=tmp_path, web="off") as library:
        with figures_kept() as kept:
            async with client_of(build(library, AccessRules(token=TOKEN, people=PEOPLE), kept)) as client:
                await library.for_owner("hanako").documents.add_source(Source("日記.txt", LECTURE.encode()))
                await library.for_owner("hanako").questions.ask("相関係数とは何か")
                told = " ".join(await figures(client))
    assert "hanako" not in told and "日記" not in told and "相関" not in told


@pytest.mark.slow
async def test_figures_are_behind_the_token_and_for_this_machines_owner(tmp_path: Path) -> None:
    async with open_library(home=tmp_path, web="off") as library:
        with figures_kept() as kept:
            rules = AccessRules(token=TOKEN, people=PEOPLE)
            async with client_of(build(library, rules, kept)) as client:
                assert (await client.get("/metrics")).status_code == 401
                hanako = {"authorization": f"Bearer {PEOPLE['hanako']}"}
                assert (await client.get("/metrics", headers=hanako)).status_code == 404
            async with client_of(build_health(library, AccessRules(token=TOKEN), kept)) as client:
                assert (await client.get("/livez")).status_code == 200
                assert (await client.get("/readyz")).status_code == 200
                assert (await client.head("/readyz")).status_code == 200
                refused = await client.post("/readyz")
                assert (refused.status_code, refused.headers["allow"]) == (405, "GET, HEAD")
                assert refused.json()["code"] == "INVALID_PARAMS"
                assert (await client.get("/metrics")).status_code == 401
                elsewhere = await client.get(
                    "/api/v1/documents", headers={"authorization": f"Bearer {TOKEN}"}
                )
                assert (elsewhere.status_code, elsewhere.json()["code"]) == (404, "RESOURCE_NOT_FOUND")
                assert "/livez, /metrics, /readyz" in elsewhere.json()["message"]
                assert "shisho_store_up" in await figures(client)


async def test_a_store_that_does_not_answer_is_told_as_a_figure(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "shisho.db").write_bytes(b"this is no database" * 100)
    async with open_library(home=home, web="off") as library:
        with figures_kept() as kept:
            async with client_of(build(library, AccessRules(token=TOKEN), kept)) as client:
                told = await figures(client)
    assert told["shisho_store_up"] == 0


@pytest.mark.parametrize("serves", ["all", "health alone"])
async def test_a_store_that_keeps_us_waiting_is_not_ready(
    serves: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "READY_SECONDS", 0.0)  # by then no store has answered
    rules = AccessRules(token=TOKEN)
    async with open_library(home=tmp_path, web="off") as library:
        with figures_kept() as kept:
            serving = build(library, rules, kept) if serves == "all" else build_health(library, rules, kept)
            async with client_of(serving) as client:
                reply = await client.get("/readyz")
    assert (reply.status_code, reply.json()["code"]) == (503, "TIMEOUT")


def test_where_nobody_listens_nothing_is_kept() -> None:
    count("searches")
    measure("job_seconds", 1.0, kind="search")
    with figures_kept() as kept:
        count("searches", 2)
        assert "shisho_searches_total 2.0" in kept.text(None)
    count("searches")
    assert "shisho_searches_total 2.0" in kept.text(None)


def test_spans_go_to_a_collector_without_names_of_files() -> None:
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    exporter = InMemorySpanExporter()
    job = (bind_ids(job="j1", task="t1"), span("job", kind="search", id="j1"))
    reading = (pytest.raises(ValueError), span("ingest.read", source="日記.txt"))
    with trace(settings_.load(), exporter), job[0], job[1], reading[0], reading[1]:
        raise ValueError("秘密")
    with span("afterwards"):
        pass
    inner, outer = exporter.get_finished_spans()
    assert (inner.name, outer.name) == ("ingest.read", "job")
    assert inner.parent is not None and inner.parent.span_id == outer.context.span_id
    assert outer.attributes == {
        "shisho.job": "j1",
        "shisho.task": "t1",
        "shisho.kind": "search",
        "shisho.id": "j1",
    }
    assert "日記" not in inner.to_json() and "秘密" not in inner.to_json()


def test_nothing_of_traces_is_loaded_where_none_are_sent() -> None:
    import subprocess

    program = (
        "import sys; from shisho import settings; from shisho.bootstrap.tracing import trace\n"
        "with trace(settings.load()): print([name for name in sys.modules if name.startswith('opentelemetry')])"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


@contextmanager
def lines_of(formatter: logging.Formatter) -> Iterator[list[str]]:
    """What a logger of its own writes."""
    lines: list[str] = []

    class Kept(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(self.format(record))

    handler = Kept()
    handler.setFormatter(formatter)
    logger = logging.getLogger("shisho.test_lines")
    logger.addHandler(handler)
    logger.propagate = False
    try:
        yield lines
    finally:
        logger.removeHandler(handler)


@pytest.mark.parametrize("kind", [JsonLines, RedactedLines])
def test_no_secret_stands_in_a_line_of_the_log(kind: type[JsonLines | RedactedLines]) -> None:
    secrets = {
        "token": "canary-1-token",
        "tokens": "taro:canary-2-token hanako:canary-3-token",
        "brave_api_key": "canary-4-key",
        "index_key": "canary-5-key",
    }
    loaded = settings_.load(**secrets)
    with lines_of(kind(list_secrets(loaded))) as lines:
        logger = logging.getLogger("shisho.test_lines")
        for word in ("canary-1-token", "canary-2-token", "canary-3-token", "canary-4-key", "canary-5-key"):
            logger.warning("asked https://a.example/?key=%s", word)
            try:
                raise ValueError(word)
            except ValueError:
                logger.exception("failed")
    assert "canary" not in "".join(lines)
    assert all(BLOTTED in line for line in lines)


def test_a_line_of_json_says_which_job_and_task_it_is_about() -> None:
    with lines_of(JsonLines([])) as lines, bind_ids(job="j1", task="t1"):
        logging.getLogger("shisho.test_lines").warning("二行\nの文")
    (line,) = lines
    told = json.loads(line)
    assert (told["message"], told["job"], told["task"], told["level"]) == (
        "二行\nの文",
        "j1",
        "t1",
        "warning",
    )
