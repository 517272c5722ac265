"""A verb of the desk as the outside sees it. MCP tools and REST routes are both made from these."""

from __future__ import annotations

import inspect
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import MISSING, dataclass, fields
from enum import Enum
from functools import cached_property
from typing import Any, get_args, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, create_model

from shisho.errors import InvalidParams
from shisho.interfaces.api.inputs import InputObject
from shisho.interfaces.api.truncate import to_plain_data


class Effect(Enum):
    """The effect of a call: it looks, adds, changes what can be changed back, or destroys."""

    READ = "read"
    ADD = "add"
    CHANGE = "change"
    DESTROY = "destroy"


class BareReply(BaseModel):
    """The base of replies."""

    model_config = ConfigDict(extra="forbid")


class Reply(BareReply):
    """The fields that most verbs give beside their own."""

    more: bool = Field(
        default=False, description="there is more than is shown: pass `cursor`, or open `link`"
    )
    cursor: str | None = Field(default=None, description="pass it to the same verb for what comes next")
    link: str | None = Field(default=None, description="the resource that holds all of it")


@dataclass(frozen=True)
class Verb:
    """`run(desk, **arguments)` gives a `noun`, a dataclass; its signature and docstring are the contract.

    `route`: method and path under /api/v1; names in braces are arguments. `again`: calling it twice does no
    more than once. `outside`: it may reach beyond this library. `link`: the resource that holds all of the
    reply, as a format of the noun. `rows`: the list that is paged, and the field of a row that is the cursor
    after it. `spread`: an argument, an object, whose members may also be given beside it. `is_bare`: the
    reply has its own fields alone. `ends_with_caller`: the work stops when the client disconnects. `shape`
    makes the noun of what `run` gives; what is None in it is left out."""

    run: Callable[..., Awaitable[Any]]
    noun: type
    title: str
    route: tuple[str, str]
    effect: Effect
    again: bool = True
    outside: bool = False
    link: str | None = None
    rows: tuple[str, str] | None = None
    spread: str | None = None
    is_bare: bool = False
    ends_with_caller: bool = False
    shape: Callable[[Any], Any] | None = None

    @property
    def name(self) -> str:
        return self.run.__name__

    def class_name(self, kind: str) -> str:
        """A name for a class of this verb in a client's generated code: `QueueSearchesRequest`."""
        return "".join(word.capitalize() for word in self.name.split("_")) + kind

    @property
    def says(self) -> str:
        """The description of the verb for an assistant or a reader of the API."""
        return unwrap(inspect.cleandoc(self.run.__doc__ or ""))

    @cached_property
    def parameters(self) -> Sequence[inspect.Parameter]:
        """Without the desk, annotations resolved."""
        signature = inspect.signature(self.run, eval_str=True)
        own_parameters = [
            parameter.replace(kind=parameter.KEYWORD_ONLY)
            for parameter in list(signature.parameters.values())[1:]
        ]
        beside = get_type_hints(self._members, include_extras=True) if self._members else {}
        return own_parameters + [
            inspect.Parameter(
                name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=beside[name] | None
            )
            for name in (self._members.model_fields if self._members else ())
        ]

    @cached_property
    def arguments(self) -> type[BaseModel]:
        """All arguments as one object; others are refused."""
        taken: dict[str, Any] = {
            parameter.name: (
                parameter.annotation,
                ... if parameter.default is parameter.empty else parameter.default,
            )
            for parameter in self.parameters
        }
        return self.make_model("Arguments", taken)

    def make_model(self, kind: str, members: dict[str, Any]) -> type[BaseModel]:
        """Return a model of arguments; others are refused."""
        model = create_model(self.class_name(kind), __base__=InputObject, **members)
        model.OTHER_NAMES = getattr(self._members, "OTHER_NAMES", {})
        return model

    @cached_property
    def _members(self) -> type[BaseModel] | None:
        """The object that is spread."""
        if self.spread is None:
            return None
        annotation = get_type_hints(self.run)[self.spread]
        return next(
            kind for kind in get_args(annotation) if isinstance(kind, type) and issubclass(kind, BaseModel)
        )

    @cached_property
    def reply(self) -> type[BareReply]:
        """The noun as it is told."""
        hints = get_type_hints(self.noun, include_extras=True)
        own_fields: dict[str, Any] = {
            field.name: (hints[field.name], ... if field.default is MISSING else field.default)
            for field in fields(self.noun)
        }
        base = BareReply if self.is_bare else Reply
        return create_model(self.noun.__name__, __base__=base, __doc__=self.noun.__doc__, **own_fields)

    async def __call__(self, desk: Any, **arguments: Any) -> dict[str, Any]:
        """The reply as JSON-ready data."""
        return self.data(await self.ask(desk, **arguments))

    async def ask(self, desk: Any, **arguments: Any) -> Any:
        """The reply before it is data. The same object where many are told the same."""
        return await self.run(desk, **self._gathered(arguments))

    def data(self, found: Any) -> dict[str, Any]:
        """A reply as JSON-ready data."""
        own_data: dict[str, Any] = to_plain_data(self.shape(found) if self.shape else found)
        own_data = _without_none(own_data) if self.shape else own_data
        if self.is_bare:
            return own_data
        link = own_data.get("link") if self.link is None else self.link.format(found)
        return {
            **own_data,
            "more": own_data.get("more", False),
            "cursor": own_data.get("cursor"),
            "link": link,
        }

    def _gathered(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """The members that were given beside their object put into it. Raises InvalidParams where both places
        differ."""
        if self._members is None or self.spread is None:
            return arguments
        names = self._members.model_fields.keys()
        beside = {name: arguments[name] for name in names & arguments.keys() if arguments[name] is not None}
        inside = arguments.get(self.spread)
        own_values = {name: getattr(inside, name) for name in inside.model_fields_set} if inside else {}
        for name in sorted(beside.keys() & own_values.keys()):
            if beside[name] != own_values[name]:
                raise InvalidParams(
                    "api.argument_twice",
                    name=name,
                    beside=str(beside[name]),
                    spread=self.spread,
                    inside=str(own_values[name]),
                )
        rest = {name: value for name, value in arguments.items() if name not in names}
        return {**rest, self.spread: self._members(**(own_values | beside))}


def _without_none(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _without_none(value) for key, value in data.items() if value is not None}
    return [_without_none(value) for value in data] if isinstance(data, list) else data


def unwrap(doc: str) -> str:
    """The text of a docstring without the line breaks inside its paragraphs, so that what clients are told
    does not change when a docstring is wrapped anew."""
    return re.sub(r"(?<!\n)\n(?!\n)", " ", doc)
