"""The question that a person is asked before any word goes out to the web."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

import typer

from shisho.domain.inquiry import LoopStop
from shisho.domain.task import Sources, WebConsent
from shisho.errors import ConsentRequired, EmptyCorpus
from shisho.interfaces.cli.interrupts import confirm
from shisho.interfaces.cli.messages import Words

if TYPE_CHECKING:
    from shisho.desk import Desk
    from shisho.desk.requirements import GoalLike
    from shisho.domain.inquiry import Answer
    from shisho.domain.task import OutgoingQueries


async def ask_with_consent(
    desk: Desk,
    words: Words,
    wording: tuple[str | None, str | None],
    sources: Sources,
    ask: Callable[[], Awaitable[Answer]],
    goals: Sequence[GoalLike] = (),
) -> Answer:
    """The answer of `ask`. `wording`: the question and the conversation that it goes on with; None for no
    question where a stopped run goes on. Where it would need the web and nobody has said yes or no yet, the
    person at the terminal is asked: for `auto` only once the library has left something open."""
    words_asked, conversation = wording
    if words_asked is None or sources is Sources.DOCUMENTS or not _unanswered(desk):
        return await ask()
    question = await desk.conversations.understand(words_asked, conversation)
    if sources is not Sources.AUTO:
        ask_consent(desk, words, await desk.tasks.preview_question(question, goals))
        return await ask()
    try:
        answer = await ask()
    except (EmptyCorpus, ConsentRequired):
        if not ask_consent(desk, words, await desk.tasks.preview_question(question, goals)):
            raise
        return await ask()
    left_open = answer.missing and answer.loop_stop not in (LoopStop.CONDITION_MET, LoopStop.STOPPED)
    if left_open and ask_consent(desk, words, await desk.tasks.preview_question(question, goals)):
        return await ask()
    return answer


async def confirm_queries(desk: Desk, words: Words, queries: list[str]) -> None:
    """Ask before queries are queued, where that has not been settled; what the person says is for the desk to
    heed."""
    if _unanswered(desk):
        ask_consent(desk, words, await desk.tasks.preview_queries(*queries))


def ask_consent(desk: Desk, words: Words, outgoing: OutgoingQueries) -> bool:
    """Show what would be sent, and to whom; a yes is remembered, a no is for this once."""
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
        desk.tasks.set_web_consent(WebConsent.GIVEN)
    typer.echo(words("consent_kept" if said else "consent_not_kept"), err=True)
    return said


def _unanswered(desk: Desk) -> bool:
    """True where the person has not been asked yet, and there is somebody to ask."""
    return desk.tasks.get_web_consent() is WebConsent.NOT_ASKED and sys.stdin.isatty() and sys.stderr.isatty()
