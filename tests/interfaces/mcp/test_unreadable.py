"""What comes over standard input and is no message is answered, and the talk goes on."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from mcp_types import INVALID_REQUEST, PARSE_ERROR

from tests import forkserver
from tests.interfaces.serving import environment

Exchange = Callable[[bytes], dict[str, Any]]
START = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
PING = b'{"jsonrpc":"2.0","id":"next","method":"ping"}'
HALF_AN_EMOJI = (
    b'{"jsonrpc":"2.0","id":7,"method":"tools/call",'
    b'"params":{"name":"get_status","arguments":{"task_id":"\\ud83d"}}}'
)


@pytest.fixture(scope="module")
def exchange(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Exchange]:
    """Sends a line to `shisho mcp` and gives the next one back."""
    command = forkserver.command_line("mcp")
    home = tmp_path_factory.mktemp("unreadable") / "home"
    with subprocess.Popen(
        command, env=environment(home), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        into, out_of = process.stdin, process.stdout

        def send(line: bytes) -> dict[str, Any]:
            into.write(line + b"\n")
            into.flush()
            reply: dict[str, Any] = json.loads(out_of.readline())
            return reply

        assert send(b"\xff before the beginning")["id"] is None
        start = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": START}
        assert send(json.dumps(start).encode())["id"] == 1
        yield send
        into.close()


@pytest.mark.parametrize(
    ("line", "request_id", "code"),
    [
        (HALF_AN_EMOJI, 7, PARSE_ERROR),
        ('{"jsonrpc":"2.0","id":"八","method":"ping","params":[]}'.encode(), "八", INVALID_REQUEST),
        (b'{"id":9,"method":"ping"}', 9, INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","id":"\\ud83d","method":"ping"}', None, PARSE_ERROR),
        (b'{"jsonrpc":"2.0","id":1,"result":"\\ud83d"}', None, PARSE_ERROR),
        (b"garbage", None, PARSE_ERROR),
        (b"\xff\xfe", None, PARSE_ERROR),
        (b"[" * 100_000, None, PARSE_ERROR),
        (b'{"id":1,"method":%s}' % (b"9" * 5_000), None, PARSE_ERROR),
        (b"[]", None, INVALID_REQUEST),
    ],
    ids=lambda value: repr(value)[:60],
)
def test_what_is_no_message_is_answered(
    exchange: Exchange, line: bytes, request_id: int | str | None, code: int
) -> None:
    reply = exchange(line)
    assert (reply["id"], reply["error"]["code"]) == (request_id, code)
    assert "This line is" in reply["error"]["message"]
    assert exchange(PING) == {"jsonrpc": "2.0", "id": "next", "result": {}}


def test_blank_line_is_nothing(exchange: Exchange) -> None:
    assert exchange(b"\n \r\n" + PING)["id"] == "next"


@pytest.mark.parametrize("blank", [b"", b" ", b"\n"])
def test_byte_order_mark_before_a_message_is_ignored(exchange: Exchange, blank: bytes) -> None:
    assert exchange(b"\xef\xbb\xbf" + blank + PING) == {"jsonrpc": "2.0", "id": "next", "result": {}}
    assert exchange(b'\xef\xbb\xbf{"id":9,"method":"ping"}')["id"] == 9
