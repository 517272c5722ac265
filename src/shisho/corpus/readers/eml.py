"""Letters (EML) by the standard library: who wrote to whom and when, then the text."""

from __future__ import annotations

from collections.abc import Iterator
from email import policy
from email.message import EmailMessage
from email.parser import BytesParser

from shisho.corpus.layout import label_heading
from shisho.corpus.readers.html import read_whole_blocks
from shisho.corpus.readers.text import decode, paragraphs, strip_controls
from shisho.domain.corpus import Block, BlockKind, Reading
from shisho.errors import DocumentEncrypted, DocumentUnreadable
from shisho.messages.message import Message

_FIELDS = ("From", "To", "Cc", "Date")
_LOCKED = ("multipart/encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime")
_NAMED = 20


def read(data: bytes) -> Reading:
    """The subject is the title. Attachments are named in a warning: each is a document of its own."""
    # Its header values are made when they are asked for, whatever their encoding.
    letter = BytesParser(policy=policy.default).parsebytes(data)
    if not any(letter.get(name) for name in (*_FIELDS, "Subject")):
        raise DocumentUnreadable("The file has no sender and no date: it is no letter.")
    subject = _field(letter, "Subject")
    headings = (label_heading(subject),) if subject else ()
    head = [f"{name}: {value}" for name in _FIELDS if (value := _field(letter, name))]
    blocks = [Block(subject, BlockKind.HEADING)] if subject else []
    blocks.append(Block("\n".join(head), BlockKind.NOTE, headings=headings))
    blocks.extend(_body(letter, headings))
    names = [
        strip_controls(part.get_filename() or part.get_content_type()) for part in letter.iter_attachments()
    ]
    left_out = Message(
        "Attachments are left out: {names}. Save them and add them as files.",
        names=", ".join(names[:_NAMED]),
    )
    return Reading(
        tuple(block for block in blocks if block.text.strip()),
        title=subject,
        warnings=(left_out,) if names else (),
    )


def _field(letter: EmailMessage, name: str) -> str:
    return " ".join(strip_controls(str(letter.get(name, ""))).split())


def _body(letter: EmailMessage, headings: tuple[str, ...]) -> Iterator[Block]:
    """Its plain text; its HTML where there is none."""
    part = letter.get_body(("plain", "html"))
    if part is None:
        if any(inner.get_content_type() in _LOCKED for inner in letter.walk()):
            raise DocumentEncrypted("The letter is encrypted: save it from its program as plain text.")
        return
    payload = part.get_payload(decode=True)
    text = strip_controls(decode(payload if isinstance(payload, bytes) else b"", part.get_content_charset()))
    if part.get_content_subtype() == "html":
        for block in read_whole_blocks(text):
            yield Block(block.text, block.kind, headings=(*headings, *block.headings))
    else:
        yield from (Block(paragraph, headings=headings) for paragraph in paragraphs(text))
