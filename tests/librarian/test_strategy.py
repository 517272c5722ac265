"""Questions to goals: what is several questions, and above all what is not."""

from __future__ import annotations

import gzip
import json
import time

import pytest

from shisho.domain.corpus import Complexity
from shisho.domain.inquiry import Goal
from shisho.domain.requirements import RequestKind, Requirements
from shisho.errors import InvalidParams
from shisho.librarian.strategy import MAX_CHARS, check_goals, strategy
from tests.shared import shared
from tests.tables import each_row

ONE = """決定係数とは何か
決定係数が0に近いとき何を意味するか
日本と韓国の間の海は?
東京と大阪はどちらが人口が多いか
本実験と対照実験の中で違いを見つけていく実験手法を何というか。
春が終わりに差し掛かるにつれて、北上してくる気団は?
罪と罰の作者は誰か
ロミオとジュリエットの作者は誰ですか
「国際の平和及び安全を維持する」とは何か
『分散、標準偏差、平均』とは何か
近畿地方における夏は北陸地方よりも長い？短い？
国から許可を取った上での管理売春は合法ですか？違法ですか？
平和維持活動は、大別すると何種に別れるか。漢字二文字で答えよ。
誰をモデルにして作られましたか。フルネームで書きなさい。
ジェームス・ストダートと誰が書いたものか?彼のフルネームを述べなさい。
私は統計を学んでいる。決定係数とは何か。
倉庫に上限をかけたい。何ギガまで、と指定する設定名は？
主張の違いから対立し、除名された主な党員は誰か
石油を性質の違いで分ける事をなんというか。
日本産タナゴとして最も長い本種の臓器とは何ですか?
日本にとって欧米諸国と結んだ最初の対等条約とは何ですか?
幼少期の康成に備わっていたとされる能力とは何ですか?
測量技師、調査師、調査官と邦訳される職能とは何か
大仏鋳造用の青銅、正倉院宝物の銅製品に多く含まれている元素とは何ですか?
完成車メーカー各社がそれぞれ独自の体制を要求すると、負担はどうなるのか
空港の設置者と何はそれぞれの空港により異なりますか。
和合発電所と和知野発電所がそれぞれ設置した導水路の距離が長いのはどちらですか?
白山水力は福井県と石川県にそれぞれ何か所の水力発電所を作りましたか?
夏目漱石はいつ、どこで生まれたか
日本国有鉄道法及び日本専売公社法はいつ制定された？
マーラーの音楽を嫌っていたが、のちに意見を変えたのは誰か？
新幹線のモーターは、直流モーター、交流モーター？
What is R squared?
What is research and development?
Who wrote War and Peace?
Where is the sea between Japan and Korea?
How and when did the war begin?
Who is the man who was born in Paris and who was killed in Rome?
What is the difference between the speed of sound in air and in water?
how is the flow about a delta wing different from that on a tapered wing .
what similarity laws must be obeyed when constructing aeroelastic models of heated high speed aircraft .""".splitlines()


@each_row("question", ONE)
def test_a_plain_question_is_one_goal(question: str) -> None:
    made = strategy(question)
    assert [goal.question for goal in made.goals] == [question]
    assert made.condition == "G1"


def test_sides_and_parts_are_goals_that_are_all_needed() -> None:
    compared = strategy("決定係数と相関係数の違いは何か")
    assert [goal.question for goal in compared.goals] == ["決定係数とは何か", "相関係数とは何か"]
    assert (compared.condition, compared.complexity) == ("G1 and G2", Complexity.COMPARISON)
    several = strategy("What is a mean? What is a median?")
    assert [goal.question for goal in several.goals] == ["What is a mean?", "What is a median?"]
    assert (several.condition, several.complexity) == ("G1 and G2", Complexity.SEVERAL)


COMPARING = "違い|相違|比較|比べ|compared|comparing|differ|different|versus|vs"
LISTING = "すべて|全て|一覧|リスト|列挙|挙げ|list|all|every"
EXPLAINING = "なぜ|どうして|理由|仕組み|どのよう|説明し|論じ|論ぜよ|考察|why|explain|discuss"
WORDS = {
    RequestKind.COMPARE: COMPARING.split("|"),
    RequestKind.LIST: LISTING.split("|"),
    RequestKind.EXPLAIN: EXPLAINING.split("|"),
}


@each_row(("kind", "word"), [(kind, word) for kind, words in WORDS.items() for word in words])
def test_each_word_names_its_kind_of_answer(kind: RequestKind, word: str) -> None:
    assert strategy(f"it {word} it" if word.isascii() else f"棚{word}棚").kind is kind
    assert strategy("it in it" if word.isascii() else "棚の棚").kind is RequestKind.FACT


@each_row("verb", ["are", "were", "do", "did", "have", "can"])
def test_which_things_asks_for_a_list(verb: str) -> None:
    assert strategy(f"Which forms {verb} it?").kind is RequestKind.LIST
    assert strategy(f"Say which forms {verb} it.").kind is RequestKind.FACT


@each_row("verb", ["is", "are", "do", "does", "did", "can"])
def test_how_asks_for_an_explanation(verb: str) -> None:
    assert strategy(f"How {verb} it?").kind is RequestKind.EXPLAIN
    assert strategy(f"Say how {verb} it.").kind is RequestKind.FACT


@each_row(
    ("question", "kind"),
    [
        ("決定係数と相関係数の違いは何か", RequestKind.COMPARE),
        ("How do the two pumps differ?", RequestKind.COMPARE),
        ("申請に必要な書類をすべて挙げてください", RequestKind.LIST),
        ("Which forms are needed for the permit?", RequestKind.LIST),
        ("なぜ残差の分散は一定とされるのか", RequestKind.EXPLAIN),
        ("How does the boiler restart?", RequestKind.EXPLAIN),
        ("決定係数とは何か", RequestKind.FACT),
        ("How much is the fee?", RequestKind.FACT),
    ],
)
def test_the_kind_of_answer_is_read_from_the_question_unless_the_caller_wants_one(
    question: str, kind: RequestKind
) -> None:
    assert strategy(question).kind is kind
    assert strategy(question, Requirements(kind=RequestKind.REPORT)).kind is RequestKind.REPORT


def test_the_earlier_question_stands_before_every_part() -> None:
    goals = strategy("決定係数とは何か → 長所は何か。短所は何か。").goals
    assert [goal.question for goal in goals] == [
        "決定係数とは何か → 長所は何か。",
        "決定係数とは何か → 短所は何か。",
    ]


@each_row("question", ["この計画の長所を他と比べると", "How does the plan compare with ours?"])
def test_a_comparison_of_one_goal_looks_deeper(question: str) -> None:
    made = strategy(question)
    assert len(made.goals) == 1 and made.complexity is Complexity.COMPARISON


@each_row("question", ["", "  \n\t　", "???", "。、", "\u200b"])
def test_blank(question: str) -> None:
    with pytest.raises(InvalidParams, match="blank"):
        strategy(question)


def test_too_long() -> None:
    assert strategy("長" * MAX_CHARS).goals
    with pytest.raises(InvalidParams, match="2,000"):
        strategy("長" * (MAX_CHARS + 1))


def test_more_parts_than_can_be_followed_stay_one() -> None:
    assert len(strategy("、".join(f"指標{letter}" for letter in "ABCDEFGHIJKL") + "とは何か").goals) == 1


@each_row(("count", "goals"), [(2, 2), (7, 7), (8, 8), (9, 1)])
def test_up_to_eight_parts_are_goals(count: int, goals: int) -> None:
    question = "、".join(f"{number}. 棚の幅" for number in range(1, count + 1))
    assert len(strategy(question).goals) == goals


@each_row(
    ("goal", "error"),
    [
        (Goal("G" * 100, "棚の幅"), None),
        (Goal("G" * 101, "棚の幅"), "goal.bad_id"),
        (Goal("G\n1", "棚の幅"), "goal.bad_id"),
        (Goal("--", "棚の幅"), "goal.bad_id"),
        (Goal("", "棚の幅"), "goal.bad_id"),
        (Goal("at_least", "棚の幅"), "goal.reserved_id"),
        (Goal("NOT", "棚の幅"), "goal.reserved_id"),
        (Goal("first", "棚の幅"), "goal.duplicate_id"),
        (Goal("Ｆirst", "棚の幅"), "goal.duplicate_id"),
        (Goal("G2", "?!"), "goal.bad_question"),
        (Goal("G2", "棚" * 2_000), None),
        (Goal("G2", "棚" * 2_001), "goal.bad_question"),
        (Goal("G2", "棚の幅", min_evidence=50, min_sources=50), None),
        (Goal("G2", "棚の幅", min_evidence=51), "common.out_of_range"),
        (Goal("G2", "棚の幅", min_sources=51), "common.out_of_range"),
        (Goal("G2", "棚の幅", min_evidence=0), "common.out_of_range"),
    ],
)
def test_goals_of_a_caller_are_checked(goal: Goal, error: str | None) -> None:
    goals = [Goal("first", "棚の色"), goal]
    if error is None:
        check_goals(goals)
    else:
        with pytest.raises(InvalidParams) as raised:
            check_goals(goals)
        assert raised.value.message_id == error


def test_caller_may_require_twenty_goals() -> None:
    goals = [Goal(f"G{number}", "棚の幅") for number in range(1, 22)]
    check_goals(goals[:20])
    with pytest.raises(InvalidParams, match="20"):
        check_goals(goals)


def test_a_lone_surrogate_is_taken() -> None:
    assert strategy("\ud800とは何か").question == "?とは何か"


@pytest.mark.parametrize(
    "piece",
    [
        "と",
        "AとBの",
        "あ、",
        "および",
        "aおよびb、",
        "A及びBとCは",
        "それぞれ",
        "において",
        "「あ",
        "か、また",
        "how does a ",
        "a and what is ",
    ],
)
def test_no_question_takes_long_to_split(piece: str) -> None:
    for end in ("とは何か", "違いは何か", "それぞれ何か", ""):
        started = time.process_time()
        strategy((piece * MAX_CHARS)[: MAX_CHARS - len(end)] + end)
        assert time.process_time() - started < 1.0


def test_single_fact_questions_are_not_split() -> None:
    found = shared("eval", "jsquad-valid", "queries.jsonl.gz")
    with gzip.open(found, "rt", encoding="utf-8") as lines:
        questions = [json.loads(line)["text"] for line in lines][::14]
    split = [question for question in questions if len(strategy(question).goals) > 1]
    assert len(questions) > 300
    assert len(split) <= len(questions) // 100, split
