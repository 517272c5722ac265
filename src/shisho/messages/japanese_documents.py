"""Messages about documents and the stores that keep them, in Japanese, by their English templates."""

from __future__ import annotations

from collections.abc import Mapping

SAID: Mapping[str, str] = {
    "there is no such file or folder": "そのようなファイルもフォルダもありません",
    "permission denied": "許可がありません",
    "it exists already": "すでにあります",
    "a part of the path is no folder": "パスの途中がフォルダではありません",
    "it is a folder": "フォルダです",
    "it is a file": "ファイルです",
    "the folder is not empty": "フォルダが空ではありません",
    "the name is too long": "名前が長すぎます",
    "its links lead in a circle": "リンクが輪になっています",
    "too many files are open": "開いているファイルが多すぎます",
    "the disk is full": "ディスクがいっぱいです",
    "the quota of the disk is spent": "ディスクの割り当てを使い切りました",
    "the disk is read-only": "ディスクは読み取り専用です",
    "the disk does not answer": "ディスクが応答しません",
    "there is no such device": "そのような装置はありません",
    "another program uses it": "ほかのプログラムが使っています",
    "this machine has no such address": "この計算機にそのようなアドレスはありません",
    "connection refused": "接続を断られました",
    "connection broken off": "接続が切れました",
    "no answer in time": "時間内に応答がありません",
    "no way leads there": "そこへ通じる道がありません",
    "no such name is known": "そのような名前は知られていません",
    "the name servers do not answer": "ネームサーバーが応答しません",
    "it is not UTF-8": "UTF-8 ではありません",
    "{where}: {what}": "{where}: {what}",
    "line {line}, column {column}": "{line}行{column}字目",
    "at its end": "終わりのところ",
    "this cannot be read": "読み取れません",
    "this is no value: a word stands in quotation marks": "値ではありません(語は引用符で囲みます)",
    "a name has no = after it": "名前の後に = がありません",
    "something stands behind the value": "値の後に余分なものがあります",
    "the name in brackets has no ] after it": "名前の後に ] がありません",
    "a quotation mark is not closed": "引用符が閉じていません",
    "a backslash between quotation marks is written twice": "引用符の中の \\ は二つ続けて書きます",
    "a name stands there twice": "同じ名前が二度あります",
    "NEEDS_OCR: no text layer on page {pages}; it is not searchable until it has one.": (
        "NEEDS_OCR: {pages}ページに文字の層がありません。文字の層を付けるまで検索できません。"
    ),
    "Its name is in no known encoding: rename the file.": (
        "ファイル名の文字コードが分かりません。名前を変えてください。"
    ),
    "There is no text in this file.": "このファイルには本文がありません。",
    "The file holds no text.": "ファイルに本文がありません。",
    "The page is larger than {megabytes} MB: save the part you need.": (
        "ページが{megabytes} MBを超えています。必要な部分だけを保存してください。"
    ),
    "The page holds no text. If a browser shows some, save it from there as PDF and add that.": (
        "ページに本文がありません。ブラウザーで見えるなら、そこからPDFに保存して追加してください。"
    ),
    "The file is larger than {megabytes:g} MB: split it or raise max_file_mb.": (
        "ファイルが{megabytes:g} MBを超えています。分割するか、max_file_mb を上げてください。"
    ),
    "Reading took more than {seconds:g} s of computing: split the file or raise reader_seconds.": (
        "読み取りの計算が{seconds:g}秒を超えました。ファイルを分割するか、reader_seconds を上げてください。"
    ),
    (
        "The file needs more memory, or holds more text, than a reader may: split it or raise reader_memory_mb."
    ): (
        "読み取りに許されたメモリーか文字量を超えています。ファイルを分割するか、reader_memory_mb を上げてください。"
    ),
    "The file broke its reader: it is damaged ({cause}).": (
        "読み取りの途中で止まりました。ファイルが壊れています({cause})。"
    ),
    "The file broke its reader: it is damaged, or needs more memory than allowed.": (
        "読み取りの途中で止まりました。ファイルが壊れているか、許されたメモリーでは足りません。"
    ),
    "This is an archive or another zipped format: unpack it and add what is inside. {taken}": (
        "書庫か、zipで固めた別の形式です。展開して中身を追加してください。{taken}"
    ),
    "This is an old Office file (.doc, .ppt, .xls): save it as .docx, .pptx, .xlsx or PDF. {taken}": (
        "古いOffice形式(.doc、.ppt、.xls)です。.docx、.pptx、.xlsx、PDF のいずれかで保存し直してください。{taken}"
    ),
    "The file is empty.": "ファイルが空です。",
    "This is a picture, an archive or a program, not a document. {taken}": (
        "画像か書庫かプログラムで、文書ではありません。{taken}"
    ),
    "The file is protected by a password: save a copy without one and add that.": (
        "ファイルはパスワードで保護されています。パスワードのない写しを保存して追加してください。"
    ),
    "Files like this cannot be read. {taken}": "この種類のファイルは読めません。{taken}",
    "The file is named as {kind} but does not begin like one: it is damaged or misnamed.": (
        "名前は {kind} ですが、中身の始まりが違います。壊れているか、名前が誤っています。"
    ),
    "Unpacked, the file has over {megabytes} MB or {max_entries} parts: split it.": (
        "展開すると{megabytes} MBか{max_entries}個の部品を超えます。分割してください。"
    ),
    "The file is damaged: open it in its program and save it again.": (
        "ファイルが壊れています。元のソフトで開き、保存し直してください。"
    ),
    "A part of the file grows beyond all measure when unpacked: it is not taken in.": (
        "展開すると際限なく大きくなる部分があるため、取り込みません。"
    ),
    ("install OCR (`{install}`), or add what `ocrmypdf -l jpn in.pdf out.pdf` makes of it"): (
        "OCRを入れるか(`{install}`)、`ocrmypdf -l jpn in.pdf out.pdf` で作ったファイルを追加してください"
    ),
    "None of its {pages} pages has a usable text layer (a scan?): {ocr}.": (
        "{pages}ページのどれにも使える文字の層がありません(スキャンした文書でしょうか)。{ocr}。"
    ),
    "Page {number} is damaged and was left out.": "{number}ページは壊れているため、除きました。",
    "The PDF has {pages} pages, more than {max_pages}: split it.": (
        "PDFが{pages}ページあり、上限の{max_pages}ページを超えています。分割してください。"
    ),
    "No usable text layer on page {pages}: {ocr}.": "{pages}ページに使える文字の層がありません。{ocr}。",
    (
        "Letters that the file does not name: {letters}, on page {pages}. They stand here by their codes and may be wrong. "
        "If they matter, add what `ocrmypdf --force-ocr -l jpn in.pdf out.pdf` makes of it."
    ): (
        "ファイルが何の字かを示していない文字が{letters}個あります({pages}ページ)。ここでは文字コードから起こしており、誤りがあるかもしれません。"
        "大切な箇所なら、`ocrmypdf --force-ocr -l jpn in.pdf out.pdf` で作ったファイルを追加してください。"
    ),
    "The PDF is damaged: open it in a viewer and print it to a new PDF.": (
        "PDFが壊れています。閲覧ソフトで開き、新しいPDFに印刷してください。"
    ),
    "The file is protected by a password: give it with --password.": (
        "ファイルはパスワードで保護されています。--password で渡してください。"
    ),
    "The file is encrypted in a way that cannot be opened here: save a plain copy.": (
        "ここでは開けない方式で暗号化されています。暗号化していない写しを保存してください。"
    ),
    "The password is wrong.": "パスワードが違います。",
    "The slides hold no text: if they are pictures, export them as PDF and run OCR over it.": (
        "スライドに文字がありません。画像なら、PDFに書き出してOCRをかけてください。"
    ),
    "The text is in no known encoding: save it as UTF-8.": (
        "文字コードが分かりません。UTF-8で保存してください。"
    ),
    "The loop did not come to its end in {steps} steps.": "手順が{steps}段階で終わりませんでした。",
    "A desk is asynchronous: await this retriever with `ainvoke`.": (
        "デスクは非同期です。この retriever は `ainvoke` を await してください。"
    ),
    "What {function} needs is not installed ({name}): reinstall Shisho.": (
        "{function} に要るもの({name})が入っていません。Shishoを入れ直してください。"
    ),
    "A reading process answers nonsense: reinstall Shisho.": (
        "読み取り用プロセスの応答が壊れています。Shishoを入れ直してください。"
    ),
    "A reading process does not start: reinstall Shisho, or run `shisho doctor`.": (
        "読み取り用プロセスが起動しません。Shishoを入れ直すか、`shisho doctor` を実行してください。"
    ),
    "The page has a tag with more than {max_attributes} attributes: no page for people does.": (
        "属性が{max_attributes}を超えるタグがあります。人の読むページにはないものです。"
    ),
    "The page nests elements more than {max_depth} deep: no page for people does.": (
        "要素の入れ子が{max_depth}段を超えています。人の読むページにはないものです。"
    ),
    "works": "使えます",
    "SQLite {version} can corrupt data; install apsw 3.53 or newer.": (
        "SQLite {version} はデータを壊すことがあります。apsw 3.53 以降を入れてください。"
    ),
    "{target} exists already. Name another file, or move it away.": (
        "{target} はすでにあります。別の名前にするか、よそへ移してください。"
    ),
    "it is no database": "データベースではありません",
    "parts of it are not what was written": "書き込んだものと違うところがあります",
    "{path} is damaged ({what}). Nothing more is written into it. {backup}": (
        "{path} が壊れています({what})。これ以上は書き込みません。{backup}"
    ),
    (
        "{parent} cannot be written, so nothing was stored; what is there can be searched and shown. "
        "Make the folder writable, or choose another one with --home or SHISHO_HOME."
    ): (
        "{parent} に書き込めないため、何も保存していません。今あるものの検索と表示はできます。フォル"
        "ダを書き込めるようにするか、--home か SHISHO_HOME で別の場所を選んでください。"
    ),
    "{folder} cannot be the home folder: {why}. Choose another one with --home or SHISHO_HOME.": (
        "{folder} はホームフォルダにできません: {why}。--home か SHISHO_HOME で別の場所を選んでください。"
    ),
    (
        "{path} was written by a newer version of Shisho (it has {version}). Update Shisho, or choose another home."
    ): (
        "{path} はより新しいShishoが書いたものです({version})。Shishoを更新するか、別のホームフォルダを選んでください。"
    ),
    "The disk is full: nothing was stored. Free some space and try again.": (
        "ディスクがいっぱいで、何も保存していません。空きを作ってからやり直してください。"
    ),
    "{path} cannot be opened. Give yourself the right to read and write it and its folder.": (
        "{path} を開けません。このファイルとフォルダを読み書きする権限を付けてください。"
    ),
    "{path} cannot be used: {error}. Mend the disk or the folder, or choose another home.": (
        "{path} を使えません: {error}。ディスクかフォルダを直すか、別のホームフォルダを選んでください。"
    ),
    "Another process holds the database. Try again.": (
        "別のプロセスがデータベースを使っています。もう一度お試しください。"
    ),
    "More than one {noun} begins with {prefix}: give more of its id.": (
        "{prefix} で始まる{noun}が複数あります。IDをもう少し長く書いてください。"
    ),
    "There is no {noun} {prefix}.": "{noun} {prefix} はありません。",
    "A blank names no {noun}. Give its id, or enough of its beginning.": (
        "空白では{noun}を指せません。IDか、その先頭の数文字を渡してください。"
    ),
    "document": "文書",
    "task": "調査課題",
    "session": "セッション",
    "job": "仕事",
    "passage": "パッセージ",
    "answer": "回答",
    "evidence": "証拠",
    "run": "調査",
    "Nothing has been answered yet.": "まだ回答がありません。",
    "No question is unfinished. `shisho show last` shows the last answer.": (
        "途中の質問はありません。最後の回答は `shisho show last` で見られます。"
    ),
    "There is no run {run_id}.": "調査 {run_id} はありません。",
    "A document that this run read was purged, so it cannot be continued. Ask again.": (
        "この調査が読んだ文書は抹消されたため、続けられません。もう一度質問してください。"
    ),
    "The document that this evidence quotes was purged. Add it again and ask anew.": (
        "この証拠が引用した文書は抹消されました。追加し直し、もう一度質問してください。"
    ),
    "A {old} job cannot become {new}.": "{old} の仕事は {new} にはなれません。",
    "A page filter takes one page or a range of pages, such as page=3 or page=3..5.": (
        "ページの絞り込みには、page=3 や page=3..5 のように、1ページか範囲を一つ書いてください。"
    ),
    "There is no document {document_id}. `shisho list` shows what there is.": (
        "文書 {document_id} はありません。ある文書は `shisho list` で見られます。"
    ),
    "The text of this document was purged. Add the file again to read it.": (
        "この文書の本文は抹消されました。読むにはファイルを追加し直してください。"
    ),
    "There is no document {document_id} to remove. `shisho list` shows what there is.": (
        "除く文書 {document_id} はありません。ある文書は `shisho list` で見られます。"
    ),
    "A text with half a character in it, or a number of more than 64 bits, can be stored and looked for nowhere. "
    "Write it anew.": (
        "文字の半分だけを含む文字列や、64ビットを超える数は、保存も検索もできません。書き直してください。"
    ),
    "There is no document {document_id}.": "文書 {document_id} はありません。",
    "There is no document {document_id} to remove.": "除く文書 {document_id} はありません。",
    "There is no task {task_id}.": "調査課題 {task_id} はありません。",
    "More than one task begins with {prefix}: give more of its id.": (
        "{prefix} で始まる調査課題が複数あります。IDをもう少し長く書いてください。"
    ),
    "There is no task yet.": "まだ調査課題がありません。",
    "There is no job {job_id}.": "仕事 {job_id} はありません。",
    "There is no session {prefix}. `open_session` gives an id.": (
        "セッション {prefix} はありません。IDは `open_session` で得られます。"
    ),
    "More than one session begins with {prefix}. `open_session` gives an id.": (
        "{prefix} で始まるセッションが複数あります。IDは `open_session` で得られます。"
    ),
    "{megabytes} MB is over the limit of {limit} MB. Raise max_file_mb, or split the file.": (
        "{megabytes} MBで、上限の{limit} MBを超えています。max_file_mb を上げるか、ファイルを分割してください。"
    ),
    "There is no file or folder {path}. See whether the name is right.": (
        "ファイルやフォルダ {path} はありません。名前が合っているか確かめてください。"
    ),
    "Cannot be opened: {cause}.": "開けません: {cause}。",
    "{key!r} is no key of ours.": "{key!r} は、ここで渡した鍵ではありません。",
    "The bytes of this document are no longer there. Hand it in again.": (
        "この文書のデータはもうありません。もう一度渡してください。"
    ),
    "The password of this document was erased when its job failed. Hand the document in again, with its password.": (
        "この文書のパスワードは、仕事が失敗したときに消しました。パスワードを添えて、文書をもう一度渡してください。"
    ),
    (
        "The page asked for a person and nobody came in time. Resume the task, and `shisho auth open` when it waits."
    ): (
        "ページが人の確認を求めましたが、時間内に誰も来ませんでした。調査課題を再開し、待ちになったら"
        " `shisho auth open` を実行してください。"
    ),
    "PDF, HTML, DOCX, PPTX, XLSX, EPUB, RTF, EML, IPYNB, CSV, TSV, Markdown, text; by OCR PNG, JPEG, TIFF; "
    "bibliographies as BibTeX, RIS, CSL-JSON": (
        "PDF、HTML、DOCX、PPTX、XLSX、EPUB、RTF、EML、IPYNB、CSV、TSV、Markdown、プレーンテキスト、"
        "文字認識(OCR)で PNG、JPEG、TIFF、文献リストの BibTeX、RIS、CSL-JSON"
    ),
    "Supported formats are {formats}.": "対応する形式は {formats} です。",
    "Recognised by OCR, so letters may be wrong: page {pages}.": (
        "文字認識(OCR)で読みました。誤字がありえます: {pages}ページ。"
    ),
    "text of pictures and scanned pages": "画像とスキャンのページの文字",
    "No text was recognised in the picture.": "画像から文字を認識できませんでした。",
    "The picture is too large: make it smaller or split it.": (
        "画像が大きすぎます。縮小するか分割してください。"
    ),
    "The picture is damaged: open it in a viewer and save it again.": (
        "画像が壊れています。画像ソフトで開いて保存し直してください。"
    ),
    "Recognising its text took more than {seconds:g} s of computing: split the file.": (
        "文字認識の計算時間が{seconds:g}秒を超えました。ファイルを分割してください。"
    ),
    "Recognising its text needs more memory than it may: split the file.": (
        "文字認識に必要なメモリが上限を超えました。ファイルを分割してください。"
    ),
    "Recognising its text broke the reader: it is damaged.": (
        "文字認識の途中で読み取りが止まりました。ファイルが壊れています。"
    ),
    "A picture is taken in by OCR alone, which is turned off: `--ocr auto` turns it on.": (
        "画像は文字認識(OCR)でだけ読めますが、オフになっています。`--ocr auto` でオンにできます。"
    ),
    "A picture is taken in by OCR alone: `{install}`, and add it again.": (
        "画像は文字認識(OCR)でだけ読めます。`{install}` のあと、もう一度追加してください。"
    ),
    "The book is protected against copying: only the program that it was sold for can open it.": (
        "この本はコピー防止で保護されています。購入時のソフトでしか開けません。"
    ),
    "The book is damaged: open it in its program and save it again.": (
        "本のファイルが壊れています。元のソフトで開いて保存し直してください。"
    ),
    "What these cells printed is cut at {most:,} characters: {cells}.": (
        "次のセルの出力は{most:,}文字で切りました: {cells}。"
    ),
    "A part of the file is larger than {megabytes} MB: split it.": (
        "ファイルの一部が{megabytes} MBを超えています。分割してください。"
    ),
    "The file has no sender and no date: it is no letter.": "差出人も日付もなく、メールではありません。",
    "The letter is encrypted: save it from its program as plain text.": (
        "メールが暗号化されています。メールソフトから平文で保存してください。"
    ),
    "Attachments are left out: {names}. Save them and add them as files.": (
        "添付ファイルは除きました: {names}。保存して、ファイルとして追加してください。"
    ),
    "Hidden rows: {rows}, hidden columns: {columns}. They are left out: to quote them, show them in their "
    "program, save the file, and add it again.": (
        "非表示の行: {rows}、非表示の列: {columns}。これらは除きました。引用するには、表計算ソフトで再表示して保存し、"
        "もう一度追加してください。"
    ),
    "Hidden sheets are left out: {names}.": "非表示のシートは除きました: {names}。",
    "Formulas without a result: {count}. Open the file in its program, save it, and add it again.": (
        "計算結果のない数式が{count}個あります。元のソフトで開いて保存し、もう一度追加してください。"
    ),
    "This is a PostScript program: make a PDF of it, for example with `ps2pdf`. {taken}": (
        "PostScriptのプログラムです。PDFにしてください(例: `ps2pdf`)。{taken}"
    ),
    "open it in a word processor and save it as .docx or PDF": (
        "ワープロソフトで開き、.docx か PDF で保存してください"
    ),
    "Letters that the file does not name: {letters}. If they matter, {how_else}.": (
        "ファイルが何の字かを示していない文字が{letters}個あります。大切な箇所なら、{how_else}。"
    ),
    "The RTF holds no text: {how_else}.": "RTFに本文がありません。{how_else}。",
    "The letters of the RTF are in an encoding that it does not name: {how_else}.": (
        "RTFの文字コードが示されていません。{how_else}。"
    ),
    "The RTF is damaged: {how_else}.": "RTFが壊れています。{how_else}。",
    (
        "Restore a backup (a file that `shisho backup` wrote) in its place, or choose another home; `shisho doctor` says more."
    ): (
        "控え(`shisho backup` で作ったファイル)に置き換えるか、別のホームフォルダを選んでください。詳"
        "しくは `shisho doctor` で分かります。"
    ),
    "{path} cannot be written ({cause}): nothing is remembered.": (
        "{path} に書き込めず({cause})、何も覚えていません。"
    ),
    (
        "Taking it in failed by a fault of ours ({kind}); nothing of it was stored. Report what "
        "`shisho --debug add` says of it."
    ): (
        "こちらの不具合({kind})で取り込めず、何も保存していません。`shisho --debug add` の出力をお知らせください。"
    ),
    "Sudachi, core dictionary": "Sudachi、core辞書",
    "{formats}; each file in a child process": "{formats}(ファイルごとに別のプロセスで読みます)",
    "none: answers are quotations only": "未設定(回答は引用だけになります)",
    "pip install sudachidict-core": "pip install sudachidict-core",
    "raise reader_memory_mb, or look with --debug": "reader_memory_mb を上げるか、--debug で調べてください",
    "{count} passages": "{count}パッセージ",
    "PDFs are read without their fonts: {scripts}": "フォントのないPDFも読めます: {scripts}",
    "letters are lost in PDFs that do not hold their fonts: {scripts}": (
        "フォントを含まないPDFで失われる文字があります: {scripts}"
    ),
    "Japanese": "日本語",
    "Korean": "韓国語",
    "simplified Chinese": "中国語(簡体字)",
    "traditional Chinese": "中国語(繁体字)",
    "LOG_IN_USE: somebody is reading the database; its log is emptied of what was erased once they have done.": (
        "LOG_IN_USE: データベースを読んでいるプロセスがあります。抹消した中身は、読み終わったあとでログからも消えます。"
    ),
    "{use}: {path}": "{use}: {path}",
    "restore a backup: the file is damaged": "ファイルが壊れています。控えから戻してください",
    "SQLite {version}, {count} documents, {path}": "SQLite {version}、文書{count}件、{path}",
    "reference splitter and terms": "参照方式の分割と索引語",
    "text layer for scanned PDFs": "スキャンしたPDFに文字の層を付ける",
    "install ocrmypdf with tesseract's Japanese data; see docs/howto/ocr.md": (
        "ocrmypdf と tesseract の日本語データを入れてください。docs/howto/ocr.ja.md をご覧ください"
    ),
    "engines and pages that only scripts fill": "スクリプトでしか中身が出ない検索エンジンとページ",
    (
        "until then open such PDFs where their fonts are installed and print them to new ones; pip install -U pypdfium2"
    ): ("そのようなPDFは、フォントのある環境で開いて新しいPDFに印刷してください。pip install -U pypdfium2"),
}
