"""The blocks of an answer in a terminal of any width.

Bold headings and marks, tables if they fit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

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
    Sentence,
    SupportOutcome,
    choose_quoted,
)
from shisho.interfaces.cli.layout import GAP, format_columns, wrap
from shisho.interfaces.cli.shell import Words
from shisho.language import answer_language
from shisho.language.display import join_lines, make_legible, split_item
from shisho.language.marked_text import render_marked, split_marked

MIN_COLUMN = 14  # cells: narrower columns would break every word, so rows are stacked instead


def print_blocks(console: Console, answer: Answer, words: Words) -> None:
    """Print the blocks, a blank line between them."""
    view = _View(answer, words, console.width if console.is_terminal else None)
    # A terminal breaks lines inside words, which Japanese allows.
    is_broken_by_terminal = answer_language(answer.question) != "en" or not console.is_terminal
    for place, block in enumerate(answer.blocks):
        if place:
            console.print()
        for part in view.show(block):
            console.print(part, soft_wrap=is_broken_by_terminal and isinstance(part, Text))


class _View:
    def __init__(self, answer: Answer, words: Words, width: int | None) -> None:
        self._quotations = {evidence.number: evidence.snippet for evidence in answer.evidence}
        self._words = words
        self._width = width
        self._quoted: set[int] = set()

    def show(self, block: AnswerBlock) -> Iterator[RenderableType]:
        match block:
            case AnswerNote(text):
                yield Text(make_legible(text))
            case AnswerHeading(text):
                yield Text(make_legible(text), style="bold")
            case AnswerPassage():
                yield _show_passage(block)
            case AnswerParagraph(sentences):
                yield Text(" ").join(map(self._render_unit, sentences))
                yield from self._quote(sentences)
            case AnswerList(items, signs):
                for place, item in enumerate(items):
                    yield self._render_item(signs[place] if signs else "•", item)
                    yield from self._quote([item])
            case AnswerTable():
                yield from self._render_table(block)
                yield from self._quote([cell for row in block.rows for cell in row])
            case ContradictedSentences(sentences):
                yield Text(self._words("contradicted_head"), style="yellow")
                for sentence in sentences:
                    yield self._render_item("•", sentence)
                    yield from self._quote([sentence])

    def _render_item(self, sign: str, item: Sentence) -> Text:
        text = Text("\n◦ ".join(split_item(item.text))).append_text(self._render_marks(item))
        label = Text(f"{sign} ")
        if self._width is None:
            return label.append_text(text)
        margin = " " * label.cell_len
        return label.append_text(Text(f"\n{margin}").join(_break_text(text, self._width - len(margin))))

    def _render_table(self, block: AnswerTable) -> Iterator[RenderableType]:
        header = [make_legible(label) for label in block.header]
        if self._width is not None and self._width // max(1, len(header)) >= MIN_COLUMN:
            table = Table(show_lines=True, header_style="bold")
            for label in header:
                table.add_column(label, overflow="fold")
            for row in block.rows:
                table.add_row(*map(self._render_unit, row))
            yield table
            return
        rows = [[self._render_unit(cell).plain for cell in row] for row in block.rows]
        yield from map(Text, format_columns(header, rows, self._width))

    def _render_unit(self, sentence: Sentence) -> Text:
        return Text(make_legible(join_lines(sentence.text))).append_text(self._render_marks(sentence))

    def _render_marks(self, sentence: Sentence) -> Text:
        text = Text("".join(f" [{number}]" for number in sentence.evidence))
        if sentence.support is SupportOutcome.UNVERIFIED:
            text.append(self._words("unit_unverified"), style="yellow")
        return text

    def _quote(self, sentences: Iterable[Sentence]) -> Iterator[RenderableType]:
        for number in choose_quoted(sentences, self._quoted):
            if text := self._quotations.get(number):
                line = self._words("unit_quoted", number=number, text=join_lines(text))
                yield Text(self._break_line(line), style="dim")

    def _break_line(self, line: str) -> str:
        if self._width is None:
            return GAP + line
        return "\n".join(wrap(GAP + line, self._width, GAP))


def _break_text(text: Text, width: int) -> Iterator[Text]:
    """Yield the lines of a styled text that is as wide as this at most."""
    for paragraph in text.split("\n"):
        start = 0
        for line in wrap(paragraph.plain, width):
            start = paragraph.plain.index(line, start)
            yield paragraph[start : start + len(line)]
            start += len(line)


def _show_passage(block: AnswerPassage) -> Text:
    """Return a passage with its marked sentences in bold."""
    if block.code:
        return Text(make_legible(render_marked(block.text, block.marks, heading=block.heading, code=True)))
    text = Text(make_legible(f"▸ {block.heading}\n") if block.heading else "")
    for segment in split_marked(block.text, block.marks):
        text.append(make_legible(segment.text), style="bold" if segment.number else "")
        text.append(f"[{segment.number}]" if segment.number else "")
    return text
