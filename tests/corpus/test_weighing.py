"""What weighs all passages at once says the same as the scoring written out passage by passage."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shisho.corpus.occurrences import RUNS_AT_ONCE, JoinedCharacters
from shisho.corpus.rank import ENGLISH, JAPANESE, Statistics, Weights, match
from shisho.corpus.weighing import rank
from shisho.domain.corpus import Passage
from shisho.language import terms
from shisho.language.terms import TermQuery, list_graphs, list_wording, squeeze
from shisho.language.vectors import encode_characters
from shisho.stores.nouns import vector_of
from tests.corpus.passages import passage
from tests.corpus.plain_ranking import plain_ranking
from tests.faults.children import LONG

FEW = 4
# Few characters, so that much occurs: runs of one character, one beyond 16 bits, wide and narrow ones, white
# space.
CHARACTERS = "統計回帰々ココアのは𠮷ａA1１ \n。"
TEXTS = st.text(CHARACTERS, max_size=40)
WORDS = st.lists(st.sampled_from(["統計", "回帰", "為替", "abc", "標本", "々々"]), max_size=6).map(" ".join)
LINES = st.lists(WORDS, max_size=4).map("\n".join)


@st.composite
def passages(draw: st.DrawFn) -> list[Passage]:
    plain = passage("統計")
    count = draw(st.integers(1, 6))
    return [
        replace(
            plain,
            id=f"{number}",  # type: ignore[arg-type]
            document_id=draw(st.sampled_from(["one", "other"])),
            text=(text := draw(TEXTS)),
            heading=draw(TEXTS),
            terms=draw(LINES),
            heading_terms=draw(WORDS),
            bigrams=" ".join(list_graphs(text)),
        )
        for number in range(count)
    ]


@st.composite
def queries(draw: st.DrawFn) -> TermQuery:
    text = draw(TEXTS)
    words = draw(LINES).split()
    return TermQuery(
        tuple(dict.fromkeys(words)),
        tuple(dict.fromkeys(list_graphs(text))),
        tuple(
            dict.fromkeys(
                tuple(phrase.split()) for phrase in draw(st.lists(WORDS, max_size=2)) if " " in phrase
            )
        ),
        tuple(dict.fromkeys(list_wording(squeeze(text)))),
        tuple((term, draw(st.integers(2, 9))) for term in set(words[:2])),
        tuple(dict.fromkeys(tuple(run.split()) for run in draw(st.lists(WORDS, max_size=2)) if " " in run)),
    )


@st.composite
def figures(draw: st.DrawFn, query: TermQuery) -> Statistics:
    mean = st.sampled_from([0.0, 1.5, 30.0])
    counts = st.integers(0, 20)
    terms = {term: draw(counts) for term in query.terms}
    pairs = {pair: draw(counts) for pair in query.bigrams}
    return Statistics(draw(counts), draw(mean), draw(mean), draw(mean), terms, pairs)


def check(
    query: TermQuery, given_passages: Sequence[Passage], statistics: Statistics, weights: Weights
) -> None:
    plain = {hit.passage.id: hit for hit in plain_ranking(query, given_passages, statistics, weights)}
    ranking = rank(query, [vector_of(one) for one in given_passages], statistics, weights)
    assert {candidate.passage_id for candidate in ranking} == plain.keys()
    for candidate in ranking:
        hit = plain[candidate.passage_id]
        wanted = {**hit.parts}
        if query.terms:
            wanted["match"] = match(query, hit.passage, vector_of(hit.passage), statistics)
        assert {name: candidate.parts[name] for name in wanted} == pytest.approx(wanted)
        assert candidate.score == pytest.approx(hit.score)
    order = [(-candidate.score, candidate.passage_id) for candidate in ranking]
    assert order == sorted(order)
    best = rank(query, [vector_of(one) for one in given_passages], statistics, weights, depth=FEW)
    assert best == ranking[:FEW]


@settings(max_examples=300 if LONG else 50, deadline=None)
@given(st.data(), passages(), queries(), st.sampled_from([JAPANESE, ENGLISH]))
def test_it_ranks_as_the_plain_scoring_does(
    data: st.DataObject, made: list[Passage], query: TermQuery, weights: Weights
) -> None:
    check(query, made, data.draw(figures(query)), weights)


@pytest.mark.slow
def test_it_ranks_many_passages_for_a_long_question_as_the_plain_scoring_does() -> None:
    rng = random.Random(1)
    kanji = [chr(0x4E00 + at) for at in range(1_500)]
    texts = ["".join(rng.choices(kanji, k=300)) for _ in range(40)]
    made = [
        replace(
            passage("統計", "回帰"),
            id=f"{number:03}",
            text=text,
            terms=" ".join(text),
            bigrams=" ".join(list_graphs(text)),
        )  # type: ignore[arg-type]
        for number, text in enumerate(texts)
    ]
    question = "".join(texts[:4])[:1_000]
    query = TermQuery(
        tuple(dict.fromkeys(question)),
        tuple(dict.fromkeys(list_graphs(question))),
        (),
        tuple(dict.fromkeys(list_wording(question))),
    )
    assert len(query.wording) > RUNS_AT_ONCE
    check(query, made, Statistics(5_000, 300.0, 1.0, 500.0), JAPANESE)


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        ("々々々々々", ("々々", "々", "々々々々")),
        ("𠮷野家の𠮷野家", ("𠮷野家の", "野家の𠮷", "𠮷", "家")),
        ("コココ", ("ココ", "コ")),
        ("", ("統計", "統")),
        ("統計", ("統計の講", "計", "統計")),
    ],
)
def test_runs_are_counted_as_python_counts_them(text: str, runs: tuple[str, ...]) -> None:
    texts = [text, "回帰", text * 2]
    counts = JoinedCharacters([encode_characters(one) for one in texts]).count(runs)
    for run, row in zip(runs, counts.tolist(), strict=True):
        if len(run) <= 2:
            assert row == [one.count(run) for one in texts]
        assert [count > 0 for count in row] == [run in one for one in texts]


def test_no_passage_runs_into_the_next() -> None:
    counts = JoinedCharacters([encode_characters("統"), encode_characters("計の講義")]).count(
        ("統計", "統計の講", "講義")
    )
    assert counts.tolist() == [[0, 0], [0, 0], [0, 1]]


def test_codes_are_the_same_in_every_process() -> None:
    vector = vector_of(passage("統計。𠮷", "題"))
    assert vector.terms.hex() == "804252bd0000000035c082b3"
    assert vector.characters == "題統計。𠮷".encode("utf-16-le")


ENGLISH_FIGURES = Statistics(1_000, 3.0, 0.0, 0.0, {"flow": 100, "wing": 100, "heat": 100})


def best(query: TermQuery, *made: Passage, weights: Weights | None = None) -> str:
    ranking = rank(query, [vector_of(one) for one in made], ENGLISH_FIGURES, weights)
    return ranking[0].passage_id


def english(name: str, document: str, terms: str) -> Passage:
    plain = passage(terms)
    return replace(plain, id=name, document_id=document, text=terms, terms=terms)  # type: ignore[arg-type]


def test_a_term_that_an_english_query_repeats_counts_more() -> None:
    flow = english("b", "1", "flow sonic test")
    wing = english("a", "2", "wing sonic test")
    once = TermQuery(("flow", "wing"), ())
    assert best(once, flow, wing) == "a"  # equal scores: by id
    assert best(replace(once, repeated=(("flow", 3),)), flow, wing) == "b"
    assert best(replace(once, repeated=(("flow", 3),)), flow, wing, weights=JAPANESE) == "a"


def test_of_english_passages_that_match_alike_the_one_whose_document_says_more_is_first() -> None:
    alone = english("a", "1", "flow sonic test")
    among = [english("b", "2", "flow sonic test"), english("c", "2", "wing sonic test")]
    query = TermQuery(("flow", "wing"), ())
    assert best(query, alone, *among) == "b"
    assert best(query, alone, *among, weights=JAPANESE) == "a"


def test_of_english_passages_that_match_alike_the_one_that_says_what_the_first_say_is_earlier() -> None:
    first = [english(name, name, "flow wing heat boundary layer") for name in "pqr"]
    other = english("a", "1", "flow price of paint")
    alike = english("b", "2", "flow near boundary layer")
    query = TermQuery(("flow", "wing", "heat"), ())
    made = [vector_of(one) for one in (*first, other, alike)]
    assert [hit.passage_id for hit in rank(query, made, ENGLISH_FIGURES)] == ["p", "q", "r", "b", "a"]
    assert [hit.passage_id for hit in rank(query, made, ENGLISH_FIGURES, JAPANESE)][3:] == ["a", "b"]


def test_what_the_first_passages_say_counts_once_a_document() -> None:
    """Three passages of one document are one: what two others say counts too."""
    long_one = [english(f"p{part}", "1", "flow wing heat chapter") for part in range(3)]
    others = [english("q", "2", "flow wing boundary"), english("r", "3", "flow wing boundary")]
    left = [english("a", "4", "flow of chapter"), english("b", "5", "flow of boundary")]
    query = TermQuery(("flow", "wing", "heat"), ())
    ranking = rank(query, [vector_of(one) for one in (*long_one, *others, *left)], ENGLISH_FIGURES)
    names = [hit.passage_id for hit in ranking]
    assert names.index("b") < names.index("a")


def test_within_a_document_the_query_alone_tells_which_passage_is_first() -> None:
    one = english("p", "1", "flow wing heat boundary layer")
    of_other = [english("a", "2", "flow wing paint"), english("b", "2", "boundary layer wing")]
    query = TermQuery(("flow", "wing", "heat"), ())
    ranking = rank(query, [vector_of(made) for made in (one, *of_other)], ENGLISH_FIGURES)
    assert [hit.passage_id for hit in ranking] == ["p", "a", "b"]
    assert ranking[1].parts["likeness"] == ranking[2].parts["likeness"] > 0


@pytest.mark.parametrize(
    ("asked", "is_japanese"),
    [
        ("気圧", True),
        ("株", True),
        ("りんご", True),
        ("ココア", True),
        ("GDPとは何か", True),
        ("heat transfer", False),
        ("BMW", False),
        ("", False),
    ],
)
def test_a_query_of_two_characters_is_japanese_too(asked: str, is_japanese: bool) -> None:
    assert terms.make_query([asked]).is_japanese is is_japanese
