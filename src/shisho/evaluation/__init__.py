"""How good answers are on a set of questions.

A set has documents, questions and judgements in the BEIR layout, each file gzipped or not.
"""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TextIO

from shisho.errors import InvalidParams
from shisho.records import dataclass


@dataclass(frozen=True, slots=True)
class EvalDocument:
    """One document of a set."""

    id: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class EvalQuestion:
    """One question of a set, with its gold answers if the set has them."""

    id: str
    text: str
    answers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EvalSet:
    """`judged[question][document]` is the grade; only judged questions are measured."""

    entries: tuple[EvalDocument, ...]
    questions: tuple[EvalQuestion, ...]
    judged: Mapping[str, Mapping[str, int]]


def load(folder: Path) -> EvalSet:
    """Read `corpus.jsonl`, `queries.jsonl` and `qrels.tsv` (or `qrels/test.tsv`).

    Raises: InvalidParams with the file and line.
    """
    entries = tuple(
        EvalDocument(str(row["_id"]), row.get("title") or "", row.get("text") or "")
        for row in _read_rows(folder, "corpus.jsonl")
    )
    questions = tuple(
        EvalQuestion(str(row["_id"]), row["text"], tuple((row.get("metadata") or {}).get("answers") or ()))
        for row in _read_rows(folder, "queries.jsonl")
    )
    judged: dict[str, dict[str, int]] = {}
    for question, document, grade in _read_judgements(folder):
        judged.setdefault(question, {})[document] = grade
    return EvalSet(entries, tuple(question for question in questions if question.id in judged), judged)


def _read_rows(folder: Path, name: str) -> Iterator[dict[str, Any]]:
    with _open(folder, name) as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
                row["_id"], row["text"]
            except (ValueError, KeyError, TypeError) as error:
                raise InvalidParams(
                    "eval.bad_json_line",
                    name=name,
                    number=number,
                ) from error
            yield row


def _read_judgements(folder: Path) -> Iterator[tuple[str, str, int]]:
    name = (
        "qrels.tsv"
        if (folder / "qrels.tsv").exists() or not (folder / "qrels").is_dir()
        else "qrels/test.tsv"
    )
    with _open(folder, name) as lines:
        for number, row in enumerate(csv.reader(lines, delimiter="\t"), 1):
            if len(row) == 4:  # TREC format: question, 0, document, grade
                row = [row[0], *row[2:]]
            if number == 1 and len(row) == 3 and not row[2].lstrip("-").isdigit():
                continue
            if len(row) != 3 or not row[2].lstrip("-").isdigit():
                raise InvalidParams(
                    "eval.bad_qrels_line",
                    name=name,
                    number=number,
                )
            yield row[0], row[1], int(row[2])


def _open(folder: Path, name: str) -> TextIO:
    plain = folder / name
    packed = folder / f"{name}.gz"
    if plain.is_file():
        return plain.open(encoding="utf-8", newline="")
    if packed.is_file():
        return gzip.open(packed, "rt", encoding="utf-8", newline="")
    raise InvalidParams(
        "eval.file_missing",
        folder=folder,
        name=name,
    )
