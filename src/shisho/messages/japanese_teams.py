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
    (
        "There is no corpus {corpus} that you could add to. `shisho list` names those there are, and in a "
        "corpus of your own there is no @."
    ): (
        "加えられるコーパス {corpus} はありません。あるものは `shisho list` で分かります。自分のコーパスの名前に @ は"
        "入りません。"
    ),
    (
        "You may read the corpus {corpus}, but not change it. Its owner can let you: "
        "`shisho grants add CORPUS YOU --write`."
    ): (
        "コーパス {corpus} は読めますが、変えられません。持ち主が許せます: "
        "`shisho grants add コーパス あなた --write`。"
    ),
    "There is no corpus {corpus}.": "コーパス {corpus} はありません。",
}
