"""The growth of a search with the passages, as a picture: a line for each kind of search, both axes
logarithmic, from the figures that `bench/scale_postgres.py --figures FILE` keeps.

python bench/growth.py FILE docs/pictures/growth.svg
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ENDING = ", CPU ms"
SEARCHES = ("no filter", "1/200 by a filter", "500 seen")
COLOURS = ("#0b6e99", "#a15c00", "#6a3fa0")
WIDTH = 760
HEIGHT = 420
LEFT = 70
RIGHT = 190  # the names of the lines stand there
TOP = 30
BOTTOM = 60
LINE = 17  # from one name to the next
Points = Mapping[int, float]


@dataclass(frozen=True, slots=True)
class Axis:
    """A logarithmic axis over whole powers of ten, from one place of the picture to another."""

    low: int
    high: int
    begin: float
    end: float

    def place(self, value: float) -> float:
        share = (math.log10(value) - self.low) / (self.high - self.low)
        return self.begin + share * (self.end - self.begin)

    def powers(self) -> list[int]:
        return [10**power for power in range(self.low, self.high + 1)]


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    figures = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    lines = {
        name: {int(size): value for size, value in figures[name + ENDING].items()}
        for name in SEARCHES
        if name + ENDING in figures
    }
    Path(sys.argv[2]).write_text(draw(lines), "utf-8")


def draw(lines: Mapping[str, Points]) -> str:
    """The picture as SVG. `lines`: milliseconds by the number of passages, by the name of each search."""
    sizes = [size for points in lines.values() for size in points]
    costs = [cost for points in lines.values() for cost in points.values()]
    across = axis(min(sizes), max(sizes), LEFT, WIDTH - RIGHT)
    up = axis(min(costs), max(costs), HEIGHT - BOTTOM, TOP)
    parts = [*grid(across, up)]
    heights = spread([up.place(points[max(points)]) for points in lines.values()])
    for (name, points), colour, height in zip(lines.items(), COLOURS, heights, strict=False):
        parts += line(name, points, colour, across, up)
        last = f"{name}: {points[max(points)]:.0f} ms"
        parts.append(f'<text x="{WIDTH - RIGHT + 12}" y="{height + 4:.1f}" fill="{colour}">{last}</text>')
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="13">\n'
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>\n{body}\n</svg>\n'
    )


def axis(least: float, most: float, begin: float, end: float) -> Axis:
    return Axis(math.floor(math.log10(least)), math.ceil(math.log10(most)), begin, end)


def grid(across: Axis, up: Axis) -> Iterator[str]:
    """The lines of the powers of ten, and what the axes say."""
    for size in across.powers():
        x = across.place(size)
        yield f'<path d="M{x:.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="#ddd"/>'
        yield f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 20}" text-anchor="middle" fill="#333">{size:,}</text>'
    for cost in up.powers():
        y = up.place(cost)
        yield f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>'
        yield f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end" fill="#333">{cost:,} ms</text>'
    middle = (LEFT + WIDTH - RIGHT) / 2
    yield f'<text x="{middle}" y="{HEIGHT - 15}" text-anchor="middle" fill="#333">passages</text>'


def line(name: str, points: Points, colour: str, across: Axis, up: Axis) -> Iterator[str]:
    """One line with its points."""
    places = [(across.place(size), up.place(cost)) for size, cost in sorted(points.items())]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    yield f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>'
    for x, y in places:
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>'


def spread(heights: Sequence[float]) -> list[float]:
    """Heights at which names can stand beside the ends of their lines: as near as they can without
    touching."""
    free = float(HEIGHT)
    places: dict[int, float] = {}
    for number in sorted(range(len(heights)), key=lambda number: -heights[number]):
        places[number] = min(heights[number], free)
        free = places[number] - LINE
    return [places[number] for number in range(len(heights))]


if __name__ == "__main__":
    main()
