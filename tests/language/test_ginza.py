"""The reference terms, and how far the fast ones agree with them."""

import gzip
import json
import os
from collections import Counter

import pytest

from shisho.language import ginza, terms
from shisho.language.sentences import split_sentences
from tests.shared import shared


@pytest.fixture(scope="module", autouse=True)
def installed() -> None:
    """Without the extra these tests are skipped, but on a machine that sets CI they fail."""
    try:
        ginza.load()
    except ImportError:
        if os.environ.get("CI") == "true":
            raise
        pytest.skip('GiNZA is not installed: pip install "shisho[ginza]"')


def test_lemmas_of_content_words_one_line_for_each_sentence() -> None:
    found = ginza.analyse(["決定係数は0.95であり、サーバーを使った。", "それは、とても長い。"])
    assert found.terms == "決定 係数 0.95 サーバー 使う\n長い"
    assert (
        found.bigrams
        == terms.analyse(["決定係数は0.95であり、サーバーを使った。", "それは、とても長い。"]).bigrams
    )


def test_a_query_has_the_same_shape() -> None:
    assert ginza.query(['"決定係数"を使う']).terms == ("決定", "係数", "使う")
    assert ginza.query(['"決定係数"を使う']).phrases == (("決定", "係数"),)


@pytest.mark.slow
@pytest.mark.parametrize(("unit", "times"), [("漢", terms.PIECE_CHARS + 1), ("\ud800", 500)])
def test_long_texts_without_a_space_are_taken(unit: str, times: int) -> None:
    found = ginza.analyse([unit * times])  # GiNZA raises above 49,149 bytes
    assert (unit in found.bigrams) == (unit == "漢")


@pytest.mark.slow
def test_fast_terms_agree_with_the_reference() -> None:
    with gzip.open(shared("eval", "jsquad-valid", "corpus.jsonl.gz"), "rt", encoding="utf-8") as lines:
        texts = [json.loads(line)["text"] for line in lines][::120]
    folded = [terms.fold(text[start:end]) for text in texts for start, end in split_sentences(text)]
    shared_terms = 0
    ours = 0
    theirs = 0
    for line in folded:
        fast = Counter(terms.split_terms(line))
        # GiNZA keeps long units and other spellings: its lemmas are read once more, so that only the choice
        # of words differs.
        reference = Counter(term for lemma in ginza.split_terms(line) for term in terms.split_terms(lemma))
        shared_terms += (fast & reference).total()
        ours += fast.total()
        theirs += reference.total()
    agreement = 2 * shared_terms / (ours + theirs)
    assert agreement >= 0.95, agreement
