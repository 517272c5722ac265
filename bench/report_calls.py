"""Measure the tokens of the model calls of a report, with a played model over the documents of a folder.

    python bench/report_calls.py FOLDER [--request REQUEST] [--sections 6] [--context 8192]

The model plans one section for each heading of the map of the library, quotes two sentences of each passage,
and writes a sentence for each quotation. Tokens are estimated by `shisho.language`."""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import mean

from shisho.bootstrap.library import open_library
from shisho.language import estimate_tokens
from shisho.testing.model_providers import FakeProvider, ProviderReply, ProviderRequest

SHAPES = ("sections", "introduction", "findings", "keywords", "blocks", "verdicts")
PASSAGE = re.compile(r"^⟦\w+ passage (\d+)[^\n]*\n(.*?)\n⟦", re.S | re.M)
QUOTATION = re.compile(r"^⟦\w+ quotation (\d+)[^\n]*\n(.*?)\n⟦", re.S | re.M)
MAP = re.compile(r"^⟦\w+ library[^\n]*\n(.*?)\n⟦", re.S | re.M)
GOAL = re.compile(r"^(S\d+\.\d+): ", re.M)
CITED = re.compile(r"\[(\d+)\]")
SENTENCE = re.compile(r"[^。.\n]{20,300}[。.]")
MAX_FINDINGS = 12  # in one call


def name_shape(request: ProviderRequest) -> str:
    """Name the shape of the reply that is asked for."""
    return next((shape for shape in SHAPES if shape in request.schema["properties"]), "other")


def play(request: ProviderRequest) -> str:
    """Reply as a model that quotes and writes much."""
    match name_shape(request):
        case "sections":
            reply: object = {"sections": _plan_sections(request.text)}
        case "findings":
            reply = _find(request.text)
        case "blocks":
            quoted = [(int(number), text) for number, text in QUOTATION.findall(request.text)]
            sentences = [{"text": text.splitlines()[-1], "cites": [number]} for number, text in quoted]
            reply = {"blocks": [{"type": "paragraph", "sentences": sentences}]}
        case "introduction":
            lines = [line for line in request.text.splitlines() if CITED.search(line)][:6]
            written = [
                {"text": CITED.sub("", line).strip(), "cites": [int(each) for each in CITED.findall(line)]}
                for line in lines
            ]
            reply = {"introduction": written, "conclusion": written}
        case "keywords":
            goals = re.findall(r"^S\d+\.\d+: (.*)", request.text, re.M)
            reply = {"keywords": goals[:1], "meaning": " ".join(goals), "reasoning": ""}
        case "verdicts":
            count = request.text.count(" end of sentence ")
            reply = {"verdicts": [{"sentence": n, "verdict": "supported"} for n in range(1, count + 1)]}
        case _:
            reply = {}
    return json.dumps(reply, ensure_ascii=False)


def _plan_sections(text: str) -> Sequence[object]:
    found = MAP.search(text)
    lines = found[1].splitlines() if found else []
    headings = [line.split(" | ")[-1].split("; ")[0] for line in lines]
    return [{"heading": heading[:60], "questions": [heading]} for heading in dict.fromkeys(headings)]


def _find(text: str) -> object:
    goals = GOAL.findall(text)
    findings = [
        {"passage": int(number), "goal": goals[0], "quotation": sentence, "score": 0.9}
        for number, passage in PASSAGE.findall(text)
        for sentence in SENTENCE.findall(passage)[:2]
    ][:MAX_FINDINGS]
    states = [{"goal": goal, "state": "complete" if findings else "open"} for goal in goals]
    return {"findings": findings, "goals": states, "status": "COMPLETE" if findings else "CONTINUE"}


async def measure(
    folder: Path, request: str, sections: int, context: int
) -> dict[str, list[tuple[int, int]]]:
    """Return the tokens read and written by each call of one report, by the shape of the reply."""
    sizes: dict[str, list[tuple[int, int]]] = defaultdict(list)

    def hear(call: ProviderRequest) -> ProviderReply:
        reply = play(call)
        read = estimate_tokens(call.instructions) + estimate_tokens(call.text)
        sizes[name_shape(call)].append((read, estimate_tokens(reply)))
        return ProviderReply(reply)

    with tempfile.TemporaryDirectory() as home:
        async with FakeProvider(hear) as provider:
            settings = {
                "model": "ollama/m-1",
                "model_url": provider.build_url("ollama"),
                "model_context": context,
            }
            async with open_library(home=Path(home), web="off", model_seconds=60.0, **settings) as library:  # type: ignore[arg-type]
                added = [receipt async for receipt in library.documents.add(folder)]
                answer = await library.questions.ask(request, kind="report", sections=sections)
    print(f"{len(added)} files, {answer.loop_stop}, {len(answer.sentences)} sentences")
    return sizes


def main() -> None:
    """Print the calls and their mean tokens by shape and together."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--request", default="What do these documents report?")
    parser.add_argument("--sections", type=int, default=6)
    parser.add_argument("--context", type=int, default=8_192)
    args = parser.parse_args()
    sizes = asyncio.run(measure(args.folder, args.request, args.sections, args.context))
    together_calls = [call for calls in sizes.values() for call in calls]
    for shape, calls in (*sizes.items(), ("all", together_calls)):
        together = [read + written for read, written in calls]
        print(
            f"{shape:13} {len(calls):3} calls  read {mean(read for read, _ in calls):7,.0f}"
            f"  written {mean(written for _, written in calls):6,.0f}"
            f"  both {mean(together):7,.0f}  most {max(together):7,}"
        )


if __name__ == "__main__":
    main()
