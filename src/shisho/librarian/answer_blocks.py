"""Convert a model's reply between blocks and a flat list of its sentences, items and cells to check."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from shisho.domain.inquiry import (
    AnswerBlock,
    AnswerHeading,
    AnswerList,
    AnswerParagraph,
    AnswerTable,
    ContradictedSentences,
    EvidenceRef,
    Sentence,
    SupportOutcome,
)
from shisho.domain.session import SentenceRevision
from shisho.language import compile_lazily
from shisho.language.display import join_lines, make_legible
from shisho.language.terms import fold, split_terms
from shisho.librarian.checking.check import AnswerUnit
from shisho.librarian.checking.unit_text import frame
from shisho.librarian.model_replies import BlockReply

MAX_UNITS = 200  # of one reply
MAX_COLUMNS = 12
MAX_HEADING_CHARS = 120
KNOWN_SHARE = 0.5  # of a heading's terms that the question or the quotations contain
NOTHING = Sentence("", (), None)
_EMPTY = compile_lazily(r"[\s\-–—―−－ー/・.…]*")
_ADDRESS = compile_lazily(r"://|\bwww\.|\.(?:com|org|net|example)\b", re.IGNORECASE)
_DIGITS = compile_lazily(r"\d+")
# Labels of columns and rows that no document needs to contain.
_LABELS = """
項目 比較項目 区分 内容 種類 名称 対象 値 備考 出典 回答 資料 文書 違い 相違点 共通点 観点 効果 用途 条件
位置づけ 目的 役割 特徴 方法 手順 理由 概要
item category kind name value note notes source document topic aspect description details difference content effect use
purpose role feature features method reason overview
"""


def list_units(blocks: Sequence[BlockReply]) -> list[AnswerUnit]:
    """Return the sentences, items and cells of a reply in order.

    A cell without citations has those of its row; its context is its row and column.
    """
    return [unit for block in blocks for unit in _list_of(block) if isinstance(unit, AnswerUnit)][:MAX_UNITS]


def build_blocks(
    blocks: Sequence[BlockReply], checked: Sequence[SentenceRevision], vocabulary: KnownWords
) -> tuple[AnswerBlock, ...]:
    """Return the blocks with their accepted units.

    `checked` has the outcome of each of `list_units`.

    Headings without a block below them are dropped.
    """
    pending = iter(checked)
    built = [
        built_block for block in blocks if (built_block := _build(block, pending, vocabulary)) is not None
    ]
    remaining = [
        block
        for place, block in enumerate(built)
        if not isinstance(block, AnswerHeading) or _has_content(block, built[place + 1 :])
    ]
    return (*remaining, *_list_contradicted(checked))


def build_flat(checked: Sequence[SentenceRevision]) -> tuple[AnswerBlock, ...]:
    """Return unstructured sentences as one paragraph."""
    remaining = tuple(unit for revision in checked if (unit := _choose_kept(revision)).text)
    return (*([AnswerParagraph(remaining)] if remaining else ()), *_list_contradicted(checked))


class KnownWords:
    """The words that a heading may contain: it cites nothing, so it must not add information."""

    def __init__(self, question: str, evidence: Iterable[EvidenceRef]) -> None:
        texts = [
            question,
            *(text for ref in evidence for text in (ref.snippet, ref.heading, ref.table_header)),
        ]
        self._text = fold("\n".join(texts))
        self._terms = frozenset(split_terms(self._text))

    def read_heading(self, text: str) -> str:
        """Return a heading on one line; "" if its words are in neither the question nor a quotation."""
        line = " ".join(make_legible(text).lstrip("#■● ").split())
        folded = fold(line)
        if not line or len(line) > MAX_HEADING_CHARS or _ADDRESS.search(line):
            return ""
        if frame(line) or folded in _LABELS.split():
            return line
        own = set(split_terms(folded))
        has_known_figures = all(
            figure in self._text for figure in _DIGITS.findall(folded.lstrip("0123456789. "))
        )
        share = len(own & self._terms) / len(own) if own else float(folded in self._text)
        return line if has_known_figures and share >= KNOWN_SHARE else ""


def _list_of(block: BlockReply) -> Iterator[AnswerUnit | Sentence]:
    """Yield the units of a block in order.

    Units that state nothing, such as a dash or the label of a row, are unchanged.
    """
    if block.type == "heading":
        return
    if block.type != "table":
        for sentence in block.sentences:
            yield AnswerUnit(sentence.text, sentence.cites) if sentence.text.strip() else NOTHING
        return
    for row in block.rows:
        shared = tuple(dict.fromkeys(number for cell in row for number in cell.cites))
        name = join_lines(row[0].text) if row else ""
        for place, cell in enumerate(row[:MAX_COLUMNS]):
            label = block.header[place] if place < len(block.header) else ""
            context = " · ".join(filter(None, (name if place else "", join_lines(label))))
            if _EMPTY.fullmatch(cell.text) or (not place and fold(cell.text.strip()) in _LABELS.split()):
                yield Sentence(cell.text.strip(), (), None)
            else:
                yield AnswerUnit(cell.text, cell.cites or shared, context)


def _build(
    block: BlockReply, pending: Iterator[SentenceRevision], vocabulary: KnownWords
) -> AnswerBlock | None:
    if block.type == "heading":
        text = vocabulary.read_heading(block.text)
        return AnswerHeading(text) if text else None
    units = [unit if isinstance(unit, Sentence) else _take(pending) for unit in _list_of(block)]
    if block.type == "table":
        return _build_table(block, units, vocabulary)
    remaining = tuple(unit for unit in units if unit.text)
    if not remaining:
        return None
    if block.type == "paragraph":
        return AnswerParagraph(remaining)
    signs = tuple(f"{number}." for number in range(1, len(remaining) + 1)) if block.is_numbered else ()
    return AnswerList(remaining, signs)


def _build_table(block: BlockReply, units: Sequence[Sentence], vocabulary: KnownWords) -> AnswerTable | None:
    width = min(MAX_COLUMNS, max([len(block.header), *map(len, block.rows)]))
    rows = []
    start = 0
    for row in block.rows:
        end = start + min(len(row), MAX_COLUMNS)
        cells = (*units[start:end], *(NOTHING,) * (width - (end - start)))
        start = end
        if any(cell.evidence for cell in cells):
            rows.append(cells)
    header = tuple(vocabulary.read_heading(label) for label in (*block.header, *("",) * width)[:width])
    return AnswerTable(header, tuple(rows)) if rows else None


def _take(pending: Iterator[SentenceRevision]) -> Sentence:
    """Return the next checked unit; an empty one if none is left."""
    following = next(pending, None)
    return NOTHING if following is None else _choose_kept(following)


def _choose_kept(revision: SentenceRevision) -> Sentence:
    if revision.became != "kept":
        return NOTHING
    return Sentence(revision.text, revision.evidence, revision.support, revision.by)


def _list_contradicted(checked: Sequence[SentenceRevision]) -> list[ContradictedSentences]:
    sentences = tuple(
        Sentence(revision.text, revision.evidence, SupportOutcome.CONTRADICTED)
        for revision in checked
        if revision.became == "contradicted" and not _ADDRESS.search(revision.text)
    )
    return [ContradictedSentences(sentences)] if sentences else []


def _has_content(heading: AnswerHeading, below: Sequence[AnswerBlock]) -> bool:
    following = next(iter(below), None)
    return following is not None and not (
        isinstance(following, AnswerHeading) and following.level <= heading.level
    )
