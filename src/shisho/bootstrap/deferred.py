"""Parts that are built at first use: `shisho list` needs neither the web nor the queue."""

from __future__ import annotations

from collections.abc import Callable
from threading import RLock
from typing import Any, ParamSpec, TypeVar, cast

T = TypeVar("T")
P = ParamSpec("P")


class DeferredPart:
    """A proxy for the result of `make`, which is called once, at the first attribute access.

    `known`: attributes that are available without it.
    """

    def __init__(self, make: Callable[[], Any], known: dict[str, Any]) -> None:
        self._make = make
        self._known = known
        self._made: Any = None
        self._making = RLock()

    def __getattr__(self, name: str) -> Any:
        if name in self._known:
            return self._known[name]
        if self._made is None:
            with self._making:
                if self._made is None:
                    self._made = self._make()
        return getattr(self._made, name)

    async def close(self) -> None:
        """Close the part if it was built."""
        if self._made is not None:
            await self._made.close()


def defer(make: Callable[[], T], **known: Any) -> T:
    """Return a proxy with the attributes and methods of the part.

    It is no instance of its class.
    """
    return cast("T", DeferredPart(make, known))


def defer_call(find: Callable[[], Callable[P, T]]) -> Callable[P, T]:
    """Return a function that calls the result of `find`, looked up at each call."""

    def call(*arguments: P.args, **named: P.kwargs) -> T:
        return find()(*arguments, **named)

    return call
