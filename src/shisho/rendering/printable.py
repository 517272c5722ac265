"""An answer for print, on a web page or on paper: legible words and their link targets."""

from __future__ import annotations

from calendar import month_name
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from unicodedata import east_asian_width

from shisho.domain.corpus import NO_LONGER
from shisho.domain.inquiry import (
    Answer,
    AnswerBlock,
    AnswerHeading,
    AnswerList,
    AnswerNote,
    AnswerParagraph,
    AnswerPassage,
    AnswerTable,
    ContradictedSentences,
    Evidence,
    Sentence,
    SupportOutcome,
    choose_quoted,
)
from shisho.domain.link import is_on_web
from shisho.domain.place import describe_place
from shisho.domain.printing import PrintableAnswer, PrintedBlock, PrintedLine, PrintedPart, PrintedQuotation
from shisho.domain.time import Instant
from shisho.language import answer_language
from shisho.language.display import display_code, display_quotation, join_lines, make_legible, split_item
from shisho.language.marked_text import split_marked
from shisho.messages.catalogue import translate_word

PAGE_CELLS = 84  # letters of half width that fit between the margins of a page
CELL_PADDING = 3  # the same, of a table's cell


def make_printable(answer: Answer) -> PrintableAnswer:
    """Return the answer in the language of its question. Only web sources have links."""
    language = answer_language(answer.question)
    printer = _Printer({evidence.number: evidence.snippet for evidence in answer.evidence}, language)
    return PrintableAnswer(
        title=make_legible(answer.question),
        language=language,
        blocks=tuple(printed for block in answer.blocks for printed in printer.print_block(block)),
        heading=translate_word("sources", language),
        quotations=tuple(_print_quotation(evidence, language) for evidence in answer.evidence),
        facts=tuple(make_legible(fact) for fact in _list_facts(answer, language)),
    )


class _Printer:
    """A layout of blocks. `quotations`: texts by number; only these numbers become links."""

    def __init__(self, quotations: Mapping[int, str], language: str) -> None:
        self._quotations = quotations
        self._language = language
        self._quoted: set[int] = set()

    def print_block(self, block: AnswerBlock) -> Iterator[PrintedBlock]:
        match block:
            case AnswerNote():
                yield PrintedBlock("text", tuple((PrintedPart(line),) for line in _split(block.text)))
            case AnswerHeading(text, level):
                yield PrintedBlock("heading", ((PrintedPart(_print_line(text)),),), level=level)
            case AnswerPassage():
                yield from self._print_passage(block)
            case AnswerParagraph(sentences):
                yield PrintedBlock("text", (self._join(sentences),))
                yield from self._quote(sentences)
            case AnswerList(items, signs):
                yield PrintedBlock("list", tuple(map(self._print_item, items)), signs or ("•",) * len(items))
                yield from self._quote(items)
            case AnswerTable(header, rows):
                cells = tuple(tuple(map(self._print_unit, row)) for row in rows)
                yield _lay_out_table(tuple(map(_print_line, header)), cells)
                yield from self._quote([cell for row in rows for cell in row])
            case ContradictedSentences(sentences):
                yield PrintedBlock(
                    "text", ((PrintedPart(translate_word("contradicted_head", self._language)),),)
                )
                for sentence in sentences:
                    yield PrintedBlock("list", (self._print_item(sentence),), ("•",))
                    yield from self._quote([sentence])

    def _print_passage(self, passage: AnswerPassage) -> Iterator[PrintedBlock]:
        heading = [(PrintedPart(f"▸ {make_legible(passage.heading)}"),)] if passage.heading else []
        numbers = [part for mark in passage.marks for part in self._number(mark.number)]
        if passage.code:
            if heading:
                yield PrintedBlock("text", tuple(heading))
            yield PrintedBlock("code", ((PrintedPart(display_code(passage.text)),),))
            yield PrintedBlock("text", (tuple(numbers),))
            return
        lines: list[list[PrintedPart]] = [[]]
        for segment in split_marked(passage.text, passage.marks):
            first, *others = _split(segment.text)
            lines[-1].append(PrintedPart(first, marked=bool(segment.number)))
            lines += [[PrintedPart(text, marked=bool(segment.number))] for text in others]
            lines[-1] += self._number(segment.number)
        yield PrintedBlock("text", (*heading, *map(tuple, lines)))

    def _join(self, sentences: Sequence[Sentence]) -> PrintedLine:
        parts: list[PrintedPart] = []
        for sentence in sentences:
            parts += [PrintedPart(" ")] if parts else []
            parts += self._print_unit(sentence)
        return tuple(parts)

    def _print_unit(self, sentence: Sentence) -> PrintedLine:
        return (PrintedPart(_print_line(sentence.text)), *self._print_marks(sentence))

    def _print_item(self, sentence: Sentence) -> PrintedLine:
        """Return an item of a list; the items nested in it are lines that begin with a mark."""
        return (PrintedPart("\n◦ ".join(split_item(sentence.text))), *self._print_marks(sentence))

    def _print_marks(self, sentence: Sentence) -> PrintedLine:
        doubt = translate_word("unit_unverified", self._language)
        return (
            *(part for number in sentence.evidence for part in (PrintedPart(" "), *self._number(number))),
            *([PrintedPart(doubt)] if sentence.support is SupportOutcome.UNVERIFIED else []),
        )

    def _number(self, number: int) -> list[PrintedPart]:
        return [PrintedPart(f"[{number}]", number if number in self._quotations else 0)] if number else []

    def _quote(self, sentences: Sequence[Sentence]) -> Iterator[PrintedBlock]:
        numbers = choose_quoted(sentences, self._quoted)
        lines = [
            translate_word(
                "unit_quoted", self._language, number=number, text=_print_line(self._quotations[number])
            )
            for number in numbers
            if self._quotations.get(number)
        ]
        if lines:
            yield PrintedBlock("quotes", tuple((PrintedPart(line),) for line in lines))


def _lay_out_table(header: Sequence[str], rows: Sequence[tuple[PrintedLine, ...]]) -> PrintedBlock:
    """Return a table whose columns are as wide as their content, or share the remaining width."""
    lines = [header, *(["".join(part.text for part in cell) for cell in row] for row in rows)]
    lengths = [max(map(count_cells, column)) for column in zip(*lines, strict=True)]
    shares = [0] * len(lengths)
    remaining, open_columns = PAGE_CELLS, len(lengths)
    for place in sorted(range(len(lengths)), key=lengths.__getitem__):
        length = lengths[place] + CELL_PADDING
        if length * open_columns > remaining:
            shares[place] = min(length, remaining)
        else:
            remaining -= length
        open_columns -= 1
    return PrintedBlock("table", header=tuple(header), rows=tuple(rows), shares=tuple(shares))


def count_cells(text: str) -> int:
    """Return the width of a text in letters of half width; a Japanese letter has two."""
    return sum(1 + (east_asian_width(letter) in "WF") for letter in text)


def _print_line(text: str) -> str:
    return make_legible(join_lines(text))


def _split(text: str) -> list[str]:
    return make_legible(text).split("\n")


def _print_quotation(evidence: Evidence, language: str) -> PrintedQuotation:
    if not evidence.snippet:
        return PrintedQuotation(evidence.number, evidence.title, link="", where="", text="", remark="")
    page = "" if evidence.page is None else translate_word("page", language, n=evidence.page)
    place = describe_place(evidence.place, lambda n: translate_word("notebook_cell", language=language, n=n))
    places = (join_lines(place) or page, join_lines(evidence.heading))
    state = NO_LONGER.get(evidence.source_state)
    return PrintedQuotation(
        number=evidence.number,
        title=join_lines(evidence.title),
        link=make_legible(evidence.link) if is_on_web(evidence.link) else "",
        where=" · ".join(make_legible(place) for place in places if place),
        text=make_legible(display_quotation(evidence.snippet, code=evidence.code)),
        remark=translate_word(state, language) if state else "",
        code=evidence.code,
    )


def _list_facts(answer: Answer, language: str) -> Iterator[str]:
    """Yield how well the sentences are supported, and why the search stopped."""
    if any(sentence.support for sentence in answer.sentences):
        outcomes = [sentence.support for sentence in answer.sentences]
        counts = {str(outcome): outcomes.count(outcome) for outcome in SupportOutcome}
        yield translate_word("support", language, **counts)
    reason = translate_word(f"end_{answer.loop_stop}".lower(), language)
    yield f"{translate_word('stopped_because', language)}: {reason}"
    yield f"{answer.condition} · {write_day(answer.created_at, language)} · {answer.id}"


def write_day(at: Instant, language: str) -> str:
    """Return the day of an instant as people write it, in the time zone of this machine."""
    day = datetime.fromisoformat(at).astimezone()
    month = str(day.month) if language == "ja" else month_name[day.month]
    return translate_word("day", language, year=day.year, month=month, day=day.day)
