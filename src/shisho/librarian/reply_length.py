"""Limit the length of a model's reply by the kind of the answer and the length that the question requests."""

from __future__ import annotations

from dataclasses import replace

from shisho.domain.inquiry import Strategy
from shisho.domain.requirements import RequestKind
from shisho.language.patterns import compile_lazily
from shisho.language.terms import fold
from shisho.librarian.prompting import PromptFile

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
_FORM = compile_lazily(
    r"表(?:に(?!つ)|で|形式)|箇条書き|見出し|章立て|\b(?:tables?|bullet points|chapters|headings|sections)\b"
)
_LENGTH = compile_lazily(r"([0-9][0-9,]{0,6}) ?(?:文字|字|(words?)\b)")


def asks_for_form(question: str) -> bool:
    """Return whether a question asks for a table, a list or headings."""
    return _FORM.search(fold(question)) is not None


def size_reply(prompt: PromptFile, strategy: Strategy, context: int) -> PromptFile:
    """Return the prompt with the token limit for this question.

    `context`: the model's context in tokens.
    """
    wanted = [prompt.max_output_tokens, _KIND_TOKENS.get(strategy.kind, 0)]
    if asks_for_form(strategy.question):
        wanted.append(_FORM_TOKENS)
    for length in _LENGTH.finditer(fold(strategy.question)):
        each = TOKENS_A_WORD if length[2] else TOKENS_A_CHARACTER
        wanted.append(each * int(length[1].replace(",", "")))
    most = max(prompt.max_output_tokens, context // CONTEXT_PART)
    return replace(prompt, max_output_tokens=min(most, max(wanted)))
