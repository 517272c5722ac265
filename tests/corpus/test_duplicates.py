"""Near-duplicates: found by bands, decided by likeness, joined to the earliest cluster."""

import pytest

from shisho.corpus.duplicates import compute_bands, join
from tests.corpus.passages import passage

TEXT = (
    "決定係数は、回帰モデルの当てはまりの良さを表す指標である。0から1までの値をとり、1に近いほど説明変数が目的変数をよく説明する。"
    "説明変数を増やすと値は大きくなるので、モデルの比較には自由度で調整した値を用いる。外れ値の影響を受けやすい点にも気を付けたい。"
)
EDITED = TEXT.replace("気を付けたい", "注意が必要だ")
OTHER = "梅雨は、北海道と小笠原諸島を除く日本などで見られる気象現象で、五月から七月にかけて来る曇りや雨の多い期間のことである。"


@pytest.mark.parametrize(
    ("earlier", "later", "is_joined"),
    [
        ("ＡＢＣ　決定\n係数", "abc決定係数", True),  # without width, case and spaces
        ("図", "図", True),
        ("図", "表", False),
        ("abcdefghijkl", "abcdefghijkx", True),  # 8 of 10 grams are shared
        ("abcdefghijk", "abcdefghijx", False),  # 7 of 9
    ],
)
def test_passages_that_share_four_fifths_of_their_four_grams_are_joined(
    earlier: str, later: str, is_joined: bool
) -> None:
    old, new = passage(earlier, name="old"), passage(later, name="new")
    object.__setattr__(new, "bands", old.bands)
    assert (join([new], [old])[0].cluster == "old") is is_joined


def test_bands_never_change() -> None:
    assert compute_bands(TEXT) == compute_bands(TEXT)
    assert compute_bands("決定係数")[:2] == (2157616357722631903, 316203371268268209)
    assert all(0 <= band < 2**63 for band in compute_bands(TEXT))


def test_edited_texts_share_a_band_and_others_do_not() -> None:
    assert set(compute_bands(TEXT)) & set(compute_bands(EDITED))
    assert not set(compute_bands(TEXT)) & set(compute_bands(OTHER))


def test_a_near_duplicate_joins_the_cluster_of_what_was_there() -> None:
    old = passage(TEXT, name="old")
    joined = join([passage(EDITED, name="new"), passage(OTHER, name="other")], [old])
    assert [one.cluster for one in joined] == ["old", "other"]


def test_within_one_document_the_first_names_the_cluster() -> None:
    joined = join([passage(TEXT, name="1"), passage(OTHER, name="2"), passage(EDITED, name="3")], [])
    assert [one.cluster for one in joined] == ["1", "2", "1"]


def test_a_shared_band_is_not_enough() -> None:
    old = passage(TEXT, name="old")
    new = passage(TEXT[:60] + OTHER, name="new")
    object.__setattr__(new, "bands", old.bands)
    assert join([new], [old])[0].cluster == "new"


def test_of_several_the_likest_is_joined() -> None:
    far = passage(EDITED, name="far")
    near = passage(TEXT, name="near")
    assert join([passage(TEXT + "。", name="new")], [far, near])[0].cluster == "near"
