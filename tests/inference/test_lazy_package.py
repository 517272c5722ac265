"""A package whose `__init__` is not run gives the same names, and imports what is asked for alone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import sys
sys.path.insert(0, {folder!r})
from shisho.inference.lazy_package import defer_packages
{before}
defer_packages("kiln", "types", "nowhere")
import kiln
from kiln.types import Bowl
from kiln.types.glaze import COLOUR
print(Bowl.__name__, COLOUR, "kiln.types.large" in sys.modules, hasattr(kiln.types, "missing"))
from kiln.types import large
print(large.__name__, kiln.types.Vase.__name__)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    types = tmp_path / "kiln" / "types"
    types.mkdir(parents=True)
    (tmp_path / "kiln" / "__init__.py").write_text("from . import types\n")
    (types / "__init__.py").write_text(
        "from .small import Bowl as Bowl\nfrom .large import Pot as Vase\nfrom . import large\n"
    )
    (types / "small.py").write_text("class Bowl: pass\n")
    (types / "large.py").write_text("class Pot: pass\n")
    (types / "glaze.py").write_text("COLOUR = 'ash'\n")
    return tmp_path


@pytest.mark.parametrize(("before", "is_loaded"), [("", "False"), ("import kiln", "True")])
def test_names_are_imported_one_by_one_unless_all_were_before(
    folder: Path, before: str, is_loaded: str
) -> None:
    program = PROGRAM.format(folder=str(folder), before=before)
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines() == [f"Bowl ash {is_loaded} False", "kiln.types.large Pot"]


def test_a_name_that_the_package_makes_itself_runs_it(folder: Path) -> None:
    kiln = folder / "kiln" / "__init__.py"
    kiln.write_text("from . import types\nfrom .types import *\n__version__ = '2'\nHEAT = types.small.Bowl\n")
    program = f"""
import sys
sys.path.insert(0, {str(folder)!r})
from shisho.inference.lazy_package import defer_packages
defer_packages("kiln", "types")
import kiln
print("kiln.types.small" in sys.modules, kiln.HEAT.__name__, kiln.__version__, kiln.Vase.__name__)
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["False", "Bowl", "2", "Pot"]


@pytest.mark.parametrize(
    ("client", "used", "others"),
    [
        ("openai", "types.Embedding", "openai.types.batch"),
        ("anthropic", "AnthropicBedrock", "anthropic.resources.beta"),
    ],
)
def test_a_client_imports_nothing_for_other_services_until_it_is_used(
    client: str, used: str, others: str
) -> None:
    pytest.importorskip(client)
    program = f"""
import sys
from shisho.inference.providers import ModelAccess, open_client
open_client(ModelAccess({client!r}, "m", "http://127.0.0.1:9/v1", "", 8192), 1.0)
modules = [name for name in sys.modules if name.startswith({others!r})]
import {client}
print(len(modules), {client}.{used}.__name__, {client}.__version__ != "")
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["0", used.rpartition(".")[2], "True"]
