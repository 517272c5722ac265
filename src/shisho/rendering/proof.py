"""An answer as a file that proves itself, and the rules by which one is checked.

Pure: text in, text out.

A proof file is UTF-8 text, each line ended by a line feed:
    shisho-proof 1 parts=N
    SHA-256 NAME JSON              N times; the hash is of `NAME JSON`
    seal SHA-256                   of every byte before this line
    signature ed25519 KEY SIG      of every byte before this line; only if the author has a key
Hashes, keys and signatures are written in small hexadecimal digits, so that no other spelling means the same.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from typing import Any

from shisho.domain.codec import dumps, to_plain
from shisho.domain.inquiry import Answer
from shisho.domain.link import is_on_web, strip_folders
from shisho.domain.proof import EvidenceExhibit, ProofFault, ProofReport, ProofSignature
from shisho.language import answer_language
from shisho.messages import Message
from shisho.messages.catalogue import render_all
from shisho.rendering.proof_meaning import ProofPart, list_meaning_faults, parts_read

VERSION = 1
IN_ANSWER = ("id", "question", "understood", "text", "model", "created_at")
IN_STOP = (
    "loop_stop",
    "condition",
    "goals",
    "goal_status",
    "rounds",
    "budget_used",
    "level",
    "abstained",
    "missing",
    "model_uses",
)
OF_EVIDENCE = ("id", "number", "goal_id", "title", "heading", "page", "place", "ocr", "source_state")

_HEADER = re.compile(rb"shisho-proof ([1-9][0-9]{0,3}) parts=([1-9][0-9]{0,5})")
_PART = re.compile(rb"([0-9a-f]{64}) (([a-z]+(?:/[1-9][0-9]{0,5})?) ([{\[].*))", re.S)
_SEAL = re.compile(rb"seal ([0-9a-f]{64})")
_SIGNATURE = re.compile(rb"signature ed25519 ([0-9a-f]{64}) ([0-9a-f]{128})")

CheckSignature = Callable[[ProofSignature, bytes], bool]


def write_proof(answer: Answer, exhibits: Sequence[EvidenceExhibit]) -> str:
    """Write the file up to its seal. `exhibits`: one for each quotation, in order."""
    language = answer_language(answer.question)
    parts = [*_make_parts(render_all(answer, language), render_all(exhibits, language))]
    rows = [f"shisho-proof {VERSION} parts={len(parts)}\n"]
    for name, data in parts:
        text = f"{name} {dumps(data)}"
        rows.append(f"{_hash(text.encode())} {text}\n")
    body = "".join(rows)
    return f"{body}seal {_hash(body.encode())}\n"


def with_signature(proof: str, signature: ProofSignature) -> str:
    """Append the signature, which covers all of `proof`."""
    return f"{proof}signature ed25519 {signature.public_key} {signature.signature}\n"


def check_proof(data: bytes, check_signature: CheckSignature) -> ProofReport:
    """Return the contents of a proof file and its faults in order.

    The meaning of its parts is only checked if every byte is unaltered.
    """
    lines = data.split(b"\n")
    faults = [] if lines.pop() == b"" else [_make_fault(len(lines) + 1, "", CUT)]
    if faults:
        lines = data.split(b"\n")
    header = _HEADER.fullmatch(lines[0]) if lines else None
    if header is None:
        faults.insert(0, _make_fault(1, "", NO_HEADER))
    elif int(header[1]) != VERSION:
        return ProofReport((_make_fault(1, "", Message(OTHER_VERSION, version=int(header[1]))),))
    rows, wrong = _read_parts(lines)
    faults += wrong
    if not faults and header is not None:
        faults += _count_faults(int(header[2]), rows)
    signer = ""
    if not faults:
        ending, signer = _check_ending(data, lines, len(rows), check_signature)
        faults += ending
    if faults:
        return ProofReport(tuple(sorted(faults, key=lambda fault: fault.line)))
    parts, faults = parts_read(rows)
    notes: list[ProofFault] = []
    faults += list_meaning_faults(parts, notes)
    return ProofReport(
        faults=tuple(sorted(faults, key=lambda fault: fault.line)),
        notes=tuple(notes),
        parts=len(rows),
        quotations=sum(part.kind == "evidence" for part in parts),
        pictures=sum(part.kind == "page" for part in parts),
        question=next((str(part.data.get("question", "")) for part in parts if part.kind == "answer"), ""),
        signer=signer,
    )


CUT = Message("proof.no_line_break")
NO_HEADER = Message("proof.bad_first_line")
OTHER_VERSION = "proof.newer_version"
NO_PART = Message("proof.bad_line")
OTHER_HASH = Message("proof.part_hash")
AFTER_END = Message("proof.after_seal")
OTHER_COUNT = "proof.part_count"
NO_SEAL = Message("proof.no_seal")
BROKEN_SEAL = Message("proof.seal_differs")
OTHER_SIGNATURE = Message("proof.signature_differs")


def _read_parts(lines: Sequence[bytes]) -> tuple[list[ProofPart], list[ProofFault]]:
    """Return the parts with correct hashes, and the faults of other lines."""
    rows: list[ProofPart] = []
    faults = []
    for number, line in enumerate(lines[1:], 2):
        part = _PART.fullmatch(line)
        if part is None:
            if not (_SEAL.fullmatch(line) or _SIGNATURE.fullmatch(line)):
                faults.append(_make_fault(number, _find_name(line), NO_PART))
        elif _hash(part[2]).encode() != part[1]:
            faults.append(_make_fault(number, _find_name(line), OTHER_HASH))
        else:
            rows.append(ProofPart(number, part[3].decode(), part[4]))
    return rows, faults


def _count_faults(said: int, rows: Sequence[ProofPart]) -> Iterator[ProofFault]:
    if said != len(rows):
        yield _make_fault(1, "", Message(OTHER_COUNT, said=said, count=len(rows)))


def _check_ending(
    data: bytes, lines: Sequence[bytes], parts: int, check_signature: CheckSignature
) -> tuple[list[ProofFault], str]:
    """Return the faults of seal and signature, and the signing key."""
    place = parts + 1  # header and parts precede the seal
    seal = _SEAL.fullmatch(lines[place]) if len(lines) > place else None
    if seal is None:
        return [_make_fault(len(lines), "seal", NO_SEAL)], ""
    sealed = b"".join(line + b"\n" for line in lines[:place])
    if _hash(sealed).encode() != seal[1]:
        return [_make_fault(place + 1, "seal", BROKEN_SEAL)], ""
    if len(lines) == place + 1:
        return [], ""
    signature = _SIGNATURE.fullmatch(lines[place + 1])
    if signature is None or len(lines) > place + 2:
        return [_make_fault(place + 2 + (signature is not None), "", AFTER_END)], ""
    line_start = len(data) - len(lines[place + 1]) - 1
    public_key = signature[1].decode()
    if not check_signature(ProofSignature(public_key, signature[2].decode()), data[:line_start]):
        return [_make_fault(place + 2, "signature", OTHER_SIGNATURE)], ""
    return [], public_key


def _make_parts(answer: Answer, exhibits: Sequence[EvidenceExhibit]) -> Iterator[tuple[str, Any]]:
    whole = to_plain(answer)
    yield "answer", {key: whole[key] for key in IN_ANSWER}
    yield "sentences", to_plain(answer.sentences)
    yield "stop", {key: whole[key] for key in IN_STOP}
    for exhibit in exhibits:
        yield f"evidence/{exhibit.evidence.number}", _describe_evidence(exhibit)
    for exhibit in exhibits:
        if exhibit.crop is not None:
            yield f"page/{exhibit.evidence.number}", _describe_picture(exhibit)


def _describe_evidence(exhibit: EvidenceExhibit) -> dict[str, Any]:
    """Describe a quotation. Offsets count characters of the document's text.

    Folders of files are private.
    """
    evidence = exhibit.evidence
    whole = to_plain(evidence)
    source = evidence.document if is_on_web(evidence.document) else strip_folders(evidence.document)
    return {
        **{key: whole[key] for key in OF_EVIDENCE},
        "source": source,
        "document_sha256": exhibit.document_sha256,
        "start": evidence.start,
        "end": evidence.end,
        "snippet": evidence.snippet,
        "snippet_sha256": evidence.sha256,
        "slice": {"start": exhibit.start, "text": exhibit.text} if exhibit.text else None,
        "picture": exhibit.crop is not None,
        "why": exhibit.why,
    }


def _describe_picture(exhibit: EvidenceExhibit) -> dict[str, Any]:
    crop = exhibit.crop
    assert crop is not None
    return {
        "evidence": exhibit.evidence.number,
        "page": crop.page,
        "png": base64.b64encode(crop.png).decode(),
        "width": crop.width,
        "height": crop.height,
        "boxes": crop.boxes,
        "exact": crop.exact,
        "why": crop.why,
    }


def _find_name(line: bytes) -> str:
    """Return the part name on a line, or "" if it cannot be recognised."""
    match = re.match(rb"[^ ]{1,80} ([a-z]+(?:/[0-9]{1,6})?) ", line)
    first = line.split(b" ", 1)[0]
    if first in (b"seal", b"signature"):
        return first.decode()
    return match[1].decode() if match else ""


def _make_fault(line: int, part: str, what: str) -> ProofFault:
    return ProofFault(line, part, what)


def _hash(data: bytes) -> str:
    return sha256(data).hexdigest()
