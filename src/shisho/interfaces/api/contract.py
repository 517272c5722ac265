"""Everything that assistants can ask, in the order a reader meets it."""

from __future__ import annotations

from shisho.interfaces.api import answers as verbs_answers
from shisho.interfaces.api import documents as verbs_documents
from shisho.interfaces.api import tasks as verbs_tasks

VERBS = (*verbs_tasks.VERBS, *verbs_documents.VERBS, *verbs_answers.VERBS)
"""Tools of assistants, and routes."""
