"""The findings of an assistant that is its own librarian: what is refused, and why."""

from __future__ import annotations

from shisho.domain.corpus import NumberedPassage
from shisho.domain.inquiry import Finding
from shisho.domain.requirements import NO_REQUIREMENTS
from shisho.librarian.assistant import Assistant
from shisho.librarian.evidence import VerifiedQuote
from tests.tables import each_row

PASSAGES = [NumberedPassage(1, "棚の幅は90cmである。", "", 1.0), NumberedPassage(2, "机は白い。", "", 1.0)]


@each_row(
    ("finding", "why"),
    [
        (Finding(1, "G9", "棚の幅は90cmである。", 1.0), "there is no goal G9"),
        (Finding(1, "G1", "棚の幅は90cmである。", 1.1), "score must be 0 to 1"),
        (Finding(1, "G1", "棚の幅は90cmである。", float("nan")), "score must be 0 to 1"),
        (Finding(3, "G1", "棚の幅は90cmである。", 1.0), "passage 3 was not shown in this session"),
        (Finding(1, "G1", "。", 1.0), "a symbol or a single letter is not a quotation"),
        (Finding(2, "G1", "棚の幅は90cmである。", 1.0), "these words do not occur in that passage"),
    ],
)
def test_a_finding_that_is_no_quotation_of_a_shown_passage_is_refused(finding: Finding, why: str) -> None:
    assistant = Assistant()
    judged = assistant.judge(finding, PASSAGES, assistant.aim("棚の幅は", NO_REQUIREMENTS))
    assert str(judged).startswith(why)


@each_row("score", [0.0, 1.0])
def test_a_finding_in_a_shown_passage_is_a_span_of_it(score: float) -> None:
    assistant = Assistant()
    aim = assistant.aim("棚の幅は", NO_REQUIREMENTS)
    quote = assistant.judge(Finding(2, "G1", "机は白い", score), PASSAGES, aim)
    assert quote == VerifiedQuote(2, 0, 4, "机は白い", False)
