"""What a route would not read is refused by name, wherever it stands."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from shisho.interfaces.http.routes import ROUTES
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
    assert "without one" in reply.json()["message"]


QUESTION = json.dumps({"question": "決定係数"}).encode()
AS_JSON = {"content-type": "application/json"}


@pytest.mark.parametrize(
    "media_type",
    [
        None,
        "",
        "application/x-www-form-urlencoded",
        "text/plain",
        "multipart/form-data; boundary=x",
        "json",
        "application/jsonp",
        "application/json/x",
        "application/x; as=application/json",
    ],
)
def test_body_without_the_type_of_json_is_refused_with_the_type_to_send(
    client: httpx.Client, media_type: str | None
) -> None:
    headers = {} if media_type is None else {"content-type": media_type}
    reply = client.post("/tasks", content=QUESTION, headers=headers)
    assert (reply.status_code, reply.json()["code"]) == (400, "INVALID_PARAMS"), reply.text
    assert reply.json()["message"] == "Send the request body as JSON, with `content-type: application/json`."


@pytest.mark.parametrize(
    "media_type", ["Application/JSON ; charset=utf-8", "application/json", "application/problem+json"]
)
def test_body_with_a_type_of_json_is_read(client: httpx.Client, media_type: str) -> None:
    reply = client.post("/tasks", content=QUESTION, headers={"content-type": media_type})
    assert reply.status_code == 200, reply.text


@pytest.mark.parametrize("packing", ["gzip", "br", "identity, gzip", "GZIP"])
@pytest.mark.parametrize("path", ["/tasks", "/documents/upload?name=火星.txt"])
def test_packed_body_is_refused(client: httpx.Client, path: str, packing: str) -> None:
    headers = {**AS_JSON, "content-encoding": packing}
    reply = client.post(path, content=gzip.compress(QUESTION), headers=headers)
    assert (reply.status_code, reply.json()["code"]) == (400, "INVALID_PARAMS"), reply.text
    assert "without content-encoding" in reply.json()["message"]


def test_body_that_is_packed_by_name_alone_is_read(client: httpx.Client) -> None:
    headers = {**AS_JSON, "content-encoding": "identity"}
    assert client.post("/tasks", content=QUESTION, headers=headers).status_code == 200


@pytest.mark.parametrize(
    ("body", "english", "japanese"),
    [
        (QUESTION.replace(b"\\u6c7a", b"\xff"), "is not UTF-8", "UTF-8ではありません"),
        ('{"question": "決定係数"}'.encode("shift_jis"), "is not UTF-8", "UTF-8ではありません"),
        (b"[" * 100_000, "nested too deeply", "入れ子が深すぎます"),
        (b'{"question": ' + b"1" * 5_000 + b"}", "too many digits", "桁数の多すぎる"),
    ],
    ids=["one byte", "Shift_JIS", "nesting", "digits"],
)
def test_body_that_is_not_read_is_refused_in_the_words_of_the_reader(
    client: httpx.Client, body: bytes, english: str, japanese: str
) -> None:
    for language, words in (("en", english), ("ja", japanese)):
        reply = client.post("/tasks", content=body, headers={**AS_JSON, "accept-language": language})
        assert (reply.status_code, reply.json()["code"]) == (400, "INVALID_PARAMS"), reply.text
        assert words in reply.json()["message"]


def test_health_and_pages_take_whatever_there_is(client: httpx.Client) -> None:
    for path in ("/livez?nope=1", "/readyz?nope=1", "/?nope=1"):
        assert client.get(str(client.base_url).removesuffix("/api/v1/") + path).status_code == 200
