"""What workflows, hooks and forms call is there, and a release is refused where something is missing."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parent.parent
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
FORMS = sorted(path for path in (ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml") if path.stem != "config")


def read_yaml(path: Path) -> dict[Any, Any]:
    content = yaml.safe_load(path.read_text("utf-8"))
    assert isinstance(content, dict)
    return content


def steps(workflow: Path) -> Iterator[dict[str, Any]]:
    for job in read_yaml(workflow)["jobs"].values():
        yield from job.get("steps", [])


def make_targets() -> set[str]:
    return set(re.findall(r"^([a-z][a-z-]*):", MAKEFILE, re.M))


def missing_commands(script: str) -> list[str]:
    """Calls of `make` and of `.ci/` that lead nowhere."""
    targets = [
        f"make {name}" for name in re.findall(r"\bmake ([a-z][a-z-]*)", script) if name not in make_targets()
    ]
    programs = [name for name in re.findall(r"\.ci/[a-z]+", script) if not os.access(ROOT / name, os.X_OK)]
    return targets + programs


def test_calls_that_lead_nowhere_are_noticed() -> None:
    assert missing_commands("make test\nmake tests\n.ci/wheel\n.ci/wheels") == ["make tests", ".ci/wheels"]


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_workflow_calls_only_what_exists(workflow: Path) -> None:
    scripts = [step["run"] for step in steps(workflow) if "run" in step]
    assert scripts
    assert all(re.match(r"make |\.ci/", script) for script in scripts), (
        "a command that nobody can run at home"
    )
    assert missing_commands("\n".join(scripts)) == []
    called = [job["uses"] for job in read_yaml(workflow)["jobs"].values() if "uses" in job]
    assert [name for name in called if not (ROOT / name).is_file()] == []


@pytest.mark.parametrize("name", ["CONTRIBUTING.md", ".github/pull_request_template.md", ".ci/run"])
def test_commands_that_contributors_are_told_exist(name: str) -> None:
    assert missing_commands((ROOT / name).read_text("utf-8")) == []


def test_the_same_pythons_everywhere() -> None:
    (matrix,) = [
        job["strategy"]["matrix"] for job in read_yaml(WORKFLOWS[-1])["jobs"].values() if "strategy" in job
    ]
    pythons = matrix["python"]
    named = [
        line.rpartition(" ")[2]
        for line in PROJECT["project"]["classifiers"]
        if re.search(r":: 3\.\d+$", line)
    ]
    assert named == pythons
    first, last = (int(version.partition(".")[2]) for version in (pythons[0], pythons[-1]))
    assert PROJECT["project"]["requires-python"] == f">=3.{first},<3.{last + 1}"
    assert f"(3, {first}) <= sys.version_info[:2] <= (3, {last})" in MAKEFILE
    for workflow in WORKFLOWS:
        chosen = [
            step["with"]["python-version"]
            for step in steps(workflow)
            if "setup-python" in step.get("uses", "")
        ]
        assert set(chosen) <= {*pythons, "${{ matrix.python }}"}


def test_the_full_run_and_the_workflow_do_the_same() -> None:
    """`.ci/run` has two steps more: it sets up beside what it installs, and hides the fonts."""
    workflow = "\n".join(
        step["run"] for step in steps(ROOT / ".github" / "workflows" / "test.yml") if "run" in step
    )
    commands = r"^(make [a-z]+|\.ci/[a-z]+)"
    run = set(re.findall(commands, (ROOT / ".ci" / "run").read_text("utf-8"), re.M))
    assert run - {".ci/bare", "make setup"} == set(re.findall(commands, workflow, re.M)) - {"make coverage"}


def list_missing_tests(script: str) -> list[str]:
    """Return the test files that a script names and that don't exist, with braces and stars expanded."""
    words = re.findall(r"\btests/[\w./{},*-]+", script)
    expanded = subprocess.run(
        ["bash", "-c", f"printf '%s\\n' {' '.join(words)}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return [name for name in expanded.stdout.split() if not (ROOT / name).exists()]


def test_scripts_name_only_tests_that_exist() -> None:
    """A renamed file was noticed by the last stage of the full run alone."""
    missing = ["tests/flows/test_nothing.py", "tests/contracts/test_nothing.py"]
    script = "pytest tests/flows/test_nothing.py::test_it tests/contracts/test_{nothing,jobs}.py tests/test_doc*.py"
    assert list_missing_tests(script) == missing
    scripts = {path.name: path.read_text("utf-8") for path in (ROOT / ".ci").iterdir()}
    naming = {name for name, text in scripts.items() if "tests/" in text}
    assert {"bare", "postgres"} <= naming
    assert [missing for name in naming for missing in list_missing_tests(scripts[name])] == []


def test_a_release_is_published_after_every_test_and_without_a_key() -> None:
    workflow = ROOT / ".github" / "workflows" / "release.yml"
    content = read_yaml(workflow)
    jobs = content["jobs"]
    assert content[True] == {"push": {"tags": ["v*"]}}  # YAML reads the key `on` as true
    assert set(jobs["publish"]["needs"]) == {"test", "build"}
    assert jobs["test"]["needs"] == jobs["build"]["needs"] == "ready"
    assert {name for name, job in jobs.items() if "id-token" in job.get("permissions", {})} == {"publish"}
    assert content["permissions"] == {"contents": "read"}
    assert "secrets." not in workflow.read_text("utf-8")


def test_hooks_are_the_commands_of_make_check_and_fetch_nothing() -> None:
    repositories = read_yaml(ROOT / ".pre-commit-config.yaml")["repos"]
    assert [repository["repo"] for repository in repositories] == ["local"]
    hooks = repositories[0]["hooks"]
    assert {hook["language"] for hook in hooks} == {"system"}
    assert not any(hook["pass_filenames"] for hook in hooks)
    (recipe,) = re.findall(r"^check:.*\n((?:\t.+\n)+)", MAKEFILE, re.M)
    lines = [line.strip().replace("$(BIN)", ".venv/bin") for line in recipe.splitlines()]
    commands = [line for line in lines if not line.startswith("@if")]  # textlint needs Node.js
    assert [hook["entry"] for hook in hooks] == commands


@pytest.mark.parametrize("form", FORMS, ids=lambda path: path.stem)
def test_issue_form_is_one_that_can_be_filled_in(form: Path) -> None:
    content = read_yaml(form)
    assert content["name"] and content["description"]
    fields = [field for field in content["body"] if field["type"] != "markdown"]
    assert {field["type"] for field in content["body"]} <= {"markdown", "textarea", "checkboxes"}
    assert len({field["id"] for field in fields}) == len(fields)
    assert all(field["attributes"]["label"] for field in fields)
    assert any(field.get("validations", {}).get("required") for field in fields)


def test_files_that_the_security_page_names_exist() -> None:
    named = re.findall(r"`((?:tests|docs)/[^`]+|[A-Z]+\.md)`", (ROOT / "SECURITY.md").read_text("utf-8"))
    assert len(named) > 8
    assert [name for name in named if not (ROOT / name).exists()] == []


@pytest.fixture
def release(tmp_path: Path) -> Path:
    """A tree that may be released as v0.1.0."""
    for name in (".ci/release", "pyproject.toml", "packages/box/pyproject.toml", "src/shisho/version.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    project = tmp_path / "pyproject.toml"
    version = PROJECT["project"]["version"]
    for path in (project, tmp_path / "packages/box/pyproject.toml"):
        text = path.read_text("utf-8")
        for before in ('version = "', "shisho==", "shisho-box=="):
            text = text.replace(f"{before}{version}", f"{before}0.1.0")
        path.write_text(text, "utf-8")
    places = ("Homepage", "Documentation", "Repository", "Issues")
    urls = "\n".join(f'{place} = "https://shisho.test/{place.lower()}"' for place in places)
    project.write_text(project.read_text("utf-8") + f"\n[project.urls]\n{urls}\n", "utf-8")
    package = tmp_path / "src/shisho/version.py"
    package.write_text(re.sub(r'VERSION = ".*"', 'VERSION = "0.1.0"', package.read_text("utf-8")), "utf-8")
    (tmp_path / "CHANGELOG.md").write_text(
        "# Changelog\n\n## [Unreleased]\n\n## [0.1.0] - 2026-12-01\n", "utf-8"
    )
    return tmp_path


def refusals(release: Path, tag: str) -> list[str]:
    command = [sys.executable, ".ci/release", tag]
    done = subprocess.run(command, cwd=release, capture_output=True, text=True, timeout=120, check=False)
    assert bool(done.returncode) == bool(done.stderr)
    return done.stderr.splitlines()


def test_a_tree_with_nothing_missing_may_be_released(release: Path) -> None:
    assert refusals(release, "v0.1.0") == []


@pytest.mark.parametrize(
    ("file", "word", "instead", "said"),
    [
        (
            "pyproject.toml",
            'version = "0.1.0"',
            'version = "0.2.0"',
            "the version in pyproject.toml is 0.2.0",
        ),
        ("src/shisho/version.py", "0.1.0", "0.0.9", "shisho.__version__ is not 0.1.0"),
        ("packages/box/pyproject.toml", 'version = "0.1.0"', 'version = "0.0.9"', "packages/box"),
        ("packages/box/pyproject.toml", '"shisho==0.1.0"', '"shisho"', "packages/box"),
        ("pyproject.toml", '"shisho-box==0.1.0"', '"shisho-box==0.0.9"', "packages/box"),
        ("CHANGELOG.md", "[0.1.0]", "[0.0.9]", "CHANGELOG.md has no heading [0.1.0]"),
        (
            "pyproject.toml",
            'Documentation = "https://shisho.test/documentation"',
            "",
            "[project.urls] in pyproject.toml has no Documentation",
        ),
    ],
)
def test_what_keeps_a_tree_from_being_released_is_said(
    release: Path, file: str, word: str, instead: str, said: str
) -> None:
    path = release / file
    assert word in path.read_text("utf-8")
    path.write_text(path.read_text("utf-8").replace(word, instead), "utf-8")
    assert any(said in refusal for refusal in refusals(release, "v0.1.0"))
