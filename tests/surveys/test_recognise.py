"""Every wording in which documents are asked for by what they mention."""

from __future__ import annotations

from shisho.domain.survey import SurveyKind
from shisho.surveys.recognise import recognise
from tests.tables import each_row


def find_topic(question: str) -> str | None:
    found = recognise(question)
    return None if found is None else found.topic


@each_row(
    "words",
    """about|on|are about|is about|that are about|which are about|that mention|which mention|mentioning
contain|contains|containing|discuss|discusses|discussing|that discuss|talk about|talks about|speak of|tell of
refer to|refers to|referring to|deal with|deals with|dealing with|concern|concerning|have the word|has the words
mention the word|mention the term|contain the words""".replace("\n", "|").split("|"),
)
def test_english_wordings_that_mention(words: str) -> None:
    assert find_topic(f"Which documents {words} roofs?") == "roofs"


@each_row(
    "verb",
    ["mentioned", "discussed", "talked about", "occur", "occurs", "appear", "appears", "come up", "named"],
)
def test_english_wordings_that_are_mentioned(verb: str) -> None:
    for start in ("in which", "where", "in", "are", "do"):
        assert find_topic(f"Which documents {start} roofs {verb}?") == "roofs"
    assert find_topic(f"Which documents are roofs {verb} in?") == "roofs"
    assert find_topic(f"In which documents is the roof {verb}?") == "roof"


@each_row(
    "word",
    [
        "is",
        "are",
        "was",
        "were",
        "has",
        "have",
        "had",
        "do",
        "does",
        "did",
        "can",
        "must",
        "should",
        "will",
        "when",
        "why",
        "how",
        "who",
        "what",
    ],
)
def test_topic_with_a_verb_of_its_own_asks_something_else(word: str) -> None:
    assert recognise(f"Which documents mention roofs that {word} old?") is None


@each_row("article", ["the", "a", "an", "my", "our"])
def test_topic_has_no_article(article: str) -> None:
    assert find_topic(f"Which documents mention {article} oven?") == "oven"
    summary = recognise(f"Summarise {article} letter")
    assert summary is not None and summary.names == ("letter",)


@each_row("word", ["語", "言葉", "単語", "文字列", "用語", "という語", "との言葉", "という話題"])
def test_japanese_topic_is_named_without_what_it_is(word: str) -> None:
    assert find_topic(f"「屋根」{word}を含む文書はいくつありますか") == "屋根"


@each_row("limit", ["in 3 sentences", "in about 50 words", "in at most ten lines", "in under 90 words"])
def test_length_of_a_summary_is_no_part_of_the_name(limit: str) -> None:
    found = recognise(f"Give me a short summary of the letter {limit}")
    assert found is not None and (found.kind, found.names) == (SurveyKind.SUMMARY, ("letter",))


@each_row(
    ("question", "kind", "noun"),
    [
        ("How many letters mention roofs?", SurveyKind.COUNT, "letters"),
        ("Which sources mention roofs?", SurveyKind.LIST, ""),
        ("List all minutes about roofs", SurveyKind.LIST, "minutes"),
        ("屋根に触れた議事録は何件ありますか", SurveyKind.COUNT, "議事録"),
        ("屋根について書かれた資料の一覧を見せてください", SurveyKind.LIST, ""),
        ("どの文書に屋根のことが書かれていますか", SurveyKind.LIST, ""),
        ("いくつの手紙が屋根に触れていますか", SurveyKind.COUNT, "手紙"),
    ],
)
def test_documents_are_counted_or_listed_by_kind(question: str, kind: SurveyKind, noun: str) -> None:
    found = recognise(question)
    assert found is not None
    assert (found.kind, found.noun) == (kind, noun)
