"""How well questions are answered from the web alone: `python bench/answers.py [--questions 40] [--seed 1]`.

Over a web in a box (three hundred pages on forty hosts) whose questions have known answers, each asked by
itself, one after the other, on a library that grows. Engines over HTTP answer every 0.2 s, where real ones
want 2 to 5 s; hosts keep their second between two requests, and robots.txt is asked, as on the real web."""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles

from shisho.bootstrap.library import open_library
from shisho.domain.inquiry import Answer
from shisho.domain.task import MAX_WAIT, AskOptions, Sources
from shisho.services import Library
from shisho_box.log import LogEntry
from shisho_box.server import Box
from shisho_box.world import BoxQuestion

QUICK = ("mojeek", "duckduckgo", "marginalia", "startpage", "wikipedia")
WITHOUT = ("ecosia", "qwant", "brave")
"""Need a browser."""
MAX_SECONDS = 600.0
BOUNDS = {"answered with the gold string": (">", 0.8), "abstained": ("<", 0.1)}


@dataclass(frozen=True, slots=True)
class Outcome:
    """One question: its answer (None: not in time), how long it took, and which requests it made."""

    question: BoxQuestion
    answer: Answer | None
    seconds: float
    asked: Sequence[LogEntry]

    @property
    def gold(self) -> bool:
        return self.answer is not None and any(
            self.question.gold in one.snippet for one in self.answer.evidence
        )

    @property
    def abstained(self) -> bool:
        return self.answer is None or self.answer.abstained

    @property
    def serps(self) -> int:
        return sum(bool(entry.page) for entry in self.asked)

    @property
    def visited(self) -> int:
        """Pages that results led to; robots.txt is no page."""
        return sum(not entry.page and entry.path != "/robots.txt" for entry in self.asked)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--questions", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", action="store_true", help="the questions that were not answered")
    given = parser.parse_args()
    os.environ["SHISHO_WEB"] = "on"  # of which the box is all there is
    outcomes = asyncio.run(asked_all(given.questions, given.seed))
    report(outcomes, given.questions)
    if given.show:
        for one in outcomes:
            if not one.gold:
                told = (
                    [evidence.snippet for evidence in one.answer.evidence]
                    if one.answer
                    else "no answer in time"
                )
                print(f"{one.question.text} → {one.question.gold}: {told}")


async def asked_all(count: int, seed: int) -> list[Outcome]:
    """As many of the questions as there is time for."""
    outcomes: list[Outcome] = []
    with tempfile.TemporaryDirectory(prefix="shisho-bench-") as folder:
        home = Path(folder) / "home"
        box_folder = Path(folder) / "box"
        home.mkdir()
        (home / "engines.toml").write_text(engines(), "utf-8")
        async with Box(seed=seed, folder=box_folder) as box:
            chosen = random.Random(seed).sample(box.questions, count)
            async with open_library(home=home, box=str(box_folder)) as library, library.working():
                began = time.monotonic()
                for question in chosen:
                    if time.monotonic() - began > MAX_SECONDS:
                        break
                    outcomes.append(await asked(library, box, question))
    return outcomes


def engines() -> str:
    quick = "".join(f"[{name}]\ninterval_s = 0.2\n" for name in QUICK)
    return quick + "".join(f"[{name}]\nenabled = false\n" for name in WITHOUT)


async def asked(library: Library, box: Box, question: BoxQuestion) -> Outcome:
    known = len(box.log.requests)
    began = time.monotonic()
    held = await library.questions.queue(
        question.text, options=AskOptions(sources=Sources.WEB), wait=MAX_WAIT
    )
    while held.answer is None and time.monotonic() - began < 2 * MAX_WAIT:
        held = await library.questions.wait(held.answer_id, wait=MAX_WAIT)
    return Outcome(question, held.answer, time.monotonic() - began, box.log.requests[known:])


def report(outcomes: Sequence[Outcome], wanted: int) -> None:
    count = len(outcomes)
    print(f"{count} of {wanted} questions asked of the web in a box")
    shares = {
        "answered with the gold string": sum(one.gold for one in outcomes) / count,
        "abstained": sum(one.abstained for one in outcomes) / count,
    }
    for name, share in shares.items():
        sign, bound = BOUNDS[name]
        held = share > bound if sign == "<" else share < bound
        print(f"{name:44} {share:>12.1%}   (wanted {sign} {bound:.0%}{': NOT HELD' if held else ''})")
    figures = {
        "seconds a question": [one.seconds for one in outcomes],
        "pages visited a question": [float(one.visited) for one in outcomes],
        "result pages a question": [float(one.serps) for one in outcomes],
    }
    for name, values in figures.items():
        most = quantiles(values, n=20, method="inclusive")[-1]
        print(f"{name:44} {median(values):>12,.1f}   (95 % within {most:,.1f})")


if __name__ == "__main__":
    main()
