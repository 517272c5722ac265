"""Reports by a played model over HTTP: whole, stopped, killed, failing and out of budget."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from shisho.domain.answer_news import StepTaken
from shisho.domain.inquiry import Answer, AnswerHeading, AnswerLevel, AnswerList, LoopStop
from shisho.errors import InvalidParams
from shisho.testing.model_providers import ProviderReply, ProviderRequest
from tests.flows.conftest import Shell
from tests.flows.report_model import REQUEST, TOPICS, TOWNS, name_kind, open_report_library, play


def list_headings(answer: Answer) -> list[str]:
    return [block.text for block in answer.blocks if isinstance(block, AnswerHeading)]


def count_shapes(requests: list[ProviderRequest]) -> dict[str, int]:
    kinds = [name_kind(request) for request in requests]
    return {kind: kinds.count(kind) for kind in dict.fromkeys(kinds)}


async def test_a_report_has_its_sections_sources_and_coverage(tmp_path: Path) -> None:
    async with open_report_library(tmp_path) as (library, provider):
        estimate = library.questions.estimate_report(sections=4)
        answer = await library.questions.ask(REQUEST, kind="report", sections=4)
        assert await library.questions.get(answer.id) == answer
        replayed = await library.questions.replay(answer.id)
        (named,) = [
            document for document in await library.documents.list() if document.title == "Budget of Ashby"
        ]
    assert replayed.is_same, replayed.differences
    assert list_headings(answer) == [
        "Introduction",
        *TOPICS,
        "Conclusion",
        "What was read",
        "Cited documents",
    ]
    assert answer.level is AnswerLevel.ANSWERED and answer.loop_stop is LoopStop.CONDITION_MET
    assert len({row.document_id for row in answer.evidence}) >= 8
    numbers = {row.number for row in answer.evidence}
    assert all(sentence.evidence and numbers.issuperset(sentence.evidence) for sentence in answer.sentences)
    sources = answer.blocks[-1]
    assert isinstance(sources, AnswerList) and {item.text for item in sources.items} == {
        row.title for row in answer.evidence
    }
    assert not {item.text for item in sources.items} & {sentence.text for sentence in answer.sentences}
    assert all(f"“Budget of {town}”" in answer.text for town in TOWNS)
    assert len(provider.requests) == answer.budget_used["model_calls"] <= estimate.max_model_calls
    assert named.id in {row.document_id for row in answer.evidence}


async def test_a_purge_takes_the_title_out_of_the_list_of_unread_documents(tmp_path: Path) -> None:
    """The report does not quote the document."""
    other = tmp_path / "The secret of the vicar.md"
    other.write_text("# The secret of the vicar\n\nNobody has seen the cat since Tuesday.", "utf-8")
    async with open_report_library(tmp_path) as (library, _):
        async for _ in library.documents.add(other):
            pass
        (document,) = [each for each in await library.documents.list() if "vicar" in each.title]
        answer = await library.questions.ask(REQUEST, kind="report", sections=4)
        assert "Not read (1): “The secret of the vicar”" in answer.text
        await library.documents.remove(document.id, purge=True)
        left = await library.questions.get(answer.id)
        await library.backup(tmp_path / "after.db")
    assert "vicar" not in left.text and "Not read (1)" in left.text
    assert list_headings(left) == list_headings(answer) and left.sentences == answer.sentences
    assert b"vicar" not in (tmp_path / "after.db").read_bytes()


async def test_ten_sections_take_sixty_calls_at_most(tmp_path: Path) -> None:
    """Every section is read twice, and every text needs a judge."""

    def restless(request: ProviderRequest) -> ProviderReply:
        kind = name_kind(request)
        reply = json.loads(play(request).text)
        if kind == "sections":
            reply["sections"] = [
                {"heading": f"{topic} {part}", "questions": [f"What do the councils pay for the {topic}?"]}
                for part in ("first", "second", "third")
                for topic in TOPICS
            ]
        elif kind == "findings":
            reply["status"] = "CONTINUE"
            reply["goals"] = [{**goal, "state": "partial"} for goal in reply["goals"]]
        elif kind == "blocks":
            for sentence in reply["blocks"][0]["sentences"]:
                sentence["text"] = sentence["text"].replace("The council", "Each year the council", 1)
        elif kind == "verdicts":
            count = request.text.count(" end of sentence ")
            reply["verdicts"] = [{"sentence": n, "verdict": "supported"} for n in range(1, count + 1)]
        return ProviderReply(json.dumps(reply))

    async with open_report_library(tmp_path, restless) as (library, provider):
        assert library.questions.estimate_report(sections=10).max_model_calls <= 60
        answer = await library.questions.ask(REQUEST, kind="report", sections=10)
    shapes = count_shapes(provider.requests)
    assert shapes["sections"] == 1 and shapes["blocks"] == 10 and shapes["introduction"] == 1
    assert shapes["findings"] > 10 and shapes["verdicts"] >= 10
    assert len(provider.requests) <= 60
    assert len([heading for heading in list_headings(answer) if heading.startswith(TOPICS)]) == 10


async def test_a_stopped_report_comes_back_and_goes_on_with_the_next_section(tmp_path: Path) -> None:
    async with open_report_library(tmp_path) as (library, provider):
        sections: list[int] = []

        def note(news: object) -> None:
            if isinstance(news, StepTaken) and news.node == "section":
                sections.append(news.step)

        stopped = await library.questions.ask(
            REQUEST, kind="report", sections=4, notify=note, stop=lambda: len(sections) >= 2
        )
        before = count_shapes(provider.requests)
        whole = await library.questions.resume(stopped.task_id)
        after = count_shapes(provider.requests)
    assert stopped.loop_stop is LoopStop.STOPPED and before["blocks"] == 2
    assert list_headings(stopped) == [*TOPICS[:2], "What was read", "Cited documents"]
    assert all(f"“{topic}”" in stopped.text for topic in TOPICS[2:]), "says which sections are open"
    assert after["blocks"] == 4 and after["sections"] == 1, "finished sections are not written again"
    assert set(TOPICS) < set(list_headings(whole)) and whole.loop_stop is LoopStop.CONDITION_MET


async def test_a_killed_report_is_resumed_from_its_record(tmp_path: Path) -> None:
    class Killed(BaseException):
        """Stands for the end of the process."""

    def fall(news: object) -> None:
        if isinstance(news, StepTaken) and news.node == "section" and news.step > 8:
            raise Killed

    async with open_report_library(tmp_path) as (library, provider):
        with pytest.raises(Killed):
            await library.questions.ask(REQUEST, kind="report", sections=4, notify=fall)
        before = count_shapes(provider.requests)
    async with open_report_library(tmp_path) as (library, provider):
        answer = await library.questions.resume("last")
        after = count_shapes(provider.requests)
    assert before["blocks"] == 2 and after["blocks"] == 2 and "sections" not in after
    assert set(TOPICS) < set(list_headings(answer))


@pytest.mark.parametrize("is_away", [False, True], ids=["nonsense", "away"])
async def test_a_section_that_fails_stops_no_other(tmp_path: Path, is_away: bool) -> None:
    def fail_once(request: ProviderRequest) -> ProviderReply:
        if name_kind(request) == "blocks" and f"Write the section: {TOPICS[1]}" in request.text:
            return ProviderReply("", status=503) if is_away else ProviderReply("no JSON")
        return play(request)

    async with open_report_library(tmp_path, fail_once) as (library, _):
        answer = await library.questions.ask(REQUEST, kind="report", sections=4)
    headings = list_headings(answer)
    assert set(TOPICS) < set(headings) and "Introduction" in headings
    assert answer.passages, "the section that no model could write quotes its passages"
    assert f"passages are quoted: “{TOPICS[1]}”" in answer.text


async def test_a_model_that_goes_away_leaves_what_was_written(tmp_path: Path) -> None:
    written: list[str] = []

    def leave(request: ProviderRequest) -> ProviderReply:
        written.append(name_kind(request))
        return play(request) if written.count("blocks") < 2 else ProviderReply("", status=401)

    async with open_report_library(tmp_path, leave) as (library, _):
        answer = await library.questions.ask(REQUEST, kind="report", sections=4)
    assert list_headings(answer)[0] == TOPICS[0], "neither introduction nor conclusion"
    assert "Introduction and conclusion were not written." in answer.text
    assert any("key" in block.text for block in answer.blocks if block.kind == "note"), "why"


async def test_words_that_no_quotation_says_do_not_get_through(tmp_path: Path) -> None:
    def invent(request: ProviderRequest) -> ProviderReply:
        reply = json.loads(play(request).text)
        lie: dict[str, Any] = {
            "text": "The mayor of Atlantis pays for the harbour with pearls.",
            "cites": [999],
        }
        if name_kind(request) == "blocks":
            reply["blocks"][0]["sentences"].append(lie)
        elif name_kind(request) == "introduction":
            reply["introduction"].append(lie)
        elif name_kind(request) == "sections":
            reply["sections"].insert(0, {"heading": "See www.pearls.example now", "questions": []})
            reply["sections"].insert(0, {"heading": "Comets", "questions": ["Why do comets glow?"]})
        return ProviderReply(json.dumps(reply))

    async with open_report_library(tmp_path, invent) as (library, _):
        answer = await library.questions.ask(REQUEST, kind="report", sections=4)
    assert "Atlantis" not in answer.text and "pearls" not in answer.text
    assert "Comets" not in answer.text, "neither the request nor the library has a word of it"
    assert set(TOPICS) < set(list_headings(answer))


async def test_a_section_without_evidence_is_named_as_open(tmp_path: Path) -> None:
    def look_in_vain(request: ProviderRequest) -> ProviderReply:
        if name_kind(request) == "findings" and f"pay for the {TOPICS[2]}?" in request.text:
            return ProviderReply(json.dumps({"findings": [], "goals": [], "status": "CONTINUE"}))
        return play(request)

    async with open_report_library(tmp_path, look_in_vain) as (library, _):
        answer = await library.questions.ask(REQUEST, kind="report", sections=4)
    assert TOPICS[2] not in list_headings(answer)
    assert f"Nothing was found for these sections: “{TOPICS[2]}”." in answer.text
    assert answer.missing == (f"What do the councils pay for the {TOPICS[2]}?",)
    assert answer.loop_stop is LoopStop.STAGNATION, "why the search for that section ended"
    assert answer.level is AnswerLevel.PARTIAL and not answer.abstained


async def test_a_report_with_an_incomplete_section_is_partial(tmp_path: Path) -> None:
    def leave_open(request: ProviderRequest) -> ProviderReply:
        reply = play(request)
        if name_kind(request) != "findings" or f"pay for the {TOPICS[1]}?" not in request.text:
            return reply
        data = json.loads(reply.text)
        goals = [{**goal, "state": "partial", "missing": "one town"} for goal in data["goals"]]
        return ProviderReply(json.dumps({**data, "goals": goals, "status": "CONTINUE"}))

    async with open_report_library(tmp_path, leave_open) as (library, _):
        answer = await library.questions.ask(REQUEST, kind="report", sections=4)
    assert set(TOPICS) < set(list_headings(answer))
    assert answer.level is AnswerLevel.PARTIAL
    assert [row.met for row in answer.goal_status] == [True, False, True, True]
    assert answer.loop_stop is LoopStop.ROUNDS, "why the search for the incomplete section ended"
    assert f"complete: “What do the councils pay for the {TOPICS[1]}?”" in answer.text


async def test_a_report_without_any_text_names_every_section_as_missing(tmp_path: Path) -> None:
    def look_in_vain(request: ProviderRequest) -> ProviderReply:
        if name_kind(request) == "findings":
            return ProviderReply(json.dumps({"findings": [], "goals": [], "status": "CONTINUE"}))
        return play(request)

    async with open_report_library(tmp_path, look_in_vain) as (library, provider):
        answer = await library.questions.ask(REQUEST, kind="report", sections=4)
    assert len(answer.goal_status) == 4
    assert answer.level in (AnswerLevel.RELATED, AnswerLevel.NOTHING) and answer.abstained
    assert not [request for request in provider.requests if name_kind(request) == "introduction"]


async def test_a_short_report_says_how_short_it_is(tmp_path: Path) -> None:
    async with open_report_library(tmp_path, towns=TOWNS[:3]) as (library, provider):
        answer = await library.questions.ask(REQUEST, kind="report", sections=4, words=2_000)
    assert "2,000 were requested" in answer.text
    asked = [request for request in provider.requests if name_kind(request) == "blocks"]
    assert all("at least 530 words" in request.text + request.instructions for request in asked)


async def test_a_budget_that_is_too_low_is_refused_before_anything_is_asked(tmp_path: Path) -> None:
    async with open_report_library(tmp_path, towns=TOWNS[:1]) as (library, provider):
        with pytest.raises(InvalidParams, match="A report of 6 sections needs about 22 model calls"):
            await library.questions.ask(REQUEST, kind="report", budget={"max_model_calls": 10})
        with pytest.raises(InvalidParams, match="sections must be 2 to 12"):
            await library.questions.ask(REQUEST, kind="report", sections=30)
        with pytest.raises(InvalidParams, match="written from your documents"):
            await library.questions.ask(REQUEST, kind="report", sources="web")
        assert not provider.requests


async def test_without_a_model_a_report_is_refused_in_one_sentence(tmp_path: Path) -> None:
    async with open_report_library(tmp_path, towns=TOWNS[:1], model="none") as (library, _):
        for ask in (library.questions.ask, library.questions.queue):
            with pytest.raises(InvalidParams, match="A report needs a language model, and none is set"):
                options = (
                    {"kind": "report"} if ask == library.questions.ask else {"options": report_options()}
                )
                await ask(REQUEST, **options)


def report_options() -> Any:
    from shisho.domain.requirements import RequestKind, Requirements
    from shisho.domain.task import AskOptions

    return AskOptions(requirements=Requirements(kind=RequestKind.REPORT, sections=4))


async def test_a_report_in_the_queue_is_followed_stopped_and_resumed(tmp_path: Path) -> None:
    async with open_report_library(tmp_path) as (library, provider):
        queued = await library.questions.queue(REQUEST, options=report_options(), wait=0)
        places = []
        async with library.working():
            async for news in library.questions.follow(queued.answer_id):
                place = getattr(news, "section", None)
                if place:
                    places.append((place, news.sections))
                if place == 3:
                    break
            stopped = await library.questions.stop(queued.answer_id)
            assert stopped.answer and stopped.answer.loop_stop is LoopStop.STOPPED
            assert list_headings(stopped.answer)[:2] == list(TOPICS[:2])
            before = count_shapes(provider.requests)["blocks"]
            await library.questions.resume_queued(queued.answer_id)
            whole = await library.questions.wait(queued.answer_id, wait=50)
    assert places == [(1, 4), (2, 4), (3, 4)]
    assert whole.answer and set(TOPICS) < set(list_headings(whole.answer))
    assert count_shapes(provider.requests)["sections"] == 1
    assert count_shapes(provider.requests)["blocks"] - before <= 2


async def test_the_shell_tells_the_cost_and_writes_the_report(tmp_path: Path, shell: Shell) -> None:
    async with open_report_library(tmp_path) as (_, provider):
        shell.home = tmp_path / "home"
        shell.environment |= {
            "SHISHO_HOME": str(shell.home),
            "SHISHO_MODEL": "ollama/m-1",
            "SHISHO_MODEL_URL": provider.build_url("ollama"),
            "SHISHO_MODEL_CONTEXT": "16384",
            "SHISHO_WEB": "off",
        }
        unasked = await asyncio.to_thread(shell.run, "report", REQUEST, "--sections", "4")
        assert unasked.returncode == 2 and "最大24回" in unasked.stderr and "--yes" in unasked.stderr
        assert not provider.requests, "nothing is begun before it is agreed to"
        written = await asyncio.to_thread(shell.run, "report", REQUEST, "--sections", "4", "--yes")
    assert written.returncode == 0, written.stderr
    assert "4節のうち第4節" in written.stderr
    assert all(topic in written.stdout for topic in TOPICS)
    assert all(f"Budget of {town}" in written.stdout for town in TOWNS)
