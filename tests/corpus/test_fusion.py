"""Reciprocal rank fusion, and words blended with meaning."""

import pytest

from shisho.corpus.fusion import (
    CLEARNESS_POWER,
    FIRST,
    MIN_GAP,
    SURE_BY_WORDS,
    USUAL_GAP,
    blend,
    fuse_rankings,
    fuse_ranks,
)
from shisho.domain.corpus import DocumentId, PassageId, RankedCandidate


def test_scores_are_the_sum_of_weight_over_sixty_plus_rank() -> None:
    assert fuse_rankings([["a", "b"], ["b", "c"]]) == [
        ("b", pytest.approx(1 / 62 + 1 / 61)),
        ("a", pytest.approx(1 / 61)),
        ("c", pytest.approx(1 / 62)),
    ]


def test_weights_count_and_equal_scores_keep_the_order_of_first_mention() -> None:
    assert [item for item, _ in fuse_rankings([["a"], ["b"]], [1, 2])] == ["b", "a"]
    assert [item for item, _ in fuse_rankings([["a"], ["b"]])] == ["a", "b"]


def test_an_item_counts_once_in_a_ranking() -> None:
    assert fuse_rankings([["a", "a", "b"]])[1] == ("b", pytest.approx(1 / 62))


def test_one_weight_for_each_ranking() -> None:
    with pytest.raises(ValueError, match="zip"):
        fuse_rankings([["a"], ["b"]], [1])


def test_nothing_to_fuse() -> None:
    assert fuse_rankings([]) == []


def ranking(**scores: float) -> list[RankedCandidate]:
    return [
        RankedCandidate(PassageId(name), DocumentId("d"), score, ("terms",), (score,))
        for name, score in scores.items()
    ]


def order(by_words: list[RankedCandidate], **cosines: float) -> str:
    named = {PassageId(name): cosine for name, cosine in cosines.items()}
    return "".join(candidate.passage_id for candidate in blend(by_words, named, whole=16.0, share=0.002))


def test_ranks_are_fused_whatever_the_scores() -> None:
    words = ranking(a=90.0, b=40.0, c=1.0, d=0.0)
    cosines = {PassageId(name): cosine for name, cosine in zip("cbd", (0.9, 0.8, 0.7), strict=True)}
    fused = fuse_ranks(words, cosines)
    assert [candidate.passage_id for candidate in fused] == ["c", "b", "a", "d"]
    assert fused[0].score == pytest.approx(1 / 63 + 1 / 61) and fused[0].parts["meaning"] == 0.9
    assert fuse_ranks(words, cosines, 2) == fused[:2]


def test_where_words_match_well_they_decide() -> None:
    assert order(ranking(a=90.0, b=40.0), a=0.3, b=0.6) == "ab"


def test_where_no_passage_matches_well_meaning_decides() -> None:
    assert order(ranking(a=9.0, b=4.0), a=0.3, b=0.6) == "ba"


def test_passage_without_a_vector_counts_as_the_mean_of_the_others() -> None:
    assert order(ranking(a=1.0, b=1.0, c=1.0), a=0.2, c=0.8) == "cba"


def test_blended_score_keeps_the_parts_and_adds_the_meaning() -> None:
    (only,) = blend(ranking(a=10.0), {PassageId("a"): 0.5}, whole=16.0, share=0.002)
    assert only.parts == {"terms": 10.0, "meaning": 0.5}
    alone = (MIN_GAP / USUAL_GAP) ** CLEARNESS_POWER  # nothing it could stand out from
    assert only.score == pytest.approx(alone * 0.5 + 0.002 * 100 / 4)


def test_where_the_encoder_sees_no_difference_words_decide() -> None:
    words = {"a": 30.0, "b": 28.0} | {f"other{number}": 1.0 for number in range(10)}
    near = dict.fromkeys(words, 0.5)
    assert order(ranking(**words), **{**near, "b": 0.51}).startswith("ab")
    clear = dict.fromkeys(words, 0.2)
    assert order(ranking(**words), **{**clear, "b": 0.21, "a": 0.20}).startswith("ab")
    assert order(ranking(**words), **{**clear, "b": 0.60, "a": 0.55}).startswith("ba")


def test_equal_scores_are_in_the_order_of_ids() -> None:
    assert order(ranking(b=1.0, a=1.0), a=0.5, b=0.5) == "ab"


def test_what_words_put_among_their_best_stays_among_the_first_fifty() -> None:
    names = [f"{number:03}" for number in range(100)]
    by_words = ranking(**{name: 2.0 - number / 100 for number, name in enumerate(names)})
    cosines = {PassageId(name): number / 100 for number, name in enumerate(names)}  # the other way round
    blended = [candidate.passage_id for candidate in blend(by_words, cosines, whole=16.0, share=0.002)]
    assert blended[: FIRST - SURE_BY_WORDS] == names[: FIRST - 1 : -1][: FIRST - SURE_BY_WORDS]
    assert sorted(blended[FIRST - SURE_BY_WORDS : FIRST]) == names[:SURE_BY_WORDS]
    assert sorted(blended) == names
    unmatched = [candidate._replace(score=0.0) for candidate in by_words]
    by_meaning = [candidate.passage_id for candidate in blend(unmatched, cosines, whole=16.0, share=0.002)]
    assert by_meaning == names[::-1], "what no word matches is not among the best by words"


def test_beside_a_surer_embedder_fewer_are_kept_for_their_words() -> None:
    names = [f"{number:03}" for number in range(100)]
    by_words = ranking(**{name: 2.0 - number / 100 for number, name in enumerate(names)})
    cosines = {PassageId(name): number / 100 for number, name in enumerate(names)}
    blended = [candidate.passage_id for candidate in blend(by_words, cosines, whole=16.0, share=0.0002)]
    assert set(blended[:FIRST]) & set(names[:SURE_BY_WORDS]) == set(names[:2])


def test_passage_that_says_what_the_query_names_counts_as_the_nearest() -> None:
    by_words = ranking(a=1.0, b=1.0, c=1.0)
    cosines = {PassageId("a"): 0.5, PassageId("b"): 0.1, PassageId("c"): 0.3}
    defining = {PassageId("b"): 1.0, PassageId("c"): 0.5}
    blended = blend(by_words, cosines, whole=16.0, share=0.002, defining=defining)
    assert [candidate.passage_id for candidate in blended] == ["a", "b", "c"]
    assert blended[0].score == pytest.approx(blended[1].score) and blended[1].score > blended[2].score
    assert [candidate.parts["meaning"] for candidate in blended] == [0.5, 0.1, 0.3]
