"""The evidence or the shown passage that supports a sentence without a citation is found."""

from __future__ import annotations

from shisho.domain.corpus import NumberedPassage
from shisho.domain.inquiry import EvidenceRef, Finding, Goal
from shisho.librarian.checking.check import AnswerUnit
from shisho.librarian.checking.search import SupportSearch
from tests.tables import each_row

SHELF = "棚の幅は90cmである。"
GOALS = (Goal("G1", "机の色は何か"), Goal("G2", "棚の幅はいくらか"))
EVIDENCE = (
    EvidenceRef(1, "G1", "机は白い。", "家具", 0.9, 1),
    EvidenceRef(2, "G2", f"{SHELF}棚は白い。", "家具", 0.9, 1),
)
PASSAGES = (NumberedPassage(7, "椅子は黒い。椅子の高さは45cmである。", "家具", 1.0),)
HOURS, TURNED = "開館は9時で閉館は17時である。", "開館は17時で閉館は9時である。"


@each_row(
    ("text", "cites", "found"),
    [
        (SHELF, (), (2,)),
        (SHELF, (9,), (9, 2)),
        (SHELF, (1,), (1,)),
        (f"{SHELF.removesuffix('。')}[1]。", (), ()),
        (f"{SHELF.removesuffix('。')}[9]。", (), (2,)),
        ("棚の幅は80cmである。", (), ()),
        ("雨が降る。", (), ()),
        ("[9]", (), ()),
    ],
)
def test_a_sentence_is_given_the_evidence_that_supports_it(
    text: str, cites: tuple[int, ...], found: tuple[int, ...]
) -> None:
    assert SupportSearch(EVIDENCE, (), GOALS).cite(AnswerUnit(text, cites)) == AnswerUnit(text, found)


def test_a_frame_needs_no_evidence() -> None:
    conclusion = EvidenceRef(1, "G1", "結論", "", 0.9, 1)
    unit = AnswerUnit("結論")
    assert SupportSearch((conclusion,), (), GOALS).cite(unit) == unit


def test_a_sentence_of_a_shown_passage_becomes_a_finding_for_the_nearest_goal() -> None:
    search = SupportSearch(EVIDENCE, PASSAGES, (*GOALS, Goal("G3", "椅子の高さはいくらか")))
    finding = search.cite(AnswerUnit("椅子の高さは45cmである。"))
    assert isinstance(finding, Finding) and finding == search.find("椅子の高さは45cmである。[1]")
    assert (finding.index, finding.goal_id, finding.snippet) == (7, "G3", "椅子の高さは45cmである。")
    assert search.find("椅子の高さは55cmである。") is None


@each_row(("before", "is_found"), [(0, True), (7, True), (8, False)])
def test_the_nearest_eight_are_compared(before: int, is_found: bool) -> None:
    texts = [*[TURNED] * before, HOURS]
    refs = [EvidenceRef(number, "G1", text, "", 0.9, 1) for number, text in enumerate(texts, 1)]
    unit = SupportSearch(refs, (), GOALS).cite(AnswerUnit(HOURS))
    assert unit == AnswerUnit(HOURS, (len(refs),) if is_found else ())


def test_rare_words_and_words_of_headings_make_a_candidate_near() -> None:
    common = [EvidenceRef(number, "G1", TURNED, "分館", 0.9, 1) for number in range(1, 9)]
    refs = [*common, EvidenceRef(9, "G1", HOURS, "本館", 0.9, 1)]
    unit = SupportSearch(refs, (), GOALS).cite(AnswerUnit(f"本館の{HOURS}"))
    assert unit == AnswerUnit(f"本館の{HOURS}", (9,))
