"""Routes that refuse by name what they would not read: in the query, and in a body."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine, Iterable, Mapping
from functools import cached_property
from typing import Any

from fastapi import Request
from fastapi.responses import Response
from fastapi.routing import APIRoute
from pydantic import BaseModel, create_model
from pydantic.fields import FieldInfo

from shisho.errors import InvalidParams
from shisho.interfaces.api import arguments


class StrictRoute(APIRoute):
    """A route that takes the arguments that it has, where it has them, and no others."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler of requests, behind the checks."""
        handle = super().get_route_handler()

        async def check_and_handle(request: Request) -> Response:
            self._check_query(request.query_params)
            if not self._takes_body:
                self._check_no_body(await request.body())
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
            raise InvalidParams("There is a body, and nothing here reads one. Send the request without it.")

    def _check(self, names: Iterable[str], misplaced: Iterable[str], mistake: str) -> None:
        """Raises InvalidParams for each of these names; of a misplaced one `mistake` is said."""
        kinds = dict.fromkeys(misplaced, mistake)
        errors = [
            {"type": kinds.get(name, "extra_forbidden"), "loc": (name,)} for name in dict.fromkeys(names)
        ]
        if errors:
            taken: dict[str, Any] = dict.fromkeys((*self._query_names, *self._body_names), (Any, None))
            raise arguments.refuse_request(create_model("TakenNames", **taken), errors)


def list_names(alias: str, field: FieldInfo) -> list[str]:
    """The names of the arguments that a parameter stands for: of a model those of its members."""
    kind = field.annotation
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return [*kind.model_fields]
    return [alias]
