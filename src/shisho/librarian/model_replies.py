"""The shapes that models reply in. Their names and docstrings go into the JSON Schema that models see."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Literal

from shisho.records import dataclass


@dataclass(frozen=True, slots=True)
class GoalReply:
    """One thing that the question needs to know."""

    question: str


@dataclass(frozen=True, slots=True)
class StrategyReply:
    """The question as it can be understood by itself, and how it is split."""

    goals: tuple[GoalReply, ...]
    condition: str = ""
    complexity: Literal["single", "several", "comparison"] = "several"
    kind: Literal["fact", "explain", "list", "compare", "report", "summary", ""] = ""
    question: str = ""

    @staticmethod
    def normalize(data: Any) -> Any:
        """Accept goals as strings, and forms that small models write for a choice."""
        if not isinstance(data, dict):
            return data
        goals = data.get("goals")
        listed = [goals] if isinstance(goals, str) else goals
        if isinstance(listed, list):
            listed = [{"question": goal} if isinstance(goal, str) else goal for goal in listed]
        complexity = _choose(data.get("complexity"), ("single", "several", "comparison"), "several")
        kind = _choose(data.get("kind"), ("fact", "explain", "list", "compare", "report", "summary"), "")
        return {**data, "goals": listed, "complexity": complexity, "kind": kind}


def _choose(value: Any, choices: Sequence[str], otherwise: str) -> str:
    return next((choice for choice in choices if choice == str(value).strip().casefold()), otherwise)


@dataclass(frozen=True, slots=True)
class FilterReply:
    """Only documents whose field has this value, or one in a range (`low..high`)."""

    field: str
    value: str


@dataclass(frozen=True, slots=True)
class PlanReply:
    """The words of the next search, and what it is limited to."""

    keywords: tuple[str, ...]
    meaning: str = ""
    reasoning: str = ""
    filter_conditions: tuple[FilterReply, ...] = ()


@dataclass(frozen=True, slots=True)
class FindingReply:
    """A quotation that speaks to a goal."""

    passage: int
    goal: str
    quotation: str
    score: float
    stance: Literal["answers", "says_unknown", "conflicts"] = "answers"


@dataclass(frozen=True, slots=True)
class GoalStateReply:
    """The state of a goal over all that was found, and what is missing of it."""

    goal: str
    state: Literal["complete", "partial", "open"]
    missing: str = ""


@dataclass(frozen=True, slots=True)
class EvaluationReply:
    """All quotations that were picked, the state of each goal, and whether to search on."""

    findings: tuple[FindingReply, ...]
    goals: tuple[GoalStateReply, ...] = ()
    read_around: tuple[int, ...] = ()
    status: Literal["CONTINUE", "COMPLETE", ""] = ""
    next_focus: str = ""
    judgment_reason: str = ""

    @staticmethod
    def normalize(data: Any) -> Any:
        """Accept goals as a mapping from id to state, and a status in small letters."""
        if not isinstance(data, dict):
            return data
        goals = data.get("goals") or []
        if isinstance(goals, dict):
            goals = [{"goal": goal, "state": state} for goal, state in goals.items()]
        goals = [goal for goal in goals if isinstance(goal, dict)] if isinstance(goals, list) else []
        status = _choose(data.get("status"), ("continue", "complete"), "").upper()
        return {**data, "goals": goals, "status": status}


@dataclass(frozen=True, slots=True)
class SentenceReply:
    """A sentence, an item or a cell, with the numbers of its quotations."""

    text: str
    cites: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class BlockReply:
    """A part of the answer.

    `text`: of a heading; `sentences`: of a paragraph, or the items of a list; `header` and `rows`: of a
    table. The others are empty.
    """

    type: Literal["heading", "paragraph", "list", "table"] = "paragraph"
    text: str = ""
    sentences: tuple[SentenceReply, ...] = ()
    is_numbered: bool = False
    header: tuple[str, ...] = ()
    rows: tuple[tuple[SentenceReply, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class AnswerReply:
    """The answer, block by block."""

    blocks: tuple[BlockReply, ...]

    streamed: ClassVar[type] = SentenceReply

    @staticmethod
    def normalize(data: Any) -> Any:
        """Accept the forms that models fall into: flat sentences, bare strings, items under other names."""
        if isinstance(data, dict) and "blocks" not in data:
            parts = data.get("sentences", data.get("answer", data.get("text")))
            data = data if parts is None else {"blocks": [{"sentences": parts}]}
        if not isinstance(data, dict) or not isinstance(data.get("blocks"), list):
            return data
        return {"blocks": [_read_block(block) for block in data["blocks"]]}


@dataclass(frozen=True, slots=True)
class FactReply:
    """The quotations that answer one fact, the state of each goal, and the answer that rests on them."""

    findings: tuple[FindingReply, ...]
    goals: tuple[GoalStateReply, ...] = ()
    read_around: tuple[int, ...] = ()
    status: Literal["CONTINUE", "COMPLETE", ""] = ""
    next_focus: str = ""
    judgment_reason: str = ""
    blocks: tuple[BlockReply, ...] = ()

    @staticmethod
    def normalize(data: Any) -> Any:
        """Accept what the replies of two calls may be. Unreadable blocks spoil no quotation."""
        data = EvaluationReply.normalize(data)
        if not isinstance(data, dict):
            return data
        blocks = AnswerReply.normalize({"blocks": data.get("blocks")})["blocks"]
        is_readable = isinstance(blocks, list) and all(map(_is_readable, blocks))
        return {**data, "blocks": blocks if is_readable else []}

    @property
    def evaluation(self) -> EvaluationReply:
        """The reply without the answer."""
        return EvaluationReply(
            self.findings,
            self.goals,
            self.read_around,
            self.status,
            self.next_focus,
            self.judgment_reason,
        )


def renumber_blocks(blocks: Iterable[BlockReply], numbers: Mapping[int, int]) -> tuple[BlockReply, ...]:
    """Replace the cited numbers of the blocks by these; drop other citations."""

    def renumber(units: Iterable[SentenceReply]) -> tuple[SentenceReply, ...]:
        return tuple(
            replace(unit, cites=tuple(numbers[number] for number in unit.cites if number in numbers))
            for unit in units
        )

    return tuple(
        replace(block, sentences=renumber(block.sentences), rows=tuple(map(renumber, block.rows)))
        for block in blocks
    )


def _is_readable(block: Mapping[str, Any]) -> bool:
    """Return whether a block has the shape of a `BlockReply`."""
    rows = block.get("rows") or []
    header = block.get("header") or []
    lists = (block["sentences"], rows, header, *rows) if isinstance(rows, list) else (None,)
    is_typed = block.get("type", "paragraph") in ("heading", "paragraph", "list", "table")
    labels = (block.get("text", ""), *(header if isinstance(header, list) else ()))
    if not is_typed or not all(isinstance(each, list) for each in lists):
        return False
    units = (*block["sentences"], *(cell for row in rows for cell in row))
    return all(map(_is_unit, units)) and all(isinstance(label, str) for label in labels)


def _is_unit(unit: Any) -> bool:
    if not isinstance(unit, dict) or not isinstance(unit.get("text"), str):
        return False
    cites = unit.get("cites", [])
    return isinstance(cites, list) and all(isinstance(number, int) for number in cites)


def _read_block(block: Any) -> Any:
    if not isinstance(block, dict):
        return {"sentences": _read_units(block)}
    kind = block.get("type", "table" if block.get("rows") else "paragraph")
    known = {name: block[name] for name in ("text", "is_numbered", "header") if block.get(name) is not None}
    read = {**known, "type": kind, "sentences": _read_units(block.get("sentences", block.get("items", [])))}
    rows = block.get("rows") or []
    if isinstance(rows, list):
        read["rows"] = [_read_units(row) for row in rows]
    if kind in ("paragraph", "list") and not read["sentences"] and known.get("text"):
        read["sentences"] = [{"text": known["text"], "cites": block.get("cites", [])}]
    return read


def _read_units(units: Any) -> Any:
    listed = units if isinstance(units, list) else [] if units is None else [units]
    return [{"text": unit} if isinstance(unit, str) else unit for unit in listed]


@dataclass(frozen=True, slots=True)
class WholeReply:
    """The beginning and the end of a text, written from its parts."""

    introduction: tuple[SentenceReply, ...]
    conclusion: tuple[SentenceReply, ...] = ()

    @staticmethod
    def normalize(data: Any) -> Any:
        """Accept bare strings for sentences."""
        if not isinstance(data, dict):
            return data
        return {name: _read_units(data.get(name)) for name in ("introduction", "conclusion")}


@dataclass(frozen=True, slots=True)
class SectionReply:
    """A section of a report: its heading, and the questions that it answers."""

    heading: str
    questions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OutlineReply:
    """The sections of a report, in order."""

    sections: tuple[SectionReply, ...]

    @staticmethod
    def normalize(data: Any) -> Any:
        """Accept headings alone, and one question as a string."""
        listed = data.get("sections") if isinstance(data, dict) else data
        if not isinstance(listed, list):
            return data
        return {"sections": [_read_section(section) for section in listed]}


def _read_section(section: Any) -> Any:
    if isinstance(section, str):
        return {"heading": section}
    questions = section.get("questions") if isinstance(section, dict) else None
    return {**section, "questions": [questions]} if isinstance(questions, str) else section


@dataclass(frozen=True, slots=True)
class JudgeVerdict:
    """A verdict on a sentence beside its quotations."""

    sentence: int
    verdict: Literal["supported", "partly", "contradicted", "not in the quotation"]


@dataclass(frozen=True, slots=True)
class JudgeReply:
    """A verdict for each sentence."""

    verdicts: tuple[JudgeVerdict, ...]
