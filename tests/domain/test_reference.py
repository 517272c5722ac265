"""What is known of a document in a bibliography, in its shapes."""

from __future__ import annotations

from shisho.domain.reference import LONGEST_ADDRESS, LONGEST_FACT, find_doi, shorten_fact
from tests.tables import each_row

SICI = "10.1002/(SICI)1097-4571(199601)47:1<1::AID-ASI1>3.0.CO;2-3"
BARE = "10.1000/xyz_1"


LONG = "https://example.org/" + "a" * LONGEST_FACT


def test_an_address_is_whole_or_left_out_and_a_text_is_cut() -> None:
    assert shorten_fact("url", LONG) == LONG and shorten_fact("url", LONG + "a" * LONGEST_ADDRESS) == ""
    assert shorten_fact("title", "題" * (LONGEST_FACT + 1)) == "題" * LONGEST_FACT


@each_row(
    ("text", "doi"),
    [
        (SICI, SICI),
        (f"<{SICI}>", SICI),
        ("https://doi.org/10.1002/(SICI)1097-4571(199601)47:1%3C1::AID-ASI1%3E3.0.CO;2-3", SICI),
        ("10.1175/1520-0426(1996)013<0963:ATS>2.0.CO;2", "10.1175/1520-0426(1996)013<0963:ATS>2.0.CO;2"),
        (f"doi: {BARE}", BARE),
        (f"<https://doi.org/{BARE}>", BARE),
        (f'<a href="https://doi.org/{BARE}">{BARE}</a>', BARE),
        (f"<i>{BARE}</i>", BARE),
        ("10.1234/abc%20(x)", "10.1234/abc%20(x)"),
        ("10.12/abc", ""),
        ("10.1000/" + "<" * 100_000, ""),
        ("10.1000/" + "<a:" * 100_000, ""),
    ],
)
def test_a_doi_keeps_its_own_angles_and_none_of_what_is_around(text: str, doi: str) -> None:
    assert find_doi(text) == doi
