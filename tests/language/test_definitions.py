"""Sentences that say what a thing is are told from those that only speak of it."""

from __future__ import annotations

from shisho.language.definitions import find_definitions
from shisho.language.normalise import fold_text
from shisho.language.sentences import split_sentences
from tests.tables import each_row

STATED = [
    ("産業投資とは、配当金などを原資として行う投資です。", ["産業投資"]),
    ("この法律で「役務提供委託」とは、役務の提供を他の事業者に委託することをいう。", ["役務提供委託"]),
    ("予測に利用する情報は「素性」と呼ぶ。", ["素性"]),
    ("これを 潮汐窓（Tidal Window） と呼びます。", ["潮汐窓", "Tidal Window"]),
    ("変数が一つのときを単回帰、二つ以上のときを重回帰という。", ["単回帰", "重回帰"]),
    ("適合率（precision）は「ごみの少なさ」と言い換えられる。", ["適合率", "precision"]),
    (
        "多重共線性（マルチコともいう）とは、説明変数どうしに強い相関がある状態をいう。",
        ["多重共線性", "マルチコ"],
    ),
    ("An encoder is a device that measures rotation.", ["encoder"]),
    ("Inspired by Cargo, a workspace is a collection of packages.", ["workspace"]),
    ("An Inertial Measurement Unit (IMU) is a sensor for motion.", ["Inertial Measurement Unit", "IMU"]),
    ("Web accessibility means that websites can be used by all.", ["Web accessibility"]),
    ("Locking is the process of resolving dependencies.", []),
    ("平均とは異なり、中央値は外れ値に強い。", []),
    ("このような調査では、全体の調査とは結果に差が生じる。", []),
    ("下請法の対象取引とはなりません。", []),
    ("素性とは何ですか？", []),
    ("However, this is a long way to go.", []),
    ("There is a fee for late parcels.", []),
    ("What is a workspace to you is a mystery to me?", []),
]
UNDER_HEADINGS: list[tuple[str, str, list[tuple[str, bool]]]] = [
    ("仮想マシン", "ホストOS上などで動作する仮想的なコンピュータ。", [("仮想マシン", False)]),
    (
        "スロット（slot）",
        "子コンポーネントに渡すために使用されます。",
        [("スロット", False), ("slot", False)],
    ),
    ("3.2 Locking", "Locking is the process of resolving dependencies.", [("Locking", True)]),
    ("What is Slicing?", "It turns drawings into instructions.", [("Slicing", False)]),
    ("潮汐窓とは", "船が通れる時間帯のこと。", [("潮汐窓", False)]),
    ("v-memo {#v-memo}", "v-memo は、組み込みのディレクティブです。", [("v-memo", True)]),
    ("この回の用語", "誤差 モデルの中の確率変数。観測できない。", [("この回の用語", False), ("誤差", True)]),
    ("Glossary", "Infill: how solid a part is inside.", [("Glossary", False), ("Infill", True)]),
    ("Settings", "Infill: how solid a part is inside.", [("Settings", False)]),
    ("Overview", "This page shows the tools that we use.", []),
    ("設定を変更する", "画面の右上から開きます。変更は保存されます。", []),
]


def read(text: str, path: list[str], *, is_first: bool) -> list[tuple[str, bool]]:
    spans = split_sentences(text)
    folded = [fold_text(text[start:end]) for start, end in spans]
    found = find_definitions(text, spans, folded, [fold_text(part) for part in path], is_first=is_first)
    return [(one.name, one.is_stated) for one in found]


@each_row(("text", "names"), STATED)
def test_sentence_defines_by_its_form(text: str, names: list[str]) -> None:
    assert sorted(read(text, ["第1章"], is_first=False)) == sorted((name, True) for name in names)


@each_row(("heading", "text", "definitions"), UNDER_HEADINGS)
def test_first_sentence_under_a_heading_defines_its_name(
    heading: str, text: str, definitions: list[tuple[str, bool]]
) -> None:
    assert sorted(read(text, ["手引き", heading], is_first=True)) == sorted(definitions)


def test_a_later_passage_under_a_heading_defines_only_what_it_states() -> None:
    assert read("It turns drawings into instructions.", ["What is Slicing?"], is_first=False) == []


def test_heading_that_is_underlined_in_plain_text_counts() -> None:
    text = "Some words before.\n\nLayer Height\n------------\n\nThe biggest factor for quality and speed.\n"
    assert ("Layer Height", False) in read(text, ["settings"], is_first=False)


def test_sentence_is_found_again_in_the_text() -> None:
    text = "Packages are many. A workspace is a collection of packages."
    (definition,) = find_definitions(
        text, spans := split_sentences(text), [text[a:b] for a, b in spans], [], is_first=False
    )
    start, end = spans[definition.sentence]
    assert text[start:end] == "A workspace is a collection of packages."
