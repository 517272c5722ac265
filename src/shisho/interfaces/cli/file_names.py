"""Display names of files: as short as is still unambiguous."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path, PurePath

from shisho.language.display import display_name
from shisho.settings import expand_user


def list_names_below(paths: Sequence[Path]) -> Callable[[str], str]:
    """Return a function that names files relative to the paths of a command.

    With one path the name starts at its folder, with several it starts as typed. Files elsewhere (behind a
    link) keep their full path.
    """
    folders = [(typed, str(expand_user(typed).resolve())) for typed in paths]
    alone = len(folders) == 1

    def make_name(source: str) -> str:
        for typed, folder in folders:
            if source == folder:
                return display_name(typed.name if alone else str(typed))
            if source.startswith(folder.rstrip("/\\") + "/") or source.startswith(folder + "\\"):
                rest = PurePath(source).relative_to(folder)
                return display_name(str(rest if alone else typed / rest))
        return display_name(source)

    return make_name


def make_names_distinct(sources: Iterable[str]) -> Mapping[str, str]:
    """Map each path to its file name, with as many parent folders as make it unique."""
    names: dict[str, str] = {}
    depths = dict.fromkeys(sources, 1)
    while depths:
        groups: dict[str, list[str]] = defaultdict(list)
        for source, length in depths.items():
            groups[_take_tail(source, length)].append(source)
        names |= {group[0]: display_name(tail) for tail, group in groups.items() if len(group) == 1}
        clashing = list(chain.from_iterable(group for group in groups.values() if len(group) > 1))
        names |= {
            source: display_name(source)
            for source in clashing
            if depths[source] >= len(PurePath(source).parts)
        }
        depths = {source: depths[source] + 1 for source in clashing if source not in names}
    return names


def _take_tail(source: str, length: int) -> str:
    return str(PurePath(*PurePath(source).parts[-length:]))
