"""A verb of the library in its public form. MCP tools and REST routes are generated from it."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import MISSING, dataclass, fields
from functools import cached_property
from typing import Any, Literal, get_args, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, create_model

from shisho.errors import InvalidParams
from shisho.interfaces.api.inputs import InputObject
from shisho.interfaces.api.truncate import to_plain_data


@dataclass(frozen=True)
class Effect:
    """The effect of a call: it looks, adds, changes what can be changed back, or destroys.

    `again`: it is idempotent. `outside`: it may reach beyond this library.
    """

    kind: Literal["read", "add", "change", "destroy"]
    again: bool = True
    outside: bool = False


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
class ReplyForm:
    """How a noun becomes a reply.

    `link`: the resource with the full reply, as a format of the noun. `rows`: the paged list, and the field
    of a row that is the cursor after it. `is_bare`: the reply has only the noun's own fields. `shape`
    converts the result to the noun, without fields that are None.
    """

    link: str | None = None
    rows: tuple[str, str] | None = None
    is_bare: bool = False
    shape: Callable[[Any], Any] | None = None

    def fill(self, found: Any) -> dict[str, Any]:
        """Convert a result to JSON-ready data."""
        own_data: dict[str, Any] = to_plain_data(self.shape(found) if self.shape else found)
        own_data = _drop_none(own_data) if self.shape else own_data
        if self.is_bare:
            return own_data
        link = own_data.get("link") if self.link is None else self.link.format(found)
        return {
            **own_data,
            "more": own_data.get("more", False),
            "cursor": own_data.get("cursor"),
            "link": link,
        }


@dataclass(frozen=True)
class Verb:
    """An operation: `run(library, **arguments)` returns a `noun`, a dataclass.

    The signature and the docstring of `run` are the contract. `route`: method and path under /api/v1; names
    in braces are arguments. `spread`: an argument, an object, whose members may also be passed directly.
    `ends_with_caller`: the work stops when the client disconnects.
    """

    run: Callable[..., Awaitable[Any]]
    noun: type
    title: str
    route: tuple[str, str]
    effect: Effect
    form: ReplyForm = ReplyForm()
    spread: str | None = None
    ends_with_caller: bool = False

    @property
    def name(self) -> str:
        return self.run.__name__

    def class_name(self, kind: str) -> str:
        """Return a class name of this verb for generated client code: `QueueSearchesRequest`."""
        return "".join(word.capitalize() for word in self.name.split("_")) + kind

    @property
    def says(self) -> str:
        """The description of the verb for assistants and API readers."""
        return unwrap(self.run.__doc__ or "")

    @cached_property
    def parameters(self) -> Sequence[inspect.Parameter]:
        """The parameters without the library, with resolved annotations."""
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
        """The model of all arguments, which rejects unknown ones."""
        taken: dict[str, Any] = {
            parameter.name: (
                parameter.annotation,
                ... if parameter.default is parameter.empty else parameter.default,
            )
            for parameter in self.parameters
        }
        return self.make_model("Arguments", taken)

    def make_model(self, kind: str, members: dict[str, Any]) -> type[BaseModel]:
        """Return a model of arguments, which rejects unknown ones."""
        model = create_model(self.class_name(kind), __base__=InputObject, **members)
        model.OTHER_NAMES = getattr(self._members, "OTHER_NAMES", {})
        return model

    @cached_property
    def _members(self) -> type[BaseModel] | None:
        """The class of the spread argument."""
        if self.spread is None:
            return None
        annotation = get_type_hints(self.run)[self.spread]
        return next(
            kind for kind in get_args(annotation) if isinstance(kind, type) and issubclass(kind, BaseModel)
        )

    @cached_property
    def reply(self) -> type[BareReply]:
        """The model of the reply."""
        hints = get_type_hints(self.noun, include_extras=True)
        own_fields: dict[str, Any] = {
            field.name: (hints[field.name], ... if field.default is MISSING else field.default)
            for field in fields(self.noun)
        }
        base = BareReply if self.form.is_bare else Reply
        return create_model(self.noun.__name__, __base__=base, __doc__=self.noun.__doc__, **own_fields)

    async def __call__(self, library: Any, **arguments: Any) -> dict[str, Any]:
        """Return the reply as JSON-ready data."""
        return self.form.fill(await self.ask(library, **arguments))

    async def ask(self, library: Any, **arguments: Any) -> Any:
        """Return the reply before conversion: one shared object for identical replies."""
        return await self.run(library, **self._gather_members(arguments))

    def _gather_members(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Merge directly passed members into their object.

        Raises: InvalidParams if both places differ.
        """
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


def _drop_none(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _drop_none(value) for key, value in data.items() if value is not None}
    return [_drop_none(value) for value in data] if isinstance(data, list) else data


def unwrap(doc: str) -> str:
    """Return a docstring as one paragraph, as clients show it, however its lines are wrapped."""
    return " ".join(doc.split())
