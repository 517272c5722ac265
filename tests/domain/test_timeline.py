"""The time line of what is waited for: one table of what clocks do, and what the line says then."""

from __future__ import annotations

import pytest

from shisho.domain.timeline import Anchor, anchored, noted

HOUR = 3600.0
BEGUN = anchored(None, "boot a", 1_000_000.0, 50.0)


def test_it_begins_with_the_wall_clock() -> None:
    assert Anchor("boot a", 1_000_000.0, 50.0, 1_000_000.0) == BEGUN


@pytest.mark.parametrize("jump", [0.0, HOUR, -HOUR, 24 * HOUR, -24 * HOUR])
def test_no_jump_of_the_wall_clock_moves_it(jump: float) -> None:
    later = anchored(BEGUN, "boot a", 1_000_060.0 + jump, 110.0)
    assert later == BEGUN and later.reads(110.0) == 1_000_060.0


@pytest.mark.parametrize(
    ("boot", "wall", "monotonic", "reads"),
    [
        ("boot b", 1_000_600.0, 5.0, 1_000_600.0),  # off for nine minutes: those who wait have waited them
        ("boot b", 1_000_600.0 + HOUR, 5.0, 1_004_200.0),  # nobody can tell an hour off from a jump
        ("boot b", 1_000_600.0 - HOUR, 5.0, 1_000_060.0),  # it never runs back: nobody waits for the hour
        ("boot b", 1_000_600.0, 700.0, 1_000_600.0),  # up for longer than the run before
        ("boot a", 1_000_600.0, 5.0, 1_000_600.0),  # a run without a name of its own: its clock ran back
    ],
)
def test_after_a_start_it_goes_on_from_where_it_was_known_last(
    boot: str, wall: float, monotonic: float, reads: float
) -> None:
    known = noted(BEGUN, 110.0)
    again = anchored(known, boot, wall, monotonic)
    assert again.reads(monotonic) == reads
    assert again.reads(monotonic + 7.0) == reads + 7.0


def test_what_is_noted_never_sinks() -> None:
    assert noted(noted(BEGUN, 110.0), 60.0).noted == 1_000_060.0
