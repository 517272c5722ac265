"""A sentence stands on its quotations, or is shown not to."""

import pytest

from shisho.librarian.support import check

FIT = "決定係数 R² は，1 に近いほどモデルの当てはまりが良いことを示す。"


@pytest.mark.parametrize(
    ("sentence", "quotation"),
    [
        ("決定係数は１に近いほど当てはまりが良い。", FIT),
        ("相関は因果を意味しない。", "相関関係は因果関係を意味しない。"),
        ("二つの変数が無関係とは限らない。", "二つの変数が無関係だとは限らない。"),
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
        ("B社がA社を買収した。", "A社がB社を買収した。", "role"),
        ("増税のため景気が悪化した。", "景気が悪化したため増税した。", "role"),
        ("東京が大阪より大きい。", "大阪が東京より大きい。", "role"),
        ("Boeing bought Airbus in 1998.", "Airbus bought Boeing in 1998.", "role"),
        ("この薬は頭痛を必ず引き起こす。", "この薬は頭痛を引き起こす。", "quantifier"),
        ("この薬は頭痛を引き起こす。", "この薬は頭痛を引き起こす可能性がある。", "hedge"),
        ("気温が下がると増える。", "気温が上がると増える。", "direction"),
        ("二つの変数は無関係である。", "二つの変数が無関係だとは限らない。", "negation"),
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
    assert support.outcome != "supported"


def test_nothing_is_supported_by_nothing() -> None:
    assert check("平均は外れ値の影響を受けやすい。", [], (), "平均の欠点は何か").outcome == "altered"
