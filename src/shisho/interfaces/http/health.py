"""Health checks without a token: is the process alive, and can it work?"""

from __future__ import annotations

import asyncio

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse
from starlette.types import ASGIApp

from shisho.errors import NotFound, ShishoError
from shisho.interfaces.api.failures import describe_error
from shisho.interfaces.http import routes as http_routes
from shisho.interfaces.http.guard import AccessRules, Guard
from shisho.interfaces.http.metrics import PrometheusFigures, add_metrics
from shisho.interfaces.http.strict_route import add_method_refusal
from shisho.services import Library

READY_SECONDS = 10.0


def add_health(app: FastAPI, library: Library) -> None:
    """Add both routes; some monitors use HEAD."""

    @app.head("/livez", include_in_schema=False)
    @app.get("/livez", operation_id="livez", tags=["health"])
    async def check_live() -> dict[str, str]:
        """Report that the process responds."""
        return {"status": "ok"}

    @app.head("/readyz", include_in_schema=False)
    @app.get(
        "/readyz",
        operation_id="readyz",
        tags=["health"],
        responses={503: {"model": http_routes.ErrorBody}},
    )
    async def report_ready() -> JSONResponse:
        """Report whether the database responds and can store data; if not, why."""
        try:
            async with asyncio.timeout(READY_SECONDS):
                await library.check_ready()
        except ShishoError as error:
            return JSONResponse(describe_error(error), 503)
        except TimeoutError:
            return JSONResponse(describe_error(http_routes.build_lateness()), 503)
        return JSONResponse({"status": "ok"})


def build_health(library: Library, rules: AccessRules, figures: PrometheusFigures) -> ASGIApp:
    """Build the routes of a process that serves nothing else.

    `/livez`, `/readyz` and `/metrics`.
    """
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)
    add_health(app, library)
    add_metrics(app, library, figures)
    add_method_refusal(app)

    @app.exception_handler(404)
    async def report_not_found(request: Request, error: Exception) -> JSONResponse:
        paths = ", ".join(sorted({getattr(route, "path", "") for route in app.router.routes}))
        refusal = NotFound(
            "http.nothing_here",
            path=request.url.path,
            paths=paths,
        )
        return http_routes.build_refusal(refusal)

    return Guard(app, rules)
