"""Find figures of a sentence that its sources lack, or have for another thing.

Figures are numbers, dates, designations, and addresses. Such a figure makes a sentence suspect. It does not
prove that the sentence is wrong.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import combinations

from shisho.language import compile_lazily
from shisho.language.dates import find_periods
from shisho.language.designations import find_designations, find_others, is_named
from shisho.language.display import join_lines
from shisho.language.meanings import is_same_word
from shisho.language.numbers import Date, Measure, TextFigures, find_figures, fold_figures, locate_figures
from shisho.language.sentences import split_sentences
from shisho.language.terms import fold, squeeze
from shisho.librarian.checking.arithmetic import PLAIN_NUMBERS, Calculation, convert
from shisho.librarian.checking.clauses import Clause, Figure, are_of_one_kind, is_in, read_clauses

MAX_PAIRED = 40  # figures of the sources of which pairs are added and subtracted
MAX_COUNTED = 10  # things in a list that a sentence may count

_CIRCLED = compile_lazily("[①-⓿❶-➓㈠-㉃㊀-㊉㊤-㊦]")
_LIST_MARK = compile_lazily(r"^\s*[(（]?\d{1,3}(?:[)）.．]\s|[)）、])")
_ONE = compile_lazily(
    r"(?<![0-9〇一二三四五六七八九十百])(?:一つ|1つ|１つ)|\bone (?:of|or|another|and)\b|\beach one\b", re.I
)
_SEPARATOR = compile_lazily(r"[、，,・;；\n\t|]|\band\b|\bor\b|及び|並びに|または|又は")
_COUNTED = frozenset({"", "つ", "種", "種類", "点"})
_NEGATIVE = compile_lazily(r"(?<![a-z0-9)）])-\d[\d.,]*")
_SPACED = compile_lazily(
    r"(?<=\d) (?=[万億兆年月日])|(?<=[億兆]) (?=[\d,]+ ?[万億])|(?<=[年月]) (?=\d{1,2} ?[月日])"
)
_MYRIADS = r"[（(]\s*(?P<unit>[百千万億兆]+\w{0,3})\s*[）)]"
_ROW_HEAD = compile_lazily(rf"[^\t|]*?{_MYRIADS}(?=[\s|]+[-△▲]?\d)")
_COLUMN_HEAD = compile_lazily(rf"{_MYRIADS}\s*$")
_BARE_NUMBER = compile_lazily(r"(?<![^\s|])\d[\d,]*(?:\.\d+)?(?![^\s|])")
_ADDRESS = compile_lazily(
    r"(?:https?://|www\.)[^\s「」『』()<>\"']+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
    r"|\b(?:[a-z0-9-]+\.)+(?:com|net|org|info|biz|io|ai|app|dev|co|jp|uk|de|fr|cn|ru|us|eu|xyz|top|site|online|example)\b"
    r"(?:/[^\s「」『』()<>\"']*)?",
    re.IGNORECASE | re.ASCII,
)


@dataclass(frozen=True)
class KnownFigures:
    """The figures that a sentence may use.

    `quotations`: a sentence a line, with their context. `question`: its figures need no quotation. `results`:
    correct calculations of the answer. `beside`: the quotations of neighbouring sentences, which may be parts
    of a calculation.
    """

    quotations: str
    question: str = ""
    results: tuple[str, ...] = ()
    beside: str = ""

    @cached_property
    def text(self) -> str:
        return "\n".join([self.quotations, self.question, *self.results, *_spell_myriads(self.quotations)])

    @cached_property
    def figures(self) -> TextFigures:
        return find_figures(self.text)

    @cached_property
    def values(self) -> frozenset[Decimal]:
        """Every number, and each part of every date."""
        dates = (part for date in self.figures.dates for part in (date.year, date.month, date.day))
        numbers = {measure.value for measure in self.figures.measures}
        return frozenset(numbers | {Decimal(part) for part in dates if part is not None})

    @cached_property
    def computed(self) -> frozenset[tuple[Decimal, str]]:
        """Sums and differences of two quoted figures of one unit, and years between two dates."""
        measures = find_figures(f"{self.quotations}\n{self.beside}").measures[:MAX_PAIRED]
        reached: set[tuple[Decimal, str]] = set()
        for unit in {measure.unit for measure in measures}:
            reached.add(
                (sum((measure.value for measure in measures if measure.unit == unit), Decimal(0)), unit)
            )
        for first, other in combinations(measures, 2):
            if first.unit == other.unit:
                reached |= {
                    (first.value + other.value, first.unit),
                    (abs(first.value - other.value), first.unit),
                }
        years = {date.year for date in self.figures.dates if date.year} | {
            int(value) for value in self.values if value == value.to_integral_value() and 1000 <= value < 2200
        }
        for first_year, other_year in combinations(sorted(years)[:MAX_PAIRED], 2):
            reached |= {(Decimal(other_year - first_year), unit) for unit in ("年", "")}
        return frozenset(reached)

    @cached_property
    def plain(self) -> str:
        return squeeze(fold(self.text)).replace("−", "-")

    @cached_property
    def items(self) -> int:
        """How many things the longest line lists."""
        return (
            max(len(_SEPARATOR.findall(part)) for part in (self.quotations, *self.quotations.split("。"))) + 1
        )


def list_foreign_figures(
    sentence: str, sources: KnownFigures, calculations: Sequence[Calculation]
) -> tuple[str, ...]:
    """Return the figures of a sentence that are neither known nor computed from known ones.

    `calculations`: those that it writes out.
    """
    text = strip_counters(sentence)
    wrong = [calculation.text for calculation in calculations if not calculation.is_right]
    results = [calculation.result for calculation in calculations if calculation.is_right]
    plain = fold_figures(text)
    items = max(sources.items, len(_SEPARATOR.findall(sentence)) + 1)
    written_out = [
        range(at, at + len(calculation.text))
        for calculation in calculations
        if calculation.is_right and (at := plain.find(calculation.text)) >= 0
    ]
    foreign = [
        plain[place.start : place.end].strip()
        for place in locate_figures(plain)
        if not _is_known(place.figure, sources, results, items)
        and not (place.figure in PLAIN_NUMBERS and any(place.start in span for span in written_out))
    ]
    foreign += [number for number in _NEGATIVE.findall(plain) if number not in sources.plain]
    foreign += [symbol for symbol in sorted(find_figures(text).symbols) if symbol not in sources.plain]
    return tuple(dict.fromkeys([*wrong, *foreign, *_list_designations(text, sources)]))


def list_foreign_addresses(sentence: str, known_text: str) -> list[str]:
    """Return addresses of pages and mail that no source has: a reader may follow them."""
    sources = fold(known_text)
    addresses = (match[0].rstrip(".,;:。、") for match in _ADDRESS.finditer(fold(sentence)))
    return [address for address in addresses if address not in sources]


def strip_counters(sentence: str) -> str:
    """Return a sentence without circled digits, its number in a list, "one of", and spaces in a number."""
    return _SPACED.sub("", _ONE.sub(" ", _LIST_MARK.sub("", _CIRCLED.sub(" ", sentence))))


def unwrap(text: str) -> str:
    """Return a quotation with a sentence a line: a number that the margin or spaces cut is whole again."""
    spans = (text[start:end] for start, end in split_sentences(text))
    lines = (join_lines(span) if "\n" in span.strip() and "\t" not in span else span for span in spans)
    return _SPACED.sub("", "\n".join(lines))


def _spell_myriads(text: str) -> Iterator[str]:
    """Yield the numbers of a table multiplied by the unit of their row or column.

    2,359 under 実績（万枚） is 2,359万枚.
    """
    rows = [
        [cell.strip() for cell in line.strip().replace("|", "\t").split("\t")] for line in text.splitlines()
    ]
    for line in text.splitlines():
        if head := _ROW_HEAD.match(line):
            yield from (number + head["unit"] for number in _BARE_NUMBER.findall(line, head.end()))
    for heads in rows:
        units = {
            place: match["unit"] for place, cell in enumerate(heads) if (match := _COLUMN_HEAD.search(cell))
        }
        below = (row for row in rows if units and len(row) == len(heads) > 1)
        for row in below:
            yield from (
                row[place] + unit for place, unit in units.items() if _BARE_NUMBER.fullmatch(row[place])
            )


def _is_known(figure: Date | Measure, sources: KnownFigures, results: Sequence[Measure], items: int) -> bool:
    if isinstance(figure, Date):
        return _is_known_date(figure, sources)
    measures = (*sources.figures.measures, *results)
    if any(have.can_support(figure) or (not have.unit and have.value == figure.value) for have in measures):
        return True
    if figure.unit in ("", "年", "月", "日") and figure.value in sources.values:
        return True
    if (figure.value, figure.unit) in sources.computed:
        return True
    if any(have.unit and convert(have, figure.unit) == figure.value for have in measures):
        return True
    return figure.unit in _COUNTED and figure.value <= min(items, MAX_COUNTED)


def _is_known_date(date: Date, sources: KnownFigures) -> bool:
    if any(have.can_support(date) for have in sources.figures.dates):
        return True
    parts = [Decimal(part) for part in (date.year, date.month, date.day) if part is not None]
    if not sources.values.issuperset(parts):
        return False
    # 同年10月 stands for a year that another date names.
    rest = Date(None, date.month, date.day)
    return rest == Date(None) or any(
        have.year in (None, date.year) and have.can_support(rest) for have in sources.figures.dates
    )


def _list_designations(text: str, sources: KnownFigures) -> Iterator[str]:
    """Yield what names another thing of a kind that the sources number, and fiscal years they do not have."""
    plain = _join_numbers(text)
    known_plain = _join_numbers(sources.text)
    for designation in sorted(find_designations(plain), key=str):
        is_count = designation.value.isdecimal() and any(
            value == Decimal(designation.value) for value, _ in sources.computed
        )
        if not is_count and find_others(designation, known_plain) and not is_named(designation, known_plain):
            yield f"{sorted(designation.kinds)[0]} {designation.value}"
    known_years = find_periods(known_plain).fiscal_years
    yield from (f"{year}年度" for year in sorted(find_periods(plain).fiscal_years - known_years))


def _join_numbers(text: str) -> str:
    """Return a text in NFKC in which 第 3 条 has no spaces."""
    return re.sub(r"(?<=[第\d]) (?=[\d一-鿿])", "", unicodedata.normalize("NFKC", text))


def list_misplaced(
    sentence: str, quotations: Sequence[str], headings: Sequence[str], excused: str = ""
) -> tuple[str, ...]:
    """Return figures of a quotation that the sentence gives to the words of another figure of the same kind.

    Nothing if a word of the sentence is foreign. `headings`: contexts, too. `excused`: text whose figures
    need no quotation.
    """
    clauses = read_clauses(sentence)
    sources = [read_clauses(text) for text in (*quotations, *headings)]
    stated = frozenset(word for rows in sources for clause in rows for word in clause.words)
    words = {token.term for clause in clauses for token in clause.content if token.figure is None}
    ordered = sorted(stated)
    same = {word: _find_same(word, stated, ordered) for word in words}
    if not words or not all(same.values()):
        return ()
    figures = [figure for clause in clauses for figure in clause.figures]
    excused_figures = [figure for clause in read_clauses(excused) for figure in clause.figures]
    return tuple(
        token.surface
        for clause in clauses
        for token in clause.tokens
        if token.figure is not None
        and not is_in(token.figure, excused_figures)
        and any(
            _is_misplaced(
                token.figure,
                clause,
                figures,
                rows,
                {same[other.term] for other in clause.content if other.figure is None},
            )
            for rows in sources[: len(quotations)]
        )
    )


def _find_same(word: str, stated: frozenset[str], ordered: Sequence[str]) -> str | None:
    if word in stated:
        return word
    return next((other for other in ordered if is_same_word(word, other)), None)


def _is_misplaced(
    figure: Figure, clause: Clause, stated: Sequence[Figure], rows: Sequence[Clause], words: set[str | None]
) -> bool:
    homes = [row for row in rows if is_in(figure, row.figures)]
    if not homes:
        return _has_other_unit(figure, stated, rows)
    others = [other for other in clause.figures if not are_of_one_kind(figure, other)]
    if others and any(all(is_in(other, home.figures) for other in others) for home in homes):
        return False
    rivals = [
        row
        for row in rows
        if row not in homes
        and any(are_of_one_kind(figure, other) and not is_in(other, stated) for other in row.figures)
    ]
    at_home = [words.intersection(row.words) for row in homes]
    return any(
        words.intersection(rival.words) and all(home < words.intersection(rival.words) for home in at_home)
        for rival in rivals
    )


def _has_other_unit(figure: Figure, stated: Sequence[Figure], rows: Sequence[Clause]) -> bool:
    """True if the number stands there with another unit, and the unit with another number."""
    if not isinstance(figure, Measure) or not figure.unit:
        return False
    measures = [measure for row in rows for measure in row.figures if isinstance(measure, Measure)]
    return any(
        measure.value == figure.value and measure.unit not in ("", figure.unit) for measure in measures
    ) and any(measure.unit == figure.unit and not is_in(measure, stated) for measure in measures)
