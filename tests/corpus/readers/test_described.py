"""What a file says of itself: from the head of a page, a PDF's tables, a document's properties."""

from __future__ import annotations

import io
import json
from contextlib import suppress

import docx
import openpyxl
import pptx
import pytest
from pptx.util import Inches

from shisho.corpus.readers import docx as docx_reader
from shisho.corpus.readers import epub, html, pdf, wire, xlsx
from shisho.corpus.readers import pptx as pptx_reader
from shisho.corpus.readers.described import describe_pdf, keep_facts
from shisho.errors import UnusableDocument
from tests.corpus.readers import making_books

BODY = "<p>" + "決定係数は回帰の当てはまりを示す。" * 20 + "</p>"
CITATION = """<html lang="ja"><head><title>t</title>
<meta name="citation_author" content="山田, 太郎"><meta name="citation_author" content="Smith, Jane">
<meta name="citation_publication_date" content="2020/04/01"><meta name="citation_journal_title" content="統計学雑誌">
<meta name="citation_doi" content="doi:10.1000/xyz1"><meta name="author" content="webmaster">
<link rel="canonical" href="https://example.jp/a"></head><body>"""
DUBLIN = """<html><head><meta name="DC.creator" content="佐藤花子"><meta name="DCTERMS.issued" content="1999-12">
<meta name="DC.publisher" content="国立&#x3000;図書館"><meta name="DC.language" content="ja"></head><body>"""
XMP = b"""%PDF-1.7 stuff <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF
 xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:dc="http://purl.org/dc/elements/1.1/"
 xmlns:prism="http://prismstandard.org/namespaces/basic/2.0/"><rdf:Description prism:doi="10.1000/abc">
 <dc:creator><rdf:Seq><rdf:li>Jane Smith</rdf:li><rdf:li>\xe5\xb1\xb1\xe7\x94\xb0</rdf:li></rdf:Seq></dc:creator>
 <prism:coverDate>2018-05-01</prism:coverDate></rdf:Description></rdf:RDF></x:xmpmeta> more"""


def test_a_scholarly_page_says_who_wrote_it_where_and_when() -> None:
    reading = html.read((CITATION + BODY).encode())
    assert reading.description == {
        "author": "山田, 太郎; Smith, Jane",
        "year": "2020",
        "container": "統計学雑誌",
        "doi": "10.1000/xyz1",
        "url": "https://example.jp/a",
        "language": "ja",
    }
    (packed,) = wire.pack(reading)
    assert wire.unpack(json.loads(json.dumps(packed))).description == reading.description


def test_dublin_core_and_json_ld_are_read() -> None:
    facts = html.read((DUBLIN + BODY).encode()).description
    assert facts == {"author": "佐藤花子", "year": "1999", "publisher": "国立 図書館", "language": "ja"}
    linked = {
        "@graph": [
            {"@type": "WebSite", "author": "nobody"},
            {
                "@type": ["NewsArticle"],
                "author": [{"@type": "Person", "name": "鈴木一郎"}, "高橋"],
                "datePublished": "2023-01-02",
                "publisher": {"name": "新聞社"},
            },
        ]
    }
    page = f'<html><head><script type="application/ld+json">{json.dumps(linked)}</script></head><body>{BODY}'
    facts = html.read(page.encode()).description
    assert facts == {"author": "鈴木一郎; 高橋", "year": "2023", "publisher": "新聞社"}


@pytest.mark.parametrize("broken", ["[" * 5_000, '{"@graph": 3}', "null", '{"@type": {"a": 1}, "author": 7}'])
def test_json_ld_that_is_none_says_nothing(broken: str) -> None:
    page = f'<html><head><script type="application/ld+json">{broken}</script></head><body>{BODY}'
    assert html.read(page.encode()).description == {}


def test_a_pdf_says_it_in_its_xmp_or_its_table() -> None:
    assert describe_pdf("user", XMP) == {"author": "Jane Smith; 山田", "year": "2018", "doi": "10.1000/abc"}
    assert describe_pdf("山田太郎", b"%PDF-1.7") == {"author": "山田太郎"}
    assert describe_pdf("", b"<x:xmpmeta <<< </x:xmpmeta>") == {}


def test_a_pdf_s_author_reaches_its_reading() -> None:
    from reportlab.pdfgen.canvas import Canvas

    data = io.BytesIO()
    canvas = Canvas(data)
    canvas.setAuthor("Jane Smith")
    canvas.drawString(72, 720, "The coefficient of determination is near one.")
    canvas.save()
    assert pdf.read(data.getvalue()).description["author"] == "Jane Smith"


def test_a_document_s_properties_name_its_author_but_no_program() -> None:
    document = docx.Document()
    document.add_paragraph("本文である。")
    for author, wanted in (("山田太郎", "山田太郎"), ("python-docx", None), ("Microsoft Office User", None)):
        document.core_properties.author = author
        data = io.BytesIO()
        document.save(data)
        assert docx_reader.read(data.getvalue()).description.get("author") == wanted


def test_slides_and_sheets_name_their_author_and_language_but_no_program() -> None:
    deck = pptx.Presentation()
    box = deck.slides.add_slide(deck.slide_layouts[6]).shapes.add_textbox(0, 0, Inches(5), Inches(1))
    box.text_frame.text = "決定係数は当てはまりを示す。"
    deck.core_properties.author = "山田太郎;佐藤花子"
    deck.core_properties.language = "ja"
    book = openpyxl.Workbook()
    book.active.append(["品目", "売上"])
    for author, wanted in (("山田太郎", {"author": "山田太郎"}), ("openpyxl", {})):
        book.properties.creator = author
        data = io.BytesIO()
        book.save(data)
        assert xlsx.read(data.getvalue()).description == wanted
    data = io.BytesIO()
    deck.save(data)
    assert pptx_reader.read(data.getvalue()).description == {
        "author": "山田太郎; 佐藤花子",
        "language": "ja",
    }


SECOND_EDITION = """<package xmlns="http://www.idpf.org/2007/opf" version="2.0">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:opf="http://www.idpf.org/2007/opf">
<dc:title>天文学入門</dc:title><dc:creator opf:role="aut">山田太郎</dc:creator>
<dc:creator opf:role="ill">絵かき</dc:creator><dc:publisher>星雲社</dc:publisher><dc:date>2019-04-01</dc:date>
<dc:language>ja</dc:language><dc:identifier>urn:isbn:978-4-00-310101-8</dc:identifier>
<dc:identifier>doi:10.1000/sky</dc:identifier></metadata>"""
THIRD_EDITION = """<package xmlns="http://www.idpf.org/2007/opf" version="3.0">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>天文学入門</dc:title>
<dc:creator id="a">山田太郎</dc:creator><dc:creator id="b">佐藤花子</dc:creator>
<meta refines="#a" property="role" scheme="marc:relators">aut</meta>
<meta refines="#b" property="role" scheme="marc:relators">trl</meta>
<dc:date>0101-01-01T00:00:00+00:00</dc:date><dc:language>ja</dc:language></metadata>"""


@pytest.mark.parametrize(
    ("metadata", "wanted"),
    [
        (
            SECOND_EDITION,
            {
                "author": "山田太郎",
                "publisher": "星雲社",
                "year": "2019",
                "language": "ja",
                "isbn": "978-4-00-310101-8",
                "doi": "10.1000/sky",
            },
        ),
        (THIRD_EDITION, {"author": "山田太郎", "language": "ja"}),
    ],
)
def test_a_book_names_author_publisher_year_and_number(metadata: str, wanted: dict[str, str]) -> None:
    # Whoever draws or translates a book is not its author, and year 101 is how a program says that it knows
    # none.
    name = "本/package.opf"
    rest = making_books.PACKAGE.partition("</metadata>")[2].format(
        items='<item id="c1.xhtml" href="c1.xhtml" media-type="application/xhtml+xml"/>',
        refs='<itemref idref="c1.xhtml"/>',
    )
    assert epub.read(making_books.book({name: metadata + rest})).description == wanted


def test_entities_of_a_package_are_not_unfolded() -> None:
    entities = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
    bomb = f'<!DOCTYPE package [<!ENTITY l0 "ha">{entities}]>' + SECOND_EDITION.replace("山田太郎", "&l11;")
    with suppress(UnusableDocument):
        reading = epub.read(making_books.book({"本/package.opf": bomb + "</package>"}))
        assert len(reading.description.get("author", "")) < 400


def test_what_is_told_is_one_line_and_bounded() -> None:
    facts = keep_facts(
        {"author": ["a\n b", "a b", *(f"author {n}" for n in range(90))], "publisher": ["x" * 9_000]}
    )
    assert facts["author"].startswith("a b; author 0") and facts["author"].count(";") == 49
    assert len(facts["publisher"]) == 300
