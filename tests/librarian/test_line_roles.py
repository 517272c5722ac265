"""What part a line plays: said, listed, announced, a heading, a question, or only printed."""

import pytest

from shisho.librarian.line_roles import LineRole, announces, mark, roles


@pytest.mark.parametrize(
    ("line", "role"),
    [
        ("試用期間は、勤続年数に通算する。", LineRole.PROSE),
        ("就業規則の届出については電子申請でも行うことが可能です。", LineRole.PROSE),
        ("The boundary layer separates because the pressure rises.", LineRole.PROSE),
        ("① 住民票記載事項証明書", LineRole.ITEM),
        ("● B 個の仮説からなるビームを利用", LineRole.ITEM),
        ("最大潮位は 2.31 m", LineRole.PROSE),
        ("定員: 50名", LineRole.PROSE),
        ("日時：6月15日（日） 13時", LineRole.PROSE),
        ("参加費: 1,200円", LineRole.PROSE),
        ("演習: 2次関数", LineRole.HEADING),
        ("第2回: 回帰", LineRole.HEADING),
        ("（休職）", LineRole.HEADING),
        ("【第５条 採用時の提出書類】", LineRole.HEADING),
        ("適切な NIST AAL レベルの選択", LineRole.HEADING),
        ("標的型攻撃とは何か。", LineRole.QUESTION),
        ("What is a proxy?", LineRole.QUESTION),
        ("問4 二つの語のうち、どちらの idf が大きいか。", LineRole.QUESTION),
        ("散布図を描き、回帰直線と決定係数を求めなさい。", LineRole.QUESTION),
        ("労働者は速やかに会社に届け出なければならない。", LineRole.PROSE),
        ("- 12 -", LineRole.REST),
        ("1 / 8 ページ", LineRole.REST),
        ("−4 −2 0 2 4 予測値残差", LineRole.REST),
        ("✓ ✓ ✓ 640 5.1.1.2", LineRole.REST),
        ("４月 ５月 １５日 ６月 ７月", LineRole.REST),
        (") / V | # 1-gram の平滑化された確率", LineRole.REST),
        ("必須", LineRole.REST),
        ("V2.1 パスワードセキュリティ要件 ..................31", LineRole.REST),
        ("第７章 定年、退職及び解雇………………………………………６６", LineRole.REST),
        ("hakusho_01.indd 23", LineRole.REST),
        ("λwi−1 =1− u(wi−1 )", LineRole.REST),
        ("c(Tokyo city) = 40 c(Tokyo is) = 35 …", LineRole.REST),
        ("λ2=0.95,λ1=0.90", LineRole.REST),
        ("れます。", LineRole.REST),
        ("また、時間給の場合", LineRole.REST),
    ],
)
def test_role(line: str, role: LineRole) -> None:
    assert roles([line], "") == [role]


def test_under_contents_a_line_without_an_end_is_printed_only() -> None:
    assert roles(["第１３条（セクシュアルハラスメントの禁止）"], "就業規則 › 目 次") == [LineRole.REST]
    assert roles(["第１３条（セクシュアルハラスメントの禁止）"], "就業規則 › 第２章") == [LineRole.HEADING]


def test_a_line_that_announces_leads_what_is_listed_below_it() -> None:
    lines = ["次の書類を提出しなければならない。", "① 住民票記載事項証明書", "② 運転免許証の写し"]
    assert roles(lines, "") == [LineRole.LEAD, LineRole.ITEM, LineRole.ITEM]
    assert roles([lines[0], "書類は返却しない。"], "") == [LineRole.PROSE, LineRole.PROSE]


def test_what_announces_a_heading_alone_is_a_heading() -> None:
    lines = ["● 係数の選択にも文脈を考慮：", "頻度の高い単語： Tokyo", "単語の頻度は文書の長さで変わる。"]
    assert roles(lines, "") == [LineRole.HEADING, LineRole.HEADING, LineRole.PROSE]


def test_a_row_of_a_table_says_something_and_its_labels_are_a_heading() -> None:
    lines = ["県\t森林面積\t森林率", "北界県\t5,536,144\t71%", "蒼野県\t633,209\t66%"]
    assert roles(lines, "統計 › 県 · 森林面積 · 森林率") == [LineRole.HEADING, LineRole.PROSE, LineRole.PROSE]


def test_numbers_before_what_heads_parts_of_the_text_make_no_list() -> None:
    parts = [
        "1. 模擬店",
        "12団体から申請があった。",
        "火を使う団体は届け出る。",
        "2. 次回",
        "9月18日に開く。",
    ]
    heading, prose = LineRole.HEADING, LineRole.PROSE
    assert roles(parts, "議事録") == [heading, prose, prose, heading, prose]
    steps = ["1. 申請書", "2. 本人確認書類", "3. 手数料", "窓口で払う。"]
    assert roles(steps, "持ち物")[:3] == [LineRole.ITEM] * 3


def test_what_stands_behind_labels_is_told() -> None:
    assert roles(["主成分: ネムリジン\n色と形: 白色の錠剤"], "しおり") == [LineRole.PROSE]
    assert roles(["担当：鈴木", "場所：生徒会室"], "議事録") == [LineRole.PROSE] * 2
    assert roles(["第2部: 応用", "演習: 微分"], "目標") == [LineRole.HEADING] * 2


def test_a_row_at_the_end_is_whole() -> None:
    assert roles(["質量\t3.4kg", "運転音\t36dB(強)、20dB(弱)"], "仕様")[-1] is LineRole.PROSE


def test_an_upper_limit_announces_nothing() -> None:
    assert not announces("料金は中学生以下の者が300円です。")
    assert announces("料金は以下の者が300円です。")


def test_marks_of_one_kind_are_alike() -> None:
    assert mark("① 氏名") == mark("② 住所") != mark("（１） 氏名")
    assert mark("氏名") == 0
    assert announces("The following command generates it:") and not announces("Next of kin")


@pytest.mark.parametrize(
    ("line", "role"),
    [
        ("対象を 3 つの階調から選びます。", LineRole.LEAD),
        ("呼び出し方はつぎのいずれかです。", LineRole.LEAD),
        ("The press has three parts.", LineRole.LEAD),
        ("階調の調整はここで終わります。", LineRole.PROSE),
    ],
)
def test_a_sentence_that_counts_the_items_below_announces_them(line: str, role: LineRole) -> None:
    assert roles([line, "• 影の部分に限る。", "• 光の部分に限る。"], "")[0] is role
    assert roles([line, "影の部分に限る。", "光の部分に限る。"], "")[0] is LineRole.PROSE
