"""What a question costs with the balanced preset, counted by the provider that is asked, and what its prompts
hold."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from shisho.bootstrap.library import open_library
from shisho.domain.inquiry import LoopStop
from shisho.language import estimate_tokens
from shisho.testing.model_providers import FakeProvider, ProviderReply, ProviderRequest
from tests.flows.test_model_answers import QUESTION, SENTENCE, TEXT, added, kind, passages, well

# The documents call each school by a name that only the model knows.
FACTS = {
    "G1": ("碧海流の提唱者は誰か", "アオウミ", "アオウミを広めたのは、和算家の青木庵である。"),
    "G2": ("紅葉派の開祖は誰か", "モミジバ", "モミジバを広めたのは、儒者の赤井庵である。"),
    "G3": ("白雪門の創始者は誰か", "シラユキ", "シラユキを広めたのは、医師の白川庵である。"),
}
NOUNS = (
    "開祖門人師範神社寺院写本版本書状日記地図絵図星図定規算木算盤天秤磁石時計水車井戸"
    "海岸織物陶器漆器和紙菓子味噌薬草鉱山温泉街道宿場祭礼能楽茶室庭園石垣城門堤防港町"
)
WORDS = ["提唱者", "創始者", *(NOUNS[at : at + 2] for at in range(0, len(NOUNS), 2))]
PASSAGES = 5_100  # some say nearly the same and are counted once


def filler(dice: random.Random) -> str:
    """Sentences that are those of no other passage, some 300 characters."""
    return "".join(
        "{}の{}を{}が{}回残した。".format(*dice.choices(WORDS, k=3), dice.randint(1, 999)) for _ in range(20)
    )


def script(request: ProviderRequest) -> ProviderReply:
    """Thinks of one name a round, finds what it is shown, and wants three rounds."""
    round_ = sum(kind(other) == "keywords" for other in seen)
    seen.append(request)
    question, name, _ = [*FACTS.values()][min(round_, 2)]
    findings = [
        {"passage": number, "goal": goal, "quotation": fact, "score": 0.9}
        for number, text in passages(request)
        for goal, (_, _, fact) in FACTS.items()
        if fact in text
    ]
    replies = {
        "goals": {
            "goals": [question for question, _, _ in FACTS.values()],
            "condition": "all",
            "complexity": "several",
        },
        "keywords": {"keywords": [name], "meaning": question, "reasoning": question},
        "findings": {
            "findings": findings,
            "goals": [{"goal": finding["goal"], "state": "complete"} for finding in findings],
            "status": "CONTINUE" if round_ < len(FACTS) else "COMPLETE",
        },
        "blocks": {
            "sentences": [{"text": fact, "cites": [n]} for n, (_, _, fact) in enumerate(FACTS.values(), 1)]
        },
        "verdicts": {"verdicts": []},
    }
    # a token for each of its characters, as no tokenizer counts more of Japanese text
    counted = (
        estimate_tokens(request.instructions)
        + estimate_tokens(request.text)
        + estimate_tokens(json.dumps(request.schema))
    )
    text = json.dumps(replies[kind(request)], ensure_ascii=False)
    return ProviderReply(text, input_tokens=counted, output_tokens=estimate_tokens(text))


seen: list[ProviderRequest] = []


@pytest.mark.slow
async def test_three_goals_in_three_rounds_cost_eight_calls_and_25_000_tokens_at_most(tmp_path: Path) -> None:
    """≥ 5,000 passages of full length, so that each round shows all that a prompt has room for: taking
    them in is what takes its time."""
    seen.clear()
    folder = tmp_path / "papers"
    folder.mkdir()
    dice = random.Random(7)
    parts = [f"# 覚え書き {number}\n\n{number}番目の記録。{filler(dice)}" for number in range(PASSAGES)]
    for place, (_, _, fact) in enumerate(FACTS.values()):
        parts[place * 1_500 + 7] += fact
    for start in range(0, PASSAGES, 500):
        (folder / f"{start}.md").write_text("\n\n".join(parts[start : start + 500]), "utf-8")
    async with (
        FakeProvider(script) as provider,
        open_library(
            home=tmp_path / "home",
            web="off",
            model="ollama/m-1",
            model_url=provider.build_url("ollama"),
            model_seconds=300.0,
            max_seconds=3_000.0,
            preset="balanced",
        ) as library,
    ):
        await added(library, folder)
        assert (await library.documents.list_corpora())[0].passages >= PASSAGES
        answer = await library.questions.ask("碧海流の提唱者、紅葉派の開祖、白雪門の創始者はそれぞれ誰か")
    assert answer.loop_stop is LoopStop.CONDITION_MET and answer.rounds == 3
    assert {row.goal_id for row in answer.evidence if row.score > 0.5} == FACTS.keys()
    assert len(provider.requests) <= 8 and answer.budget_used["model_calls"] == len(provider.requests)
    spent = sum(use.usage.input_tokens for use in answer.model_uses)
    print(f"{len(provider.requests)} calls, {spent} input tokens")
    assert 10_000 < spent <= 25_000
    reading = [request for request in provider.requests if kind(request) == "findings"]
    assert len(reading) == 3 and all(len(passages(request)) >= 8 for request in reading)
    numbers = [number for request in reading for number, _ in passages(request)]
    assert numbers == [*range(1, len(numbers) + 1)], "the model reads all that was shown"


@pytest.mark.parametrize("reader", ["", "ollama/m-2"], ids=["one model", "another one reads"])
async def test_a_fact_takes_two_calls_unless_another_model_reads(reader: str, tmp_path: Path) -> None:
    """A replay needs no server, and writes the same."""

    def reply(request: ProviderRequest) -> ProviderReply:
        data = json.loads(well(request).text)
        if "blocks" in request.schema["properties"] and "findings" in data:
            written = [{"type": "paragraph", "sentences": [{"text": SENTENCE, "cites": [1]}]}]
            data |= {"goals": [{"goal": "G1", "state": "complete"}], "blocks": written}
        return ProviderReply(json.dumps(data, ensure_ascii=False))

    (tmp_path / "page.md").write_text(TEXT, "utf-8")
    named = {"model_evaluate": reader} if reader else {}
    async with (
        FakeProvider(reply) as provider,
        open_library(
            home=tmp_path / "home",
            web="off",
            model="ollama/m-1",
            model_url=provider.build_url("ollama"),
            model_seconds=120.0,
            **named,
        ) as library,
    ):
        await added(library, tmp_path / "page.md")
        answer = await library.questions.ask(QUESTION)
        asked = len(provider.requests)
        replay = await library.questions.replay(answer.id)
    nodes = ["evaluate", "answer", "judge"] if reader else ["fact", "judge"]
    assert [use.node for use in answer.model_uses] == nodes and asked == len(nodes)
    assert f"{SENTENCE} [1]" in answer.text
    assert replay.is_same and len(provider.requests) == asked
