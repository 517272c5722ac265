"""Small files of every kind, made while the tests run."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from typing import Any

import docx
import pptx
from pptx.util import Inches
from reportlab.lib.pagesizes import A4, landscape
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen.canvas import Canvas

from shisho.corpus.readers.pdf import read as read_pdf
from tests.machine import cpu_seconds

FONT = "HeiseiMin-W3"

Text = tuple[str, float, float, float]  # text, size, distance from the left and from the top


def pdf(
    pages: Sequence[Sequence[Text]], *, title: str = "", password: str | None = None, slides: bool = False
) -> bytes:
    """Each page a list of lines as (text, size, left, top)."""
    pdfmetrics.registerFont(UnicodeCIDFont(FONT))
    file = io.BytesIO()
    size = landscape(A4) if slides else A4
    encrypt = StandardEncryption(password, ownerPassword="owner") if password else None
    canvas = Canvas(file, pagesize=size, encrypt=encrypt)
    if title:
        canvas.setTitle(title)
    for page in pages:
        for text, points, left, top in page:
            canvas.setFont(FONT if not text.isascii() else "Helvetica", points)
            canvas.drawString(left, size[1] - top, text)
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def lines(*texts: str, top: float = 120, pitch: float = 18) -> list[Text]:
    """Body lines of 10.5 points, one under the other."""
    return [(text, 10.5, 72, top + pitch * row) for row, text in enumerate(texts)]


def unembedded(text: str, direction: str, *, named: bool) -> bytes:
    """A PDF in a font that it does not hold, of rows of `text`; `named`: it says which they are."""
    codes = {letter: number for number, letter in enumerate(sorted(set(text) - {"\n"}), start=1)}
    letters = "".join(f"<{code:04x}><{ord(letter):04x}>" for letter, code in codes.items())
    ranges = "1 begincodespacerange <0000><FFFF> endcodespacerange"
    names = f"begincmap {ranges} {len(codes)} beginbfchar {letters} endbfchar endcmap"
    shown = "".join(
        f"<{''.join(f'{codes[letter]:04x}' for letter in row)}> Tj 0 -20 Td " for row in text.split("\n")
    )
    content = f"BT /F1 12 Tf 300 700 Td {shown}ET"
    system = "<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>"
    objects = (
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F1 5 0 R>>>>/Contents 4 0 R>>",
        f"<</Length {len(content)}>>stream\n{content}\nendstream",
        f"<</Type/Font/Subtype/Type0/BaseFont/Plain/Encoding/Identity-{direction}/DescendantFonts[6 0 R]"
        f"{'/ToUnicode 8 0 R' if named else ''}>>",
        f"<</Type/Font/Subtype/CIDFontType2/BaseFont/Plain/CIDSystemInfo{system}/FontDescriptor 7 0 R/DW 1000>>",
        "<</Type/FontDescriptor/FontName/Plain/Flags 4/FontBBox[0 -120 1000 880]/ItalicAngle 0/Ascent 880/Descent -120"
        "/CapHeight 700/StemV 80>>",
        f"<</Length {len(names)}>>stream\n{names}\nendstream",
    )
    return _without_a_table(objects)


def slow(seconds: float) -> tuple[bytes, int]:
    """A PDF that is read in so many CPU seconds on this machine, and how many pages it has."""
    sample = heavy(20)
    pages = math.ceil(seconds / cpu_seconds(lambda: read_pdf(sample)) * 20)
    return heavy(pages), pages


def heavy(pages: int) -> bytes:
    """A PDF that takes long to read and holds little: each page draws thousands of lines around its words."""
    content = "BT /F1 12 Tf 72 700 Td (The library lends its books.) Tj ET " + "0 0 m 9 9 l S " * 20_000
    first = 5
    kids = " ".join(f"{first + number} 0 R" for number in range(pages))
    page = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F1 3 0 R>>>>/Contents 4 0 R>>"
    objects = (
        "<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Kids[{kids}]/Count {pages}>>",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        f"<</Length {len(content)}>>stream\n{content}\nendstream",
        *[page] * pages,
    )
    return _without_a_table(objects)


def _without_a_table(objects: Sequence[str]) -> bytes:
    """Of its objects: readers look for them."""
    body = "".join(f"{number} 0 obj\n{item}\nendobj\n" for number, item in enumerate(objects, start=1))
    return f"%PDF-1.7\n{body}trailer<</Root 1 0 R/Size {len(objects) + 1}>>\n%%EOF\n".encode("ascii")


def word() -> bytes:
    document = docx.Document()
    document.core_properties.title = "回帰ノート"
    document.add_heading("回帰分析", 1)
    paragraph = document.add_paragraph("決定係数 R")
    paragraph.add_run("2").font.superscript = True
    paragraph.add_run(" は 10² と書く。")
    document.add_heading("定義", 2)
    document.add_paragraph("項目", style="List Bullet")
    table = document.add_table(2, 2)
    table.cell(0, 0).text = "平均"
    table.cell(0, 1).text = "分散"
    table.cell(1, 0).merge(table.cell(1, 1)).text = "結合"
    return saved(document)


def slides() -> bytes:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.shapes.title.text = "決定係数"
    slide.placeholders[1].text = "当てはまりの良さ\n½ ㈱"
    slide.notes_slide.notes_text_frame.text = "ここで例を話す。"
    table = slide.shapes.add_table(1, 2, 0, Inches(5), Inches(3), Inches(1)).table
    table.cell(0, 0).text = "x"
    table.cell(0, 1).text = "y"
    deck.slides.add_slide(deck.slide_layouts[5]).shapes.title.text = "まとめ"
    return saved(deck)


def make_deck(title: str) -> tuple[Any, Any]:
    """A presentation, and its one slide with a title and nothing else."""
    presentation = pptx.Presentation()
    slide = presentation.slides.add_slide(presentation.slide_layouts[5])
    slide.shapes.title.text = title
    return presentation, slide


def saved(made: object) -> bytes:
    file = io.BytesIO()
    made.save(file)  # type: ignore[attr-defined]
    return file.getvalue()
