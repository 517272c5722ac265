"""What `shisho show` says of the uses of a model."""

from __future__ import annotations

import pytest

from shisho.domain.model import ModelFault, ModelUsage, ModelUse
from shisho.interfaces.cli.render import describe_use
from shisho.interfaces.cli.shell import Words
from shisho.librarian.prompting import load_prompt

NODES = ("strategy", "plan", "evaluate", "fact", "answer", "judge")


@pytest.mark.parametrize("language", ["ja", "en"])
@pytest.mark.parametrize("node", NODES)
def test_what_was_done_to_a_reply_is_counted_in_words(node: str, language: str) -> None:
    counted = {"dropped": 12, "rewritten": 13, "supplied": 14, "repairs": 15}
    usage = ModelUsage(2, 500, 50)
    line = describe_use(ModelUse(node, "a/b", "", usage, **counted), Words(language))  # type: ignore[arg-type]
    assert all(str(count) in line for count in counted.values()) and "a/b" in line
    plain = describe_use(ModelUse(node, "a/b", "", usage), Words(language))
    assert line.startswith(plain) and plain.count("—") == 0
    assert "—" in describe_use(ModelUse(node, "a/b", "", usage, ModelFault.TIMEOUT), Words(language))


@pytest.mark.parametrize("node", NODES)
def test_each_node_has_a_prompt(node: str) -> None:
    assert load_prompt(node).variables
