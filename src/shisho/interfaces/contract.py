"""Everything that can be asked from outside, in the order a reader meets it."""

from __future__ import annotations

from shisho.interfaces import verbs_answers, verbs_documents, verbs_tasks

VERBS = (*verbs_tasks.VERBS, *verbs_documents.VERBS, *verbs_answers.VERBS)
