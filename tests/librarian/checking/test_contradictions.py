"""Two quotations contradict each other, or do not: seldom shown, and then right."""

from shisho.librarian.checking.contradictions import contradiction
from tests.librarian.checking.disagreements import Pair, pairs, tally
from tests.tables import each_row

# All words but the figure must agree, so that few of the contradictions of real documents are shown.


def judged(half: str) -> list[tuple[Pair, str]]:
    return [
        (pair, contradiction(pair.one.text, pair.other.text, pair.one.heading, pair.other.heading))
        for pair in pairs(half)
    ]


def test_of_the_contradictions_shown_in_real_documents_most_are_real() -> None:
    whole = tally([*judged("seen"), *judged("kept")])
    assert whole.shown >= 5 and whole.precision >= 0.8, whole


@each_row("half", ["seen", "kept"])
def test_the_order_of_two_quotations_does_not_matter(half: str) -> None:
    for pair, kind in judged(half):
        turned = contradiction(pair.other.text, pair.one.text, pair.other.heading, pair.one.heading)
        assert turned == kind, pair


@each_row(
    ("one", "other", "expected"),
    [
        ("東京の人口は1400万人である。", "東京の人口は1300万人である。", "number"),
        ("琵琶湖の面積は669平方キロメートルである。", "琵琶湖の面積は705平方キロメートルである。", "number"),
        ("金閣寺は1397年に建立された。", "金閣寺は1401年に建立された。", "date"),
        ("The Golden Gate Bridge opened in 1937.", "The Golden Gate Bridge opened in 1933.", "date"),
    ],
)
def test_one_thing_told_in_two_ways_is_a_contradiction(one: str, other: str, expected: str) -> None:
    assert contradiction(one, other) == expected == contradiction(other, one)


@each_row(
    ("one", "other"),
    [
        ("東京の人口は1400万人である。", "東京の人口は14,000,000人だ。"),
        ("利根川の流域面積は16,840km2である。", "利根川の流域面積は1万6,840km2である。"),
        ("金閣寺は1397年に建立された。", "金閣寺は応永4年、1397年に建立された。"),
        ("法人番号は13桁である。", "法人番号は3桁と10桁からなる。"),
        ("郵便番号は7桁である。", "郵便番号は3桁+4桁である。"),
        ("京都市の人口は146万人である。", "例えば、京都市の人口は150万人である。"),
        ("京都市の人口は約146万人である。", "京都市の人口は144万人である。"),
        ("京都市の人口は140万人以上である。", "京都市の人口は146万人である。"),
        ("京都市の2010年の人口は147万人である。", "京都市の2020年の人口は146万人である。"),
        ("京都市の人口は146万人である。", "京都市の2020年の人口は147万人である。"),
        ("京都市の北区の人口は11万人である。", "京都市の南区の人口は10万人である。"),
        (
            "京都市 1463723 人口\n大阪市 2752412 人口\n神戸市 1525152 人口",
            "京都市 1474015\n大阪市 2691185\n神戸市 1537272",
        ),
        ("エアバスA330-300は1994年に就航した。", "エアバスA330-200は1997年に就航した。"),
        ("第3回印象派展は1877年にパリで始まった。", "第4回印象派展は1879年にパリで始まった。"),
        ("ロンメルは1912年に連隊に戻った。", "ロンメルは1915年に連隊に戻った。"),
        ("この薬は有効である。", "この薬は有効でない。"),
    ],
)
def test_other_subjects_scopes_times_examples_rows_and_parts_are_none(one: str, other: str) -> None:
    assert contradiction(one, other) == "" == contradiction(other, one)


def test_headings_say_whose_figures_they_are() -> None:
    assert (
        contradiction(
            "総面積の6.01%が水域である。", "総面積の3.70%が水域である。", "ミネアポリス", "ヒューストン"
        )
        == ""
    )


@each_row(
    ("one", "other", "expected"),
    [
        # Amounts of which one is rough differ by half at least.
        ("京都市の人口は約140万人である。", "京都市の人口は210万人である。", "number"),
        ("京都市の人口は約140万人である。", "京都市の人口は209万人である。", ""),
        ("京都市の人口は0人である。", "京都市の人口は約146万人である。", ""),
        # At least two words are shared.
        ("京都市の人口は146万人である。", "京都市の人口は150万人である。", "number"),
        ("人口は146万人である。", "人口は150万人である。", ""),
        # Times of the day are minutes.
        ("本館の閉館は17:30である。", "本館の閉館は18:00である。", "number"),
        ("本館の閉館は17時30分である。", "本館の閉館は18:00である。", "number"),
        ("本館の閉館は17時30分である。", "本館の閉館は17:30である。", ""),
        ("本館の閉館は1時間10分後である。", "本館の閉館は1:10である。", ""),
        # Questions, examples and rows state nothing.
        ("京都市の人口は150万人か。", "京都市の人口は146万人である。", ""),
        ("たとえば、京都市の人口は150万人である。", "京都市の人口は146万人である。", ""),
        ("もし京都市の人口が150万人なら。", "京都市の人口は146万人である。", ""),
        ("京都市の人口は | 150万人", "京都市の人口は146万人である。", ""),
        ("京都市の人口は\t150万人", "京都市の人口は146万人である。", ""),
        # What happens once has one date, what happens again may have two.
        ("この橋は1990年に開通した。", "この橋は1991年に開通した。", "date"),
        ("この橋は1990年に塗装した。", "この橋は1991年に塗装した。", ""),
        ("この橋の長さは400m以上である。", "この橋の長さは300mである。", ""),
        ("The old bridge opened in 1937.", "The old bridge opened in 1933 again.", "date"),
        ("The old bridge opened in 1937 alone.", "The old bridge opened in 1933 again.", ""),
        ("The old bridge opened in 1937.", "The new bridge opened in 1933.", ""),
    ],
)
def test_borders_of_a_contradiction(one: str, other: str, expected: str) -> None:
    assert contradiction(one, other) == expected == contradiction(other, one)


def test_one_text_tells_of_one_thing_by_its_name_alone() -> None:
    one, other = "京都市の人口は146万人である。", "京都市の人口は150万人である。"
    assert contradiction(one, other, "京都市", "京都市") == "number"
    assert (
        contradiction("会員の年間の数は146人である。", "会員の年間の数は150人である。", "会報", "会報") == ""
    )
    assert contradiction(one, other, "統計 2010年", "統計 2020年") == ""
    assert contradiction(one, other, "統計 2010年", "統計") == "number"
    assert contradiction(one, other, "統計 2010年", "") == "number"
    assert contradiction(one, other, "ミネアポリス", "統計") == ""
    assert contradiction(one, other, "統計", "ミネアポリス") == ""
    assert contradiction(one, other, "統計 2010年", "統計 2010年度版") != "date"
