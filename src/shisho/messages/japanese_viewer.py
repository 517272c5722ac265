"""Messages about looking at documents, in Japanese, by their English templates."""

from __future__ import annotations

from collections.abc import Mapping

SAID: Mapping[str, str] = {
    "A PDF needs an extra: {install}. Until then export as html and print that.": (
        "PDFには追加パッケージが必要です: {install}。それまでは html で書き出して印刷してください。"
    ),
    "No font of this machine has Japanese letters, so a PDF cannot be made. Install one (Debian, Ubuntu: apt install "
    "fonts-noto-cjk; elsewhere put Noto Sans JP into the folder of your fonts), or export as html.": (
        "このマシンに日本語の文字を持つフォントがないため、PDFを作れません。フォントを入れるか(Debian・Ubuntu: apt install "
        "fonts-noto-cjk、ほかでは Noto Sans JP を自分のフォントのフォルダへ)、html で書き出してください。"
    ),
    "A PDF is no text. Ask for a file: `exports.file` instead of `export`.": (
        "PDFは文字列ではありません。`export` ではなく `exports.file` を使ってください。"
    ),
    "A PDF is not for a terminal. Say where it goes: --out answer.pdf": (
        "PDFは端末には表示できません。書き込み先を指定してください: --out answer.pdf"
    ),
    "such pages are shown without these letters, the text beside them is whole; install fonts for all users (Debian, "
    "Ubuntu: apt install fonts-noto-cjk), and start Shisho again": (
        "そのようなページは文字が抜けて表示されます(本文欄の文字はそろっています)。全利用者向けのフォントを入れ"
        "(Debian・Ubuntu: apt install fonts-noto-cjk)、Shisho を起動しなおしてください"
    ),
    "no font here has the letters of {scripts}": "次の文字のフォントがこのマシンにありません: {scripts}",
    "pages are drawn without their fonts: {scripts}": "フォントのないPDFのページも表示できます: {scripts}",
    "Typst, with a font that has Japanese letters": "Typst と、日本語の文字を持つフォント",
    "Documents of this kind have no pages as they were printed: their text is shown.": (
        "この種類の文書には印刷されたページがありません。本文を表示します。"
    ),
    "The file is not at {path} any more: its stored text is shown. Add it again to see its pages.": (
        "ファイルがもう{path}にありません。保存された本文を表示します。もう一度追加するとページを見られます。"
    ),
    "The file at {path} has changed since: the stored text of its earlier version is shown.": (
        "{path}のファイルはその後変わりました。以前の版の保存された本文を表示します。"
    ),
    "The file of this document was not kept. Add it again to see its pages.": (
        "この文書のファイルは保管されていません。もう一度追加するとページを見られます。"
    ),
    "You may no longer read this document: only what was quoted is shown.": (
        "この文書を読む権限はなくなりました。引用した部分だけを示します。"
    ),
    "The text of this document was purged. Add the file again to read it.": (
        "この文書の本文は消去されました。読むにはファイルをもう一度追加してください。"
    ),
    "The page does not give the stored text again, so no place in it is sure.": (
        "ページから読み取れる文字が保存された本文と合わないため、確かな位置が分かりません。"
    ),
    "The file does not say where some of the quoted characters stand.": (
        "引用された文字の一部は、位置がファイルに書かれていません。"
    ),
    "Other characters stand in the same place as the quoted ones.": (
        "引用された文字と同じ場所にほかの文字があります。"
    ),
    "The text was recognised in a picture: of its characters only the lines are known.": (
        "画像から認識された本文です。文字ごとの位置は分からず、行の位置だけが分かります。"
    ),
    "Where this text stands on its page was not stored.": (
        "この部分がページのどこにあるかは保存されていません。"
    ),
    (
        "{start} to {end} is no stretch of this text: it has {size} characters, and at most {most} are shown at once."
    ): "{start}から{end}まではこの本文の範囲になりません。本文は{size}文字で、一度に示せるのは{most}文字までです。",
    "Give 1 to {most} characters to look for.": "探す言葉を1から{most}文字で入力してください。",
    "limit must be 1 to {most}, not {limit}.": "limit は1から{most}までです。{limit}は使えません。",
    "Page {page} is damaged.": "{page}ページは壊れています。",
    "The page has no size.": "ページに大きさがありません。",
    (
        "Drawing the page took more than {seconds:g} s of computing: raise reader_seconds, or read its text."
    ): "ページを描く計算が{seconds:g}秒を超えました。reader_seconds を上げるか、本文をお読みください。",
    (
        "Drawing the page needs more memory than a reader may use: raise reader_memory_mb, or read its text."
    ): "ページを描くには許されたメモリーでは足りません。reader_memory_mb を上げるか、本文をお読みください。",
    "The file broke what draws its pages: it is damaged. Its text can still be read.": (
        "ページを描く途中で止まりました。ファイルが壊れています。本文は読めます。"
    ),
    "The file is protected by a password, which is not kept: its text is shown.": (
        "ファイルはパスワードで保護されており、パスワードは保管されません。本文を表示します。"
    ),
    "{count} files that were handed in are kept, {megabytes:.1f} MB; `shisho backup` leaves them out": (
        "手渡しのファイル{count}個を保管しています({megabytes:.1f} MB)。`shisho backup` には含まれません"
    ),
    "{count} files that were handed in are kept, {megabytes:.1f} MB; `shisho backup` takes them along": (
        "手渡しのファイル{count}個を保管しています({megabytes:.1f} MB)。`shisho backup` に含まれます"
    ),
    "give yourself the right to read the folder `originals` in the home": (
        "ホームの `originals` フォルダを読む権限を付けてください"
    ),
}
