"""Parts that are made when they are first used: `shisho list` needs neither the web nor the queue, and does
not load them."""

from __future__ import annotations

from collections.abc import Callable
from threading import RLock
from typing import Any, ParamSpec, TypeVar, cast

T = TypeVar("T")
P = ParamSpec("P")


class DeferredPart:
    """Stands for what `make` gives, made once, at the first use of one of its attributes from any thread.
    `known` are those that are told without."""

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
        """Close it, if it was ever made."""
        if self._made is not None:
            await self._made.close()


def defer(make: Callable[[], T], **known: Any) -> T:
    """The part that `make` gives, as far as attributes and methods go; it is no instance of its class."""
    return cast("T", DeferredPart(make, known))


def defer_call(find: Callable[[], Callable[P, T]]) -> Callable[P, T]:
    """The function that `find` gives, looked for when it is called."""

    def call(*arguments: P.args, **named: P.kwargs) -> T:
        return find()(*arguments, **named)

    return call
