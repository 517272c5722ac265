"""PDF answers by Typst with the fonts of this machine.

It reads no file but its own template, and makes no requests.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from shisho.domain.printing import PrintableAnswer
from shisho.errors import ExtraMissing
from shisho.messages import Message, install_command

if TYPE_CHECKING:
    from typst import Fonts

EXTRA = Message(
    "export.pdf_extra_missing",
    install=install_command("pdf"),
)
FONT = Message("export.no_font")
# If several fonts have Japanese letters, those designed for Japanese come first.
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
BESIDE = ("Libertinus Serif",)  # comes with Typst: European letters that the previous font lacks
SPECIMEN = "あ永ア"
_LONG = re.compile(r"[^\s\u2e80-\uffff]{60}")  # a word this long would run off the page


class TypstTypesetter:
    """A typesetter that uses Typst."""

    def typeset(self, answer: PrintableAnswer) -> bytes:
        """Return a PDF, as the port specifies."""
        fonts = find_fonts()
        if answer.language == "ja" or _has_wide(answer):
            check_japanese(fonts)
        families = fonts.families()
        chosen = [family for family in FAMILIES if family in families][:1]
        data = {**asdict(answer), "fonts": [*chosen, *BESIDE]}
        return _compile(
            _read_template(), fonts, {"answer": json.dumps(_add_breaks(data), ensure_ascii=False)}
        )


def find_fonts() -> Fonts:
    """Return the fonts of this machine. Raises ExtraMissing if Typst is not installed."""
    try:
        from typst import Fonts
    except ModuleNotFoundError as missing:
        raise ExtraMissing(EXTRA) from missing
    return Fonts()


def check_japanese(fonts: Fonts) -> None:
    """Check for a font with Japanese letters. Raises ExtraMissing if there is none."""
    from typst import TypstError

    try:
        # This kind of PDF cannot be made if a letter is in no font.
        _compile(SPECIMEN.encode(), fonts, {}, "a-2u")
    except TypstError as missing:
        raise ExtraMissing(FONT) from missing


def _compile(source: bytes, fonts: Fonts, inputs: dict[str, str], *standards: Any) -> bytes:
    from typst import compile as compile_typst

    made = compile_typst(source, font_paths=fonts, sys_inputs=inputs, pdf_standards=[*standards])
    assert isinstance(made, bytes)
    return made


@cache
def _read_template() -> bytes:
    return (files("shisho.system") / "answer.typ").read_bytes()


def _has_wide(answer: PrintableAnswer) -> bool:
    return re.search("[ぁ-んァ-ヺ一-鿿]", json.dumps(asdict(answer), ensure_ascii=False)) is not None


def _add_breaks(data: Any) -> Any:
    """Return the data with break points in words longer than a line; links stay unchanged."""
    if isinstance(data, dict):
        return {key: value if key == "link" else _add_breaks(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_add_breaks(value) for value in data]
    return _LONG.sub("\\g<0>\u200b", data) if isinstance(data, str) else data
