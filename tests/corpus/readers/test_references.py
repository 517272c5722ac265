"""Bibliographies as programs write them: BibTeX, RIS, CSL-JSON, in any encoding, broken ones too."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

import pytest

from shisho.corpus.readers import media, references
from shisho.corpus.readers.killable import KillableReader
from shisho.domain.corpus import Source
from shisho.domain.reference import ANY_REFERENCES, BIBTEX, CSL_JSON, RIS, Reference
from shisho.errors import DocumentUnreadable, TooLarge, UnsupportedMedia, UnusableDocument


@pytest.fixture
async def reader() -> AsyncIterator[KillableReader]:
    made = KillableReader(10, 1024, 50 * 2**20)
    yield made
    await made.close()


ZOTERO = r"""
@article{yamada2020,
  title = {{深層学習}による \& 検索},
  author = {山田, 太郎 and Suz{\'u}ki, Hanako and {総務省統計局} and Ludwig van Beethoven and 佐藤 花子},
  journal = {情報処理学会論文誌}, volume = 61, number = {3}, pages = {100--110}, year = 2020, month = jan,
  doi = {https://doi.org/10.1000/xyz_1}, urldate = {2026-11-03}, langid = {japanese},
  file = {Full Text:files/12/山田 - 2020.pdf:application/pdf;Snapshot:C\:\\Users\\me\\a\;b.html:text/html}
}
@book{,
  title = {鍵のない本}, date = {2019-04}, publisher = {星雲社}
}
@book{, title = {これも鍵のない本}}
@misc{yamada2020, title = {鍵の重なる項目}}
@article{broken, title = {終わらない
"""
CINII = """TY  - JOUR\r
AU  - 山田, 太郎\r
AU  - 佐藤花子\r
TI  - 標本調査の理論\r
JO  - 統計学雑誌\r
VL  - 12\r
IS  - 3\r
SP  - 4\r
EP  - 9\r
PY  - 2018/05/01\r
DO  - 10.1000/abc\r
L1  - file:///C:/Users/me/Zotero/storage/ABCD1234/%E6%A8%99%E6%9C%AC.pdf\r
ER  - \r
\r
TY  - BOOK\r
TI  - 終わりのない項目\r
"""
CSL = [
    {
        "id": "http://zotero.org/users/1/items/ABCD1234",
        "citation-key": "lecun2015",
        "type": "article-journal",
        "title": "Deep learning",
        "container-title": "Nature",
        "author": [{"family": "LeCun", "given": "Yann"}, {"literal": "総務省"}],
        "issued": {"date-parts": [["2015", 5, 28]]},
        "accessed": {"date-parts": [[2026, 11, 3]]},
        "DOI": "10.1038/nature14539",
        "page": "436-444",
    },
    {
        "id": 7,
        "type": "book",
        "title": ["題が列"],
        "author": [{"family": 3}, "x"],
        "issued": {"raw": "令和2年"},
    },
    "no entry",
    {"id": "empty", "type": "book"},
]


def test_zotero_s_bibtex_is_read_with_names_files_and_latex_s_letters() -> None:
    first, second, *others = references.read(ZOTERO.encode(), BIBTEX)
    assert first.key == "yamada2020"
    assert first.files == ("files/12/山田 - 2020.pdf", "C:/Users/me/a;b.html")
    assert first.facts == {
        "title": "深層学習による & 検索",
        "author": "山田, 太郎; Suzúki, Hanako; 総務省統計局; van Beethoven, Ludwig; 佐藤, 花子",
        "year": "2020",
        "container": "情報処理学会論文誌",
        "volume": "61",
        "issue": "3",
        "pages": "100–110",
        "doi": "10.1000/xyz_1",
        "accessed": "2026-11-03",
        "language": "japanese",
        "kind": "article-journal",
        "citation_key": "yamada2020",
    }
    assert [entry.facts["title"] for entry in others] == ["これも鍵のない本", "鍵の重なる項目"]
    assert second.facts == {"title": "鍵のない本", "year": "2019", "publisher": "星雲社", "kind": "book"}


@pytest.mark.parametrize(
    ("written", "address"),
    [
        ("https://example.org/~y/a_b?x=$1&y=2%20#f--g", "https://example.org/~y/a_b?x=$1&y=2%20#f--g"),
        (r"https://example.org/\~{}y/a\_b?x=\$1\&y=2\%20\#f", "https://example.org/~y/a_b?x=$1&y=2%20#f"),
        (r"\url{https://example.org/{\textasciitilde}y/a{\_}b}", "https://example.org/~y/a_b"),
        (r"{https://example.org/$\sim$y}", "https://example.org/~y"),
    ],
)
def test_an_address_of_bibtex_stands_as_it_is(written: str, address: str) -> None:
    (entry,) = references.read(f"@misc{{k, title = {{x}}, url = {{{written}}}}}".encode(), BIBTEX)
    assert entry.facts["url"] == address


@pytest.mark.parametrize("less", ["<", r"{\textless}", r"$<$"])
def test_a_doi_with_angles_is_whole(less: str) -> None:
    more = less.replace("less", "greater").replace("<", ">")
    written = f"10.1002/(SICI)1097-4571(199601)47:1{less}1::AID-ASI1{more}3.0.CO;2-3"
    (entry,) = references.read(f"@misc{{k, title = {{x}}, doi = {{{written}}}}}".encode(), BIBTEX)
    assert entry.facts["doi"] == "10.1002/(SICI)1097-4571(199601)47:1<1::AID-ASI1>3.0.CO;2-3"


@pytest.mark.parametrize(
    ("written", "title"),
    [
        (r"{\textless}p{\textgreater} {\textbar} x\textasciicircum{}2", "<p> | x^2"),
        (r"10\textsuperscript{-2} mol, CO\textsubscript{2}", "10⁻² mol, CO₂"),
        (r"x\textsuperscript", "x"),
        ("{" * 400 + "x~" + "}" * 400, "{" * 300),
    ],
)
def test_a_title_has_the_letters_that_latex_prints(written: str, title: str) -> None:
    (entry,) = references.read(f"@misc{{k, title = {{{written}}}}}".encode(), BIBTEX)
    assert entry.facts["title"] == title


@pytest.mark.parametrize("year", ["{令和2年}", "{2020年度}", "{２０２０年３月}", "2020", "{c. 2020}"])
def test_year_is_read_in_any_calendar(year: str) -> None:
    (entry,) = references.read(f"@misc{{k, title = {{x}}, year = {year}}}".encode(), BIBTEX)
    (item,) = references.read(
        json.dumps([{"title": "x", "issued": {"literal": year.strip("{}")}}]).encode(), CSL_JSON
    )
    assert entry.facts["year"] == item.facts["year"] == "2020"


CREATORS = r"""
@article{a, title = {a}, author = {{Ministry of Health, Labour and Welfare} and {Nagoya, Gifu} and Ministry of Justice}}
@article{b, title = {b}, author = {King, Jr., Martin Luther and {\"U}nal, {J{\"o}rg} and others}}
@article{c, title = {c}, author = {{Ernst Young and Partner Group}}, editor = {山田 太郎 and 佐藤, 花子}}
"""
CSL_CREATORS = [
    {"family": "Beethoven", "given": "Ludwig", "dropping-particle": "van"},
    {"family": "Gogh", "given": "Vincent", "non-dropping-particle": "van"},
    {"family": "King", "given": "Martin Luther", "suffix": "Jr."},
    {"literal": "Ministry of Education, Culture, Sports, Science and Technology"},
    {"name": "Nagoya, Gifu"},
    {"literal": "others"},
    {"given": "Madonna"},
    {"family": ["x"] * 2},
    7,
]


def test_persons_come_in_their_parts_and_bodies_whole() -> None:
    bodies, persons, company = references.read(CREATORS.encode(), BIBTEX)
    assert (
        bodies.facts["author"]
        == "Ministry of Health, Labour and Welfare; {Nagoya, Gifu}; Ministry of Justice"
    )
    assert persons.facts["author"] == "King, Martin Luther, Jr.; Ünal, Jörg; others"
    assert company.facts["author"] == "{Ernst Young and Partner Group}"
    assert company.facts["editor"] == "山田, 太郎; 佐藤, 花子"
    item = {"type": "book", "id": "k", "title": "x", "author": CSL_CREATORS}
    (entry,) = references.read(json.dumps([item]).encode(), CSL_JSON)
    assert entry.facts["author"] == (
        "Beethoven, Ludwig van; van Gogh, Vincent; King, Martin Luther, Jr.; "
        "Ministry of Education, Culture, Sports, Science and Technology; {Nagoya, Gifu}; others; Madonna; x"
    )


MERGED = """
@string{stat = "統計学雑誌"}
@article{k, title = {睡眠}, author = {山田, 太郎}, journal = stat, file = {a.pdf}}
@article{k, title = {運動}, author = {鈴木, 一郎 and 高橋, 次郎}, journal = stat, file = {b.pdf}}
@article{k, title = "食事", journal = STAT, year = 2020, keywords = {x}, keywords = {y}, year = {1999}}
"""


def test_an_entry_is_read_like_others_where_its_key_or_a_field_of_it_stands_twice() -> None:
    sleep, exercise, meal = references.read(MERGED.encode(), BIBTEX)
    assert [entry.key for entry in (sleep, exercise, meal)] == ["k", "k", "k"]
    assert exercise.facts["author"] == "鈴木, 一郎; 高橋, 次郎" and exercise.files == ("b.pdf",)
    assert exercise.facts["container"] == meal.facts["container"] == "統計学雑誌"
    assert meal.facts["title"] == "食事" and meal.facts["year"] == "2020", "the first of two, as for BibTeX"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp932", "utf-16", "euc_jp"])
def test_ris_is_read_in_any_encoding_and_its_last_entry_without_an_end(encoding: str) -> None:
    first, second = references.read(CINII.encode(encoding), RIS)
    assert first.files == ("C:/Users/me/Zotero/storage/ABCD1234/標本.pdf",)
    assert first.facts == {
        "title": "標本調査の理論",
        "author": "山田, 太郎; 佐藤花子",
        "year": "2018",
        "container": "統計学雑誌",
        "volume": "12",
        "issue": "3",
        "pages": "4-9",
        "doi": "10.1000/abc",
        "kind": "article-journal",
    }
    assert second == Reference("", {"title": "終わりのない項目", "kind": "book"})


def test_csl_json_is_read_and_what_is_no_entry_is_passed_over() -> None:
    first, second = references.read(json.dumps(CSL).encode(), CSL_JSON)
    assert first.key == "lecun2015"
    assert first.facts["author"] == "LeCun, Yann; 総務省" and first.facts["pages"] == "436-444"
    assert (first.facts["year"], first.facts["accessed"]) == ("2015", "2026-11-03")
    assert second.facts == {
        "title": "題が列",
        "author": "3",
        "year": "2020",
        "kind": "book",
        "citation_key": "7",
    }
    assert references.read(json.dumps({"items": CSL}).encode(), CSL_JSON) == [first, second]


def test_a_bibliography_is_told_from_a_text_by_its_name_and_its_bytes() -> None:
    assert media.sniff("library.bib", ZOTERO.encode()) == BIBTEX
    assert media.sniff("export.RIS", CINII.encode("cp932")) == RIS
    assert media.sniff("library.json", json.dumps(CSL).encode()) == CSL_JSON
    assert media.sniff("data.json", b'[{"id": 1, "type": "user"}]') == media.TEXT
    assert media.sniff("notes.txt", ZOTERO.encode()) == media.TEXT
    assert media.sniff("empty.bib", "何もない。".encode()) == media.TEXT
    for data, kind in ((ZOTERO, BIBTEX), (CINII, RIS), (json.dumps(CSL), CSL_JSON)):
        assert media.sniff("references.txt", data.encode(), ANY_REFERENCES) == kind
    with pytest.raises(UnsupportedMedia):
        media.sniff("library.bib", "本文である。".encode(), ANY_REFERENCES)


HOSTILE = {
    "nested": "@article{a, title={" + "{" * 200_000,
    "unclosed": "@article{a, title={x},\n" * 20_000,
    "strings": "".join(f"@string{{a{n + 1} = a{n} # a{n}}}\n" for n in range(200))
    + "@article{z, title=a200}",
    "latex": "@article{a, title={" + r"\frac{" * 300 + "}" * 300 + "}}",
    "json": "[" * 100_000,
    "ris": "TY  - JOUR\n" + "AU  - x\n" * 100_000,
}


@pytest.mark.parametrize("name", HOSTILE)
async def test_hostile_bibliographies_end_in_entries_or_a_reason(reader: KillableReader, name: str) -> None:
    kind = CSL_JSON if name == "json" else RIS if name == "ris" else BIBTEX
    try:
        entries = await reader.read_references(Source("a", HOSTILE[name].encode(), kind))
    except UnusableDocument as reason:
        assert isinstance(reason, DocumentUnreadable | TooLarge)
    else:
        assert all(len(fact) <= 20_000 for entry in entries for fact in entry.facts.values())
    assert await reader.read_references(Source("a", ZOTERO.encode(), BIBTEX))


@pytest.mark.slow
async def test_more_entries_than_a_person_has_are_too_many(reader: KillableReader) -> None:
    items = b"[" + b",".join([b'{"type":"book","title":"x","id":"1"}'] * (references.MAX_ENTRIES + 1)) + b"]"
    with pytest.raises(TooLarge, match="export a part"):
        await reader.read_references(Source("a.json", items, CSL_JSON))
