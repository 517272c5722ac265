"""What a page over the library asks beside answers: files in and out, removal undone, what is set and
works."""

from __future__ import annotations

import asyncio
from pathlib import Path
from urllib.parse import unquote, urlsplit

import httpx
import pytest

from shisho.bootstrap.library import open_library
from shisho.domain.corpus import DocumentState, Source
from shisho.interfaces.http.exports import FORMS
from shisho.interfaces.http.guard import AccessRules
from shisho.rendering import export
from tests.interfaces.http.rooms import finished, served

TEXT = "火星の衛星はフォボスとダイモスの二つである。"
QUESTION = "火星の衛星は何か"
HOSTILE = '</title><script>alert("x")</script>\u202e&.txt'


async def found(client: httpx.AsyncClient, word: str = "フォボス") -> list[str]:
    """The documents that have a word."""
    reply = await client.post("/passages/search", json={"keyword_query": [word]})
    return [passage["document"] for passage in reply.json().get("passages", [])]


async def test_a_file_is_handed_over_as_it_is(tmp_path: Path) -> None:
    async with open_library(home=tmp_path) as library, library.working(1), served(library) as client:
        sent = await client.post(
            "/documents/upload", params={"name": "衛星/火星.txt", "corpus": "宇宙"}, content=TEXT.encode()
        )
        assert sent.status_code == 200 and sent.json()["queued"] == 1
        task_id = sent.json()["task_id"]
        assert sent.json()["link"] == f"task://{task_id}"
        assert (await finished(client, task_id))["status"] == "completed" and len(await found(client)) == 1
        again = await client.post(
            "/documents/upload", params={"name": "火星.txt", "corpus": "宇宙"}, content=TEXT.encode()
        )
        assert len(again.json()["already_known"]) == 1
        (corpus,) = (await client.get("/corpora")).json()["corpora"]
        assert (corpus["name"], corpus["documents"]) == ("宇宙", 1)
        for wrong in ({}, {"name": ""}, {"name": "a.txt", "unknown": "1"}):
            refused = await client.post("/documents/upload", params=wrong, content=b"x")
            assert (refused.status_code, refused.json()["code"]) == (400, "INVALID_PARAMS")


async def test_a_file_may_be_as_large_as_is_set_and_no_larger(tmp_path: Path) -> None:
    rules = AccessRules(body_bytes=1000, large={"/api/v1/documents/upload": 3000})
    async with open_library(home=tmp_path) as library, served(library, rules) as client:
        for size, status in ((3000, 200), (3001, 413)):
            sent = await client.post("/documents/upload", params={"name": "a.txt"}, content=b"x" * size)
            assert sent.status_code == status


async def test_a_removal_is_undone(tmp_path: Path) -> None:
    async with open_library(home=tmp_path) as library, served(library) as client:
        receipt = await library.documents.add_source(Source("火星.txt", TEXT.encode()))
        await client.delete(f"/documents/{receipt.document_id}")
        assert await found(client) == []
        for _ in range(2):
            restored = await client.post("/documents/火星.txt/restore")
            if restored.status_code == 404:  # live, it is named by its id
                restored = await client.post(f"/documents/{receipt.document_id}/restore")
            assert restored.json()["document"]["state"] == DocumentState.LIVE
        assert await found(client) == [receipt.document_id]
        await client.delete(f"/documents/{receipt.document_id}")
        newer = await library.documents.add_source(Source("火星.txt", f"{TEXT} 二つとも小さい。".encode()))
        refused = await client.post(f"/documents/{receipt.document_id}/restore")
        assert (refused.status_code, refused.json()["code"]) == (409, "CONFLICT")
        await client.delete(f"/documents/{newer.document_id}", params={"purge": True})
        for name, status in ((newer.document_id, 410), ("none", 404)):
            assert (await client.post(f"/documents/{name}/restore")).status_code == status


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
async def test_an_answer_is_a_file_in_every_form(tmp_path: Path, form: str) -> None:
    if form in ("apa", "sist02"):
        pytest.importorskip("citeproc")
    if form == "pdf":
        pytest.skip("see tests/flows/test_pdf.py")
    async with open_library(home=tmp_path) as library, served(library) as client:
        await library.documents.add_source(Source("火星.txt", TEXT.encode()))
        answer = await library.questions.ask(QUESTION)
        reply = await client.get(f"/answers/{answer.id}/export", params={"form": form})
        media_type, ending = FORMS[form]
        assert reply.headers["content-type"] == f"{media_type}; charset=utf-8"
        assert reply.headers["content-disposition"] == f'attachment; filename="shisho-{answer.id}.{ending}"'
        assert reply.text == await library.exports.render(answer.id, form)


async def test_an_export_names_files_without_their_folders_unless_asked(tmp_path: Path) -> None:
    folder = tmp_path / "個人 用"
    folder.mkdir()
    (folder / "火星.md").write_text(f"# 火星\n\n{TEXT}\n", "utf-8")
    async with open_library(home=tmp_path / "home") as library, served(library) as client:
        async for _ in library.documents.add(folder):
            pass
        answer = await library.questions.ask(QUESTION)
        assert answer.evidence[0].document == str(folder / "火星.md")
        for form in sorted({*FORMS} - {"pdf", "apa", "sist02"}):
            text = await library.exports.render(answer.id, form)
            assert str(tmp_path) not in text and folder.as_uri() not in text, form
            assert form == "html" or "火星.md" in unquote(text), form
        for form in ("md", "jsonl"):
            asked = await client.get(
                f"/answers/{answer.id}/export", params={"form": form, "local_paths": True}
            )
            assert folder.as_uri() in asked.text
            assert asked.text == await library.exports.render(answer.id, form, local_paths=True)
            reply = await client.get(f"/answers/{answer.id}/export", params={"form": form})
            assert folder.as_uri() not in reply.text


async def test_an_unknown_form_and_an_unknown_answer_are_refused(tmp_path: Path) -> None:
    assert set(FORMS) == {*export.FORMS, *export.OTHER_FORMS}
    async with open_library(home=tmp_path) as library, served(library) as client:
        await library.documents.add_source(Source("火星.txt", TEXT.encode()))
        await library.questions.ask(QUESTION)
        refused = await client.get("/answers/last/export", params={"form": "docx"})
        assert (refused.status_code, refused.json()["code"]) == (400, "INVALID_PARAMS")
        assert (await client.get("/answers/none/export")).status_code == 404


async def test_the_page_of_an_answer_shows_hostile_words_as_text(tmp_path: Path) -> None:
    async with open_library(home=tmp_path) as library:
        words = f'{TEXT} <img src=x onerror="alert(1)"> フォボスの直径は22キロメートルである。'
        source = Source('https://mars.example/a"><script>', words.encode(), "text/plain", HOSTILE)
        await library.documents.add_source(source)
        answer = await library.questions.ask("フォボスの直径は何キロメートルか<script>alert(2)</script>")
        page = await library.exports.render(answer.id, "html")
    assert answer.evidence and '<a href="#e1">[1]</a>' in page and 'id="e1"' in page
    assert "<script" not in page and "<img" not in page and "\u202e" not in page
    assert "&lt;script&gt;alert(2)" in page
    links = [part.split('"')[0] for part in page.split('href="')[1:]]
    assert {urlsplit(link).scheme for link in links} <= {"", "https"} and "src=" not in page.split("<body>")[
        0
    ]


@pytest.mark.slow
async def test_what_is_set_and_what_works_is_told_without_secrets(tmp_path: Path) -> None:
    async with (
        open_library(home=tmp_path, token="canary-77", max_rounds=5) as library,
        served(library) as client,
    ):
        reply = await client.get("/settings")
        rows = {row["name"]: row for row in reply.json()["settings"]}
        assert (rows["token"]["value"], rows["token"]["secret"]) == ("set", True)
        assert "canary" not in reply.text and rows["model_key"]["value"] == ""
        assert (rows["max_rounds"]["value"], rows["max_rounds"]["origin"]) == (5, "call")
        assert rows["web"]["choices"] == ["ask", "on", "off"] and rows["home"]["value"] == str(tmp_path)
        assert all(row["help"] for row in rows.values())
        checks = {check["name"]: check for check in (await client.get("/checks")).json()["checks"]}
        assert (
            checks["database"]["ok"]
            and checks["model"]["optional"]
            and all(check["title"] for check in checks.values())
        )


@pytest.mark.slow
async def test_what_documents_can_be_filtered_by_is_counted(tmp_path: Path) -> None:
    async with open_library(home=tmp_path) as library, served(library) as client:
        for number, (course, corpus) in enumerate((("統計", "a"), ("統計", "a"), ("天文", "b"))):
            source = Source(f"{number}.txt", f"{TEXT}{number}".encode(), metadata={"course": course})
            await library.documents.add_source(source, corpus)
        (fields,) = (await client.get("/metadata")).json()["fields"]
        values = [{"value": "統計", "documents": 2}, {"value": "天文", "documents": 1}]
        assert fields == {"name": "course", "documents": 3, "distinct": 2, "values": values}
        (fields,) = (await client.get("/metadata", params={"corpora": "b"})).json()["fields"]
        assert fields["values"] == values[1:]


async def test_nothing_goes_out_before_a_person_says_yes(tmp_path: Path) -> None:
    async with open_library(home=tmp_path, web="ask") as library, served(library) as client:
        state = (await client.get("/consent", params={"question": "火星の衛星とは何か"})).json()
        assert state["state"] == "not_asked" and state["since"] is None and state["engines"]
        assert any("火星" in query for query in state["queries"])
        for consent, state in ((True, "given"), (False, "off"), (None, "not_asked")):
            said = (await client.post("/consent", json={"consent": consent})).json()
            assert said["state"] == state == library.web.get_consent()
            assert bool(said["since"]) is (consent is not None)
        assert (await client.post("/consent", json={"consent": "perhaps"})).status_code == 400


async def test_a_large_body_may_take_longer_as_long_as_it_keeps_coming(tmp_path: Path) -> None:
    rules = AccessRules(body_bytes=1000, body_seconds=0.5, large={"/api/v1/documents/upload": 1 << 20})

    async def slowly() -> object:
        for _ in range(20):
            yield b"x" * 1000
            await asyncio.sleep(0.05)

    async with open_library(home=tmp_path) as library, served(library, rules) as client:
        sent = await client.post("/documents/upload", params={"name": "a.txt"}, content=slowly())
        assert sent.status_code == 200
