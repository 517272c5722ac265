"""An answer as one page that needs nothing else: no script, no request, every word of documents escaped."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape

from shisho.domain.corpus import NO_LONGER
from shisho.domain.inquiry import Answer, Evidence, SupportOutcome
from shisho.domain.link import on_web
from shisho.language.display import legible, running
from shisho.language.script import answer_language
from shisho.messages.catalogue import word

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_STYLE = """
:root { color-scheme: light dark }
body { font: 1rem/1.7 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere }
.answer, blockquote { white-space: pre-wrap }
blockquote { margin: .3rem 0; padding-left: .8rem; border-left: .2rem solid }
li { margin-bottom: 1rem }
footer { font-size: .9rem; border-top: 1px solid; margin-top: 2rem }
"""
_NUMBER = re.compile(r"\[(\d{1,6})\]")


def answer_page(answer: Answer) -> str:
    """The whole document. `[n]` of the text leads to its quotation, and only what is on the web has a link."""
    language = answer_language(answer.question)
    title = _text(answer.question)
    rows = "\n".join(_quotation(evidence, language) for evidence in answer.evidence)
    facts = "".join(f"<p>{_text(fact)}</p>" for fact in _facts(answer, language))
    return (
        f'<!doctype html>\n<html lang="{language}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n"
        f'<div class="answer">{_linked(answer)}</div>\n'
        f"<h2>{_text(word('sources', language))}</h2>\n<ol>\n{rows}\n</ol>\n</main>\n"
        f"<footer>{facts}</footer>\n</body>\n</html>\n"
    )


def _linked(answer: Answer) -> str:
    numbers = {evidence.number for evidence in answer.evidence}

    def link(match: re.Match[str]) -> str:
        number = int(match[1])
        return f'<a href="#e{number}">{match[0]}</a>' if number in numbers else match[0]

    return _NUMBER.sub(link, _text(answer.text))


def _quotation(evidence: Evidence, language: str) -> str:
    title = _text(evidence.title)
    if on_web(evidence.link):
        title = f'<a href="{_text(evidence.link)}" rel="noreferrer noopener">{title}</a>'
    place = running(evidence.place) or (
        "" if evidence.page is None else word("page", language, n=evidence.page)
    )
    where = "".join(f" · {_text(part)}" for part in (place, running(evidence.heading)) if part)
    quotation = (
        _text(running(evidence.snippet)) if evidence.snippet else _text(word("removed_source", language))
    )
    state = NO_LONGER.get(evidence.source_state)
    remark = f"<p>{_text(word(state, language))}</p>" if state else ""
    return (
        f'<li id="e{evidence.number}" value="{evidence.number}">{title}{where}'
        f"<blockquote>{quotation}</blockquote>{remark}</li>"
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


def _text(text: str) -> str:
    return escape(legible(text), quote=True)
