"""A program that runs goes on where a newer one has added columns to the tables: the main promises hold over
tables that have columns it does not know, under names that other tables have too."""

from __future__ import annotations

import asyncio
import shutil
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import pytest

from shisho.domain.codec import Payload
from shisho.domain.inquiry import Inquiry
from shisho.domain.intervention import AuthTarget
from shisho.stores.embedded.connect import Database, EmbeddedQueryStore
from shisho.stores.embedded.shelf import EmbeddedShelf
from shisho.stores.sql.cache import StoredCache
from shisho.stores.sql.health import StoredHealth
from shisho.stores.sql.limiter import StoredLimiter
from tests.clocks import TwoHands
from tests.contracts import (
    test_cache,
    test_health,
    test_index,
    test_interventions,
    test_jobs,
    test_ledger,
    test_limiter,
    test_opinions,
    test_session_book,
    test_shelf,
    test_urls,
)
from tests.contracts.conftest import EmbeddedStore, embedded_store
from tests.contracts.discoveries import Discoveries, discoveries_of
from tests.queues import Queue, SetClock, opened

NEW = ("id", "name", "owner", "state", "kind", "source", "url", "at", "seq", "number", "value", "added")
Promise = Callable[[Any], Awaitable[None]]


@pytest.fixture(scope="module")
def newer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database of this version with columns more in every table."""
    path = tmp_path_factory.mktemp("newer") / "shisho.db"
    asyncio.run(Database(path).close())
    with closing(apsw.Connection(str(path))) as connection:
        tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        for table in [name for (name,) in connection.execute(tables)]:
            known = {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}
            for column in sorted(set(NEW) - known):
                connection.execute(f"ALTER TABLE {table} ADD COLUMN {column} TEXT NOT NULL DEFAULT 'new'")
    return path


def cells_of_newer(connection: apsw.Connection) -> Counter[str]:
    """What stands in the columns that this version does not know, and in how many rows."""
    found = Counter[str]()
    for (table,) in list(connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")):
        for column in [
            row[1] for row in connection.execute(f"PRAGMA table_info({table})") if row[4] == "'new'"
        ]:
            for value, count in connection.execute(f"SELECT {column}, count(*) FROM {table} GROUP BY 1"):
                found[str(value)] += count
    return found


def is_left_alone(folder: Path) -> bool:
    """Whether something stands in columns that this version does not know, and all of it is as a newer one
    made it."""
    with closing(apsw.Connection(str(folder / "shisho.db"), flags=apsw.SQLITE_OPEN_READONLY)) as connection:
        return cells_of_newer(connection).keys() == {"new"}


@pytest.fixture
def folder(newer: Path, tmp_path: Path) -> Path:
    shutil.copy(newer, tmp_path / "shisho.db")
    return tmp_path


@pytest.fixture
async def store(folder: Path) -> AsyncIterator[EmbeddedStore]:
    async with embedded_store(folder) as made:
        yield made


@pytest.fixture
async def queue(folder: Path) -> AsyncIterator[Queue]:
    async with opened("embedded", folder) as made:
        yield made


@pytest.fixture
async def discoveries(folder: Path) -> AsyncIterator[Discoveries]:
    async with discoveries_of("embedded", folder) as made:
        yield made


@pytest.fixture
async def database(folder: Path) -> AsyncIterator[Database]:
    made = Database(folder / "shisho.db")
    yield made
    await made.close()


def named(promise: object) -> str:
    return getattr(promise, "__name__", "")


OF_STORES: list[Promise] = [
    test_shelf.test_what_is_put_comes_back,
    test_shelf.test_a_changed_file_is_a_new_version_and_the_old_one_still_opens,
    test_shelf.test_what_is_said_later_is_added_to_what_was_said,
    test_shelf.test_a_purge_takes_the_older_versions_of_the_file_along,
    test_shelf.test_page_filter_counts_passages,
    test_shelf.test_documents_page_by_page,
    test_shelf.test_a_document_is_found_by_its_file,
    test_shelf.test_akin_finds_what_shares_a_band,
    test_shelf.test_parts_that_were_abandoned_are_gone_and_those_of_the_dead_make_way,
    test_index.test_the_best_match_comes_first,
    test_index.test_it_follows_versions_and_removal,
    test_index.test_frequencies_and_means,
    test_ledger.test_an_answer_comes_back_whole,
    test_ledger.test_runs_and_steps,
    test_ledger.test_the_last_run_is_the_last_unfinished_one,
    test_ledger.test_a_sessions_rounds_come_back_in_order,
    test_ledger.test_a_purge_reaches_every_copy,
]
OF_FINDS: list[Promise] = [
    test_urls.test_finds_of_a_job_come_back_by_rank,
    test_urls.test_what_became_of_a_find_is_stored,
    test_urls.test_report_tells_of_jobs_answers_and_who_is_waited_for,
    test_urls.test_errors_of_a_completed_search_are_failures,
    test_urls.test_outcome_is_the_end_of_a_job_or_a_failed_find,
    test_urls.test_orphans_are_pages_that_nothing_else_reaches,
    test_urls.test_forgetting_a_task_leaves_the_finds_of_others,
    test_opinions.test_blocked_domain_leaves_out_its_pages_and_those_below_it,
    test_opinions.test_rejected_evidence_leaves_out_the_passages_that_it_quotes,
    test_opinions.test_pages_that_only_cancelled_jobs_brought_are_left_out,
    test_session_book.test_session_is_found_by_id_prefix_or_as_the_last,
    test_session_book.test_accepted_quotation_keeps_its_number_and_its_highest_score,
]
OF_QUEUES: list[Promise] = [
    test_jobs.test_a_job_comes_back_as_it_was_given,
    test_jobs.test_an_idempotency_key_gives_the_first_reply_again_and_to_no_other_request,
    test_jobs.test_what_was_cancelled_or_has_failed_can_be_asked_again,
    test_jobs.test_three_failures_give_up_with_the_history,
    test_jobs.test_deaths_of_the_process_count_apart_and_ten_give_up,
    test_jobs.test_a_new_step_or_an_orderly_return_counts_as_no_failure,
    test_jobs.test_the_end_of_its_last_child_queues_a_parked_job,
    test_jobs.test_a_person_comes_or_skips_or_does_not_come,
    test_jobs.test_graceful_lets_what_runs_finish,
    test_jobs.test_a_budget_is_checked_before_it_is_spent,
    test_jobs.test_durations_of_the_latest_completed_jobs,
    test_jobs.test_tasks_are_listed_newest_first_and_found_by_prefix,
    test_jobs.test_a_snapshot_is_read_in_pages,
    test_jobs.test_removing_a_task_leaves_nothing_of_it_and_all_of_others,
    test_interventions.test_it_says_what_waits_where_and_until_when,
    test_interventions.test_the_desktop_is_told_of_each_domain_once,
]


@pytest.mark.parametrize("promise", OF_STORES, ids=named)
async def test_newer_store_keeps_its_promises(folder: Path, store: EmbeddedStore, promise: Promise) -> None:
    await promise(store)
    assert is_left_alone(folder)


@pytest.mark.parametrize("promise", OF_FINDS, ids=named)
async def test_newer_finds_keep_their_promises(
    folder: Path, discoveries: Discoveries, promise: Promise
) -> None:
    await promise(discoveries)
    assert is_left_alone(folder)


@pytest.mark.parametrize("promise", OF_QUEUES, ids=named)
async def test_newer_queue_keeps_its_promises(folder: Path, queue: Queue, promise: Promise) -> None:
    await promise(queue)
    assert is_left_alone(folder)


@pytest.mark.parametrize(("target", "name"), [(AuthTarget.DOMAIN, "memory.example"), (AuthTarget.TASK, "t1")])
async def test_newer_queue_frees_what_waits(
    folder: Path, queue: Queue, target: AuthTarget, name: str
) -> None:
    await test_interventions.test_by_domain_and_by_task(queue, target, name)
    assert is_left_alone(folder)


async def test_newer_pace_health_and_cache_keep_their_promises(folder: Path, database: Database) -> None:
    clock = TwoHands()
    still = SetClock()
    await test_limiter.test_waiters_get_consecutive_slots_in_order_of_asking(
        test_limiter.Gate(StoredLimiter(EmbeddedQueryStore(database), clock), clock)
    )
    await test_health.test_what_is_recorded_is_what_is_remembered(
        test_health.Ward(StoredHealth(EmbeddedQueryStore(database), clock), clock)
    )
    larder = test_cache.Larder(
        StoredCache(EmbeddedQueryStore(database), still), EmbeddedShelf(database, still), still, database
    )
    await test_cache.test_a_value_is_kept_for_its_time(larder)
    await test_cache.test_a_page_is_remembered_while_its_document_is_live(larder)
    assert is_left_alone(folder)


async def test_what_a_newer_program_wrote_beside_a_row_outlives_an_older_one(store: EmbeddedStore) -> None:
    await store.ledger.begin(Inquiry("run1", "何か。"))
    await store.ledger.record("run1", 1, "search", "h1", Payload())
    await store.database.write(
        lambda connection: connection.execute("UPDATE steps SET added = 'kept'") and None
    )
    await store.ledger.record("run1", 1, "search", "h2", Payload())
    rows = await store.database.read(
        lambda connection: [*connection.execute("SELECT input_hash, added FROM steps")]
    )
    assert rows == [("h2", "kept")]
