"""Analysis of Japanese and English text: folding, sentences, terms, numbers and dates.

Pure; imports no other package of Shisho. Its regular expressions are compiled at their first use, because
compiling all of them would take a third of a command's start-up time.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast


class LazyPattern:
    """A lazy pattern, which is compiled at its first use and delegates to the compiled one."""

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
    """Return a pattern that is compiled at its first use. An error in it shows only then."""
    return cast("re.Pattern[AnyStr]", LazyPattern(pattern, flags))


def read_words(*lines: str) -> frozenset[str]:
    """Return the set of whitespace-separated words in the lines."""
    return frozenset(word for line in lines for word in line.split())
