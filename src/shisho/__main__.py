"""The `shisho` command, and `python -m shisho`. Nothing of ours is loaded before Ctrl-C is heeded."""

from __future__ import annotations

import gc
import sys

NEW_OBJECTS = 50_000
"""New objects before the next look for garbage. Python's 700 cost a twentieth of a start, which loads what
stays."""


def main() -> None:
    """Entry point of the `shisho` command."""
    gc.set_threshold(NEW_OBJECTS)
    try:
        from shisho.interfaces.cli import app as cli
    except KeyboardInterrupt:
        sys.exit(130)
    cli.main()


if __name__ == "__main__":
    main()
