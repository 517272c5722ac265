"""One errand that calls every tool of the contract once at least, each with what the one before gave."""

from __future__ import annotations

import pytest

from tests.interfaces.serving import SAMPLES, Call, Refused, until_answered, until_done

QUESTION = "決定係数が0に近いとき何を意味するか"


async def errand(call: Call) -> None:
    document = await documents(call)
    evidence = await answers(call)
    await sessions(call)
    await tasks(call)
    await persons(call)
    await opinions(call, evidence)
    gone = await call("remove_document", document_id=document, purge=True)
    assert gone["purged"] and gone["document"]["id"] == document
    with pytest.raises(Refused, match=r"SOURCE_REMOVED|RESOURCE_NOT_FOUND"):
        await call("read_passage", id=evidence)


async def documents(call: Call) -> str:
    added = await call("add_documents", paths=[str(SAMPLES)], metadata={"課": "統計学"})
    assert added["queued"] == 4 and added["link"] == f"task://{added['task_id']}"
    status = await until_done(call, added["task_id"])
    assert (
        status["status"] == "completed"
        and status["progress"]["documents"] == "4/4"
        and len(status["results"]) == 4
    )
    again = await call("add_documents", paths=[str(SAMPLES)])
    assert len(again["already_known"]) == 4 and again["queued"] == 0
    first = await call("list_documents", filters=["課=統計学"], limit=3)
    rest = await call("list_documents", limit=3, cursor=first["cursor"])
    assert first["more"] and len(first["documents"]) == 3 and len(rest["documents"]) == 1 and not rest["more"]
    found = await call("search_corpus", keyword_query=["決定係数 定義"], filter_conditions={"課": "統計学"})
    with pytest.raises(Refused, match="INVALID_PARAMS"):
        await call("search_corpus", search_intent="何も探さない")
    best = found["passages"][0]
    first_result = (await call("search", query="決定係数の定義"))["results"][0]
    fetched = await call("fetch", id=first_result["id"])
    assert "決定係数" in fetched["text"] and fetched["title"] in first_result["title"]
    assert "決定係数" in best["quoted_text"] and best["page"]
    read = await call("read_passage", id=best["passage"], context=1)
    assert best["quoted_text"] in read["quoted_text"]
    return str(best["document"])


async def answers(call: Call) -> str:
    asked = await until_answered(call, await call("ask", question=QUESTION))
    answer = (await call("get_answer", answer_id=asked["answer_id"]))["answer"]
    assert answer["text"] and answer["level"] == "answered" and answer["evidence"][0]["sha256"]
    accepted = await call("get_evidence", answer_id=asked["answer_id"])
    quoted = {row["number"]: row for row in answer["evidence"]}
    assert quoted.items() <= {row["number"]: row for row in accepted["evidence"]}.items()
    follows = {"question": "それはなぜ?", "conversation_id": asked["conversation_id"]}
    following = (await until_answered(call, await call("ask", **follows)))["answer"]
    assert following["understood"].startswith(QUESTION) and following["question"] == "それはなぜ?"
    with pytest.raises(Refused, match="RESOURCE_NOT_FOUND"):
        await call("ask", question="それは?", conversation_id="nowhere")
    alone = await until_answered(call, await call("ask", question="決定係数とは何か"))
    removed = await call("remove_conversation", conversation_id=alone["conversation_id"])
    assert removed["turns"] == 1 and removed["answers"] == 1
    with pytest.raises(Refused, match="RESOURCE_NOT_FOUND"):
        await call("get_answer", answer_id=alone["answer_id"])
    return str(answer["evidence"][0]["id"])


async def sessions(call: Call) -> None:
    session = (await call("open_session", question=QUESTION))["session_id"]
    shown = await call("search_corpus", session_id=session, keyword_query=["決定係数"])
    one = shown["shown"][0]
    goal = (await call("open_session", question=QUESTION))["strategy"]["goals"][0]["id"]
    findings = [{"index": one["temp_index"], "goal_id": goal, "snippet": one["quoted_text"][:60]}]
    judged = await call("submit_findings", session_id=session, findings=findings)
    (number,) = [each["number"] for each in judged["findings"]]
    (row,) = (await call("get_evidence", session_id=session))["evidence"]
    (told,) = judged["findings"]
    assert row["number"] == number and all(
        told[name] == row[name] for name in ("document_id", "start", "link")
    )
    text = one["quoted_text"][:60]
    composed = await call("compose_answer", session_id=session, sentences=[{"text": text, "cites": [number]}])
    assert composed["answer_id"] and composed["evidence"]


async def tasks(call: Call) -> None:
    asked = {"question": "決定係数の使い方", "idempotency_key": "k1", "budget": {"max_pages": 5}}
    made = await call("create_task", **asked)
    assert await call("create_task", **asked) == made
    queries = ["決定係数 定義", "決定係数 定義", " "]
    queued = await call(
        "queue_searches", task_id=made["task_id"], queries=queries, options={"priority": "low"}
    )
    assert queued["queued"] == 1 and len(queued["skipped"]) == 2
    urls = await call(
        "queue_urls", task_id=made["task_id"], urls=["http://127.0.0.1:9/none", "10.1000/182", "no address"]
    )
    assert urls["queued"] == 2 and len(urls["skipped"]) == 1
    stopped = await call("stop_task", task_id=made["task_id"], mode="immediate", wait=5)
    assert stopped["task_id"] == made["task_id"]
    await call("resume_task", task_id=made["task_id"])
    await call("stop_task", task_id=made["task_id"], mode="immediate", wait=20)
    listed = await call("list_tasks", limit=200)
    assert made["task_id"] in [row["task_id"] for row in listed["tasks"]]
    assert (await call("remove_task", task_id=made["task_id"], purge="orphans"))["jobs"] == 3
    with pytest.raises(Refused, match="TASK_NOT_FOUND"):
        await call("get_status", task_id=made["task_id"])


async def persons(call: Call) -> None:
    assert (await call("get_auth_queue"))["waiting"] == []
    with pytest.raises(Refused, match="RESOURCE_NOT_FOUND"):
        await call("resolve_auth", target="domain", id="example.com", action="skip")
    engines = (await call("list_engines"))["engines"]
    assert {"mojeek", "google"} <= {row["name"] for row in engines}


async def opinions(call: Call, evidence: str) -> None:
    for opinion in ("block_domain", "unblock_domain"):
        assert (await call("feedback", opinion=opinion, target="https://www.example.com/x"))[
            "target"
        ] == "www.example.com"
    for opinion in ("reject_evidence", "restore_evidence"):
        assert (await call("feedback", opinion=opinion, target=evidence))["target"] == evidence
