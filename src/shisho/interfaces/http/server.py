"""The HTTP server over a library.

The reading room at /, health, REST under /api/v1, MCP under /mcp.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from functools import partial
from types import FrameType
from typing import Any

import uvicorn
from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import ASGIApp

import shisho
from shisho.domain.team import derive_cookie
from shisho.errors import Conflict, InvalidParams, NotFound, ShishoError
from shisho.interfaces.api import arguments
from shisho.interfaces.api.failures import describe_error
from shisho.interfaces.http import routes as http_routes
from shisho.interfaces.http.answer_news import add_answer_news
from shisho.interfaces.http.connections import bound_connections
from shisho.interfaces.http.exports import ExportQuery, add_exports
from shisho.interfaces.http.guard import COOKIE, AccessRules, Guard
from shisho.interfaces.http.health import add_health, build_health
from shisho.interfaces.http.metrics import PrometheusFigures, add_metrics, figures_kept
from shisho.interfaces.http.people import PersonalApplications
from shisho.interfaces.http.strict_route import StrictRoute, add_method_refusal
from shisho.interfaces.http.uploads import UploadQuery, add_uploads
from shisho.interfaces.http.viewing import add_viewing
from shisho.interfaces.mcp import server as mcp
from shisho.interfaces.ui import build_routes, show_missing
from shisho.messages.system import explain_error
from shisho.services import Library

GRACE_SECONDS = 2  # long polls are cut when the server stops; their jobs are not
# How long a connection may be idle: longer than clients keep one (Node 4 s, httpx 5 s, browsers and proxies a
# minute). If the server closes first, as uvicorn does after 5 s, a request sent at that moment is lost, and a
# POST is not retried.
KEEP_ALIVE_SECONDS = 75
TICK_S = 1.0  # between two dates in the header of responses
API = "/api/v1"


class NoArguments(BaseModel):
    """The arguments of a route that only has path parameters."""


def build(library: Library, rules: AccessRules, figures: PrometheusFigures | None = None) -> ASGIApp:
    """Build the whole guarded application.

    Each person with a token has an application over their own library, so that none can reach another's.
    `figures` are shown to this machine's owner.
    """
    people = PersonalApplications(library, partial(_build_application, rules=rules))
    return Guard(_build_application(library, rules, people, figures), rules, people)


def _build_application(
    library: Library,
    rules: AccessRules,
    people: PersonalApplications | None = None,
    figures: PrometheusFigures | None = None,
) -> FastAPI:
    """Build the application of one owner. Its lifespan includes those of the other `people`."""
    server = mcp.build(library, all_tools=rules.all_tools)
    served = server.streamable_http_app(host=rules.host)

    @asynccontextmanager
    async def manage_lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(server.session_manager.run())
            if people is not None:
                await stack.enter_async_context(people.run())
            yield

    app = FastAPI(
        title="Shisho",
        version=shisho.__version__,
        openapi_url=f"{API}/openapi.json",
        docs_url=None,  # its page loads scripts from other sites
        redoc_url=None,
        lifespan=manage_lifespan,
    )
    add_health(app, library)
    if figures is not None:
        add_metrics(app, library, figures)
    router = APIRouter(prefix=API, route_class=StrictRoute)
    http_routes.add_news(router, library)
    http_routes.add_reading(router, library)
    add_answer_news(router, library)
    add_viewing(router, library)
    add_exports(router, library)
    add_uploads(router, library)
    for verb in http_routes.ROUTES:
        http_routes.add(router, verb, library)
    # Not included as a router: FastAPI would build each route again at the first request.
    app.router.routes.extend([*router.routes, *served.routes])

    async def make_cookie(token: str) -> str | None:
        is_user = bool(token.strip()) and await library.team.find_user(token.strip()) is not None
        return rules.cookie_for(token) or (derive_cookie(token.strip()) if is_user else None)

    app.router.routes.extend(build_routes(make_cookie, COOKIE, library))
    _register_refusals(app)
    add_method_refusal(app)
    return app


async def serve(
    library: Library, rules: AccessRules, port: int, started: Callable[[str], None], event: asyncio.Event
) -> None:
    """Serve until `event` is set.

    Port 0: the system chooses one; `started` is called with the address.
    """
    with figures_kept() as figures:
        await serve_application(build(library, rules, figures), rules, port, started, event)


async def serve_health(
    library: Library, rules: AccessRules, port: int, started: Callable[[str], None], event: asyncio.Event
) -> None:
    """Serve only health and metrics, otherwise like `serve`."""
    with figures_kept() as figures:
        await serve_application(build_health(library, rules, figures), rules, port, started, event)


async def serve_application(
    application: ASGIApp, rules: AccessRules, port: int, started: Callable[[str], None], event: asyncio.Event
) -> None:
    """Serve an application until `event` is set."""
    listener = _listen(rules.host, port)
    config = uvicorn.Config(
        application,
        http=bound_connections(rules.max_connections),
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        proxy_headers=False,  # or a proxy's client could forge its source address
    )
    started(_format_address(rules.host, listener.getsockname()[1]))
    server = _IdleServer(config)

    async def end() -> None:
        # Uvicorn handles signals too, but only once it is running: an earlier one must not be lost.
        await event.wait()
        server.end()

    ending = asyncio.create_task(end())
    try:
        await server.serve(sockets=[listener])
    finally:
        ending.cancel()


class _IdleServer(uvicorn.Server):
    """A server that wakes once a second for its date header, where uvicorn's wakes ten times."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._loop = asyncio.get_running_loop()
        self._ended = asyncio.Event()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        super().handle_exit(sig, frame)
        self._loop.call_soon_threadsafe(self._ended.set)

    def end(self) -> None:
        self.should_exit = True
        self._ended.set()

    def main_loop(self) -> Coroutine[Any, Any, None]:
        return self._wait_for_end()

    async def _wait_for_end(self) -> None:
        while not await self.on_tick(0):
            with suppress(TimeoutError):
                async with asyncio.timeout(TICK_S):
                    await self._ended.wait()


def _register_refusals(app: FastAPI) -> None:
    models = {verb.name: verb.arguments for verb in http_routes.ROUTES}
    models |= {"upload_document": UploadQuery, "export_answer": ExportQuery}

    @app.exception_handler(ShishoError)
    async def report_error(request: Request, error: ShishoError) -> JSONResponse:
        return http_routes.build_refusal(error)

    @app.exception_handler(TimeoutError)
    async def report_timeout(request: Request, error: TimeoutError) -> JSONResponse:
        return http_routes.build_refusal(http_routes.build_lateness())

    @app.exception_handler(RequestValidationError)
    async def report_invalid(request: Request, error: RequestValidationError) -> JSONResponse:
        name = getattr(request.scope.get("route"), "operation_id", "")
        # without "body" or "query"
        places = [{**detail, "loc": detail["loc"][1:]} for detail in error.errors()]
        taken = models.get(name, NoArguments)
        return http_routes.build_refusal(arguments.refuse_request(taken, places))

    @app.exception_handler(HTTPException)
    async def report_not_found(request: Request, error: HTTPException) -> Response:
        is_page = "text/html" in request.headers.get("accept", "") and not request.url.path.startswith(API)
        if error.status_code == 404 and is_page:
            return show_missing(request)
        if error.status_code == 404:
            return http_routes.build_refusal(
                NotFound(
                    "http.not_found",
                    path=request.url.path,
                    api=API,
                )
            )
        if error.status_code >= 500:
            return http_routes.build_refusal(error)
        return JSONResponse(
            describe_error(InvalidParams("http.detail", detail=error.detail)),
            error.status_code,
            headers=error.headers,
        )

    @app.exception_handler(Exception)
    async def report_bug(request: Request, error: Exception) -> JSONResponse:
        return http_routes.build_refusal(error)


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Declared as TCP, or asyncio does not set TCP_NODELAY and each reply to a kept-alive client takes 40 ms.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host.strip("[]"), port))
    except OSError as error:
        listener.close()
        raise Conflict(
            "http.port_unusable",
            port=port,
            host=host,
            cause=explain_error(error),
        ) from error
    listener.listen(2048)
    return listener


def _format_address(host: str, port: int) -> str:
    return f"http://[{host.strip('[]')}]:{port}" if ":" in host else f"http://{host}:{port}"
