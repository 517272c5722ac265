"""The Japanese table: what a reader types finds what the page has, through the whole way in and out."""

from __future__ import annotations

import pytest

from shisho.domain.corpus import Source
from shisho.services import Library

OTHERS = ["図書館の開館時間は九時である。", "昨日は雨が降った。", "犬が公園を走る。"]

TABLE = [
    ("分析", "回帰分析の手順を述べる。"),
    ("分析", "データを分析する。"),
    ("決定係数", "決定 係数が大きい。"),
    ("決定 係数", "決定係数が大きい。"),
    ("決定係数", "ここで決定\n係数を計算する。"),
    ("売上", "売り上げが伸びた。"),
    ("売り上げ", "売上が伸びた。"),
    ("サーバ", "サーバーを増やした。"),
    ("サーバー", "サーバを増やした。"),
    ("カタカナ", "ｶﾀｶﾅで書く。"),
    ("ｶﾀｶﾅ", "カタカナで書く。"),
    ("1", "①を選ぶ。"),
    ("①", "1を選ぶ。"),
    ("空港", "関西国際空港に着いた。"),
    ("関西国際空港", "関西国際空港に着いた。"),
    ("モデルの", "モデルを作る。"),
    ("モデル", "モデルの当てはまり。"),
    ("pandas", "PythonのPandasライブラリを使う。"),
    ("regression", "回帰分析（Regression analysis）を行う。"),
    ("(株)", "㈱司書の決算。"),
    ("株", "㈱司書の決算。"),
    ("㈱", "司書（株）の決算。"),
    ("有", "㈲司書の決算。"),
    ("社", "㈳司書協会の会員。"),
    ("代", "03-1234-5678㈹に掛ける。"),
    ("平成", "㍻元年の記録。"),
    ("令和", "㋿元年の記録。"),
    ("上", "小説㊤を読む。"),
    ("TEL", "℡で伝える。"),
    ("kg", "10㎏を運ぶ。"),
    ("キロ", "3㌔を歩く。"),
    ("２０２４", "2024の記録。"),
]


OTHER_SCRIPTS = [
    ("𩸽", "𠮷野家の𩸽定食は八百円である。"),
    ("주소", "회사의 주소는 서울이다."),
    ("물", "물은 100도에서 끓는다."),
    ("الشركة", "عنوان الشركة هو دبي."),
    ("राजधानी", "भारत की राजधानी दिल्ली है।"),
    ("เมืองหลวง", "กรุงเทพมหานครเป็นเมืองหลวง"),
]


@pytest.mark.parametrize(("asked", "written"), [*TABLE, *OTHER_SCRIPTS])
async def test_it_hits(library: Library, asked: str, written: str) -> None:
    for name, text in zip("甲乙丙丁", [*OTHERS, written], strict=True):
        await library.documents.add_source(Source(f"{name}.txt", text.encode()))
    found = await library.documents.search([asked])
    assert found and found[0].text == written


@pytest.mark.parametrize(
    ("question", "written"),
    [
        ("𩸽定食はいくらか", "𠮷野家の𩸽定食は八百円である。"),
        ("한국어とは何か", "한국어は朝鮮半島の言語である。"),
        ("물은 몇 도에서 끓는가?", "물은 섭씨 100도에서 끓는다."),
        ("ما هو عنوان الشركة؟", "عنوان الشركة هو دبي."),
        ("भारत की राजधानी क्या है?", "भारत की राजधानी दिल्ली है।"),
    ],
)
async def test_what_is_in_letters_of_other_scripts_is_quoted(
    library: Library, question: str, written: str
) -> None:
    for name, text in zip("甲乙丙丁", [*OTHERS, written], strict=True):
        await library.documents.add_source(Source(f"{name}.txt", text.encode()))
    answer = await library.questions.ask(question)
    assert [quoted.snippet for quoted in answer.evidence] == [written]


@pytest.mark.parametrize("asked", ["令和6年", "2024年", "2024", "２０２４年"])
async def test_years_in_filters_are_one_in_any_calendar(library: Library, asked: str) -> None:
    for year in ("令和6年", "2024年", "平成30年"):
        await library.documents.add_source(
            Source(f"{year}.txt", f"統計の講義、{year}版。".encode(), metadata={"年": year})
        )
    found = await library.documents.search(["統計"], filters={"年": asked})
    assert {one.source for one in found} == {"令和6年.txt", "2024年.txt"}
