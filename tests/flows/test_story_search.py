"""Story 1 over the web in a box: searches queued over MCP, followed by long polls, their pages searchable
afterwards."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from shisho_box.client import BoxClient as BoxClient
from shisho_box.server import Box
from tests.interfaces.serving import calling, stdio
from tests.queues import output_of

ENGINES = "\n".join(f"[{name}]\ninterval_s = 0.2" for name in ("mojeek", "marginalia"))
OPTIONS = {"serp_max_pages": 3, "max_results_per_query": 30}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "engines.toml").write_text(ENGINES, "utf-8")
    return tmp_path / "home"


async def followed(call: Any, task: str) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Every status that an assistant sees while it long-polls, and the last one."""
    seen = []
    held = await call("get_status", task_id=task, wait=0)
    while held["status"] == "running":
        held = await call("get_status", task_id=task, wait=20, since_revision=held["revision"])
        seen.append(held)
    return seen, held


async def test_two_queries_on_two_engines(home: Path, tmp_path: Path) -> None:
    async with Box(seed=3, folder=tmp_path / "box") as box:
        topics = list(dict.fromkeys(one.topic for one in box.questions[12:]))
        async with calling(stdio(home, SHISHO_WEB="on", SHISHO_BOX=str(tmp_path / "box"))) as call:
            task = None
            for query, engine in zip(topics[:2], ("mojeek", "marginalia"), strict=True):
                more = {} if task is None else {"task_id": task}
                queued = await call(
                    "queue_searches", queries=[query], options={**OPTIONS, "engines": [engine]}, **more
                )
                task = queued["task_id"]
                assert queued["queued"] == 1 and queued["next"] == "get_status"
            assert task is not None
            seen, held = await followed(call, task)
            assert held["status"] == "completed" and held["progress"]["queries"] == "2/2", held
            visits = [int(one["progress"]["pages"].split("/")[0]) for one in seen]
            known = [int(one["progress"]["pages"].split("/")[1]) for one in seen]
            assert len(set(visits)) >= 10 and visits == sorted(visits), "progress after every visit"
            assert len(set(known)) >= 2 and known == sorted(known), "hits of a later page were told later"
            found = await call("search_corpus", keyword_query=[topics[0]], corpora=["web"])
            assert found["passages"], found
        for engine, query in zip(("mojeek", "marginalia"), topics, strict=False):
            asked = box.log.pages(engine, query)
            assert asked == list(range(1, len(asked) + 1)) and 1 <= len(asked) <= 3
        assert box.log.wrong == []
        await the_record(home, task, box, topics[:2])


async def the_record(home: Path, task: str, box: Box | BoxClient, queries: list[str]) -> None:
    """What is kept of each search for whoever asks later."""
    from shisho.bootstrap.library import open_library

    async with open_library(home=home) as library:
        jobs = (await library.tasks.list_jobs(task)).jobs
        assert {output_of(job)["query"] for job in jobs} == set(queries)
        for job in jobs:
            done = output_of(job)
            assert done["paging_stop"] in ("LIMIT", "ENOUGH", "SATURATED", "BARREN", "END"), done[
                "paging_stop"
            ]
            assert [one["rank"] for one in done["hits"]] == list(range(1, len(done["hits"]) + 1))
            assert all(one["novelty"] is not None and one["status"] == 200 for one in done["pages"])
            for hit in done["hits"]:
                if hit["document_id"]:
                    document = await library.documents.get(hit["document_id"])
                    assert box.page(document.source) is not None, document.source
    import apsw

    database = apsw.Connection(str(home / "shisho.db"))
    rows = list(
        database.execute(
            "SELECT query, engine, rank, page_number, fetched_at FROM provenance WHERE task_id = ?", (task,)
        )
    )
    assert len(rows) >= 10 and all(None not in row for row in rows)
    assert {row[0] for row in rows} == set(queries)
    noted = list(
        database.execute(
            "SELECT pages, json_array_length(novelty_json), paging_stop FROM searches WHERE task_id = ?",
            (task,),
        )
    )
    assert len(noted) == 2 and all(pages == length and stop for pages, length, stop in noted)
