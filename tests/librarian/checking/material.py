"""Sentences and pairs of statements with known labels: our own, and paraphrases of shared passages."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from shisho.domain.inquiry import EvidenceRef
from shisho.domain.session import SentenceRevision
from shisho.librarian.checking.check import AnswerUnit, decide, read_units
from tests.shared import shared

HERE = Path(__file__).parent
VERDICTS = {"s": "supported", "p": "partly", "c": "contradicted", "n": "not in the quotation"}
LABELS = {"+": "true", "-": "false", "~": "absent"}
HEADS = {"# ": "heading", "< ": "context", "> ": "quotation", "? ": "question"}


@dataclass(frozen=True)
class Claim:
    """A sentence with its evidence. `verdict`: recorded of a judge; `half`: seen or unseen."""

    text: str
    label: str
    verdict: str
    question: str
    evidence: tuple[EvidenceRef, ...]
    half: str = "seen"

    def check(self, *, judged: bool) -> SentenceRevision:
        numbers = tuple(ref.number for ref in self.evidence)
        (unit,) = read_units([AnswerUnit(self.text, numbers)], self.evidence, self.question)
        return decide(unit, self.verdict if judged else None)


def make_claim(text: str, label: str, quotation: str, heading: str, question: str = "") -> Claim:
    """Return a sentence with one quotation."""
    return Claim(text, label, "", question, (EvidenceRef(1, "G1", quotation, heading, 1.0, 1),))


def read_claims(half: str) -> list[Claim]:
    """Return our own sentences of one half."""
    blocks = (HERE / "sentences.txt").read_text("utf-8").split("\n\n")[1:]
    own = [claim for place, block in enumerate(blocks) for claim in _read_block(block, place)]
    return [claim for claim in own if claim.half == half]


def _read_block(block: str, place: int) -> Iterator[Claim]:
    fields = dict.fromkeys(HEADS.values(), "")
    last = ""
    for line in block.splitlines():
        if line[:2] in HEADS:
            last = HEADS[line[:2]]
            fields[last] = line[2:]
        elif line[0] not in LABELS:
            fields[last] += f"\n{line}"
    ref = EvidenceRef(1, "G1", fields["quotation"], fields["heading"], 1.0, 1, context=fields["context"])
    for line in block.splitlines():
        if line[0] in LABELS:
            half = "unseen" if place % 2 else "seen"
            yield Claim(line[3:], LABELS[line[0]], VERDICTS[line[1]], fields["question"], (ref,), half)


def read_written(name: str, half: str = "") -> list[Claim]:
    """Return sentences of a set of `eval/support_material`, all or of one half."""
    path = HERE.parents[2] / "eval" / "support_material" / f"{name}.jsonl"
    rows = map(json.loads, path.read_text("utf-8").splitlines())
    return [
        make_claim(row["text"], row["label"], row["quotation"], row["heading"])
        for row in rows
        if row.get("half", "") == half
    ]


def read_shared_claims() -> list[Claim]:
    """Return the sentences of `eval-check`: the judge calls true ones supported, false ones contradicted."""
    rows = map(json.loads, shared("eval-check", "sentences.jsonl").read_text("utf-8").splitlines())
    return [
        Claim(
            row["sentence"],
            row["label"],
            "supported" if row["label"] == "true" else "contradicted",
            row["question"],
            tuple(
                EvidenceRef(number, "G1", each["quotation"], each["heading"], 1.0, 1, context=each["context"])
                for number, each in enumerate(row["quotations"], 1)
            ),
        )
        for row in rows
    ]


def read_paraphrases(name: str) -> list[Claim]:
    """Return sentences written in other words to shared passages."""
    rows = map(json.loads, (HERE / "paraphrases" / f"{name}.jsonl").read_text("utf-8").splitlines())
    claims = []
    for row in rows:
        text, heading = (
            _read_passages(row["set"])[row["id"]]
            if "set" in row
            else (row["quotation"], row.get("heading", ""))
        )
        snippet = text[row["start"] : row["end"]] if "set" in row else text
        ref = EvidenceRef(1, "G1", snippet, heading, 1.0, 1)
        claims.append(Claim(row["text"], name, "", "", (ref,)))
    return claims


@cache
def _read_passages(name: str) -> dict[str, tuple[str, str]]:
    if name == "extract":
        articles = json.loads(shared("extract", "ground-truth.json").read_text("utf-8"))
        return {key: (article["articleBody"], "") for key, article in articles.items()}
    with gzip.open(shared("eval", name, "corpus.jsonl.gz"), "rt", encoding="utf-8") as lines:
        return {row["_id"]: (row["text"], row["title"]) for row in map(json.loads, lines)}


def read_pairs(half: str) -> list[tuple[bool, tuple[str, str], tuple[str, str]]]:
    """Return pairs of statements with their headings, and whether they contradict each other."""
    lines = [
        line for line in (HERE / "sources.txt").read_text("utf-8").splitlines() if line[:2] in ("! ", "= ")
    ]
    pairs = []
    for sign in ("! ", "= "):
        rows = [tuple(line[2:].split(" | ", 1)) for line in lines if line.startswith(sign)]
        both = [*zip(rows[::2], rows[1::2], strict=True)][0 if half == "seen" else 1 :: 2]
        pairs += [(sign == "! ", (one[0], one[1]), (other[0], other[1])) for one, other in both]
    return pairs
