"""What a question looks for is the same in every wording, and nothing inside a word is taken for asking."""

from __future__ import annotations

import time

from shisho.language.asking import is_asking_term, strip_asking
from shisho.language.terms import fold, make_query, split_terms
from tests.librarian.asked_questions import read_questions
from tests.tables import each_row

MAX_MISREAD = 6
STRIPPED = [
    ("複写機の紙詰まり、どうすればいいですか", "複写機の紙詰まり"),
    (
        "お忙しいところすみませんが、複写機の紙詰まりについて詳しく教えていただけないでしょうか。",
        "複写機の紙詰まり",
    ),
    ("複写機の紙詰まりって何？", "複写機の紙詰まり"),
    ("複写機の紙詰まりのことを知りたいのですが", "複写機の紙詰まり"),
    ("なんで複写機は紙が詰まるの", "複写機は紙が詰まるの"),
    ("Hi, could you please tell me how to clear a paper jam? Thanks!", "clear a paper jam"),
    ("I am printing a poster and would be glad if you could tell me what a bleed is.", "a bleed"),
    ("What’s the deal with paper jams?", "paper jams"),
    ("What does offset printing mean?", "offset printing"),
    ("Is there a way to clear a paper jam, please?", "clear a paper jam"),
]
KEPT = """平面幾何
ぶどう
図を提示
ほのか
know-how transfer
What3words
このボタンは何色
明日は休める
howitzers
offset printing works council""".splitlines()
ONLY_ASKING = ["どうすればいいですか", "教えてください。", "なぜ？", "Could you tell me?", "please", "？"]


@each_row(("question", "sought"), STRIPPED)
def test_asking_phrases_leave_a_question(question: str, sought: str) -> None:
    assert strip_asking(question) == sought


@each_row("question", KEPT)
def test_what_only_looks_like_asking_stays(question: str) -> None:
    assert strip_asking(question) == question


@each_row("question", ONLY_ASKING)
def test_a_question_that_only_asks_stays(question: str) -> None:
    assert strip_asking(question) == question


def test_sixty_wordings_look_for_what_they_are_about() -> None:
    wordings = read_questions("wording")
    misread = [
        row["question"]
        for row in wordings
        if _list_sought(row["question"]) != split_terms(fold(row["content"]))
    ]
    assert len(wordings) == 60
    assert len(misread) <= MAX_MISREAD, misread


def _list_sought(question: str) -> list[str]:
    return [term for term in split_terms(fold(strip_asking(question))) if not is_asking_term(term)]


def test_words_that_ask_are_no_terms_of_a_query_but_where_there_are_no_others() -> None:
    assert make_query(["紙が詰まったらどうする"]).terms == ("紙", "詰まる")
    assert make_query(["please"]).terms == ("pleas",)


@each_row("piece", ["教えて", "のでしょうか", "は", "とは", "please ", "what does ", " ", "x "])
def test_the_time_of_a_long_question_grows_with_its_length(piece: str) -> None:
    short, long = (_time(piece * count + "x") for count in (250, 1000))
    assert long < 40 * short + 0.05


def _time(question: str) -> float:
    started = time.process_time()
    for _ in range(5):
        strip_asking(question)
    return time.process_time() - started
