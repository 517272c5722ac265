"""Short names are read where the text defines them, and nowhere else."""

from __future__ import annotations

from shisho.language.normalise import fold_text
from shisho.language.sentences import split_sentences
from shisho.language.short_names import ShortName, find_short_names, fit_letters
from tests.tables import each_row

DEFINED: list[tuple[str, list[tuple[str, str]]]] = [
    (
        "The Department of Tidal Engineering (DTE) has 14 laboratories.",
        [("DTE", "Department of Tidal Engineering")],
    ),
    ("潮汐工学研究所（以下「潮研」という。）には14の研究室がある。", [("潮研", "潮汐工学研究所")]),
    (
        "An Interial Measurement Unit (IMU) is a sensor that is a combination of a gyroscope.",
        [("IMU", "Interial Measurement Unit")],
    ),
    (
        "株式会社証券保管振替機構（以下「ほふり」という。）では、銘柄横断的な名寄せ処理を行っている。",
        [("ほふり", "株式会社証券保管振替機構")],
    ),
    (
        "第１条 この就業規則（以下「規則」という。）は、労働基準法（以下「労基法」という。）第８９条に基づく。",
        [("規則", "就業規則"), ("労基法", "労働基準法")],
    ),
    (
        "We use the Hierarchical Data Format (HDF) and the network time protocol (NTP).",
        [("HDF", "Hierarchical Data Format"), ("NTP", "network time protocol")],
    ),
    ("DTE: Department of Tidal Engineering", [("DTE", "Department of Tidal Engineering")]),
    (
        "独立行政法人情報処理推進機構（IPA）は、脆弱性対策情報を公表した。",
        [("IPA", "独立行政法人情報処理推進機構")],
    ),
    (
        "国立研究開発法人量子科学技術研究開発機構（以下、QST）が運用する。",
        [("QST", "国立研究開発法人量子科学技術研究開発機構")],
    ),
    ("NTP (Network Time Protocol) keeps clocks in step.", [("NTP", "Network Time Protocol")]),
    ("Most parts are printed in polylactic acid (PLA) at 200 degrees.", [("PLA", "polylactic acid")]),
    (
        "The World Health Organization (“WHO”) published a guideline in May.",
        [("WHO", "World Health Organization")],
    ),
    (
        "ソフトウェア部品表（Software Bill of Materials、以下「SBOM」）を作成する。",
        [("SBOM", "Software Bill of Materials"), ("SBOM", "ソフトウェア部品表")],
    ),
    ("町内巡視協議会（略称：町巡協）は春に集まる。", [("町巡協", "町内巡視協議会")]),
    ("湖畔清掃実行委員会（通称「湖清会」）が集めた。", [("湖清会", "湖畔清掃実行委員会")]),
    ("全日本紙芝居連盟（全紙連）が大会を開く。", [("全紙連", "全日本紙芝居連盟")]),
    (
        "留学支援室（Study Abroad Desk、SAD）に届ける。",
        [("SAD", "Study Abroad Desk"), ("SAD", "留学支援室")],
    ),
    ("The RBC, the River Bank Commission, meets in May.", [("RBC", "River Bank Commission")]),
    ("Ask the River Bank Commission, or RBC, for leave.", [("RBC", "River Bank Commission")]),
    ('The Parish Lamp Council (hereinafter "the Council") sat.', [("Council", "Parish Lamp Council")]),
]
NOTHING = [
    "The train stops at Leeds (UK) before noon.",
    "Prices rose sharply (Table 3) in the third quarter (Q3).",
    "He joined in the spring (MAY) and left soon after (see above).",
    "会議は東京（千代田区）で行われ、部長（当時）が出席した。",
    "Please read the manual (PDF) and the licence (MIT) first.",
    "以下「注意」という見出しの欄を読んでください。",
    "Set the flag (TRUE) or call open(file) before the loop (i < N).",
    "本調査（以下「本調査」という。）の対象は3,000人である。",
    "乙（以下「甲」という。）は代金を支払う。",
    "詳しくは以下を「参照」としてください。",
    "The United States of America (NATO) voted.",
    "The Red House (RH2) is open.",
    "会場は市民文化会館（市民館前）である。",
    "北西部の山村（山村）に伝わる。",
    "The NBA, the River Bank Commission, and the press met.",
    "受付は国際交流課（International Desk、IXD）である。",
    "会員の名前（略称可）を書く。",
]


def read(text: str) -> list[tuple[str, str]]:
    names = find_short_names(fold_text(text[start:end]) for start, end in split_sentences(text))
    return sorted((name.short, name.long) for name in names)


@each_row(("text", "names"), DEFINED)
def test_defined_short_name_is_read(text: str, names: list[tuple[str, str]]) -> None:
    assert read(text) == sorted(names)


@each_row("text", NOTHING)
def test_brackets_that_define_nothing_are_passed_over(text: str) -> None:
    assert read(text) == []


@each_row(
    ("short", "text", "long"),
    [
        ("DTE", "by the Department of Tidal Engineering", "Department of Tidal Engineering"),
        ("VOCs", "some volatile organic compounds", "volatile organic compounds"),
        ("PLA", "printed in polylactic acid", "polylactic acid"),
        ("DTE", "the Department of Tidal Sea Engineering", ""),
        ("DE", "the Department of Tidal Engineering", ""),
        ("OF", "office", ""),
        ("pla", "polylactic acid", ""),
    ],
)
def test_each_word_gives_its_first_letter(short: str, text: str, long: str) -> None:
    assert fit_letters(short, text) == long


def test_name_is_read_once_however_often_it_is_defined() -> None:
    line = "The Department of Tidal Engineering (DTE) is old."
    assert find_short_names([line, line]) == (ShortName("DTE", "Department of Tidal Engineering"),)


def test_what_stands_far_before_a_bracket_is_not_its_name() -> None:
    assert find_short_names([f"Department of {'very ' * 60}Tidal Engineering (DTE)"]) == ()
