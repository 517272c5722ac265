"""`shisho mcp`, `serve` and `ui`: the library for assistants, programs and browsers."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sys
from collections.abc import Awaitable, Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shisho.interfaces.cli.interrupts import INTERRUPTED, EndRequest, end_request
from shisho.interfaces.cli.log_lines import start_log
from shisho.interfaces.cli.shell import Shell, Terminal, async_command
from shisho.settings import expand_user

if TYPE_CHECKING:
    from shisho.interfaces.http.guard import AccessRules
    from shisho.services import Library
    from shisho.settings import Settings


@async_command("interrupted_worker")
async def mcp(
    shell: Shell,
    print_config: Annotated[
        AssistantClient | None,
        typer.Option("--print-config", help="help.option_print_config"),
    ] = None,
) -> None:
    """Serve an assistant over stdin and stdout (MCP).

    Stops with its client; jobs continue in any other worker.
    """
    if print_config is not None:
        typer.echo(build_config(print_config, shell.obj["home"]))
        return

    async def serve_client(library: Library, request: EndRequest) -> None:
        from shisho.interfaces.cli.startup import accelerate_imports

        with accelerate_imports():
            from shisho.interfaces.mcp.server import build

        all_tools = shell.load_settings().read_text("mcp_tools") == "all"
        serving = asyncio.ensure_future(build(library, all_tools=all_tools).run_stdio_async())
        asking = asyncio.ensure_future(request.wait())
        await asyncio.wait([serving, asking], return_when=asyncio.FIRST_COMPLETED)
        asking.cancel()
        if serving.done():
            serving.result()

    await _run_server(shell, serve_client, holds_input=True)


@async_command("interrupted_worker")
async def serve(
    shell: Shell,
    port: Annotated[int, typer.Option(min=0, max=65_535, help="help.option_box_port")] = 8765,
    host: Annotated[str, typer.Option(help="help.option_health_host")] = "127.0.0.1",
    token: Annotated[
        str | None,
        typer.Option(help="help.option_token"),
    ] = None,
) -> None:
    """Serve the reading room, REST under /api/v1 and MCP under /mcp until interrupted."""
    await _serve(shell, port, _print_addresses, host, token or "")


@async_command("interrupted_worker")
async def ui(
    shell: Shell,
    port: Annotated[int, typer.Option(min=0, max=65_535, help="help.option_box_port")] = 8765,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="help.option_no_browser")] = False,
) -> None:
    """Open the reading room in your browser, to add documents and ask, until interrupted."""

    def announce(address: str) -> None:
        typer.echo(shell.say("ui_opens", address=address))
        if not no_browser:
            import webbrowser

            webbrowser.open(address)

    await _serve(shell, port, announce)


async def _serve(
    shell: Shell,
    port: int,
    announce: Callable[[str], None],
    host: str = "127.0.0.1",
    token: str = "",
) -> None:
    async def serve_http(library: Library, request: EndRequest) -> None:
        from shisho.interfaces.http.server import serve as serve_library

        await serve_library(library, rules, port, announce, request)

    rules = access_rules(shell.load_settings(**({"token": token} if token else {})), host)
    await _run_server(shell, serve_http)


def _print_addresses(address: str) -> None:
    typer.echo(f"Shisho: {address}/  REST {address}/api/v1  MCP {address}/mcp")


def access_rules(settings: Settings, host: str) -> AccessRules:
    """Return the access rules of a server at this address. Raises: InvalidParams."""
    from shisho.interfaces.http.guard import AccessRules, read_people
    from shisho.interfaces.http.people import read_proxies

    token = settings.read_text("token")
    documents = settings.read_int("max_file_mb") * (4 << 20) // 3 + (
        1 << 20
    )  # base64 of the largest file, and the rest of the call
    return AccessRules(
        host=host,
        token=token,
        people=read_people(settings.read_text("tokens"), token),
        proxies=read_proxies(settings.read_text("user_header"), settings.read_words("trusted_proxies")),
        hosts=settings.read_words("allowed_hosts"),
        origins=settings.read_words("allowed_origins"),
        all_tools=settings.read_text("mcp_tools") == "all",
        max_connections=settings.read_int("max_connections"),
        large={
            "/api/v1/documents": documents,
            "/api/v1/documents/upload": settings.read_int("max_file_mb") << 20,
        },
    )


async def _run_server(
    shell: Shell,
    work: Callable[[Library, EndRequest], Awaitable[None]],
    *,
    holds_input: bool = False,
) -> None:
    """Serve over a library with workers running.

    `holds_input`: a thread may still be blocked on stdin, and only the end of the process stops it.
    """
    from shisho.bootstrap.library import open_library
    from shisho.bootstrap.tracing import trace

    settings = shell.load_settings()
    # Logs go to stderr, because stdout carries the protocol; set up before the SDK installs its own log.
    start_log(settings)
    async with open_library(**shell.obj) as library:
        request = end_request()
        with trace(settings):
            async with library.working(here=Terminal(shell.say)):
                await work(library, request)
        if request.interrupted:
            typer.echo(shell.say("interrupted_worker"), err=True)
        if request.is_set() and holds_input:
            sys.stderr.flush()
            os._exit(INTERRUPTED if request.interrupted else 0)
        if request.interrupted:
            raise typer.Exit(INTERRUPTED)


class AssistantClient(StrEnum):
    """Assistants with a known settings format."""

    CLAUDE_DESKTOP = "claude-desktop"
    CLAUDE_CODE = "claude-code"
    CURSOR = "cursor"
    VSCODE = "vscode"
    CODEX = "codex"


def build_config(client: AssistantClient, home: Path | None = None) -> str:
    """Return the block for this client.

    The command is a full path: assistants do not have the shell's PATH.
    """
    command, before = _find_command()
    args = [*before, *(["--home", str(expand_user(home).resolve())] if home else []), "mcp"]
    if client is AssistantClient.CODEX:
        # A JSON string without escapes beyond \" and \\ is a TOML string too.
        return f"[mcp_servers.shisho]\ncommand = {json.dumps(command)}\nargs = {json.dumps(args, ensure_ascii=False)}"
    entry = {"command": command, "args": args}
    if client in (AssistantClient.CLAUDE_CODE, AssistantClient.VSCODE):
        entry = {"type": "stdio", **entry}
    key = "servers" if client is AssistantClient.VSCODE else "mcpServers"
    return json.dumps({key: {"shisho": entry}}, ensure_ascii=False, indent=2)


def _find_command() -> tuple[str, list[str]]:
    beside = shutil.which("shisho", path=str(Path(sys.executable).parent)) or shutil.which("shisho")
    if beside:
        return beside, []
    return sys.executable, ["-m", "shisho"]
