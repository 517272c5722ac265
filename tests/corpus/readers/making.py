"""Small files of every kind, made while the tests run."""

from __future__ import annotations

import io
from collections.abc import Sequence

import docx
import pptx
from pptx.util import Inches
from reportlab.lib.pagesizes import A4, landscape
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen.canvas import Canvas

FONT = "HeiseiMin-W3"

Text = tuple[str, float, float, float]  # text, size, distance from the left and from the top


def pdf(pages: Sequence[Sequence[Text]], *, title: str = "", password: str | None = None, slides: bool = False) -> bytes:
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
    return _saved(document)


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
    return _saved(deck)


def _saved(made: object) -> bytes:
    file = io.BytesIO()
    made.save(file)  # type: ignore[attr-defined]
    return file.getvalue()
