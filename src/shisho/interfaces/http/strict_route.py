"""Routes that refuse by name what they would not read: in the query, and in a body."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Coroutine, Iterable, Mapping
from functools import cached_property
from typing import Any
from urllib.parse import unquote

from fastapi import Request
from fastapi.responses import Response
from fastapi.routing import APIRoute
from pydantic import BaseModel, create_model
from pydantic.fields import FieldInfo
from starlette.datastructures import Headers
from starlette.routing import Match
from starlette.types import Scope

from shisho.errors import InvalidParams
from shisho.interfaces.api import arguments

JSON_TYPE = re.compile(r"application/(?:[^/]*\+)?json", re.IGNORECASE)  # what FastAPI reads as JSON
ESCAPED_SLASH = b"%2F"
NO_PACKING = frozenset({"", "identity"})


class StrictRoute(APIRoute):
    """A route that takes the arguments that it has, where it has them, and no others. In its path a name may
    hold slashes, each as `%2F`."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Tell whether a request is for this route. Servers unescape a path as a whole; where it has escaped
        slashes, it is taken apart as it was sent, and each of its names is unescaped."""
        raw_path: bytes = scope.get("raw_path") or b""
        if ESCAPED_SLASH not in raw_path.upper():
            return super().matches(scope)
        match, matched = super().matches({**scope, "path": raw_path.decode("latin-1")})
        names = matched.get("path_params", {})
        return match, {**matched, "path_params": {name: unquote(value) for name, value in names.items()}}

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler of requests, behind the checks."""
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
        """A body that is a file is in the description alone."""
        return self.body_field is not None or "requestBody" in (self.openapi_extra or {})

    def _check_query(self, query: Iterable[str]) -> None:
        self._check([name for name in query if name not in self._query_names], self._body_names, "body_only")

    async def _check_body(self, request: Request) -> None:
        """Raises InvalidParams for a body that could not be read for what it is."""
        check_packing(request.headers)
        if self.body_field is not None:
            check_json_type(request.headers)
            await read_json(request)

    def _check_no_body(self, body: bytes) -> None:
        """An object without members is as good as no body: some clients send one with each POST."""
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
        """Raises InvalidParams for each of these names; of a misplaced one `mistake` is said."""
        kinds = dict.fromkeys(misplaced, mistake)
        errors = [
            {"type": kinds.get(name, "extra_forbidden"), "loc": (name,)} for name in dict.fromkeys(names)
        ]
        if errors:
            taken: dict[str, Any] = dict.fromkeys((*self._query_names, *self._body_names), (Any, None))
            raise arguments.refuse_request(create_model("TakenNames", **taken), errors)


def check_packing(headers: Headers) -> None:
    """Raises InvalidParams for a packed body, which nothing here unpacks."""
    packings = ",".join(headers.getlist("content-encoding")).split(",")
    if not NO_PACKING.issuperset(packing.strip().lower() for packing in packings):
        raise InvalidParams("http.encoded_body")


def check_json_type(headers: Headers) -> None:
    """Raises InvalidParams for a body that does not come as JSON, whatever it is."""
    media_type = headers.get("content-type", "").partition(";")[0].strip()
    if not JSON_TYPE.fullmatch(media_type):
        raise InvalidParams("http.not_json")


async def read_json(request: Request) -> None:
    """Read the body ahead of FastAPI, which finds it read in the request, and has words of its own for what
    fails here.

    Raises InvalidParams."""
    try:
        await request.json()
    except json.JSONDecodeError:
        return  # FastAPI says where the mistake is
    except UnicodeDecodeError as error:
        raise InvalidParams("http.not_utf8") from error
    except RecursionError as error:
        raise InvalidParams("http.too_deep") from error
    except ValueError as error:
        raise InvalidParams("http.number_too_long") from error


def list_names(alias: str, field: FieldInfo) -> list[str]:
    """The names of the arguments that a parameter stands for: of a model those of its members."""
    kind = field.annotation
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return [*kind.model_fields]
    return [alias]
