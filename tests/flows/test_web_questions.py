"""Questions over the box's own pages, each answered from the web alone; and a goal that one engine leaves
open."""

from __future__ import annotations

from pathlib import Path

import pytest

from shisho.domain.task import AskOptions, Sources
from shisho.services import Library
from tests.flows.boxed import QUICK, boxed
from tests.flows.smallweb import answered

# Written by hand from the pages, before anything was tuned.
QUESTIONS = (
    ("日本十進分類法で文学は何類に置かれているか", "9類"),
    ("日本の小説は日本十進分類法で何番になるか", "913"),
    ("国際子ども図書館は何年に開館したか", "2000年"),
    ("国立国会図書館の利用者登録は何歳からできるか", "18歳"),
    ("猫の乳歯は何本か", "26本"),
    ("猫の耳介は何度ほど回すことができるか", "180度"),
    ("人の耳には何キロヘルツまで聞こえるか", "20キロヘルツ"),
    ("偏差値の平均はいくつか", "50"),
    ("標準誤差はどう求めるか", "平方根"),
    ("図書館の自由に関する宣言はいつ改訂されたか", "1979年"),
    ("三毛猫とは何か", "三色"),
    ("自由度調整済み決定係数はどんなときに用いるか", "変数の数が違う"),
    ("霧ヶ丘灯台の石材には何が使われているか", "玄武岩"),
    ("鏡ヶ淵湖の名物の魚は何か", "アカハラモロコ"),
    ("渡良川鉄道の終点はどの駅か", "浜藤駅"),
)
LEAST = 13


async def quoted(library: Library, question: str) -> str:
    """All that the answer quotes."""
    asked = await library.questions.queue(question, options=AskOptions(sources=Sources.WEB))
    return " ".join(evidence.snippet for evidence in (await answered(library, asked)).evidence)


@pytest.mark.floors
async def test_most_questions_over_the_box_s_own_pages_are_answered(tmp_path: Path) -> None:
    async with boxed(tmp_path) as (_, library):
        wrong = [question for question, gold in QUESTIONS if gold not in await quoted(library, question)]
    assert len(QUESTIONS) - len(wrong) >= LEAST, wrong


async def test_a_goal_that_one_engine_leaves_open_is_asked_of_another(tmp_path: Path) -> None:
    first = {name: fields | ({"tier": "yours"} if name == "mojeek" else {}) for name, fields in QUICK.items()}
    async with boxed(tmp_path, first) as (box, library):
        box.behave(engine="mojeek", do="useless")
        question = next(question for question in box.questions if question.topic == "霧ヶ丘灯台")
        assert question.gold in await quoted(library, question.text)
        texts = {entry.query["q"] for entry in box.log.select(engine="mojeek") if "q" in entry.query}
        words = next(text for text in texts if text.startswith(f"{question.topic} "))
        asked = [entry.engine for entry in box.log.select(text=words) if entry.page]
        assert asked[0] == "mojeek" and len(asked) >= 2, "the same words were asked of nobody else"
        assert len(asked) == len(set(asked)), "an engine was asked the same twice"
