"""Questions to goals: what is several questions, and above all what is not."""

from __future__ import annotations

import gzip
import json
import time

import pytest

from shisho.domain.corpus import Complexity
from shisho.errors import InvalidParams
from shisho.librarian.strategy import MAX_CHARS, strategy
from tests.shared import shared

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

SEVERAL = [
    ("平均と分散はそれぞれ何ですか", ["平均は何ですか", "分散は何ですか"]),
    ("平均値と中央値、それぞれの長所は何か", ["平均値の長所は何か", "中央値の長所は何か"]),
    ("平均値と中央値の定義をそれぞれ述べよ", ["平均値の定義を述べよ", "中央値の定義を述べよ"]),
    ("日本の首都とフランスの首都はそれぞれどこか", ["日本の首都はどこか", "フランスの首都はどこか"]),
    ("期待値、分散、標準偏差とは何か", ["期待値とは何か", "分散とは何か", "標準偏差とは何か"]),
    ("決定係数とは何か。また、どう計算するか。", ["決定係数とは何か。", "決定係数はどう計算するか。"]),
    ("決定係数とは何か、また相関係数とは何か", ["決定係数とは何か", "相関係数とは何か"]),
    (
        "決定係数とは何ですか？その値が0に近いとき何を意味しますか？",
        ["決定係数とは何ですか？", "決定係数の値が0に近いとき何を意味しますか？"],
    ),
    ("過学習とは何か、なぜ起こるか", ["過学習とは何か", "過学習はなぜ起こるか"]),
    ("源氏物語の作者は誰か。枕草子の作者は誰か。", ["源氏物語の作者は誰か。", "枕草子の作者は誰か。"]),
    ("What is R squared and how is it computed?", ["What is R squared", "how is R squared computed?"]),
    ("What is a mean? What is a median?", ["What is a mean?", "What is a median?"]),
]

COMPARED = [
    ("樫版と杉版とで \\扉 の厚みはどう異なりますか？", ["樫版の\\扉 の厚み", "杉版の\\扉 の厚み"]),
    ("決定係数と相関係数の違いは何か", ["決定係数とは何か", "相関係数とは何か"]),
    (
        "統計学において、標準偏差と標準誤差はどう違うか",
        ["統計学では、標準偏差とは何か", "統計学では、標準誤差とは何か"],
    ),
    ("『罪と罰』と『白痴』の違いは何か", ["『罪と罰』とは何か", "『白痴』とは何か"]),
    ("東日本と西日本の梅雨の違いは?", ["東日本の梅雨", "西日本の梅雨"]),
    (
        "ASVSのレベル1とレベル2で想定している攻撃者の違いを教えてください。",
        ["ASVSのレベル1で想定している攻撃者は何か", "ASVSのレベル2で想定している攻撃者は何か"],
    ),
    ("フェーズ1とフェーズ2の成果物の違いは?", ["フェーズ1の成果物", "フェーズ2の成果物"]),
    ("TCPとUDPを比較してください", ["TCPとは何か", "UDPとは何か"]),
    (
        "What is the difference between variance and standard deviation?",
        ["What is variance?", "What is standard deviation?"],
    ),
    ("Compare TCP and UDP", ["What is TCP?", "What is UDP?"]),
    ("How does lasso differ from ridge regression?", ["What is lasso?", "What is ridge regression?"]),
    ("悪性コードとマルウェアって同じもの？", ["悪性コードとは何か", "マルウェアとは何か"]),
    (
        "悪性コードとマルウェアは同じものですか、それとも違うものですか。",
        ["悪性コードとは何か", "マルウェアとは何か"],
    ),
    (
        "用語集では、悪性コードとマルウェアをどう区別していますか。",
        ["用語集では、悪性コードとは何か", "用語集では、マルウェアとは何か"],
    ),
    ("悪性コードとマルウェアの区別を教えてください", ["悪性コードとは何か", "マルウェアとは何か"]),
    ("鋸と鉈はどう使い分ければいいですか", ["鋸とは何か", "鉈とは何か"]),
    ("鋸と鉈の使い分けを知りたい", ["鋸とは何か", "鉈とは何か"]),
    ("振替休日と代休って何が違うんですか", ["振替休日とは何か", "代休とは何か"]),
    ("振替休日と代休の違いがいまいち分からないのですが", ["振替休日とは何か", "代休とは何か"]),
    ("振替休日は代休とどう違うのですか", ["振替休日とは何か", "代休とは何か"]),
    ("代休は、振替休日と何が違うの", ["代休とは何か", "振替休日とは何か"]),
    ("振替休日と代休、どう違う？", ["振替休日とは何か", "代休とは何か"]),
    ("振替休日と代休の差は？", ["振替休日とは何か", "代休とは何か"]),
    ("振替休日と代休では、どんな点が違いますか", ["振替休日とは何か", "代休とは何か"]),
    ("振替休日と比べて代休は何が違うのですか", ["振替休日とは何か", "代休とは何か"]),
    ("真鍮と青銅の違いを簡単に説明してください。", ["真鍮とは何か", "青銅とは何か"]),
    ("真鍮と青銅ってどう違うんでしたっけ", ["真鍮とは何か", "青銅とは何か"]),
    ("真鍮と青銅にはどのような違いがありますか", ["真鍮とは何か", "青銅とは何か"]),
    ("真鍮と青銅と白銅の違いは何ですか", ["真鍮とは何か", "青銅とは何か", "白銅とは何か"]),
    (
        "門番と受付の役割のちがいを、手引きに沿って説明してもらえますか。",
        ["手引きでは、門番の役割", "手引きでは、受付の役割"],
    ),
    (
        "窓口で現金と書くのと小切手と書くのでは、手数料にどういう差がありますか",
        ["窓口で現金と書くとどうなるか", "小切手と書くとどうなるか"],
    ),
    ("How do hard links and symbolic links differ?", ["What are hard links?", "What are symbolic links?"]),
    ("Are rules and laws the same thing?", ["What are rules?", "What are laws?"]),
    ("Is a hard link the same as a symbolic link?", ["What is a hard link?", "What is a symbolic link?"]),
    ("What distinguishes a rule from a law?", ["What is a rule?", "What is a law?"]),
    ("In what way is a rule unlike a law?", ["What is a rule?", "What is a law?"]),
    ("A rule or a law: what's the difference?", ["What is a rule?", "What is a law?"]),
    ("variance vs standard deviation", ["What is variance?", "What is standard deviation?"]),
]


@pytest.mark.parametrize("question", ONE)
def test_a_plain_question_is_one_goal(question: str) -> None:
    made = strategy(question)
    assert [goal.question for goal in made.goals] == [question]
    assert made.condition == "G1"


@pytest.mark.parametrize(("question", "parts"), SEVERAL)
def test_several_questions(question: str, parts: list[str]) -> None:
    made = strategy(question)
    assert [goal.question for goal in made.goals] == parts
    assert made.condition == " and ".join(f"G{number}" for number in range(1, len(parts) + 1))
    assert made.complexity is Complexity.SEVERAL


@pytest.mark.parametrize(("question", "parts"), COMPARED)
def test_comparisons(question: str, parts: list[str]) -> None:
    made = strategy(question)
    assert [goal.question for goal in made.goals] == parts
    assert made.complexity is Complexity.COMPARISON


@pytest.mark.parametrize("question", ["メリットとデメリットを論じよ", "少子化について議論せよ"])
def test_a_discussion_is_one_goal_that_looks_deeper(question: str) -> None:
    made = strategy(question)
    assert len(made.goals) == 1 and made.complexity is Complexity.COMPARISON


@pytest.mark.parametrize("question", ["", "  \n\t　", "???", "。、", "\u200b"])
def test_blank(question: str) -> None:
    with pytest.raises(InvalidParams, match="blank"):
        strategy(question)


def test_too_long() -> None:
    assert strategy("長" * MAX_CHARS).goals
    with pytest.raises(InvalidParams, match="2,000"):
        strategy("長" * (MAX_CHARS + 1))


def test_more_parts_than_can_be_followed_stay_one() -> None:
    assert len(strategy("、".join(f"指標{letter}" for letter in "ABCDEFGHIJKL") + "とは何か").goals) == 1


def test_a_lone_surrogate_is_taken() -> None:
    assert strategy("\ud800とは何か").question == "?とは何か"


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        (
            "この本の著者と、出版された年を教えてください",
            ["この本の著者を教えて", "この本の出版された年を教えて"],
        ),
        (
            "受付の場所と、持ち物、それから締切を知りたいです",
            ["受付の場所を教えて", "受付の持ち物を教えて", "受付の締切を教えて"],
        ),
        ("決定係数と、その求め方を教えて", ["決定係数を教えて", "決定係数の求め方を教えて"]),
        ("雨が降ると、何が起きるかを教えて", ["雨が降ると、何が起きるかを教えて"]),
        ("設定を変えると、動かなくなる理由を教えて", ["設定を変えると、動かなくなる理由を教えて"]),
    ],
)
def test_things_that_one_wants_to_be_told_are_goals_of_their_own(question: str, parts: list[str]) -> None:
    assert [goal.question for goal in strategy(question).goals] == parts


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


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        (
            "休憩は何分、深夜労働の割増は何割、解雇の予告は何日前？",
            ["休憩は何分", "深夜労働の割増は何割", "解雇の予告は何日前？"],
        ),
        ("検査は誰が行い、記録は何年保存しますか", ["検査は誰が行い", "検査では、記録は何年保存しますか"]),
        (
            "講座は何回休むと失格で、補講はいつ受けられ、費用は誰が払うのか",
            ["講座は何回休むと失格で", "補講はいつ受けられ", "講座では、費用は誰が払うのか"],
        ),
        (
            "避難訓練は年に何回行うもので、費用は誰が持つのでしょうか。",
            ["避難訓練は年に何回行うもので", "避難訓練では、費用は誰が持つのでしょうか。"],
        ),
        (
            "会費は月にいくらで、途中でやめることはできますか",
            ["会費は月にいくらで", "途中でやめることはできますか"],
        ),
        (
            "Who founded the club, where did it meet, and in what year was it closed?",
            [
                "Who founded the club",
                "Who founded the club where did it meet",
                "Who founded the club in what year was it closed?",
            ],
        ),
        (
            "According to the coach who left, why do players quit?",
            ["According to the coach who left, why do players quit?"],
        ),
        ("夏目漱石はいつ、どこで生まれたか", ["夏目漱石はいつ、どこで生まれたか"]),
        ("火災のとき、最初に何をするか", ["火災のとき、最初に何をするか"]),
        ("対策としての訓練は、何回行うか", ["対策としての訓練は、何回行うか"]),
    ],
)
def test_clauses_that_each_ask_are_goals_of_their_own(question: str, parts: list[str]) -> None:
    assert [goal.question for goal in strategy(question).goals] == parts


def test_a_head_that_both_names_share_is_no_point_of_theirs() -> None:
    goals = strategy("第一種の過誤と第二種の過誤の違いは何か").goals
    assert [goal.question for goal in goals] == ["第一種の過誤とは何か", "第二種の過誤とは何か"]


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        (
            "本館と別館では、開館時間はどう違う？",
            ["本館の開館時間", "別館の開館時間"],
        ),
        (
            "自分で作る場合と、店で買う場合とで、費用はどう違うのか",
            ["自分で作る場合の費用", "店で買う場合の費用"],
        ),
        ("木材と竹材の長所と短所を比較してください", ["木材の長所と短所", "竹材の長所と短所"]),
        (
            "木材と竹材、それぞれの短所は何ですか。比べて教えてください。",
            ["木材の短所は何ですか", "竹材の短所は何ですか"],
        ),
    ],
)
def test_the_point_of_a_comparison_is_asked_of_each(question: str, parts: list[str]) -> None:
    assert [goal.question for goal in strategy(question).goals] == parts
