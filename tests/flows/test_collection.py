"""Questions about a whole collection, asked as people ask them: counted, listed, extracted and compared
without a model, from either store, by every door."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from shisho.bootstrap.library import open_library
from shisho.domain.inquiry import Answer, AnswerLevel
from shisho.domain.time import Instant
from shisho.services import Library
from shisho.testing.model_providers import FakeProvider
from tests.clocks import Ahead
from tests.flows.collection_questions import FOLDER, QUESTIONS, find_faults, folder_of
from tests.flows.conftest import Shell
from tests.flows.test_model_answers import added, well
from tests.interfaces.http.rooms import answered, served
from tests.postgres import PostgresServer
from tests.shared import shared

COUNT = "How many documents mention the skylight?"


class Dated(Ahead):
    """A clock that says the day that it is told."""

    day = "2026-09-01"

    def now(self) -> Instant:
        return Instant(f"{self.day}T12:00:00.000000+00:00")


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Dated:
    clock = Dated()
    monkeypatch.setattr("shisho.bootstrap.shared.SystemClock", lambda line: clock)
    return clock


@asynccontextmanager
async def open_collection(home: Path, *folders: Path, **settings: Any) -> AsyncIterator[Library]:
    async with open_library(home=home, web="off", **settings) as library:
        for folder in folders:
            await added(library, folder)
        yield library


async def check_sound(library: Library, answer: Answer) -> None:
    """Every quotation is a slice of its document as it is stored, and a replay gives the same answer."""
    for quotation in answer.evidence:
        document, text = await library.show(quotation.document_id)
        assert text[quotation.start : quotation.end] == quotation.snippet, document
    assert (await library.questions.replay(answer.id)).is_same


@pytest.mark.parametrize("folder", ["club", "town", "lectures"])
async def test_every_question_is_answered_right(folder: str, tmp_path: Path, clock: Dated) -> None:
    rows = [row for row in QUESTIONS if row["folder"] == folder]
    faults = {}
    async with open_collection(tmp_path, folder_of(rows[0])) as library:
        for row in rows:
            clock.day = row.get("today", "2026-09-01")
            answer = await library.questions.ask(row["question"])
            faults[row["question"]] = find_faults(row, answer)
            await check_sound(library, answer)
    assert {question: found for question, found in faults.items() if found} == {}


async def test_postgres_counts_the_same(tmp_path: Path, postgres: PostgresServer, clock: Dated) -> None:
    rows = [row for row in QUESTIONS if row["folder"] == "club"]
    faults = {}
    with postgres.fresh() as store:
        async with open_collection(
            tmp_path, FOLDER / "club", store=store, blobs=str(tmp_path / "blobs")
        ) as library:
            for row in rows:
                clock.day = row.get("today", "2026-09-01")
                answer = await library.questions.ask(row["question"])
                faults[row["question"]] = find_faults(row, answer)
                await check_sound(library, answer)
    assert {question: found for question, found in faults.items() if found} == {}


async def test_counts_are_exact_where_many_passages_have_the_word(tmp_path: Path) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(150):
        words = (
            "The red kite flies." if number % 3 else "The kite is red." if number % 2 else "A red fox ran."
        )
        text = "\n\n".join(f"## Part {part}\n\n{words} Weather {part}." for part in range(4))
        (folder / f"{number:03}.md").write_text(f"# Sheet {number}\n\n{text}\n", "utf-8")
    async with open_collection(tmp_path / "home", folder) as library:
        phrase = await library.questions.ask("How many documents mention the red kite?")
        word = await library.questions.ask("How many documents mention the kite?")
        both = await library.questions.ask("How many documents mention red and kite?")
    assert "100 documents contain “red kite”" in phrase.text and len(phrase.evidence) == 50
    assert "The first 50 are listed." in phrase.text
    assert (
        "125 documents contain “kite” (or" not in word.text and "125 documents contain “kite”." in word.text
    )
    assert "125 documents contain “red” and “kite”." in both.text


async def test_synonyms_are_listed_apart_and_named(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    for name, text in (("a", "宿泊は二泊までとする。"), ("b", "客は三日泊まる。"), ("c", "会費を払う。")):
        (folder / f"{name}.md").write_text(f"# {name}の紙\n\n{text}\n", "utf-8")
    async with open_collection(tmp_path / "home", folder) as library:
        answer = await library.questions.ask("宿泊に触れている文書は何件ありますか")
    assert "「宿泊」を含む文書は1件です。" in answer.text
    legend, own, alike = answer.text.partition("\n\n「宿泊」")[2].split("\n### ")
    assert "≈ の文書にその語はなく、同じ意味で使われうる語があります: 泊まる。" in legend
    assert own.startswith("aの紙 (a.md)\n") and "- 宿泊は二泊までとする。" in own and "≈" not in own
    assert alike.startswith("≈ bの紙 (b.md)\n") and "- 客は三日泊まる。" in alike


async def test_words_that_stand_apart_are_said_to(tmp_path: Path) -> None:
    async with open_collection(tmp_path, FOLDER / "club") as library:
        answer = await library.questions.ask("Which documents mention the skylight euros?")
        assert "No document contains “skylight euros” word for word." in answer.text
        assert [quotation.document.endswith("03-09.md") for quotation in answer.evidence] == [True]
        described = await library.questions.ask(
            "Which documents are about purple submarines diving under old harbour bridges?"
        )
        assert "word" not in described.text.splitlines()[0]


async def test_a_name_that_fits_several_is_asked_for_again(tmp_path: Path) -> None:
    async with open_collection(tmp_path, FOLDER / "club") as library:
        several = await library.questions.ask("Summarise the minutes of 2026")
        chosen = await library.questions.ask("the treaty of Utrecht", kind="summary")
        fact = await library.questions.ask("Summarise the treaty of Utrecht")
    assert several.level is AnswerLevel.NOTHING
    assert "minutes-2026-01-12.md" in several.text and "minutes-2026-03-09.md" in several.text
    assert "“treaty of Utrecht” doesn't match exactly one document" in chosen.text
    assert "exactly one document" not in fact.text


async def test_filters_and_excluded_documents_are_not_counted(tmp_path: Path) -> None:
    async with open_collection(tmp_path, FOLDER / "club") as library:
        answer = await library.questions.ask(
            COUNT, filters={"source": str(FOLDER / "club" / "minutes-2026-03-09.md")}
        )
        assert "1 document contains “skylight”." in answer.text
        without = await library.questions.ask(COUNT, exclude_ids=[answer.evidence[0].document_id])
    assert [Path(quotation.document).name for quotation in without.evidence] == ["minutes-2026-02-09.md"]


async def test_a_caller_s_goals_are_searched_for(tmp_path: Path) -> None:
    async with open_collection(tmp_path, FOLDER / "club") as library:
        answer = await library.questions.ask(COUNT, goals=["What did the skylight cost?"])
    assert [goal.question for goal in answer.goals] == ["What did the skylight cost?"]
    assert "counted" not in answer.text


async def test_a_model_is_not_asked_to_count_and_writes_the_reports(tmp_path: Path) -> None:
    async with FakeProvider(well) as provider:
        model = {"model": "ollama/m-1", "model_url": provider.build_url("ollama")}
        async with open_collection(tmp_path, FOLDER / "club", **model) as library:
            counted = await library.questions.ask(COUNT)
            assert "2 documents contain “skylight”." in counted.text and provider.requests == []
            report = await library.questions.ask("Write a report on the state of the boathouse.")
    assert provider.requests and "needs a model" not in report.text


async def test_a_count_comes_over_http_with_its_places(tmp_path: Path) -> None:
    async with (
        open_collection(tmp_path, FOLDER / "club") as library,
        served(library) as client,
        library.working(1),
    ):
        reply = await answered(client, await client.post("/answers", json={"question": COUNT}))
        answer = reply.json()["answer"]
    assert "2 documents contain “skylight”." in answer["text"] and answer["level"] == "answered"
    assert [one["snippet"] for one in answer["evidence"]] == [
        "A pane of the skylight is cracked.",
        "The skylight was replaced for 380 euros.",
    ]


def test_the_shell_prints_the_list_in_the_language_of_the_question(shell: Shell) -> None:
    shell("add", FOLDER / "town")
    printed = shell("ask", "屋台に触れている文書は何件ありますか")
    assert "「屋台」を含む文書は3件です。" in printed and "夏祭りの記録 2025 (matsuri-2025.md)" in printed


async def test_the_shared_questions(tmp_path: Path, clock: Dated) -> None:
    clock.day = "2026-11-29"
    async with open_collection(tmp_path, shared("cases", "documents", "30-questions")) as library:
        count = await library.questions.ask("How many documents mention the roof?")
        listed = await library.questions.ask("List all minutes in which the roof was discussed")
        summary = await library.questions.ask("Summarise the minutes of 5 May")
        summary_ja = await library.questions.ask("5月5日の議事録を要約して")
        changes = await library.questions.ask("What changed between v1 and v2?")
        deadlines = await library.questions.ask("Which deadlines are still open?")
        normal = await library.questions.ask("Is the canteen open on Fridays?")
    minutes = ["minutes-03.md", "minutes-04.md", "minutes-05.md"]
    assert "3 documents contain “roof”." in count.text
    for answer in (count, listed):
        assert [Path(one.document).name for one in answer.evidence] == minutes
    statements = [
        "The roof will be repaired by Hara and Sons for 8,200 euros.",
        "The heating was not discussed.",
    ]
    assert [one.snippet for one in summary.evidence] == statements
    assert [one.snippet for one in summary_ja.evidence] == statements
    assert [one.snippet for one in changes.evidence] == [
        "Hotel costs are refunded up to 110 euros a night.",
        "Hotel costs are refunded up to 140 euros a night.",
        "Receipts must be handed in within 30 days.",
        "Receipts must be handed in within 14 days.",
        "Travel by taxi is not refunded.",
        "Travel by taxi is not refunded, except at night.",
    ]
    assert [one.snippet for one in deadlines.evidence] == [
        "The deadline of the Aster grant is 15 December 2026.",
        "The deadline of the Cobalt grant is 1 March 2027.",
    ]
    assert "The canteen is closed on Fridays." in [one.snippet for one in normal.evidence]
