"""Regular expressions that are compiled at first use: compiling all of them would take a third of the time
in which a command starts."""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast


class LazyPattern:
    """Stands for a compiled pattern. After the first use its methods are those of the compiled one."""

    def __init__(self, pattern: str | bytes, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # copying and pickling ask before there are any fields
            raise AttributeError(name)
        compiled = re.compile(self.pattern, self._flags)
        value = getattr(compiled, name)
        self.__dict__[name] = value
        return value


def compile_lazily(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return what `re.compile` returns, compiled at its first use. A mistake in it shows only then."""
    return cast("re.Pattern[AnyStr]", LazyPattern(pattern, flags))
