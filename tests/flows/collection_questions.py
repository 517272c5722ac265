"""Questions about a collection with right values, asked of small folders."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from shisho.domain.inquiry import Answer

FOLDER = Path(__file__).parent / "collection"
LECTURES = Path(__file__).parents[2] / "samples" / "lectures"
QUESTIONS: Sequence[dict[str, Any]] = [
    json.loads(line) for line in (FOLDER / "questions.jsonl").read_text("utf-8").splitlines()
]
HOWS = {
    "count": "documents counted",
    "list": "documents listed",
    "summary": "an extract",
    "changes": "compared sentence by sentence",
    "deadlines": "dates compared",
    "model": "needs a model",
}
HOWS_JA = {
    "count": "語を数えたもの",
    "list": "文書の一覧",
    "summary": "抜粋による要約",
    "changes": "一文ずつ比べたもの",
    "deadlines": "今日の日付",
    "model": "モデルが必要",
}


def folder_of(question: dict[str, Any]) -> Path:
    return LECTURES if question["folder"] == "lectures" else FOLDER / question["folder"]


def find_faults(question: dict[str, Any], answer: Answer) -> list[str]:
    """What is wrong with an answer; nothing of a right one."""
    first_line = answer.text.splitlines()[0]
    how = (HOWS if question["question"].isascii() else HOWS_JA)[question["kind"]]
    faults = [] if how in first_line else [f"{first_line!r} instead of {how!r}"]
    cited = sorted({Path(quotation.document).name for quotation in answer.evidence})
    if "documents" in question and cited != sorted(question["documents"]):
        faults.append(f"cites {cited}")
    if "quotes" in question and sorted(each.snippet for each in answer.evidence) != sorted(
        question["quotes"]
    ):
        faults.append(f"quotes {[each.snippet for each in answer.evidence]}")
    faults += [f"{text!r} is not shown" for text in question.get("shown", ()) if text not in answer.text]
    return faults
