"""Fields of Word that draw text which is not in the document (ECMA-376 part 1, 17.16).

EQ, which older documents use for ruby, signs in circles (㊞) and fractions, and the boxes of forms.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from docx.oxml.ns import qn

from shisho.corpus.readers.formulas import enclose
from shisho.corpus.readers.symbols import write_lowered, write_raised

_MARK = qn("w:fldChar")
_KIND = qn("w:fldCharType")
_CODE = qn("w:instrText")
_BOX = f"{qn('w:ffData')}/{qn('w:checkBox')}"
_VALUE = qn("w:val")
_EQUATION = re.compile(r"\s*EQ\b", re.I)
_FORMAT = re.compile(r"\\\*\s*(?:\"[^\"]{0,200}\"|\S+)")  # \* hps10
_TOKEN = re.compile(
    r"\\(?P<switch>[a-zA-Z]{1,2})|\\(?P<escaped>.)|(?P<mark>[(),;])|(?P<text>[^\\(),;]+)", re.S
)
_SHAPES = frozenset("○◯〇△□◇")
_SUMS = {"su": "∑", "pr": "∏"}
_DEEPEST = 20

Arguments = Sequence[str]


class Fields:
    """A parser of the fields in a paragraph, whose runs must be passed in order."""

    def __init__(self) -> None:
        self._codes: list[list[str]] = []

    def read(self, run: Any) -> str:
        """Return the text drawn by the fields that end in this run, and by the boxes in it."""
        drawn = []
        for part in run.iterchildren(_MARK, _CODE):
            kind = part.get(_KIND)
            if kind == "begin":
                self._codes.append([])
                drawn.append(_draw_box(part))
            elif part.tag == _CODE and self._codes:
                self._codes[-1].append(part.text or "")
            elif kind == "end" and self._codes:
                drawn.append(write_equation("".join(self._codes.pop())))
        return "".join(drawn)


def write_equation(code: str) -> str:
    """Return the text that an EQ field draws, on one line; "" for another field."""
    match = _EQUATION.match(code)
    if match is None:
        return ""
    return _Equation(_FORMAT.sub("", code[match.end() :])).write().strip()


def _draw_box(mark: Any) -> str:
    box = mark.find(_BOX)
    if box is None:
        return ""
    state = box.find(qn("w:checked"))
    state = box.find(qn("w:default")) if state is None else state
    return "☐" if state is None or state.get(_VALUE, "1") in ("0", "false", "off") else "☒"


class _Equation:
    def __init__(self, code: str) -> None:
        self._tokens = list(_TOKEN.finditer(code))
        self._at = 0

    def write(self, depth: int = 0, *, is_laid_over: bool = False) -> str:
        """Write the text up to the end of the argument."""
        parts = []
        while self._at < len(self._tokens) and (depth == 0 or not self._tokens[self._at]["mark"]):
            token = self._tokens[self._at]
            self._at += 1
            if token["switch"]:
                parts.append(self._write_switch(token["switch"].lower(), depth, is_laid_over))
            else:
                parts.append(token["escaped"] or token["mark"] or token["text"])
        return "".join(parts)

    def _write_switch(self, name: str, depth: int, is_laid_over: bool) -> str:
        options = self._take_options()
        arguments = self._take_arguments(depth + 1, is_laid_over=name == "o") if depth < _DEEPEST else []
        if name == "s" and not is_laid_over:
            write = write_raised if "up" in options else write_lowered if "do" in options else str
            return "".join(map(write, arguments))
        if name == "i":
            return _sum_up(arguments, next((_SUMS[option] for option in options if option in _SUMS), "∫"))
        return _WRITERS.get(name, "".join)(arguments)

    def _take_options(self) -> list[str]:
        r"""Skip the words between a switch and its arguments: `\up 9`, `\ac`, `\bc\{`."""
        options = []
        while self._at < len(self._tokens) and not self._tokens[self._at]["mark"]:
            options.append((self._tokens[self._at]["switch"] or "").lower())
            self._at += 1
        return options

    def _take_arguments(self, depth: int, *, is_laid_over: bool) -> list[str]:
        arguments = []
        if self._at < len(self._tokens) and self._tokens[self._at]["mark"] == "(":
            mark = "("
            while mark != ")" and self._at < len(self._tokens):
                self._at += 1
                arguments.append(self.write(depth, is_laid_over=is_laid_over))
                mark = self._tokens[self._at]["mark"] if self._at < len(self._tokens) else ")"
            self._at += 1
        return arguments


def _lay_over(arguments: Arguments) -> str:
    """Return the text of overlaid arguments.

    A sign in a shape is the sign; two overlaid texts are a word and the reading above it.
    """
    signs = [text for argument in arguments if (text := argument.strip()) not in _SHAPES]
    if len(signs) == len(arguments) == 2:
        return f"{signs[1]}({signs[0]})"
    return "".join(signs)


def _divide(arguments: Arguments) -> str:
    return "/".join(enclose(argument.strip()) for argument in arguments)


def _format_root(arguments: Arguments) -> str:
    degree = write_raised(arguments[0].strip()) if len(arguments) > 1 else ""
    return f"{degree}√{enclose(arguments[-1].strip())}" if arguments else ""


def _sum_up(arguments: Arguments, sign: str) -> str:
    *bounds, body = arguments or [""]
    writes = zip((write_lowered, write_raised), bounds, strict=False)
    return f"{sign}{''.join(write(bound.strip()) for write, bound in writes)} {body}"


_WRITERS: Mapping[str, Callable[[Arguments], str]] = {
    "o": _lay_over,
    "f": _divide,
    "r": _format_root,
    "b": lambda arguments: f"({''.join(arguments)})",
    "l": ", ".join,
    "a": "; ".join,
    "d": lambda _: "",
}
