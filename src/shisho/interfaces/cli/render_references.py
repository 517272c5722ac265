"""Show the matching of bibliography entries in the shell."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from rich.text import Text

from shisho.domain.corpus import IntakeOutcome, Receipt
from shisho.domain.reference import MatchedBy, ReferenceMatch
from shisho.interfaces.cli.messages import Words
from shisho.language.display import display_name, join_lines

NAMED = 20  # listed entries of each kind


def describe_references(receipt: Receipt, words: Words) -> Text:
    """Return the number of matches, the added matches, and unmatched entries with advice."""
    matches = receipt.references
    matched = [match for match in matches if match.document_id]
    lost = [match for match in matches if not match.document_id]
    lines = Text("\n    " + words("references", found=len(matched), n=len(matches)), style="dim")
    named_matches = matched if receipt.outcome is IntakeOutcome.DESCRIBED else []
    for match in named_matches[:NAMED]:
        sign = words(f"matched_{match.by}")
        lines.append(f"\n      {_format_key(match)} → {display_name(PurePath(match.source).name)} ({sign})")
    lines.append(_describe_rest(named_matches, words))
    if lost:
        lines.append("\n    " + words("references_lost"), style="yellow")
    for match in lost[:NAMED]:
        reason = f" ({words('matched_several')})" if match.by is MatchedBy.SEVERAL else ""
        lines.append(f"\n      {_format_key(match)}  {join_lines(match.title)}{reason}")
    lines.append(_describe_rest(lost, words))
    if lost:
        lines.append("\n    " + words("references_way"))
    return lines


def _format_key(match: ReferenceMatch) -> str:
    return display_name(match.key) or "–"


def _describe_rest(matches: Sequence[ReferenceMatch], words: Words) -> str:
    more = len(matches) - NAMED
    return "\n      " + words("more_failures", n=more) if more > 0 else ""
