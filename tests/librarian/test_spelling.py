"""Questions in the writing of the library: what is typed in kana or slightly wrong, and what is left
alone."""

from __future__ import annotations

from shisho.domain.inquiry import Goal
from shisho.domain.requirements import Requirements
from shisho.language.spelling import read_vocabulary, respell
from shisho.librarian.strategy import respell_strategy, strategy
from tests.tables import each_row

TEXTS = (
    "決定係数とは、目的変数の全変動のうち回帰式で説明できる割合である。東京都の人口は多い。",
    "帰無仮説を棄却する。検出力は標本が大きいほど高い。再現率と適合率を比べる。司書の仕事は貸出だけではない。",
    "脅威モデリングを行う。代替休暇を与える。勤務間インター\nバル制度の導入。最大の値、第一種の過誤。",
    "ビールを飲む。病虫害を防ぐ。",
    "People with cannabis use disorder. Randomisation makes the groups alike.",
)
VOCABULARY = read_vocabulary(TEXTS)


@each_row(
    ("typed", "read"),
    [
        ("とうきょうとのじんこうは", "東京都の人口は"),
        ("けっていけいすうとはなにか", "決定係数とはなにか"),
        ("けんしゅつりょくとは", "検出力とは"),
        ("さいげんりつとてきごうりつはどうちがいますか", "再現率と適合率はどうちがいますか"),
        ("ししょのしごとはなんですか", "司書の仕事はなんですか"),
        ("きょういモデリングってなに", "脅威モデリングってなに"),
        ("だいたい休暇はどうして設けられたのですか", "代替休暇はどうして設けられたのですか"),
        ("決定系数とは何か", "決定係数とは何か"),
        ("帰無仮設とは何か", "帰無仮説とは何か"),
        ("勤務間インタバル制度とは何か", "勤務間インターバル制度とは何か"),
        ("What does canabis use disorder mean?", "What does cannabis use disorder mean?"),
        ("What does randomization do?", "What does randomisation do?"),
    ],
)
def test_what_the_library_writes_otherwise_is_read_so(typed: str, read: str) -> None:
    assert respell(typed, VOCABULARY) == read


@each_row(
    "typed",
    [
        "決定係数とは何か",
        "最小の値は何か",
        "第二種の過誤とは何か",
        "決定経路とは何か",
        "ビニールとは何か",
        "病害虫とは何か",
        "なぜそうなるのですか",
        "どうすればよいでしょうか",
        "What is a disorder?",
        "Who is Cannon?",
    ],
)
def test_what_stands_there_or_means_something_else_is_left_alone(typed: str) -> None:
    assert respell(typed, VOCABULARY) == ""


def test_words_as_typed_in_the_library_are_never_rewritten() -> None:
    both = read_vocabulary([*TEXTS, "けっていけいすう、帰無仮設という誤記がある。"])
    assert respell("けっていけいすうとはなにか", both) == ""
    assert respell("帰無仮設とは何か", both) == ""


def test_a_question_read_otherwise_may_have_other_parts() -> None:
    aim = strategy("さいげんりつと適合率の違いは何か")
    read = respell_strategy(aim, aim.goals, TEXTS)
    assert [goal.question for goal in read.goals] == ["再現率とは何か", "適合率とは何か"]
    aim = strategy("決定系数とは何か。検出力とは何か")
    assert [goal.question for goal in respell_strategy(aim, aim.goals[:1], TEXTS).goals] == [
        "決定係数とは何か。",
        "検出力とは何か",
    ]
    assert respell_strategy(aim, aim.goals, ()) == aim
    aim = strategy("とうきょうとと検出力の違いは何か")
    assert [goal.question for goal in aim.goals] == [aim.question]
    read = respell_strategy(aim, aim.goals, TEXTS)
    assert [goal.question for goal in read.goals] == ["東京都とは何か", "検出力とは何か"]


def test_goals_of_a_caller_are_only_respelled() -> None:
    goals = (Goal("shelf", "決定系数の求め方"), Goal("door", "検出力の求め方"))
    aim = strategy("決定系数とは何か", Requirements(goals=goals))
    read = respell_strategy(aim, aim.goals, TEXTS)
    assert read.question == "決定係数とは何か"
    assert [(goal.id, goal.question) for goal in read.goals] == [
        ("shelf", "決定係数の求め方"),
        ("door", "検出力の求め方"),
    ]
