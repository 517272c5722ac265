"""Polite and long questions: what is asked in them."""

from __future__ import annotations

import pytest

from shisho.librarian.courtesy import strip_courtesy


@pytest.mark.parametrize(
    ("polite", "bare"),
    [
        (
            "お忙しいところ恐れ入りますが、統計の授業で出てきた残差というのがよく分からなくて、結局どういうものなのか教えていただけないでしょうか。",
            "残差とは何か",
        ),
        ("すみません、なぜあんなに速いのか、ちょっと知りたいんですけれども。", "なぜあんなに速いのか"),
        ("有意水準は何パーセントですか。よろしくお願いいたします。", "有意水準は何パーセントですか"),
        ("I would be grateful if you could tell me what a residual is.", "What is a residual?"),
        ("Tell me more about the intercept of a regression", "What is the intercept of a regression?"),
        ("Do you know why randomisation works?", "why randomisation works?"),
        ("決定係数とは何か", "決定係数とは何か"),
        ("よろしくお願いします。", "よろしくお願いします。"),
        ("What do people know about whales?", "What do people know about whales?"),
    ],
)
def test_what_is_said_around_a_question_is_no_part_of_it(polite: str, bare: str) -> None:
    assert strip_courtesy(polite) == bare
