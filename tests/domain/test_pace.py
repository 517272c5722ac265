"""The limiter's rule under thousands of random histories, with clocks that jump and askers that die."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from shisho.domain.politeness import LEASE_S, Limit, ResourcePace, acquire, describe_status, release
from tests.tables import each_row

START = 1_782_896_400.0  # 2026-07-01T09:00Z
NAMES = [f"t{number}" for number in range(8)]


@dataclass
class History:
    """A resource, and what has truly happened at it: `true` is a time that no clock shows."""

    limit: Limit
    chance: random.Random
    pace: ResourcePace = field(default_factory=ResourcePace)
    true: float = 0.0
    wall: float = START
    monotonic: float = 500.0
    under_way: dict[str, float] = field(default_factory=dict)
    ends: list[float] = field(default_factory=list)
    begins: list[float] = field(default_factory=list)
    promised: dict[str, float] = field(default_factory=dict)

    def turn(self) -> None:
        doing = self.chance.choice(["pass", "pass", "ask", "ask", "ask", "end", "end", "die", "jump"])
        name = self.chance.choice(NAMES)
        if doing == "pass":
            seconds = self.chance.choice([0.001, 0.3, self.limit.interval_s / 2, self.limit.interval_s, 7.0])
            self.true = self.true + seconds
            self.wall = self.wall + seconds
            self.monotonic = self.monotonic + seconds
            # fetches end by themselves
            for old in [one for one, began in self.under_way.items() if self.true - began > 30]:
                self.ends.append(self.under_way.pop(old) + 30)
        elif doing == "jump":
            self.wall += self.chance.uniform(-7200, 7200)
        elif doing == "ask" and name not in self.under_way:
            self.ask(name)
        elif doing == "end" and name in self.under_way:
            del self.under_way[name]
            self.ends.append(self.true)
            self.pace = release(self.now(), self.limit, name)
        elif doing == "die" and name in self.under_way:
            del self.under_way[name]  # its request went out, and nobody gives it back
            self.ends.append(self.true)

    def now(self) -> ResourcePace:
        return self.pace.advance(self.wall, self.monotonic)

    def ask(self, name: str) -> None:
        free_in = describe_status(self.now(), self.limit).free_in_s
        # waits where others need not
        lost = any(one.ticket == name and one.began is not None for one in self.pace.tickets)
        self.pace, leave = acquire(self.now(), self.limit, name)
        longest = max(LEASE_S, self.limit.interval_s * (len(NAMES) + 1))
        assert leave.granted or (0 < leave.wait_s <= longest and (lost or free_in > 0))
        if leave.granted:
            assert len(self.under_way) < self.limit.parallel
            assert all(
                self.true - end >= self.limit.interval_s - 1e-5
                for end in self.ends
                if self.limit.parallel == 1
            )
            assert all(self.true - begin >= self.limit.interval_s - 1e-5 for begin in self.begins)
            self.under_way[name] = self.true
            self.begins.append(self.true)


@each_row("limit", [Limit(5.0), Limit(0.33, parallel=2), Limit(1.0, parallel=3), Limit(30.0)])
def test_no_history_breaks_the_limit(limit: Limit) -> None:
    granted = 0
    for seed in range(60):
        history = History(limit, random.Random(seed))
        for _ in range(300):
            history.turn()
        granted += len(history.begins)
    assert granted > 60, "something was let through"


def test_the_day_is_never_overdrawn_and_no_page_counted_twice() -> None:
    for seed in range(20):
        chance = random.Random(seed)
        limit = Limit(1.0, per_day=12)
        pace = ResourcePace()
        pages = dict.fromkeys(NAMES, 0)
        sent = set[str]()
        for second in range(2_000):
            pace = pace.advance(START + second, 500.0 + second)
            name = chance.choice(NAMES)
            ticket = f"{name} {pages[name]}"
            pace, leave = acquire(pace, limit, ticket)
            if leave.granted:
                sent.add(ticket)
                if chance.random() < 0.6:  # else it dies, and asks again with the same ticket
                    pace = release(pace, limit, ticket)
                    pages[name] += 1
            assert pace.used == len(sent)
        assert len(sent) == 12
