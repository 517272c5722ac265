"""Proof files: the parts of a library stored with an answer, and the results of a check."""

from __future__ import annotations

from shisho.domain.inquiry import Evidence
from shisho.domain.viewing import Box
from shisho.records import dataclass


@dataclass(frozen=True, slots=True)
class PageCrop:
    """The part of a page around a quotation, as a PNG picture of `width` × `height` pixels.

    `boxes`: the characters of the quotation, as fractions of width and height from the picture's top left.
    `exact` as in SpanBoxes, `why` if it is False.
    """

    page: int
    png: bytes
    width: int
    height: int
    boxes: tuple[Box, ...]
    exact: bool
    why: str


@dataclass(frozen=True, slots=True)
class EvidenceExhibit:
    """A quotation with its proof.

    `text`: the stored text around it, which begins at `start` of the document's text. `document_sha256`: the
    hash of the document's bytes. `crop`: its position on the page. `why`: the reason why the text or the
    picture is missing.
    """

    evidence: Evidence
    document_sha256: str
    start: int
    text: str
    crop: PageCrop | None
    why: str


@dataclass(frozen=True, slots=True)
class ProofSignature:
    """An Ed25519 signature and the public key that verifies it, both in lower-case hexadecimal."""

    public_key: str
    signature: str


@dataclass(frozen=True, slots=True)
class ProofFault:
    """A fault in a proof file: its line, from 1, and the name of the part, or ""."""

    line: int
    part: str
    what: str


@dataclass(frozen=True, slots=True)
class ProofReport:
    """The outcome of checking a proof file.

    The file is valid if there are no `faults`; `notes` list what it does not show. `signer`: the public key
    that signed it; "" if it is unsigned or the signature is wrong.
    """

    faults: tuple[ProofFault, ...]
    notes: tuple[ProofFault, ...] = ()
    parts: int = 0
    quotations: int = 0
    pictures: int = 0
    question: str = ""
    signer: str = ""
