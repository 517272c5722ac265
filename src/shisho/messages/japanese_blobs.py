"""Messages about where files stand, in Japanese, by their English templates."""

from __future__ import annotations

from collections.abc import Mapping

SAID: Mapping[str, str] = {
    "folder or s3://bucket/prefix of files that were handed in; empty: the home folder": (
        "渡されたファイルを置くフォルダ、または s3://バケット/接頭辞。空: ホームフォルダ"
    ),
    "There are no bytes under {name}.": "{name} という名前では何も保存されていません。",
    (
        "The store of files {place} does not answer ({reason}). Try again; if that lasts, see that it runs and that "
        "the setting blobs names it."
    ): (
        "ファイルの置き場所 {place} から応答がありません({reason})。もう一度お試しください。続くときは、動いているか、"
        "設定blobsが正しいかを見てください。"
    ),
    (
        "The store of files {place} does not let Shisho in ({reason}). Mend the setting blobs, or the keys that it is opened "
        "with."
    ): ("ファイルの置き場所 {place} を使えません({reason})。設定blobsか、それを開く鍵を直してください。"),
}
