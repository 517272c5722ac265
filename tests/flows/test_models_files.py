"""Models of embedders on this machine: brought by the shell, and used without a look at any network."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from shisho.inference.model_files import ModelFile, ModelFiles, ModelManifest, digest
from tests.evaluation.test_eval_commands import PAIRS, PASSAGE, item, written
from tests.flows.conftest import Shell
from tests.forkserver import LOOKS
from tests.inference.model_folders import static_folder
from tests.inference.test_model_pull import NAME, hub
from tests.loopback import LoopbackServer

THERE = "library/static-ja"
SPARE = "library/spare"
ABSENT = "library/absent"
QUESTION = "決定係数とは何か"
# What opens the library, and so its embedder.
OPENING = (
    ("list",),
    ("search", "犬が走る"),
    ("ask", QUESTION),
    ("ask", "猫の値段はいくらか"),
    ("show",),
    ("replay",),
    ("export",),
    ("sync", "{place}/documents"),
    ("backup", "{new}/backup"),
    ("doctor",),
)
BESIDES = (
    ("settings",),
    ("models", "export", THERE, "{new}/m.tar"),
    ("models", "import", "{place}/m.tar"),
    ("models", "remove", SPARE),
    ("eval", "{place}/retrieval"),
    ("eval", "{place}/retrieval", "--embedder", THERE),
    ("eval", "calibrate", "{place}/retrieval"),
    ("eval", "answers", "{place}/answers"),
    ("eval", "support", "{place}/support"),
)

# What looks at a network in Python raises one of these events: each is written down.
RECORDED = """
import asyncio, json, sys
looked = []
sys.addaudithook(lambda event, args: looked.append([event, repr(args[-1])]) if event.startswith("socket.") and event not in
    ("socket.__new__", "socket.bind", "socket.sethostname") else None)
import shisho
from pathlib import Path

async def main(home, document, embedder):
    async with shisho.open(home=home, embedder=embedder, web="off") as library:
        async for _ in library.documents.add(Path(document)):
            pass
        done = await library.embeddings.embed()
        hits = await library.documents.search("犬が走る")
        await library.run_checks()
        print(json.dumps({"done": done.done, "parts": sorted(hits[0].parts), "looked": looked}))

asyncio.run(main(*sys.argv[1:]))
"""


def shisho_(home: Path, *arguments: str | Path, **settings: str) -> subprocess.CompletedProcess[str]:
    shell = Shell(home)
    shell.environment |= {"SHISHO_WEB": "ask", **settings}
    return shell.run(*arguments)


def installed(home: Path, name: str) -> None:
    """A model as a pull leaves it."""
    files = ModelFiles(home / "models")
    folder = static_folder(home / "models" / ".partial" / "made", 1)
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    listed = [
        ModelFile(path.relative_to(folder).as_posix(), path.stat().st_size, digest(path, "sha256"))
        for path in paths
    ]
    files.place(folder, ModelManifest(name, "abc", "http://hub.example", tuple(listed)))


@pytest.mark.slow
def test_pulled_model_is_used_without_a_look_at_any_network(tmp_path: Path) -> None:
    home = tmp_path / "home"
    installed(home, "library/static-ja")
    document = tmp_path / "a.txt"
    document.write_text("犬が走る。", "utf-8")
    run = subprocess.run(
        [sys.executable, "-c", RECORDED, str(home), str(document), "library/static-ja"],
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    outcome = json.loads(run.stdout)
    assert outcome["done"] == 1 and "meaning" in outcome["parts"]
    assert outcome["looked"] == []


@pytest.mark.slow
def test_shell_pulls_lists_exports_imports_and_removes(tmp_path: Path) -> None:
    home, other = tmp_path / "home", tmp_path / "other"
    with LoopbackServer(hub()) as server:
        refused = shisho_(home, "models", "pull", NAME, SHISHO_MODELS_URL=server.url, SHISHO_WEB="off")
        assert (
            refused.returncode == 1
            and "CONSENT_REQUIRED" in refused.stderr
            and "models import" in refused.stderr
        )
        assert server.requests == []
        pulled = shisho_(home, "models", "pull", NAME, SHISHO_MODELS_URL=server.url)
        assert pulled.returncode == 0, pulled.stderr
        count = len(server.requests)
        again = shisho_(home, "models", "pull", NAME, SHISHO_MODELS_URL=server.url, SHISHO_WEB="off")
        assert (again.returncode, len(server.requests)) == (0, count)
    assert NAME in shisho_(home, "models", "list").stdout
    assert shisho_(home, "models", "export", NAME, tmp_path / "m.tar").returncode == 0
    assert shisho_(other, "models", "import", tmp_path / "m.tar").returncode == 0
    (model,) = json.loads(shisho_(other, "models", "list", "--json").stdout)["embedders"]
    assert model["name"] == NAME
    in_use = shisho_(other, "models", "remove", NAME, SHISHO_EMBEDDER=NAME)
    assert in_use.returncode == 1 and "CONFLICT" in in_use.stderr
    assert shisho_(other, "models", "remove", NAME).returncode == 0
    assert json.loads(shisho_(other, "models", "list", "--json").stdout)["embedders"] == []


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with two models, a document that has its vector and an answer, and what commands are given:
    all but `ABSENT` is there."""
    folder = tmp_path_factory.mktemp("offline")
    home = folder / "home"
    installed(home, THERE)
    installed(home, SPARE)
    (folder / "documents").mkdir()
    (folder / "documents" / "page.md").write_text(f"{PASSAGE}\n\n犬が走る。\n", "utf-8")
    _write_sets(folder)
    for words in (
        ("add", folder / "documents"),
        ("ask", QUESTION),
        ("models", "export", SPARE, folder / "m.tar"),
    ):
        done = shisho_(home, *words, SHISHO_EMBEDDER=THERE)
        assert done.returncode == 0, done.stderr
    return folder


def _write_sets(folder: Path) -> None:
    """A set of each kind that `eval` measures, of one question."""
    retrieval = {
        "corpus.jsonl": json.dumps({"_id": "d", "title": "", "text": PASSAGE}),
        "queries.jsonl": json.dumps({"_id": "q", "text": QUESTION}),
        "qrels.tsv": "query-id\tcorpus-id\tscore\nq\td\t1",
    }
    (folder / "retrieval").mkdir()
    for name, text in retrieval.items():
        (folder / "retrieval" / name).write_text(text + "\n", "utf-8")
    written(folder / "answers", item("there", [PASSAGE]))
    written(folder / "support", *PAIRS)


def offline(place: Path, words: Sequence[str], embedder: str, new: Path) -> subprocess.CompletedProcess[str]:
    """The command's end, after it has looked at no network."""
    looks = new / "looks"
    given = [word.format(place=place, new=new) for word in words]
    done = shisho_(place / "home", *given, SHISHO_EMBEDDER=embedder, **{LOOKS: str(looks)})
    assert looks.read_text("utf-8") == ""
    return done


@pytest.mark.slow
@pytest.mark.parametrize("words", [*OPENING, *BESIDES], ids=" ".join)
def test_every_command_works_without_a_look_at_any_network(
    words: tuple[str, ...], place: Path, tmp_path: Path
) -> None:
    done = offline(place, words, THERE, tmp_path)
    assert done.returncode == 0, done.stderr
    assert f"models pull {THERE}" not in done.stdout + done.stderr, "what is there is used"


@pytest.mark.slow
def test_models_list_looks_at_this_machine_alone(place: Path, tmp_path: Path) -> None:
    looks = tmp_path / "looks"
    done = shisho_(place / "home", "models", "list", SHISHO_EMBEDDER=THERE, **{LOOKS: str(looks)})
    assert done.returncode == 0, done.stderr
    seen = [line for line in looks.read_text("utf-8").splitlines() if "getsockname" not in line]
    assert seen and all("'127.0.0.1'" in line for line in seen), seen


@pytest.mark.parametrize("words", OPENING, ids=" ".join)
def test_without_the_model_every_command_works_and_says_once_what_is_missing(
    words: tuple[str, ...], place: Path, tmp_path: Path
) -> None:
    done = offline(place, words, ABSENT, tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count(f"shisho models pull {ABSENT}") == 1
    assert "pip install" not in done.stdout, "no extra is missing"


@pytest.mark.parametrize(
    ("words", "embedder", "reason"),
    [
        (("models", "remove", THERE), THERE, "CONFLICT"),
        (("models", "remove", ABSENT), THERE, "NOT_FOUND"),
        (("models", "export", ABSENT, "{new}/m.tar"), THERE, "NOT_FOUND"),
        (("models", "try", QUESTION), THERE, "INVALID_PARAMS"),
        (("eval", "{place}/retrieval", "--embedder", ABSENT), THERE, f"shisho models pull {ABSENT}"),
        (("eval", "calibrate", "{place}/retrieval"), ABSENT, f"shisho models pull {ABSENT}"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_without_network_is_refused_in_words(
    words: tuple[str, ...], embedder: str, reason: str, place: Path, tmp_path: Path
) -> None:
    done = offline(place, words, embedder, tmp_path)
    assert done.returncode in (1, 2)
    assert done.stderr.count(reason) == 1 and "Traceback" not in done.stderr


def test_pull_without_network_says_how_to_bring_the_files(tmp_path: Path) -> None:
    with LoopbackServer(hub()) as server:
        gone = server.url
    looks = tmp_path / "looks"
    refused = shisho_(tmp_path, "models", "pull", NAME, SHISHO_MODELS_URL=gone, **{LOOKS: str(looks)})
    assert refused.returncode == 1
    assert "socket.connect" in looks.read_text("utf-8"), "whoever looks is written down"
    assert "shisho models export" in refused.stderr and str(tmp_path / "models") in refused.stderr
