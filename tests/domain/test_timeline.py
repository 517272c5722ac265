"""The time line of what is waited for: one table of what clocks do, and what the line says then."""

from __future__ import annotations

from dataclasses import replace

from shisho.domain.time import Anchor, ServerAnchor, set_anchor, set_server_anchor
from tests.tables import each_row

HOUR = 3600.0
BEGUN = set_anchor(None, "boot a", 1_000_000.0, 50.0)


def test_it_begins_with_the_wall_clock() -> None:
    assert Anchor("boot a", 1_000_000.0, 50.0, 1_000_000.0) == BEGUN


@each_row("jump", [0.0, HOUR, -HOUR, 24 * HOUR, -24 * HOUR])
def test_no_jump_of_the_wall_clock_moves_it(jump: float) -> None:
    later = set_anchor(BEGUN, "boot a", 1_000_060.0 + jump, 110.0)
    assert later == BEGUN and later.read_at(110.0) == 1_000_060.0


@each_row(
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
    known = replace(BEGUN, noted=1_000_060.0)
    again = set_anchor(known, boot, wall, monotonic)
    assert again.read_at(monotonic) == reads
    assert again.read_at(monotonic + 7.0) == reads + 7.0


AHEAD = ServerAnchor(ahead=10.0, noted=1_000_010.0, wall=1_000_000.0)


@each_row(
    ("passed", "wall", "reads"),
    [
        (5.0, 1_000_005.0, 1_000_015.0),
        (5.0, 1_000_005.5, 1_000_015.5),  # clocks that run a little apart: the server's is believed
        (5.0, 1_000_005.0 + HOUR, 1_000_015.0),  # the server's clock has jumped
        (5.0, 1_000_005.0 - HOUR, 1_000_015.0),
        (600.0, 1_000_600.0 + HOUR, 1_000_610.0),
    ],
)
def test_no_jump_of_the_servers_clock_moves_the_line(passed: float, wall: float, reads: float) -> None:
    anchor = set_server_anchor(AHEAD, wall, AHEAD.noted + passed)
    assert (anchor.noted, anchor.wall) == (reads, wall)
    assert set_server_anchor(anchor, wall + 1, None).noted == reads + 1, "whoever comes then reads the same"


def test_machine_that_slept_learns_from_those_who_went_on() -> None:
    noted_by_others = ServerAnchor(10.0, 1_003_600.0, 1_003_590.0)
    assert set_server_anchor(noted_by_others, 1_003_595.0, 1_000_015.0).noted == 1_003_605.0


def test_who_begins_believes_the_server_and_never_runs_back() -> None:
    assert set_server_anchor(None, 1_000_000.0, None) == ServerAnchor(0.0, 1_000_000.0, 1_000_000.0)
    assert set_server_anchor(AHEAD, 1_000_060.0, None).noted == 1_000_070.0
    assert set_server_anchor(AHEAD, 1_000_060.0 - HOUR, None).noted == AHEAD.noted
