"""Ask a person for consent before any words are sent to the web."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

import typer

from shisho.domain.inquiry import LoopStop
from shisho.domain.task import Sources, WebConsent
from shisho.errors import ConsentRequired, EmptyCorpus
from shisho.interfaces.cli.interrupts import confirm
from shisho.interfaces.cli.shell import Words

if TYPE_CHECKING:
    from shisho.domain.inquiry import Answer
    from shisho.domain.task import OutgoingQueries
    from shisho.services import Library
    from shisho.services.requirements import GoalLike


async def ask_with_consent(
    library: Library,
    words: Words,
    wording: tuple[str | None, str | None],
    sources: Sources,
    ask: Callable[[], Awaitable[Answer]],
    goals: Sequence[GoalLike] = (),
) -> Answer:
    """Return the answer of `ask`, after asking for consent if the web is needed.

    `wording`: the question and its conversation; None as the question resumes a stopped run. The person at
    the terminal is asked if consent is still undecided; for `auto` only if the documents leave something
    open.
    """
    words_asked, conversation = wording
    if words_asked is None or sources is Sources.DOCUMENTS or not _is_unanswered(library):
        return await ask()
    question = await library.conversations.understand(words_asked, conversation)
    if sources is not Sources.AUTO:
        ask_consent(library, words, await library.web.preview_question(question, goals))
        return await ask()
    try:
        answer = await ask()
    except (EmptyCorpus, ConsentRequired):
        if not ask_consent(library, words, await library.web.preview_question(question, goals)):
            raise
        return await ask()
    left_open = answer.missing and answer.loop_stop not in (LoopStop.CONDITION_MET, LoopStop.STOPPED)
    if left_open and ask_consent(library, words, await library.web.preview_question(question, goals)):
        return await ask()
    return answer


async def confirm_queries(library: Library, words: Words, queries: list[str]) -> None:
    """Ask before queries are queued, if consent is undecided; the library enforces the decision."""
    if _is_unanswered(library):
        ask_consent(library, words, await library.web.preview_queries(*queries))


def ask_consent(library: Library, words: Words, outgoing: OutgoingQueries) -> bool:
    """Show the queries and their recipients. A yes is stored, a no counts only this time."""
    queries = "\n".join(f"  {query}" for query in outgoing.queries)
    typer.echo(words("consent_words", queries=queries), err=True)
    typer.echo(
        words(
            "consent_box" if outgoing.boxed else "consent_engines",
            engines=", ".join(outgoing.engines),
        ),
        err=True,
    )
    said = confirm(words("consent_sure"))
    if said:
        library.web.set_consent(WebConsent.GIVEN)
    typer.echo(words("consent_kept" if said else "consent_not_kept"), err=True)
    return said


def _is_unanswered(library: Library) -> bool:
    """Return whether consent is undecided and a person is at the terminal."""
    return library.web.get_consent() is WebConsent.NOT_ASKED and sys.stdin.isatty() and sys.stderr.isatty()
