"""What a child may say: a value of the right make, or a reason of the right kind. All else is damage."""

from __future__ import annotations

from typing import Any

import pytest

from shisho.errors import InternalError, NeedsOcr, ParserFailed, UnusableDocument
from shisho.isolation import wire


def whole(value: Any) -> int:
    if type(value) is not int:
        raise TypeError(value)
    return value


def test_lone_surrogates_do_not_cross() -> None:
    assert wire.unpack(wire.pack("a\ud800b"), str, ()) == ("a?b", False)
    assert wire.unpack(wire.pack("a", more=True), str, ()) == ("a", True)


def test_reasons_cross_by_their_code() -> None:
    reason, more = wire.unpack(wire.pack_reason(NeedsOcr("why")), whole, (UnusableDocument,))
    assert not more
    assert type(reason) is NeedsOcr and reason.message == "why"


@pytest.mark.parametrize("reason", [InternalError("x"), ParserFailed("x")])
def test_reasons_of_another_kind_are_damage(reason: Any) -> None:
    with pytest.raises(wire.ChildBroken):
        wire.unpack(wire.pack_reason(reason), whole, (UnusableDocument,))


@pytest.mark.parametrize(
    "reply",
    [
        b"", b"[]", b"null", b"3", b"{}", b"\xff", b"[" * 100_000, b'{"value": "3"}', b'{"value": null}', b'{"code": 7}',
        b'{"code": "NO_SUCH", "message": "", "details": {}}', b'{"code": "NEEDS_OCR", "message": [], "details": {}}',
        b'{"code": "NEEDS_OCR", "message": "", "details": []}', b'{"raised": 3}', b'{"raised": "ValueError"}',
    ],
)  # fmt: skip
def test_nonsense_is_damage(reply: bytes) -> None:
    with pytest.raises(wire.ChildBroken):
        wire.unpack(reply, whole, (UnusableDocument,))


def test_a_want_of_memory_is_told_from_damage() -> None:
    with pytest.raises(wire.ChildExhausted):
        wire.unpack(wire.pack_failure("MemoryError"), whole, ())
