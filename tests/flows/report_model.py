"""A library of ten short documents, and a played model that writes reports from them."""

from __future__ import annotations

import atexit
import json
import re
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from shisho.bootstrap.library import open_library
from shisho.services import Library
from shisho.testing.model_providers import FakeProvider, ProviderReply, ProviderRequest
from tests.inference.providing import KEY

TOWNS = ("Ashby", "Barrow", "Corby", "Denby", "Egton", "Formby", "Grimsby", "Hornby", "Irby", "Kirkby")
TOPICS = ("harbour dredging", "library roof", "bus timetable", "flood warden")
REQUEST = "How do the towns of the bay spend their money?"
QUOTATION = re.compile(r"^⟦\w+ quotation (\d+) for[^\n]*\n(.*?)\n⟦", re.S | re.M)
PASSAGE = re.compile(r"^⟦\w+ passage (\d+)[^\n]*\n(.*?)\n⟦", re.S | re.M)
NUMBER = re.compile(r"\[(\d+)\]")
Script = Callable[[ProviderRequest], ProviderReply]


def write_town(town: str, place: int) -> str:
    """A budget of a town with a section for each topic."""
    sections = [
        f"## The {topic} of {town}\n\nThe council of {town} pays {place}{at}00 pounds for the {topic} each year. "
        f"The {topic} of {town} is reviewed by a committee of {place + at + 3} members."
        for at, topic in enumerate(TOPICS, 1)
    ]
    return f"# Budget of {town}\n\n" + "\n\n".join(sections)


def name_kind(request: ProviderRequest) -> str:
    """Name the shape that a call asks for."""
    known = ("sections", "introduction", "findings", "keywords", "blocks", "verdicts", "goals")
    return next(name for name in known if name in request.schema["properties"])


def play(request: ProviderRequest) -> ProviderReply:
    """Reply as a diligent model: a section for each topic, every matching sentence found and cited."""
    match name_kind(request):
        case "sections":
            reply: object = [
                {"heading": topic, "questions": [f"What do the councils pay for the {topic}?"]}
                for topic in TOPICS
            ]
            reply = {"sections": reply}
        case "findings":
            reply = find(request)
        case "blocks":
            quoted = [
                (int(number), text.splitlines()[-1]) for number, text in QUOTATION.findall(request.text)
            ]
            sentences = [{"text": text, "cites": [number]} for number, text in quoted]
            reply = {"blocks": [{"type": "paragraph", "sentences": sentences}]}
        case "introduction":
            line = next(line for line in request.text.splitlines() if NUMBER.search(line))
            cites = [int(number) for number in NUMBER.findall(line)]
            sentence = {"text": NUMBER.sub("", line).strip(), "cites": cites}
            reply = {"introduction": [sentence], "conclusion": [sentence]}
        case "keywords":
            reply = {"keywords": ["council"], "meaning": "what the council pays", "reasoning": "money"}
        case _:
            reply = {"verdicts": []}
    return ProviderReply(json.dumps(reply))


def find(request: ProviderRequest) -> object:
    """Pick from each passage the sentence that says what is paid for the topic of the section."""
    topic = next(topic for topic in TOPICS if f"pay for the {topic}?" in request.text)
    goal = re.search(r"^(S\d+\.\d+): ", request.text, re.M)
    assert goal
    findings = [
        {"passage": int(number), "goal": goal[1], "quotation": sentence, "score": 0.9}
        for number, text in PASSAGE.findall(request.text)
        for sentence in re.findall(r"The council[^.]*\.", text)
        if topic in sentence
    ]
    state = "complete" if findings else "open"
    return {"findings": findings, "goals": [{"goal": goal[1], "state": state}], "status": "COMPLETE"}


@asynccontextmanager
async def open_report_library(
    folder: Path, script: Script = play, towns: tuple[str, ...] = TOWNS, **settings: object
) -> AsyncIterator[tuple[Library, FakeProvider]]:
    """Open a library that has the budgets of these towns, and whose model is played."""
    if not folder.joinpath("home").exists():
        shutil.copytree(await stock_towns(towns), folder / "home")
    async with FakeProvider(script) as provider:
        given = {
            "model": "ollama/m-1",
            "model_url": provider.build_url("ollama"),
            "model_key": KEY,
            "model_seconds": 60.0,
            "model_context": 16_384,
            **settings,
        }
        async with open_library(home=folder / "home", web="off", **given) as library:  # type: ignore[arg-type]
            yield library, provider


_stocked: dict[tuple[str, ...], Path] = {}


async def stock_towns(towns: tuple[str, ...]) -> Path:
    """Return a home with the budgets of these towns, added once in a process."""
    if towns not in _stocked:
        folder = Path(tempfile.mkdtemp(prefix="shisho-towns-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        folder.joinpath("budgets").mkdir()
        for place, town in enumerate(towns, 1):
            folder.joinpath("budgets", f"{town}.md").write_text(write_town(town, place), "utf-8")
        async with open_library(home=folder / "home", web="off") as library:
            async for receipt in library.documents.add(folder / "budgets"):
                assert receipt.outcome == "added", receipt
        _stocked[towns] = folder / "home"
    return _stocked[towns]
