"""Answers from documents and the web: when the web is asked, what of it, and what comes back when it does not
answer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from shisho.bootstrap.library import open_library
from shisho.domain.answer_news import AnswerStep
from shisho.domain.codec import Payload
from shisho.domain.corpus import Source
from shisho.domain.inquiry import Answer, AnswerLevel, LoopStop
from shisho.domain.job import Claim, JobState, TaskState
from shisho.domain.payloads import AnswerProgress
from shisho.domain.requirements import Requirements
from shisho.domain.task import AskOptions, JobKind, Sources
from shisho.domain.web import ChallengeKind, Serp, SerpHit
from shisho.errors import EmptyCorpus
from shisho.services import Library
from shisho.services.questions import TICK
from shisho.stores.sql.jobs import StoredJobs
from shisho.testing import MemoryWeb
from shisho.web.crawl import visit
from tests.faults.children import LONG
from tests.flows.conftest import SAMPLES
from tests.flows.smallweb import answered, challenge, ended, html, way
from tests.inside import builder_of
from tests.machine import PATIENCE, Stopwatch

R2 = "決定係数とは、回帰モデルの当てはまりのよさを表す指標である。"
R = "相関係数とは、二つの変数の間の線形な関係の強さを表す指標である。"
MORE_R2 = "決定係数とは、目的変数の分散のうち説明変数で説明できる割合をいう。"
SQUARE = "決定係数は、相関係数の二乗に等しい。"  # no definition
TWO = "決定係数と相関係数の違いは何か"
ONE = "決定係数とは何か"
UNKNOWN = "転置索引とは何か"
Opening = Callable[..., AbstractAsyncContextManager[Library]]


def site(name: str, number: int = 1) -> str:
    return f"https://www.{name}.example/page{number}"


def web_of(results: Mapping[str, Sequence[str]], pages: Mapping[str, str]) -> MemoryWeb:
    """`results`: addresses by query, alone and with とは. `pages`: one sentence each."""
    made = MemoryWeb({url: html(url.rpartition("/")[2], sentence) for url, sentence in pages.items()})
    for query, urls in results.items():
        hits = tuple(SerpHit(rank, url, "題") for rank, url in enumerate(urls, 1))
        for text in (query, f"{query} とは"):
            made.serps["memory", text, 1] = Serp("memory", hits, None, no_results=not hits)
    return made


def queries(web: MemoryWeb) -> list[str]:
    """What the engine was asked, in order."""
    return [parse_qs(urlsplit(url).query)["q"][0] for url in web.asked if "/search?" in url]


@pytest.fixture
def opening(tmp_path: Path) -> Opening:
    """A library with a document of each sentence, on a web, with workers unless `slots` is 0."""

    @asynccontextmanager
    async def opened(
        web: MemoryWeb | None, *sentences: str, slots: int = 2, home: str = "home", **settings: Any
    ) -> AsyncIterator[Library]:
        way_there = None if web is None else way(web)
        async with open_library(home=tmp_path / home, web_access=way_there, **settings) as library:
            for number, sentence in enumerate(sentences):
                await library.documents.add_source(
                    Source(f"note{number}.md", f"# 覚書{number}\n\n{sentence}\n".encode())
                )
            if not slots:
                yield library
                return
            async with library.working(slots):
                yield library

    return opened


async def ask(library: Library, question: str, sources: Sources = Sources.AUTO, **limits: float) -> Answer:
    """The answer, which its run comes to again without the web."""
    options = AskOptions(sources=sources, budget=limits)
    answer = await answered(library, await library.questions.queue(question, options=options))
    report = await library.questions.replay(answer.id)
    assert report.is_same, report.differences
    return answer


def list_answered(answer: Answer) -> list[str]:
    """The goals that are answered; for the others what is near may be shown."""
    return [row.goal_id for row in answer.goal_status if row.level is AnswerLevel.ANSWERED]


async def kinds(library: Library, task_id: str) -> list[str]:
    return [job.kind for job in (await library.tasks.list_jobs(task_id)).jobs]


async def test_where_the_documents_suffice_the_web_is_not_asked(opening: Opening) -> None:
    web = web_of({"決定係数": [site("a")]}, {site("a"): MORE_R2})
    async with opening(web, R2) as library:
        answer = await ask(library, ONE)
        assert (
            answer.loop_stop is LoopStop.CONDITION_MET
            and answer.missing == ()
            and answer.budget_used["pages"] == 0
        )
        assert [one.snippet for one in answer.evidence] == [R2] and web.asked == []
        assert await kinds(library, answer.task_id) == [JobKind.ANSWER]


async def test_the_web_is_asked_for_the_goals_that_the_documents_leave_open(opening: Opening) -> None:
    web = web_of({"決定係数": [site("a")], "相関係数": [site("b")]}, {site("a"): MORE_R2, site("b"): R})
    async with opening(web, R2) as library:
        answer = await ask(library, TWO)
        assert sorted(queries(web)) == ["相関係数", "相関係数 とは"] and site("a") not in web.asked
        assert answer.loop_stop is LoopStop.CONDITION_MET and answer.missing == ()
        held = [(one.goal_id, one.snippet, one.source_url, one.round) for one in answer.evidence]
        assert held == [("G1", R2, None, 1), ("G2", R, site("b"), answer.rounds)]
        assert answer.budget_used["pages"] == len(set(web.asked))
        steps = [step.node for step in await builder_of(library).stores.ledger.list_steps(answer.id)]
        assert steps.count("web_fallback") == 1 and steps.index("web_fallback") > steps.index("route")
        jobs = (await library.tasks.list_jobs(answer.task_id)).jobs
        assert [job.priority for job in jobs if job.kind == JobKind.SEARCH] == [10, 10]
        assert next(job.attempt for job in jobs if job.kind == JobKind.ANSWER) == 2, "it was parked once"


async def test_what_is_excluded_is_not_found_on_the_web_either(opening: Opening) -> None:
    """The page is visited again and is the document that was excluded."""
    web = web_of({"決定係数": [site("a"), site("b")]}, {site("a"): MORE_R2, site("b"): R2})
    async with opening(web, R) as library:
        first = await ask(library, ONE, Sources.WEB)
        excluded = next(row for row in first.evidence if row.source_url == site("a"))
        for id_ in (excluded.document_id, excluded.passage_id):
            required = Requirements(exclude_ids=(id_,))
            options = AskOptions(sources=Sources.WEB, requirements=required)
            answer = await answered(library, await library.questions.queue(ONE, options=options))
            assert [row.source_url for row in answer.evidence] == [site("b")], id_


async def test_a_question_to_the_web_alone_does_not_limit_the_next(opening: Opening) -> None:
    web = web_of({"決定係数": [site("a")]}, {site("a"): MORE_R2})
    async with opening(web, R2) as library:
        first = await ask(library, ONE, Sources.WEB)
        assert (await library.conversations.get_context("last")).corpora == ()
        (turn,) = (await library.conversations.get("last")).turns
        assert turn.corpora == ()
        options = AskOptions(sources=Sources.DOCUMENTS, conversation="last")
        second = await answered(library, await library.questions.queue(ONE, options=options))
        assert R2 in [one.snippet for one in second.evidence]
        assert R2 not in [one.snippet for one in first.evidence]


@pytest.mark.parametrize(("document", "page"), [(R2, SQUARE), (SQUARE, R2)])
async def test_both_is_one_ranking_over_documents_and_pages(
    document: str, page: str, opening: Opening
) -> None:
    web = web_of({"決定係数": [site("a")]}, {site("a"): page})
    async with opening(web, document) as library:
        answer = await ask(library, ONE, Sources.BOTH)
        assert {(one.snippet, one.source_url) for one in answer.evidence} == {
            (document, None),
            (page, site("a")),
        }
        assert max(answer.evidence, key=lambda one: one.score).snippet == R2
        assert answer.rounds == 1 and [one.round for one in answer.evidence] == [1, 1]
        assert [step.node for step in await builder_of(library).stores.ledger.list_steps(answer.id)][
            1
        ] == "web_fallback"


async def test_web_is_pages_alone(opening: Opening) -> None:
    web = web_of({"決定係数": [site("a")]}, {site("a"): MORE_R2})
    async with opening(web, R2) as library:
        answer = await ask(library, ONE, Sources.WEB)
        assert [one.source_url for one in answer.evidence] == [site("a")]


async def test_no_search_is_queued_that_no_further_engine_could_run(opening: Opening) -> None:
    web = web_of({"転置索引": [site("a")]}, {site("a"): R2})
    async with opening(web) as library:
        answer = await ask(library, UNKNOWN, Sources.WEB)
        assert answer.missing == (UNKNOWN,)
        jobs = (await library.tasks.list_jobs(answer.task_id)).jobs
        assert [job.state for job in jobs] == [JobState.COMPLETED] * 3


async def test_documents_are_documents_alone(opening: Opening) -> None:
    web = web_of({"決定係数": [site("a")]}, {site("a"): MORE_R2})
    async with opening(web, R) as library:
        answer = await ask(library, ONE, Sources.DOCUMENTS)
        assert answer.abstained and answer.missing == (ONE,) and web.asked == []


async def test_an_empty_library_goes_to_the_web_by_itself(opening: Opening) -> None:
    web = web_of({"決定係数": [site("a")]}, {site("a"): MORE_R2})
    async with opening(web) as library:
        answer = await ask(library, ONE)
        assert [one.source_url for one in answer.evidence] == [site("a")]


async def test_a_named_corpus_is_widened_by_the_web_and_by_nothing_else(opening: Opening) -> None:
    web = web_of({"相関係数": [site("b")]}, {site("b"): R})
    async with opening(web) as library:
        await library.documents.add_source(Source("mine.md", R2.encode()), "mine")
        await library.documents.add_source(
            Source("theirs.md", "相関係数とは、関係の強さを表すものである。".encode()), "theirs"
        )
        asked = await library.questions.queue(TWO, options=AskOptions(corpora=("mine",)))
        answer = await answered(library, asked)
        assert [one.document for one in answer.evidence] == ["mine.md", site("b")]


@pytest.mark.parametrize("sources", [Sources.AUTO, Sources.BOTH])
async def test_a_corpus_that_is_not_there_is_not_answered_from_the_web(
    sources: Sources, opening: Opening
) -> None:
    """It is a name that was mistyped, where the library has others."""
    web = web_of({"相関係数": [site("b")]}, {site("b"): R})
    async with opening(web) as library:
        await library.documents.add_source(Source("mine.md", R2.encode()), "mine")
        with pytest.raises(EmptyCorpus, match="mein"):
            await library.questions.queue(TWO, options=AskOptions(corpora=("mein",), sources=sources))
        assert web.asked == []


async def test_who_filters_means_documents(opening: Opening) -> None:
    web = web_of({"相関係数": [site("b")]}, {site("b"): R})
    async with opening(web) as library:
        await library.documents.add_source(Source("notes.md", R2.encode(), metadata={"課": "統計学"}))
        asked = await library.questions.queue(TWO, options=AskOptions(filters={"課": "統計学"}))
        answer = await answered(library, asked)
        assert answer.missing == ("相関係数とは何か",) and web.asked == []


@pytest.mark.parametrize(
    ("question", "said"),
    [(UNKNOWN, "ウェブは検索していません"), ("What is an inverted index?", "the web was not searched")],
)
async def test_without_a_way_to_the_web_the_answer_says_so(
    opening: Opening, question: str, said: str
) -> None:
    async with opening(None, R2) as library:
        answer = await ask(library, question)
        assert answer.abstained and answer.missing[0] == question and answer.missing[1].startswith(said)
        assert said in answer.text and len(answer.missing) == 2
        assert (await ask(library, ONE)).missing == (), "nothing is missing where the documents suffice"


async def test_a_search_that_fails_is_told_and_what_is_there_is_the_answer(opening: Opening) -> None:
    web = web_of({"相関係数": []}, {})
    for text in ("相関係数", "相関係数 とは"):
        web.serps["memory", text, 1] = challenge(ChallengeKind.BLOCKED)
    async with opening(web, R2) as library:
        answer = await ask(library, TWO)
        assert list_answered(answer) == ["G1"]
        assert answer.missing[0] == "相関係数とは何か" and all(
            "のウェブ検索" in why for why in answer.missing[1:]
        )
        assert any("失敗しました(" in why for why in answer.missing) and all(
            why in answer.text for why in answer.missing
        )


async def test_a_person_is_awaited_and_the_answer_is_not(opening: Opening) -> None:
    web = web_of({"相関係数": []}, {})
    for text in ("相関係数", "相関係数 とは"):
        web.serps["memory", text, 1] = challenge()
    async with opening(web, R2) as library:
        answer = await ask(library, TWO)
        assert list_answered(answer) == ["G1"] and answer.missing[0] == "相関係数とは何か"
        assert (
            all("人の確認を待っています(memory.example)" in why for why in answer.missing[1:])
            and len(answer.missing) == 3
        )
        held = await library.tasks.get_status(answer.task_id, wait=0)
        assert held.status is TaskState.WAITING and len(held.waiting_for) == 2


@pytest.mark.slow
async def test_the_deadline_holds_whatever_the_web_does(
    opening: Opening, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(visit, "TOTAL_S", 10 * PATIENCE)  # beside busy processes the deadline may be later
    pages = {site("a"): MORE_R2, site("b"): R}
    async with opening(web_of({"決定係数": [site("a")]}, pages), home="measured") as library:
        with Stopwatch() as watch:
            await ask(library, ONE)
    web = web_of({"決定係数": [site("a")], "相関係数": [site("b")]}, pages)
    web.held[site("b")] = asyncio.Event()
    async with opening(web, slots=4) as library:
        enough = 3 + 4 * watch.seconds  # for the page that is not held
        with Stopwatch() as waiting:
            answer = await ask(library, TWO, max_seconds=enough)
        assert waiting.undisturbed < 2 * enough
        assert list_answered(answer) == ["G1"]
        assert answer.missing[0] == "相関係数とは何か" and "時間" in answer.missing[1]
        web.held[site("b")].set()
        held, _ = await ended(library, answer.task_id)
        assert held.status is TaskState.COMPLETED
        assert (await ask(library, TWO)).loop_stop is LoopStop.CONDITION_MET, (
            "what came later is there for the next question"
        )


async def test_news_of_an_answer_come_in_the_order_of_its_steps(
    opening: Opening, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = StoredJobs.report

    async def report_odd_ones_later(jobs: StoredJobs, claim: Claim, progress: Payload) -> None:
        await asyncio.sleep(0.05 * (progress.read(AnswerProgress).step % 2))
        await report(jobs, claim, progress)

    monkeypatch.setattr(StoredJobs, "report", report_odd_ones_later)
    async with opening(None, R2) as library:
        answer = await ask(library, ONE, Sources.DOCUMENTS)
        steps = [
            news.step async for news in library.questions.follow(answer.id) if isinstance(news, AnswerStep)
        ]
    taken = [step for step in steps if step]
    assert taken == sorted(taken) and len(taken) > 3


async def test_an_answer_is_given_when_its_job_has_ended(
    opening: Opening, monkeypatch: pytest.MonkeyPatch
) -> None:
    for verb in ("finish", "finish_and_claim"):
        monkeypatch.setattr(StoredJobs, verb, delay(getattr(StoredJobs, verb)))
    web = web_of({"決定係数": [site("a")]}, {site("a"): MORE_R2})
    async with opening(web, R2, slots=0) as library:
        answer = await library.questions.ask(ONE, sources=Sources.AUTO)
        states = [job.state for job in (await library.tasks.list_jobs(answer.task_id)).jobs]
        assert states == [JobState.COMPLETED]


def delay(verb: Callable[..., Coroutine[Any, Any, Any]]) -> Callable[..., Coroutine[Any, Any, Any]]:
    """The verb, begun later than who follows an answer looks again."""

    async def delayed(*given: Any) -> Any:
        await asyncio.sleep(3 * TICK)
        return await verb(*given)

    return delayed


@pytest.mark.slow
@pytest.mark.parametrize("slots", [1, 2])
async def test_four_questions_to_the_web_at_once(opening: Opening, slots: int) -> None:
    names = ["決定係数", "相関係数", "残差", "分散"]
    pages = {
        site(f"s{n}"): f"{name}とは、{n}番目に説明される統計学の量である。" for n, name in enumerate(names)
    }
    web = web_of({name: [site(f"s{n}")] for n, name in enumerate(names)}, pages)
    web.held = {url: asyncio.Event() for url in pages}
    async with opening(web, slots=slots) as library:
        asking = [asyncio.create_task(ask(library, f"{name}とは何か", Sources.WEB)) for name in names]

        async def let_go(url: str) -> None:
            await web.reached[url].wait()
            web.held[url].set()

        await asyncio.gather(*map(let_go, pages))
        for n, answer in enumerate(await asyncio.gather(*asking)):
            assert site(f"s{n}") in {one.source_url for one in answer.evidence}
            jobs = (await library.tasks.list_jobs(answer.task_id)).jobs
            assert [job.state for job in jobs] == [JobState.COMPLETED] * 3


@pytest.mark.parametrize("most", [0, 1, 3, *([2, 5, 8] if LONG else [])])
async def test_no_more_pages_than_the_task_allows(opening: Opening, most: int) -> None:
    pages = {site(f"s{n}"): f"決定係数の話の{n}番目である。" for n in range(9)}
    web = web_of({"決定係数 求め方": list(pages)}, pages)
    async with opening(web, R) as library:
        task = await library.tasks.create(UNKNOWN, budget={"max_pages": most})
        asked = await library.questions.queue("決定係数の求め方は何か", task_id=task)
        answer = await answered(library, asked)
        assert len(web.asked) <= most
        held = await library.tasks.get_status(task, wait=0)
        assert held.spent.get("pages", 0) <= most
        assert "ウェブ検索は途中で終わりました" in answer.text


async def test_the_questions_own_ceiling_holds_too(opening: Opening) -> None:
    pages = {site(f"s{n}"): f"決定係数の話の{n}番目である。" for n in range(9)}
    web = web_of({"決定係数 求め方": list(pages)}, pages)
    async with opening(web) as library:
        answer = await ask(library, "決定係数の求め方は何か", Sources.WEB, max_pages=4)
        assert len(web.asked) <= 4 and answer.budget_used["pages"] <= 4 and answer.missing


async def test_seconds_are_the_tasks_too(opening: Opening) -> None:
    web = web_of({"決定係数": [site("a")]}, {site("a"): MORE_R2})
    async with opening(web) as library:
        task = await library.tasks.create(ONE, budget={"max_seconds": 0.0001})
        options = AskOptions(sources=Sources.WEB)
        answer = await answered(library, await library.questions.queue(ONE, task_id=task, options=options))
        assert answer.abstained and answer.rounds <= 1


async def test_a_pdf_page_and_a_web_page_in_one_answer_each_open_on_their_span(opening: Opening) -> None:
    sentence = "転置索引とは、語から文書を引く表 - 例えば a, b & c - である。"
    web = web_of({"転置索引": [site("b")]}, {site("b"): sentence})
    async with opening(web) as library:
        pdf = SAMPLES / "01-regression.pdf"
        assert [one.outcome async for one in library.documents.add(pdf)] == ["added"]
        answer = await ask(library, "決定係数が0に近いとき何を意味するか、また、転置索引とは何か")
        of_pdf = [one for one in answer.evidence if one.goal_id == "G1"]
        (of_page,) = [one for one in answer.evidence if one.goal_id == "G2"]
        assert of_pdf and all(one.link == f"{pdf.resolve().as_uri()}#page={one.page}" for one in of_pdf)
        address, _, directive = of_page.link.partition("#:~:")
        assert address == site("b") == of_page.source_url and unquote(directive) == f"text={of_page.snippet}"
        assert not set("-,&") & set(directive.removeprefix("text="))
        exported = await library.exports.render(answer.id, "md")
        assert f"<{of_page.link}>" in exported and f"<{pdf.name}#page={of_pdf[0].page}>" in exported
