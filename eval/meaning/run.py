"""Questions that share few words with the passage that answers them: in other words, and in English over
Japanese text. Each is searched by words alone and by words and meaning; those that words alone do not have
among the first ten are the table.

python eval/meaning/run.py ../shared/eval/jsquad-valid [--embedder use]
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from pathlib import Path

from shisho.bootstrap.library import open_library
from shisho.evaluation import EvalSet, load
from shisho.evaluation.run import fill, rank_questions

HERE = Path(__file__).parent
FIRST = 10
Places = dict[str, int]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("corpus", type=Path, help="a folder with the documents of JSQuAD's validation set")
    parser.add_argument("--embedder", default="use")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="shisho-eval-") as folder:
        for path in options.corpus.glob("corpus.jsonl*"):
            (Path(folder) / path.name).symlink_to(path.resolve())
        for name in ("queries.jsonl", "qrels.tsv"):
            (Path(folder) / name).symlink_to(HERE / name)
        report(
            load(Path(folder)), *asyncio.run(measured(load(Path(folder)), options.embedder)), options.embedder
        )


async def measured(eval_set: EvalSet, embedder: str) -> tuple[Places, Places]:
    """By words, and by words and meaning: at which place each question's passage comes, 0 for not at all."""
    with tempfile.TemporaryDirectory(prefix="shisho-eval-") as home:
        async with open_library(home=home, embedder=embedder, web="off") as library:
            await fill(library, eval_set)
            before = await rank_questions(library, eval_set.questions)
            await library.embeddings.embed()
            after = await rank_questions(library, eval_set.questions)
    return places(eval_set, before), places(eval_set, after)


def places(eval_set: EvalSet, rankings: list[list[str]]) -> Places:
    found = {}
    for question, ranking in zip(eval_set.questions, rankings, strict=True):
        (name,) = eval_set.judged[question.id]
        found[question.id] = ranking.index(name) + 1 if name in ranking else 0
    return found


def report(eval_set: EvalSet, before: Places, after: Places, embedder: str) -> None:
    missed = [question for question in eval_set.questions if not 0 < before[question.id] <= FIRST]
    lines = [
        f"Written by `python eval/meaning/run.py` with `{embedder}`: the place of the passage, – for none among 200.",
        "",
    ]
    for kind in ("paraphrase", "english"):
        rows = [question for question in missed if question.id.startswith(kind)]
        asked = sum(question.id.startswith(kind) for question in eval_set.questions)
        now = [question for question in rows if 0 < after[question.id] <= FIRST]
        first = [question for question in rows if after[question.id] == 1]
        lost = [
            question.id
            for question in eval_set.questions
            if question.id.startswith(kind) and 0 < before[question.id] <= FIRST < (after[question.id] or 999)
        ]
        lines += [
            f"**{kind}**: of {asked} questions words alone miss {len(rows)} among the first {FIRST}; with meaning "
            f"{len(now)} of these are there, {len(first)} of them first. Lost: {len(lost)}.",
            "",
            "| question | by words | by words and meaning |",
            "|---|---|---|",
            *(
                f"| {question.text} | {before[question.id] or '–'} | {after[question.id] or '–'} |"
                for question in rows
            ),
            "",
        ]
    text = "\n".join(lines)
    print(text)
    (HERE / f"results-{embedder.replace('/', '-')}.md").write_text(text, "utf-8")


if __name__ == "__main__":
    main()
