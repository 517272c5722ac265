"""`shisho ask --sources` as a person uses it, over the web in a box: what is shown, Ctrl-C, a kill, and going
on."""

from __future__ import annotations

import asyncio
import json
import signal
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from shisho_box.server import Box
from tests.flows.boxed import through
from tests.flows.conftest import SAMPLES, Shell
from tests.flows.test_shell import rows_of, until
from tests.machine import PATIENCE

PARKED = "SELECT count(*) FROM jobs WHERE kind = 'answer' AND state = 'parked'"
NOT_COMPLETED = "SELECT DISTINCT kind, state FROM jobs WHERE state <> 'completed'"
READ = "SELECT count(*) FROM finds WHERE status = 'visited'"


@pytest.fixture
async def box(tmp_path: Path, shell: Shell) -> AsyncIterator[Box]:
    """A box that the processes of `shell` search."""
    async with Box(seed=3, folder=tmp_path / "box") as started:
        through(shell, started)
        yield started


@pytest.mark.slow
async def test_what_is_searched_read_and_kept_is_shown(box: Box, shell: Shell) -> None:
    question = box.questions[-1]
    done = await asyncio.to_thread(shell.run, "ask", question.text, "--sources", "web")
    assert done.returncode == 0 and question.gold in done.stdout, done.stdout
    said = [line.partition(":")[0] for line in done.stderr.splitlines() if ":" in line]
    assert said.index("ウェブ検索") < said.index("読みました") < said.index("検索済み")
    assert "件を確認" in done.stderr and Counter(done.stderr.splitlines()).most_common(1)[0][1] == 1
    assert any(url in done.stdout for url in question.urls), "the address of the page it stands on"
    shell.environment["SHISHO_LANGUAGE"] = "en"
    done = await asyncio.to_thread(shell.run, "ask", question.text, "--sources", "both")
    assert "searching the web: " in done.stderr and "read: " in done.stderr and question.gold in done.stdout


async def test_where_the_documents_suffice_the_box_is_not_asked(box: Box, shell: Shell) -> None:
    done = await asyncio.to_thread(shell.run, "ask", "決定係数が0に近いとき何を意味するか", "--in", SAMPLES)
    assert done.returncode == 0 and "01-regression.pdf" in done.stdout and "ウェブ検索" not in done.stderr
    assert not box.log.requests, "auto is quick where the documents suffice"


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
async def test_broken_off_while_it_waits_for_the_web_it_goes_on(
    box: Box, shell: Shell, how: signal.Signals
) -> None:
    question = box.questions[-1]
    process = shell.start("ask", question.text, "--sources", "web")
    await asyncio.to_thread(until, process, shell.home, READ, 1)
    assert rows_of(shell.home, PARKED) == [(1,)], "the answer waits without a worker"
    process.send_signal(how) if how is signal.SIGINT else shell.kill(process)
    printed, said = await asyncio.to_thread(process.communicate, timeout=PATIENCE)
    if how is signal.SIGINT:
        assert process.returncode == 130, (printed, said)
        assert "途中で停止しました" in printed and "--continue last" in said
    again = await asyncio.to_thread(shell.run, "ask", "--continue", "last", "--json")
    answer = json.loads(again.stdout)
    assert answer["loop_stop"] != "STOPPED"
    assert any(question.gold in one["snippet"] for one in answer["evidence"])
    assert all(one["link"].startswith(f"{one['source_url']}#:~:text=") for one in answer["evidence"])
    visits = Counter(one.url for one in box.log.requests if box.page(one.url) is not None)
    assert max(visits.values()) <= 2, "at most what was under way is asked for again"
    # A search that its question no longer waits for, since its time was over, is left to the next worker.
    assert rows_of(shell.home, NOT_COMPLETED) in ([], [("search_queue", "queued")])
    assert rows_of(shell.home, "SELECT count(*) FROM steps WHERE node = 'strategy'") == [(1,)]
    final = await asyncio.to_thread(shell.run, "ask", "--continue", answer["id"], "--json")
    assert json.loads(final.stdout) == answer, "a finished one gives its answer again"
