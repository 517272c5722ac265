"""DOCX by python-docx, in document order.

Headings by style, paragraphs, lists and tables, then foot- and endnotes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

import docx
from docx.oxml import parse_xml
from docx.oxml.ns import qn
from docx.parts.numbering import NumberingPart
from docx.table import Table
from docx.text.paragraph import Paragraph

from shisho.corpus.readers.described import describe_properties
from shisho.corpus.readers.formulas import MATH, enclose, write_formula
from shisho.corpus.readers.headings import Headings, title_of
from shisho.corpus.readers.hidden import drop_elements
from shisho.corpus.readers.office import format_table, open_package, read_drawings
from shisho.corpus.readers.symbols import (
    write_lowered,
    write_placed,
    write_raised,
    write_symbol,
    write_symbols,
)
from shisho.corpus.readers.text import strip_controls
from shisho.corpus.readers.walking import mark_item
from shisho.domain.corpus import Block, BlockKind, Reading
from shisho.errors import DocumentUnreadable
from shisho.records import dataclass

_OFF = frozenset(("0", "false", "off"))
_VALUE = qn("w:val")
_RUNS = (qn("w:r"), f"{MATH}r")
_MOVED = qn("w:moveFrom")
_VANISH = f"{qn('w:rPr')}/{qn('w:vanish')}"
_RUN_STYLE = f"{qn('w:rPr')}/{qn('w:rStyle')}"
_PARAGRAPH_STYLE = f"{qn('w:pPr')}/{qn('w:pStyle')}"


def find_hiding_styles(styles: Any) -> frozenset[str]:
    """Return the ids of styles that hide their text, directly or through their base style."""
    elements = {style.get(qn("w:styleId")): style for style in styles.iter(qn("w:style"))}
    hides: dict[str | None, bool] = {}
    for name in elements:
        # Not by recursion: a file may have an arbitrarily long chain of styles, or a circle.
        path = []
        step = name
        while step in elements and step not in hides:
            hides[step] = False
            path.append(step)
            mark = elements[step].find(_VANISH)
            if mark is not None:
                hides[step] = _is_on(mark)
                break
            step = _read_value(elements[step].find(qn("w:basedOn")))
        hides.update(dict.fromkeys(path, hides.get(step, False)))
    return frozenset(name for name, is_hiding in hides.items() if name is not None and is_hiding)


def drop_hidden_runs(tree: Any, hiding: frozenset[str]) -> None:
    """Remove hidden runs from the tree of a document or of its notes.

    `hiding`: the styles that hide.
    """
    runs = [run for run in tree.iter(*_RUNS) if _is_hidden_run(run, hiding)]
    drop_elements(tree, [*runs, *tree.iter(_MOVED)])


def _is_hidden_run(run: Any, hiding: frozenset[str]) -> bool:
    mark = run.find(_VANISH)
    if mark is not None:
        return _is_on(mark)
    if not hiding:
        return False
    paragraph = next(run.iterancestors(_PARAGRAPH), None)
    by_paragraph = paragraph is not None and _read_value(paragraph.find(_PARAGRAPH_STYLE)) in hiding
    # If both hide, they cancel each other.
    return by_paragraph != (_read_value(run.find(_RUN_STYLE)) in hiding)


def _is_on(mark: Any) -> bool:
    return mark.get(_VALUE) not in _OFF


def _read_value(element: Any) -> str | None:
    return None if element is None else element.get(_VALUE)


_LEVEL = re.compile(r"(?:heading|見出し)\s*([1-9])", re.I)
# The styles of pandoc, Word and LibreOffice.
_CODE_STYLES = ("Source Code", "HTML Preformatted", "Preformatted Text")
_NOTES = ("/footnotes", "/endnotes")
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_PARAGRAPH = qn("w:p")
_TABLE = qn("w:tbl")
_BOX = qn("w:txbxContent")
_RUN = qn("w:r")
_FORMULA = f"{MATH}oMath"
_ROW = qn("w:tr")
_CELL = qn("w:tc")
_TEXT_TAGS = frozenset(map(qn, ("w:t", "w:sym", "w:tab", "w:ptab", "w:br", "w:cr", "w:noBreakHyphen")))
_MAX_STYLES = 20  # of a chain of base styles
_VERTICAL = f"{qn('w:rPr')}/{qn('w:vertAlign')}"
_FONTS = f"{qn('w:rPr')}/{qn('w:rFonts')}"
_SYMBOL = qn("w:sym")


def read(data: bytes) -> Reading:
    """Read a document. It has no pages, because the printing program decides where they end."""
    document = docx.Document(open_package(data))
    hiding = find_hiding_styles(document.styles.element)
    drop_hidden_runs(document.element.body, hiding)
    headings = Headings()
    counter = ParagraphCounter(_find_numbering(document))
    items = _iterate_items(document.element.body, document)
    blocks = list(
        _with_whole_code(block for item in items for block in _make_blocks(item, headings, counter))
    )
    blocks.extend(_read_notes(document, hiding))
    if not blocks:
        raise DocumentUnreadable("reader.empty_text")
    core = document.core_properties
    title = title_of(strip_controls(core.title or ""), blocks)
    return Reading(tuple(blocks), title, description=describe_properties(core))


def _iterate_items(parent: Any, document: Any) -> Iterator[Any]:
    """Yield paragraphs and tables in order.

    Those inside content controls and text boxes are included, unlike in python-docx.
    """
    for element in parent:
        if element.tag == _PARAGRAPH:
            yield Paragraph(element, document._body)
            for box in element.iter(_BOX):
                if not _is_inside(box, element, _FALLBACK, _BOX):
                    yield from _iterate_items(box, document)
        elif element.tag == _TABLE:
            yield Table(element, document._body)
        elif element.tag != _FALLBACK:
            yield from _iterate_items(element, document)


def _find_numbering(document: Any) -> Any | None:
    """Return the numbering part, or None; python-docx would create a missing one."""
    parts = (relation.target_part for relation in document.part.rels.values() if not relation.is_external)
    return next((part._element for part in parts if isinstance(part, NumberingPart)), None)


def _number(paragraph: Any, counter: ParagraphCounter) -> str | None:
    """Return the automatic number of a paragraph, from its own rules or its style.

    "" for a bullet, None for neither.
    """
    style = paragraph.style
    properties = [paragraph._p.pPr]
    while style is not None and len(properties) <= _MAX_STYLES:
        properties.append(style.element.pPr)
        style = style.base_style
    rules = [rules.numPr for rules in properties if rules is not None and rules.numPr is not None]
    list_id = next((rule.numId.val for rule in rules if rule.numId is not None), None)
    level = next((rule.ilvl.val for rule in rules if rule.ilvl is not None), None)
    style_id = paragraph.style.style_id if paragraph.style is not None else ""
    return None if list_id is None else counter.count(str(list_id), level, style_id)


def _make_blocks(item: Any, headings: Headings, counter: ParagraphCounter) -> Iterator[Block]:
    if isinstance(item, Table):
        if text := format_table(_read_rows(item._tbl)):
            yield Block(text, BlockKind.TABLE, headings=headings.path)
        return
    parts = item.part.related_parts
    for kind, drawn in read_drawings(item._p, lambda name: parts[name].blob):
        yield Block(drawn, kind, headings=headings.path)
    text = _read_text(item._p).strip("\n")
    if not text.strip():
        return
    style = (item.style.name if item.style is not None else "") or ""  # a style may have no name
    number = _number(item, counter)
    level = 1 if style == "Title" else int(match[1]) if (match := _LEVEL.match(style)) else 0
    if number and not text.startswith(number):
        text = f"{number} {text}"
    if level:
        yield Block(text, BlockKind.HEADING, headings=headings.open(text, level))
    elif style in _CODE_STYLES:
        yield Block(text, BlockKind.CODE, headings=headings.path)
    elif number is not None:
        yield Block(text if number else mark_item(text), BlockKind.LIST, headings=headings.path)
    else:
        yield Block(text, BlockKind.PARAGRAPH, headings=headings.path)


def _with_whole_code(blocks: Iterable[Block]) -> Iterator[Block]:
    """Yield blocks with adjacent code joined: Word has a paragraph for each line of code."""
    for is_code, run in groupby(blocks, key=lambda block: block.kind is BlockKind.CODE):
        if is_code:
            first, *others = run
            yield replace(first, text="\n".join([first.text, *(block.text for block in others)]))
        else:
            yield from run


def _read_rows(grid: Any) -> Iterator[list[str]]:
    """Yield the rows of a table.

    A cell over several columns appears once; one over several rows in each of them. python-docx's own walk
    climbs from every row to the first, which is cubic, and ends at Python's stack.
    """
    above: dict[int, str] = {}
    for row in _find_own(grid, _ROW, _TABLE):
        texts: list[str] = []
        column = row.grid_before
        for cell in _find_own(row, _CELL, _ROW):
            if cell.vMerge != "continue":
                inner = (
                    paragraph
                    for paragraph in cell.iter(_PARAGRAPH)
                    if not _is_inside(paragraph, cell, _FALLBACK)
                )
                above[column] = "\n".join(map(_read_text, inner))
            texts.append(above.get(column, ""))
            column += cell.grid_span
        yield texts


def _find_own(parent: Any, tag: str, nested: str) -> Iterator[Any]:
    """Return the direct rows of a table, or cells of a row, without nested tables.

    Those in content controls are included.
    """
    return (element for element in parent.iter(tag) if next(element.iterancestors(nested)) is parent)


def _read_notes(document: Any, hiding: frozenset[str]) -> Iterator[Block]:
    for relation in document.part.rels.values():
        if relation.reltype.endswith(_NOTES) and not relation.is_external:
            notes = parse_xml(relation.target_part.blob)
            drop_hidden_runs(notes, hiding)
            for note in notes:
                text = "\n".join(_read_text(paragraph) for paragraph in note.iter(_PARAGRAPH)).strip()
                # Notes with a type are the rules drawn between text and notes.
                if text and note.get(qn("w:type")) is None:
                    yield Block(text, BlockKind.NOTE)


def _read_text(paragraph: Any) -> str:
    """Return the text of all runs, including tracked insertions, fields and formulas.

    Ruby is in parentheses after its base.
    """
    parts: list[str] = []
    ruby = ""
    fields = Fields()
    for run in paragraph.iter(_RUN, _FORMULA):
        if _is_inside(run, paragraph, _BOX, _FALLBACK, _FORMULA):
            continue
        text = write_formula(run) if run.tag == _FORMULA else _read_raised(run) + fields.read(run)
        if _is_inside(run, paragraph, qn("w:rt")):
            ruby += text
            continue
        parts.append(text)
        if ruby and _is_inside(run, paragraph, qn("w:rubyBase")):
            parts.append(f"({ruby})")
            ruby = ""
    return strip_controls("".join(parts))


def _is_struck(run: Any) -> bool:
    """Return whether a run is struck through, which means deleted, as under change tracking."""
    marks = (run.find(f"{qn('w:rPr')}/{qn(name)}") for name in ("w:strike", "w:dstrike"))
    return any(mark is not None and _is_on(mark) for mark in marks)


def _read_raised(run: Any) -> str:
    if _is_struck(run):
        return ""
    text = _read_run(run)
    mark = run.find(_VERTICAL)
    return write_placed(text, None if mark is None else mark.get(_VALUE))


def _read_run(run: Any) -> str:
    """Return the text of a run.

    Not `run.text`: its XPath of several names is quadratic in a run's breaks and tabs.
    """
    fonts = run.find(_FONTS)
    font = None if fonts is None else fonts.get(qn("w:ascii"))
    return "".join(
        write_symbol(part.get(qn("w:char"), ""), part.get(qn("w:font")))
        if part.tag == _SYMBOL
        else write_symbols(str(part), font)
        for part in run
        if part.tag in _TEXT_TAGS
    )


def _is_inside(element: Any, within: Any, *tags: str) -> bool:
    for above in element.iterancestors():
        if above is within:
            return False
        if above.tag in tags:
            return True
    return False


_MARK = qn("w:fldChar")
_KIND = qn("w:fldCharType")
_CODE = qn("w:instrText")
_CHECK_BOX = f"{qn('w:ffData')}/{qn('w:checkBox')}"
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
    box = mark.find(_CHECK_BOX)
    if box is None:
        return ""
    state = box.find(qn("w:checked"))
    state = box.find(qn("w:default")) if state is None else state
    return "☐" if state is None or not _is_on(state) else "☒"


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


def _join_overlaid(arguments: Arguments) -> str:
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
    "o": _join_overlaid,
    "f": _divide,
    "r": _format_root,
    "b": lambda arguments: f"({''.join(arguments)})",
    "l": ", ".join,
    "a": "; ".join,
    "d": lambda _: "",
}


_LEVELS = 9
_MOST = 100_000
_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"),
    (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
_KANJI = "〇一二三四五六七八九"
_AIUEO = "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン"
_IROHA = "イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセスン"
_FULL_WIDTH = str.maketrans("0123456789", "０１２３４５６７８９")


@dataclass(frozen=True, slots=True)
class _Level:
    start: int
    form: str
    text: str


class ParagraphCounter:
    """The counter of a document's paragraphs, which must be passed in order."""

    def __init__(self, element: Any | None) -> None:
        definitions = (
            {}
            if element is None
            else {_read_name(rules): rules for rules in element.iter(qn("w:abstractNum"))}
        )
        lists = [] if element is None else list(element.iterchildren(qn("w:num")))
        self._lists = {each.get(qn("w:numId"), ""): each for each in lists}
        self._levels = {name: _read_levels(rules) for name, rules in definitions.items()}
        self._styles = {name: _read_styles(rules) for name, rules in definitions.items()}
        self._counts: dict[str, list[int | None]] = {}
        self._begun: set[str] = set()

    def count(self, list_id: str, level: int | None, style_id: str) -> str | None:
        """Return the printed number of the next paragraph of this list; "" for a bullet or none.

        None if there is no such list: 0 removes a paragraph from a list.
        """
        numbered = self._lists.get(list_id)
        definition = "" if numbered is None else _read_child(numbered, "w:abstractNumId")
        levels = self._levels.get(definition)
        if levels is None:
            return None
        depth = self._styles[definition].get(style_id, 0) if level is None else level
        depth = min(max(depth, 0), _LEVELS - 1)
        counts = self._counts.setdefault(definition, [None] * _LEVELS)
        if list_id not in self._begun:
            self._begun.add(list_id)
            self._restart_numbering(numbered, counts)
        before = counts[depth]
        counts[depth] = _find_level(levels, depth).start if before is None else min(before + 1, _MOST)
        counts[depth + 1 :] = [None] * (_LEVELS - depth - 1)
        return _write(levels, counts, depth)

    def _restart_numbering(self, numbered: Any, counts: list[int | None]) -> None:
        for override in numbered.iterchildren(qn("w:lvlOverride")):
            depth = _parse_integer(override.get(qn("w:ilvl")), _LEVELS)
            start = override.find(qn("w:startOverride"))
            if depth < _LEVELS and start is not None:
                counts[depth] = _parse_integer(start.get(_VALUE), 1) - 1


def _read_name(definition: Any) -> str:
    return str(definition.get(qn("w:abstractNumId"), ""))


def _read_child(element: Any, name: str) -> str:
    child = element.find(qn(name))
    return "" if child is None else str(child.get(_VALUE, ""))


def _parse_integer(text: str | None, otherwise: int) -> int:
    return int(text) if text and text.isdecimal() and len(text) <= 5 else otherwise


def _read_levels(definition: Any) -> dict[int, _Level]:
    return {
        _parse_integer(level.get(qn("w:ilvl")), 0): _Level(
            _parse_integer(_read_child(level, "w:start"), 1),
            _read_child(level, "w:numFmt") or "decimal",
            _read_child(level, "w:lvlText"),
        )
        for level in definition.iterchildren(qn("w:lvl"))
    }


def _read_styles(definition: Any) -> dict[str, int]:
    """Return the levels of paragraphs by style."""
    return {
        _read_child(level, "w:pStyle"): _parse_integer(level.get(qn("w:ilvl")), 0)
        for level in definition.iterchildren(qn("w:lvl"))
    }


def _find_level(levels: Mapping[int, _Level], depth: int) -> _Level:
    return levels.get(depth, _Level(1, "none", ""))


def _write(levels: Mapping[int, _Level], counts: list[int | None], depth: int) -> str:
    own = _find_level(levels, depth)
    if own.form in ("bullet", "none"):
        return ""
    text = own.text[:100]
    for outer in range(depth + 1):
        level = _find_level(levels, outer)
        number = counts[outer]
        text = text.replace(f"%{outer + 1}", _spell(level.start if number is None else number, level.form))
    return text.strip()


def _spell(number: int, form: str) -> str:
    return _FORMS.get(form, str)(number)


def _spell_roman(number: int) -> str:
    letters = ""
    for value, mark in _ROMAN:
        count, number = divmod(number, value)
        letters += mark * min(count, 100)
    return letters


def _spell_letters(number: int) -> str:
    """Return a to z, then aa, bb, and so on."""
    turn, index = divmod(number - 1, 26)
    return chr(ord("a") + index) * min(turn + 1, 10)


def _spell_kanji(number: int) -> str:
    """Return a number in kanji as counted: 十二, 二十."""
    if not 0 < number < 100:
        return "".join(_KANJI[int(digit)] for digit in str(number))
    tens, ones = divmod(number, 10)
    return (_KANJI[tens] if tens > 1 else "") + ("十" if tens else "") + (_KANJI[ones] if ones else "")


def _spell_circled(number: int) -> str:
    return chr(ord("①") + number - 1) if 0 < number <= 20 else f"({number})"


def _take_from(row: str) -> Callable[[int], str]:
    return lambda number: row[(number - 1) % len(row)]


_FORMS: Mapping[str, Callable[[int], str]] = {
    "decimalZero": lambda number: f"{number:02d}",
    "upperRoman": lambda number: _spell_roman(number).upper(),
    "lowerRoman": _spell_roman,
    "upperLetter": lambda number: _spell_letters(number).upper(),
    "lowerLetter": _spell_letters,
    "decimalFullWidth": lambda number: str(number).translate(_FULL_WIDTH),
    "decimalFullWidth2": lambda number: str(number).translate(_FULL_WIDTH),
    "decimalEnclosedCircle": _spell_circled,
    "japaneseCounting": _spell_kanji,
    "ideographDigital": lambda number: "".join(_KANJI[int(digit)] for digit in str(number)),
    "japaneseDigitalTenThousand": _spell_kanji,
    "aiueoFullWidth": _take_from(_AIUEO),
    "aiueo": _take_from(_AIUEO),
    "irohaFullWidth": _take_from(_IROHA),
    "iroha": _take_from(_IROHA),
    "none": lambda number: "",
}
