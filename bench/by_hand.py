"""Questions with a person as the model: `python bench/by_hand.py play FOLDER` or `… replay`.

The questions are eval/played/questions.jsonl, over the documents of ../shared/eval-pdf-ja/pdfs that they
name. `play` asks all of them at the same time through the real client and the OpenAI-compatible server of
`exchange.py`: requests and replies are files in FOLDER. Then each answer is shown to a judge in the same way.
It can be stopped and started again: what was answered is not asked again. `--record` writes the replies and
verdicts to eval/played, without a word of the documents. `replay` asks the same questions of the recording,
and prints the same figures. `judge` replays it too, but asks another person for all verdicts: on the answers,
and beside the recorded ones on whether a quotation supports a sentence. `nodes ID …` prints what each node of
some answers was given and made, in sizes.
eval/by_hand.md tells a player what to do."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from exchange import ExchangeFolder, name_node
from judging import JUDGEMENT, Judgement, read_judgement, write_request
from played import DocumentTexts, Played, PlayedCall, record_calls, replay_calls, squeeze

import shisho
from shisho.bootstrap.library import open_library
from shisho.domain.codec import to_plain
from shisho.domain.inquiry import Answer, list_contradicted
from shisho.domain.requirements import RequestKind
from shisho.librarian.table import TABLE
from shisho.services import Library
from shisho.testing.model_providers import FakeProvider, ProviderReply, ProviderRequest, Script

ROOT = Path(__file__).parent.parent
PLAYED = ROOT / "eval" / "played"
REPLIES = PLAYED / "replies.jsonl"
VERDICTS = PLAYED / "verdicts.jsonl"
DEFAULT_COLLECTION = "eval-pdf-ja/pdfs"
INGEST = ("corpus", "language", "isolation", "stores/embedded")  # what decides what a library holds
A_WEEK_S = 7 * 86_400.0
CONTEXT = 32_768
ACCOUNTS = frozenset({"spent", "uses", "composed_at"})  # what every node keeps: its calls are in a column
LONGEST_NAME = 16
SETTINGS: Mapping[str, Any] = {
    "web": "off",
    "embedder": "none",
    "model": "openai/by-hand",
    "model_context": CONTEXT,
    "model_seconds": A_WEEK_S,
    "max_seconds": A_WEEK_S,
    "preset": "balanced",
}

MakeScript = Callable[[Mapping[str, str], DocumentTexts, Played], Script]


@dataclass(frozen=True, slots=True)
class PlayedQuestion:
    """A question and the answer that counts as right.

    `documents`: those that answer it, in the folder `collection` of the shared folder.
    `sections` and `words`: those of a report.
    """

    id: str
    kind: str
    documents: Sequence[str]
    question: str
    gold: str
    collection: str = DEFAULT_COLLECTION
    sections: int = 0
    words: int = 0


@dataclass(frozen=True, slots=True)
class PlayedResult:
    """An answer, what its check took out, and the verdicts on it, if it was judged. `fabricated`: quotations
    that differ from their document."""

    question: PlayedQuestion
    answer: Answer
    taken_out: Sequence[str]
    fabricated: int
    judgement: Judgement | None

    @property
    def is_right_and_clean(self) -> bool:
        return self.judgement is not None and self.judgement.is_right and self.judgement.is_clean


def main() -> None:
    options = read_options()
    os.environ["SHISHO_WEB"] = "off"
    if options.how == "nodes":
        asyncio.run(print_nodes(options))
        return
    results, played = asyncio.run(WAYS[options.how](options))
    if options.show:
        show(results)
    report(results, played)


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--show", action="store_true", help="print each answer")
    parser.add_argument(
        "--shared", type=Path, default=os.environ.get("SHISHO_SHARED", ROOT.parent / "shared")
    )
    ways = parser.add_subparsers(dest="how", required=True)
    playing = ways.add_parser("play", help="ask a person")
    playing.add_argument("folder", type=Path)
    playing.add_argument("--record", action="store_true", help="write eval/played")
    playing.add_argument("--only", nargs="*", default=[], help="ids of questions")
    ways.add_parser("replay", help="ask the recording")
    judging = ways.add_parser("judge", help="ask the recording, and another person for the verdicts")
    judging.add_argument("folder", type=Path)
    judging.add_argument("--record", action="store_true", help="write the verdicts to eval/played")
    nodes = ways.add_parser("nodes", help="print a table of the nodes of recorded answers")
    nodes.add_argument("only", nargs="+", help="ids of questions")
    return parser.parse_args()


async def play(options: argparse.Namespace) -> tuple[list[PlayedResult], Played]:
    """Ask whoever writes into the folder, first as the model, then as the judge."""
    questions = [each for each in load_questions() if not options.only or each.id in options.only]
    exchange = ExchangeFolder(options.folder)
    played = Played()
    answered = await ask_collections(Path(options.shared), questions, partial(record_calls, exchange), played)
    verdicts = await ask_verdicts(exchange, answered, played)
    if options.record:
        before = (load_calls(), load_verdicts()) if options.only else ({}, {})
        write_recording({**before[0], **played.calls}, {**before[1], **verdicts})
    return [judge(*each, played, verdicts) for each in answered], played


async def replay(options: argparse.Namespace) -> tuple[list[PlayedResult], Played]:
    """Ask the recording, as if it were the model."""
    played = Played()
    script = partial(replay_calls, load_calls())
    answered = await ask_collections(Path(options.shared), load_questions(), script, played)
    verdicts = load_verdicts()
    return [judge(*each, played, verdicts) for each in answered], played


async def judge_again(options: argparse.Namespace) -> tuple[list[PlayedResult], Played]:
    """Ask the recording, and whoever writes into the folder for the verdicts."""
    exchange, played, pairs = ExchangeFolder(options.folder), Played(), []

    def make_script(names: Mapping[str, str], texts: DocumentTexts, played: Played) -> Script:
        replayed = replay_calls(load_calls(), names, texts, played)

        async def script(request: ProviderRequest) -> ProviderReply:
            reply = replayed(request)
            if name_node(request) == "judge":
                another = await exchange(request)
                pairs.extend(pair_verdicts(json.loads(reply.text), json.loads(another.text)))
            return reply

        return script

    answered = await ask_collections(Path(options.shared), load_questions(), make_script, played)
    verdicts = await ask_verdicts(exchange, answered, played)
    print_agreement(pairs)
    if options.record:
        write_verdicts(verdicts)
    return [judge(*each, played, verdicts) for each in answered], played


WAYS = {"play": play, "replay": replay, "judge": judge_again}


async def print_nodes(options: argparse.Namespace) -> None:
    """Print a table for each of the questions: a row for each step that its run has stored."""
    results, played = await replay(options)
    for result in results:
        name = result.question.id
        if name not in options.only:
            continue
        home = await prepare_library(Path(options.shared), result.question.collection)
        async with open_library(home=home, web="off", embedder="none") as library:
            steps = await library._builder.stores.ledger.list_steps(result.answer.task_id)
            calls = iter(played.calls.get(name, ()))
            print(
                f"\n### {name}: {result.question.question}\n\n| node | sees | gives | model |\n|---|---|---|---|"
            )
            known = {"question", "earlier", "budget", "web_policy"}
            for step in steps:
                output = to_plain(step.output)["state"]
                sees = ", ".join(f"`{key}`" for key in TABLE[step.node].sees if key in known)
                known |= output.keys()
                gives = ", ".join(
                    f"`{key}` {size}"
                    for key, value in output.items()
                    if key not in ACCOUNTS and (size := measure(value))
                )
                asked = [next(calls) for use in output.get("uses", ()) if use["usage"]["calls"]]
                tokens = ", ".join(
                    f"{each.node}: {each.input_tokens:,} → {each.output_tokens}" for each in asked
                )
                print(f"| {step.node} | {sees} | {gives} | {tokens} |")


def measure(value: Any) -> str:
    """Return how much a value holds: a name of the program's own as it is, but no word of a document."""
    if isinstance(value, str):
        return value if value.isascii() and len(value) <= LONGEST_NAME else f"{len(value)} characters"
    if isinstance(value, list):
        (*_, last) = value or [""]
        return f"{len(value)} × {measure(last)}" if value else ""
    if isinstance(value, dict):
        if all(isinstance(part, float | list) for part in value.values()):  # by words of the question
            return f"of {len(value)}" if value else ""
        parts = [f"{key} {size}" for key, part in value.items() if part and (size := measure(part))]
        return f"({', '.join(parts)})" if parts else ""
    if isinstance(value, float):
        return f"{value:.2f}"
    return str(value).lower() if value else ""


def load_questions() -> list[PlayedQuestion]:
    lines = (PLAYED / "questions.jsonl").read_text("utf-8").splitlines()
    return [PlayedQuestion(**json.loads(line)) for line in lines]


def name_questions(questions: Iterable[PlayedQuestion]) -> Mapping[str, str]:
    return {each.question: each.id for each in questions}


async def prepare_library(shared: Path, collection: str) -> Path:
    """Return a library of the documents that the questions on a collection need.

    It is kept as long as it would be made the same.
    """
    questions = [each for each in load_questions() if each.collection == collection]
    names = sorted({name for each in questions for name in each.documents})
    home = ROOT / "build" / "by-hand" / name_library(names)
    mark = home / "filled"
    home.mkdir(parents=True, exist_ok=True)
    async with open_library(home=home, web="off", embedder="none") as library:
        if not mark.exists():
            for name in names:
                # What is recognised in pictures depends on the program that does; no question needs it.
                async for _ in library.documents.add(shared / collection / name, ocr=False):
                    pass
            mark.touch()
        await library.documents.search("索引")  # makes the index
    return home


def name_library(documents: Sequence[str]) -> str:
    """Return a name that changes with what decides what a library holds."""
    package = Path(shisho.__file__).parent
    pages = [page for folder in INGEST for page in sorted((package / folder).rglob("*.*"))]
    texts = [page.read_bytes() for page in pages if page.suffix in (".py", ".sql")]
    return sha256(b"\0".join([*texts, *(name.encode() for name in documents)])).hexdigest()[:12]


async def read_texts(library: Library) -> Mapping[str, str]:
    """Return the stored text of each document by the name of its file."""
    places = await library.documents.list_sources()
    return {
        Path(place).name: await library.documents.read_text(document_id)
        for place, document_id in places.items()
    }


async def ask_collections(
    shared: Path, questions: Sequence[PlayedQuestion], make_script: MakeScript, played: Played
) -> list[tuple[PlayedQuestion, Answer, int]]:
    """Return the answers to the questions on each collection, as `ask_all` does."""
    answered = []
    for collection in dict.fromkeys(each.collection for each in questions):
        asked = [each for each in questions if each.collection == collection]
        home = await prepare_library(shared, collection)
        async with open_library(home=home, web="off", embedder="none") as library:
            texts = DocumentTexts(await read_texts(library))
        answered += await ask_all(home, asked, make_script(name_questions(asked), texts, played))
    return answered


async def ask_all(
    home: Path, questions: Sequence[PlayedQuestion], script: Script
) -> list[tuple[PlayedQuestion, Answer, int]]:
    """Return the answers, with the number of quotations that differ from their documents."""
    async with (
        FakeProvider(script) as provider,
        open_library(home=home, model_url=provider.build_url("openai"), **SETTINGS) as library,
    ):

        async def ask(question: PlayedQuestion) -> tuple[PlayedQuestion, Answer, int]:
            answer = await library.questions.ask(
                question.question,
                kind=RequestKind.REPORT if question.kind == "report" else RequestKind.AUTO,
                sections=question.sections,
                words=question.words,
                budget={"max_seconds": A_WEEK_S},
            )
            wrong = 0
            for evidence in answer.evidence:
                text = await library.documents.read_text(evidence.document_id)
                wrong += text[evidence.start : evidence.end] != evidence.snippet
            return question, answer, wrong

        return list(await asyncio.gather(*map(ask, questions)))


def list_taken_out(question: PlayedQuestion, answer: Answer, played: Played) -> list[str]:
    """Return the sentences that the model wrote and the answer does not have: contradicted, or left out."""
    contradicted = [sentence.text for sentence in list_contradicted(answer.blocks)]
    shown = squeeze("\n".join([answer.text, *(sentence.text for sentence in answer.sentences)]))
    written = played.written.get(question.id, [])
    removed = [text for text in written if squeeze(text) not in shown and text not in contradicted]
    return [*contradicted, *removed]


async def ask_verdicts(
    exchange: ExchangeFolder, answered: Sequence[tuple[PlayedQuestion, Answer, int]], played: Played
) -> Mapping[str, Any]:
    verdicts: dict[str, Any] = {}
    for result in await asyncio.gather(*(_ask_judge(exchange, each, played) for each in answered)):
        verdicts.update(result)
    return verdicts


async def _ask_judge(
    exchange: ExchangeFolder, answered: tuple[PlayedQuestion, Answer, int], played: Played
) -> Mapping[str, Any]:
    question, answer, _ = answered
    taken_out = list_taken_out(question, answer, played)
    key, asked = write_request(question.question, question.gold, answer, taken_out)

    def find_mistake(reply: Any) -> str:
        try:
            read_judgement(reply, answer)
        except (KeyError, TypeError, ValueError) as error:
            return str(error)
        return ""

    return {key: json.loads(await exchange.ask("verdict", key, asked, JUDGEMENT, find_mistake))}


def judge(
    question: PlayedQuestion, answer: Answer, fabricated: int, played: Played, verdicts: Mapping[str, Any]
) -> PlayedResult:
    """Return the result with the verdicts on these very words; without them if the answer is another one."""
    taken_out = list_taken_out(question, answer, played)
    key, _ = write_request(question.question, question.gold, answer, taken_out)
    judgement = read_judgement(verdicts[key], answer) if key in verdicts else None
    return PlayedResult(question, answer, taken_out, fabricated, judgement)


def write_recording(recorded: Mapping[str, Sequence[PlayedCall]], verdicts: Mapping[str, Any]) -> None:
    """Write the calls of each question and the verdicts."""
    rows = [{"id": name, "calls": list(map(asdict, calls))} for name, calls in sorted(recorded.items())]
    _write_lines(REPLIES, rows)
    write_verdicts(verdicts)


def write_verdicts(verdicts: Mapping[str, Any]) -> None:
    _write_lines(VERDICTS, [{"key": key, "verdict": verdicts[key]} for key in sorted(verdicts)])


def load_calls(path: Path = REPLIES) -> Mapping[str, list[PlayedCall]]:
    rows = map(json.loads, path.read_text("utf-8").splitlines())
    return {row["id"]: [PlayedCall(**call) for call in row["calls"]] for row in rows}


def load_verdicts(path: Path = VERDICTS) -> Mapping[str, Any]:
    rows = map(json.loads, path.read_text("utf-8").splitlines())
    return {row["key"]: row["verdict"] for row in rows}


def _write_lines(path: Path, rows: Iterable[Any]) -> None:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")


def pair_verdicts(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return what both replies to a call of kind `judge` say of each sentence, "" if one is silent."""
    before, after = (
        {each["sentence"]: each["verdict"] for each in reply["verdicts"]} for reply in (first, second)
    )
    return [(before.get(number, ""), after.get(number, "")) for number in sorted({*before, *after})]


def print_agreement(pairs: Sequence[tuple[str, str]]) -> None:
    """Print how often each pair of verdicts on a sentence was given."""
    print("| recorded | another person | sentences |\n|---|---|---:|")
    for (before, after), count in sorted(Counter(pairs).items()):
        print(f"| {before} | {after} | {count} |")
    print()


def show(results: Sequence[PlayedResult]) -> None:
    for result in results:
        verdict = "right and clean" if result.is_right_and_clean else result.judgement or "not judged"
        print(f"\n==== {result.question.id}, {result.answer.level}, {verdict}: {result.question.question}")
        print(f"gold: {result.question.gold}\n{result.answer.text}")
        for text in result.taken_out:
            print(f"  taken out: {text}")
        for use in result.answer.model_uses:
            print(f"  {use.node}: {use.usage.calls} calls, fault {use.fault}, dropped {use.dropped}")


def report(results: Sequence[PlayedResult], played: Played) -> None:
    """Print the figures of a run as tables."""
    kinds = {result.question.id: result.question.kind for result in results}
    judged = [result.judgement for result in results if result.judgement is not None]
    print(
        f"{len(results)} questions, {len(judged)} judged; calls without a recording: {len(played.unknown)}\n"
    )
    print("| figure | |\n|---|---:|")
    print(f"| right and clean | {sum(result.is_right_and_clean for result in results)} |")
    print(f"| right | {sum(each.is_right for each in judged)} |")
    print(f"| true sentences taken out | {sum(each.true_taken_out for each in judged)} |")
    print(f"| sentences that are not supported | {sum(each.unsupported for each in judged)} |")
    print(f"| wrong citations | {sum(each.wrong_citations for each in judged)} |")
    print(f"| quotations that differ from their document | {sum(each.fabricated for each in results)} |")
    print("\n| kind | questions | calls | tokens in | tokens out |\n|---|---:|---:|---:|---:|")
    for kind, (calls, tokens_in, tokens_out) in sorted(played.count(kinds).items()):
        count = list(kinds.values()).count(kind)
        print(f"| {kind} | {count} | {calls} | {tokens_in:,} | {tokens_out:,} |")


if __name__ == "__main__":
    main()
