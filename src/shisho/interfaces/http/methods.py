"""Reject unsupported methods with a list of the supported ones."""

from __future__ import annotations

from collections.abc import Iterable

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse
from starlette.routing import BaseRoute, Match
from starlette.types import Scope

from shisho.errors import InvalidParams
from shisho.interfaces.api.failures import describe_error


def add_method_refusal(app: FastAPI) -> None:
    """Answer 405 as an error; its `Allow` has the methods of every route of the path."""

    @app.exception_handler(405)
    async def refuse_method(request: Request, error: Exception) -> JSONResponse:
        methods = ", ".join(list_methods(app.router.routes, request.scope))
        refusal = InvalidParams(
            "http.method_not_allowed",
            path=request.url.path,
            methods=methods,
            method=request.method,
        )
        return JSONResponse(describe_error(refusal), 405, headers={"Allow": methods})


def list_methods(routes: Iterable[BaseRoute], scope: Scope) -> list[str]:
    """Return the methods of these routes for the path of a request."""
    serving = [route for route in routes if route.matches(scope)[0] is not Match.NONE]
    return sorted({method for route in serving for method in getattr(route, "methods", None) or ()})
