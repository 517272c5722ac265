"""Packages that import each module when one of its names is first used.

The clients of OpenAI and Anthropic import hundreds of modules for services that are never called: half a
second and more.
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

_SPECIAL = ("__all__", "__version__")  # of these, what `__init__` makes itself


class LazyPackage(ModuleType):
    """A package that runs its `__init__` only if necessary.

    The names that `__init__` imports are imported at their first use, and any other name runs it. Modules
    below the package are imported normally.
    """

    def __getattr__(self, name: str) -> Any:
        place = self._read_places().get(name)
        is_special = name.startswith("__")
        if place is None and not is_special and find_spec(f"{self.__name__}.{name}"):
            place = ("", name)
        if place is not None:
            module, original = place
            if module:
                value = getattr(import_module(f".{module}", self.__name__), original)
            else:
                value = import_module(f".{original}", self.__name__)
            self.__dict__[name] = value
            return value
        if is_special and name not in _SPECIAL:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        return self._run(name)

    def _run(self, name: str) -> Any:
        """Run `__init__` after all; return what it makes of a name."""
        self.__class__ = ModuleType  # type: ignore[assignment]
        if self.__spec__ is not None and self.__spec__.loader is not None:
            self.__spec__.loader.exec_module(self)
        return getattr(self, name)

    def _read_places(self) -> Mapping[str, tuple[str, str]]:
        """Return the module and the original name of each name that `__init__` imports."""
        if "_places" not in self.__dict__:
            tree = ast.parse(Path(str(self.__file__)).read_bytes())
            imports = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.level == 1]
            self.__dict__["_places"] = {
                alias.asname or alias.name: (node.module or "", alias.name)
                for node in imports
                for alias in node.names
                if alias.name != "*"
            }
        places: Mapping[str, tuple[str, str]] = self.__dict__["_places"]
        return places


def defer_packages(top: str, *names: str) -> None:
    """Make a package and packages below it lazy.

    Does nothing if `top` is already imported or not installed.
    """
    spec = find_spec(top)
    if top in sys.modules or spec is None or not spec.submodule_search_locations:
        return
    root = Path(next(iter(spec.submodule_search_locations)))
    for name in ("", *names):
        folder = root.joinpath(*name.split("."))
        page = folder / "__init__.py"
        full_name = f"{top}.{name}".rstrip(".")
        package = spec_from_file_location(full_name, page, submodule_search_locations=[str(folder)])
        if package is None or not page.exists():
            continue
        module = module_from_spec(package)
        module.__class__ = LazyPackage
        sys.modules[full_name] = module
