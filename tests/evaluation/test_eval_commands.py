"""`shisho eval answers|support FOLDER`: by rules and by a model, as tables and as data."""

from __future__ import annotations

import asyncio
import gzip
import json
import sys
from asyncio.subprocess import PIPE
from pathlib import Path
from typing import Any

import pytest

from shisho.__main__ import main
from shisho.domain.inquiry import AnswerLevel, SupportOutcome
from shisho.evaluation.answering import citation_figures, measure_answers
from shisho.evaluation.answers import AnswerItem, AnswerResult, Requirement
from shisho.evaluation.support import SentencePair, summarise_outcomes
from shisho.testing.model_providers import FakeProvider, ProviderReply, ProviderRequest
from tests.flows.test_model_answers import kind, well

PASSAGE = "決定係数とは、回帰モデルの当てはまりのよさを表す指標である。0から1の値をとる。"
HONEST = "決定係数は、回帰の式がどれほど良く合うかを告げる目安だ。"
PAIRS = (
    {"premise": PASSAGE, "hypothesis": HONEST, "label": "entailment"},
    {"premise": PASSAGE, "hypothesis": "決定係数は0から9の値をとる。", "label": "contradiction"},
    {
        "premise": PASSAGE,
        "hypothesis": "回帰モデルは決定係数を告げる目安で当てはまりを学ぶ。",
        "label": "neutral",
    },
)


def written(folder: Path, *rows: Any) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    with gzip.open(folder / "set.jsonl.gz", "wt", encoding="utf-8") as lines:
        lines.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    return folder


def item(name: str, positive: list[str]) -> dict[str, Any]:
    kinds = ["L_synonym"] if positive else ["A_negative_only"]
    return {
        "id": name,
        "qa_type": kinds,
        "question": "決定係数とは何か",
        "answer": "当てはまりのよさを表す指標",
        "positive_chunk_list": positive,
        "negative_chunk_list": ["猫は魚を好む。"],
        "reasoning_content": "",
    }


def model(request: ProviderRequest) -> ProviderReply:
    """Takes the first sentence that it is asked about for entailed, no other."""
    if kind(request) != "verdicts":
        return well(request)
    first = "supported" if HONEST in request.text.split("sentence 2")[0] else "not in the quotation"
    verdicts = [{"sentence": 1, "verdict": first}]
    verdicts += [{"sentence": n, "verdict": "not in the quotation"} for n in (2, 3)]
    return ProviderReply(json.dumps({"verdicts": verdicts}))


async def shell(*words: object) -> str:
    """A command by a process of its own, while this one serves the model."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "shisho", *map(str, words), stdout=PIPE, stderr=PIPE
    )
    out, error = await process.communicate()
    assert process.returncode == 0, (out + error).decode()
    return out.decode()


@pytest.mark.slow
async def test_pairs_are_judged_by_rules_and_by_a_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = written(tmp_path / "pairs", *PAIRS)
    monkeypatch.setenv("SHISHO_HOME", str(tmp_path / "home"))
    async with FakeProvider(model) as provider:
        monkeypatch.setenv("SHISHO_MODEL_URL", provider.build_url("ollama"))
        words = ("eval", "support", folder, "--model", "ollama/m-1")
        tables = json.loads(await shell(*words, "--json"))
        assert len(provider.requests) == 1, "all in one call"
        printed = await shell(*words)
    rules, judged = tables["none"], tables["ollama/m-1"]
    assert rules["entailment"]["supported"] == 0 and judged["entailment"]["supported"] == 1
    assert judged["contradiction"]["contradicted"] == 1
    assert judged["neutral"]["unverified"] == 1 and judged["entailment"]["share_of_supported"] == 1
    assert "ollama/m-1" in printed and "entailment" in printed


@pytest.mark.slow
async def test_items_are_answered_from_their_own_passages_and_refused_without(tmp_path: Path) -> None:
    folder = written(tmp_path / "items", item("there", [PASSAGE]), item("absent", []))
    rules = await measure_answers(folder, {"model": "none"})
    right = rules["all to answer"]
    assert (right["items"], right["right"], right["citation_precision"], right["refused"]) == (1, 1, 1, 0)
    listed = item("listed", [PASSAGE]) | {"needs": [["寄与率", "当てはまりのよさ"], ["最大10"]]}
    held = await measure_answers(written(tmp_path / "listed", listed), {"model": "none"})
    assert (held["all to answer"]["right"], held["all to answer"]["needs_held"]) == (0, 0.5)
    assert rules["all to abstain from"]["refused"] == rules["A_negative_only"]["refused_and_says_why"] == 1


def result(level: AnswerLevel, needs: int, held: int, citations: int, right: int) -> AnswerResult:
    requirements = tuple(Requirement(f"need {number}") for number in range(needs))
    asked = AnswerItem("id", ("I_multiple",), "", "", "", (), ())
    return AnswerResult(asked, level, requirements, requirements[:held], 0, False, citations, right, held)


def test_all_needs_must_be_held_and_citations_count_one_by_one() -> None:
    figures = citation_figures(
        [
            result(AnswerLevel.ANSWERED, 2, 2, 4, 3),
            result(AnswerLevel.ANSWERED, 2, 1, 1, 1),
            result(AnswerLevel.RELATED, 1, 1, 9, 0),
        ]
    )
    assert figures["right"] == round(1 / 3, 3) and figures["refused"] == round(1 / 3, 3)
    assert figures["citation_precision"] == 0.8 and figures["citation_recall"] == round(2.5 / 3, 3)


def test_the_share_of_supported_is_the_precision_of_entailment() -> None:
    pairs = [SentencePair("", "", label) for label in ("entailment", "entailment", "neutral")]
    outcomes = [SupportOutcome.SUPPORTED, SupportOutcome.CONTRADICTED, SupportOutcome.SUPPORTED]
    rows = summarise_outcomes(pairs, outcomes)
    assert rows["entailment"]["share_of_supported"] == 0.5 and rows["entailment"]["contradicted"] == 0.5
    assert rows["neutral"]["items"] == 1 and rows["contradiction"]["items"] == 0


@pytest.mark.parametrize(
    "words", [("answers", "x", "y"), ("other", "x"), ("answers", "{}"), ("support", "{}")]
)
def test_what_is_no_set_is_refused_in_words(
    words: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    given = [word.format(tmp_path) if "{" in word else word for word in words]
    monkeypatch.setenv("SHISHO_HOME", str(tmp_path / "home"))
    monkeypatch.setattr("sys.argv", ["shisho", "eval", *given, "--json"])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 2 and "INVALID_PARAMS" in capsys.readouterr().out
