"""A bibliography of what an answer quotes: what is said of a document, its pages, its quotations; no two entries that
look the same."""

from __future__ import annotations

import json
from collections.abc import Mapping

from shisho.domain.corpus import DocumentId
from shisho.domain.inquiry import Evidence
from shisho.librarian.bibliography import bibtex, csl_json, entries, ris

YAMADA = {
    "著者": "山田, 太郎; Smith, Jane",
    "Date": "2020-04-01",
    "publisher": "東京大学出版会",
    "doi": "https://doi.org/10.1000/xyz_1",
    "accessed": "2026年11月3日",
    "language": "ja",
}


def quoted(number: int, name: str = "doc_a", page: int | None = 3, **given: object) -> Evidence:
    facts: dict[str, object] = {
        "id": f"e{number}",
        "number": number,
        "goal_id": "G1",
        "document_id": DocumentId(name),
        "document": f"/家/{name}.pdf",
        "title": "回帰分析",
        "heading": "",
        "page": page,
        "start": 0,
        "end": 3,
        "snippet": f"引用{number}。",
        "sha256": "",
        "score": 1.0,
        "round": 1,
    }
    return Evidence(**{**facts, **given})  # type: ignore[arg-type]


def said(**facts: Mapping[str, str]) -> dict[DocumentId, Mapping[str, str]]:
    return {DocumentId(name): value for name, value in facts.items()}


def test_what_is_said_of_a_document_stands_in_its_entry_with_pages_and_quotations() -> None:
    (entry,) = entries([quoted(1), quoted(2, page=7)], said(doc_a=YAMADA))
    text = bibtex([entry])
    for field in (
        "author = {山田, 太郎 and Smith, Jane}",
        "year = {2020}",
        "publisher = {東京大学出版会}",
        "doi = {10.1000/xyz\\_1}",
        "pages = {3, 7}",
        "note = {引用1。 / 引用2。}",
        "howpublished = {doc\\_a.pdf}",
    ):
        assert field in text, field
    lines = ris([entry]).splitlines()
    assert lines[0] == "TY  - GEN" and lines[-1].rstrip() == "ER  -"
    for line in ("AU  - 山田, 太郎", "AU  - Smith, Jane", "PY  - 2020", "SP  - 3, 7", "N1  - 引用2。"):
        assert line in lines
    (item,) = json.loads(csl_json([entry]))
    assert item["author"][0] == {"family": "山田", "given": "太郎"}
    assert item["issued"] == {"date-parts": [[2020]]} and item["accessed"] == {"date-parts": [[2026, 11, 3]]}
    assert (item["DOI"], item["page"], item["note"]) == ("10.1000/xyz_1", "3, 7", "引用1。 / 引用2。")


def test_entries_that_share_author_and_year_are_told_apart_by_letters() -> None:
    facts = {"author": "山田太郎", "year": "2020"}
    evidence = [quoted(1, "doc_a"), quoted(2, "doc_b"), quoted(3, "doc_c")]
    told = entries(evidence, said(doc_a=facts, doc_b=facts, doc_c={**facts, "year": "2021"}))
    assert [entry.year + entry.suffix for entry in told] == ["2020a", "2020b", "2021"]
    assert "year = {2020b}" in bibtex(told)
    assert [item.get("year-suffix") for item in json.loads(csl_json(told))] == ["a", "b", None]
    assert json.loads(csl_json(told))[0]["author"] == [{"literal": "山田太郎"}]
    many = entries([quoted(number, f"doc_{number}") for number in range(28)], {})
    assert len({(entry.title, entry.year, entry.suffix) for entry in many}) == 28
    assert [entry.suffix for entry in many][24:] == ["y", "z", "aa", "ab"]


def test_a_page_of_the_web_is_cited_with_its_address_and_a_document_of_which_nothing_is_said_by_its_file() -> (
    None
):
    page = quoted(1, "doc_w", None, source_url="https://example.jp/a", document="https://example.jp/a")
    web, file = entries([page, quoted(2)], {})
    assert "url = {https://example.jp/a}" in bibtex([web]) and "howpublished" not in bibtex([web])
    assert "howpublished = {doc\\_a.pdf}" in bibtex([file]) and "author" not in bibtex([file])
    assert [item["type"] for item in json.loads(csl_json([web, file]))] == ["webpage", "document"]
