"""Handle Ctrl-C: the first stops a command cleanly and says how to resume.

The second exits at once.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

import typer

from shisho import settings
from shisho.errors import ShishoError
from shisho.messages.catalogue import translate_word

INTERRUPTED = 128 + signal.SIGINT
TERMINATED = 128 + signal.SIGTERM
SECONDS_BETWEEN_LOOKS = 0.2


class EndRequest(asyncio.Event):
    """An event for the request to stop, so that the process exits cleanly.

    `interrupted`: by Ctrl-C.
    """

    def __init__(self) -> None:
        super().__init__()
        self.interrupted = False

    def request_stop(self, name: str) -> None:
        """Request the stop because of this signal."""
        self.interrupted = name == "SIGINT"
        if self.interrupted:
            end_at_second_interrupt()
        self.set()


def end_request(*, with_terminal: bool = False) -> EndRequest:
    """Listen for signals in the running loop and return the stop request.

    `with_terminal`: also when the terminal is closed, which processes started with nohup must survive.
    """
    request = EndRequest()
    loop = asyncio.get_running_loop()
    for name in ("SIGINT", "SIGTERM", *(["SIGHUP"] if with_terminal else [])):
        try:
            loop.add_signal_handler(getattr(signal, name), request.request_stop, name)
        # Windows: the process exits normally; its jobs are reclaimed when their leases expire
        except (AttributeError, NotImplementedError):
            break
    return request


def end_at_second_interrupt() -> None:
    """Let the next Ctrl-C exit at once: stored data is consistent at any moment."""
    asyncio.get_running_loop().remove_signal_handler(signal.SIGINT)
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def confirm(question: str) -> bool:
    """Ask the person at the terminal, on stderr.

    Ctrl-C works although the event loop is blocked.
    """
    with _raise_interrupts():
        return typer.confirm(question, err=True)


@contextmanager
def _raise_interrupts() -> Iterator[None]:
    """Raise KeyboardInterrupt for a Ctrl-C, and again if the prompt is still waiting.

    `input` drops exceptions raised while it flushes the streams before reading.
    """
    looks = 0  # remaining checks; the first may coincide with the Ctrl-C

    def interrupt(*_: object) -> None:
        nonlocal looks
        looks = 2
        raise KeyboardInterrupt

    def look() -> None:
        nonlocal looks
        if looks:
            looks -= 1
            if not looks:
                raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        with _wake_reads(look):
            yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _wake_reads(look: Callable[[], None]) -> Iterator[None]:
    """Interrupt a read of the terminal at intervals and call `look`.

    Python only checks for Ctrl-C when the read returns: one just before the read would wait for the next key.
    """
    if not hasattr(signal, "setitimer"):  # Windows reads in short intervals
        yield
        return
    before = signal.signal(signal.SIGALRM, lambda *_: look())
    signal.setitimer(signal.ITIMER_REAL, SECONDS_BETWEEN_LOOKS, SECONDS_BETWEEN_LOOKS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def run_to_end(work: Coroutine[Any, Any, None], context: typer.Context, kept: str) -> None:
    """Run a coroutine. Ctrl-C cancels it, prints the message `kept` and exits with 130."""

    async def run_cancellable() -> None:
        task = asyncio.current_task()
        assert task is not None

        def cancel(name: str) -> None:
            by_signal.append(name)
            if name == "SIGINT":
                end_at_second_interrupt()
            task.cancel()

        for name in ("SIGINT", "SIGTERM"):
            try:
                asyncio.get_running_loop().add_signal_handler(getattr(signal, name), cancel, name)
            except NotImplementedError:  # Windows: asyncio's own way
                break
        await work

    by_signal: list[str] = []
    try:
        asyncio.run(run_cancellable())
    except (asyncio.CancelledError, KeyboardInterrupt):
        if by_signal == ["SIGTERM"]:
            raise typer.Exit(TERMINATED) from None
        exit_interrupted(context, kept)


def exit_interrupted(context: typer.Context, kept: str = "interrupted") -> NoReturn:
    """Print what was kept and how to resume, and exit with 130."""
    try:
        reader = settings.load(**(context.find_root().obj or {})).reader
    except ShishoError:
        reader = settings.parse_language(())
    typer.echo(translate_word(kept, reader), err=True)
    raise typer.Exit(INTERRUPTED)


Heard = Callable[[], bool]


def stop_on_interrupt(words: Callable[[str], str]) -> Heard:
    """Listen for Ctrl-C and return a function that reports it.

    The librarian then stops at the next step.
    """
    is_asked = False

    def note_stop() -> None:
        nonlocal is_asked
        is_asked = True
        end_at_second_interrupt()
        typer.echo(words("stopping"), err=True)

    try:
        asyncio.get_running_loop().add_signal_handler(signal.SIGINT, note_stop)
    except NotImplementedError:  # Windows: Ctrl-C ends the process; the run can still be resumed
        return lambda: False
    return lambda: is_asked
