"""The routes of the viewer, as a page or another program asks them."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from PIL import Image

from tests.interfaces.serving import SAMPLES, answered_over_http, serving
from tests.machine import PATIENCE

QUESTION = "決定係数が0に近いとき何を意味するか"


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    with (
        serving(tmp_path_factory.mktemp("viewing") / "home") as url,
        httpx.Client(base_url=f"{url}/api/v1", timeout=PATIENCE) as opened,
    ):
        task = opened.post("/documents", json={"paths": [str(SAMPLES / "01-regression.pdf")]}).json()[
            "task_id"
        ]
        query = {"wait": 20, "wait_for": "done"}
        while opened.get(f"/tasks/{task}", params=query).json()["status"] == "running":
            pass
        yield opened


@pytest.fixture(scope="module")
def evidence(client: httpx.Client) -> dict[str, Any]:
    asked = answered_over_http(client, QUESTION, sources="documents")
    first: dict[str, Any] = asked["answer"]["evidence"][0]
    return first


def _listed(client: httpx.Client) -> dict[str, Any]:
    (document,) = client.get("/documents").json()["documents"]
    return dict(document)


def test_document_is_as_the_list_has_it_with_how_it_can_be_looked_at(client: httpx.Client) -> None:
    listed = _listed(client)
    document = client.get(f"/documents/{listed['id']}").json()
    assert document == {**listed, "viewable": "pages", "why": ""}
    assert client.get("/documents/nothing").status_code == 404


def test_quotation_is_lit_on_its_lines(client: httpx.Client, evidence: dict[str, Any]) -> None:
    boxes = client.get(f"/evidence/{evidence['id']}/boxes").json()
    assert {key: boxes[key] for key in ("evidence_id", "document_id", "page", "exact", "why")} == {
        "evidence_id": evidence["id"],
        "document_id": evidence["document_id"],
        "page": evidence["page"],
        "exact": True,
        "why": "",
    }
    layout = client.get(f"/documents/{evidence['document_id']}/pages/{evidence['page']}/layout").json()
    shown = layout["text"][evidence["start"] - layout["start"] : evidence["end"] - layout["start"]]
    assert shown == evidence["snippet"]
    lines = [
        line["box"]
        for line in layout["lines"]
        if line["start"] < evidence["end"] and evidence["start"] < line["end"]
    ]
    assert boxes["boxes"] and len(boxes["boxes"]) >= len(lines)
    for left, top, right, bottom in boxes["boxes"]:
        assert any(
            line[0] - 1 <= left < right <= line[2] + 1 and line[1] - 1 <= top < bottom <= line[3] + 1
            for line in lines
        )
        assert 0 <= left < right <= layout["width"] and 0 <= top < bottom <= layout["height"]
    span = {"start": evidence["start"], "end": evidence["end"]}
    assert (
        client.get(f"/documents/{evidence['document_id']}/boxes", params=span).json()["boxes"]
        == boxes["boxes"]
    )
    assert client.get("/evidence/nothing/boxes").status_code == 404


@pytest.mark.slow
def test_pictures_come_in_few_widths_and_once(client: httpx.Client) -> None:
    path = f"/documents/{_listed(client)['id']}/pages/1/image"
    widths = {}
    for width in (1, 320, 321, 1_000, 1_500, 2_000, 10_000):
        reply = client.get(path, params={"width": width})
        assert (reply.status_code, reply.headers["content-type"]) == (200, "image/webp")
        widths[width] = Image.open(io.BytesIO(reply.content)).size[0]
    assert widths == {1: 320, 320: 320, 321: 800, 1_000: 1_200, 1_500: 1_600, 2_000: 2_400, 10_000: 2_400}
    tag = client.get(path, params={"width": 320}).headers["etag"]
    again = client.get(path, params={"width": 320}, headers={"If-None-Match": tag})
    assert (again.status_code, again.content) == (304, b"")
    assert client.get(path, params={"width": 800}, headers={"If-None-Match": tag}).status_code == 200


@pytest.mark.parametrize("width", [0, -1, 10_001, "wide"])
def test_width_that_is_none_is_refused(client: httpx.Client, width: Any) -> None:
    reply = client.get(f"/documents/{_listed(client)['id']}/pages/1/image", params={"width": width})
    assert (reply.status_code, reply.json()["code"]) == (400, "INVALID_PARAMS")


@pytest.mark.parametrize("what", ["layout", "image"])
def test_page_that_is_not_there_is_not_found(client: httpx.Client, what: str) -> None:
    reply = client.get(f"/documents/{_listed(client)['id']}/pages/999/{what}")
    assert (reply.status_code, reply.json()["code"]) == (404, "RESOURCE_NOT_FOUND")


def test_words_are_found_in_one_document(client: httpx.Client) -> None:
    path = f"/documents/{_listed(client)['id']}/find"
    reply = client.get(path, params={"q": "決定係数", "limit": 2}).json()
    assert len(reply["matches"]) == 2 and reply["more"]
    for match in reply["matches"]:
        assert "".join(match["text"].split()) == "決定係数"
        layout = client.get(f"/documents/{_listed(client)['id']}/pages/{match['page']}/layout").json()
        start = match["start"] - layout["start"]
        assert layout["text"][start : match["end"] - layout["start"]] == match["text"]
        around = match["before"] + match["text"] + match["after"]
        assert layout["text"][max(0, start - 5) : start + 9] in around
    assert client.get(path, params={"q": " "}).json()["code"] == "INVALID_PARAMS"


def test_purged_document_is_gone_for_every_route(
    client: httpx.Client, evidence: dict[str, Any], tmp_path: Path
) -> None:
    name = evidence["document_id"]
    assert client.request("DELETE", f"/documents/{name}", params={"purge": True}).status_code == 200
    document = client.get(f"/documents/{name}").json()
    assert (document["viewable"], bool(document["why"])) == ("gone", True)
    for path in (
        f"/documents/{name}/pages/1/layout",
        f"/documents/{name}/pages/1/image?width=320",
        f"/documents/{name}/find?q=a",
        f"/documents/{name}/boxes?start=0&end=4",
        f"/evidence/{evidence['id']}/boxes",
    ):
        reply = client.get(path)
        assert (reply.status_code, reply.json()["code"]) == (410, "SOURCE_REMOVED"), path
