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


def anchored(anchor: Anchor | None, boot: str, wall: float, monotonic: float) -> Anchor:
    """The anchor for now. It stands as long as the machine runs. After a start the wall clock says how long
    it was off; where that ran back, the line goes on where it was known last, so that nobody waits for the
    difference."""
    if anchor is not None and anchor.is_of(boot, monotonic):
        return anchor
    at = wall if anchor is None else max(wall, anchor.noted)
    return Anchor(boot, at, monotonic, at)


def noted(anchor: Anchor, monotonic: float) -> Anchor:
    """With the latest known."""
    return replace(anchor, noted=max(anchor.noted, anchor.reads(monotonic)))
