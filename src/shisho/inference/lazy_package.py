"""Packages that import each module when one of its names is first used.

The client of OpenAI imports 500 modules of types for services that are never called: half a second.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any


class LazyPackage(ModuleType):
    """A package that does not run its `__init__`: its names are imported when they are first used.

    Modules below the package are imported normally.
    """

    def __getattr__(self, name: str) -> Any:
        place = None if name.startswith("__") else self._read_places().get(name)
        if place is None:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        module, original = place
        if module:
            value = getattr(import_module(f".{module}", self.__name__), original)
        else:
            value = import_module(f".{original}", self.__name__)
        self.__dict__[name] = value
        return value

    def _read_places(self) -> Mapping[str, tuple[str, str]]:
        """Return the module and the original name of each name that `__init__` imports."""
        if "_places" not in self.__dict__:
            tree = ast.parse(Path(str(self.__file__)).read_bytes())
            imports = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.level == 1]
            self.__dict__["_places"] = {
                alias.asname or alias.name: (node.module or "", alias.name)
                for node in imports
                for alias in node.names
            }
        places: Mapping[str, tuple[str, str]] = self.__dict__["_places"]
        return places


def defer_packages(top: str, *names: str) -> None:
    """Make packages below `top` lazy.

    Does nothing if `top` is already imported or not installed.
    """
    spec = find_spec(top)
    if top in sys.modules or spec is None or not spec.submodule_search_locations:
        return
    root = Path(next(iter(spec.submodule_search_locations)))
    for name in names:
        folder = root.joinpath(*name.split("."))
        page = folder / "__init__.py"
        package = spec_from_file_location(f"{top}.{name}", page, submodule_search_locations=[str(folder)])
        if package is None or not page.exists():
            continue
        module = module_from_spec(package)
        module.__class__ = LazyPackage
        sys.modules[f"{top}.{name}"] = module
