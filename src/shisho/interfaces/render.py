"""What the shell shows a person: receipts, answers, passages, tables. Text of documents is printed as text, never as markup."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from shisho.domain.codec import plain
from shisho.domain.corpus import DEFAULT_CORPUS, Check, Document, Found
from shisho.domain.inquiry import Answer, Evidence, SupportOutcome
from shisho.interfaces.words import Words
from shisho.language.display import legible, running

_out = Console(highlight=False, soft_wrap=True, markup=False, emoji=False)
_err = Console(stderr=True, highlight=False, soft_wrap=True, markup=False, emoji=False)


def answer(given: Answer, words: Words) -> None:
    """The answer's text, then where each quotation stands; the quotation itself only where the text does not have it."""
    _out.print(legible(given.text))
    if given.evidence:
        _out.print(f"\n{words('sources')}")
        for evidence in given.evidence:
            told = evidence.snippet and running(evidence.snippet) in given.text
            _out.print(_evidence_line(evidence, words, quoted=not told))
    if str(given.loop_stop) == "STOPPED":
        _err.print(words("continue_hint"))
    _err.print(Text(f"shisho show {given.id}", style="dim"))


def _evidence_line(evidence: Evidence, words: Words, *, quoted: bool = True) -> Text:
    page = "" if evidence.page is None else " " + words("page", n=evidence.page)
    name = legible(evidence.title if evidence.source_url else PurePath(evidence.document).name)
    # A terminal that knows links opens the quotation where it stands.
    line = Text(f"[{evidence.number}] ").append(f"{name}{page}", style=f"link {evidence.link}" if evidence.link else "")
    if evidence.source_url:
        line.append(f"\n    {evidence.source_url}", style="dim")
    if quoted:
        snippet = words("quotation", text=running(evidence.snippet)) if evidence.snippet else words("removed_source")
        line.append(f"\n    {snippet}")
    return line


def shown(thing: Answer | Evidence | tuple[Document, str], words: Words) -> None:
    """Whatever `shisho show` was asked for, in full."""
    if isinstance(thing, Answer):
        _out.print(thing.question, style="bold")
        answer(thing, words)
        _account(thing, words)
    elif isinstance(thing, Evidence):
        _out.print(_evidence_line(thing, words))
        _pairs({name: value for name, value in plain(thing).items() if name != "snippet"})
    else:
        document, text = thing
        _pairs(plain(document))
        _out.print("\n" + text)


def _account(given: Answer, words: Words) -> None:
    _out.print(f"\n{words('condition')}: {given.condition}\n{words('goals')}:")
    status = {one.goal_id: one for one in given.goal_status}
    for goal in given.goals:
        state = status[goal.id]
        numbers = " ".join(f"[{one.number}]" for one in given.evidence if one.goal_id == goal.id)
        _out.print(
            f"  {goal.id} {words('met' if state.met else 'open')}  {goal.question}  {words('evidence')}: {numbers or '-'}"
        )
    outcomes = Counter(one.support for one in given.sentences)
    _out.print(words("support", **{str(outcome): outcomes[outcome] for outcome in SupportOutcome}))
    used = ", ".join(f"{name} {amount:g}" for name, amount in given.budget_used.items())
    _out.print(f"{words('stopped_because')}: {given.loop_stop}\n{words('rounds')}: {given.rounds} ({used})")


def found(given: Sequence[Found], words: Words) -> None:
    """Passages, best first."""
    if not given:
        _out.print(words("nothing_found"))
    for place, one in enumerate(given, 1):
        page = "" if one.page is None else " " + words("page", n=one.page)
        head = Text(f"{place}. {PurePath(one.source).name}{page}", style="bold")
        _out.print(head.append(f"  {one.heading}  {one.score:.2f}", style="dim"))
        _out.print(Text(f"   {running(one.text)}"))


def documents(given: Sequence[Document], limit: int, words: Words) -> None:
    """Two lines a document."""
    if not given:
        _out.print(words("nothing_listed"))
        return
    for one in given:
        said = [f"{key}={value}" for key, value in one.metadata.items()]
        pages = [words("pages", n=one.page_count)] if one.page_count else []
        corpus = [] if one.corpus == DEFAULT_CORPUS else [f"{words('corpus')} {one.corpus}"]
        line = Text(f"{one.id}  ", style="dim")
        line.append(one.title, style="not dim bold")
        _out.print(line.append(f"\n    {'  '.join([PurePath(one.source).name, *pages, *said, *corpus])}"))
    if len(given) == limit:
        _out.print(words("more", n=limit))


def checks(given: Sequence[Check]) -> None:
    """A line for each check, with the way to mend it."""
    for one in given:
        mark = "✓" if one.ok else "–" if one.optional else "✗"
        remedy = "" if one.ok or not one.remedy else f"\n    → {one.remedy}"
        _out.print(f"{mark} {one.name}: {one.detail}{remedy}")


def settings(rows: Sequence[Mapping[str, Any]], home: object, words: Words) -> None:
    """A table of settings."""
    table = Table(words("setting"), words("value"), words("origin"), words("meaning"), box=None)
    for row in rows:
        value = str(home) if row["name"] == "home" else str(row["value"])
        table.add_row(*(Text(cell) for cell in (f"SHISHO_{row['name'].upper()}", value, row["from"], row["help"])))
    _out.print(table)


def figures(given: Mapping[str, Any], words: Words) -> None:
    """Measured figures, one a line."""
    _pairs(given)


def _pairs(given: Mapping[str, Any]) -> None:
    for name, value in given.items():
        shown_value = f"{value:.4f}" if isinstance(value, float) else value
        _out.print(f"{name}: {shown_value}")
