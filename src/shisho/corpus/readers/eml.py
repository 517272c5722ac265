"""Mail messages (EML) by the standard library: sender, recipients, date, then the text."""

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
from shisho.corpus.readers.text import decode, split_paragraphs, strip_controls
from shisho.domain.corpus import Block, BlockKind, Reading
from shisho.errors import DocumentEncrypted, DocumentUnreadable
from shisho.messages import Message

_FIELDS = ("From", "To", "Cc", "Date")
_LOCKED = ("multipart/encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime")
_TEXTS = ("text/plain", "text/html")
# A text in several forms, and a page with its pictures: one of their parts is read.
_ONE_OF = ("multipart/alternative", "multipart/related")
_NAMED = 20
# Characters of a field that are parsed: the library's grammar is quadratic.
LONGEST_FIELD = 2_000
LONGEST_WRITTEN = 20_000  # of one with words in other encodings


class _LetterPolicy(EmailPolicy):
    """A policy that parses header fields as text, and unparsable ones as empty."""

    def header_fetch_parse(self, name: str, value: str) -> Any:
        try:
            return super().header_fetch_parse(name, value[:LONGEST_FIELD])
        except Exception:  # any failure of the grammar, such as brackets a thousand deep
            return super().header_fetch_parse(name, "")


def read(data: bytes) -> Reading:
    """Read a message, with its subject as the title.

    Attachments are named in a warning: each is a separate document.
    """
    letter = cast(EmailMessage, message_from_bytes(data, policy=_LetterPolicy()))
    fields = _read_fields(letter)
    if not any(fields.values()):
        raise DocumentUnreadable("reader.eml.not_a_letter")
    subject = fields["Subject"]
    headings = (label_heading(subject),) if subject else ()
    head = [f"{name}: {fields[name]}" for name in _FIELDS if fields[name]]
    blocks = [Block(subject, BlockKind.HEADING)] if subject else []
    blocks.append(Block("\n".join(head), BlockKind.NOTE, headings=headings))
    parts = _find_shown(letter)
    texts = dict.fromkeys(_find_texts(letter, parts))
    blocks.extend(block for text in texts for block in _read_text(text, headings))
    names = [_find_part_name(part) for part in parts if part not in texts]
    left_out = Message(
        "reader.eml.attachments_left_out",
        names=", ".join(names[:_NAMED]),
    )
    return Reading(
        tuple(block for block in blocks if block.text.strip()),
        title=subject,
        warnings=(left_out,) if names else (),
    )


def _read_fields(letter: EmailMessage) -> dict[str, str]:
    """Return the fields, each on one line. Of several with one name the first counts."""
    written: dict[str, str] = {}
    for name, value in letter.raw_items():
        written.setdefault(name.lower(), value)
    return {
        name: " ".join(strip_controls(_decode_field(written.get(name.lower(), ""))).split())
        for name in (*_FIELDS, "Subject")
    }


def _decode_field(written: str) -> str:
    if "=?" not in written:  # 8-bit characters, if any, are in an old program's encoding
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


def _find_shown(part: EmailMessage) -> list[EmailMessage]:
    """Return the parts that a mail program shows, in order.

    Of several forms only the one to read, but also the attachments in the others, as Apple's programs write
    them. A nested message is one part.
    """
    if part.get_content_maintype() != "multipart" or not part.is_multipart():
        return [part]
    inner = [_find_shown(cast(EmailMessage, child)) for child in part.iter_parts()]
    is_one_of = part.get_content_type() in _ONE_OF
    best = min(inner, key=_rank, default=[])
    return [leaf for form in inner for leaf in form if not is_one_of or form is best or _is_attached(leaf)]


def _rank(form: list[EmailMessage]) -> int:
    """Return the rank of a form: plain text, then HTML, then forms without text."""
    written = [part for part in form if _is_text(part) and str(part.get_payload()).strip()]
    kinds = [part.get_content_type() for part in written]
    return next((rank for rank, kind in enumerate(_TEXTS) if kind in kinds), len(_TEXTS))


def _is_text(part: EmailMessage) -> bool:
    return part.get_content_type() in _TEXTS and not _is_attached(part)


def _is_attached(part: EmailMessage) -> bool:
    """Return whether a part is an attachment.

    A picture inside a page has a file name too, but also an id that the page refers to.
    """
    return part.is_attachment() or (part.get_filename() is not None and part["Content-ID"] is None)


def _find_texts(letter: EmailMessage, parts: list[EmailMessage]) -> list[EmailMessage]:
    """Return the text parts of a message.

    There may be several: pictures are between them, and mailing lists add their own. A part with a file name
    is an attachment, unless there is no other text.
    """
    texts = [part for part in parts if _is_text(part)]
    if not texts:
        texts = [part for part in parts if part.get_content_type() in _TEXTS and not part.is_attachment()]
    if not texts and any(part.get_content_type() in _LOCKED for part in letter.walk()):
        raise DocumentEncrypted("reader.eml.encrypted")
    return texts


def _find_part_name(part: EmailMessage) -> str:
    """Return the file name of a part, or the subject of a nested message."""
    name = part.get_filename()
    if not name and part.get_content_type() == "message/rfc822" and part.is_multipart():
        name = _read_fields(cast(EmailMessage, part.get_payload(0)))["Subject"]
    return label_heading(strip_controls(name or part.get_content_type()))


def _read_text(part: EmailMessage, headings: tuple[str, ...]) -> Iterator[Block]:
    payload = part.get_payload(decode=True)
    text = strip_controls(decode(payload if isinstance(payload, bytes) else b"", part.get_content_charset()))
    if part.get_content_subtype() == "html":
        for block in read_whole_blocks(text):
            yield Block(block.text, block.kind, headings=(*headings, *block.headings))
    else:
        yield from (Block(paragraph, headings=headings) for paragraph in split_paragraphs(text))
