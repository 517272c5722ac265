"""Messages about answers that prove themselves, in Japanese, by their English templates."""

from __future__ import annotations

from collections.abc import Mapping

SAID: Mapping[str, str] = {
    "The file does not end with a line break: its end is missing or altered.": (
        "ファイルが改行で終わっていません。終わりが欠けているか、変えられています。"
    ),
    "This is not the first line of a proof file: it is altered, or this is another file.": (
        "証明ファイルの最初の行ではありません。変えられているか、別のファイルです。"
    ),
    "The file is a proof of version {version}, which this program does not know: use a newer one.": (
        "このプログラムの知らない版{version}の証明ファイルです。新しいプログラムをお使いください。"
    ),
    "This is neither a part nor a seal as they are written: the line is altered.": (
        "部分の行でも封の行でもありません。この行は変えられています。"
    ),
    "The part does not have the hash that is written before it: one of them is altered.": (
        "この部分のハッシュ値が、その前に書かれた値と違います。どちらかが変えられています。"
    ),
    "Something stands behind the seal that does not belong there.": "封の後に、あるはずのないものがあります。",
    "The first line says {said} parts, but there are {count}.": (
        "最初の行には{said}部分とありますが、実際は{count}部分です。"
    ),
    "There is no seal at the end: the end of the file is missing or altered.": (
        "終わりに封がありません。ファイルの終わりが欠けているか、変えられています。"
    ),
    "The seal does not fit what stands before it: it is altered, or a line was taken out, added or moved.": (
        "封がその前の内容と合いません。変えられたか、行が抜かれたり、加えられたり、移されたりしています。"
    ),
    "The signature does not fit the file and the key beside it.": "署名が、ファイルとその横の鍵に合いません。",
    "The part is no JSON object or list.": "この部分は JSON として読めません。",
    "The part lacks something, or has it in another form.": "この部分には欠けているもの、または形の違うものがあります。",
    "There is another part with this name.": "同じ名前の部分がほかにもあります。",
    "There is no part {name!r}.": "{name!r} という部分がありません。",
    "The part's name has another number than the part.": "部分の名前の番号と中の番号が違います。",
    "The quotation does not have the hash that is given for it.": "引用のハッシュ値が、書かれている値と違います。",
    "The quotation is not what stands in the text at its offsets.": (
        "引用が、本文のその位置にある文字と違います。"
    ),
    "The text around the quotation is lacking, so that it cannot be compared.": (
        "引用の前後の本文がないため、比べられません。"
    ),
    "The document was erased from the library before this file was written: its words are not shown.": (
        "この文書は、ファイルが書かれる前にライブラリから消去されました。その言葉は示されません。"
    ),
    "A sentence rests on quotation {number}, which is not there.": "文が引用{number}に基づいていますが、その引用がありません。",
    "A sentence with quotations has no verdict on whether they support it.": (
        "引用のある文に、引用が支えているかどうかの判定がありません。"
    ),
    "A sentence is said to be supported without any quotation.": "引用のない文が、支えられていることになっています。",
    "It is not said why the search ended, or how much was found.": (
        "調べものが終わった理由か、どれだけ見つかったかが書かれていません。"
    ),
    "The picture of the page is no PNG picture of the size that is given.": (
        "ページの図が、書かれた大きさの PNG ではありません。"
    ),
    "A lit box lies outside the picture.": "光らせる枠が図の外にあります。",
    "The picture is of another page than the quotation.": "図のページが引用のページと違います。",
    "The quotation is said to have a picture of its page, which is not there.": (
        "引用にページの図があるはずですが、ありません。"
    ),
    "There is no room for a picture of this page: the text around the quotation is shown.": (
        "このページの図を入れる余裕がありません。引用の前後の本文を示します。"
    ),
    "The picture of the page is damaged.": "ページの図が壊れています。",
    "The key {path} cannot be written: {cause}.": "鍵 {path} を書けません: {cause}。",
    "The key {path} cannot be read: {cause}.": "鍵 {path} を読めません: {cause}。",
    "The key {path} is damaged. Put back a copy of it; or move it away, and `shisho key` makes another.": (
        "鍵 {path} が壊れています。写しを戻してください。または別の場所へ移すと `shisho key` が新しい鍵を作ります。"
    ),
    "The file is not signed with the key that you named.": "ファイルは指定の鍵で署名されていません。",
    "Name a proof file, or --page and the page to write.": (
        "証明ファイルを指定するか、--page と書き出すページを指定してください。"
    ),
    "a proof file": "証明ファイル",
    "write a page that checks proof files in any browser, without a network": (
        "証明ファイルをどのブラウザでも、ネットワークなしで確かめるページを書き出す"
    ),
    "the public key that it must be signed with": "署名に使われたはずの公開鍵",
    (
        "Check a proof file (`shisho export --format proof`) by itself; no library is needed. "
        "Ends with 1 if it is altered."
    ): (
        "証明ファイル (`shisho export --format proof`) をそれだけで確かめる。ライブラリは要らない。誤りがあれば 1 で終わる。"
    ),
    "Make the key that proof files are signed with, and print its public half: give that to who checks them.": (
        "証明ファイルに署名する鍵を作り、公開鍵を表示する(確かめる人に渡す)。"
    ),
}
