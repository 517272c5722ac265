"""A blank names nothing: where a library holds one thing of each kind, no verb takes "" or " " for it, since
every id begins with a blank."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

import apsw
import httpx
import pytest
from typer.testing import CliRunner

from shisho.bootstrap.library import open_library
from shisho.domain.corpus import Source
from shisho.domain.task import AskOptions, Sources
from shisho.errors import InvalidParams, NotFound
from shisho.interfaces.api.arguments import check_arguments
from shisho.interfaces.api.operations import Verb
from shisho.interfaces.cli.app import app
from shisho.interfaces.http.guard import AccessRules
from shisho.interfaces.http.routes import ROUTES
from shisho.interfaces.http.server import build
from shisho.services import Library
from tests.faults.children import LONG
from tests.flows.smallweb import QUERY, challenge, ended, small_web, way
from tests.interfaces.serving import empty_box

BLANKS = ["", " "]
QUESTION = "決定係数とは何か"
TEXT = "決定係数とは、回帰式の当てはまりの良さを示す値である。"
# What names a thing that there is, or shall be: of each verb these are left blank, one at a time.
NAMES = {
    *("task_id", "document_id", "answer_id", "conversation_id", "session_id", "id", "target"),
    *("name", "member", "group", "corpus", "path", "folder"),
}
# The rest of a call that would work.
OTHERS: dict[str, Any] = {
    "question": QUESTION,
    "queries": ["分散"],
    "urls": ["https://site1.example/"],
    "findings": [{"index": 1, "goal_id": "G1", "snippet": TEXT}],
    "sentences": [{"text": TEXT, "cites": [1]}],
    "members": ["hanako"],
    "keyword_query": ["決定係数"],
    "sources": "documents",
    "action": "skip",
    "purge": True,
    "jobs": 1,
    "files": [{"name": "new.txt", "base64": "5paw44GX44GE44CC"}],
    "name": "hanako",
    "member": "hanako",
    "group": "lab",
    "corpus": "default",
    "task_id": "last",
}
OF_CHOICE = {
    "feedback": [{"opinion": "reject_evidence"}, {"opinion": "block_domain"}],
    "resolve_auth": [{"target": "item"}, {"target": "domain"}, {"target": "task"}],
    "read_passage": [{"number": 1}, {}],
    "remove_task": [{"purge": "orphans"}],
}
# Where what is named is no id, it may just be told that there is none.
NO_ID = {"group", "corpus"}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    asyncio.run(furnish(folder))
    return folder


async def furnish(folder: Path) -> None:
    """One document, which one answer of one conversation quotes, one task of one question and one session;
    one thing that waits for a person."""
    web = small_web([1])
    web.serps["memory", QUERY, 1] = challenge()
    async with open_library(home=folder, web_access=way(web)) as library:
        await library.documents.add_source(Source("一.txt", TEXT.encode()))
        async with library.working(1):
            options = AskOptions((), {}, Sources.DOCUMENTS, {}, "")
            handle = await library.questions.queue(QUESTION, options=options, wait=50)
            assert handle.answer is not None and len(handle.answer.evidence) == 1
            await library.tasks.queue_searches([QUERY], task_id=handle.task_id)
            await ended(library, handle.task_id)
        assert len(await library.web.get_auth_queue()) == 1
        await library.sessions.open_session(QUESTION)
        await library.team.add_user("hanako")
        await library.team.add_group("lab")
        await library.team.join("lab", "hanako")
        await library.tasks.share("last", "lab")


def hold(home: Path) -> dict[str, list[Any]]:
    """Every row of the library, but for the audit, which records refused calls too."""
    with closing(apsw.Connection(str(home / "shisho.db"))) as connection:
        tables = [
            name
            for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            if name not in ("audit", "sqlite_sequence")
        ]
        return {table: list(connection.execute(f'SELECT * FROM "{table}" ORDER BY 1')) for table in tables}


@asynccontextmanager
async def opened(home: Path) -> AsyncIterator[Library]:
    async with open_library(home=home, web_access=way(small_web())) as library:
        yield library


def list_calls(blank: str) -> list[tuple[Verb, str, dict[str, Any]]]:
    """Every verb, each of its names left blank in turn."""
    calls = []
    for verb in ROUTES:
        parameters = [parameter.name for parameter in verb.parameters]
        required = {parameter.name for parameter in verb.parameters if parameter.default is parameter.empty}
        kept = {"keyword_query", "sources", "purge", "jobs"} | (
            {"files"} if verb.name == "add_documents" else set()
        )
        for choice in OF_CHOICE.get(verb.name, [{}]):
            given = {name: OTHERS[name] for name in parameters if name in OTHERS and name in required | kept}
            names = [name for name in parameters if name in NAMES - choice.keys()]
            calls += [(verb, name, given | choice | {name: blank}) for name in names]
    return calls


@pytest.mark.parametrize("blank", BLANKS)
async def test_no_verb_takes_a_blank_for_the_one_thing_there_is(home: Path, blank: str) -> None:
    before = hold(home)
    calls = list_calls(blank)
    assert len(calls) > 40
    async with opened(home) as library:
        for verb, name, given in calls:
            refused: type[Exception] | tuple[type[Exception], ...] = InvalidParams
            if name in NO_ID:
                refused = (InvalidParams, NotFound)
            with pytest.raises(refused):
                arguments = check_arguments(verb.name, verb.arguments, given)
                print(verb.name, name, await verb(library, **arguments))
    assert hold(home) == before


@pytest.mark.parametrize("blank", BLANKS)
async def test_no_address_of_rest_takes_a_blank_for_it(home: Path, blank: str) -> None:
    before = hold(home)
    async with opened(home) as library:
        transport = httpx.ASGITransport(app=build(library, AccessRules()), raise_app_exceptions=False)
        async with httpx.AsyncClient(
            transport=transport, base_url="http://127.0.0.1/api/v1", follow_redirects=True
        ) as client:
            for verb, name, given in list_calls(blank):
                method, route = verb.route
                if f"{{{name}}}" not in route:
                    continue
                rest = {key: value for key, value in given.items() if f"{{{key}}}" not in route}
                path = re.sub(r"{(\w+)}", lambda found, given=given: quote(str(given[found[1]])), route)
                place = {"params": rest} if method in ("GET", "DELETE") else {"json": rest}
                reply = await client.request(method, path, **place)
                if path.endswith("/") and method == "GET":  # the list, as without the slash
                    continue
                assert 400 <= reply.status_code < 500, (method, path, reply.text)
                assert reply.json()["code"] and reply.json()["message"], (method, path, reply.text)
    assert hold(home) == before


async def test_no_verb_of_python_takes_a_blank_for_it(home: Path) -> None:
    before = hold(home)
    async with opened(home) as library:
        for blank in BLANKS:
            verbs = [
                lambda name=blank: library.documents.get(name),
                lambda name=blank: library.documents.read_text(name),
                lambda name=blank: library.documents.read_page(name, 1),
                lambda name=blank: library.documents.remove(name, purge=True),
                lambda name=blank: library.documents.restore(name),
                lambda name=blank: library.questions.get(name),
                lambda name=blank: library.questions.find_evidence(name),
                lambda name=blank: library.show(name),
                lambda name=blank: library.questions.resume(name),
                lambda name=blank: library.questions.replay(name),
                lambda name=blank: library.exports.render(name, "md"),
                lambda name=blank: library.exports.render_file(name, "proof"),
                lambda name=blank: library.questions.ask(QUESTION, conversation=name),
                lambda name=blank: library.conversations.list_turns(name),
                lambda name=blank: library.conversations.remove(name),
                lambda name=blank: library.viewer.view(name),
                lambda name=blank: library.viewer.get_layout(name, 1),
                lambda name=blank: library.viewer.get_image(name, 1, 100),
                lambda name=blank: library.viewer.find(name, "決定係数"),
                lambda name=blank: library.viewer.get_evidence_boxes(name),
                lambda name=blank: library.viewer.get_span_boxes(name, 0, 1),
                lambda name=blank: library.references.list_incomplete(name),
                lambda name=blank: library.questions.check(name),
                lambda name=blank: library.tasks.list_jobs(name),
                lambda name=blank: library.folders.unwatch(name),
                lambda name=blank: anext(library.documents.add(name)),
                lambda name=blank: anext(library.folders.sync(name)),
                lambda name=blank: anext(library.documents.add("/dev/null", corpus=name)),
                lambda name=blank: library.documents.add_source(Source("二.txt", b"x"), corpus=name),
            ]
            for number, verb in enumerate(verbs):
                with pytest.raises(InvalidParams):
                    print(number, await verb())
    assert hold(home) == before


@pytest.mark.slow
@pytest.mark.parametrize("blank", BLANKS if LONG else BLANKS[:1])
def test_no_command_takes_a_blank_for_it(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, blank: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "new.txt").write_text("新しい。", "utf-8")
    before = hold(home)
    commands = [
        *(["remove", blank], ["remove", blank, "--purge", "--yes"], ["restore", blank]),
        *(["show", blank], ["export", blank], ["replay", blank], ["references", blank]),
        *(["conversation", blank], ["conversation", blank, "--remove", "--yes"]),
        *(["ask", "--continue", blank], ["ask", QUESTION, "--continue", blank, "--sources", "documents"]),
        *(["jobs", blank], ["share", blank, "lab"], ["share", "last", " "]),
        *(["queue", verb, blank] for verb in ("status", "watch", "stop", "resume")),
        *(["auth", verb, blank] for verb in ("done", "skip")),
        *(["auth", verb, "--task", blank] for verb in ("done", "skip")),
        ["queue", "add", "分散", "--task", blank],
        *(["models", verb, blank] for verb in ("pull", "remove")),
        *(["users", verb, blank] for verb in ("add", "token", "remove", "restore")),
        *(["groups", "add", blank], ["groups", "remove", blank], ["groups", "remove", "lab", blank]),
        *(["grants", "add", blank, "hanako"], ["grants", "remove", "default", blank]),
        *(["quotas", "set", blank, "--jobs", "1"], ["quotas", "remove", blank]),
        *(["add", blank], ["add", "new.txt", "--corpus", blank], ["sync", blank], ["watch", blank]),
        *(["watch", "--forget", blank], ["search", "決定係数", "--in", blank]),
        *(["ask", QUESTION, "--in", blank], ["backup", blank], ["export", "--out", blank]),
        *(["copy", "--from", blank, "--to", "there"], ["copy", "--from", str(home), "--to", blank]),
        *(["--home", blank, "list"], ["verify", blank], ["verify", "--page", blank]),
    ]
    for command in commands:
        words = ["--language", "ja", *(() if command[0] == "--home" else ("--home", str(home))), *command]
        outside = {"SHISHO_BOX": str(empty_box())}
        result = CliRunner().invoke(app, words, env=outside)
        assert result.exit_code in (1, 2), (command, result.output)
        assert isinstance(result.exception, SystemExit), (command, result.exception)
        assert result.stderr.strip(), command
    assert hold(home) == before
    assert {file.name for file in tmp_path.iterdir()} == {"home", "new.txt"}


async def test_what_was_removed_is_not_restored_by_a_blank(tmp_path: Path) -> None:
    async with open_library(home=tmp_path) as library:
        await library.documents.add_source(Source("一.txt", TEXT.encode()))
        await library.documents.remove("一.txt")
        before = hold(tmp_path)
        for blank in BLANKS:
            with pytest.raises(InvalidParams, match=r"The id of the document is blank\. Give its id"):
                await library.documents.restore(blank)
        assert hold(tmp_path) == before
