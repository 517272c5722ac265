"""What a route would not read is refused by name, wherever it stands."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from shisho.interfaces.api.routes import ROUTES
from tests.interfaces.http.operations import calls
from tests.interfaces.serving import serving
from tests.machine import PATIENCE

TEXT = {"name": "火星.txt", "base64": "54Gr5pif"}
NO_SUCH = "there is no such argument"


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """A server of an empty library."""
    with (
        serving(tmp_path_factory.mktemp("strict") / "home") as url,
        httpx.Client(base_url=f"{url}/api/v1", timeout=PATIENCE) as opened,
    ):
        yield opened


class AnyName(dict[str, str]):
    """The same name for each kind of thing."""

    def __missing__(self, kind: str) -> str:
        return "none"


OPERATIONS = {name: (method, path, more) for name, method, path, more in calls(AnyName())}


def test_each_route_of_a_verb_is_tried() -> None:
    assert {verb.name for verb in ROUTES} <= OPERATIONS.keys()


@pytest.mark.parametrize("name", OPERATIONS)
def test_unknown_name_in_the_query_is_refused(client: httpx.Client, name: str) -> None:
    method, path, more = OPERATIONS[name]
    query = {**httpx.URL(path).params, **more.get("params", {}), "nope": "1"}
    reply = client.request(method, path, params=query, json=more.get("json"))
    assert (reply.status_code, reply.json()["code"]) == (400, "INVALID_PARAMS"), reply.text
    assert [wrong["argument"] for wrong in reply.json()["details"]["wrong"]] == ["nope"]
    assert NO_SUCH in reply.json()["message"]


@pytest.mark.parametrize(
    ("method", "path", "body", "argument", "reason"),
    [
        ("POST", "/documents?corpus=lab", {"files": [TEXT]}, "corpus", "it belongs in the JSON body"),
        ("DELETE", "/documents/none", {"purge": True}, "purge", "it belongs in the query"),
        ("DELETE", "/documents/none", {"nope": True}, "nope", f"{NO_SUCH}; known: purge"),
        ("GET", "/tasks/last/events?since_revision=3", None, "since_revision", f"{NO_SUCH}; known: cursor"),
        ("GET", "/corpora?nope=1", None, "nope", NO_SUCH),
        ("POST", "/tasks/none/resume", {"nope": 1}, "nope", NO_SUCH),
        ("GET", "/answers/none/events?nope=1", None, "nope", NO_SUCH),
    ],
)
def test_the_reason_says_where_an_argument_belongs(
    client: httpx.Client, method: str, path: str, body: Any, argument: str, reason: str
) -> None:
    reply = client.request(method, path, json=body)
    assert reply.status_code == 400 and f"{argument}: {reason}" in reply.json()["message"]


def test_document_is_not_taken_into_another_corpus_than_was_asked(client: httpx.Client) -> None:
    assert client.post("/documents?corpus=lab", json={"files": [TEXT]}).status_code == 400
    assert client.get("/tasks").json()["tasks"] == []


@pytest.mark.parametrize("body", [b"", b"{}", b" \n", b"null"])
def test_body_without_members_is_no_body(client: httpx.Client, body: bytes) -> None:
    assert client.post("/tasks/none/resume", content=body).status_code == 404
    assert client.request("DELETE", "/tasks/none", content=body).status_code == 404
    assert client.request("GET", "/corpora", content=body).status_code == 200


@pytest.mark.parametrize("body", [b"[]", b"purge=true", b"{", b"[" * 100_000, b"\xff\xfe"])
def test_body_that_nothing_reads_is_refused(client: httpx.Client, body: bytes) -> None:
    reply = client.request("DELETE", "/tasks/none", content=body)
    assert (reply.status_code, reply.json()["code"]) == (400, "INVALID_PARAMS")
    assert "without it" in reply.json()["message"]


def test_health_and_pages_take_whatever_there_is(client: httpx.Client) -> None:
    for path in ("/livez?nope=1", "/readyz?nope=1", "/?nope=1"):
        assert client.get(str(client.base_url).removesuffix("/api/v1/") + path).status_code == 200
