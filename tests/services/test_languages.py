"""In which language and for which country a search is made."""

from __future__ import annotations

import pytest

from shisho.domain.task import SearchOptions
from shisho.services.intake import check_options


@pytest.mark.parametrize(
    ("language", "region", "expected"),
    [
        ("ja", None, ("ja", None)),
        ("", None, ("", None)),
        ("JA", "JP", ("ja", "JP")),
        ("pt-BR", None, ("pt", "br")),
        ("zh-Hant-TW", None, ("zh", "tw")),
        ("en-gb", "us", ("en", "us")),
    ],
)
def test_a_tag_is_a_language_and_may_name_a_country(
    language: str, region: str | None, expected: tuple[str, str | None]
) -> None:
    options = check_options(SearchOptions(language=language, region=region))
    assert (options.language, options.region) == expected
