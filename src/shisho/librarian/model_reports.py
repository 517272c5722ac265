"""Write a report with a model.

Its outline from a map of the library, its introduction and conclusion.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from shisho.domain.conversation import Surroundings
from shisho.domain.corpus import Complexity
from shisho.domain.inquiry import Goal, PlannedSection, Sentence, Strategy
from shisho.domain.model import ModelUse
from shisho.domain.report import DEFAULT_SECTIONS
from shisho.domain.requirements import RequestKind
from shisho.errors import InvalidParams
from shisho.language import estimate_tokens, is_in_language
from shisho.language.display import join_lines
from shisho.librarian.allowance import ModelAllowance
from shisho.librarian.answer_blocks import MAX_HEADING_CHARS, build_flat
from shisho.librarian.checking.check import AnswerUnit
from shisho.librarian.checking.figures import list_foreign_addresses
from shisho.librarian.model_calls import ModelCalls, mark_unusable
from shisho.librarian.model_relatedness import shares_words
from shisho.librarian.model_replies import OutlineReply, SectionReply, SentenceReply, WholeReply
from shisho.librarian.model_writing import check_units
from shisho.librarian.policy import StepResult, StrategyInput, Whole, WholeInput
from shisho.librarian.prompting import fence_library, fence_lines, load_prompt, make_boundary
from shisho.librarian.strategy import check_question, join_goals
from shisho.rendering.answer_text import write_numbers

MAP_ROOM = 4_000  # tokens of the map of the library
MAX_QUESTIONS = 3  # of a section
MAX_SENTENCE_CHARS = 600  # of a part that are reread
MAX_LINE_CHARS = 1_000  # with its citation numbers


async def plan_report(
    calls: ModelCalls,
    inputs: StrategyInput,
    by_rules: Strategy,
    around: Surroundings,
    allowance: ModelAllowance,
) -> tuple[Strategy, tuple[ModelUse, ...]]:
    """Return the model's outline as a strategy, or that of the rules if the reply can't be used."""
    values = {
        "question": check_question(inputs.resolved),
        "today": inputs.now()[:10],
        "sections": str(inputs.required.sections or DEFAULT_SECTIONS),
        "boundary": make_boundary(),
    }
    room = calls.measure_room(load_prompt("outline"), values)
    values["library"] = fence_library(around, values["boundary"], min(MAP_ROOM, room))
    node = "strategy" if "strategy" in calls else "answer"
    reply, uses = await calls.ask(node, OutlineReply, allowance, values, prompt=load_prompt("outline"))
    most = inputs.required.sections or DEFAULT_SECTIONS
    sections = (
        () if reply is None else _read_sections(reply.sections, inputs.question, values["library"], most)
    )
    if not sections:
        return by_rules, mark_unusable(uses, reply)
    goals = tuple(goal for section in sections for goal in section.goals)
    aim = replace(
        by_rules,
        goals=goals,
        condition=join_goals(goal.id for goal in goals),
        complexity=inputs.required.complexity or Complexity.SEVERAL,
        kind=RequestKind.REPORT,
        sections=sections,
    )
    return aim, uses


def _read_sections(
    replies: Sequence[SectionReply], question: str, library: str, most: int
) -> tuple[PlannedSection, ...]:
    """Return the sections that can be searched for, each heading once.

    A section is dropped if it names a new address, or shares no word with the request or the library.
    """
    sections: list[PlannedSection] = []
    for reply in replies:
        heading = join_lines(reply.heading).strip()[:MAX_HEADING_CHARS]
        texts = [text for text in (*map(_read_question, reply.questions[:MAX_QUESTIONS]), heading) if text]
        questions = list(dict.fromkeys(texts[:-1] if len(texts) > 1 else texts))
        is_known = heading in [section.heading for section in sections]
        text = " ".join((heading, *questions))
        if not heading or is_known or list_foreign_addresses(text, question):
            continue
        if not shares_words(text, question, library):
            continue
        number = len(sections) + 1
        goals = tuple(Goal(f"S{number}.{at}", text) for at, text in enumerate(questions, 1))
        sections.append(PlannedSection(heading, goals))
    return tuple(sections[:most])


def _read_question(text: str) -> str:
    try:
        return check_question(text)
    except InvalidParams:
        return ""


async def write_whole(calls: ModelCalls, inputs: WholeInput, allowance: ModelAllowance) -> StepResult[Whole]:
    """Return introduction and conclusion; neither if the reply is unusable."""
    boundary = make_boundary()
    values = {"question": inputs.question, "length": inputs.length, "boundary": boundary}
    room = calls.measure_room(load_prompt("whole"), {**values, "parts": ""}) // max(1, len(inputs.parts))
    values["parts"] = "\n".join(
        fence_lines(f"part {number}", _write_lines(heading, sentences, room), boundary, MAX_LINE_CHARS)
        for number, (heading, sentences) in enumerate(inputs.parts, 1)
    )
    reply, uses = await calls.ask("answer", WholeReply, allowance, values, prompt=load_prompt("whole"))
    if reply is None:
        return StepResult(Whole(), uses)
    units = [*_list_units(reply.introduction), *_list_units(reply.conclusion)]
    if not is_in_language(" ".join(unit.text for unit in units), inputs.question):
        return StepResult(Whole(), mark_unusable(uses, reply))
    revisions, judging = await check_units(calls, allowance, inputs.question, units, inputs.evidence)
    count = len(_list_units(reply.introduction))
    whole = Whole(build_flat(revisions[:count]), build_flat(revisions[count:]))
    return StepResult(whole, (*uses, *judging))


def _list_units(sentences: Sequence[SentenceReply]) -> list[AnswerUnit]:
    return [AnswerUnit(sentence.text, sentence.cites) for sentence in sentences if sentence.text.strip()]


def _write_lines(heading: str, sentences: Sequence[Sentence], room: int) -> list[str]:
    """Return a part's heading and the first sentences that fit the room, in tokens."""
    lines = [heading]
    for sentence in sentences:
        if not sentence.evidence:
            continue
        line = sentence.text[:MAX_SENTENCE_CHARS] + write_numbers(sentence)
        room -= estimate_tokens(line)
        if room < 0:
            break
        lines.append(line)
    return lines
