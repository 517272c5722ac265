"""Which sentences are taken as answers, in both languages, and what is not taken."""

import time
from collections.abc import Sequence

import pytest

from shisho.domain.corpus import NumberedPassage
from shisho.domain.inquiry import EvidenceRef, Finding, Goal
from shisho.language.terms import fold, terms
from shisho.librarian.evaluate import ENOUGH, OFF_TOPIC, QUOTED_CHARS, QUOTES, select, terms_wanted

STATISTICS = NumberedPassage(
    1,
    "回帰分析では当てはまりの良さを測る。決定係数 R² は、目的変数の変動のうち回帰式で説明される割合である。"
    "決定係数が0に近いとき、回帰式は目的変数をほとんど説明していない。標本の大きさは120であった。",
    "決定係数",
    0.9,
)
HISTORY = NumberedPassage(
    2, "豊橋駅は1888年に開業した。開業のとき、駅長は山田太郎であった。駅の南には川が流れる。", "豊橋駅", 0.8
)
WINGS = NumberedPassage(
    3,
    "The lift of swept wings was measured. The boundary layer separates because the pressure rises along the chord. "
    "Twelve models were tested at Langley in 1952.",
    "swept wings",
    0.7,
)
ALL = (STATISTICS, HISTORY, WINGS)


def found(
    question: str, shown: Sequence[NumberedPassage] = ALL, held: Sequence[EvidenceRef] = ()
) -> list[Finding]:
    goals = [Goal("G1", question)]
    return select(shown, goals, held, rarity(goals))


def rarity(goals: Sequence[Goal]) -> dict[str, float]:
    """As in a corpus: what none of these passages has is rare."""
    there = set(terms(fold(" ".join(one.heading + one.text for one in ALL))))
    return {term: 2.0 if term in there else 6.0 for term in terms_wanted(goals)}


@pytest.mark.parametrize(
    ("question", "index", "part"),
    [
        ("決定係数とは何か", 1, "割合である"),
        ("決定係数が0に近いとき何を意味するか", 1, "ほとんど説明していない"),
        ("豊橋駅が開業したのはいつか", 2, "1888年"),
        ("豊橋駅の開業のときの駅長は誰か", 2, "山田太郎"),
        ("Why does the boundary layer separate?", 3, "because the pressure rises"),
        ("How many models were tested at Langley?", 3, "Twelve models"),
    ],
)
def test_the_answering_sentence_comes_first(question: str, index: int, part: str) -> None:
    first = found(question)[0]
    assert (first.index, part in first.snippet, first.score >= ENOUGH) == (index, True, True)


@pytest.mark.parametrize(
    "question",
    [
        "豊橋駅が廃止されたのはいつか",
        "中央値の欠点は何か",
        "1752年に豊橋を治めたのは誰か",
        "What is the drag of a delta wing at Mach 3?",
    ],
)
def test_what_is_not_there_is_not_enough(question: str) -> None:
    assert all(finding.score < ENOUGH for finding in found(question))


def test_snippets_are_verbatim_few_and_short() -> None:
    line = "標本の平均は母集団の平均に近づく。"
    shown = NumberedPassage(
        7,
        "".join(f"第{n}章では標本の平均と母集団の平均の関係を{n}通りに述べる。" for n in range(1, 40)) + line,
        "標本",
        1.0,
    )
    findings = found("標本の平均と母集団の平均の関係は何か", [shown])
    assert 0 < len(findings) <= QUOTES
    assert sum(len(finding.snippet) for finding in findings) <= QUOTED_CHARS
    assert all(finding.snippet in shown.text for finding in findings)


def test_a_long_sentence_is_cut_to_its_clauses() -> None:
    filler = "、".join(f"昔の暦には多くの祭りの日が記され{n}の村がそれを守り" for n in range(6))
    shown = NumberedPassage(
        1, f"{filler}、その後の調べでは、豊橋駅は1888年に開業し、町の中心となった。", "", 1.0
    )
    snippet = found("豊橋駅が開業したのはいつか", [shown])[0].snippet
    assert "1888年" in snippet
    assert len(snippet) < len(shown.text) / 2
    assert snippet in shown.text


def test_words_broken_by_line_ends_are_whole() -> None:
    shown = NumberedPassage(1, "豊橋\n駅は1888年に開\n業した。", "", 1.0)
    assert found("豊橋駅が開業したのはいつか", [shown])[0].score >= ENOUGH


def test_doubles_are_not_taken_again() -> None:
    first = found("豊橋駅が開業したのはいつか")[0]
    held = [EvidenceRef(1, "G1", first.snippet, HISTORY.heading, first.score, 1)]
    assert first.snippet not in [
        finding.snippet for finding in found("豊橋駅が開業したのはいつか", held=held)
    ]


def test_what_was_near_is_joined_only_by_what_is_nearer() -> None:
    question = "豊橋駅が廃止されたのはいつか"
    near = found(question)
    assert 0 < near[0].score < ENOUGH
    assert found(question, held=[EvidenceRef(1, "G1", "別の記述", "", near[0].score + 0.01, 1)]) == []
    assert found(question, held=[EvidenceRef(1, "G1", "別の記述", "", near[0].score - 0.01, 1)])[0] == near[0]


def test_each_goal_is_answered_for_itself() -> None:
    goals = [Goal("G1", "豊橋駅が開業したのはいつか"), Goal("G2", "決定係数とは何か")]
    findings = select(ALL, goals, [], rarity(goals))
    assert {(finding.goal_id, finding.index) for finding in findings if finding.score >= ENOUGH} == {
        ("G1", 2),
        ("G2", 1),
    }


def test_nothing_shown_or_nothing_known_of_rarity() -> None:
    assert found("決定係数とは何か", []) == []
    assert select(ALL, [Goal("G1", "決定係数とは何か")], [], {})
    assert found("？？") == []
    assert select([NumberedPassage(1, "", "", 0.0)], [Goal("G1", "？？")], [], {}) == []


def test_twenty_passages_are_read_in_time() -> None:
    shown = [NumberedPassage(n, f"{n}番目の町では、" + STATISTICS.text * 4, "町", 0.5) for n in range(20)]
    found("今日は何の日か", shown[:1])  # the dictionary is loaded once
    started = time.process_time()
    found("決定係数が0に近いとき何を意味するか", shown)
    assert time.process_time() - started < 0.3


@pytest.mark.parametrize(
    ("question", "text", "part"),
    [
        # What is only printed answers nothing, however well it matches.
        (
            "標的型攻撃とは何か",
            "標的型攻撃とは何か。\n\n標的型攻撃とは、特定の組織を狙う攻撃である。\n\n標的型攻撃 ........ 12",
            "狙う攻撃である",
        ),
        ("休職とは何か", "（休職）\n\n休職とは、就労の義務を一時免れる扱いをいう。", "扱いをいう"),
        # A number is a unit.
        (
            "第4条には何が書かれていますか",
            "第４条 会社は選考試験を行う。\n\n第５条 会社は休日を定める。",
            "選考試験",
        ),
        # A name that lacks a long vowel.
        (
            "勤務間インタバル制度とは何か",
            "勤務間インターバル制度とは、終業から始業までに休みを置くことをいう。",
            "休みを置く",
        ),
        # A superlative in other words.
        ("一番大きい島はどこか", "最大の島は淡路島である。", "淡路島"),
    ],
)
def test_the_line_that_answers_is_quoted(question: str, text: str, part: str) -> None:
    findings = found(question, [NumberedPassage(1, text, "", 0.9)])
    assert part in findings[0].snippet
    assert findings[0].score >= ENOUGH
    assert "........" not in "".join(finding.snippet for finding in findings)
    assert question not in "".join(finding.snippet for finding in findings)


@pytest.mark.parametrize(
    ("question", "text", "part"),
    [
        (
            "研修センターの宿泊棟を平日に友人と二人で利用し、朝食も付ける場合、一人当たりの料金はいくらになりますか",
            "研修センターの宿泊棟は県の施設である。宿泊棟を平日に利用する料金は、朝食付きで一人4,200円である。",
            "4,200円",
        ),
        (
            "市民講座に申し込んだ後で都合が悪くなった65歳以上の受講者は、開講の何日前までに連絡すればよいですか",
            "市民講座の受講者は、都合が悪くなったときは、開講の5日前までに連絡すればよい。",
            "5日前",
        ),
        (
            "How many days before the course begins must a member who can no longer come tell the office by e-mail?",
            "A member who cannot come tells the office at least five days before the course begins.",
            "five days",
        ),
    ],
)
def test_a_long_question_is_answered_by_a_sentence_with_few_of_its_words(
    question: str, text: str, part: str
) -> None:
    first = found(question, [NumberedPassage(1, text, "", 0.7), *ALL])[0]
    assert part in first.snippet and first.score >= ENOUGH


def test_what_the_passage_names_need_not_be_named_by_the_sentence_again() -> None:
    text = "TNG50は銀河の成り立ちを追う計算である。昔の計算より細かい。必要なコアの数は16,000個であった。"
    first = found("TNG50の計算に必要なコアの数はいくつか", [NumberedPassage(1, text, "", 0.9)])[0]
    assert "16,000" in first.snippet and first.score >= ENOUGH


@pytest.mark.parametrize(
    ("question", "text", "heading"),
    [
        ("平等院鳳凰堂を建てたのは誰か", "中尊寺金色堂を建てたのは藤原清衡である。", "中尊寺"),
        ("JPCERT/CCの電話番号は何番ですか", "電話番号は03-1234-5678です。", "文化センターの利用"),
        ("第200条には何が書かれていますか", "第20条には休暇について書かれている。", "就業規則"),
        ("ASVS 5.0で加わった要件は何ですか", "ASVSで加わった要件は5つある。", "ASVS"),
        ("厚生労働大臣は誰ですか", "厚生労働大臣が定めるものを除く。", "就業規則"),
        ("制度が変わったのはなぜですか", "制度が変わったのは春である。", "制度"),
    ],
)
def test_what_lacks_the_thing_asked_about_is_no_answer(question: str, text: str, heading: str) -> None:
    assert all(
        finding.score < ENOUGH for finding in found(question, [NumberedPassage(1, text, heading, 0.9)])
    )


def test_the_list_comes_first_where_a_list_is_asked_for() -> None:
    text = (
        "就業規則の必要記載事項には法律の定めがある。\n\n必要記載事項は次のとおりです。\n\n(1) 労働時間\n\n"
    )
    text += "(2) 賃金\n\n(3) 退職"
    first = found("就業規則の必要記載事項を3つ挙げよ", [NumberedPassage(1, text, "就業規則", 0.9)])[0]
    assert "(1) 労働時間" in first.snippet and "(3) 退職" in first.snippet
    assert first.score >= ENOUGH


def test_steps_come_first_where_a_way_is_asked_for() -> None:
    text = "付録のショートカットは設定で無効にできず困る。\n\n以下、その手順。\n\n設定を開く。\n\n「なし」を選ぶ。"
    passage = NumberedPassage(1, text, "ショートカットを無効にする方法", 0.9)
    first = found("ショートカットを無効にするにはどうすればいい？", [passage])[0]
    assert first.snippet.endswith("「なし」を選ぶ。")


def test_what_has_a_property_may_lack_its_name() -> None:
    text = "● ビーム探索：\n\n● 低確率の仮説を枝刈り\n\n● 近似解なので、精度の低下あり"
    passage = NumberedPassage(1, text, "ビーム探索とA*探索", 0.9, title="ビーム探索")
    assert max(finding.score for finding in found("ビーム探索の短所は何ですか", [passage])) > OFF_TOPIC


def test_a_list_that_goes_on_overleaf_is_quoted_in_two_quotations() -> None:
    lead = "就業規則の必要記載事項は次のとおりです。"
    passage = NumberedPassage(1, lead, "就業規則", 0.9, overleaf="\n\n① 労働時間\n\n② 賃金\n\n会社は守る。")
    findings = found("就業規則の必要記載事項を挙げよ", [passage])
    assert [finding.snippet for finding in findings] == [lead, "① 労働時間\n\n② 賃金"]


def test_a_sentence_that_goes_on_overleaf_is_quoted_to_its_end_in_two_quotations() -> None:
    text = "年休の時季指定では、労働者の意見を聴いた上で、面談などにより希望を確認することが考えら"
    rest = "れます。会社は守る。"
    passage = NumberedPassage(1, text, "年休", 0.9, overleaf=rest)
    findings = found("年休の時季指定では労働者の希望をどう確認するか", [passage])
    assert [finding.snippet for finding in findings] == [text, "れます。"]
    whole = NumberedPassage(1, f"{text}れる", "年休", 0.9, overleaf=rest)
    assert [
        finding.snippet for finding in found("年休の時季指定では労働者の希望をどう確認するか", [whole])
    ] == [f"{text}れる"]


def test_what_says_something_of_a_thing_is_no_answer_to_what_it_is() -> None:
    said = "決定係数が大きくても、因果関係の証拠にはならない。決定係数は相関係数の2乗に等しい。"
    defined = "決定係数（R-squared）R² は、全変動のうち回帰式で説明できる変動の割合である。"
    near = found("決定係数とは何か", [NumberedPassage(1, said, "回帰分析", 0.9)])
    assert near and max(finding.score for finding in near) < ENOUGH
    (first, *_) = found("決定係数とは何か", [NumberedPassage(1, said + defined, "回帰分析", 0.9)])
    assert first.snippet == defined and first.score >= ENOUGH


def test_a_comparison_of_what_numbers_tell_apart_names_all_of_them() -> None:
    one = "レベル 1 は機会主義的な攻撃者から守る。"
    question = "レベル1とレベル2で想定している攻撃者の違いを教えてください"
    near = found(question, [NumberedPassage(1, one, "検証レベル", 0.9)])
    assert max((finding.score for finding in near), default=0) < ENOUGH
    both = one + "レベル 2 は動機のある攻撃者から守る。"
    assert (
        max(finding.score for finding in found(question, [NumberedPassage(1, both, "検証レベル", 0.9)]))
        >= ENOUGH
    )


def test_of_two_kinds_the_one_that_is_asked_for_comes_first() -> None:
    text = "第二種の過誤とは、帰無仮説が誤りなのに棄却しない誤りである。第一種の過誤とは、正しいのに棄却する誤りである。"
    (first, *_) = found("第一種の過誤とは何か", [NumberedPassage(1, text, "仮説検定", 0.9)])
    assert first.snippet.startswith("第一種")


@pytest.mark.parametrize(
    ("question", "answer", "other"),
    [
        (
            "品番101の部品の重さは",
            "品番101の部品の重さは8グラムである。",
            "品番10101の部品の重さは108グラムである。",
        ),
        ("会議室203の定員は何名か", "会議室203は定員は8名である。", "会議室1203は定員は30名である。"),
        ("EX-200の消費電力は", "EX-200の消費電力は45ワットである。", "EX-2000の消費電力は450ワットである。"),
        ("What does error 404 mean?", "Error 404 means no page.", "Error 4041 means a full disk."),
    ],
)
def test_of_things_that_numbers_tell_apart_only_the_one_asked_for_answers(
    question: str, answer: str, other: str
) -> None:
    near = [NumberedPassage(1, other, "", 0.9)]
    both = [*near, NumberedPassage(2, answer, "", 0.5)]
    assert [finding.snippet for finding in found(question, both) if finding.score >= ENOUGH] == [answer]
    assert max((finding.score for finding in found(question, near)), default=0) < ENOUGH


def test_a_line_is_of_the_thing_that_its_documents_title_names() -> None:
    manuals = [
        NumberedPassage(
            number, f"消費電力は{number}ワットである。", "仕様", 0.9, title=f"EX-{number} 取扱説明書"
        )
        for number in (200, 2000)
    ]
    answers = [finding for finding in found("EX-200の消費電力は", manuals) if finding.score >= ENOUGH]
    assert [finding.snippet for finding in answers] == ["消費電力は200ワットである。"]
    assert not [finding for finding in found("EX-20の消費電力は", manuals) if finding.score >= ENOUGH]


def test_what_compares_two_things_comes_first_and_once() -> None:
    text = (
        "腺ペストとは、リンパ節が腫れるペストの一種である。肺ペストとは、肺に広がったペストをいう。"
        "腺ペストはリンパ節を侵すのに対し、肺ペストは肺を侵す。"
    )
    goals = [Goal("G1", "腺ペストとは何か"), Goal("G2", "肺ペストとは何か")]
    findings = select([NumberedPassage(1, text, "ペスト", 0.9)], goals, (), rarity(goals))
    assert "対し" in findings[0].snippet
    assert sum("対し" in finding.snippet for finding in findings) == 1
    assert {finding.goal_id for finding in findings if finding.score >= ENOUGH} == {"G1", "G2"}


def test_a_heading_is_quoted_as_one_where_it_holds_the_date_asked_for() -> None:
    text = "スキルマップの改定履歴\n\n2016年4月19日 スキルマップ 第1.0版リリース\n\n誤りを直した。"
    shown = [NumberedPassage(1, text, "スキルマップ › 改定履歴", 0.9)]
    first = found("スキルマップの第1.0版がリリースされたのはいつか", shown)[0]
    assert (first.snippet, first.is_heading) == ("2016年4月19日 スキルマップ 第1.0版リリース", True)
    assert not any(finding.is_heading for finding in found("第1.0版のスキルマップで直したのは何か", shown))


def test_a_question_for_a_year_is_not_answered_by_a_sentence_without_a_time() -> None:
    dated = NumberedPassage(1, "豊橋図書協会が設立されたのは2008年である。", "豊橋図書協会", 0.9)
    undated = NumberedPassage(1, "豊橋図書協会は人材の育成のために設立された。", "豊橋図書協会", 0.9)
    question = "豊橋図書協会が設立されたのは何年ですか"
    assert found(question, [dated])[0].score >= ENOUGH
    assert all(finding.score < ENOUGH for finding in found(question, [undated]))


def test_what_the_title_of_the_document_names_need_not_be_named_by_the_passage_again() -> None:
    text = "ライセンスは MIT である。"
    question = "ナビゲーターXのライセンスは何ですか"
    untitled = NumberedPassage(1, text, "著作権", 0.6)
    titled = NumberedPassage(1, text, "著作権", 0.6, title="ナビゲーターXの手引き")
    assert all(finding.score < ENOUGH for finding in found(question, [untitled]))
    assert found(question, [titled])[0].score >= ENOUGH


def test_more_is_quoted_where_no_line_stands_out() -> None:
    alike = "".join(f"湖の水位は{place}で測られる。" for place in ("北岸", "南岸"))
    plain = "湖の水位は北岸で毎朝測られる。湖には鳥が多い。岸に宿がある。"
    question = "湖の水位はどこで測られるか"
    many, one = (found(question, [NumberedPassage(1, text, "湖", 0.9)]) for text in (alike, plain))
    assert len(many) == 2
    assert len(one) == 1 and "毎朝" in one[0].snippet


def test_a_passage_without_any_word_of_the_question_is_not_near() -> None:
    assert found("江戸幕府の初代将軍は誰か", [NumberedPassage(1, "猫は魚を好む。", "", 0.1)]) == []


def test_a_name_may_stand_in_another_passage_of_the_document() -> None:
    question = "ナビゲーターXを購入した人への保証期間は何年ですか"
    term = NumberedPassage(1, "購入した人への保証期間は3年である。", "保証期間", 0.7, title="手引き")
    named = NumberedPassage(2, "ナビゲーターXは船の位置を示す。", "", 0.4, title="手引き")
    other = NumberedPassage(2, "ナビゲーターXは船の位置を示す。", "", 0.4, title="別の手引き")
    assert found(question, [term, named])[0].score >= ENOUGH
    assert found(question, [term, other])[0].score < ENOUGH


def test_a_long_english_sentence_is_quoted_whole() -> None:
    text = (
        "The inspectors found a loaded pistol, three rifles, two shotguns and a great many rounds of ammunition in the "
        "cellar of the house, the office of the prosecutor said on Friday."
    )
    first = found("What did the inspectors find in the cellar?", [NumberedPassage(1, text, "", 0.9)])[0]
    assert first.snippet == text


def test_code_is_quoted_whole_as_it_stands() -> None:
    code = "import shisho\n\nasync def ask():\n    # 決定係数を計算する。終わり。\n    return r2(y)"
    shown = [
        NumberedPassage(1, code, "決定係数を計算するコード", 1.0, code=True),
        NumberedPassage(2, "猫は魚を好む。", "猫", 0.1),
    ]
    found = select(
        shown, [Goal("G1", "決定係数を計算するコードはどう書くか")], [], {"決定": 3.0, "係数": 3.0}
    )
    assert [finding.snippet for finding in found if finding.index == 1] == [code]


def test_what_only_says_the_question_again_is_no_answer() -> None:
    shown = NumberedPassage(1, "第2版 2017年10月28日に導入済み。", "第2版で導入済みの機能", 0.9)
    wanted = found("第2版で2017年10月28日に導入済みの機能を挙げてください。", (shown,))
    assert all(one.score < ENOUGH for one in wanted)
    assert found("第2版は2017年10月28日に導入済みですか。", (shown,))[0].score >= ENOUGH
    # Here the title is what is asked for.
    named = NumberedPassage(1, "炭素と水素だけからなる化合物である。", "炭化水素", 0.9)
    assert found("炭素と水素だけからなる化合物を何というか。", (named,))[0].score >= ENOUGH


@pytest.mark.parametrize(
    ("question", "text", "quoted"),
    [
        (
            "原油にかかるさまざまな税金を何と言うか",
            "原油にはさまざまな税金がかかっている。これを石油諸税と言う。税率は年ごとに改められる。",
            "原油にはさまざまな税金がかかっている。これを石油諸税と言う。",
        ),
        (
            "微生物が空気中に浮遊していることを証明したのは誰か",
            "この実験で、微生物が空気中に浮遊していることを証明した。パスツールの成果は見事であった。",
            "この実験で、微生物が空気中に浮遊していることを証明した。パスツールの成果は見事であった。",
        ),
        (
            "微生物が空気中に浮遊していることを証明したのは誰か",
            "微生物が空気中に浮遊していることをパスツールが証明した。山田太郎もこれに続いた。",
            "微生物が空気中に浮遊していることをパスツールが証明した。",
        ),
        (
            "原油にかかるさまざまな税金を何と言うか",
            "原油にはさまざまな税金がかかっている。税率は年ごとに改められる。",
            "原油にはさまざまな税金がかかっている。",
        ),
    ],
)
def test_the_sentence_behind_is_quoted_too_where_only_it_has_what_is_asked_for(
    question: str, text: str, quoted: str
) -> None:
    passage = NumberedPassage(1, text, "", 0.9)
    assert found(question, [passage])[0].snippet == quoted


def test_a_name_may_be_written_with_dots_or_without() -> None:
    passage = NumberedPassage(1, "アルバ、キュラソー、シント・マールテンが王国をなしている。", "王国", 0.9)
    assert found("アルバ、シントマールテンと王国をなしているのはどこか", [passage])[0].score >= ENOUGH


def test_a_list_of_changes_answers_what_is_asked_of_changes_alone() -> None:
    text = "• 第2版 特定の部品を自動の処理から外す指定を追加\n\n• 第3版 説明を改良"
    passage = NumberedPassage(1, text, "部品の手引き › 変更履歴", 0.9, title="部品の手引き")
    assert found("特定の部品を自動の処理から外すにはどうすればよいか", [passage])[0].score < ENOUGH
    assert found("特定の部品を自動の処理から外す指定が追加された版はどれか", [passage])[0].score >= ENOUGH


LOST = NumberedPassage(
    1, "受付は9時に開きます。領収書を無くした場合は、支払証明書を書いて代えることができます。", "精算", 0.5
)


def test_a_line_is_met_by_what_documents_say_for_the_word_that_is_asked_with() -> None:
    (first, *_) = found("精算でレシートを紛失したらどうすればよいですか", (LOST,))
    assert "支払証明書" in first.snippet


def test_nothing_is_an_answer_in_passages_that_are_beside_the_question() -> None:
    goals = [Goal("G1", "豊橋駅が開業したのはいつか")]
    plain = select(ALL, goals, (), rarity(goals))
    beside = select(ALL, goals, (), rarity(goals), are_beside=True)
    assert plain[0].score >= ENOUGH > beside[0].score
    assert plain[0].snippet == beside[0].snippet
