"""An answer that proves itself: what of a library goes into a proof file beside the answer, and what is found
when one is checked."""

from __future__ import annotations

from dataclasses import dataclass

from shisho.domain.inquiry import Evidence
from shisho.domain.viewing import Box


@dataclass(frozen=True, slots=True)
class PageCrop:
    """The part of a page around a quotation as a PNG picture of `width` × `height` pixels. `boxes`: the
    characters of the quotation, as shares of width and height from the picture's top left. `exact` as in
    SpanBoxes, `why` where not."""

    page: int
    png: bytes
    width: int
    height: int
    boxes: tuple[Box, ...]
    exact: bool
    why: str


@dataclass(frozen=True, slots=True)
class EvidenceExhibit:
    """A quotation with what shows it: `text`, the stored text around it, which begins at `start` of the
    document's text; the hash of the bytes that the document was made of; its place on the page. `why` says
    why the text or the picture is lacking."""

    evidence: Evidence
    document_sha256: str
    start: int
    text: str
    crop: PageCrop | None
    why: str


@dataclass(frozen=True, slots=True)
class ProofSignature:
    """An Ed25519 signature, and the public key that it is checked by; both in hexadecimal digits, small
    letters."""

    public_key: str
    signature: str


@dataclass(frozen=True, slots=True)
class ProofFault:
    """Something wrong in a proof file: its line, from 1, and the name of the part there, "" where it has
    none."""

    line: int
    part: str
    what: str


@dataclass(frozen=True, slots=True)
class ProofReport:
    """The outcome of checking a proof file. It holds where there are no `faults`; `notes` say what it does
    not show. `signer`: the public key that signed it, "" for none or where the signature is wrong."""

    faults: tuple[ProofFault, ...]
    notes: tuple[ProofFault, ...] = ()
    parts: int = 0
    quotations: int = 0
    pictures: int = 0
    question: str = ""
    signer: str = ""
