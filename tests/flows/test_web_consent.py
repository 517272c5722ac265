"""The web is asked only after the person has said yes once. The judge is the log of the web in a box."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import select
import subprocess
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from shisho import settings as settings_
from shisho.bootstrap.library import open_library
from shisho.domain.job import JobState
from shisho.domain.task import AskOptions, Sources, WebConsent
from shisho.errors import ConsentRequired, EngineUnavailable
from shisho.system.clock import SystemClock
from shisho.system.consent import ConsentFile
from shisho_box.server import Box
from tests.flows.boxed import through
from tests.flows.conftest import SAMPLES, Shell
from tests.flows.smallweb import ended
from tests.forkserver import command_line

PROMPT = b"[y/N]"
WORDS = "ウェブ検索には同意が必要です"


@pytest.fixture
async def box(tmp_path: Path, shell: Shell) -> AsyncIterator[Box]:
    """A box that the processes of `shell` may search once somebody has said yes."""
    async with Box(seed=3, folder=tmp_path / "box") as started:
        through(shell, started)
        shell.environment["SHISHO_WEB"] = "ask"
        yield started


def at_terminal(shell: Shell, *words: str, say: str = "") -> tuple[str, str]:
    """What a command printed, and what stood on its terminal, where `say` is typed at the prompt. "": there
    is none."""
    master, slave = pty.openpty()
    process = subprocess.Popen(
        command_line(*words),
        env=shell.environment,
        stdin=slave,
        stdout=subprocess.PIPE,
        stderr=slave,
        start_new_session=True,
    )
    os.close(slave)
    seen = b""
    deadline = time.monotonic() + 120
    typed = False
    try:
        while time.monotonic() < deadline:
            if select.select([master], [], [], 0.1)[0]:
                try:
                    seen += os.read(master, 65_536)
                except OSError:  # the last one that had it open has ended
                    break
            if PROMPT in seen and not typed:
                assert say, f"it asked: {seen.decode()}"
                typed = True
                os.write(master, f"{say}\n".encode())
        assert typed or not say, f"it did not ask: {seen.decode()}"
        assert process.stdout is not None
        return process.stdout.read().decode(), seen.decode()
    finally:
        process.terminate()
        process.communicate()
        os.close(master)


def test_unless_told_otherwise_a_person_is_asked_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SHISHO_WEB")
    assert settings_.load()["web"] == "ask"
    for word, meant in {"true": "on", "1": "on", "off": "off", "no": "off", "ASK".lower(): "ask"}.items():
        monkeypatch.setenv("SHISHO_WEB", word)
        assert settings_.load()["web"] == meant


@pytest.mark.parametrize("sources", ["auto", "both"])
async def test_without_a_terminal_a_question_stays_inside_and_says_so(
    box: Box, shell: Shell, sources: str
) -> None:
    await asyncio.to_thread(shell, "add", SAMPLES)
    question = box.questions[-1]
    answer = await asyncio.to_thread(shell, "ask", question.text, "--sources", sources, "--json")
    assert not box.log.requests
    assert any(WORDS in one and "shisho web on" in one and question.topic in one for one in answer["missing"])
    assert WORDS in answer["text"]


@pytest.mark.slow
async def test_what_would_go_out_is_shown_and_asked_once_and_the_yes_is_remembered(
    box: Box, shell: Shell
) -> None:
    await asyncio.to_thread(shell, "add", SAMPLES)
    first = box.questions[-1]
    second = box.questions[-4]
    _, seen = await asyncio.to_thread(at_terminal, shell, "ask", first.text, say="n")
    assert not box.log.requests, "before the yes"
    assert first.topic in seen and "mojeek" in seen and "送信しますか" in seen
    printed, _ = await asyncio.to_thread(at_terminal, shell, "ask", first.text, say="y")
    assert box.log.requests and first.gold in printed
    printed, seen = await asyncio.to_thread(at_terminal, shell, "ask", second.text, "--sources", "web")
    assert second.gold in printed and "送信しますか" not in seen
    shown = await asyncio.to_thread(shell, "settings", "--json")
    assert shown["web_consent"]["state"] == "given" and shown["web_consent"]["since"]
    asked = len(box.log.requests)
    await asyncio.to_thread(shell, "web", "ask")
    await asyncio.to_thread(at_terminal, shell, "ask", box.questions[-8].text, "--sources", "web", say="n")
    assert len(box.log.requests) == asked, "it was taken back"


async def test_where_the_library_answers_nobody_is_asked_anything(box: Box, shell: Shell) -> None:
    await asyncio.to_thread(shell, "add", SAMPLES)
    printed, _ = await asyncio.to_thread(at_terminal, shell, "ask", "決定係数が0に近いとき何を意味するか")
    assert "01-regression.pdf" in printed and not box.log.requests


async def test_searches_are_not_queued_before_a_yes(box: Box, shell: Shell) -> None:
    done = await asyncio.to_thread(shell.run, "queue", "add", box.questions[-1].topic)
    assert done.returncode == 1 and "CONSENT_REQUIRED" in done.stderr and "shisho web on" in done.stderr
    _, seen = await asyncio.to_thread(at_terminal, shell, "queue", "add", box.questions[-1].topic, say="y")
    assert "受け付けました" in (await asyncio.to_thread(shell.run, "queue", "add", "言葉")).stdout, seen
    assert not box.log.requests


async def test_callers_that_cannot_be_asked_are_told_how_a_person_says_yes(box: Box, tmp_path: Path) -> None:
    home = tmp_path / "other"
    async with open_library(home=home, web="ask", box=str(box.folder)) as library, library.working():
        for refused in (
            library.tasks.queue_searches(["霧ヶ丘灯台"]),
            library.tasks.queue_urls(["https://script.example/plain"]),
            library.tasks.queue_documents(urls=["https://script.example/plain"]),
            library.questions.queue(box.questions[-1].text, options=AskOptions(sources=Sources.WEB)),
            library.questions.queue(box.questions[-1].text),
        ):
            with pytest.raises(ConsentRequired, match="shisho web on"):
                await refused
        library.web.set_consent(WebConsent.GIVEN)  # as another process would
        queued = await library.tasks.queue_urls(["https://script.example/plain"])
        _, results = await ended(library, queued.task_id)
        assert len(results) == 1
    assert {entry.host for entry in box.log.requests} == {"script.example"}


async def test_a_yes_that_is_taken_back_stops_what_is_queued(box: Box, tmp_path: Path) -> None:
    async with open_library(home=tmp_path / "other", web="ask", box=str(box.folder)) as library:
        library.web.set_consent(WebConsent.GIVEN)
        asked = await library.tasks.queue_searches(["霧ヶ丘灯台"])
        gone = await library.tasks.queue_searches(["鏡ヶ淵湖"])
        library.web.set_consent(WebConsent.NOT_ASKED)
        async with library.working():
            await ended(library, asked.task_id)
        library.web.set_consent(WebConsent.OFF)
        with pytest.raises(EngineUnavailable, match="is off"):
            await library.questions.queue("霧ヶ丘灯台の高さは", options=AskOptions(sources=Sources.WEB))
        jobs = [(await library.tasks.list_jobs(one.task_id)).jobs[0] for one in (asked, gone)]
        assert {job.state for job in jobs} == {JobState.FAILED} and {job.errors[-1].code for job in jobs} == {
            "CONSENT_REQUIRED"
        }
    assert not box.log.requests


async def test_a_key_gives_the_first_reply_though_the_web_was_turned_off_since(
    box: Box, tmp_path: Path
) -> None:
    async with open_library(home=tmp_path / "other", web="ask", box=str(box.folder)) as library:
        library.web.set_consent(WebConsent.GIVEN)
        searches = await library.tasks.queue_searches(["一"], idempotency_key="s")
        urls = await library.tasks.queue_urls(["https://a.example/"], idempotency_key="u")
        documents = await library.tasks.queue_documents(urls=["https://b.example/"], idempotency_key="d")
        library.web.set_consent(WebConsent.OFF)
        assert await library.tasks.queue_searches(["一"], idempotency_key="s") == searches
        assert await library.tasks.queue_urls(["https://a.example/"], idempotency_key="u") == urls
        again = await library.tasks.queue_documents(urls=["https://b.example/"], idempotency_key="d")
        assert again == documents
        with pytest.raises(EngineUnavailable):
            await library.tasks.queue_searches(["一"], idempotency_key="new")
        with pytest.raises(EngineUnavailable):
            await library.tasks.queue_urls(["https://a.example/"], idempotency_key="new")


@pytest.mark.slow
async def test_where_the_web_is_off_the_answer_says_that_it_is_off(box: Box, shell: Shell) -> None:
    await asyncio.to_thread(shell, "add", SAMPLES)
    question = box.questions[-1].text
    for way in ("setting", "word"):
        shell.environment["SHISHO_WEB"] = "off" if way == "setting" else "ask"
        if way == "word":
            await asyncio.to_thread(shell, "web", "off")
        printed, seen = await asyncio.to_thread(at_terminal, shell, "ask", question)
        assert "オフになっています" in printed and "使える検索エンジンがありません" not in printed, (
            way,
            printed,
            seen,
        )
    shell.environment["SHISHO_LANGUAGE"] = "en"
    answer = await asyncio.to_thread(shell, "ask", "How high is the Kirigaoka lighthouse?", "--json")
    assert any("web search is off" in one for one in answer["missing"])
    assert not box.log.requests


def test_a_yes_given_for_a_box_is_none_for_the_web(tmp_path: Path) -> None:
    path = tmp_path / "home" / "web_consent.json"
    clock = SystemClock()
    inside = ConsentFile(path, clock, "ask", boxed=True)
    outside = ConsentFile(path, clock, "ask")
    inside.keep(WebConsent.GIVEN)
    assert (inside.read_state(), outside.read_state()) == (WebConsent.GIVEN, WebConsent.NOT_ASKED)
    outside.keep(WebConsent.OFF)
    assert (inside.read_state(), outside.read_state()) == (
        WebConsent.GIVEN,
        WebConsent.OFF,
    ) and outside.read_since()
    assert ConsentFile(path, clock, "on").read_state() is WebConsent.GIVEN
    outside.keep(WebConsent.NOT_ASKED)
    assert json.loads(path.read_text()).keys() == {"box"} and not outside.read_since()
    path.write_text("[1]")
    assert inside.read_state() is WebConsent.NOT_ASKED, "what cannot be read is no yes"


async def test_where_the_web_is_off_nothing_is_queued_for_it(tmp_path: Path) -> None:
    async with open_library(home=tmp_path) as library:
        for refused in (
            library.tasks.queue_searches(["灯台"]),
            library.tasks.queue_urls(["https://a.example/"]),
            library.tasks.queue_documents(urls=["https://a.example/"]),
        ):
            with pytest.raises(EngineUnavailable, match="nothing is searched or fetched"):
                await refused
        assert (await library.tasks.list()).tasks == ()
