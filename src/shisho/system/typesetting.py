"""Answers on paper by Typst, in fonts of this machine: it reads no file but its own template, and asks nobody
for anything."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from shisho.domain.printing import PrintableAnswer
from shisho.errors import ExtraMissing
from shisho.messages.installing import install_command
from shisho.messages.message import Message

if TYPE_CHECKING:
    from typst import Fonts

EXTRA = Message(
    "export.pdf_extra_missing",
    install=install_command("pdf"),
)
FONT = Message("export.no_font")
# Where several fonts have Japanese letters, those that are made for them come first.
FAMILIES = (
    "Noto Sans CJK JP",
    "Noto Sans JP",
    "Source Han Sans JP",
    "BIZ UDPGothic",
    "Hiragino Sans",
    "Hiragino Kaku Gothic ProN",
    "Yu Gothic",
    "Meiryo",
    "IPAexGothic",
    "IPAPGothic",
    "TakaoPGothic",
    "VL PGothic",
    "Noto Serif CJK JP",
    "Noto Serif JP",
    "MS PGothic",
)
BESIDE = ("Libertinus Serif",)  # comes with Typst: the letters of Europe where the font before has none
SPECIMEN = "あ永ア"
_LONG = re.compile(r"[^\s\u2e80-\uffff]{60}")  # so long a word would run out of the page


class TypstTypesetter:
    """Sets answers with Typst."""

    def typeset(self, answer: PrintableAnswer) -> bytes:
        """As the port says."""
        fonts = find_fonts()
        if answer.language == "ja" or _has_wide(answer):
            check_japanese(fonts)
        families = fonts.families()
        chosen = [family for family in FAMILIES if family in families][:1]
        data = {**asdict(answer), "fonts": [*chosen, *BESIDE]}
        return _compile(_template(), fonts, {"answer": json.dumps(_breakable(data), ensure_ascii=False)})


def find_fonts() -> Fonts:
    """The fonts of this machine. Raises ExtraMissing where Typst is not there."""
    try:
        from typst import Fonts
    except ModuleNotFoundError as missing:
        raise ExtraMissing(EXTRA) from missing
    return Fonts()


def check_japanese(fonts: Fonts) -> None:
    """Raises ExtraMissing where none of the fonts has Japanese letters."""
    from typst import TypstError

    try:
        # This kind of PDF is not made where a letter is in no font.
        _compile(SPECIMEN.encode(), fonts, {}, "a-2u")
    except TypstError as missing:
        raise ExtraMissing(FONT) from missing


def _compile(source: bytes, fonts: Fonts, inputs: dict[str, str], *standards: Any) -> bytes:
    from typst import compile as compile_typst

    made = compile_typst(source, font_paths=fonts, sys_inputs=inputs, pdf_standards=[*standards])
    assert isinstance(made, bytes)
    return made


@cache
def _template() -> bytes:
    return (files("shisho.system") / "answer.typ").read_bytes()


def _has_wide(answer: PrintableAnswer) -> bool:
    return re.search("[ぁ-んァ-ヺ一-鿿]", json.dumps(asdict(answer), ensure_ascii=False)) is not None


def _breakable(data: Any) -> Any:
    """The same with places to break in words that are longer than a line; links stay as they are."""
    if isinstance(data, dict):
        return {key: value if key == "link" else _breakable(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_breakable(value) for value in data]
    return _LONG.sub("\\g<0>\u200b", data) if isinstance(data, str) else data
