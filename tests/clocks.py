"""Clocks for tests whose two hands a test can move apart."""

from __future__ import annotations

from datetime import timedelta

from shisho.domain.time import Instant, add_seconds, from_epoch
from shisho.system.clock import SystemClock
from tests.queues import SetClock


class TwoHands(SetClock):
    """`pass_` moves both; `jump` the wall clock alone, `restart` sets the monotonic one back as a machine's
    start does."""

    def __init__(self) -> None:
        super().__init__()
        self.since_start = 1_000.0
        self.line = self.at.timestamp()

    def timeline_now(self) -> Instant:
        return from_epoch(self.line)

    def monotonic(self) -> float:
        return self.since_start

    def pass_(self, seconds: float) -> None:
        super().pass_(seconds)
        self.line += seconds
        self.since_start += seconds

    def jump(self, seconds: float) -> None:
        self.at += timedelta(seconds=seconds)

    def restart(self) -> None:
        self.since_start = 3.0


class Ahead(SystemClock):
    """The machine's clock, put forward by `seconds`."""

    seconds = 0.0

    def now(self) -> Instant:
        return add_seconds(super().now(), self.seconds)

    def timeline_now(self) -> Instant:
        return add_seconds(super().timeline_now(), self.seconds)

    def monotonic(self) -> float:
        return super().monotonic() + self.seconds
