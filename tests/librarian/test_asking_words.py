"""What asks, typed in kana, asks as in kanji; what only sounds like it stays."""

import pytest

from shisho.librarian.asking_words import spell_asking_words


@pytest.mark.parametrize(
    ("typed", "spelt"),
    [
        ("首都はなんですか", "首都は何ですか"),
        ("出来事はなんでしょう", "出来事は何でしょう"),
        ("この気流をなんというか", "この気流を何というか"),
        ("別名なんと呼ばれる?", "別名何と呼ばれる?"),
        ("海岸のことをなんていう?", "海岸のことを何ていう?"),
        ("調べるために用いたものはなに?", "調べるために用いたものは何?"),
        ("工場はなにを備えていたか", "工場は何を備えていたか"),
        ("発見したのはだれか", "発見したのは誰か"),
        ("だれが決めるのか", "誰が決めるのか"),
        ("じゅんえんはなんじにわかりますか", "じゅんえんは何時にわかりますか"),
        ("へやはなんぱくまでとまれますか", "へやは何泊までとまれますか"),
        ("えきまでなんぷんかかりますか", "えきまで何分かかりますか"),
        ("きゅうぎょうはなんかいにわけてとれますか", "きゅうぎょうは何回にわけてとれますか"),
    ],
)
def test_what_asks_is_spelt_in_kanji(typed: str, spelt: str) -> None:
    assert spell_asking_words(typed) == spelt


@pytest.mark.parametrize(
    "typed",
    [
        "なんで雨は降るの",
        "なぜなんですか",
        "どの版から使えるようになるんですか",
        "意味って本当なんでしょうか",
        "「さみだれ」の漢字表記は",
        "何でもそうなんだろう",
        "多いほど速いなんて言えるか",
        "手続はなんとかなるのか",
        "the manual has なん in it",
        "これはなんじゃろう",
    ],
)
def test_what_only_sounds_like_it_stays(typed: str) -> None:
    assert spell_asking_words(typed) == typed
