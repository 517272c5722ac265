"""What a library occupies and uses while nobody asks: `python bench/at_rest.py SET [--joined]`.

SET is a folder in the BEIR layout. Its documents are added by `shisho add`, as a user does it, with vectors
if their extra is installed. It prints the size of the home over that of the text, by table, index and file;
the bytes that a question leaves; the CPU time of `shisho ask`; the share of a core that an idle server uses;
and the size after half of the documents are purged.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from statistics import median

import apsw

from shisho.evaluation import EvalSet, load

ASKED = 8
COMMANDS = 5  # of which the median is printed
STARTS_S = 8.0  # until a server is at rest
TABLE_SIZES = """SELECT coalesce(s.tbl_name, d.name) AS table_name, d.name, sum(d.pgsize) AS bytes, sum(d.unused) AS unused
    FROM dbstat d LEFT JOIN sqlite_schema s ON s.name = d.name GROUP BY d.name ORDER BY bytes DESC"""
STEPS = "SELECT run_id, sum(length(content)) AS bytes FROM steps GROUP BY run_id"
COUNTS = "SELECT (SELECT count(*) FROM documents), (SELECT count(*) FROM passages), (SELECT count(*) FROM embeddings)"
LIVE = "SELECT id FROM documents WHERE state = 'live' ORDER BY id"
SMALL = 0.01  # of the home: smaller tables are printed as one


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--documents", type=int, help="of the set; default: all")
    parser.add_argument("--joined", action="store_true", help="documents of one title are one file")
    parser.add_argument("--embedder", default="auto")
    parser.add_argument("--seconds", type=float, default=60, help="of rest; 0: no server is started")
    parser.add_argument("--home", type=Path, help="an empty folder that is kept")
    given = parser.parse_args()
    eval_set = load(given.folder)
    with tempfile.TemporaryDirectory(prefix="shisho-bench-") as temporary:
        home = given.home or Path(temporary) / "home"
        files = Path(temporary) / "files"
        os.environ |= {"SHISHO_HOME": str(home), "SHISHO_EMBEDDER": given.embedder, "SHISHO_WEB": "off"}
        text = write_files(files, eval_set, given.documents, given.joined)
        report_home(home, files, text)
        questions = [question.text for question in eval_set.questions]
        report_asking(home, questions[:: max(1, len(questions) // ASKED)][:ASKED])
        if given.seconds:
            report("idle server, share of a core", f"{measure_rest(given.seconds):.3%}")
        report_purge(home)


def write_files(folder: Path, eval_set: EvalSet, most: int | None, is_joined: bool) -> int:
    """Write the documents as text files; return their bytes."""
    folder.mkdir()
    texts: dict[str, list[str]] = {}
    for entry in eval_set.entries[:most]:
        texts.setdefault(entry.title if is_joined else entry.id, []).append(entry.text)
    contents = ["\n\n".join(parts).encode() for parts in texts.values()]
    for number, content in enumerate(contents):
        (folder / f"{number:05}.txt").write_bytes(content)
    return sum(map(len, contents))


def report_home(home: Path, files: Path, text: int) -> None:
    with watch_cpu() as spent:
        shisho("add", str(files))
    shisho("search", "text")  # the first search makes the index
    with closing(open_database(home)) as connection:
        documents, passages, vectors = next(iter(connection.execute(COUNTS)))
    report("documents", f"{documents:,}")
    report("passages", f"{passages:,}")
    report("passages with a vector", f"{vectors:,}")
    report("added, CPU s", f"{spent[0]:.1f}")
    report("text, bytes", f"{text:,}")
    sizes = {path.name: sum(list_sizes(path).values()) for path in home.iterdir()}
    total = sum(sizes.values())
    report("home, bytes", f"{total:,}")
    report("home / text (wanted ≤ 4)", f"{total / text:.2f}")
    for name, size in sorted(sizes.items(), key=lambda item: -item[1]):
        report(f"  {name}", f"{size:>12,}  {size / text:5.2f}")
    small = 0
    with closing(open_database(home)) as connection:
        for table, name, size, unused in connection.execute(TABLE_SIZES):
            if size < SMALL * total:
                small += size
            else:
                label = name if name == table else f"{table}: {name}"
                report(f"    {label}", f"{size:>12,}  {size / text:5.2f}  {unused / size:4.0%} unused")
    report("    others", f"{small:>12,}  {small / text:5.2f}")


def report_asking(home: Path, questions: Sequence[str]) -> None:
    seconds = []
    for question in questions[:COMMANDS]:
        with watch_cpu() as spent:
            shisho("ask", question)
        seconds.append(spent[0])
    for question in questions[COMMANDS:]:
        shisho("ask", question)
    report("ask as a command, CPU s, median", f"{median(seconds):.2f}")
    with closing(open_database(home)) as connection:
        sizes = [size for _, size in connection.execute(STEPS)]
    report("steps of a question, bytes (wanted ≤ 15,000)", f"{max(sizes):,} at most, {median(sizes):,.0f}")


def report_purge(home: Path) -> None:
    with closing(open_database(home)) as connection:
        ids = [row[0] for row in connection.execute(LIVE)]
    before = sum(list_sizes(home).values())
    for name in ids[::2]:
        shisho("remove", "--purge", "--yes", name)
    after = sum(list_sizes(home).values())
    report("home before and after a purge of half", f"{before:,} {after:,} ({after / before:.2f})")


def measure_rest(seconds: float) -> float:
    """Return the share of a core that a server and its children use while nobody asks."""
    with subprocess.Popen(
        [sys.executable, "-m", "shisho", "serve", "--port", "0"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as server:
        try:
            time.sleep(STARTS_S)
            before = sum(cpu_seconds(pid) for pid in list_family(server.pid))
            began = time.perf_counter()
            time.sleep(seconds)
            used = sum(cpu_seconds(pid) for pid in list_family(server.pid)) - before
            return used / (time.perf_counter() - began)
        finally:
            server.terminate()


def list_family(pid: int) -> list[int]:
    """Return a process and its descendants."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *(name for child in children for name in list_family(int(child)))]


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


def list_sizes(path: Path) -> dict[Path, int]:
    """Return the bytes of each file at or below a path."""
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    return {file: file.stat().st_size for file in files}


def open_database(home: Path) -> apsw.Connection:
    return apsw.Connection(str(home / "shisho.db"), flags=apsw.SQLITE_OPEN_READONLY)


@contextmanager
def watch_cpu() -> Iterator[list[float]]:
    """Yield a list that receives the CPU seconds of the children that end inside."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent: list[float] = []
    yield spent
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def shisho(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "shisho", *arguments], check=True, capture_output=True)


def report(name: str, value: str) -> None:
    print(f"{name:46} {value}", flush=True)


if __name__ == "__main__":
    main()
