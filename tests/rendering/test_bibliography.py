"""A bibliography of what an answer quotes: what is said of a document, its pages, its quotations; no two
entries that look the same."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping

import pytest

from shisho.corpus.readers import references
from shisho.domain.corpus import DocumentId
from shisho.domain.inquiry import Evidence
from shisho.domain.reference import BIBTEX, CSL_JSON
from shisho.errors import ExtraMissing
from shisho.rendering import citation_styles
from shisho.rendering.bibliography import bibtex, csl_json, entries, ris
from shisho.rendering.citation_styles import write_in_style
from tests.tables import each_row

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
        "doi = {10.1000/xyz_1}",
        "pages = {3, 7}",
        "note = {p. 3: 引用1。 / p. 7: 引用2。}",
        "howpublished = {doc\\_a.pdf}",
    ):
        assert field in text, field
    lines = ris([entry]).splitlines()
    assert lines[0] == "TY  - GEN" and lines[-1].rstrip() == "ER  -"
    for line in ("AU  - 山田, 太郎", "AU  - Smith, Jane", "PY  - 2020", "SP  - 3, 7", "N1  - p. 7: 引用2。"):
        assert line in lines
    (item,) = json.loads(csl_json([entry]))
    assert item["author"][0] == {"family": "山田", "given": "太郎"}
    assert item["issued"] == {"date-parts": [[2020]]} and item["accessed"] == {"date-parts": [[2026, 11, 3]]}
    assert (item["DOI"], item["page"], item["note"]) == (
        "10.1000/xyz_1",
        "3, 7",
        "p. 3: 引用1。 / p. 7: 引用2。",
    )


def test_a_chapter_or_a_range_of_cells_is_no_page() -> None:
    (entry,) = entries(
        [quoted(1, page=None, place="第二章 霧の夜"), quoted(2, page=2, place="売上 A4:F4")], {}
    )
    text = bibtex([entry]) + ris([entry]) + csl_json([entry])
    assert "pages" not in text and "SP  -" not in text and '"page"' not in text
    assert "第二章 霧の夜: 引用1。" in text and "売上 A4:F4: 引用2。" in text


@each_row("kind", [{}, {"kind": "book"}, {"isbn": "978-4-00-000000-0"}])
def test_sist02_names_the_publisher_of_a_work_of_any_kind(kind: Mapping[str, str]) -> None:
    facts = {"author": "岬 花子", "publisher": "岬書房", "year": "2021", **kind}
    text = write_in_style(entries([quoted(1)], said(doc_a=facts)), "sist02")
    assert "岬書房" in text and "2021" in text


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


ADDRESS = "https://example.org/~yamada/a--b_c?x=1&y=$2%20#frag"


def test_an_address_stands_in_bibtex_as_it_is_and_is_read_back_so() -> None:
    facts = {"url": ADDRESS, "doi": "10.1234/a_b%20(x)"}
    text = bibtex(entries([quoted(1)], said(doc_a=facts)))
    assert f"url = {{{ADDRESS}}}" in text and "doi = {10.1234/a_b%20(x)}" in text
    (read_back,) = references.read(text.encode(), BIBTEX)
    assert read_back.facts["url"] == ADDRESS and read_back.facts["doi"] == facts["doi"]
    broken = bibtex(entries([quoted(1)], said(doc_a={"url": r"https://example.org/}\{"})))
    assert "url = {https://example.org/%7D%5C%7B}" in broken, "a brace would end the field"


@each_row("title", ["河川 {水位} & 流量_100% ~ ^2 #1 $5 | \\x", "a--b ``c'' `d' <e> \"f\" [g] @h"])
def test_letters_that_latex_reads_as_its_own_come_back_as_they_are(title: str) -> None:
    text = bibtex(entries([quoted(1)], said(doc_a={"title": title, "author": "~岬, ^花子"})))
    assert "~" not in text and "^" not in text
    (read_back,) = references.read(text.encode(), BIBTEX)
    assert read_back.facts["title"] == title
    assert read_back.facts["author"] == "~岬, ^花子"


@each_row("year", ["令和6年", "西暦2024年", "２０２４年度", "2024"])
def test_year_is_printed_in_whatever_calendar_it_was_said(year: str) -> None:
    cited = entries([quoted(1)], said(doc_a={"発行年": year, "閲覧日": "令和8年11月3日"}))
    (item,) = json.loads(csl_json(cited))
    assert item["issued"] == {"date-parts": [[2024]]} and item["accessed"] == {"date-parts": [[2026, 11, 3]]}
    assert "year = {2024}" in bibtex(cited) and "PY  - 2024" in ris(cited)


ARTICLE = {
    "author": "山田, 太郎; 鈴木, 花子; 佐藤, 次郎; 高橋, 三郎",
    "title": "深層学習による検索",
    "year": "2020",
    "container": "情報処理学会論文誌",
    "volume": "61",
    "issue": "3",
    "pages": "100-110",
    "doi": "10.1234/abc",
    "kind": "article-journal",
    "language": "en-US",
    "citation_key": "Yamada2020",
}
LECUN = {
    "author": "LeCun, Yann; Bengio, Yoshua; Hinton, Geoffrey; Foo, Bar",
    "title": "Deep learning",
    "year": "2015",
    "container": "Nature",
    "volume": "521",
    "pages": "436–444",
    "doi": "10.1038/nature14539",
}
WEB = {
    "author": "総務省",
    "title": "情報通信白書",
    "year": "2024",
    "url": "https://example.jp/x",
    "accessed": "2026-11-02",
    "kind": "webpage",
}
REPORT = {
    "author": "World Health Organization",
    "title": "Sodium & salt",
    "publisher": "WHO",
    "kind": "report",
}


def paragraphs(style: str, **facts: Mapping[str, str]) -> list[str]:
    """The entries without their quotations."""
    quotations = [quoted(number, name) for number, name in enumerate(facts, 1)]
    return [
        part.partition("\n")[0]
        for part in write_in_style(entries(quotations, said(**facts)), style).split("\n\n")
    ]


def test_what_a_reference_manager_says_reaches_every_export_under_its_own_key() -> None:
    (entry,) = entries([quoted(1)], said(doc_a=ARTICLE))
    text = bibtex([entry])
    assert text.startswith("@article{Yamada2020,")
    for field in ("volume = {61}", "number = {3}", "pages = {100-110}", "note = {p. 3: 引用1。}"):
        assert field in text, field
    lines = ris([entry]).splitlines()
    for line in ("TY  - JOUR", "VL  - 61", "IS  - 3", "SP  - 100", "EP  - 110", "N1  - p. 3: 引用1。"):
        assert line in lines, line
    (item,) = json.loads(csl_json([entry]))
    assert (item["id"], item["volume"], item["page"]) == ("Yamada2020", "61", "100-110")
    two = entries([quoted(1), quoted(2, "doc_b")], said(doc_a=ARTICLE, doc_b={**ARTICLE, "title": "別"}))
    assert len({entry.key for entry in two}) == 2


def test_apa_has_japanese_names_whole_in_their_order_and_undated_works() -> None:
    assert paragraphs(
        "apa", a=ARTICLE, b=LECUN, c=WEB, d=REPORT, e={"title": "講義ノート", "year": "2021"}
    ) == [
        "LeCun, Y., Bengio, Y., Hinton, G., & Foo, B. (2015). Deep learning. Nature, 521, 436–444. "
        "https://doi.org/10.1038/nature14539",
        "World Health Organization. (n.d.). Sodium & salt. WHO.",
        "山田太郎・鈴木花子・佐藤次郎・高橋三郎. (2020). 深層学習による検索. 情報処理学会論文誌, 61(3), 100–110. "
        "https://doi.org/10.1234/abc",
        "総務省. (2024). 情報通信白書. https://example.jp/x (2026-11-02 参照)",
        "講義ノート. (2021).",
    ]


EDITED = {
    "author": "鈴木一郎",
    "title": "食事と記憶",
    "container": "記憶の科学",
    "editor": "高橋, 次郎; 山田 花子",
    "year": "2020",
    "pages": "10-20",
    "kind": "chapter",
}
MINISTRY = {
    "author": "Ministry of Health, Labour and Welfare; King, Martin Luther, Jr.; Beethoven, Ludwig van",
    "title": "Memory",
    "container": "Minds",
    "editor": "{Nagoya, Gifu}; Smith, Jane",
    "year": "2019",
    "kind": "chapter",
}


def test_japanese_editors_stand_whole_under_their_own_word() -> None:
    assert paragraphs("apa", a=EDITED) == [
        "鈴木一郎. (2020). 食事と記憶. In 高橋次郎・山田花子 (編), 記憶の科学 (pp. 10–20)."
    ]
    assert paragraphs("sist02", a=EDITED) == [
        "(1) 鈴木一郎. “食事と記憶”. 記憶の科学. 高橋次郎, 山田花子編. 2020, p. 10-20."
    ]


def test_bodies_with_a_comma_stand_whole_and_a_suffix_has_its_place_in_every_export() -> None:
    assert paragraphs("apa", a=MINISTRY) == [
        "Ministry of Health, Labour and Welfare, King, M. L., Jr., & Beethoven, L. van. (2019). Memory. "
        "In Nagoya, Gifu & J. Smith (eds.), Minds."
    ]
    cited = entries([quoted(1)], said(doc_a=MINISTRY))
    assert (
        "author = {{Ministry of Health, Labour and Welfare} and King, Jr., Martin Luther and Beethoven, Ludwig van}"
        in bibtex(cited)
    )
    assert "editor = {{Nagoya, Gifu} and Smith, Jane}" in bibtex(cited)
    (item,) = json.loads(csl_json(cited))
    assert item["author"][0] == {"literal": "Ministry of Health, Labour and Welfare"}
    assert item["author"][1] == {"family": "King", "given": "Martin Luther", "suffix": "Jr."}
    assert item["author"][2] == {"family": "Beethoven", "given": "Ludwig", "dropping-particle": "van"}
    assert "AU  - King, Martin Luther, Jr." in ris(cited) and "ED  - Nagoya, Gifu" in ris(cited)
    for text, kind in ((bibtex(cited), BIBTEX), (csl_json(cited), CSL_JSON)):
        (read_back,) = references.read(text.encode(), kind)
        assert (read_back.facts["author"], read_back.facts["editor"]) == (
            MINISTRY["author"],
            MINISTRY["editor"],
        )


def test_those_whom_a_list_of_authors_leaves_out_are_told_as_others() -> None:
    facts = {**LECUN, "author": "LeCun, Yann; others"}
    (apa,) = paragraphs("apa", a=facts)
    assert apa.startswith("LeCun, Y., et al. (2015). Deep learning.")
    (many,) = paragraphs("apa", a={**facts, "author": "LeCun, Yann; " * 25 + "others"})
    assert many.count("LeCun") == 19 and "LeCun, Y., et al. (2015)" in many
    (sist02,) = paragraphs("sist02", a=facts)
    assert sist02.startswith("(1) LeCun, Yann et al. Deep learning.")
    japanese = {**ARTICLE, "author": "山田, 太郎; ほか"}
    assert paragraphs("apa", a=japanese)[0].startswith("山田太郎ほか. (2020)")
    assert paragraphs("sist02", a=japanese)[0].startswith("(1) 山田太郎ほか. 深層学習")
    cited = entries([quoted(1)], said(doc_a=facts))
    assert "author = {LeCun, Yann and others}" in bibtex(cited)
    assert json.loads(csl_json(cited))[0]["author"][1] == {"literal": "others"}, "as Pandoc knows it"


def test_sist02_numbers_entries_as_they_are_quoted_and_leaves_out_the_fourth_author() -> None:
    assert paragraphs("sist02", a=ARTICLE, b=LECUN, c=WEB, d=REPORT) == [
        "(1) 山田太郎, 鈴木花子, 佐藤次郎ほか. 深層学習による検索. 情報処理学会論文誌. 2020, vol. 61, no. 3, p. 100-110. "
        "https://doi.org/10.1234/abc.",
        "(2) LeCun, Yann; Bengio, Yoshua; Hinton, Geoffrey et al. Deep learning. Nature. 2015, vol. 521, p. 436-444. "
        "https://doi.org/10.1038/nature14539.",
        "(3) 総務省. “情報通信白書”. https://example.jp/x, (参照 2026-11-02).",
        "(4) World Health Organization. Sodium & salt. WHO, [n.d.].",
    ]


def test_no_two_entries_look_the_same_in_any_style() -> None:
    book = {"title": "統計学", "kind": "book"}
    facts: dict[str, Mapping[str, str]] = {
        "a": {**book, "author": "山田 太郎", "year": "2020"},
        "b": {**book, "author": "山田, 太郎", "year": "2020"},
        "c": {**REPORT},
        "d": {**REPORT, "title": "Sugar"},
        "e": {"title": "講義ノート"},
        "f": {"title": "講義ノート"},
    }
    apa = paragraphs("apa", **facts)
    assert len(set(apa)) == 6
    for label in ("(2020a)", "(2020b)", "(n.d.-a)", "(n.d.-b)"):
        assert any(label in text for text in apa), label
    assert len({text.partition(" ")[2] for text in paragraphs("sist02", **facts)}) == 6
    quotations = [quoted(number, name) for number, name in enumerate(facts, 1)]
    assert "year = {n.d.-a}" in bibtex(entries(quotations, said(**facts)))


def test_a_style_says_which_pages_are_quoted_below_its_entry() -> None:
    text = write_in_style(entries([quoted(1), quoted(2, page=7)], said(doc_a=ARTICLE)), "sist02")
    assert text.splitlines()[1:] == ["    p. 3: 引用1。", "    p. 7: 引用2。"]


def test_bodies_keep_their_and_and_persons_are_parted_by_it() -> None:
    def authors(names: str) -> tuple[str, ...]:
        (entry,) = entries([quoted(1)], said(doc_a={"author": names}))
        return tuple(author.family for author in entry.authors)

    assert authors("Jane Smith and John Doe") == ("Jane Smith", "John Doe")
    for body in ("Food and Agriculture Organization", "Department of Health and Human Services"):
        assert authors(body) == (body,)
        (entry,) = entries([quoted(1)], said(doc_a={"author": body}))
        assert f"author = {{{{{body}}}}}" in bibtex([entry])
    assert authors("総務省統計局；山田 太郎、佐藤花子") == ("総務省統計局", "山田 太郎", "佐藤花子")


def test_without_the_processor_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "citeproc", None)
    citation_styles._load_style.cache_clear()
    with pytest.raises(ExtraMissing, match="bibliography"):
        paragraphs("apa", a=ARTICLE)
