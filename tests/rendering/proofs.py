"""Proof files for tests, made of an answer that never was, and flipped bytes in them."""

from __future__ import annotations

import functools
import io
import json
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from hashlib import sha256
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from PIL import Image

from shisho.domain.corpus import DocumentId, DocumentState
from shisho.domain.evidence import REMOVED
from shisho.domain.inquiry import (
    Answer,
    AnswerLevel,
    AnswerParagraph,
    Evidence,
    Goal,
    GoalStatus,
    LoopStop,
    Sentence,
    SupportOutcome,
)
from shisho.domain.proof import EvidenceExhibit, PageCrop, ProofSignature
from shisho.rendering.proof import with_signature, write_proof

TEXT = "前置き。\n決定係数は𝒙の0から1までの値をとる。🙂 それは適合の良さを表す。\n後書き。"
QUOTED = ("決定係数は𝒙の0から1までの値をとる。", "それは適合の良さを表す。")


@functools.cache
def png(width: int = 40, height: int = 20) -> bytes:
    target = io.BytesIO()
    Image.effect_noise((width, height), 60).save(target, "PNG")
    return target.getvalue()


def exhibit(number: int) -> EvidenceExhibit:
    snippet = QUOTED[number - 1]
    start = TEXT.index(snippet)
    evidence = Evidence(
        id=f"e{number}",
        number=number,
        goal_id="G1",
        document_id=DocumentId("doc_1"),
        document="/home/somebody/秘密/統計.pdf",
        title="統計",
        heading="",
        page=3,
        start=1_000 + start,
        end=1_000 + start + len(snippet),
        snippet=snippet,
        sha256=sha256(snippet.encode()).hexdigest(),
        score=0.9,
        round=1,
        link="file:///home/somebody/統計.pdf#page=3",
    )
    crop = PageCrop(3, png(), 40, 20, ((0.1, 0.2, 0.5, 0.4),), True, "")
    return EvidenceExhibit(evidence, "ab" * 32, 1_000, TEXT, crop if number == 1 else None, "")


def answer() -> Answer:
    sentences = (
        Sentence("決定係数は0から1の値です。", (1,), SupportOutcome.SUPPORTED),
        Sentence("よさを表します。", (2, 1), SupportOutcome.UNVERIFIED),
        Sentence("まとめると:", (), None),
    )
    return Answer(
        id="a1",
        task_id="t1",
        question="決定係数とは何か",
        text="決定係数は0から1の値です[1]。",
        blocks=(AnswerParagraph(sentences),),
        evidence=tuple(exhibit(number).evidence for number in (1, 2)),
        condition="G1",
        goals=(Goal("G1", "決定係数とは何か"),),
        goal_status=(GoalStatus("G1", 2, 1, True, AnswerLevel.ANSWERED),),
        loop_stop=LoopStop.CONDITION_MET,
        rounds=1,
        budget_used={"seconds": 0.5},
        level=AnswerLevel.ANSWERED,
        abstained=False,
        missing=(),
        model="",
        created_at="2026-01-01T00:00:00Z",
    )


def proof(sign: bool = False) -> bytes:
    text = write_proof(answer(), [exhibit(1), exhibit(2)])
    if not sign:
        return text.encode()
    key = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
    public = key.public_key().public_bytes_raw().hex()
    return with_signature(text, ProofSignature(public, key.sign(text.encode()).hex())).encode()


def forged(data: bytes, part: str, change: Callable[[Any], Any]) -> bytes:
    """The file with another part, its hash and the seal made to fit, as a forger would."""
    lines = data.decode().splitlines()
    rows = [line for line in lines if not line.startswith("signature")][:-1]
    for index, row in enumerate(rows[1:], 1):
        name, _, text = row[65:].partition(" ")
        if name == part:
            fresh = f"{name} {json.dumps(change(json.loads(text)), ensure_ascii=False)}"
            rows[index] = f"{sha256(fresh.encode()).hexdigest()} {fresh}"
    return sealed("".join(row + "\n" for row in rows))


def sealed(body: str) -> bytes:
    return f"{body}seal {sha256(body.encode()).hexdigest()}\n".encode()


def flips(data: bytes, count: int, seed: int) -> Iterator[tuple[int, bytes]]:
    """Files with one byte altered, each with the number of the line that it stands on. Half of the places are
    drawn from the whole file, half from its lines in turn, since pictures are most of the bytes."""
    chance = random.Random(seed)
    lines = data.splitlines(keepends=True)
    starts = [sum(map(len, lines[:index])) for index in range(len(lines))]
    for turn in range(count):
        line = turn // 2 % len(lines)
        place = chance.randrange(len(data)) if turn % 2 else starts[line] + chance.randrange(len(lines[line]))
        flipped = bytearray(data)
        flipped[place] ^= 1 << chance.randrange(8)
        yield data[:place].count(b"\n") + 1, bytes(flipped)


def purged_proof() -> bytes:
    """A proof whose second quotation is of a document that was erased."""
    shown = exhibit(2)
    gone = replace(shown.evidence, snippet=REMOVED, source_state=DocumentState.PURGED)
    return write_proof(answer(), [exhibit(1), replace(shown, evidence=gone, text="", start=0)]).encode()
