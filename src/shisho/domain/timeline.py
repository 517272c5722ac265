"""The time line of everything that is waited for. It begins with the wall clock when the machine starts, and
then goes on with the monotonic clock alone: wherever the wall clock jumps to, nobody waits longer or shorter
than was said."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Anchor:
    """One for all processes that share a store. `at`: what the line said, in seconds since 1970, when the
    monotonic clock of `boot` (the machine's run; "" where the system names none) said `monotonic`. `noted`:
    the latest known of it."""

    boot: str
    at: float
    monotonic: float
    noted: float

    def reads(self, monotonic: float) -> float:
        """The instant on the line when the monotonic clock reads `monotonic`."""
        return self.at + monotonic - self.monotonic

    def is_of(self, boot: str, monotonic: float) -> bool:
        """True where the machine has not been started again since."""
        return self.boot == boot and self.reads(monotonic) >= self.noted


def set_anchor(anchor: Anchor | None, boot: str, wall: float, monotonic: float) -> Anchor:
    """The anchor for now. It stands as long as the machine runs. After a start the wall clock says how long
    it was off; where that ran back, the line goes on where it was known last, so that nobody waits for the
    difference."""
    if anchor is not None and anchor.is_of(boot, monotonic):
        return anchor
    at = wall if anchor is None else max(wall, anchor.noted)
    return Anchor(boot, at, monotonic, at)


def note_time(anchor: Anchor, monotonic: float) -> Anchor:
    """With the latest known."""
    return replace(anchor, noted=max(anchor.noted, anchor.reads(monotonic)))


WITNESS_S = 15.0
"""Whoever has noted the line so lately was there when a clock seemed to jump."""
JUMP_S = 2.0
"""Clocks that run apart by less are put right; more is a jump."""


@dataclass(frozen=True, slots=True)
class ServerAnchor:
    """One for all machines that share a server, none of whose clocks since the start is known to the others.
    The line is `ahead` of the server's clock. When that said `wall`, the line said `noted`; all in seconds
    since 1970."""

    ahead: float
    noted: float
    wall: float

    def was_noted(self, wall: float, seconds: float) -> bool:
        """True where somebody has noted it in so many seconds before the server's clock says `wall`."""
        return 0 <= wall - self.wall < seconds


def set_server_anchor(anchor: ServerAnchor | None, wall: float, expected: float | None) -> ServerAnchor:
    """The anchor now, when the server's clock says `wall`. `expected`: what the line says by the own clock of
    who asks; None for who has just begun.

    Where the two disagree, either the server's clock has jumped or who asks was stopped for a while (a
    machine that slept). If the others went on noting the line meanwhile, it was the latter."""
    if anchor is None:
        return ServerAnchor(0.0, wall, wall)
    line = wall + anchor.ahead
    if expected is not None and abs(line - expected) > JUMP_S and not anchor.was_noted(wall, WITNESS_S):
        line = expected
    line = max(line, anchor.noted)
    return ServerAnchor(line - wall, line, wall)
