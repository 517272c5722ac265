"""Build the table of features of support: `python train/build_support.py`. It needs `SHISHO_SHARED`."""

from __future__ import annotations

import gzip
import json
import os
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))
sys.path.insert(0, str(Path(__file__).parent))

from fit_support import CAPTIONS, ROLES, SUPPORT, Support
from tests.librarian.checking.material import (
    LABELS,
    Claim,
    make_claim,
    read_claims,
    read_paraphrases,
    read_shared_claims,
)

from shisho.librarian.checking.check import AnswerUnit, read_units
from shisho.librarian.checking.support import SupportFeatures

ROOT = Path(__file__).parent.parent
MATERIAL = ROOT / "eval" / "support_material"
MAX_CAPTIONS = 90  # of 256 parts: those whose hash is below
MAX_ROLES = 90  # of 256 parts, of the captions whose nouns change their roles
PHRASE = re.compile(r"([一-鿿々ァ-ヶーA-Za-z0-9]{1,12})(は|が|を|に|から|より)(?=[一-鿿ァ-ヶーA-Za-z、])")


@dataclass(frozen=True, slots=True)
class LabelledSentence:
    set_name: str
    claim: Claim
    is_true: bool
    is_unseen: bool = False


def main() -> None:
    rows = list(list_sentences(Path(os.environ["SHISHO_SHARED"])))
    rows += list_changed_roles(rows)
    features, measured, suspect = [], [], []
    for row in rows:
        claim = row.claim
        numbers = tuple(ref.number for ref in claim.evidence)
        (unit,) = read_units([AnswerUnit(claim.text, numbers)], claim.evidence, claim.question)
        if unit.features is not None:
            features.append(unit.features)
            suspect.append(bool(unit.suspect))
            measured.append(row)
    Support(
        SupportFeatures._fields,
        np.round(np.array(features, np.float32), 4),
        np.array([row.is_true for row in measured]),
        np.array(suspect),
        np.array([row.is_unseen for row in measured]),
        np.array([row.set_name for row in measured]),
        np.array([_hash(row.claim.evidence[0].snippet) for row in measured]),
    ).save(SUPPORT)
    print(f"{len(measured)} sentences")


def list_sentences(shared: Path) -> Iterator[LabelledSentence]:
    """Yield the sentences of all sets. What is unseen is measured and never fitted on."""
    for half in ("seen", "unseen"):
        for claim in read_claims(half):
            yield LabelledSentence("own", claim, claim.label == "true", half == "unseen")
    for claim in read_shared_claims():
        yield LabelledSentence("eval-check", claim, claim.label == "true", True)
    for name in ("paraphrases", "further_paraphrases", "blind_paraphrases", "altered_paraphrases"):
        for claim in read_paraphrases(name):
            is_true = name != "altered_paraphrases"
            set_name = "paraphrases" if is_true else "altered"
            yield LabelledSentence(set_name, claim, is_true, name == "blind_paraphrases")
    for name in ("true", "false", "lectures", "crossed", "swapped"):
        for line in (MATERIAL / f"{name}.jsonl").read_text("utf-8").splitlines():
            row = json.loads(line)
            label = row.get("label", name)
            is_unseen = row.get("held_out", False) or row.get("half") == "unseen"
            set_name = "freely written" if name in LABELS.values() else name
            claim = make_claim(row["text"], label, row["quotation"], row["heading"], row.get("question", ""))
            yield LabelledSentence(set_name, claim, label == "true", is_unseen)
    with gzip.open(shared / "eval-support" / "jnli-valid.jsonl.gz", "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            if int(_hash(row["hypothesis"])[:2], 16) < MAX_CAPTIONS:
                claim = make_claim(row["hypothesis"], row["label"], row["premise"], "")
                is_unseen = int(_hash(row["premise"])[:2], 16) % 2 == 0
                yield LabelledSentence(CAPTIONS, claim, row["label"] == "entailment", is_unseen)


def list_changed_roles(rows: Iterable[LabelledSentence]) -> Iterator[LabelledSentence]:
    """Yield sentences of quotations with two nouns exchanged (false), and with two phrases (true)."""
    quotations: dict[str, LabelledSentence] = {}
    for row in rows:
        quotations.setdefault(row.claim.evidence[0].snippet, row)
    for quotation, row in quotations.items():
        hashed = _hash(quotation)
        if row.set_name == CAPTIONS and int(hashed[:2], 16) >= MAX_ROLES:
            continue
        for sentence in quotation.splitlines():
            for text, is_true in change_roles(sentence):
                label = "true" if is_true else "false"
                claim = make_claim(text, label, quotation, row.claim.evidence[0].heading)
                yield LabelledSentence(ROLES, claim, is_true, int(hashed[-2:], 16) % 2 == 0)


def change_roles(sentence: str) -> Iterator[tuple[str, bool]]:
    """Yield a sentence with the first nouns of two roles exchanged, and with their phrases exchanged."""
    for first, second in pairwise(PHRASE.finditer(sentence)):
        noun, particle = first.groups()
        other_noun, other_particle = second.groups()
        between = sentence[first.end() : second.start()]
        is_apart = noun not in other_noun and other_noun not in noun and "、" not in between
        if not is_apart or particle == other_particle or {particle, other_particle} == {"は", "が"}:
            continue
        before, after = sentence[: first.start()], sentence[second.end() :]
        yield f"{before}{other_noun}{particle}{between}{noun}{other_particle}{after}", False
        if not between and (not before or before[-1] in "、。はがをに"):
            yield f"{before}{other_noun}{other_particle}{noun}{particle}{after}", True
        return


def _hash(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:12]


if __name__ == "__main__":
    main()
