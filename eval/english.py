"""Measure English retrieval on sets of both kinds, beside `bm25s` with a stemmer.

`python eval/english.py ../shared [set …]`

Short questions: headings asked of the texts under them (two manuals), titles asked of abstracts, the last
questions of conversations. Long ones: first halves of abstracts asked of the second halves, and whole
conversations. The sets are made from `$(SHISHO_SHARED)` and searched through the real ingest, by words."""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from baseline import stemmed_bm25

from shisho.evaluation import load
from shisho.evaluation.run import measure

MAX_QUESTIONS = 300
MIN_CHARS = 150  # of a text that is asked for
HEADINGS = {
    ".md": re.compile(r"^#{1,4} (.+)$", re.MULTILINE),
    ".rst": re.compile(r"^(\S.*)\n(?:([=\-~^\"*+#])\2{2,})\s*$", re.MULTILINE),
}


@dataclass(slots=True)
class MadeSet:
    """A set before it is written: documents as title and text, questions, and the right documents of each."""

    documents: Mapping[str, tuple[str, str]]
    questions: dict[str, str] = field(default_factory=dict)
    judged: dict[str, dict[str, int]] = field(default_factory=dict)

    def ask(self, name: str, question: str, right: Mapping[str, int]) -> None:
        """Add a question."""
        self.questions[name] = question
        self.judged[name] = dict(right)

    def write(self, folder: Path) -> None:
        """Write it in the BEIR layout."""
        documents = ({"_id": name, "title": t, "text": text} for name, (t, text) in self.documents.items())
        questions = ({"_id": name, "text": text} for name, text in self.questions.items())
        for file, rows in (("corpus.jsonl", documents), ("queries.jsonl", questions)):
            (folder / file).write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        lines = [f"{name}\t{at}\t{grade}\n" for name, own in self.judged.items() for at, grade in own.items()]
        (folder / "qrels.tsv").write_text("".join(lines), "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("shared", type=Path)
    parser.add_argument("sets", nargs="*", default=list(SETS), help=", ".join(SETS))
    options = parser.parse_args()
    print(
        "| set | questions | words a question | bm25s nDCG@10 | ours | bm25s R@50 | ours |\n|---|---|---|---|---|---|---|"
    )
    for name in options.sets:
        made = SETS[name](options.shared)
        with tempfile.TemporaryDirectory() as folder:
            made.write(Path(folder))
            plain, ours = stemmed_bm25(Path(folder)), asyncio.run(measure(Path(folder)))
        words = sum(len(text.split()) for text in made.questions.values()) / len(made.questions)
        figures = [plain["ndcg@10"], ours["ndcg@10"], plain["recall@50"], ours["recall@50"]]
        print(
            f"| {name} | {ours['queries']} | {words:.0f} | {' | '.join(f'{one:.3f}' for one in figures)} |",
            flush=True,
        )


def make_titles(shared: Path) -> MadeSet:
    """Titles of abstracts, asked of the abstracts without them."""
    titles, bodies = _read_abstracts(shared)
    made = MadeSet({name: ("", body) for name, body in bodies.items()})
    for name in _choose(n for n in titles if len(titles[n].split()) > 2 and len(bodies[n]) > MIN_CHARS):
        made.ask(f"q{name}", titles[name], {name: 1})
    return made


def make_halves(shared: Path) -> MadeSet:
    """First halves of abstracts, asked of the second halves."""
    sentences = {name: re.split(r"(?<=[.?!])\s+", body) for name, body in _read_abstracts(shared)[1].items()}
    halves = {name: (" ".join(s[: len(s) // 2]), " ".join(s[len(s) // 2 :])) for name, s in sentences.items()}
    made = MadeSet({name: ("", second) for name, (_, second) in halves.items()})
    for name in _choose(n for n, pair in halves.items() if min(map(len, pair)) > MIN_CHARS):
        made.ask(f"q{name}", halves[name][0], {name: 1})
    return made


def make_last_questions(shared: Path) -> MadeSet:
    """The last question of each conversation."""
    return _make_conversations(shared, lambda turns: turns[-1])


def make_conversations(shared: Path) -> MadeSet:
    """All questions of each conversation as one."""
    return _make_conversations(shared, "\n".join)


def make_headings(manual: str) -> Callable[[Path], MadeSet]:
    """Headings of a manual, asked of the texts under them."""

    def make(shared: Path) -> MadeSet:
        sections = dict(_read_sections(shared / "library" / manual / "docs"))
        made = MadeSet({name: ("", text) for name, (_, text) in sections.items()})
        counts = Counter(heading for heading, _ in sections.values())
        asked = (
            n for n, (h, _) in sections.items() if counts[h] == 1 and len(re.findall(r"[A-Za-z]{3,}", h)) > 1
        )
        for name in _choose(asked):
            made.ask(f"q{name}", sections[name][0], {name: 1})
        return made

    return make


def _read_abstracts(shared: Path) -> tuple[dict[str, str], dict[str, str]]:
    entries = load(shared / "eval" / "cranfield").entries
    titles = {entry.id: entry.title for entry in entries}
    return titles, {entry.id: entry.text.removeprefix(entry.title).strip() for entry in entries}


def _make_conversations(shared: Path, ask: Callable[[list[str]], str]) -> MadeSet:
    packed = next((shared / "eval-multiturn").glob("*.jsonl.gz"))
    tasks = [json.loads(line) for line in gzip.decompress(packed.read_bytes()).decode().splitlines()]
    made = MadeSet({one["id"]: ("", one["text"]) for task in tasks for one in task["passages"]})
    for task in tasks:
        if {"ANSWERABLE", "PARTIAL"} & set(task["answerable"]) and task["passages"]:
            turns = [turn["text"] for turn in task["turns"] if turn["speaker"] == "user"]
            made.ask(task["id"], ask(turns), {one["id"]: 1 for one in task["passages"]})
    return made


def _read_sections(folder: Path) -> Iterator[tuple[str, tuple[str, str]]]:
    for path in sorted(folder.rglob("*")):
        if pattern := HEADINGS.get(path.suffix):
            text = path.read_text("utf-8", "replace")
            found = list(pattern.finditer(text))
            ends = [*(match.start() for match in found[1:]), len(text)]
            for number, (match, end) in enumerate(zip(found, ends, strict=False)):
                body = text[match.end() : end].strip()
                if len(body) > MIN_CHARS:
                    yield f"{path.relative_to(folder)}-{number}", (match[1].strip(), body)


def _choose(names: Iterator[str]) -> list[str]:
    """Choose questions by the hash of their names."""
    return sorted(names, key=lambda name: sha256(name.encode()).digest())[:MAX_QUESTIONS]


SETS: Mapping[str, Callable[[Path], MadeSet]] = {
    "headings-uv": make_headings("uv-en"),
    "headings-ftc": make_headings("ftc-en"),
    "titles": make_titles,
    "last-questions": make_last_questions,
    "conversations": make_conversations,
    "halves": make_halves,
}


if __name__ == "__main__":
    main()
