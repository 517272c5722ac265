"""Errors as every interface tells them: `{ok: false, code, message, details, error_id}`."""

from __future__ import annotations

import uuid
from typing import Any

from shisho.errors import Internal, ShishoError
from shisho.messages.catalogue import render
from shisho.telemetry import log


def told(error: Exception) -> dict[str, Any]:
    """What the visitor is told. A fault of ours is logged under its error id, and its own words stay here."""
    error_id = uuid.uuid4().hex[:12]
    if not isinstance(error, ShishoError):
        log.error("error %s", error_id, exc_info=error)
        error = Internal("Something broke here. Please report it with the error id {error_id}.", error_id=error_id)
    details = dict(error.details)
    message = render(error.message)
    return {"ok": False, "code": error.code, "message": message, "details": details, "error_id": error_id}
