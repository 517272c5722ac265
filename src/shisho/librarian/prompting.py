"""Prompts: files with declared variables and a hash, and the length of their replies.

Page text is fenced so that it is only data.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING

from shisho.domain.conversation import DocumentFacts, EarlierTurn, Surroundings
from shisho.domain.corpus import NumberedPassage
from shisho.domain.evidence import group_by_number
from shisho.domain.inquiry import EvidenceRef, Goal, Stance, Strategy
from shisho.domain.requirements import RequestKind
from shisho.errors import InternalError
from shisho.language import compile_lazily, estimate_passage_tokens, estimate_tokens
from shisho.language.display import join_lines
from shisho.language.terms import fold
from shisho.librarian.evidence import is_near_duplicate
from shisho.records import dataclass

if TYPE_CHECKING:
    from shisho.librarian.checking.check import ReadUnit

_VARIABLE = compile_lazily(r"{{(\w+)}}")
FENCE = "⟦"
_LONGEST_HEADING = 200
ANSWERS_IN_ROOM = 4  # turns with room for their answers, of any length
LONGER = 1.05  # a copy longer by this factor has more content
CONTEXT_PART = 3  # a reply gets at most this fraction of the context: passages need the rest
TOKENS_A_WORD = 3  # including citations and JSON syntax for each sentence
TOKENS_A_CHARACTER = 2  # likewise for Japanese
_KIND_TOKENS = {
    RequestKind.EXPLAIN: 2_400,
    RequestKind.LIST: 3_200,
    RequestKind.COMPARE: 3_200,
    RequestKind.SUMMARY: 4_000,
    RequestKind.REPORT: 6_000,
    RequestKind.COLLECTION: 3_200,
}
_FORM_TOKENS = 3_200  # of a table or a text in chapters
_FORM = compile_lazily(  # a table, a list or headings
    r"表(?:に(?!つ)|で|形式)|箇条書き|見出し|章立て|\b(?:tables?|bullet points|chapters|headings|sections)\b"
)
_LENGTH = compile_lazily(r"([0-9][0-9,]{0,6}) ?(?:文字|字|(words?)\b)")


@dataclass(frozen=True, slots=True)
class PromptFile:
    """A prompt file. `sha256`: of the file."""

    name: str
    variables: frozenset[str]
    max_output_tokens: int
    instructions: str
    text: str
    sha256: str

    def render(self, **values: str) -> tuple[str, str]:
        """Fill in the values and return instructions and text.

        Values are substituted once: text in a value that looks like a variable is unchanged. Raises:
        InternalError for missing or undeclared values.
        """
        if values.keys() != self.variables:
            differing = ", ".join(sorted(values.keys() ^ self.variables))
            raise InternalError(
                "prompt.other_variables",
                name=self.name,
                differing=differing,
            )

        def fill(match: re.Match[str]) -> str:
            return values[match[1]]

        return _VARIABLE.sub(fill, self.instructions), _VARIABLE.sub(fill, self.text)


@cache
def load_prompt(name: str) -> PromptFile:
    """Load `librarian/prompts/<name>.md`.

    Raises: InternalError if its variables differ from those declared in its header.
    """
    content = files("shisho.librarian").joinpath("prompts", f"{name}.md").read_text("utf-8")
    head, instructions, text = content.split("\n---\n")
    facts = dict(line.split(": ", 1) for line in head.splitlines())
    declared = frozenset(facts["variables"].split())
    used = frozenset(_VARIABLE.findall(instructions + text))
    if used != declared:
        raise InternalError("prompt.undeclared_variables", name=name)
    hashed = sha256(content.encode()).hexdigest()
    return PromptFile(
        name, declared, int(facts["max_output_tokens"]), instructions.strip(), text.strip(), hashed
    )


def make_boundary() -> str:
    """Return a random prefix for the fences of one request, which no author of a page can guess."""
    return f"{FENCE}{secrets.token_hex(8)}"


def fence_passages(passages: Iterable[NumberedPassage], boundary: str, room: int) -> str:
    """Fence as many passages as fit the room, in tokens, best first.

    The first one is truncated if needed.
    """
    fenced_texts: list[str] = []
    room_left = room
    for passage in passages:
        cost = estimate_passage_tokens(passage.text, passage.heading)
        if cost > room_left and fenced_texts:
            break
        text = passage.text if cost <= room_left else _truncate(passage.text, room_left)
        room_left -= cost
        heading = join_lines(passage.heading)[:_LONGEST_HEADING]
        fenced_texts.append(_fence(f"passage {passage.temp_index}", heading, text, boundary))
    return "\n".join(fenced_texts) or "(none)"


def fence_evidence(evidence: Iterable[EvidenceRef], boundary: str, room: int) -> str:
    """Fence as many quotations as fit the room, in tokens, most certain first."""
    fenced_texts: list[tuple[int, str]] = []
    room_left = room
    groups = group_by_number(sorted(evidence, key=lambda ref: -ref.score))
    for number, refs in groups.items():
        ref = refs[0]
        cost = estimate_passage_tokens(write_in_context(ref), ref.heading)
        if cost > room_left or all(ref.same_as for ref in refs):
            continue
        room_left -= cost
        heading = join_lines(ref.heading)[:_LONGEST_HEADING]
        goals = ", ".join(dict.fromkeys(ref.goal_id for ref in refs))
        name = f"quotation {number} for {goals}"
        fenced_texts.append((ref.number, _fence(name, heading, write_in_context(ref), boundary)))
    return "\n".join(text for _, text in sorted(fenced_texts)) or "(none)"


def fence_claims(units: Iterable[ReadUnit], boundary: str, room: int) -> tuple[str, int]:
    """Fence the units of an answer, numbered from 1, each before those of its quotations that are new.

    Returns the text and the number of units that fit the room, in tokens.
    """
    fenced_texts: list[str] = []
    shown: set[int] = set()
    room_left = room
    count = 0
    for unit in units:
        number = count + 1
        context = f"(beside it: {unit.context})\n" if unit.context else ""
        suspect = f"\n(suspect: {'; '.join(unit.suspect)})" if unit.suspect else ""
        cited = f"quotations {', '.join(str(ref.number) for ref in unit.refs)}"
        parts = [_fence(f"sentence {number}", cited, f"{context}{unit.text}{suspect}", boundary)]
        parts += [
            _fence(
                f"quotation {ref.number}",
                join_lines("\n".join([ref.heading, ref.table_header]))[:_LONGEST_HEADING],
                write_in_context(ref),
                boundary,
            )
            for ref in unit.refs
            if ref.number not in shown
        ]
        room_left -= sum(map(estimate_tokens, parts))
        if room_left < 0:
            break
        fenced_texts += parts
        shown |= {ref.number for ref in unit.refs}
        count = number
    return "\n".join(fenced_texts), count


def fence_turns(turns: Sequence[EarlierTurn], boundary: str, room: int) -> str:
    """Fence the newest turns that fit the room, in tokens, oldest first, with truncated answers."""
    fenced_texts: list[str] = []
    room_left = room
    for age, turn in enumerate(reversed(turns), 1):
        answer = _truncate(join_lines(turn.answer), room // ANSWERS_IN_ROOM)
        text = (
            f"asked: {_truncate(turn.question, room // ANSWERS_IN_ROOM)}\nanswered: {answer or '(not kept)'}"
        )
        room_left -= estimate_passage_tokens(text, "")
        if room_left < 0:
            break
        fenced_texts.append(_fence(f"turn {age} before this question", "", text, boundary))
    return "\n".join(reversed(fenced_texts)) or "(none)"


def fence_library(around: Surroundings, boundary: str, room: int) -> str:
    """Fence the corpora, if there are several, and the likely documents: title, date, headings.

    Only as many as fit the room, in tokens.
    """
    lines = [
        f"corpus {_cut_line(corpus.name)}: {corpus.passages} passages, {' and '.join(corpus.languages)}"
        for corpus in around.corpora
        if len(around.corpora) > 1
    ]
    lines += [
        " | ".join(filter(None, (_cut_line(each.title), _cut_line(each.date), _list_headings(each))))
        for each in around.documents
    ]
    fitting: list[str] = []
    for line in lines:
        room -= estimate_tokens(line)
        if room < 0:
            break
        fitting.append(line)
    return _fence("library", "", "\n".join(fitting), boundary) if fitting else "(none)"


def _list_headings(document: DocumentFacts) -> str:
    return "; ".join(map(_cut_line, document.headings))


def _cut_line(text: str) -> str:
    return join_lines(text)[:_LONGEST_HEADING]


def fence_lines(name: str, lines: Sequence[str], boundary: str, most: int = _LONGEST_HEADING) -> str:
    """Fence lines with words of documents or of a model, at most `most` characters of each."""
    text = "\n".join(join_lines(line)[:most] for line in lines)
    return _fence(name, "", text, boundary) if lines else "(none)"


def write_in_context(ref: EvidenceRef) -> str:
    """Return a quotation after its context, which is needed to understand it."""
    before = f"(before it: {ref.context})\n" if ref.context else ""
    stance = "" if ref.stance is Stance.ANSWERS else f"({ref.stance})\n"
    return f"{before}{stance}{ref.snippet}"


def gather_copies(passages: Sequence[NumberedPassage]) -> list[tuple[NumberedPassage, tuple[int, ...]]]:
    """Return the passages without near-duplicates, each with the numbers of its copies.

    The best of a group represents it, or a copy with more content.
    """
    groups: list[list[NumberedPassage]] = []
    for passage in passages:
        group = next((group for group in groups if is_near_duplicate(group[0].text, passage.text)), None)
        if group is None:
            groups.append([passage])
        elif len(passage.text) > LONGER * len(group[0].text):
            group.insert(0, passage)
        else:
            group.append(passage)
    return [(group[0], tuple(copy.temp_index for copy in group[1:])) for group in groups]


def list_goals(goals: Iterable[Goal]) -> str:
    return "\n".join(f"{goal.id}: {goal.question}" for goal in goals)


def _fence(name: str, heading: str, text: str, boundary: str) -> str:
    title = f" | {_escape(heading)}" if heading else ""
    return f"{boundary} {name}{title}\n{_escape(text)}\n{boundary} end of {name}"


def _escape(text: str) -> str:
    """Escape lines that look like a fence."""
    return text.replace(FENCE, "[")


def _truncate(text: str, room: int) -> str:
    """Return the longest prefix within this number of tokens."""
    return text[: _find_longest(len(text), lambda end: estimate_tokens(text[:end]) <= room)]


def _find_longest(most: int, fits: Callable[[int], bool]) -> int:
    low = 0
    high = most
    while low < high:
        middle = (low + high + 1) // 2
        if fits(middle):
            low = middle
        else:
            high = middle - 1
    return low


def size_reply(prompt: PromptFile, strategy: Strategy, context: int) -> PromptFile:
    """Return the prompt with the token limit for this question.

    `context`: the model's context in tokens.
    """
    wanted = [prompt.max_output_tokens, _KIND_TOKENS.get(strategy.kind, 0)]
    if _FORM.search(fold(strategy.question)):
        wanted.append(_FORM_TOKENS)
    for length in _LENGTH.finditer(fold(strategy.question)):
        each = TOKENS_A_WORD if length[2] else TOKENS_A_CHARACTER
        wanted.append(each * int(length[1].replace(",", "")))
    most = max(prompt.max_output_tokens, context // CONTEXT_PART)
    return replace(prompt, max_output_tokens=min(most, max(wanted)))
