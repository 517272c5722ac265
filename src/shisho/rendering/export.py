"""Export an answer as Markdown, HTML, JSON Lines, or a bibliography of its quotations.

Pure functions of text.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from shisho.domain.codec import to_plain
from shisho.domain.corpus import NO_LONGER, Document, DocumentId
from shisho.domain.inquiry import Answer, Evidence
from shisho.domain.link import is_on_web, strip_folders
from shisho.domain.place import describe_place
from shisho.errors import InvalidParams
from shisho.language import answer_language
from shisho.language.display import (
    display_name,
    display_quotation,
    escape_markdown,
    fence_code,
    join_lines,
    strip_item_mark,
)
from shisho.messages.catalogue import translate_word
from shisho.rendering import bibliography
from shisho.rendering.answer_text import BOLD, TextWriter
from shisho.rendering.citation_styles import STYLES, write_in_style
from shisho.rendering.page import answer_page

# Additional formats of `services/exports.py`: they need more than the answer.
OTHER_FORMS = ("pdf", "proof")
FORMS = ("md", "html", "jsonl", "bibtex", "ris", "csl", *STYLES)


def export(
    answer: Answer,
    form: str,
    documents: Mapping[DocumentId, Document] | None = None,
    *,
    local_paths: bool = False,
) -> str:
    """Export an answer.

    `documents`: the quoted documents, for their metadata. Without `local_paths`, files are named without
    folders.

    Raises: InvalidParams for a form that is not in `FORMS`.
    """
    if not local_paths:
        answer = replace(answer, evidence=tuple(map(_drop_folders, answer.evidence)))
    texts = {"md": _export_markdown, "html": answer_page, "jsonl": _export_json_lines}
    bibliographies = {
        "bibtex": bibliography.bibtex,
        "ris": bibliography.ris,
        "csl": bibliography.csl_json,
    }
    if form in texts:
        return texts[form](answer)
    if form not in FORMS:
        raise InvalidParams(
            "export.unknown_format",
            form=form,
            formats=", ".join((*FORMS, *OTHER_FORMS)),
        )
    descriptions = {name: _describe_document(document) for name, document in (documents or {}).items()}
    entries = bibliography.entries(
        _select_named(answer.evidence), descriptions, answer_language(answer.question)
    )
    return write_in_style(entries, form) if form in STYLES else bibliographies[form](entries)


def _drop_folders(evidence: Evidence) -> Evidence:
    if is_on_web(evidence.document):
        return evidence
    link = evidence.link
    if link.startswith("file:"):
        link = link.rsplit("/", 1)[-1]
    return replace(evidence, document=strip_folders(evidence.document), link=link)


def _select_named(evidence: Iterable[Evidence]) -> list[Evidence]:
    """Return the evidence without that of erased documents, which have no name."""
    return [quotation for quotation in evidence if quotation.snippet]


def _describe_document(document: Document) -> Mapping[str, str]:
    """Return the metadata of a document; a web page was accessed when it was added."""
    accessed = {"accessed": document.added_at[:10]} if is_on_web(document.source) else {}
    return {**accessed, **document.metadata}


def _export_markdown(answer: Answer) -> str:
    language = answer_language(answer.question)
    quotations = {evidence.number: evidence.snippet for evidence in answer.evidence}
    text = TextWriter(quotations, language, BOLD, escape_markdown).write(answer.blocks)
    rows = [f"# {escape_markdown(join_lines(answer.question))}", "", text, ""]
    for evidence in answer.evidence:
        quotation = display_quotation(evidence.snippet, code=evidence.code)
        if not evidence.snippet:
            rows += [f"[{evidence.number}]: {_title(evidence)}", ""]
            continue
        rows += [
            f"[{evidence.number}]: {_title(evidence)}{_format_page(evidence, language)} <{_make_address(evidence)}>",
            "",
        ]
        if strip_item_mark(quotation) not in answer.text:
            block = fence_code(quotation) if evidence.code else escape_markdown(quotation)
            rows += [*(f"> {line}" for line in block.split("\n")), ""]
        if evidence.source_state in NO_LONGER:
            rows += [translate_word(NO_LONGER[evidence.source_state], language), ""]
    rows += [f"<!-- answer {answer.id} · {answer.condition} · {answer.loop_stop} · {answer.created_at} -->"]
    return "\n".join(rows) + "\n"


def _export_json_lines(answer: Answer) -> str:
    head = {key: value for key, value in to_plain(answer).items() if key != "evidence"}
    rows = [{"type": "answer", **head}, *map(_make_evidence_row, answer.evidence)]
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _make_evidence_row(evidence: Evidence) -> dict[str, Any]:
    """Return a row of evidence.

    `snippet` is the slice that offsets and hash refer to, `quotation` the same text in readable form.
    """
    quotation = display_quotation(evidence.snippet, code=evidence.code)
    return {"type": "evidence", **to_plain(evidence), "quotation": quotation}


def _title(evidence: Evidence) -> str:
    return escape_markdown(join_lines(evidence.title))


def _make_address(evidence: Evidence) -> str:
    address = display_name(evidence.link or evidence.document)
    return address.replace("<", "%3C").replace(">", "%3E")


def _format_page(quotation: Evidence, language: str) -> str:
    place_words = describe_place(
        quotation.place, lambda n: translate_word("notebook_cell", language=language, n=n)
    )
    place = escape_markdown(join_lines(place_words))
    page = "" if quotation.page is None else f"p. {quotation.page}"
    return "".join(f", {part}" for part in (place or page, "OCR" if quotation.ocr else "") if part)
