"""Rows of tables: which of them a question is about, and what their cells say. Pure."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence

from shisho.language.sentences import is_row
from shisho.language.table_headers import BETWEEN_LABELS
from shisho.language.terms import fold, terms

# 「標高(m): 812」: the unit stands with the label of the column.
_MEASURED = re.compile(r"[(\[]([^()\[\]0-9]{1,8})[)\]]: ([0-9][0-9,.]*)(?=\s|$)")
# What a label leaves out: 「責任者の名前」 stands under 責任者.
_GENERAL = frozenset(
    (
        "名前",
        "氏名",
        "名称",
        "名",
        "金額",
        "額",
        "番号",
        "番",
        "日付",
        "日時",
        "時刻",
        "場所",
        "数",
        "値",
        "どれ",
    )
)
_LABELLED = re.compile(r"[^\t:]+: [^\t]+")


def find_outdone_rows(rows: Sequence[tuple[Hashable, frozenset[str]]]) -> set[int]:
    """The places of rows that another row of their table outdoes: it has all words of the question that they
    have, and more. 仙台支店's is one where 札幌支店 is asked about and has a row. A row: its table, and what
    `find_met` gives."""
    met_in: dict[Hashable, set[frozenset[str]]] = {}
    for table, met in rows:
        met_in.setdefault(table, set()).add(met)
    return {
        place
        for place, (table, met) in enumerate(rows)
        if any(met < other_met for other_met in met_in[table])
    }


def find_met(alike: Mapping[str, frozenset[str]], words: frozenset[str]) -> frozenset[str]:
    """The words of the question that stand among these, themselves or in others that mean the same."""
    return frozenset(term for term, same in alike.items() if not same.isdisjoint(words))


def is_record(text: str) -> bool:
    """True for a row that says by itself what its cells are: each stands after the label of its column, and
    an empty one leaves no label."""
    return is_row(text) and all(_LABELLED.fullmatch(cell) for cell in text.strip().split("\t"))


def find_labels(heading: str) -> frozenset[str]:
    """The terms of the labels of a table's columns, with which the heading of its rows ends."""
    part = heading.rsplit(" › ", 1)[-1]
    return frozenset(terms(fold(part))) if BETWEEN_LABELS in part else frozenset()


def lacks_any(words: Iterable[str]) -> bool:
    """True where one of these words of a question, which a row has not, asks for something else than it says:
    「6月の売上高」 or 「売上高の目標」 of a row with that of April. Verbs and words that labels leave out do
    not."""
    return any(word not in _GENERAL and not "ぁ" <= word[-1] <= "ん" for word in words)


def add_units(folded: str) -> str:
    """The figures of a folded row with the units that stand with the labels of their columns."""
    return _MEASURED.sub(lambda cell: f"{cell[0]} {cell[2]}{cell[1]}", folded)
