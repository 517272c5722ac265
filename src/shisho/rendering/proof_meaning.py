"""Check the parts of a proof file against each other.

Hashes alone prove nothing: the author of false parts also writes their hashes.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import sha256
from typing import Any

from shisho.domain.corpus import DocumentState
from shisho.domain.inquiry import LoopStop, SupportOutcome
from shisho.domain.proof import ProofFault
from shisho.messages import Message
from shisho.records import dataclass

ONCE = ("answer", "sentences", "stop")
PNG = b"\x89PNG\r\n\x1a\n"

UNREADABLE = Message("proof.part_not_json")
OTHER_SHAPE = Message("proof.part_incomplete")
REPEATED = Message("proof.duplicate_part")
LACKING = "proof.unknown_part"
OTHER_NUMBER = Message("proof.part_number")
OTHER_SNIPPET = Message("proof.quotation_hash")
OTHER_SLICE = Message("proof.quotation_differs")
NO_SLICE = Message("proof.no_surroundings")
GONE = Message("proof.document_erased")
NO_EVIDENCE = "proof.quotation_missing"
NO_VERDICT = Message("proof.no_verdict")
BARE_VERDICT = Message("proof.supported_without_quotation")
NO_STOP = Message("proof.no_end_reason")
NO_PICTURE = Message("proof.bad_picture")
OUTSIDE = Message("proof.box_outside")
OTHER_PAGE = Message("proof.other_page")
PICTURE_LACKING = Message("proof.picture_missing")


@dataclass(frozen=True, slots=True)
class ProofPart:
    """A part of the file; `data` is its parsed JSON."""

    line: int
    name: str
    text: bytes
    data: Any = None

    @property
    def kind(self) -> str:
        return self.name.partition("/")[0]

    @property
    def number(self) -> int:
        """The number of its quotation, 0 for none."""
        return int(self.name.partition("/")[2] or 0)


def parts_read(rows: Sequence[ProofPart]) -> tuple[list[ProofPart], list[ProofFault]]:
    """Parse the JSON of the parts; return the parsed parts and the faults."""
    parts: list[ProofPart] = []
    faults = []
    for row in rows:
        try:
            data = json.loads(row.text.decode())
        except (ValueError, RecursionError):
            faults.append(_make_fault(row, UNREADABLE))
        else:
            parts.append(ProofPart(row.line, row.name, row.text, data))
    return parts, faults


def list_meaning_faults(parts: Sequence[ProofPart], notes: list[ProofFault]) -> list[ProofFault]:
    """Return the contradictions between the parts. Unprovable claims are added to `notes`."""
    faults = [*_check_names(parts)]
    evidence = {part.number: part for part in parts if part.kind == "evidence"}
    pictures = {part.number: part for part in parts if part.kind == "page"}
    rules: dict[str, Callable[[ProofPart], Iterable[ProofFault]]] = {
        "sentences": lambda part: _check_sentences(part, evidence.keys()),
        "stop": _stop,
        "evidence": lambda part: _check_quotation(part, pictures.keys(), notes),
        "page": lambda part: _check_picture(part, evidence),
    }
    for part in parts:
        if part.kind not in rules:
            continue
        try:
            faults += rules[part.kind](part)
        except (KeyError, TypeError, ValueError, AttributeError, IndexError):
            faults.append(_make_fault(part, OTHER_SHAPE))
    return faults


def _check_names(parts: Sequence[ProofPart]) -> Iterator[ProofFault]:
    names: set[str] = set()
    for part in parts:
        if part.name in names:
            yield _make_fault(part, REPEATED)
        names.add(part.name)
        if part.kind == "answer" and not isinstance(part.data, dict):
            yield _make_fault(part, OTHER_SHAPE)
    for name in ONCE:
        if name not in names:
            yield ProofFault(1, name, Message(LACKING, name=name))


def _check_sentences(part: ProofPart, numbers: Iterable[int]) -> Iterator[ProofFault]:
    verdicts = [str(outcome) for outcome in SupportOutcome]
    for sentence in part.data:
        cited = [*sentence["evidence"]]
        for number in cited:
            if number not in numbers:
                yield _make_fault(part, Message(NO_EVIDENCE, number=number))
        if cited and sentence["support"] not in verdicts:
            yield _make_fault(part, NO_VERDICT)
        if not cited and sentence["support"] == SupportOutcome.SUPPORTED:
            yield _make_fault(part, BARE_VERDICT)


def _stop(part: ProofPart) -> Iterator[ProofFault]:
    stop = part.data
    if stop["loop_stop"] not in [*LoopStop] or not isinstance(stop["level"], str):
        yield _make_fault(part, NO_STOP)


def _check_quotation(
    part: ProofPart, pictures: Iterable[int], notes: list[ProofFault]
) -> Iterator[ProofFault]:
    quotation = part.data
    if quotation["number"] != part.number:
        yield _make_fault(part, OTHER_NUMBER)
    if quotation["picture"] and part.number not in pictures:
        yield _make_fault(part, PICTURE_LACKING)
    if quotation["source_state"] == DocumentState.PURGED:
        notes.append(_make_fault(part, GONE))
        return
    snippet = quotation["snippet"]
    if sha256(snippet.encode()).hexdigest() != quotation["snippet_sha256"]:
        yield _make_fault(part, OTHER_SNIPPET)
    if quotation["slice"] is None:
        yield _make_fault(part, NO_SLICE)
        return
    around = quotation["slice"]
    start = quotation["start"] - around["start"]
    end = quotation["end"] - around["start"]
    if not 0 <= start < end or around["text"][start:end] != snippet:
        yield _make_fault(part, OTHER_SLICE)


def _check_picture(part: ProofPart, evidence: dict[int, ProofPart]) -> Iterator[ProofFault]:
    picture = part.data
    if picture["evidence"] != part.number or part.number not in evidence:
        yield _make_fault(part, OTHER_NUMBER)
    elif evidence[part.number].data["page"] != picture["page"]:
        yield _make_fault(part, OTHER_PAGE)
    png = base64.b64decode(picture["png"], validate=True)
    if png[:8] != PNG or picture_size(png) != (picture["width"], picture["height"]):
        yield _make_fault(part, NO_PICTURE)
    for left, top, right, bottom in picture["boxes"]:
        if not (0 <= left < right <= 1 and 0 <= top < bottom <= 1):
            yield _make_fault(part, OUTSIDE)


def picture_size(png: bytes) -> tuple[int, int]:
    """Return the width and height of a PNG image in pixels, from its first chunk."""
    return int.from_bytes(png[16:20], "big"), int.from_bytes(png[20:24], "big")


def _make_fault(part: ProofPart, what: str) -> ProofFault:
    return ProofFault(part.line, part.name, what)
