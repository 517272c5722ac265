"""The supported file formats, and their detection.

By the first bytes, then by the contents of a zip, then by declared type and name. Plug-ins add formats.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from shisho.domain.reference import ANY_REFERENCES, BIBTEX, CSL_JSON, RIS
from shisho.errors import DocumentEncrypted, DocumentUnreadable, UnsupportedMedia
from shisho.messages import Message
from shisho.plugins import READERS, FileFormat, load_plugins

PDF = "application/pdf"
HTML = "text/html"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
EPUB = "application/epub+zip"
EML = "message/rfc822"
IPYNB = "application/x-ipynb+json"
RTF = "application/rtf"
MARKDOWN = "text/markdown"
TEXT = "text/plain"
CSV = "text/csv"
TSV = "text/tab-separated-values"
PNG = "image/png"
JPEG = "image/jpeg"
TIFF = "image/tiff"

FORMATS = (
    FileFormat(PDF, ("pdf",), "shisho.corpus.readers.pdf:read"),
    FileFormat(HTML, ("html", "htm", "xhtml"), "shisho.corpus.readers.html:read"),
    FileFormat(DOCX, ("docx",), "shisho.corpus.readers.docx:read"),
    FileFormat(PPTX, ("pptx",), "shisho.corpus.readers.pptx:read"),
    FileFormat(XLSX, ("xlsx", "xlsm"), "shisho.corpus.readers.xlsx:read"),
    FileFormat(EPUB, ("epub",), "shisho.corpus.readers.epub:read"),
    FileFormat(EML, ("eml",), "shisho.corpus.readers.eml:read"),
    FileFormat(IPYNB, ("ipynb",), "shisho.corpus.readers.notebook:read"),
    FileFormat(RTF, ("rtf",), "shisho.corpus.readers.rtf:read"),
    FileFormat(MARKDOWN, ("md", "markdown"), "shisho.corpus.readers.markdown:read"),
    FileFormat(CSV, ("csv",), "shisho.corpus.readers.delimited:read"),
    FileFormat(TSV, ("tsv", "tab"), "shisho.corpus.readers.delimited:read"),
    FileFormat(TEXT, ("txt", "text", "rst", "log"), "shisho.corpus.readers.text:read"),
)
PICTURE_SUFFIXES: Mapping[str, str] = {"png": PNG, "jpg": JPEG, "jpeg": JPEG, "tif": TIFF, "tiff": TIFF}
"""Pictures have no reader: their text is recognised."""
PICTURES = (PNG, JPEG, TIFF)
SUPPORTED = (*(item.media_type for item in FORMATS), *PICTURES)
TEXT_FORMATS = (HTML, MARKDOWN, CSV, TSV, TEXT)
"""Formats of plain characters, whose encoding must be detected."""

_SUFFIXES = {suffix: item.media_type for item in FORMATS for suffix in item.suffixes} | dict(PICTURE_SUFFIXES)
FORMAT_NAMES = Message("reader.formats")
_SUPPORTED_FORMATS = Message("reader.supported_formats", formats=FORMAT_NAMES)
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_PICTURES = {b"\x89PNG\r\n": PNG, b"\xff\xd8\xff": JPEG, b"II*\x00": TIFF, b"MM\x00*": TIFF}
_BINARY = (
    b"GIF8",
    b"\x1f\x8b",
    b"7z\xbc\xaf",
    b"Rar!",
    b"\x7fELF",
    b"MZ\x90",
    b"SQLite format 3",
)
_RICH = re.compile(rb"(?:\xef\xbb\xbf)?\s*+\{\\rtf")
_NOTEBOOK = re.compile(rb"(?:\xef\xbb\xbf)?\s*+\{\s*+\"")
_LETTER = re.compile(rb"(?:From |[A-Za-z][A-Za-z0-9-]{1,60}:)")
_REFERENCES = {
    BIBTEX: re.compile(rb"@[A-Za-z]{3,20}\s{0,20}[{(]"),
    RIS: re.compile(rb"(?:^|[\r\n])TY  - [A-Z]"),
    CSL_JSON: re.compile(
        rb"\"type\"\s*:\s*\"(?:article(?:-journal|-magazine|-newspaper)?|book|chapter|dataset|document|entry|motion_picture"
        rb"|paper-conference|report|speech|thesis|webpage)\""
    ),
}
_REFERENCE_SUFFIXES = {
    "bib": BIBTEX,
    "bibtex": BIBTEX,
    "ris": RIS,
    "json": CSL_JSON,
    "csljson": CSL_JSON,
}
_LOOKED_AT = 64 << 10  # bytes searched for the first entry
_MARKUP = re.compile(
    # Possessive: a match is tried in the parent process, where nothing stops one that tries comments in every
    # order.
    rb"\s*+(?:<\?xml[^>]{0,200}>\s*+)?(?:<!--(?:[^-]|-(?!->)){0,2000}+-->\s*+)*+"
    rb"<(?:!doctype\s+html|html|head|body|title|meta)(?![\w-])",
    re.I,
)


@cache
def load_formats() -> tuple[FileFormat, ...]:
    """Return the built-in formats, then those of plug-ins.

    Existing media types are not replaced.
    """
    formats: dict[str, FileFormat] = {}
    for _, loaded in load_plugins(READERS, is_file_format):
        for item in loaded if isinstance(loaded, tuple) else (loaded,):
            assert isinstance(item, FileFormat)
            formats.setdefault(item.media_type, item)
    return tuple(formats.values())


@cache
def list_added_formats() -> tuple[FileFormat, ...]:
    """Return the formats of plug-ins."""
    return tuple(item for item in load_formats() if item not in FORMATS)


def find_reader(media_type: str) -> str:
    """Return `module:function` of the reader of a media type."""
    for item in FORMATS:
        if item.media_type == media_type:
            return item.read
    return next(item.read for item in load_formats() if item.media_type == media_type)


def find_added_format(suffix: str, data: bytes) -> FileFormat | None:
    """Return the plug-in's format of a file that no built-in format claims."""
    for item in list_added_formats():
        if data.startswith(item.magic) if item.magic else suffix in item.suffixes:
            return item
    return None


def is_file_format(loaded: object) -> bool:
    """Return True if a plug-in registered one format or a tuple of them."""
    formats = loaded if isinstance(loaded, tuple) else (loaded,)
    return all(isinstance(item, FileFormat) for item in formats)


def sniff(name: str, data: bytes, declared: str | None = None) -> str:
    """Return one of SUPPORTED, a type of bibliography, or the media type of a plug-in.

    Raises:
        UnsupportedMedia: No format matches.
        DocumentEncrypted: It is a protected office file.
        DocumentUnreadable: The file is empty, or does not match its name.
    """
    try:
        return _sniff(name, data, declared)
    except UnsupportedMedia:
        is_built_in = declared == ANY_REFERENCES or _find_suffix(name) in _SUFFIXES
        added = None if is_built_in else find_added_format(_find_suffix(name), data)
        if added is None:
            raise
        return added.media_type


def _sniff(name: str, data: bytes, declared: str | None) -> str:
    if not data.strip(b"\x00\t\n\r "):
        raise DocumentUnreadable("reader.empty_file")
    if references := _detect_references(name, data, declared):
        return references
    if b"%PDF-" in data[:1024]:
        return PDF
    if data.startswith(b"PK\x03\x04"):
        return _detect_zipped(data)
    if data.startswith(_OLE):
        raise _refuse_old_office(data)
    for magic, kind in _PICTURES.items():
        if data.startswith(magic):
            return kind
    if data.startswith(_BINARY):
        raise UnsupportedMedia("reader.not_a_document", taken=_SUPPORTED_FORMATS)
    if _RICH.match(data):
        return RTF
    if _NOTEBOOK.match(data) and b'"nbformat"' in data:
        return IPYNB
    if data.startswith(b"%!"):
        raise UnsupportedMedia(
            "reader.postscript",
            taken=_SUPPORTED_FORMATS,
        )
    if _MARKUP.match(data, 3 if data.startswith(b"\xef\xbb\xbf") else 0):
        return HTML
    return _detect_declared(name, data, declared)


def _find_suffix(name: str) -> str:
    return name.rpartition(".")[2].lower() if "." in name else ""


def _detect_references(name: str, data: bytes, declared: str | None) -> str:
    """Return the type of a bibliography, or "".

    Raises:
        UnsupportedMedia: A declared bibliography has no entries.
    """
    head = data[:_LOOKED_AT]
    if declared == ANY_REFERENCES:
        kinds = [kind for kind, sign in _REFERENCES.items() if sign.search(head)]
        if CSL_JSON in kinds and data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"[", b"{"):
            return CSL_JSON
        if not kinds or b"\x00" in head:
            raise UnsupportedMedia("reader.not_a_bibliography")
        return kinds[0]
    kind = _REFERENCE_SUFFIXES.get(_find_suffix(name), "")
    is_one = kind and _REFERENCES[kind].search(head) is not None
    return kind if is_one and (kind != CSL_JSON or b'"id"' in head) else ""


def _detect_zipped(data: bytes) -> str:
    # The central directory is at the end, and its names are never compressed.
    if b"word/document.xml" in data:
        return DOCX
    if b"ppt/presentation.xml" in data:
        return PPTX
    if b"xl/workbook.xml" in data:
        return XLSX
    if b"META-INF/container.xml" in data:
        return EPUB
    raise UnsupportedMedia(
        "reader.archive",
        taken=_SUPPORTED_FORMATS,
    )


def _refuse_old_office(data: bytes) -> Exception:
    if "EncryptedPackage".encode("utf-16-le") in data:
        return DocumentEncrypted("reader.password_protected")
    return UnsupportedMedia(
        "reader.old_office",
        taken=_SUPPORTED_FORMATS,
    )


def _detect_declared(name: str, data: bytes, declared: str | None) -> str:
    suffix = _find_suffix(name)
    told_text = (declared or "").partition(";")[0].strip().lower()
    for kind in (RTF if told_text == "text/rtf" else told_text, _SUFFIXES.get(suffix, "")):
        if kind in TEXT_FORMATS or (kind == EML and _LETTER.match(data)):
            return kind
        if kind in SUPPORTED:
            raise DocumentUnreadable(
                "reader.misnamed",
                kind=kind,
            )
    if suffix not in _SUFFIXES and (added := find_added_format(suffix, data)):
        return added.media_type
    if b"\x00" in data[:4096] and not data.startswith((b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")):
        raise UnsupportedMedia("reader.unsupported", taken=_SUPPORTED_FORMATS)
    return TEXT
