"""Patterns that are compiled at first use are what `re.compile` gives, and nothing is compiled before."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from shisho.language import compile_lazily

AT_IMPORT = """
import re
compiled = []
compile_pattern = re._compiler.compile
re._compiler.compile = lambda pattern, flags=0: compiled.append(pattern) or compile_pattern(pattern, flags)
import shisho.language.definitions, shisho.librarian.splitting
print([pattern for pattern in compiled if any(ord(character) > 0x3000 for character in str(pattern))])
"""


def test_a_lazy_pattern_gives_what_a_compiled_one_gives() -> None:
    lazy, compiled = compile_lazily("(a+)(b)?", re.IGNORECASE), re.compile("(a+)(b)?", re.IGNORECASE)
    for _ in range(2):
        assert [match.groups() for match in lazy.finditer("xAab a")] == [("Aa", "b"), ("a", None)]
        assert (lazy.sub("-", "aab"), lazy.flags, lazy.groups) == ("-", compiled.flags, compiled.groups)
    assert lazy.pattern == compiled.pattern


def test_a_mistake_in_a_pattern_shows_at_its_first_use() -> None:
    lazy = compile_lazily("(")
    with pytest.raises(re.error):
        lazy.match("a")


def test_importing_the_language_compiles_no_pattern_of_japanese() -> None:
    run = subprocess.run([sys.executable, "-c", AT_IMPORT], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
