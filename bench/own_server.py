"""Run a command on an empty database of a PostgreSQL server of its own, which is thrown away after it:
`python -m bench.own_server COMMAND …`. The command gets `--store ADDRESS` as its last arguments."""

from __future__ import annotations

import subprocess
import sys

from tests.postgres import PostgresServer


def main(command: list[str]) -> int:
    server = PostgresServer(durable=True)
    server.start()
    try:
        return subprocess.run([*command, "--store", server.new_database()], check=False).returncode
    finally:
        server.close()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
