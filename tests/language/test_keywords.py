"""What a question comes to in a search box."""

from hypothesis import given, settings
from hypothesis import strategies as st

from shisho.language.keywords import Keyword, find_keywords
from tests.tables import each_row


@each_row(
    ("question", "words"),
    [
        ("決定係数とは何か", "決定係数"),
        ("決定係数が0に近いとき何を意味するか", "決定係数 0 近い"),
        ("相関係数が0.6のとき決定係数はいくつか", "相関係数 0.6 決定係数"),
        ("𠮷野家の𩸽定食はいくらか", "𠮷野家 𩸽定食"),
        ("한국어とは何か", "한국어"),
        ("富士山の標高は何メートルか", "富士山 標高"),
        ("閲覧席は何席か", "閲覧席"),
        ("2023年の日本の出生率はいくつか", "2023年 日本 出生率"),
        ("「吾輩は猫である」の作者は誰ですか", "吾輩は猫である 作者"),
        ("機械学習における過学習を防ぐ方法について教えてください", "機械学習 過学習 防ぐ 方法"),
        ("なぜ空は青いのか", "空 青い 理由"),
        ("東京都の人口は大阪府の人口の何倍か", "東京都 人口 大阪府"),
        ("徳川家康が江戸幕府を開いたのは何年か", "徳川家康 江戸幕府 開く"),
        ("標準偏差と標準誤差の違いを説明しなさい", "標準偏差 標準誤差 違い"),
        ("iPhone 15 Pro の重さは？", "iPhone 15 Pro 重さ"),
        ("ＡＩは仕事を奪うのか", "AI 仕事 奪う"),
        ("C++ と Rust の違い", "C++ Rust 違い"),
        ("What is the coefficient of determination?", "coefficient determination"),
        ("Why is the sky blue?", "Why sky blue"),
        ("霧ヶ丘灯台の高さは何メートルか", "霧ヶ丘灯台 高さ"),
        ("鏡ヶ淵湖の最大水深は何メートルか", "鏡ヶ淵湖 最大水深"),
        ("夕凪ノ浦の灯台はいつできたか", "夕凪ノ浦 灯台"),
        ("雨ケ岳と八ケ岳の標高の差は", "雨ケ岳 八ケ岳 標高 差"),
        ("月ノ瀬渓谷の長さ", "月ノ瀬渓谷 長さ"),
        ("佐々木ヶ原の代々木石の重さは", "佐々木ヶ原 代々木石 重さ"),
        ("鐘撞き堂の流れ橋はいつ架けられたか", "鐘撞き堂 流れ橋 架ける"),
        ("ヒグラシ峠とシロガネ沢トンネルの長さ", "ヒグラシ峠 シロガネ沢トンネル 長さ"),
        ("それはなぜ？", ""),
        ("何？", ""),
        ("😀", ""),
    ],
)
def test_what_is_typed(question: str, words: str) -> None:
    assert " ".join(one.text for one in find_keywords(question)) == words


def test_kinds_of_words() -> None:
    assert find_keywords("『源氏物語』を書いた人") == [
        Keyword("源氏物語", quoted=True),
        Keyword("書く", noun=False),
        Keyword("人"),
    ]


@given(st.text(max_size=80))
@settings(max_examples=200, deadline=None)
def test_any_text_is_taken(text: str) -> None:
    found = find_keywords(text)
    assert len({one.text for one in found}) == len(found) and all(one.text.strip() for one in found)
