"""An answer for use elsewhere: Markdown, JSON Lines, BibTeX, RIS. Pure text in, pure text out."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import PurePath
from typing import Any

from shisho.domain.codec import plain
from shisho.domain.corpus import NO_LONGER
from shisho.domain.inquiry import Answer, Evidence
from shisho.errors import InvalidParams
from shisho.language.display import legible, running
from shisho.language.script import answer_language
from shisho.messages.catalogue import word

FORMS = ("md", "jsonl", "bibtex", "ris")


def export(answer: Answer, form: str) -> str:
    """Raises InvalidParams for a form that is none of `FORMS`."""
    writers = {"md": _markdown, "jsonl": _json_lines, "bibtex": _bibtex, "ris": _ris}
    if form not in writers:
        raise InvalidParams(
            "{form!r} is no export format. Choose one of {formats}.", form=form, formats=", ".join(FORMS)
        )
    return writers[form](answer)


def _markdown(answer: Answer) -> str:
    rows = [f"# {answer.question}", "", answer.text, ""]
    for evidence in answer.evidence:
        quotation = running(evidence.snippet)
        rows += [
            f"[{evidence.number}]: {legible(evidence.title)}{_page(evidence)} <{evidence.link or evidence.document}>",
            "",
        ]
        rows += [f"> {quotation}", ""] if quotation not in answer.text else []
        if evidence.source_state in NO_LONGER:
            rows += [word(NO_LONGER[evidence.source_state], answer_language(answer.question)), ""]
    rows += [f"<!-- answer {answer.id} · {answer.condition} · {answer.loop_stop} · {answer.created_at} -->"]
    return "\n".join(rows) + "\n"


def _json_lines(answer: Answer) -> str:
    head = {key: value for key, value in plain(answer).items() if key != "evidence"}
    rows = [{"type": "answer", **head}, *map(_evidence_row, answer.evidence)]
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _evidence_row(evidence: Evidence) -> dict[str, Any]:
    """`snippet` is the slice that offsets and hash speak of, `quotation` the same as a person reads it."""
    return {"type": "evidence", **plain(evidence), "quotation": running(evidence.snippet)}


def _bibtex(answer: Answer) -> str:
    return "\n".join(_bibtex_entry(group) for group in _by_document(answer.evidence))


def _bibtex_entry(group: list[Evidence]) -> str:
    first = group[0]
    fields = {
        "title": _braced(first.title),
        "pages": ", ".join(map(_braced, _pages(group))),
        "howpublished": _braced(_place(first)),
    }
    note = " / ".join(running(evidence.snippet) for evidence in group)
    rows = [f"  {name} = {{{value}}}" for name, value in {**fields, "note": _braced(note)}.items() if value]
    return "@misc{" + first.document_id + ",\n" + ",\n".join(rows) + "\n}\n"


def _ris(answer: Answer) -> str:
    return "\n".join(_ris_entry(group) for group in _by_document(answer.evidence))


def _ris_entry(group: list[Evidence]) -> str:
    first = group[0]
    rows = [("TY", "ELEC" if first.source_url else "GEN"), ("ID", first.document_id), ("TI", first.title)]
    rows += [("SP", page) for page in _pages(group)[:1]] + [
        ("UR" if first.source_url else "L1", _place(first))
    ]
    rows += [("N1", running(evidence.snippet)) for evidence in group] + [("ER", "")]
    return "".join(f"{tag}  - {_one_line(value)}\n" for tag, value in rows)


def _by_document(evidence: Iterable[Evidence]) -> list[list[Evidence]]:
    groups: dict[str, list[Evidence]] = {}
    for quotation in evidence:
        groups.setdefault(quotation.document_id, []).append(quotation)
    return list(groups.values())


def _pages(group: Iterable[Evidence]) -> list[str]:
    """The places, or the pages in order, each once."""
    if places := list(dict.fromkeys(running(quotation.place) for quotation in group if quotation.place)):
        return places
    return [
        str(page) for page in sorted({quotation.page for quotation in group if quotation.page is not None})
    ]


def _page(quotation: Evidence) -> str:
    place = running(quotation.place)
    page = "" if quotation.page is None else f"p. {quotation.page}"
    return "".join(f", {part}" for part in (place or page, "OCR" if quotation.ocr else "") if part)


def _place(quotation: Evidence) -> str:
    return quotation.source_url or PurePath(quotation.document).name


def _braced(value: str) -> str:
    # BibTeX reads \ { } % as its own; a lone brace would end the field.
    return re.sub(
        r"([\\{}%#&$_])",
        lambda mark: {"\\": r"\textbackslash{}"}.get(mark[1], "\\" + mark[1]),
        _one_line(value),
    )


def _one_line(value: str) -> str:
    return running(value)
