"""Everything that can be asked from outside, in the order a reader meets it."""

from __future__ import annotations

from shisho.interfaces.api import answers as verbs_answers
from shisho.interfaces.api import documents as verbs_documents
from shisho.interfaces.api import folders as verbs_folders
from shisho.interfaces.api import models as verbs_models
from shisho.interfaces.api import reading_room as verbs_reading_room
from shisho.interfaces.api import tasks as verbs_tasks
from shisho.interfaces.api import team as verbs_team

VERBS = (*verbs_tasks.VERBS, *verbs_documents.VERBS, *verbs_answers.VERBS)
"""Tools of assistants, and routes."""

ROUTES = (
    *VERBS,
    *verbs_documents.ROUTES,
    *verbs_reading_room.VERBS,
    *verbs_folders.VERBS,
    *verbs_models.VERBS,
    *verbs_team.VERBS,
)
"""Verbs over HTTP: what assistants are not told, since every tool takes room in what they read, is here
too."""
