"""Sentences whose nouns change their roles, which the table of support has."""

from __future__ import annotations

from pathlib import Path

import pytest

TRAIN = Path(__file__).parents[2] / "train"
CHANGED = {
    "猫が肩に乗る。": [("肩が猫に乗る。", False), ("肩に猫が乗る。", True)],
    "白い猫が肩に乗る。": [("白い肩が猫に乗る。", False)],
    "今日、猫が肩に乗る。": [("今日、肩が猫に乗る。", False), ("今日、肩に猫が乗る。", True)],
    "猫が白い肩に乗る。": [("肩が白い猫に乗る。", False)],
    "猫は肩が弱い。": [],
    "猫が猫背に乗る。": [],
    "猫が鳴く。": [],
}


def test_nouns_of_two_roles_are_exchanged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(TRAIN))
    from build_support import change_roles

    assert {sentence: [*change_roles(sentence)] for sentence in CHANGED} == CHANGED
