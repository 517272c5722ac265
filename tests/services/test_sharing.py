"""What others may see of an answer that is shared with them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from shisho.domain.corpus import DocumentId
from shisho.services.sharing import hide_unreadable
from tests.rendering.proofs import answer


@pytest.mark.parametrize("readable", [{DocumentId("doc_1")}, set()])
def test_nobody_sees_what_a_model_found_missing(readable: set[DocumentId]) -> None:
    given = answer()
    status = tuple(replace(row, missing="秘密の文書の値") for row in given.goal_status)
    seen = hide_unreadable(replace(given, goal_status=status), readable)
    assert seen.goal_status == given.goal_status
    assert (seen.text == given.text) == bool(readable)
