"""Questions about the collection are told from all others, and their parts are computed exactly."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

from shisho.domain.corpus import BlockKind, DocumentId, Passage, PassageId
from shisho.domain.requirements import RequestKind
from shisho.domain.survey import SurveyKind
from shisho.language.numbers import Date
from shisho.surveys.changes import Change, compare_sentences
from shisho.surveys.counting import choose_sentence, list_forms, read_topic
from shisho.surveys.deadlines import find_day, list_limits
from shisho.surveys.naming import DocumentName, find_named, find_pair, read_name
from shisho.surveys.outline import SENTENCES, extract, list_sentences
from shisho.surveys.recognise import recognise
from tests.flows.collection_questions import QUESTIONS
from tests.shared import shared
from tests.tables import each_row

READING = Path(__file__).parents[2] / "eval" / "reading"


def list_questions(path: Path) -> list[str]:
    return [json.loads(line)["question"] for line in path.read_text("utf-8").splitlines()]


@each_row("row", QUESTIONS)
def test_a_question_about_the_collection_is_told_by_its_kind(row: dict[str, str]) -> None:
    found = recognise(row["question"])
    assert found is not None and found.kind == row["kind"]


def test_no_normal_question_is_taken_for_one() -> None:
    asked = [question for path in sorted(READING.glob("*.jsonl")) for question in list_questions(path)]
    assert len(asked) == 725
    assert [question for question in asked if recognise(question)] == []


def test_no_question_about_japanese_files_is_taken_for_one() -> None:
    asked = list_questions(shared("eval-pdf-ja", "questions.jsonl"))
    assert len(asked) >= 170
    assert [question for question in asked if recognise(question)] == []


@each_row(
    "question",
    [
        "How many documents must be submitted with the form?",
        "Which documents are needed for a visa?",
        "Which reports about the bridge were rejected?",
        "How many people mention the noise in the minutes?",
        "What is the difference between a median and a mean?",
        "What changed between 1990 and today?",
        "When is the deadline of the Aster grant?",
        "Write the name of the minister who wrote the report.",
        "屋根に関する規則を教えてください",
        "旅費に関する書類を提出するのは誰ですか",
        "申請に必要な書類は何ですか",
        "残業と休日出勤の違いは何ですか",
        "申請の期限はいつですか",
        "報告書を書いて提出する期限はいつですか",
    ],
)
def test_what_only_sounds_like_one_is_none(question: str) -> None:
    assert recognise(question) is None


def test_a_kind_that_is_chosen_is_obeyed() -> None:
    summary = recognise("the letter of May", RequestKind.SUMMARY)
    assert summary is not None and (summary.kind, summary.names) == (
        SurveyKind.SUMMARY,
        ("letter of May",),
    )
    listed = recognise("documents about the roof", RequestKind.COLLECTION)
    assert listed is not None and listed.kind is SurveyKind.LIST
    assert [word.text for word in read_topic(listed.topic, is_question=True)] == ["roof"]
    report = recognise("the roof", RequestKind.REPORT)
    assert report is not None and report.kind is SurveyKind.MODEL
    assert recognise("How many documents mention the roof?", RequestKind.FACT) is None


def names(*titled: tuple[str, str]) -> list[DocumentName]:
    return [read_name(title, source) for title, source in titled]


MINUTES = names(
    ("Minutes of 5 May", "/d/minutes-05.md"),
    ("Minutes of 7 April", "/d/minutes-04.md"),
    ("Letter of 5 May", "/d/letter.md"),
    ("Travel rules v1", "/d/travel-rules-v1.md"),
    ("Travel rules v2", "/d/travel-rules-v2.md"),
    ("旅費規程（旧）", "/d/a.md"),
    ("旅費規程（新）", "/d/b.md"),
    ("Scan", "/d/scan-2026-02-09.pdf"),
)


@each_row(
    ("name", "places"),
    [
        ("minutes of 5 May", [0]),
        ("the minutes of May 5th", [0]),
        ("5月5日の議事録", [0]),
        ("5 May", [0, 2]),
        ("minutes-04.md", [1]),
        ("Travel rules v2", [4]),
        ("travel rules", [3, 4]),
        ("2026年2月9日のscan", [7]),
        ("minutes of 6 May", []),
        ("the causes of the fire", []),
        ("travel", []),
    ],
)
def test_a_name_means_the_documents_that_it_fits(name: str, places: list[int]) -> None:
    assert find_named(name, MINUTES) == places


@each_row(
    ("one", "other", "pair"),
    [
        ("v1", "v2", (3, 4)),
        ("travel rules v1", "v2", (3, 4)),
        ("old", "new travel rules", (3, 4)),
        ("旅費規程の旧版", "新版", (5, 6)),
        ("minutes of 7 April", "minutes of 5 May", (1, 0)),
        ("v1", "v3", None),
        ("travel rules", "minutes", None),
    ],
)
def test_a_pair_is_told_apart_or_not_taken(one: str, other: str, pair: tuple[int, int] | None) -> None:
    assert find_pair(one, other, MINUTES) == pair


def test_dates_of_titles_and_files_count() -> None:
    assert MINUTES[0].dates == (Date(None, 5, 5),)
    assert MINUTES[7].dates == (Date(2026, 2, 9),)


def test_sentences_are_paired_with_what_they_were() -> None:
    old = ["Hotels cost 110 euros.", "Keep it.", "Wear a hat.", "Gone for good and all."]
    new = ["Hotels cost 140 euros.", "Keep  it.", "Dogs may not enter the boats.", "Wear a hat."]
    changes, same = compare_sentences(old, new)
    assert same == 2
    assert set(changes) == {Change(0, 0), Change(None, 2), Change(3, None)}


@each_row(
    ("sentence", "day"),
    [
        ("The deadline of the grant is 15 December 2026.", date(2026, 12, 15)),
        ("The form must reach us by 30 November 2026.", date(2026, 11, 30)),
        ("Entries are due by 2026-12-10.", date(2026, 12, 10)),
        ("Entries may be sent from 1 March 2026 until 15 April 2026.", date(2026, 4, 15)),
        ("The deadline is the end of February 2028.", date(2028, 2, 29)),
        ("申請期限は令和9年1月15日である。", date(2027, 1, 15)),
        ("2026年12月10日までに申し込むこと。", date(2026, 12, 10)),
        ("The party is on 20 December 2026.", None),
        ("The deadline is 15 December.", None),
        ("2026年12月10日に開かれた。", None),
    ],
)
def test_a_deadline_is_the_last_day_of_a_sentence_that_speaks_of_one(sentence: str, day: date | None) -> None:
    assert find_day(sentence) == day


@each_row(
    "words",
    """The deadline is|Deadlines are|Entries are due on|No later than|Not later than|At the latest|Entries by|Entries until
Entries by the|Entries until the|It closes on|The close is|Closing is|It will expire on|It expires on|The expiry is
The last day is""".replace("\n", "|").split("|"),
)
def test_english_wordings_of_a_deadline(words: str) -> None:
    assert find_day(f"{words} 5 May 2026 in the hall.") == date(2026, 5, 5)
    assert find_day(f"{words} the door in the hall.") is None


@each_row(
    "words",
    ["締め切り", "締切", "〆切", "期限", "期日", "必着", "までに", "までと", "まで", "まで。", "までです"],
)
def test_japanese_wordings_of_a_deadline(words: str) -> None:
    assert find_day(f"2026年5月5日{words}") == date(2026, 5, 5)
    assert find_day("2026年5月5日までの話") is None


@each_row(
    ("named", "day"),
    [
        ("0000年5月", None),
        ("9999年12月", date(9999, 12, 31)),
        ("5000年2月30日", date(5000, 2, 28)),
        ("2026年13月5日", None),
        ("2026年0月5日", None),
        ("2026年", None),
    ],
)
def test_deadline_needs_a_year_and_a_month_of_the_calendar(named: str, day: date | None) -> None:
    assert find_day(f"期限は{named}。") == day


def test_deadlines_are_limited_by_what_they_are_of() -> None:
    assert list_limits("Which deadlines are still open") == frozenset()
    assert list_limits("Which grant deadlines are still open") == {"grant"}
    assert list_limits("まだ過ぎていない締切はどれですか") == frozenset()
    assert list_limits("これから期限が来るものを教えてください") == frozenset()


def passage(text: str, heading: str = "", start: int = 0) -> Passage:
    name = PassageId(f"{start}")
    place = (start, start + len(text), None, heading, BlockKind.PARAGRAPH)
    return Passage(name, DocumentId("d"), start, *place, text, "", "", "", "")


def test_an_extract_has_of_each_section_what_is_most_central() -> None:
    roof = "Tea was served late in cups. A new roof would cost much. The roof of the hall leaks. The hall is shut now."
    sections = [passage(roof, "Minutes › Roof")]
    sections += [
        passage(f"Number {at} says its own thing.", f"Minutes › Part {at}", 1_000 * at) for at in range(1, 8)
    ]
    places = list_sentences(sections, 1_000)
    found, left = extract(places)
    assert left == 0 and len(found) == SENTENCES
    assert [place.text for place in found[0].sentences] == ["The roof of the hall leaks."]
    assert found[0].name_under("Minutes") == "Roof"


def test_a_page_number_and_an_address_are_no_content() -> None:
    texts = ("ii", "- 12 -", "https://www.example.org/a_b/c.pdf", "屋根は雨漏りする。")
    found, _ = extract(list_sentences([passage(text, start=100 * at) for at, text in enumerate(texts)], 10))
    assert [place.text for section in found for place in section.sentences] == ["屋根は雨漏りする。"]


def test_a_sentence_that_two_passages_share_is_read_once() -> None:
    text = "One is here. Two is here. Three is here."
    cut = text.index("Two")
    places = list_sentences([passage(text[: text.index(" Three")]), passage(text[cut:], start=cut)], 10)
    assert [place.text for place in places] == ["One is here.", "Two is here.", "Three is here."]


def test_the_sentence_with_the_words_is_chosen_and_their_forms_are_named() -> None:
    (word,) = read_topic("the roof")
    text = "# Roof\nTea was served. All roofs leak. The Roof is old."
    start, end = choose_sentence(passage(text, "Roof"), [word.terms])
    assert text[start:end] == "All roofs leak."
    assert list_forms([text], word, [word.terms]) == ["roofs"]
    assert [each.text for each in read_topic("the roof and the heating")] == ["roof", "heating"]
