"""`shisho mcp` and `shisho serve`: the library for assistants and programs."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shisho import settings
from shisho.interfaces.cli.client_configs import AssistantClient, build_config
from shisho.interfaces.cli.interrupts import INTERRUPTED, EndRequest, end_request
from shisho.interfaces.cli.log_lines import start_log
from shisho.interfaces.cli.runner import load_words, run

if TYPE_CHECKING:
    from shisho.interfaces.http.guard import AccessRules
    from shisho.services import Library
    from shisho.settings import Settings


def mcp(
    context: typer.Context,
    print_config: Annotated[
        AssistantClient | None,
        typer.Option("--print-config", help="help.option_print_config"),
    ] = None,
) -> None:
    """Serve an assistant over stdin and stdout (MCP).

    Stops with its client; jobs continue in any other worker.
    """
    if print_config is not None:
        typer.echo(build_config(print_config, context.obj["home"]))
        return

    async def execute(library: Library) -> EndRequest:
        from shisho.interfaces.cli.startup import hasten_imports

        with hasten_imports():
            from shisho.interfaces.mcp.server import build

        request = end_request()
        all_tools = settings.load(**context.obj).read_text("mcp_tools") == "all"
        serving = asyncio.ensure_future(build(library, all_tools=all_tools).run_stdio_async())
        asking = asyncio.ensure_future(request.wait())
        await asyncio.wait([serving, asking], return_when=asyncio.FIRST_COMPLETED)
        asking.cancel()
        if serving.done():
            serving.result()
        return request

    _run_server(context, execute, holds_input=True)


def serve(
    context: typer.Context,
    port: Annotated[int, typer.Option(min=0, max=65_535, help="help.option_box_port")] = 8765,
    host: Annotated[str, typer.Option(help="help.option_health_host")] = "127.0.0.1",
    token: Annotated[
        str | None,
        typer.Option(help="help.option_token"),
    ] = None,
) -> None:
    """Serve the reading room, REST under /api/v1 and MCP under /mcp until interrupted."""
    _serve(context, port, host, token, _print_addresses)


def ui(
    context: typer.Context,
    port: Annotated[int, typer.Option(min=0, max=65_535, help="help.option_box_port")] = 8765,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="help.option_no_browser")] = False,
) -> None:
    """Open the reading room in your browser, to add documents and ask, until interrupted."""

    def announce(address: str) -> None:
        typer.echo(load_words(context)("ui_opens", address=address))
        if not no_browser:
            import webbrowser

            webbrowser.open(address)

    _serve(context, port, "127.0.0.1", None, announce)


def _serve(
    context: typer.Context, port: int, host: str, token: str | None, announce: Callable[[str], None]
) -> None:
    option_values = {"token": token} if token else {}

    async def execute(library: Library) -> EndRequest:
        from shisho.interfaces.http.server import serve as served

        request = end_request()
        await served(library, rules, port, announce, request)
        return request

    rules = access_rules(settings.load(**context.obj, **option_values), host)
    _run_server(context, execute)


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


def _run_server(
    context: typer.Context,
    execute: Callable[[Library], Coroutine[Any, Any, EndRequest]],
    *,
    holds_input: bool = False,
) -> None:
    """Serve over a library with workers running.

    `holds_input`: a thread may still be blocked on stdin, and only the end of the process stops it.
    """
    # Logs go to stderr, because stdout carries the protocol; set up before the SDK installs its own log.
    start_log(settings.load(**context.obj))

    async def run_workers(library: Library) -> None:
        from shisho.bootstrap.tracing import trace
        from shisho.interfaces.cli.terminal import Terminal

        with trace(settings.load(**context.obj)):
            async with library.working(here=Terminal(load_words(context))):
                end_request = await execute(library)
        if end_request.interrupted:
            typer.echo(load_words(context)("interrupted_worker"), err=True)
        if end_request.is_set() and holds_input:
            sys.stderr.flush()
            os._exit(INTERRUPTED if end_request.interrupted else 0)
        if end_request.interrupted:
            raise typer.Exit(INTERRUPTED)

    run(context, run_workers, False, "interrupted_worker")
