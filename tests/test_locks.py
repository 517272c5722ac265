"""The lock files: exact releases with hashes, the same in each, within the ranges, installed as they are."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
BOX = tomllib.loads((ROOT / "packages" / "box" / "pyproject.toml").read_text("utf-8"))["project"]
OURS = {"shisho", "shisho-box"}  # installed from the checkout
NAMES = ("core", "dev", "server")
# A new major version of these is no break: the first has SQLite's numbers, of the second come several a year.
WITHOUT_BOUND = {"apsw", "cryptography"}
EXTRAS = {
    "core": (),
    "server": ("postgres", "blobs"),
    "dev": (*PROJECT["optional-dependencies"]["all"], "docs", "dev"),
}


@dataclass(frozen=True)
class Pin:
    """A line of a lock."""

    requirement: Requirement
    hashes: Sequence[str]

    @property
    def name(self) -> str:
        return canonicalize_name(self.requirement.name)

    @property
    def version(self) -> str:
        (pinned,) = self.requirement.specifier
        assert pinned.operator == "==" and "*" not in pinned.version, self.requirement
        return pinned.version


def read(text: str) -> Iterator[Pin]:
    for line in text.replace("\\\n", " ").splitlines():
        requirement, *hashes = re.split(r"\s+--hash=", line.strip())
        yield Pin(Requirement(requirement), hashes)


def pins(name: str) -> list[Pin]:
    return [*read((ROOT / "requirements" / f"{name}.lock").read_text("utf-8"))]


def ranges(extras: Sequence[str]) -> Iterator[Requirement]:
    """Return what the project requires with these extras (`all` names the others), and the box with them."""
    yield from map(Requirement, PROJECT["dependencies"])
    for extra in extras:
        named = Requirement(extra).extras if extra.startswith("shisho[") else {extra}
        for one in named:
            for wanted in map(Requirement, PROJECT["optional-dependencies"][one]):
                yield from map(Requirement, BOX["dependencies"]) if wanted.name == BOX["name"] else [wanted]


@pytest.mark.parametrize("name", NAMES)
def test_every_line_has_one_version_and_its_hashes(name: str) -> None:
    locked = pins(name)
    assert len(locked) > 50
    for pin in locked:
        assert pin.version and pin.requirement.url is None
        assert pin.hashes and all(re.fullmatch(r"sha256:[0-9a-f]{64}", digest) for digest in pin.hashes), (
            pin.name
        )


@pytest.mark.parametrize("line", ["rich>=14.0", "rich==15.*", "rich", "rich @ https://example.org/rich.whl"])
def test_a_line_without_a_version_is_seen(line: str) -> None:
    (pin,) = read(f"{line} \\\n    --hash=sha256:00\n")
    with pytest.raises((AssertionError, ValueError)):
        assert pin.version and pin.requirement.url is None


@pytest.mark.parametrize("name", NAMES)
def test_what_is_locked_lies_within_the_ranges_and_nothing_is_missing(name: str) -> None:
    locked = {pin.name: pin.version for pin in pins(name)}
    assert not OURS & locked.keys()
    for wanted in ranges(EXTRAS[name]):
        if wanted.name in OURS:
            continue
        assert locked[canonicalize_name(wanted.name)] in wanted.specifier, wanted


def test_the_locks_say_the_same_releases() -> None:
    dev = {(pin.name, str(pin.requirement.marker)): pin.version for pin in pins("dev")}
    by_name = {name: version for (name, _), version in dev.items()}
    for name in ("core", "server"):
        for pin in pins(name):
            assert pin.version == dev.get((pin.name, str(pin.requirement.marker)), by_name[pin.name]), (
                pin.name
            )


def test_the_locks_name_no_place_of_their_files() -> None:
    """They are found at whatever registry the machine uses."""
    for name in NAMES:
        text = (ROOT / "requirements" / f"{name}.lock").read_text("utf-8")
        assert "://" not in text and not re.search(r"^\s*-[^-]|--(?!hash=)", text, re.MULTILINE)


def test_the_core_is_bounded_where_a_major_version_breaks() -> None:
    unbounded = {
        wanted.name
        for wanted in map(Requirement, PROJECT["dependencies"])
        if not any(part.operator in ("<", "<=", "==", "~=") for part in wanted.specifier)
    }
    assert unbounded == WITHOUT_BOUND


@pytest.mark.parametrize("place", ["Makefile", "Dockerfile"])
def test_locks_are_installed_with_their_hashes_and_nothing_beside_them(place: str) -> None:
    """Without dependencies: a lock is complete, and old releases of pip cannot resolve what has hashes."""
    lines = [
        line for line in (ROOT / place).read_text("utf-8").splitlines() if re.search(r"-r \S*\.lock", line)
    ]
    assert lines and all("--require-hashes --no-deps -r" in line for line in lines)
