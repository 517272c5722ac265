"""Routes that reject unknown or misplaced arguments, in the query and in the body."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Coroutine, Iterable, Mapping
from functools import cached_property
from typing import Any
from urllib.parse import unquote

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response
from fastapi.routing import APIRoute
from pydantic import BaseModel, create_model
from pydantic.fields import FieldInfo
from starlette.datastructures import Headers
from starlette.routing import BaseRoute, Match
from starlette.types import Scope

from shisho.errors import InvalidParams
from shisho.interfaces.api import arguments
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


JSON_TYPE = re.compile(r"application/(?:[^/]*\+)?json", re.IGNORECASE)  # what FastAPI parses as JSON
ESCAPED_SLASH = b"%2F"
NO_PACKING = frozenset({"", "identity"})


class StrictRoute(APIRoute):
    """A route that only accepts its own arguments in their own places.

    A name in its path may contain slashes, each as `%2F`.
    """

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Match a request.

        Servers unescape a path as a whole. A path with escaped slashes is split in its raw form, and then
        each name is unescaped.
        """
        raw_path: bytes = scope.get("raw_path") or b""
        if ESCAPED_SLASH not in raw_path.upper():
            return super().matches(scope)
        match, matched = super().matches({**scope, "path": raw_path.decode("latin-1")})
        names = matched.get("path_params", {})
        return match, {**matched, "path_params": {name: unquote(value) for name, value in names.items()}}

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the handler of requests, behind the checks."""
        handle = super().get_route_handler()

        async def check_and_handle(request: Request) -> Response:
            self._check_query(request.query_params)
            body = await request.body()
            if not self._takes_body:
                self._check_no_body(body)
            elif body:
                await self._check_body(request)
            return await handle(request)

        return check_and_handle

    @cached_property
    def _query_names(self) -> list[str]:
        fields = self.dependant.query_params
        return [name for field in fields for name in list_names(field.alias, field.field_info)]

    @cached_property
    def _body_names(self) -> list[str]:
        field = self.body_field
        return [] if field is None else list_names(field.alias, field.field_info)

    @cached_property
    def _takes_body(self) -> bool:
        """Return whether the route takes a body.

        A file body only appears in the OpenAPI description.
        """
        return self.body_field is not None or "requestBody" in (self.openapi_extra or {})

    def _check_query(self, query: Iterable[str]) -> None:
        self._check([name for name in query if name not in self._query_names], self._body_names, "body_only")

    async def _check_body(self, request: Request) -> None:
        """Check that the body can be parsed. Raises: InvalidParams."""
        check_packing(request.headers)
        if self.body_field is not None:
            check_json_type(request.headers)
            await read_json(request)

    def _check_no_body(self, body: bytes) -> None:
        """Accept an empty object as no body: some clients send one with each POST."""
        if not body.strip():
            return
        try:
            data = json.loads(body)
        except (ValueError, RecursionError):
            data = body
        if isinstance(data, Mapping):
            self._check(data, self._query_names, "query_only")
        elif data is not None:
            raise InvalidParams("http.unexpected_body")

    def _check(self, names: Iterable[str], misplaced: Iterable[str], mistake: str) -> None:
        """Check the names. Raises: InvalidParams with all of them, and `mistake` for misplaced ones."""
        kinds = dict.fromkeys(misplaced, mistake)
        errors = [
            {"type": kinds.get(name, "extra_forbidden"), "loc": (name,)} for name in dict.fromkeys(names)
        ]
        if errors:
            taken: dict[str, Any] = dict.fromkeys((*self._query_names, *self._body_names), (Any, None))
            raise arguments.refuse_request(create_model("TakenNames", **taken), errors)


def check_packing(headers: Headers) -> None:
    """Reject a compressed body, which nothing here decompresses. Raises: InvalidParams."""
    packings = ",".join(headers.getlist("content-encoding")).split(",")
    if not NO_PACKING.issuperset(packing.strip().lower() for packing in packings):
        raise InvalidParams("http.encoded_body")


def check_json_type(headers: Headers) -> None:
    """Reject a body without a JSON content type. Raises: InvalidParams."""
    media_type = headers.get("content-type", "").partition(";")[0].strip()
    if not JSON_TYPE.fullmatch(media_type):
        raise InvalidParams("http.not_json")


async def read_json(request: Request) -> None:
    """Parse the body before FastAPI does, for clearer errors. FastAPI then reuses the result.

    Raises: InvalidParams.
    """
    try:
        await request.json()
    except json.JSONDecodeError:
        return  # FastAPI reports the position of the mistake
    except UnicodeDecodeError as error:
        raise InvalidParams("http.not_utf8") from error
    except RecursionError as error:
        raise InvalidParams("http.too_deep") from error
    except ValueError as error:
        raise InvalidParams("http.number_too_long") from error


def list_names(alias: str, field: FieldInfo) -> list[str]:
    """Return the names of a parameter's arguments: for a model those of its fields."""
    kind = field.annotation
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return [*kind.model_fields]
    return [alias]
