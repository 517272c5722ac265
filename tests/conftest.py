"""No test reaches the real web: a library opened without a web of the test's own has none."""

from __future__ import annotations

import gc
import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from shisho.isolation.killable import _Child
from shisho.messages.catalogue import process_language, set_process_language
from tests.forked_readers import fork_readers, start_interpreter
from tests.forkserver import readers
from tests.new_homes import copy_schema_into_new_homes
from tests.postgres import PostgresServer, close_shared_server, shared_server
from tests.temporary import close_databases, keep_temporary_files_in_memory

os.environ["SHISHO_WEB"] = "off"
keep_temporary_files_in_memory()
# Beside busy processes examples take as long as they take.
settings.register_profile("any speed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any speed")
copy_schema_into_new_homes()
fork_readers(readers)
os.environ["SHISHO_EMBEDDER"] = "none"  # a second of work for each document; tests of vectors ask for them

HERE = Path(__file__).parent
FEW = ("apart", "floors", "site")
# Tests with children, browsers, clocks and wake-ups: what a busy machine disturbs first.
WITH_TIME = (
    "corpus/readers/test_hidden_in_browser.py",
    "corpus/readers/test_killable.py",
    "faults/",
    "flows/test_adding_interrupted.py",
    "flows/test_browser",
    "flows/test_citations_open.py",
    "flows/test_engine_trouble.py",
    "flows/test_folders.py",
    "flows/test_global_limits.py",
    "flows/test_hostile_web.py",
    "flows/test_interleavings.py",
    "flows/test_long_pdf.py",
    "flows/test_notices.py",
    "flows/test_person",
    "flows/test_polling.py",
    "flows/test_proxy.py",
    "flows/test_search_cut_short.py",
    "flows/test_search_killed.py",
    "flows/test_shell",
    "flows/test_task_verbs.py",
    "flows/test_web_answers.py",
    "flows/test_web_budgets.py",
    "flows/test_workers_killed.py",
    "interfaces/cli/test_start.py",
    "interfaces/http/test_rest.py",
    "interfaces/mcp/test_first_call.py",
    "interfaces/mcp/test_mcp_client.py",
    "interfaces/mcp/test_tasks_extension.py",
    "isolation/",
    "jobs/",
    "web/browser/",
    "web/serp/test_parser.py",
    "web/test_hostile_servers.py",
)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """For the few tests with one of these marks, three hundred files are not loaded that have none."""
    mark = config.option.markexpr
    if mark not in FEW or not collection_path.name.startswith("test_"):
        return None
    return f"pytest.mark.{mark}" not in collection_path.read_text("utf-8") or None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(HERE) and item.path.relative_to(HERE).as_posix().startswith(WITH_TIME):
            item.add_marker("timed")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """All tests and what they import are there until the end: looking through them for garbage took a second
    while they were loaded, and 0.6 s each time afterwards."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


@pytest.fixture(scope="session")
def postgres() -> PostgresServer:
    """A server of PostgreSQL, one for each process of tests, started when first asked for."""
    return shared_server()


@pytest.fixture
def own_server() -> Iterator[PostgresServer]:
    """A server that a test may stop."""
    server = PostgresServer()
    server.start()
    yield server
    server.close()


def pytest_sessionfinish() -> None:
    close_shared_server()


@pytest.fixture(autouse=True)
def language_of_the_process() -> Iterator[None]:
    """A command that is run inside the test process leaves the language of its reader."""
    before = process_language()
    yield
    set_process_language(before)


@pytest.fixture
def started_readers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start an interpreter for each child that reads untrusted bytes, as Shisho does."""
    monkeypatch.setattr(_Child, "_spawn", start_interpreter)


@pytest.fixture
async def temporary_stores() -> AsyncIterator[None]:
    """Close and remove what `tests.temporary` opened."""
    yield
    await close_databases()
