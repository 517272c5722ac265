"""Where a question falls into parts, and above all where it does not."""

from __future__ import annotations

from shisho.librarian.splitting import split_lead, split_parts, split_sides
from shisho.librarian.strategy import strategy
from tests.librarian.asked_questions import read_questions
from tests.tables import each_row

MAX_MISREAD = 2
SIDES = [
    ("真鍮と青銅の違いは何か", ["真鍮とは何か", "青銅とは何か"]),
    ("『罪と罰』と『白痴』の違いは何か", ["『罪と罰』とは何か", "『白痴』とは何か"]),
    ("真鍮、青銅および白銅の硬さの差は？", ["真鍮の硬さ", "青銅の硬さ", "白銅の硬さ"]),
    ("第一種の過誤と第二種の過誤の違いは何か", ["第一種の過誤とは何か", "第二種の過誤とは何か"]),
    ("木材と竹材の長所と短所を比較してください", ["木材の長所と短所", "竹材の長所と短所"]),
    (
        "自分で作る場合と、店で買う場合とで、費用はどう違うのか",
        ["自分で作る場合の費用", "店で買う場合の費用"],
    ),
    (
        "統計学において、偏差と誤差はどう違うか",
        ["統計学において、偏差とは何か", "統計学において、誤差とは何か"],
    ),
    ("What is the difference between a rule and a law?", ["What is a rule?", "What is a law?"]),
    ("Compare TCP with UDP", ["What is TCP?", "What is UDP?"]),
    ("How do lasso and ridge differ?", ["What is lasso?", "What is ridge?"]),
    ("lasso vs. ridge", ["What is lasso?", "What is ridge?"]),
    ("本実験と対照実験の中で違いを見つけていく手法を何というか。", []),
    ("主張の違いから対立した党員は誰か", []),
    ("何と何の違いを調べますか", []),
    ("従来法と比べた精度と速度の違いは何か", []),
    ("従来法と比較した精度と速度の違いは何か", []),
    ("昨年と比較すると売上と利益はどう違うか", []),
    ("比較例と実施例の違いは何か", ["比較例とは何か", "実施例とは何か"]),
    ("What is the difference between the speed of sound in air and in water?", []),
]
PARTS = [
    ("平均と分散はそれぞれ何ですか", ["平均は何ですか", "分散は何ですか"]),
    ("机と棚はそれぞれどちらの部屋ですか", ["机はどちらの部屋ですか", "棚はどちらの部屋ですか"]),
    ("平均値と中央値、それぞれの長所は何か", ["平均値の長所は何か", "中央値の長所は何か"]),
    ("日本の首都とフランスの首都はそれぞれどこか", ["日本の首都はどこか", "フランスの首都はどこか"]),
    (
        "業種の現状と今後の見通しについてそれぞれ説明してください",
        ["業種の現状について説明してください", "今後の見通しについて説明してください"],
    ),
    ("棚と机の幅はそれぞれ何センチか", ["棚の幅は何センチか", "机の幅は何センチか"]),
    ("棚の色は青いか。机の幅は広いか。", ["棚の色は青いか。", "机の幅は広いか。"]),
    ("過学習とは何か、なぜ起こるか", ["過学習とは何か", "過学習 → なぜ起こるか"]),
    ("源氏物語の作者は誰か。また、枕草子の作者は誰か。", ["源氏物語の作者は誰か。", "枕草子の作者は誰か。"]),
    ("休憩は何分、深夜労働の割増は何割？", ["休憩は何分", "深夜労働の割増は何割？"]),
    ("検査は誰が行い、記録は何年残しますか", ["検査は誰が行い", "検査 → 記録は何年残しますか"]),
    (
        "新しい棚です。幅はいくらですか。色は何色ですか。",
        ["新しい棚です。幅はいくらですか。", "新しい棚です。色は何色ですか。"],
    ),
    ("①棚の幅、②棚の色を教えて", ["棚の幅", "棚の色を教えて"]),
    (
        "1. Who signs the form? 2. Where is it sent?",
        ["Who signs the form?", "Who signs the form → Where is it sent?"],
    ),
    ("What is R squared and how is it computed?", ["What is R squared", "R squared → how is it computed?"]),
    (
        "Who paid for the hall, and when was the roof repaired?",
        ["Who paid for the hall", "when was the roof repaired?"],
    ),
]
ONE = """夏目漱石はいつ、どこで生まれたか
火災のとき、最初に何をするか
ハイチでは何年以上、コレラの発生がなかったか。
「分散、平均」とは何か
棚とは何か。具体的に説明してください。
夏は北陸地方よりも長い？短い？
昨年に比べて売上と利益はそれぞれいくらか
従来法との比較と今後の見通しはそれぞれ何か
白山水力は福井県と石川県のどちらにありますか
和合発電所と和知野発電所がそれぞれ設置した導水路の距離が長いのはどちらですか?
2. の項目と 5. の項目は何か
1. 棚の幅を教えて
棚の色は何か。違法ですか。
Who is the man who was born in Paris and who was killed in Rome?
According to the coach who left, why do players quit?
How long and why do members wait?
How and when did the war begin?""".splitlines()


@each_row(("question", "sides"), SIDES)
def test_sides_are_told_apart_only_where_a_difference_is_asked_for(question: str, sides: list[str]) -> None:
    assert list(split_sides(question)) == sides


@each_row(("question", "parts"), PARTS)
def test_clear_separators_split(question: str, parts: list[str]) -> None:
    assert list(split_parts(question)) == parts


@each_row("question", ONE)
def test_nothing_else_splits(question: str) -> None:
    assert split_parts(question) == ()


def test_what_is_told_first_is_told_from_what_is_asked() -> None:
    assert split_lead("棚を足した。幅はいくらか。色は？") == ("棚を足した。", "幅はいくらか。色は？")
    assert split_lead("棚とは何か → 幅はいくらか") == ("棚とは何か → ", "幅はいくらか")
    assert split_lead("幅はいくらか。棚を足した。") == ("", "幅はいくらか。棚を足した。")


def test_forty_questions_have_the_parts_that_they_were_written_with() -> None:
    rows = read_questions("parts")
    misread = [row["question"] for row in rows if not _fits(row["question"], row["parts"])]
    assert len(rows) == 40
    assert len(misread) <= MAX_MISREAD, misread


def _fits(question: str, parts: list[str]) -> bool:
    goals = [goal.question for goal in strategy(question).goals]
    return len(goals) == len(parts) and all(part in goal for goal, part in zip(goals, parts, strict=True))
