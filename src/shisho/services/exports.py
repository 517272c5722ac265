"""Exports of answers as text and as files, and proof files for readers without this program."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from shisho.domain.corpus import DocumentId, DocumentState
from shisho.domain.inquiry import Answer, Evidence
from shisho.domain.proof import EvidenceExhibit, PageCrop
from shisho.domain.viewing import Box, EvidenceBoxes
from shisho.errors import InvalidParams, NotFound, SourceRemoved, UnusableDocument
from shisho.messages import Message
from shisho.ports import Ledger, ProofSigner, Shelf, Typesetter
from shisho.rendering.export import export
from shisho.rendering.printable import make_printable
from shisho.rendering.proof import with_signature, write_proof
from shisho.services.access import CorpusAccess
from shisho.services.viewer import Viewer

AROUND = 300  # characters of text before and after a quotation
MARGIN = 36.0  # points of the page above and below the highlights
PLACES = 5  # decimals of fractions of an image: less than a pixel

GONE = Message("proof.text_purged")
NO_MORE = Message("proof.text_forbidden")
TOO_MANY = Message("proof.no_room")


class Proofs:
    """Proofs of answers."""

    def __init__(self, access: CorpusAccess, shelf: Shelf, viewer: Viewer, signer: ProofSigner) -> None:
        self._access = access
        self._shelf = shelf
        self._viewer = viewer
        self._signer = signer

    async def write(self, answer: Answer) -> str:
        """Return the proof file of an answer, signed if there is a key.

        Raises StorageUnusable for a damaged key.
        """
        proof = write_proof(answer, await self.list_exhibits(answer.evidence))
        signature = self._signer.sign(proof.encode())
        return proof if signature is None else with_signature(proof, signature)

    async def read_public_key(self) -> str:
        """Return the public key of this user's proof files; empty if there is none.

        Raises: StorageUnusable for a damaged key.
        """
        return await asyncio.to_thread(self._signer.read_public_key)

    async def make_key(self) -> str:
        """Create that key unless it exists, and return its public half. Raises StorageUnusable."""
        public_key, _ = await asyncio.to_thread(self._signer.make)
        return public_key

    async def list_exhibits(
        self, evidence: Sequence[Evidence], most_bytes: int | None = None, margin: float = MARGIN
    ) -> Sequence[EvidenceExhibit]:
        """Return each quotation with its context and image, in order.

        No further images after a total of `most_bytes`. `margin`: points of the page above and below the
        highlights.
        """
        quoted_ids = list(dict.fromkeys(quotation.document_id for quotation in evidence))
        documents = await self._shelf.fetch_documents(quoted_ids)
        readable_ids = await self._access.select_readable(quoted_ids)
        exhibits = []
        texts: dict[DocumentId, str] = {}
        room = most_bytes
        for quotation in evidence:
            document = documents.get(quotation.document_id)
            if document is None or document.state is DocumentState.PURGED:
                exhibits.append(EvidenceExhibit(quotation, "", 0, "", None, GONE))
                continue
            if document.id not in readable_ids:
                exhibits.append(EvidenceExhibit(quotation, "", 0, "", None, NO_MORE))
                continue
            try:
                if document.id not in texts:
                    texts = {document.id: await self._shelf.read_text(document.id)}
                text = texts[document.id]
                exhibit = await self._build_exhibit(quotation, document.sha256, text, margin)
            except SourceRemoved as removed:
                exhibit = EvidenceExhibit(quotation, "", 0, "", None, removed.message)
            if room is not None and exhibit.crop is not None:
                room -= len(exhibit.crop.png)
                exhibit = exhibit if room >= 0 else replace(exhibit, crop=None, why=TOO_MANY)
            exhibits.append(exhibit)
        return exhibits

    async def _build_exhibit(
        self, quotation: Evidence, document_sha256: str, text: str, margin: float
    ) -> EvidenceExhibit:
        start = max(0, quotation.start - AROUND)
        around = text[start : quotation.end + AROUND]
        crop = None
        try:
            boxes = await self._viewer.get_evidence_boxes(quotation.id)
            why = boxes.why
            if boxes.boxes and boxes.page is not None:
                crop = await self._crop(boxes, boxes.page, margin)
        except (NotFound, UnusableDocument) as error:
            why = error.message
        return EvidenceExhibit(quotation, document_sha256, start, around, crop, why)

    async def _crop(self, boxes: EvidenceBoxes, page: int, margin: float) -> PageCrop | None:
        """Return the strip of the page around the highlights, in full width.

        The surroundings show the column or cell of the quotation.
        """
        layout = await self._viewer.get_layout(boxes.document_id, page)
        if not layout.width or not layout.height:
            return None
        top = max(0.0, min(box[1] for box in boxes.boxes) - margin) / layout.height
        bottom = min(layout.height, max(box[3] for box in boxes.boxes) + margin) / layout.height
        strip = await self._viewer.get_strip(boxes.document_id, page, top, bottom)
        lit = tuple(_scale_box(box, layout.width, layout.height, top, bottom) for box in boxes.boxes)
        visible = tuple(box for box in lit if box[0] < box[2] and box[1] < box[3])
        return PageCrop(page, strip.png, strip.width, strip.height, visible, boxes.exact, boxes.why)


def _scale_box(box: Box, width: float, height: float, top: float, bottom: float) -> Box:
    """Convert a page's box from points to fractions of the strip between `top` and `bottom`.

    These are fractions of the page.
    """
    high = bottom - top
    shares = (
        box[0] / width,
        (box[1] / height - top) / high,
        box[2] / width,
        (box[3] / height - top) / high,
    )
    left, upper, right, lower = (round(min(1.0, max(0.0, share)), PLACES) for share in shares)
    return left, upper, right, lower


PDF = "pdf"
PROOF = "proof"


class Exports:
    """Exports of answers. `write_proof` returns the proof file of an answer."""

    def __init__(
        self,
        owner: str,
        shelf: Shelf,
        ledger: Ledger,
        write_proof: Callable[[Answer], Awaitable[str]],
        typesetter: Typesetter,
    ) -> None:
        self._owner = owner
        self._shelf = shelf
        self._ledger = ledger
        self._write_proof = write_proof
        self._typesetter = typesetter

    async def render(self, prefix: str, form: str, *, local_paths: bool = False) -> str:
        """Return an answer as md, html, jsonl, bibtex, ris, csl, apa, sist02 or proof.

        Md and jsonl include folders of files only with `local_paths`. Raises NotFound, and InvalidParams for
        another form.
        """
        answer = await self._ledger.answer(prefix, self._owner)
        if form == PROOF:
            return await self._write_proof(answer)
        if form == PDF:
            raise InvalidParams("export.pdf_not_text")
        quoted = [evidence.document_id for evidence in answer.evidence]
        documents = await self._shelf.fetch_documents(quoted)
        return export(answer, form, documents, local_paths=local_paths)

    async def render_file(self, prefix: str, form: str, *, local_paths: bool = False) -> bytes:
        """Return the bytes of a file, in UTF-8; also `pdf`.

        Raises: ExtraMissing for a PDF if the typesetting engine, or a font with Japanese letters, is missing.
        """
        if form != PDF:
            return (await self.render(prefix, form, local_paths=local_paths)).encode()
        answer = await self._ledger.answer(prefix, self._owner)
        printable = make_printable(answer)
        return await asyncio.to_thread(self._typesetter.typeset, printable)
