"""What is in a corpus that one was not granted changes nothing that one is told, whatever one asks: two
libraries that differ in nothing but such documents give the same replies to every operation of the REST, on
both databases."""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import re
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import apsw
import httpx
import psycopg
import pytest
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st

from shisho.bootstrap.library import open_library
from shisho.corpus.ingest import make_document_id, make_passage_id
from shisho.domain.corpus import DocumentId, Source
from shisho.domain.team import Access, CorpusKey, Grantee, GranteeKind
from shisho.domain.web import Serp
from shisho.interfaces.http.routes import ROUTES
from shisho.services import Library
from shisho.testing import MemoryWeb
from tests.faults.children import LONG
from tests.flows.smallweb import QUERY, challenge, serp, small_web, way
from tests.inference.model_folders import static_folder
from tests.inside import builder_of
from tests.interfaces.http.operations import Call, Names, calls
from tests.interfaces.http.rooms import answered, finished, served
from tests.postgres import has_vectors, shared_server

OWN = "決定係数は回帰分析の当てはまりを示す指標である。"
GRANTED = "残差は統計の値と標本の差である。"
WORDS = ("決定係数", "回帰分析", "残差", "統計", "指標", "標本", "図書館", "の", "は", "値")
RIDDLE = "番人"
TARO = Grantee(GranteeKind.USER, "taro")
QUESTIONS = ("決定係数とは何か", "残差の値", "図書館の標本", "株")
# Two more of hanako's, beside the one that is granted, and two of others, under names that taro uses too.
FOREIGN = (("hanako", "diary"), ("hanako", "notes"), ("jiro", "papers"), ("local", "default"))
# An id of a task, an answer or a job; of a session or of a quotation, which has its answer in it.
ID = re.compile(r"(?<![0-9a-f])([0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}|[0-9a-f]{24})(?![0-9a-f])")
# What no document has a part in: when, for how long, where, and what is drawn by lot.
TIME = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)?")
CHANCE = re.compile(r'"(seconds|median_latency_s|estimated_seconds|error_id|public_key)":("\w*"|[\d.e-]+)')
HOME = re.compile(r"home \d+")
SERVER = re.compile(r"http://127\.0\.0\.1:\d+")
OF_THE_MACHINE = {"livez", "readyz", "metrics"}
# What looks is asked first, what destroys last.
ORDER = {"read": 0, "add": 1, "change": 1, "destroy": 2}
EFFECTS = {"upload_document": 1, **{verb.name: ORDER[verb.effect.kind] for verb in ROUTES}}


@dataclass(frozen=True)
class ForeignDocument:
    """A document that taro may not read, and the moment at which it comes."""

    owner: str
    corpus: str
    name: str
    paragraphs: tuple[str, ...]
    key: str
    is_early: bool
    is_purged: bool | None

    @property
    def source(self) -> Source:
        text = "\n\n".join(self.paragraphs)
        return Source(self.name, text.encode(), metadata={self.key: "秘", "doi": "10.1/x"})

    @property
    def document_id(self) -> DocumentId:
        return make_document_id(hashlib.sha256(self.source.data).hexdigest(), self.corpus, self.owner)


@dataclass
class Transcript:
    """What taro was told, in order; ids that are drawn anew each time by the order in which they appear."""

    replies: list[tuple[str, str, int, str]] = field(default_factory=list)
    ids: dict[str, str] = field(default_factory=dict)

    async def ask(self, client: httpx.AsyncClient, call: Call) -> Any:
        """The reply as data, where it is."""
        operation, method, path, rest = call
        reply = await client.request(method, path, **rest)
        if operation == "ask":  # its wait may end before there is an answer
            reply = await answered(client, reply)
        text = self._without_chance(reply.text)
        self.replies.append((operation, self._without_chance(f"{path} {rest}"), reply.status_code, text))
        return reply.json() if "json" in reply.headers["content-type"] else None

    def _without_chance(self, text: str) -> str:
        text = ID.sub(lambda reply: self.ids.setdefault(reply[0], f"id {len(self.ids)}"), text)
        if text.startswith(("id:", "event:")):  # steps are noted beside each other: the last is the end
            text = text.rpartition("data: ")[2]
        text = SERVER.sub("server", HOME.sub("home", TIME.sub("then", text)))
        return CHANCE.sub(r'"\1":0', text)


texts = st.one_of(
    st.lists(st.sampled_from(WORDS), min_size=3, max_size=40).map("".join), st.sampled_from([OWN, GRANTED])
)
foreign_documents = st.lists(
    st.builds(
        lambda where, *rest: ForeignDocument(*where, *rest),
        st.sampled_from(FOREIGN),
        st.sampled_from(["r2.txt", "memo.md", "密.txt"]),
        st.lists(texts, min_size=1, max_size=6).map(tuple),
        st.sampled_from(["課", "密"]),
        st.booleans(),
        st.sampled_from([None, None, False, True]),
    ),
    min_size=1,
    max_size=4,
)


SECRET = ForeignDocument(
    "hanako", "diary", "日記.txt", ("決定係数の日記。", "暗証は薔薇の名前である。"), "密", True, None
)
OTHERS = [
    # what is near to taro's own and to what is granted, under the same names, before and after
    ForeignDocument("hanako", "notes", "memo.md", (OWN, GRANTED, "決定係数" * 9), "課", True, None),
    ForeignDocument("jiro", "papers", "r2.txt", (GRANTED, OWN), "密", False, None),
    ForeignDocument("local", "default", "密.txt", ("図書館の標本は統計の値。", OWN), "課", False, False),
    ForeignDocument("jiro", "papers", "memo.md", ("残差の値の残差。", "標本" * 20), "課", True, True),
]
HIDDEN: Names = {
    "document": SECRET.document_id,
    "removed": SECRET.document_id,
    "file": SECRET.name,
    "corpus": "diary@hanako",
    "passage": make_passage_id(SECRET.document_id, 0, len(SECRET.paragraphs[0])),
}
INVENTED: Names = {kind: name[:-4] + "0f0f" for kind, name in HIDDEN.items()} | {"corpus": "果樹@hanako"}


class FoundPages(dict[tuple[str, str, int], Serp]):
    """Result pages, without a hit for every other query."""

    def get(self, key: Any, default: Any = None) -> Any:
        return super().get(key, serp([], more=False))


@asynccontextmanager
async def open_shared(
    folder: Path, kind: str, embedder: str
) -> AsyncIterator[tuple[Library, httpx.AsyncClient]]:
    """A working server, and a client of taro's."""
    articles = small_web([1])
    challenged = {("memory", RIDDLE, 1): challenge()}
    web = MemoryWeb({**articles.pages, "https://a.example/": 404}, FoundPages(articles.serps | challenged))
    with shared_server().fresh() if kind == "postgres" else nullcontext("") as url:
        async with (
            open_library(home=folder, store=url, embedder=embedder, web_access=way(web)) as library,
            library.working(1),
            served(library.for_owner("taro")) as taro,
        ):
            yield library, taro


async def add_foreign(library: Library, documents: Sequence[ForeignDocument]) -> None:
    for document in documents:
        owner = library.for_owner(document.owner)
        receipt = await owner.documents.add_source(document.source, document.corpus)
        assert receipt.document_id == document.document_id
        if document.is_purged is not None:
            await owner.documents.remove(document.document_id, purge=document.is_purged)
    await library.embeddings.embed()


async def upload(taro: httpx.AsyncClient, name: str, text: str) -> str:
    """The id of a document that was handed over and taken in."""
    sent = (await taro.post("/documents/upload", params={"name": name}, content=text.encode())).json()
    await finished(taro, sent["task_id"])
    documents = (await taro.get("/documents")).json()["documents"]
    return next(str(document["id"]) for document in documents if document["source"] == name)


async def live(library: Library, taro: httpx.AsyncClient, foreign: Sequence[ForeignDocument]) -> Transcript:
    """What taro is told in a library with such documents of others."""
    transcript = Transcript()
    await add_foreign(library, [document for document in foreign if document.is_early])
    hanako = library.for_owner("hanako")
    await hanako.documents.add_source(Source("r2.txt", f"{GRANTED}\n\n{OWN}".encode()), "papers")
    await builder_of(library).stores.grants.grant(CorpusKey("hanako", "papers"), TARO, Access.READ)
    names = await furnish(library, taro, transcript)
    await add_foreign(library, [document for document in foreign if not document.is_early])
    for call in calls_of(names):
        await transcript.ask(taro, call)
        if EFFECTS.get(call[0]):  # nothing may be under way when the next is asked
            await finished(taro, names["task"])
    return transcript


async def furnish(library: Library, taro: httpx.AsyncClient, transcript: Transcript) -> Names:
    """One of each thing that taro can name."""
    many = [f"# 第{at}回\n\n{WORDS[at % 7]}の第{at}回。{WORDS[at % 5] * (1 + at % 9)}。" for at in range(60)]
    document = await upload(taro, "memo.md", "\n\n".join([OWN, *many]))
    removed = await upload(taro, "gone.txt", "消した統計。")
    await library.embeddings.embed()
    answers = [await transcript.ask(taro, ask_documents(question)) for question in QUESTIONS]
    answer = answers[0]
    (first, *_) = (await taro.get("/conversations")).json()["conversations"]
    session = (await taro.post("/sessions", json={"question": QUESTIONS[0]})).json()["session_id"]
    for question in QUESTIONS:
        await transcript.ask(taro, search_passages(question, session_id=session))
    reply = await transcript.ask(taro, search_passages(QUESTIONS[0]))
    tasks = [
        (await taro.post("/searches", json={"queries": [query]})).json()["task_id"]
        for query in (QUERY, RIDDLE)
    ]
    for task in tasks:
        await finished(taro, task)
    (waiting,) = (await taro.get("/auth")).json()["waiting"]
    await taro.delete(f"/documents/{removed}")
    return {
        "document": document,
        "removed": removed,
        "file": "memo.md",
        "corpus": "papers@hanako",
        "answer": answer["answer_id"],
        "evidence": answer["answer"]["evidence"][0]["id"],
        "conversation": first["conversation_id"],
        "passage": reply["passages"][0]["passage"],
        "session": session,
        "task": tasks[0],
        "waiting": waiting["id"],
        "domain": waiting["domain"],
    }


def ask_documents(question: str) -> Call:
    return "ask", "POST", "/answers", {"json": {"question": question, "sources": "documents", "wait": 50}}


def search_passages(words: str, **more: Any) -> Call:
    return "search_corpus", "POST", "/passages/search", {"json": {"keyword_query": [words], **more}}


def wait_for_answers(call: Call) -> Call:
    """Whether an answer comes at once is chance."""
    operation, method, path, rest = call
    body = rest.get("json")
    if operation != "ask" or body is None:
        return call
    return operation, method, path, {**rest, "json": {**body, "wait": 50}}


def calls_of(names: Names) -> Sequence[Call]:
    """What names the foreign document, then what names taro's own things."""
    own = [wait_for_answers(call) for call in calls(names)]
    named_hidden = [wait_for_answers(call) for call in calls(names | HIDDEN)]
    hidden = [call for call in named_hidden if call not in own]
    searches = [
        search_passages(text, **more)
        for text in (*QUESTIONS, "暗証は薔薇")
        for more in ({}, {"vector_query": text}, {"filters": {"課": "統計"}})
    ]
    return [*hidden, *searches, *sorted(own, key=lambda call: EFFECTS.get(call[0], 0))]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["embedded", *(["postgres"] if LONG else [])])
def test_foreign_documents_change_no_reply(kind: str, tmp_path: Path) -> None:
    """Some 7 s of CPU on each database: two libraries are filled, and asked everything."""
    embedder = str(static_folder(tmp_path / "embedder", 1)) if kind == "embedded" or has_vectors() else "none"
    homes = (tmp_path / f"home {number}" for number in itertools.count())

    async def tell(foreign: Sequence[ForeignDocument], *, has_all: bool = False) -> Transcript:
        async with open_shared(next(homes), kind, embedder) as (library, taro):
            transcript = await live(library, taro, foreign)
            if has_all:
                schema = (await taro.get("/openapi.json")).json()["paths"]
                operations = {row["operationId"] for path in schema.values() for row in path.values()}
                assert {reply[0] for reply in transcript.replies} == operations - OF_THE_MACHINE
            return transcript

    alone = asyncio.run(tell([], has_all=True))

    @settings(max_examples=30, phases=list(Phase) if LONG else [Phase.explicit], deadline=None, database=None)
    @given(foreign_documents)
    @example(OTHERS)
    def holds(documents: Sequence[ForeignDocument]) -> None:
        transcript = asyncio.run(tell([SECRET, *documents]))
        for alone_reply, reply in zip(alone.replies, transcript.replies, strict=True):
            assert alone_reply == reply
        assert not any("薔薇の" in text for *_, text in transcript.replies)

    holds()


@contextmanager
def statements_of(kind: str, noted: list[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """While it is entered, what every connection that is opened is asked, in order."""
    if kind == "postgres":
        execute = psycopg.Connection.execute

        def noting(connection: Any, query: Any, *more: Any, **rest: Any) -> Any:
            noted.append(str(query))
            return execute(connection, query, *more, **rest)

        monkeypatch.setattr(psycopg.Connection, "execute", noting)
        yield
        return

    def note(event: Mapping[str, Any]) -> None:
        if not event["sql"].startswith("pragma"):  # of a connection that is new
            noted.append(event["sql"])

    def listen(connection: apsw.Connection) -> None:
        connection.trace_v2(apsw.SQLITE_TRACE_STMT, note)

    apsw.connection_hooks.append(listen)
    yield
    apsw.connection_hooks.remove(listen)


def transactions_of(statements: list[str]) -> list[list[str]]:
    """Without those that note the server's time: they come every two seconds, whoever asks for what."""
    transactions: list[list[str]] = []
    for statement in statements:
        if statement.startswith("BEGIN") or not transactions:
            transactions.append([])
        transactions[-1].append(statement)
    return [each for each in transactions if not any("timeline" in statement for statement in each)]


@pytest.mark.parametrize("kind", ["embedded", "postgres"])
async def test_what_may_not_be_read_is_refused_by_the_same_statements_as_what_is_not_there(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No step more or less, by whose time one could tell which it is."""
    names = dict.fromkeys(
        ("answer", "evidence", "conversation", "session", "task", "waiting", "domain"), "none"
    )
    noted: list[str] = []
    with (
        statements_of(kind, noted, monkeypatch),
        shared_server().fresh() if kind == "postgres" else nullcontext("") as url,
    ):
        async with (
            open_library(home=tmp_path, store=url, embedder="none") as library,
            served(library.for_owner("taro")) as taro,
        ):
            await add_foreign(library, [SECRET])
            both = zip(calls(names | HIDDEN), calls(names | INVENTED), strict=True)
            pairs = [pair for pair in both if pair[0] != pair[1]]
            await taro.post(
                "/passages/search", json={"keyword_query": [WORDS[0]]}
            )  # the index takes in what came
            steps: list[tuple[str, list[list[str]]]] = []
            for call in itertools.chain.from_iterable(pairs):
                noted.clear()
                await taro.request(call[1], call[2], **call[3])
                steps.append((call[0], transactions_of(noted)))
    assert sum(bool(transactions) for _, transactions in steps) > 40
    for hidden, invented in zip(steps[::2], steps[1::2], strict=True):
        assert hidden == invented
