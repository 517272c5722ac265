"""A model that a person plays: its replies are stored without the words of documents, and replayed."""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from shisho.bootstrap.library import open_library
from shisho.domain.inquiry import Answer, AnswerHeading, AnswerLevel, list_contradicted
from shisho.librarian.reports import count_words
from shisho.testing.model_providers import FakeProvider, ProviderReply, ProviderRequest
from tests.flows.test_model_answers import QUESTION, QUOTATION, SENTENCE, TEXT, passages, well
from tests.shared import shared

ROOT = Path(__file__).parents[2]
MIN_RIGHT = 20  # of the 22 questions
MIN_WORDS = 2_000  # that the report was asked for
TOKENS_MORE = 1.1  # than when they were recorded


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(ROOT / "bench")
    return importlib.import_module("played")


@pytest.fixture
def by_hand(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(ROOT / "bench")
    return importlib.import_module("by_hand")


def request(text: str, *fields: str) -> ProviderRequest:
    schema = {"properties": {name: {} for name in fields}}
    return ProviderRequest("openai", "m", "Pick.", (text,), schema, {}, {})


def fence(name: str, text: str) -> str:
    mark = "⟦" + "a" * 16
    return f"{mark} {name}\n{text}\n{mark} end of {name.partition(' |')[0]}"


def test_words_of_a_document_are_stored_as_their_place(played: Any) -> None:
    texts = played.DocumentTexts({"a.md": "前書き。\n決定係数は当てはまりの\nよさを表す指標である。"})
    words = "決定係数は当てはまりのよさを表す指標である。"
    asked = request(fence("passage 3 | 回帰", texts.read(texts.locate(words))), "findings")
    reply = {"findings": [{"passage": 3, "goal": "G1", "quotation": words, "score": 0.9}]}
    stored = played.store_reply(reply, asked, texts)
    assert "決定係数" not in json.dumps(stored, ensure_ascii=False)
    again = request(
        "\n".join([fence("passage 3", "別のこと。"), fence("passage 8 | x", texts.read(texts.locate(words)))])
    )
    (finding,) = played.rebuild_reply(stored, again, texts)["findings"]
    assert finding["passage"] == 8 and played.squeeze(finding["quotation"]) == words
    (finding,) = played.rebuild_reply(stored, request("nothing"), texts)["findings"]
    assert finding["passage"] == 0


def test_words_that_moved_are_found_and_words_that_changed_are_not(played: Any) -> None:
    place = played.DocumentTexts({"a.md": "甲は一で、乙は二である。"}).locate("乙は二である。")
    assert (
        played.DocumentTexts({"a.md": "前に足した文。甲は一で、乙は二である。"}).read(place)
        == "乙は二である。"
    )
    with pytest.raises(ValueError, match="play again"):
        played.DocumentTexts({"a.md": "甲は一で、乙は三である。"}).read(place)


def test_numbers_of_quotations_and_sentences_follow_what_they_stand_for(played: Any) -> None:
    texts = played.DocumentTexts({"a.md": "甲の値は一であると定める。乙の値は二であると定める。"})
    first, second = "甲の値は一であると定める。", "乙の値は二であると定める。"
    asked = request(
        fence("quotation 1 for G1", f"(before it: 前)\n{first}") + "\n" + fence("quotation 2 for G1", second),
        "blocks",
    )
    block = {"type": "paragraph", "sentences": [{"text": "乙は二だ。", "cites": [2]}]}
    stored = played.store_reply({"blocks": [block]}, asked, texts)
    other = request(fence("quotation 5 for G1", second), "blocks")
    assert played.rebuild_reply(stored, other, texts)["blocks"][0]["sentences"][0]["cites"] == [5]

    claims = fence("sentence 1", "乙は二だ。\n(suspect: 二)") + "\n" + fence("sentence 2", "甲は一だ。")
    verdicts = {"verdicts": [{"sentence": 1, "verdict": "supported"}, {"sentence": 2, "verdict": "partly"}]}
    stored = played.store_reply(verdicts, request(claims, "verdicts"), texts)
    turned = request(fence("sentence 1", "甲は一だ。") + "\n" + fence("sentence 2", "乙は二だ。"), "verdicts")
    rebuilt = played.rebuild_reply(stored, turned, texts)["verdicts"]
    assert rebuilt == [{"sentence": 2, "verdict": "supported"}, {"sentence": 1, "verdict": "partly"}]
    fewer = request(fence("sentence 1", "甲は一だ。"), "verdicts")
    assert played.rebuild_reply(stored, fewer, texts)["verdicts"] == [{"sentence": 1, "verdict": "partly"}]


def test_the_verdicts_of_two_people_are_paired_by_sentence(by_hand: Any) -> None:
    first = {"verdicts": [{"sentence": 2, "verdict": "supported"}, {"sentence": 1, "verdict": "partly"}]}
    second = {"verdicts": [{"sentence": 1, "verdict": "supported"}]}
    assert by_hand.pair_verdicts(first, second) == [("partly", "supported"), ("supported", "")]


def test_sentences_with_the_same_words_keep_their_order(played: Any) -> None:
    assert len(set(played.name_bodies(["ある", "ある", "ない"]))) == 3


async def ask(home: Path, script: Any, source: Path) -> tuple[Answer, dict[str, str]]:
    async with (
        FakeProvider(script) as provider,
        open_library(
            home=home,
            web="off",
            embedder="none",
            model="openai/m",
            model_url=provider.build_url("openai"),
            model_seconds=120.0,
        ) as library,
    ):
        async for _ in library.documents.add(source):
            pass
        texts = {
            Path(place).name: await library.documents.read_text(id_)
            for place, id_ in (await library.documents.list_sources()).items()
        }
        return await library.questions.ask(QUESTION), texts


async def test_a_recording_answers_as_the_player_did_though_passages_are_numbered_anew(
    played: Any, tmp_path: Path
) -> None:
    def copy(request: ProviderRequest) -> ProviderReply:
        data = json.loads(well(request).text)
        if "findings" in data:
            number = next(number for number, text in passages(request) if QUOTATION in text)
            data["findings"][0]["passage"] = number
        return ProviderReply(json.dumps(data, ensure_ascii=False))

    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "page.md").write_text(TEXT, "utf-8")
    names = {QUESTION: "q"}
    first = played.Played()
    recorder = played.record_calls(copy, names, played.DocumentTexts({"page.md": TEXT}), first)
    answer, _ = await ask(tmp_path / "first", recorder, folder)
    assert f"{SENTENCE} [1]" in answer.text and QUOTATION not in repr(first.calls)

    (folder / "other.md").write_text(f"# {QUESTION}\n\n{QUESTION}という問いは、よく尋ねられる。", "utf-8")
    second = played.Played()
    replayed = played.replay_calls(first.calls, names, played.DocumentTexts({"page.md": TEXT}), second)
    again, _ = await ask(tmp_path / "second", replayed, folder)
    assert not second.unknown and again.text == answer.text
    assert [call.node for call in second.calls["q"]] == [call.node for call in first.calls["q"]]

    third = played.Played()
    await ask(tmp_path / "third", played.replay_calls({}, names, played.DocumentTexts({}), third), folder)
    assert third.unknown


@pytest.fixture
def recording(by_hand: Any) -> Iterator[Any]:
    if not by_hand.REPLIES.exists():
        pytest.skip("nothing is recorded yet: eval/by_hand.md says how to play")
    yield by_hand.load_calls()


def test_a_recording_holds_no_words_of_a_document(by_hand: Any, recording: Any) -> None:
    """A finding's quotation is a place; all other words are the player's own."""
    quotations = [
        finding["quotation"]
        for calls in recording.values()
        for call in calls
        for finding in call.reply.get("findings", ())
    ]
    assert quotations and all(isinstance(quotation, dict) for quotation in quotations)


@pytest.mark.slow
async def test_the_played_questions_are_answered_right_and_no_true_sentence_is_lost(
    by_hand: Any, recording: Any
) -> None:
    options = type("Options", (), {"shared": shared("eval-pdf-ja").parent})
    results, played = await by_hand.replay(options)
    assert not played.unknown and len(results) == 22
    not_judged = [result.question.id for result in results if result.judgement is None]
    assert not not_judged, "their answers have changed: play them again"
    assert sum(result.is_right_and_clean for result in results) >= MIN_RIGHT
    assert not sum(result.judgement.true_taken_out for result in results)
    assert not sum(result.judgement.wrong_citations + result.fabricated for result in results)
    kinds = {result.question.id: result.question.kind for result in results}
    recorded = by_hand.Played(dict(recording)).count(kinds)
    for kind, (calls, tokens_in, _) in played.count(kinds).items():
        assert calls == recorded[kind][0] and tokens_in <= TOKENS_MORE * recorded[kind][1]


async def test_the_played_report_is_replayed_with_its_sections_and_sources(
    by_hand: Any, recording: Any
) -> None:
    (question,) = [each for each in by_hand.load_questions() if each.kind == "report"]
    played = by_hand.Played()
    ((_, answer, fabricated),) = await by_hand.ask_collections(
        shared("library").parent, [question], partial(by_hand.replay_calls, recording), played
    )
    assert not played.unknown and not fabricated
    assert answer.level is AnswerLevel.PARTIAL, "two of its ten goals are answered in part"
    assert count_words(answer.blocks, question.question) >= question.words == MIN_WORDS
    chapters = [block for block in answer.blocks if isinstance(block, AnswerHeading) and block.level == 2]
    assert len(chapters) == question.sections + 4  # introduction, conclusion, what was read, sources
    assert len({row.document_id for row in answer.evidence}) >= 8
    assert not list_contradicted(answer.blocks) and not answer.passages
    assert all(sentence.evidence for sentence in answer.sentences)
