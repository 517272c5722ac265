"""Letters (EML) by the standard library: who wrote to whom and when, then the text."""

from __future__ import annotations

from collections.abc import Iterator
from email import message_from_bytes
from email.errors import HeaderParseError
from email.header import decode_header
from email.message import EmailMessage
from email.policy import EmailPolicy
from typing import Any, cast

from shisho.corpus.layout import label_heading
from shisho.corpus.readers.html import read_whole_blocks
from shisho.corpus.readers.text import decode, paragraphs, strip_controls
from shisho.domain.corpus import Block, BlockKind, Reading
from shisho.errors import DocumentEncrypted, DocumentUnreadable
from shisho.messages.message import Message

_FIELDS = ("From", "To", "Cc", "Date")
_LOCKED = ("multipart/encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime")
_NAMED = 20
# Characters of a field that are parsed: the library's grammar takes the square of them.
LONGEST_FIELD = 2_000
LONGEST_WRITTEN = 20_000  # of one with words in other encodings


class _LetterPolicy(EmailPolicy):
    """Fields as text, and those about parts as they are, unless nobody can parse them."""

    def header_fetch_parse(self, name: str, value: str) -> Any:
        try:
            return super().header_fetch_parse(name, value[:LONGEST_FIELD])
        except Exception:  # whatever the grammar trips over: brackets a thousand deep, say
            return super().header_fetch_parse(name, "")


def read(data: bytes) -> Reading:
    """The subject is the title. Attachments are named in a warning: each is a document of its own."""
    letter = cast(EmailMessage, message_from_bytes(data, policy=_LetterPolicy()))
    fields = _read_fields(letter)
    if not any(fields.values()):
        raise DocumentUnreadable("The file has no sender and no date: it is no letter.")
    subject = fields["Subject"]
    headings = (label_heading(subject),) if subject else ()
    head = [f"{name}: {fields[name]}" for name in _FIELDS if fields[name]]
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


def _read_fields(letter: EmailMessage) -> dict[str, str]:
    """Each on one line. Of two with one name the first counts."""
    written: dict[str, str] = {}
    for name, value in letter.raw_items():
        written.setdefault(name.lower(), value)
    return {
        name: " ".join(strip_controls(_decode_field(written.get(name.lower(), ""))).split())
        for name in (*_FIELDS, "Subject")
    }


def _decode_field(written: str) -> str:
    if "=?" not in written:  # then eight bits, if any, are as old programs wrote them
        return _decode_part(written.encode("ascii", "surrogateescape"), None)
    try:
        parts = decode_header(written[:LONGEST_WRITTEN])
    except HeaderParseError:
        return written.encode("ascii", "replace").decode("ascii")
    return "".join(part if isinstance(part, str) else _decode_part(part, charset) for part, charset in parts)


def _decode_part(part: bytes, charset: str | None) -> str:
    try:
        return decode(part, charset)
    except DocumentUnreadable:
        return part.decode("ascii", "replace")


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
