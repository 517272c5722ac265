"""All verbs of assistants, in reading order."""

from __future__ import annotations

from shisho.interfaces.api import answers as verbs_answers
from shisho.interfaces.api import connectors as verbs_connectors
from shisho.interfaces.api import documents as verbs_documents
from shisho.interfaces.api import tasks as verbs_tasks

VERBS = (*verbs_connectors.VERBS, *verbs_tasks.VERBS, *verbs_documents.VERBS, *verbs_answers.VERBS)
"""Tools of assistants, and routes."""

DEFAULT_TOOLS = frozenset(
    {
        "search",
        "fetch",
        "queue_searches",
        "get_status",
        "stop_task",
        "add_documents",
        "list_documents",
        "ask",
        "get_answer",
        "get_evidence",
        "search_corpus",
        "open_session",
        "submit_findings",
        "compose_answer",
    }
)
"""The tools listed for assistants unless `mcp_tools` is `all`: only those for research, because each
conversation includes the list."""
