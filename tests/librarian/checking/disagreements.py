"""Pairs of real statements, labelled by hand: whether they contradict each other. Only references are kept
here; the texts are in the shared data. Half of the pairs was looked at while the rule was written, half was
kept until it was done."""

from __future__ import annotations

import gzip
import json
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pypdfium2

from tests.shared import shared

SET = Path(__file__).parent / "contradictions.jsonl"
KINDS = ("number", "date", "negation")


@dataclass(frozen=True)
class Passage:
    """A statement and the title of its document."""

    text: str
    heading: str


@dataclass(frozen=True)
class Pair:
    """`kind`: what they disagree in, or seem to. `origin`: mined (alike in their words), harvested (put
    together by the librarian for one goal), altered (a figure or denial of the second was changed), captions
    and conflicted (labelled by their sources)."""

    kind: str
    disagree: bool
    origin: str
    half: str
    why: str
    one: Passage
    other: Passage


@dataclass(frozen=True)
class Tally:
    """How many contradictions were shown, how many of them are real, and how many there are."""

    shown: int
    right: int
    real: int

    @property
    def precision(self) -> float:
        return self.right / self.shown if self.shown else 1.0

    @property
    def recall(self) -> float:
        return self.right / self.real if self.real else 1.0


def pairs(half: str) -> list[Pair]:
    """The labelled pairs of one half: `seen` or `kept`."""
    rows = [json.loads(line) for line in SET.read_text(encoding="utf-8").splitlines()]
    return [_pair(row) for row in rows if row["half"] == half]


def tally(judged: Iterable[tuple[Pair, str]]) -> Tally:
    """Counts pairs with what the rule said of each; a contradiction of another kind is still a
    contradiction."""
    rows = list(judged)
    shown = [pair for pair, kind in rows if kind]
    return Tally(len(shown), sum(pair.disagree for pair in shown), sum(pair.disagree for pair, _ in rows))


def _pair(row: Mapping[str, Any]) -> Pair:
    one = _passage(row["one"], ())
    other = _passage(row["other"], row.get("altered", ()))
    return Pair(row["kind"], row["disagree"], row["origin"], row["half"], row["why"], one, other)


def _passage(reference: Mapping[str, Any], altered: Sequence[Sequence[str]]) -> Passage:
    text, heading = _whole(reference)
    text = text[reference["start"] : reference["end"]] if "start" in reference else text
    for old, new in altered:
        assert text.count(old) == 1, (text, old)
        text = text.replace(old, new)
    return Passage(text, heading)


def _whole(reference: Mapping[str, Any]) -> tuple[str, str]:
    """The text that a reference points into, and its title."""
    source = reference["source"]
    if source.startswith("pdf/"):
        return _page(source, reference["page"]), Path(source).stem
    if source.startswith("eval/"):
        row = _rows(f"{source}/corpus.jsonl.gz", "_id")[reference["id"]]
        return row["text"], row["title"]
    row = _rows(f"{source}.jsonl.gz", "id")[str(reference["id"])]
    return (
        row["positive_chunk_list"][reference["chunk"]] if "chunk" in reference else row[reference["part"]]
    ), ""


@cache
def _rows(path: str, key: str) -> dict[str, Any]:
    with gzip.open(shared(*path.split("/")), "rt", encoding="utf-8") as lines:
        return {str(row[key]): row for row in map(json.loads, lines)}


@cache
def _page(path: str, page: int) -> str:
    """The text of a page, folded and without white space."""
    text = pypdfium2.PdfDocument(shared(*path.split("/")))[page - 1].get_textpage().get_text_range()
    return "".join(unicodedata.normalize("NFKC", text).replace("\ufffe", "").replace("\x02", "").split())
