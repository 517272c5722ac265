"""What the parts of a proof file say of each other: whoever writes false parts writes their hashes too, so
hashes alone show nothing."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from shisho.domain.corpus import DocumentState
from shisho.domain.inquiry import LoopStop, SupportOutcome
from shisho.domain.proof import ProofFault
from shisho.messages.message import Message

ONCE = ("answer", "sentences", "stop")
PNG = b"\x89PNG\r\n\x1a\n"

UNREADABLE = Message("The part is no JSON object or list.")
OTHER_SHAPE = Message("The part lacks something, or has it in another form.")
REPEATED = Message("There is another part with this name.")
LACKING = "There is no part {name!r}."
OTHER_NUMBER = Message("The part's name has another number than the part.")
OTHER_SNIPPET = Message("The quotation does not have the hash that is given for it.")
OTHER_SLICE = Message("The quotation is not what stands in the text at its offsets.")
NO_SLICE = Message("The text around the quotation is lacking, so that it cannot be compared.")
GONE = Message(
    "The document was erased from the library before this file was written: its words are not shown."
)
NO_EVIDENCE = "A sentence rests on quotation {number}, which is not there."
NO_VERDICT = Message("A sentence with quotations has no verdict on whether they support it.")
BARE_VERDICT = Message("A sentence is said to be supported without any quotation.")
NO_STOP = Message("It is not said why the search ended, or how much was found.")
NO_PICTURE = Message("The picture of the page is no PNG picture of the size that is given.")
OUTSIDE = Message("A lit box lies outside the picture.")
OTHER_PAGE = Message("The picture is of another page than the quotation.")
PICTURE_LACKING = Message("The quotation is said to have a picture of its page, which is not there.")


@dataclass(frozen=True, slots=True)
class ProofPart:
    """A part as it stands in the file; `data` is its JSON once it was read."""

    line: int
    name: str
    text: bytes
    data: Any = None

    @property
    def kind(self) -> str:
        return self.name.partition("/")[0]

    @property
    def number(self) -> int:
        """That of the quotation it belongs to, 0 for none."""
        return int(self.name.partition("/")[2] or 0)


def parts_read(rows: Sequence[ProofPart]) -> tuple[list[ProofPart], list[ProofFault]]:
    """The parts with their JSON, and those that have none."""
    parts: list[ProofPart] = []
    faults = []
    for row in rows:
        try:
            data = json.loads(row.text.decode())
        except (ValueError, RecursionError):
            faults.append(_fault(row, UNREADABLE))
        else:
            parts.append(ProofPart(row.line, row.name, row.text, data))
    return parts, faults


def list_meaning_faults(parts: Sequence[ProofPart], notes: list[ProofFault]) -> list[ProofFault]:
    """What is wrong in what the parts say. What they cannot show is added to `notes`."""
    faults = [*_names(parts)]
    evidence = {part.number: part for part in parts if part.kind == "evidence"}
    pictures = {part.number: part for part in parts if part.kind == "page"}
    rules: dict[str, Callable[[ProofPart], Iterable[ProofFault]]] = {
        "sentences": lambda part: _sentences(part, evidence.keys()),
        "stop": _stop,
        "evidence": lambda part: _quotation(part, pictures.keys(), notes),
        "page": lambda part: _picture(part, evidence),
    }
    for part in parts:
        if part.kind not in rules:
            continue
        try:
            faults += rules[part.kind](part)
        except (KeyError, TypeError, ValueError, AttributeError, IndexError):
            faults.append(_fault(part, OTHER_SHAPE))
    return faults


def _names(parts: Sequence[ProofPart]) -> Iterator[ProofFault]:
    names: set[str] = set()
    for part in parts:
        if part.name in names:
            yield _fault(part, REPEATED)
        names.add(part.name)
        if part.kind == "answer" and not isinstance(part.data, dict):
            yield _fault(part, OTHER_SHAPE)
    for name in ONCE:
        if name not in names:
            yield ProofFault(1, name, Message(LACKING, name=name))


def _sentences(part: ProofPart, numbers: Iterable[int]) -> Iterator[ProofFault]:
    verdicts = [str(outcome) for outcome in SupportOutcome]
    for sentence in part.data:
        cited = [*sentence["evidence"]]
        for number in cited:
            if number not in numbers:
                yield _fault(part, Message(NO_EVIDENCE, number=number))
        if cited and sentence["support"] not in verdicts:
            yield _fault(part, NO_VERDICT)
        if not cited and sentence["support"] == SupportOutcome.SUPPORTED:
            yield _fault(part, BARE_VERDICT)


def _stop(part: ProofPart) -> Iterator[ProofFault]:
    stop = part.data
    if stop["loop_stop"] not in [*LoopStop] or not isinstance(stop["level"], str):
        yield _fault(part, NO_STOP)


def _quotation(part: ProofPart, pictures: Iterable[int], notes: list[ProofFault]) -> Iterator[ProofFault]:
    quotation = part.data
    if quotation["number"] != part.number:
        yield _fault(part, OTHER_NUMBER)
    if quotation["picture"] and part.number not in pictures:
        yield _fault(part, PICTURE_LACKING)
    if quotation["source_state"] == DocumentState.PURGED:
        notes.append(_fault(part, GONE))
        return
    snippet = quotation["snippet"]
    if sha256(snippet.encode()).hexdigest() != quotation["snippet_sha256"]:
        yield _fault(part, OTHER_SNIPPET)
    if quotation["slice"] is None:
        yield _fault(part, NO_SLICE)
        return
    around = quotation["slice"]
    start = quotation["start"] - around["start"]
    end = quotation["end"] - around["start"]
    if not 0 <= start < end or around["text"][start:end] != snippet:
        yield _fault(part, OTHER_SLICE)


def _picture(part: ProofPart, evidence: dict[int, ProofPart]) -> Iterator[ProofFault]:
    picture = part.data
    if picture["evidence"] != part.number or part.number not in evidence:
        yield _fault(part, OTHER_NUMBER)
    elif evidence[part.number].data["page"] != picture["page"]:
        yield _fault(part, OTHER_PAGE)
    png = base64.b64decode(picture["png"], validate=True)
    if png[:8] != PNG or picture_size(png) != (picture["width"], picture["height"]):
        yield _fault(part, NO_PICTURE)
    for left, top, right, bottom in picture["boxes"]:
        if not (0 <= left < right <= 1 and 0 <= top < bottom <= 1):
            yield _fault(part, OUTSIDE)


def picture_size(png: bytes) -> tuple[int, int]:
    """Width and height of a PNG picture in pixels, as its first chunk says."""
    return int.from_bytes(png[16:20], "big"), int.from_bytes(png[20:24], "big")


def _fault(part: ProofPart, what: str) -> ProofFault:
    return ProofFault(part.line, part.name, what)
