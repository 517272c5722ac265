"""Limits of extracts, and which sentences are central."""

from __future__ import annotations

from shisho.domain.corpus import BlockKind, DocumentId, Passage, PassageId
from shisho.surveys.outline import (
    MAX_SECTIONS,
    READ_SECTIONS,
    READ_SENTENCES,
    SentencePlace,
    extract,
    list_sentences,
)
from tests.tables import each_row


def make_passage(text: str, heading: str = "", start: int = 0) -> Passage:
    place = (start, start + len(text), None, heading, BlockKind.PARAGRAPH)
    return Passage(PassageId(f"{start}"), DocumentId("d"), start, *place, text, "", "", "", "")


def make_sections(count: int) -> list[SentencePlace]:
    return list(
        list_sentences(
            [make_passage(f"屋根の話{at}である。", f"章{at}", 100 * at) for at in range(count)], count
        )
    )


@each_row(
    ("count", "shown", "left"), [(19, 19, 0), (MAX_SECTIONS, 20, 0), (21, 20, 1), (READ_SECTIONS, 20, 20)]
)
def test_extract_shows_twenty_sections_and_counts_the_others(count: int, shown: int, left: int) -> None:
    sections, more = extract(make_sections(count))
    assert (len(sections), more) == (shown, left)


def test_model_reads_of_forty_sections_seventy_two_sentences() -> None:
    sections, left = extract(make_sections(41), READ_SENTENCES, READ_SECTIONS)
    assert (len(sections), left) == (40, 1)
    long = make_passage("".join(f"屋根の話{at}である。" for at in range(80)))
    (one,), _ = extract(list_sentences([long], 80), READ_SENTENCES, READ_SECTIONS)
    assert len(one.sentences) == 72


def extract_one(text: str, most: int = 1) -> list[str]:
    sections, _ = extract(list_sentences([make_passage(text)], 100), most)
    return [place.text for section in sections for place in section.sentences]


@each_row(
    ("text", "chosen"),
    [
        ("Roofs leak. Old roofs leak badly. Tea was served hot.", ["Old roofs leak badly."]),
        ("Roofs leak. Roofs leak. Roofs leak badly.", ["Roofs leak badly."]),
        (
            "Roofs\tleak\tbadly\troofs\nRoofs\tleak\tbadly\tleak\nThe roof leaks in spring.",
            ["The roof leaks in spring."],
        ),
        ("Roofs leak. Roofs creak.", ["Roofs leak."]),
    ],
)
def test_central_sentence_is_prose_of_three_words_if_there_is_any(text: str, chosen: list[str]) -> None:
    assert extract_one(text) == chosen
