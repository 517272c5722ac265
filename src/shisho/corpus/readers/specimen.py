"""A PDF for testing readers, without embedded fonts.

It is in Japanese, Korean and both scripts of Chinese.
"""

from __future__ import annotations

TEXTS = {
    "script.japanese": ("Japan1", "UniJIS-UCS2", "決定係数は、当てはまりの良さを表す。"),
    "script.korean": ("Korea1", "UniKS-UCS2", "결정계수는적합도를나타낸다."),
    "script.chinese_simplified": ("GB1", "UniGB-UCS2", "决定系数表示拟合优度。"),
    "script.chinese_traditional": ("CNS1", "UniCNS-UCS2", "決定係數表示適合度。"),
}
"""By the id of the language's name: the collection of its characters, its encoding without the direction,
and a sentence."""


def make_specimen() -> bytes:
    """Return a PDF of one page, with each sentence written horizontally and vertically."""
    objects = ["<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>", "", ""]
    names: list[str] = []
    shown_words: list[str] = []
    for collection, encoding, text in TEXTS.values():
        for direction, place in (
            ("H", f"72 {780 - 20 * len(names)}"),
            ("V", f"{500 - 30 * len(names)} 500"),
        ):
            number = len(objects) + 1
            names.append(f"/F{number} {number} 0 R")
            objects.extend(_identify_font(number, collection, f"{encoding}-{direction}"))
            shown_words.append(f"BT /F{number} 12 Tf {place} Td <{text.encode('utf-16-be').hex()}> Tj ET")
    content = "\n".join(shown_words)
    resources = f"<</Font<<{' '.join(names)}>>>>"
    objects[2] = f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources{resources}>>"
    objects[3] = f"<</Length {len(content)}>>stream\n{content}\nendstream"
    return _file(objects)


def locate_sentences() -> dict[str, tuple[float, float, float, float]]:
    """Return the boxes of the horizontal sentences by language.

    A box is left, top, right and bottom as fractions of the page.
    """
    lines = {language: 780 - 40 * index for index, language in enumerate(TEXTS)}
    return {
        language: (60 / 595, (842 - line - 14) / 842, 300 / 595, (842 - line + 4) / 842)
        for language, line in lines.items()
    }


def list_unread(text: str) -> list[str]:
    """Return the languages of which a reading of the specimen lacks a sentence."""
    solid = "".join(text.split())
    return [language for language, (_, _, sentence) in TEXTS.items() if solid.count(sentence) < 2]


def _identify_font(number: int, collection: str, encoding: str) -> tuple[str, str, str]:
    name = f"Specimen-{collection}"
    system = f"<</Registry(Adobe)/Ordering({collection})/Supplement 1>>"
    return (
        f"<</Type/Font/Subtype/Type0/BaseFont/{name}/Encoding/{encoding}/DescendantFonts[{number + 1} 0 R]>>",
        f"<</Type/Font/Subtype/CIDFontType0/BaseFont/{name}/CIDSystemInfo{system}/FontDescriptor {number + 2} 0 R/DW 1000>>",
        f"<</Type/FontDescriptor/FontName/{name}/Flags 4/FontBBox[0 -120 1000 880]/ItalicAngle 0/Ascent 880/Descent -120"
        "/CapHeight 700/StemV 80>>",
    )


def _file(objects: list[str]) -> bytes:
    body = "%PDF-1.7\n"
    table = ""
    for number, item in enumerate(objects, start=1):
        table += f"{len(body):010d} 00000 n \n"
        body += f"{number} 0 obj\n{item}\nendobj\n"
    size = len(objects) + 1
    end = f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer<</Root 1 0 R/Size {size}>>\nstartxref\n{len(body)}\n%%EOF\n"
    return (body + end).encode("ascii")
