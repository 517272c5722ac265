"""An answer as it is printed, on a page of the web or on paper: legible words, and which of them lead
where."""

from __future__ import annotations

import re
from collections.abc import Iterator

from shisho.domain.corpus import NO_LONGER
from shisho.domain.inquiry import Answer, Evidence, SupportOutcome
from shisho.domain.link import is_on_web
from shisho.domain.place import say_place
from shisho.domain.printing import PrintableAnswer, PrintedPart, PrintedQuotation
from shisho.language.display import display_quotation, join_lines, make_legible
from shisho.language.marked_text import TextMark, render_marked
from shisho.language.script import answer_language
from shisho.messages.catalogue import word

_FENCED = re.compile(r"^(?P<fence>`{3,})\n(?P<code>.*?)\n(?P=fence)(?:\n|\Z)", re.M | re.S)
_NUMBER = re.compile(r"\[\d{1,6}\]")
_SIGNS = ("\x02", "\x03")  # around marked sentences; legible text has no control characters
_BORDER = re.compile(rf"({_NUMBER.pattern}|[{''.join(_SIGNS)}])")


def make_printable(answer: Answer) -> PrintableAnswer:
    """The answer in the language that it was asked in. Only what is on the web has a link."""
    language = answer_language(answer.question)
    numbers = frozenset(evidence.number for evidence in answer.evidence)
    return PrintableAnswer(
        title=make_legible(answer.question),
        language=language,
        lines=tuple(_lines(_mark_text(answer), numbers)),
        heading=word("sources", language),
        quotations=tuple(_quotation(evidence, language) for evidence in answer.evidence),
        facts=tuple(make_legible(fact) for fact in _facts(answer, language)),
    )


def _mark_text(answer: Answer) -> str:
    """The answer's legible text with signs around the marked sentences of its passages."""
    text = make_legible(answer.text)
    for passage in answer.passages:
        marks = [TextMark(mark.start, mark.end, mark.number) for mark in passage.marks]
        plain = make_legible(render_marked(passage.text, marks, heading=passage.heading, code=passage.code))
        marked = render_marked(
            passage.text, marks, heading=passage.heading, code=passage.code, mark=_SIGNS, escape=make_legible
        )
        text = text.replace(plain, marked, 1)
    return text


def _lines(text: str, numbers: frozenset[int]) -> Iterator[tuple[PrintedPart, ...]]:
    """The lines of an answer in parts; code between fences is one."""
    end = 0
    for block in _FENCED.finditer(text):
        yield from _prose_lines(text[end : block.start()], numbers)
        yield (PrintedPart(block["code"], code=True),)
        end = block.end()
    yield from _prose_lines(text[end:], numbers)


def _prose_lines(text: str, numbers: frozenset[int]) -> Iterator[tuple[PrintedPart, ...]]:
    for line in text.removesuffix("\n").split("\n") if text else ():
        yield tuple(_parts(line, numbers))


def _parts(line: str, numbers: frozenset[int]) -> Iterator[PrintedPart]:
    marked = False
    for text in filter(None, _BORDER.split(line)):
        if text in _SIGNS:
            marked = text == _SIGNS[0]
            continue
        number = int(text[1:-1]) if _NUMBER.fullmatch(text) else 0
        yield PrintedPart(text, number if number in numbers else 0, marked=marked)


def _quotation(evidence: Evidence, language: str) -> PrintedQuotation:
    if not evidence.snippet:
        return PrintedQuotation(evidence.number, evidence.title, link="", where="", text="", remark="")
    page = "" if evidence.page is None else word("page", language, n=evidence.page)
    place = say_place(evidence.place, lambda n: word("notebook_cell", language=language, n=n))
    places = (join_lines(place) or page, join_lines(evidence.heading))
    state = NO_LONGER.get(evidence.source_state)
    return PrintedQuotation(
        number=evidence.number,
        title=join_lines(evidence.title),
        link=make_legible(evidence.link) if is_on_web(evidence.link) else "",
        where=" · ".join(make_legible(place) for place in places if place),
        text=make_legible(display_quotation(evidence.snippet, code=evidence.code)),
        remark=word(state, language) if state else "",
        code=evidence.code,
    )


def _facts(answer: Answer, language: str) -> Iterator[str]:
    """How far the sentences are carried, and why the search ended."""
    if any(sentence.support for sentence in answer.sentences):
        outcomes = [sentence.support for sentence in answer.sentences]
        counts = {str(outcome): outcomes.count(outcome) for outcome in SupportOutcome}
        yield word("support", language, **counts)
    reason = word(f"end_{answer.loop_stop}".lower(), language)
    yield f"{word('stopped_because', language)}: {reason}"
    yield f"{answer.condition} · {answer.created_at} · {answer.id}"
