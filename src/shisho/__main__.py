"""The `shisho` command, and `python -m shisho`. Nothing of ours is loaded before Ctrl-C is heeded."""

from __future__ import annotations

import sys


def main() -> None:
    """Entry point of the `shisho` command."""
    try:
        from shisho.interfaces.cli import app as cli
    except KeyboardInterrupt:
        sys.exit(130)
    cli.main()


if __name__ == "__main__":
    main()
