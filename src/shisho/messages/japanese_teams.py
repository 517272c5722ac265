"""Messages about people who share a library, in Japanese, by their English templates."""

from __future__ import annotations

from collections.abc import Mapping

SAID: Mapping[str, str] = {
    (
        "There is a user {name} already, or was: `shisho users list`. One who was removed comes back with "
        "`shisho users restore {name}`."
    ): (
        "利用者 {name} はすでにいるか、前にいました: `shisho users list`。外した人は `shisho users restore {name}` で"
        "戻せます。"
    ),
    "There is no user {name}. `shisho users list` shows who there is.": (
        "利用者 {name} はいません。`shisho users list` で分かります。"
    ),
    "There is a group {name} already.": "グループ {name} はすでにあります。",
    "There is no group {name}. `shisho groups list` shows which there are.": (
        "グループ {name} はありません。`shisho groups list` で分かります。"
    ),
    "There is no corpus {corpus}.": "コーパス {corpus} はありません。",
}
