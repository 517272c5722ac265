"""All verbs over HTTP, including those without a tool: every tool takes up an assistant's context."""

from __future__ import annotations

from shisho.interfaces.api import documents as verbs_documents
from shisho.interfaces.api import folders as verbs_folders
from shisho.interfaces.api import models as verbs_models
from shisho.interfaces.api import reading_room as verbs_reading_room
from shisho.interfaces.api import team as verbs_team
from shisho.interfaces.api.contract import VERBS

ROUTES = (
    *VERBS,
    *verbs_documents.ROUTES,
    *verbs_reading_room.VERBS,
    *verbs_folders.VERBS,
    *verbs_models.VERBS,
    *verbs_team.VERBS,
)
"""Verbs over HTTP, those of assistants first."""
