"""An answer while it is made, as a page sees it over REST: its conversation, its log, its news, stopping
it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from shisho.interfaces.http.answer_news import LAST, build_step_event
from tests.interfaces.http.rooms import MISSING, R2, READ, TWO, HeldQuestion, R, answered, read_events, served


async def test_a_question_in_mid_run_shows_where_it_is(tmp_path: Path) -> None:
    held = HeldQuestion()
    async with held.library(tmp_path) as library, served(library) as client:
        name = await held.ask(client)
        talk = (await client.get(f"/conversations/{name}")).json()
        turn = {
            "number": 1,
            "answer_id": name,
            "question": TWO,
            "understood": TWO,
            "state": "running",
            "corpora": [],
            "filters": {},
        }
        assert (talk["conversation_id"], talk["turns"]) == (name, [turn])
        (row,) = (await client.get("/conversations")).json()["conversations"]
        assert (row["question"], row["turns"], row["last_answer_id"]) == (TWO, 1, name)
        log = (await client.get(f"/answers/{name}/log")).json()
        assert log["state"] == "running" and log["stop"]["loop_stop"] is None
        assert [goal["met"] for goal in log["goals"]] == [True, False] and log["condition"] == "G1 and G2"
        first, *_ = log["rounds"]
        assert first["queries"] and first["evidence"][0] == 1 and first["decision"] == "COMPLETE"
        assert 0 < first["new"] <= first["in_scope"] and first["seen"] == first["new"] <= first["ranked"]
        (under_way,) = log["web"]
        assert sorted(under_way.pop("queries")) == ["母集団", "母集団 とは"]
        assert under_way == {"engines": [], "gaps": [], "is_done": False}
        assert {page["fate"] for page in log["visited"] if page["url"] == READ} == {"unvisited"}
        held.release()


@pytest.mark.slow
async def test_the_last_answer_is_the_one_that_is_being_made(tmp_path: Path) -> None:
    held = HeldQuestion()
    async with held.library(tmp_path) as library, served(library) as client:
        before = (
            await client.post("/answers", json={"question": "決定係数とは何か", "sources": "documents"})
        ).json()
        assert before["answer"] is not None
        assert (await client.get("/answers/last")).json()["answer_id"] == before["answer_id"]
        name = await held.ask(client)
        last = (await client.get("/answers/last", params={"wait": 0})).json()
        assert (last["answer_id"], last.get("answer")) == (name, None)
        stopped = (await client.post("/answers/last/stop")).json()
        assert stopped["answer_id"] == name
        held.release()


@pytest.mark.slow
async def test_every_page_that_was_found_has_its_fate(tmp_path: Path) -> None:
    held = HeldQuestion()
    async with held.library(tmp_path) as library, served(library) as client:
        held.release()
        name = await held.ask(client)
        reply = await answered(client, await client.get(f"/answers/{name}"))
        answer = reply.json()["answer"]
        log = (await client.get(f"/answers/{name}/log")).json()
        pages = {page["url"]: page for page in log["visited"]}
        assert pages.keys() == {url for url in held.web.asked if "/search?" not in url}
        assert (
            pages[READ]["fate"] == "used" and pages[READ]["engine"] == "memory" and not pages[READ]["reason"]
        )
        assert pages[READ]["document_id"] == answer["evidence"][1]["document_id"]
        assert pages[MISSING]["fate"] == "failed" and "404" in pages[MISSING]["reason"]
        stop = {
            key: log["stop"][key] for key in ("condition", "loop_stop", "rounds", "pages", "calls", "tokens")
        }
        assert stop == {
            "condition": answer["condition"],
            "loop_stop": answer["loop_stop"],
            "rounds": len(log["rounds"]),
            "pages": int(answer["budget_used"]["pages"]),
            "calls": 0,
            "tokens": 0,
        }
        assert [number for round_ in log["rounds"] for number in round_["evidence"]] == [1, 2]
        assert log["state"] == "answered" and log["web"][0]["engines"] == ["memory"] and log["model"] == []


@pytest.mark.slow
async def test_news_come_from_another_process_and_go_on_after_the_last_that_was_seen(tmp_path: Path) -> None:
    held = HeldQuestion()
    async with held.library(tmp_path, slots=0) as library, served(library) as client, held.library(tmp_path):
        name = await held.ask(client)
        before = await read_events(client, name, most=5)
        assert {event["event"] for event in before} == {"step"}
        held.release()
    # the server was started again, with workers of its own
    started_again = HeldQuestion()
    started_again.release()
    async with started_again.library(tmp_path) as library, served(library) as client:
        after = await read_events(client, name, before[-1]["id"])
        whole = await read_events(client, name)
        assert [event["id"] for event in before + after] == [event["id"] for event in whole]
        assert after[-1]["event"] == "answer" and after[-1]["data"]["answer"]["id"] == name
        nodes = [event["data"].get("node") for event in whole[:-1] if not event["data"].get("replayed")]
        assert "plan" in nodes and nodes[-2:].count("answer") == 1
        assert {event["data"]["kind"] for event in whole[:-1]} == {"answer", "search_queue"}
        again = await client.get(f"/answers/{name}/events", headers={"last-event-id": LAST})
        assert again.status_code == 204, "a browser would come back for ever"
        assert (await client.get("/answers/none/events")).status_code == 404


@pytest.mark.slow
async def test_a_stopped_question_keeps_what_was_found_and_can_go_on(tmp_path: Path) -> None:
    held = HeldQuestion()
    async with held.library(tmp_path) as library, served(library) as client:
        name = await held.ask(client)
        listening = asyncio.create_task(read_events(client, name))
        stopped = (await client.post(f"/answers/{name}/stop")).json()
        assert stopped["answer"]["loop_stop"] == "STOPPED" and stopped["answer_id"] == name
        assert [evidence["snippet"] for evidence in stopped["answer"]["evidence"]] == [R2]
        assert (await listening)[-1]["data"]["answer"]["loop_stop"] == "STOPPED"
        kept = (await client.get(f"/answers/{name}")).json()["answer"]
        assert kept["text"] == stopped["answer"]["text"]
        assert (await client.get(f"/conversations/{name}")).json()["turns"][0]["state"] == "stopped"
        assert (await client.post(f"/answers/{name}/stop")).json()["answer"] == kept
        status = (await client.get(f"/tasks/{stopped['task_id']}", params={"wait": 0})).json()
        assert status["status"] == "stopped"
        held.release()
        assert (await client.post(f"/answers/{name}/resume")).json()["answer"] is None
        reply = await answered(client, await client.get(f"/answers/{name}"))
        answer = reply.json()["answer"]
        assert [evidence["snippet"] for evidence in answer["evidence"]] == [R2, R]


@pytest.mark.slow
async def test_a_stopped_task_still_gives_the_answer_of_what_was_found(tmp_path: Path) -> None:
    held = HeldQuestion()
    async with held.library(tmp_path) as library, served(library) as client:
        name = await held.ask(client)
        await client.post("/tasks/last/stop", json={"mode": "immediate"})
        answer = (await client.get(f"/answers/{name}")).json()["answer"]
        assert answer["loop_stop"] == "STOPPED" and len(answer["evidence"]) == 1


async def test_a_question_that_had_not_begun_is_stopped_without_an_answer(tmp_path: Path) -> None:
    async with HeldQuestion().library(tmp_path, slots=0) as library, served(library) as client:
        asked = (await client.post("/answers", json={"question": TWO, "wait": 0})).json()
        stopped = (await client.post(f"/answers/{asked['answer_id']}/stop")).json()
        assert stopped["answer"] is None
        talk = (await client.get("/conversations/last")).json()
        assert talk["turns"][0]["state"] == "stopped"
        (event,) = (await read_events(client, asked["answer_id"]))[-1:]
        assert event["event"] == "error" and event["data"]["code"] == "RESOURCE_NOT_FOUND"


async def test_what_the_shell_has_asked_is_told_and_cannot_be_resumed_here(tmp_path: Path) -> None:
    async with HeldQuestion().library(tmp_path, slots=0) as library, served(library) as client:
        answer = await library.questions.ask("決定係数とは何か")
        talk = (await client.get(f"/conversations/{answer.id}")).json()
        assert [turn["state"] for turn in talk["turns"]] == ["answered"]
        assert talk["turns"][0]["answer_id"] == answer.id
        log = (await client.get(f"/answers/{answer.id}/log")).json()
        assert len(log["rounds"]) == answer.rounds and log["visited"] == [] and log["web"] == []
        events = await read_events(client, answer.id)
        assert [event["event"] for event in events] == ["answer"]
        refused = await client.post(f"/answers/{answer.id}/resume")
        assert (refused.status_code, refused.json()["code"]) == (400, "INVALID_PARAMS")


def test_a_line_of_the_answer_is_an_event_of_its_own() -> None:
    line = build_step_event(7, {"revision": 7, "node": "answer", "sentence": "一文。[1]"})
    assert (line.event, line.id) == ("sentence", "7") and '"text":"一文。[1]"' in str(line.data)
    assert build_step_event(8, {"revision": 8, "node": "answer", "sentence": None}).event == "step"
