"""Messages about folders that the library follows, and files that are handed in, in Japanese, by their
English templates."""

from __future__ import annotations

from collections.abc import Mapping

SAID: Mapping[str, str] = {
    "There is another {name} already. Give this one another name, or let it take its place (replace=true).": (
        "{name} という別の文書がすでにあります。別の名前にするか、replace=true で置き換えてください。"
    ),
    "There is no folder {path}. See whether the name is right.": (
        "フォルダー {path} がありません。名前が合っているか確かめてください。"
    ),
    "{path} is not followed. `shisho watch --list` shows the folders that are.": (
        "{path} は見守っていません。見守っているフォルダーは `shisho watch --list` で分かります。"
    ),
    (
        "{path} is not there now, and the library has {count} files from it. Nothing was removed: connect "
        "the drive or mount the folder again. If it is gone for good, say so: shisho sync --emptied {path}"
    ): (
        "{path} が今はありません。蔵書にはそこから取り込んだファイルが {count}件あり、何も外していません。ドライブを"
        "つなぐか、フォルダーをマウントし直してください。本当になくしたのなら: shisho sync --emptied {path}"
    ),
    "{path} cannot be looked into. Nothing was removed.": "{path} の中を見られません。何も外していません。",
    (
        "{path} is empty now, and the library has {count} files from it. Nothing was removed: a drive may be "
        "missing. If the folder is meant to be empty, say so: shisho sync --emptied {path}"
    ): (
        "{path} が空になっています。蔵書にはそこから取り込んだファイルが {count}件あり、何も外していません。ドライブが"
        "外れているかもしれません。本当に空にしたのなら: shisho sync --emptied {path}"
    ),
    (
        "No folder is followed yet. Name one: shisho watch FOLDER, or shisho sync FOLDER to bring it up to date once."
    ): (
        "見守っているフォルダーがまだありません。shisho watch フォルダー で見守り、shisho sync フォルダー で一度だけ"
        "合わせます。"
    ),
    "folders; none: all that are followed": "フォルダー。省くと、見守っているものすべて",
    "a folder that is empty or gone is meant to be": "空のフォルダーや、なくなったフォルダーは、そのつもりである",
    (
        "Bring the library up to date with folders: new, changed, moved and deleted files. What is unchanged is "
        "not read again."
    ): (
        "フォルダーの今に蔵書を合わせる(増えた・変わった・移った・消えたファイル)。変わらないものは読み直さない。"
    ),
    "folders to remember and follow": "覚えて見守るフォルダー",
    "show the folders that are followed, and end": "見守っているフォルダーを表示して終わる",
    "follow this folder no longer, and end; its documents stay": (
        "このフォルダーを見守るのをやめて終わる。取り込んだ文書は残る"
    ),
    "Remember folders and follow them until interrupted. `shisho serve` and `shisho worker` follow them too.": (
        "フォルダーを覚え、止められるまで見守る。`shisho serve` と `shisho worker` も見守る。"
    ),
    "Another process has just taken this file in. Add it again.": (
        "別のプロセスがこのファイルを取り込んだところです。もう一度追加してください。"
    ),
    "Another process takes the same file in. Add it again.": (
        "別のプロセスが同じファイルを取り込んでいます。もう一度追加してください。"
    ),
    "{where}{why}. Give yourself the right to it, or choose another home or folder.": (
        "{where}{why}。ご自分に権限を付けるか、別のホームかフォルダを選んでください。"
    ),
    "The output cannot be written: {why}. Choose another place for it.": (
        "出力を書き込めません: {why}。別の出力先を選んでください。"
    ),
    "This user has no home directory. Name a folder for the library with --home or SHISHO_HOME.": (
        "このユーザーにはホームディレクトリがありません。--home か SHISHO_HOME でライブラリのフォルダーを指定してください。"
    ),
    "{path} has no meaning here: write the path in full.": (
        "{path} はここでは使えません。パスを省略せずに書いてください。"
    ),
    "{path} cannot be read: {why}. Give yourself the right to it.": (
        "{path} を読めません: {why}。ご自分に権限を付けてください。"
    ),
    "It is no plain file but a folder, a pipe or a device.": (
        "普通のファイルではなく、フォルダかパイプか装置です。"
    ),
    "{path} is not the file that was handed in: a link has taken its place.": (
        "{path} は渡されたファイルではありません。リンクに置き換わっています。"
    ),
}
