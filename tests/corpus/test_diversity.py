"""Spreading out: unlike passages first, documents in turns, all that was asked for as long as any is left."""

import math
import struct
from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shisho.corpus.diversity import compare_by_meaning, compare_by_pairs
from shisho.corpus.diversity import spread as spread_by
from shisho.domain.corpus import RankedPassage
from shisho.domain.embedding import Embedding
from tests.corpus.passages import passage


def ranked(text: str, score: float, document: str) -> RankedPassage:
    return RankedPassage(passage(text, document=document, name=f"{document}:{score}"), score)


def spread(ranking: list[RankedPassage], k: int) -> list[RankedPassage]:
    return spread_by(ranking, k, compare_by_pairs([hit.passage for hit in ranking]))


def at_angle(degrees: float) -> Embedding:
    return Embedding(struct.pack("<2e", math.cos(math.radians(degrees)), math.sin(math.radians(degrees))))


def test_a_copy_of_the_first_makes_room_for_something_else() -> None:
    first = ranked("決定係数は回帰の指標である。", 1.0, "a")
    copy = ranked("決定係数は回帰の指標である。", 0.95, "b")
    other = ranked("自由度を調整する方法もある。", 0.8, "c")
    assert spread([first, copy, other], 3) == [first, other, copy]


def test_english_texts_have_no_pairs_and_are_compared_by_terms() -> None:
    first = ranked("heat transfer in laminar flow", 1.0, "a")
    copy = ranked("heat transfer in laminar flow", 0.95, "b")
    other = ranked("wing flutter at supersonic speed", 0.8, "c")
    assert spread([first, copy, other], 2) == [first, other]


def test_after_three_passages_a_document_waits_until_others_had_their_turn() -> None:
    many = [
        ranked(f"{word}の話。", 1.0 - at / 100, "a")
        for at, word in enumerate(("経済", "音楽", "気象", "歴史", "法律"))
    ]
    one = ranked("医学の話。", 0.1, "b")
    documents = [each.passage.document_id for each in spread([*many, one], 6)]
    assert documents == ["a", "a", "a", "b", "a", "a"]


def test_another_likeness_may_be_given() -> None:
    three = [ranked("経済", 1.0, "a"), ranked("音楽", 0.9, "b"), ranked("気象", 0.8, "c")]
    alike = np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    assert spread_by(three, 2, lambda place: alike[place]) == [three[0], three[2]]


def test_the_same_in_other_words_makes_room_by_its_vector_and_a_copy_without_one_by_its_words() -> None:
    first = ranked("決定係数は回帰の指標である。", 1.0, "a")
    reworded = ranked("当てはまりの良さを表す。", 0.95, "b")
    copy = ranked("決定係数は回帰の指標である。", 0.94, "c")
    other = ranked("自由度を調整する方法もある。", 0.8, "d")
    hits = [first, reworded, copy, other]
    passages = [hit.passage for hit in hits]
    angles = {first.passage.id: 0, reworded.passage.id: 5, other.passage.id: 80}
    # What is usual lies between: as cosines of an encoder whose vectors are all close together.
    for narrow in (1.0, 0.2):
        embeddings = {name: at_angle(angle * narrow) for name, angle in angles.items()}
        likeness = compare_by_meaning(passages, embeddings, compare_by_pairs(passages))
        assert spread_by(hits, 2, likeness) == [first, other]
    assert spread(hits, 2) == [first, reworded]


@given(st.lists(st.tuples(st.sampled_from("abc"), st.floats(0, 1)), max_size=12), st.integers(0, 15))
def test_k_or_all_each_once_and_the_best_first(made: list[tuple[str, float]], k: int) -> None:
    made.sort(key=lambda one: -one[1])
    ranking = [
        RankedPassage(passage("経済の話。", document=name, name=f"{name}{at}"), score)
        for at, (name, score) in enumerate(made)
    ]
    chosen = spread(ranking, k)
    assert Counter(one.passage.id for one in chosen) <= Counter(one.passage.id for one in ranking)
    assert len(chosen) == min(k, len(ranking))
    assert chosen[:1] == ranking[: min(k, 1)]


@given(st.lists(st.text("決定係数ラベルりんごはa bc1", max_size=20), min_size=1, max_size=8))
def test_likeness_is_the_share_of_the_pairs_of_both_or_of_the_terms_where_there_are_none(
    texts: list[str],
) -> None:
    passages = [passage(text, name=str(at)) for at, text in enumerate(texts)]
    words = [set((one.bigrams or one.terms).split()) for one in passages]
    likeness = compare_by_pairs(passages)
    for place, own in enumerate(words):
        expected = [len(own & other) / (len(own | other) or 1) for other in words]
        assert likeness(place).tolist() == expected
