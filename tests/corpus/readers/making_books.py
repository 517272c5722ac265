"""Books, letters and notebooks, made while the tests run."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping

CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="本/package.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
)
PACKAGE = (
    '<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
    "<dc:title>天文学入門</dc:title></metadata><manifest>{items}"
    '<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/></manifest>'
    '<spine><itemref idref="nav"/>{refs}</spine></package>'
)
NAV = (
    '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><body>'
    '<nav epub:type="landmarks"><ol><li><a href="c3.xhtml">本文</a></li></ol></nav><nav epub:type="toc"><ol>'
    '<li><span>第1部</span><ol><li><a href="c1.xhtml">第1章 太陽系</a></li></ol></li>'
    '<li><a href="c3.xhtml#top">第2章 恒星</a></li></ol></nav></body></html>'
)
CHAPTERS = {
    "c1.xhtml": "<h1>第1章 太陽系</h1><p>最も大きい惑星は<ruby>木星<rt>もくせい</rt></ruby>である。"
    '<a epub:type="noteref" href="#n">1</a>衛星も多い。</p><h2>1.1 地球</h2><p>地球の直径は12,742 kmである。</p>',
    "c2.xhtml": "<p>前の章の続きである。</p>",
    "c3.xhtml": '<h1 id="top">第2章 恒星</h1><p>恒星は自ら光を放つ。</p>',
}


def book(more: Mapping[str, str | bytes] | None = None, chapters: Mapping[str, str] = CHAPTERS) -> bytes:
    items = "".join(
        f'<item id="{name}" href="{name}" media-type="application/xhtml+xml"/>' for name in chapters
    )
    refs = "".join(f'<itemref idref="{name}"/>' for name in chapters)
    page = '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><body>{}</body></html>'
    parts: dict[str, str | bytes] = {
        "META-INF/container.xml": CONTAINER,
        "本/package.opf": PACKAGE.format(items=items, refs=refs),
        "本/nav.xhtml": NAV,
        **{f"本/{name}": page.format(text) for name, text in chapters.items()},
        **(more or {}),
    }
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/epub+zip", zipfile.ZIP_STORED)
        for name, part in parts.items():
            archive.writestr(name, part)
    return file.getvalue()


def notebook() -> bytes:
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": ["# 回帰分析\n", "\n", "決定係数を求める。"]},
        {
            "cell_type": "code",
            "source": "print(model.score(x, y))",
            "outputs": [
                {"output_type": "stream", "name": "stdout", "text": ["0.91\n"]},
                {"output_type": "display_data", "data": {"image/png": "iVBORw0KGgo="}},
            ],
        },
        {"cell_type": "markdown", "source": "決定係数は0.91である。"},
    ]
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}).encode()


def letter(
    body: str = "会議は5月1日の10時からです。\n\n場所は第2会議室です。", subtype: str = "plain"
) -> bytes:
    """In ISO-2022-JP, as letters in Japanese were for thirty years, with an attachment."""
    from email.message import EmailMessage

    made = EmailMessage()
    made["From"] = "山田太郎 <yamada@a.example>"
    made["To"] = "sato@a.example"
    made["Date"] = "Mon, 01 Apr 2024 09:00:00 +0900"
    made["Subject"] = "会議の日程について"
    made.set_content(body, subtype=subtype, charset="iso-2022-jp")
    made.add_attachment(b"%PDF-1.7", maintype="application", subtype="pdf", filename="議題.pdf")
    return made.as_bytes()
