"""A sentence stands on its quotations, or is shown not to."""

import pytest

from shisho.librarian.support import check, connective, contradiction

FIT = "決定係数 R² は，1 に近いほどモデルの当てはまりが良いことを示す。"


@pytest.mark.parametrize(
    ("sentence", "quotation"),
    [
        ("決定係数は１に近いほど当てはまりが良い。", FIT),
        ("相関は因果を意味しない。", "相関関係は因果関係を意味しない。"),
        ("2024年に創業した。", "令和6年5月に創業した。"),
        ("三千人が参加した。", "３，０００人が参加した。"),
        ("距離は12キロメートルである。", "距離は12㎞だった。"),
        ("The wing was tested in 1998.", "In 1998 the wing was tested by NACA."),
        ("届けを出さなければならない。", "届けを出す必要がある。届けを出さなければならない。"),
    ],
)
def test_supported(sentence: str, quotation: str) -> None:
    assert check(sentence, [quotation]).missing == ()


@pytest.mark.parametrize(
    ("sentence", "quotation", "missing"),
    [
        ("決定係数は0に近いほど当てはまりが良い。", FIT, "0"),
        ("相関は因果を意味する。", "相関関係は因果関係を意味しない。", "negation"),
        ("この薬は有効でない。", "この薬は有効である。", "negation"),
        ("2023年に創業した。", "令和6年5月に創業した。", "2023"),
        ("トヨタが2024年に創業した。", "令和6年5月に創業した。", "トヨタ"),
        ("10²個ある。", "102個ある。", "10^2個"),
        ("距離は12mである。", "距離は12㎞だった。", "12m"),
        ("The wing was not tested.", "In 1998 the wing was tested by NACA.", "negation"),
        ("Boeing tested the wing.", "In 1998 the wing was tested by NACA.", "boeing"),
        ("平均は外れ値の影響を受けやすい。", FIT, "words"),
    ],
)
def test_unsupported(sentence: str, quotation: str, missing: str) -> None:
    support = check(sentence, [quotation])
    assert missing in support.missing
    assert not support.supported


def test_nothing_is_supported_by_nothing() -> None:
    assert not check("平均は外れ値の影響を受けやすい。", [], "平均の欠点は何か").supported


def test_what_a_sentence_adds_to_the_question_must_be_quoted() -> None:
    question = "豊橋駅の駅長は誰か"
    assert check("豊橋駅の駅長は山田太郎である。", ["駅長は山田太郎であった。", "豊橋駅"], question).supported
    assert not check("豊橋駅の駅長は助役である。", ["駅長は山田太郎であった。", "豊橋駅"], question).supported


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("以下の通りです。", True),
        ("これについて資料は次のように述べています。", True),
        ("The documents say the following.", True),
        ("決定係数について述べます。", True),
        ("トヨタは強い。", False),
        ("回帰分析の話です。", False),
        ("3つあります。", False),
        ("1998年のことです。", False),
        ("NASA found it.", False),
    ],
)
def test_connective(sentence: str, expected: bool) -> None:
    assert connective(sentence, "決定係数とは何か") is expected


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("東京の人口は1400万人である。", "東京の人口は1300万人である。", "number"),
        ("東京の人口は1400万人である。", "東京の人口は14,000,000人だ。", ""),
        ("開業は1998年である。", "開業は2001年である。", "date"),
        ("開業は1998年である。", "開業は平成10年である。", ""),
        ("この薬は有効である。", "この薬は有効でない。", "negation"),
        ("鏡ヶ淵湖の最大水深は45メートルである。", "鏡ヶ淵湖の湖面の標高は727メートルである。", ""),
        ("富士山は3776mである。", "富士山の高さは3774mである。", "number"),
        ("富士山の高さは3776mである。", "東京の人口は1400万人である。", ""),
        ("The bridge opened in 1998.", "The bridge opened in 2001.", "date"),
    ],
)
def test_contradictions(one: str, other: str, expected: str) -> None:
    assert contradiction(one, other) == expected == contradiction(other, one)
