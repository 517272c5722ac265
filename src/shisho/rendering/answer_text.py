"""The blocks of an answer as Markdown, which is readable as plain text too."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import chain

from shisho.domain.inquiry import (
    AnswerBlock,
    AnswerHeading,
    AnswerList,
    AnswerNote,
    AnswerParagraph,
    AnswerPassage,
    AnswerTable,
    ContradictedSentences,
    Sentence,
    SupportOutcome,
    choose_quoted,
)
from shisho.language.display import join_lines, join_sentences, split_item
from shisho.language.marked_text import render_marked
from shisho.messages.catalogue import translate_word
from shisho.records import dataclass

PLAIN = ("", "")
BOLD = ("**", "**")
BAR = "\\|"  # escaped, for use inside a cell


@dataclass(frozen=True, slots=True)
class TextWriter:
    """A writer of blocks. `quotations`: texts by number.

    `mark` surrounds the marked sentences of passages, `escape` escapes every word.
    """

    quotations: Mapping[int, str]
    language: str
    mark: tuple[str, str] = PLAIN
    escape: Callable[[str], str] = str
    _quoted: set[int] = field(default_factory=set)

    def write(self, blocks: Iterable[AnswerBlock]) -> str:
        """Return all blocks, a blank line between them."""
        return "\n\n".join(filter(None, map(self.write_block, blocks)))

    def write_block(self, block: AnswerBlock) -> str:
        """Return one block with the quotations of its unverified sentences beneath it."""
        match block:
            case AnswerNote():
                return self.escape(block.text)
            case AnswerHeading():
                return f"{'#' * block.level} {self._render_line(block.text)}"
            case AnswerPassage():
                return self._render_passage(block)
            case AnswerParagraph(sentences):
                return "\n".join([join_sentences(map(self._render_unit, sentences)), *self._quote(sentences)])
            case AnswerList(items, signs):
                return "\n".join(self._render_items(items, signs))
            case AnswerTable(header, rows):
                cells = [list(map(self._render_unit, row)) for row in rows]
                lines = [
                    _render_row(map(self._render_line, header)),
                    _render_row("---" for _ in header),
                    *map(_render_row, cells),
                ]
                quotes = self._quote(cell for row in rows for cell in row)
                return "\n".join([*lines, *([""] if quotes else []), *quotes])
            case ContradictedSentences(sentences):
                parts = [["- " + self._render_unit(unit), *self._quote([unit])] for unit in sentences]
                return "\n".join([self._say("contradicted_head"), *chain.from_iterable(parts)])

    def _render_passage(self, block: AnswerPassage) -> str:
        return render_marked(
            block.text,
            block.marks,
            heading=block.heading,
            code=block.code,
            mark=self.mark,
            escape=self.escape,
        )

    def _render_items(self, items: Sequence[Sentence], signs: Sequence[str]) -> Iterator[str]:
        for place, item in enumerate(items):
            sign = signs[place] if signs else "-"
            mark = sign if sign == "-" or sign.endswith(".") else f"- {sign}"
            first, *nested = map(self.escape, split_item(item.text))
            lines = [f"{mark} {first}", *(f"{' ' * len(mark)} - {line}" for line in nested)]
            lines[-1] += self._render_marks(item)
            yield from lines
            yield from self._quote([item])

    def _render_unit(self, sentence: Sentence) -> str:
        return self._render_line(sentence.text) + self._render_marks(sentence)

    def _render_marks(self, sentence: Sentence) -> str:
        """Return the citation numbers, and the remark on an unverified sentence."""
        doubt = self._say("unit_unverified") if sentence.support is SupportOutcome.UNVERIFIED else ""
        return write_numbers(sentence) + doubt

    def _quote(self, sentences: Iterable[Sentence]) -> list[str]:
        """Return the quotations of unsupported sentences, each once in an answer."""
        return [
            "  " + self._say("unit_quoted", number=number, text=self._render_line(self.quotations[number]))
            for number in choose_quoted(sentences, self._quoted)
            if self.quotations.get(number)
        ]

    def _render_line(self, text: str) -> str:
        return self.escape(join_lines(text))

    def _say(self, key: str, **values: object) -> str:
        return translate_word(key, language=self.language, **values)


def write_numbers(sentence: Sentence) -> str:
    """Return the citation numbers of a sentence."""
    return "".join(f" [{number}]" for number in sentence.evidence)


def write_text(blocks: Iterable[AnswerBlock], quotations: Mapping[int, str], language: str) -> str:
    """Return an answer as plain text."""
    return TextWriter(quotations, language).write(blocks)


def _render_row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cell.replace('|', BAR) for cell in cells)} |"
