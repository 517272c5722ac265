"""What a question costs with the balanced preset, counted by the provider that is asked, and what its prompts
hold."""

from __future__ import annotations

import json
from pathlib import Path

from shisho.bootstrap.desk import open_desk
from shisho.domain.inquiry import LoopStop
from shisho.language.tokens import tokens
from shisho.testing.providers.script import ProviderReply, ProviderRequest
from shisho.testing.providers.server import FakeProvider
from tests.flows.test_model_answers import added, kind, passages

FACTS = {
    "G1": ("碧海算の提唱者は誰か", "碧海算の提唱者は、和算家の青木庵である。"),
    "G2": ("紅葉算の提唱者は誰か", "紅葉算の提唱者は、和算家の赤井庵である。"),
    "G3": ("白雪算の提唱者は誰か", "白雪算の提唱者は、和算家の白川庵である。"),
}
PASSAGES = 5_000
FILLER = (
    "和算の流派とその提唱者についての覚え書きである。各地の算額には、図形と数の問題が数多く残されている。" * 7
)


def script(request: ProviderRequest) -> ProviderReply:
    """Finds one goal a round."""
    round_ = sum(kind(other) == "keywords" for other in seen)
    seen.append(request)
    goal, (question, fact) = [*FACTS.items()][
        min(round_, 3) - 1 if kind(request) == "findings" else min(round_, 2)
    ]
    at = next((number for number, text in passages(request) if fact in text), 0)
    replies = {
        "goals": {
            "goals": [{"question": question} for question, _ in FACTS.values()],
            "condition": "all",
            "complexity": "several",
        },
        "keywords": {"keywords": [question[:3], "提唱者"], "meaning": question, "reasoning": question},
        "findings": {"findings": [{"passage": at, "goal": goal, "quotation": fact, "score": 0.9}]},
        "sentences": {
            "sentences": [{"text": fact, "cites": [n]} for n, (_, fact) in enumerate(FACTS.values(), 1)]
        },
    }
    # a token for each of its characters, as no tokenizer counts more of Japanese text
    counted = tokens(request.instructions) + tokens(request.text) + tokens(json.dumps(request.schema))
    text = json.dumps(replies[kind(request)], ensure_ascii=False)
    return ProviderReply(text, input_tokens=counted, output_tokens=tokens(text))


seen: list[ProviderRequest] = []


async def test_three_goals_in_three_rounds_cost_eight_calls_and_25_000_tokens_at_most(tmp_path: Path) -> None:
    """≥ 5,000 passages of full length, so that each round shows all that a prompt has room for."""
    seen.clear()
    folder = tmp_path / "papers"
    folder.mkdir()
    parts = [f"# 覚え書き {number}\n\n{number}番目の記録。{FILLER}" for number in range(PASSAGES)]
    for place, (_, fact) in enumerate(FACTS.values()):
        parts[place * 1_500 + 7] += fact
    for start in range(0, PASSAGES, 500):
        (folder / f"{start}.md").write_text("\n\n".join(parts[start : start + 500]), "utf-8")
    async with (
        FakeProvider(script) as provider,
        open_desk(
            home=tmp_path / "home",
            web="off",
            model="ollama/m-1",
            model_url=provider.url("ollama"),
            model_seconds=300.0,
            max_seconds=3_000.0,
            preset="balanced",
        ) as desk,
    ):
        await added(desk, folder)
        assert (await desk.corpora())[0].passages >= PASSAGES
        answer = await desk.ask("碧海算、紅葉算、白雪算の提唱者はそれぞれ誰か")
    assert answer.loop_stop is LoopStop.CONDITION_MET and answer.rounds == 3
    assert [quotation.round for quotation in sorted(answer.evidence, key=lambda one: one.goal_id)] == [
        1,
        2,
        3,
    ]
    assert len(provider.requests) <= 8 and answer.budget_used["model_calls"] == len(provider.requests)
    spent = sum(use.usage.input_tokens for use in answer.model_uses)
    print(f"{len(provider.requests)} calls, {spent} input tokens")
    assert 10_000 < spent <= 25_000
    reading = [request for request in provider.requests if kind(request) == "findings"]
    assert len(reading) == 3 and all(len(passages(request)) >= 5 for request in reading)
