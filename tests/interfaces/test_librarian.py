"""The assistant as librarian, by the MCP client: it searches, claims and writes; code shows, verifies and
renders."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from tests.interfaces.serving import SAMPLES, Call, calling, stdio, until_done

QUESTION = "決定係数とは何か。また、決定係数が0に近いとき何を意味するか。"
IDS = re.compile(
    r"doc_[0-9a-f]+|psg_|passage_id|document_id|sha256|(?<![.0-9])(?=[0-9]*[a-f])[0-9a-f]{16,}|/samples/|\.pdf"
)


def says_no_id(reply: dict[str, Any], session: str) -> None:
    """Numbers and text only: no id, no file, no hash but the session's own."""
    text = json.dumps(reply, ensure_ascii=False).replace(session, "")
    assert not IDS.search(text), IDS.search(text)


async def opened(call: Call) -> tuple[str, str]:
    added = await call("add_documents", paths=[str(SAMPLES)])
    await until_done(call, added["task_id"])
    session = await call("open_session", question=QUESTION, goals=GOALS, condition="G1 and G2")
    assert not session["condition_met"] and [goal["goal_id"] for goal in session["goal_status"]] == [
        "G1",
        "G2",
    ]
    says_no_id(session, session["session_id"])
    return session["session_id"], session["strategy"]["goals"][0]["id"]


GOALS = [
    {"id": "G1", "question": "決定係数とは何か"},
    {"id": "G2", "question": "決定係数が0に近いとき何を意味するか"},
]


async def test_the_whole_way(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with calling(stdio(home)) as call:
        session, goal = await opened(call)
        first = await call("search_corpus", session_id=session, keyword_query=["決定係数 定義"])
        second = await call("search_corpus", session_id=session, keyword_query=["決定係数 定義"])
        for reply in (first, second):
            says_no_id(reply, session)
            assert reply["passages"] == [] and reply["shown"]
        texts = [{one["quoted_text"] for one in reply["shown"]} for reply in (first, second)]
        numbers = [{one["temp_index"] for one in reply["shown"]} for reply in (first, second)]
        assert not texts[0] & texts[1] and not numbers[0] & numbers[1]
        number = await findings(call, session, goal, first["shown"][0])
        read = await call(
            "read_passage", session_id=session, number=first["shown"][0]["temp_index"], context=2
        )
        says_no_id(read, session)
        assert read["quoted_text"] == first["shown"][0]["quoted_text"] and read["link"] in (None, "")
    async with calling(stdio(home)) as call:  # another process: the session has survived
        await after_a_restart(call, session, goal, first["shown"], number)


async def findings(call: Call, session: str, goal: str, shown: dict[str, Any]) -> int:
    """A true, an altered and an invented snippet; the condition's state after each. Gives the number of the
    true one."""
    text = shown["quoted_text"]
    index = shown["temp_index"]
    true = sentence(text)
    altered = true.replace("は", "が", 1)
    assert altered != true
    invented = "決定係数は1999年に京都で発見された負の整数である。"

    async def submit(snippet: str) -> tuple[dict[str, Any], dict[str, Any]]:
        reply = await call("submit_findings", session_id=session, findings=[finding(index, goal, snippet)])
        (judged,) = reply["findings"]
        assert bool(judged["document_id"] and judged["link"] and judged["page"]) is judged["accepted"]
        return judged, reply

    judged, reply = await submit(true)
    assert judged["accepted"] and not judged["replaced"] and judged["quoted_text"] == true
    assert {one["goal_id"]: one["met"] for one in reply["goal_status"]} == {"G1": True, "G2": False}
    assert not reply["condition_met"]
    again, _ = await submit(true)
    assert again["number"] == judged["number"]
    near, _ = await submit(altered)
    assert near["accepted"] and near["replaced"] and near["quoted_text"] in text and near["reason"]
    none, reply = await submit(invented)
    assert not none["accepted"] and none["number"] is None and none["reason"] and not reply["condition_met"]
    wrong = await call(
        "submit_findings",
        session_id=session,
        findings=[finding(9_999, goal, true), finding(index, "G9", true)],
    )
    assert [one["accepted"] for one in wrong["findings"]] == [False, False]
    return int(judged["number"])


async def after_a_restart(
    call: Call, session: str, goal: str, shown: list[dict[str, Any]], number: int
) -> None:
    text = shown[0]["quoted_text"]
    again = await call(
        "submit_findings",
        session_id=session,
        findings=[finding(shown[0]["temp_index"], goal, sentence(text))],
    )
    assert again["findings"][0]["number"] == number
    third = await call("search_corpus", session_id=session, keyword_query=["決定係数 定義"])
    assert not {one["quoted_text"] for one in third["shown"]} & {one["quoted_text"] for one in shown}
    sentences = [
        {"text": sentence(text), "cites": [number]},
        {"text": "決定係数は1999年に京都で発見された。", "cites": [number]},
        {"text": sentence(text), "cites": [number, 777]},
        {"text": "富士山の高さは3776メートルである。", "cites": []},
    ]
    composed = await call("compose_answer", session_id=session, sentences=sentences)
    kept, unsupported, unknown, bare = composed["mended"]
    assert kept["became"] == "kept" and not kept["unknown"]
    assert unsupported["became"] == "kept" and unsupported["support"] == "unverified"
    assert unsupported["lacking"]
    assert unknown["unknown"] == [777]
    assert bare["became"] == "removed"
    assert "777" not in composed["text"] and "富士山" not in composed["text"]
    assert "1999年に京都で発見された。 [1](未確認)" in composed["text"]
    assert f"[{number}]" in composed["text"] and not composed["condition_met"] and composed["missing"]
    answer = (await call("get_answer", answer_id=composed["answer_id"], wait=0))["answer"]
    assert answer["evidence"][0]["sha256"] and answer["text"] == composed["text"]


def finding(index: int, goal: str, snippet: str) -> dict[str, Any]:
    return {"index": index, "goal_id": goal, "snippet": snippet, "score": 0.9}


def sentence(text: str) -> str:
    """The longest sentence of a passage."""
    return max(re.findall(r"[^。\n]+。", text) or [text], key=len).strip()
