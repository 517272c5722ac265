"""The help of commands and settings, in Japanese, by its English."""

from __future__ import annotations

from collections.abc import Mapping

SAID: Mapping[str, str] = {
    "司書 — a research librarian.": "司書 — 調べものの司書。",
    "folder of the database (SHISHO_HOME)": "データベースのフォルダ (SHISHO_HOME)",
    "ja or en": "ja か en",
    "log what happens, with times": "起きたことを時間とともに記録する",
    "print the version and end": "版を表示して終わる",
    "Install completion for the current shell.": "今のシェルに補完を組み込む。",
    "Show completion for the current shell, to copy it or customize the installation.": (
        "今のシェルの補完を表示する(写すか、組み込み方を変えるため)。"
    ),
    "Show this message and exit.": "この説明を表示して終わる。",
    "Take in files and folders; what is known already is left as it is.": (
        "ファイルやフォルダを取り込む。登録済みのものはそのまま残す。"
    ),
    "files and folders": "ファイルやフォルダ",
    "key=value said of every file": "すべてのファイルに付ける key=value",
    "the corpus to add to": "追加先のコーパス",
    "opens encrypted files": "暗号化したファイルを開くパスワード",
    "print JSON": "JSONで出力する",
    "Write a report from your documents, section by section, each sentence with its source.": (
        "文書をもとに、節ごとに出典つきのレポートを書きます。"
    ),
    "what the report is about": "レポートの主題",
    "write at least so many words, 200 to 8000; 0: as it comes": (
        "本文の語数の下限(200〜8000。日本語は1語を2字と数える)。0: 指定なし"
    ),
    "at most so many sections, 2 to 12; 0: 6": "節の数の上限(2〜12)。0: 6節",
    "take this folder in as a corpus and read only it": "このフォルダをコーパスとして取り込み、その中だけを読む",
    "start without asking": "確認せずに始める",
    "Answer a question with quotations that can be checked.": "確かめられる引用で質問に答える。",
    "the question": "質問",
    "take this folder in as a corpus and search only it": (
        "このフォルダをコーパスとして取り込み、そこだけを探す"
    ),
    "search only this corpus; may be repeated": "このコーパスだけを探す(繰り返し可)",
    "key=value, key=low..high; repeat a key for any of": (
        "key=value、key=下限..上限。同じキーを繰り返すと、そのどれか"
    ),
    "auto: the web only for what the library does not answer; both: the web in any case": (
        "auto: 蔵書で答えられないことだけウェブで。both: いつもウェブも"
    ),
    "with --continue: not only where the question before looked": (
        "--continue とともに: 前の質問が探した場所に限らない"
    ),
    "of passages, print only the marked sentences": "箇所の全文でなく、印の付いた文だけを表示",
    "most search rounds": "検索の最大回数",
    "ID=QUESTION, or a question: what the answer must say; may be repeated": (
        "ID=質問、または質問だけ。回答に必要な目標を指定します(繰り返し可)"
    ),
    'when it is enough: "T1 and not T2" over the ids; none: all goals': (
        '検索を終える条件。IDを使って "T1 and not T2" のように書きます。省略時はすべての目標'
    ),
    "how many things are asked; none: as the question says": "質問の複雑さ。省略時は質問から判断します",
    "the kind of answer; none: as the question says": "回答の種類。省略時は質問から判断します",
    "id of a passage or document to leave out; may be repeated": (
        "検索から除くパッセージや文書のID(繰り返し可)"
    ),
    "JSON file: goals, condition, complexity, kind, exclude_ids": (
        "goals、condition、complexity、kind、exclude_ids を書いたJSONファイル"
    ),
    "Show the evidence accepted so far for an answer or a session, with its goals.": (
        "回答やセッションでこれまでに採用した根拠を、目標ごとに表示します。"
    ),
    "of an answer or a session; its beginning; or last": "回答かセッションのID、その先頭、または last",
    "most seconds": "最大秒数",
    "Find passages.": "パッセージを探す。",
    "words to find; in quotes: together": "探す言葉。引用符で囲むとひとまとまり",
    "this many passages at most; none: by the library's size": (
        "パッセージの最大数。なければ蔵書の大きさによる"
    ),
    "Show the documents there are.": "ある文書を表示する。",
    "id of the last document of the page before": "前のページの最後の文書のID",
    "those that `shisho restore` brings back": "外した文書(`shisho restore` で戻せるもの)",
    "Take a document out of search; `shisho restore` brings it back.": (
        "文書を検索から外す。`shisho restore` で戻る。"
    ),
    "Bring back a document that was taken out of search and not purged.": (
        "検索から外した文書を戻す(抹消したものは戻らない)。"
    ),
    "id, its beginning, or the file": "ID、その先頭、またはファイル",
    "erase its text, quotations and ledger copies": "本文・引用・帳簿の写しを抹消する",
    "do not ask before a purge": "抹消の前に確かめない",
    "Show an answer with its condition, goals and evidence; a piece of evidence; or a document.": (
        "回答(終了条件・目標・証拠とともに)、証拠、文書のどれかを表示する。"
    ),
    "of an answer, evidence or document; its beginning; or last": (
        "回答・証拠・文書のID、その先頭、または last"
    ),
    "Print an answer and its evidence for use elsewhere.": "回答と証拠を、よそで使える形で書き出す。",
    "id, its beginning, or last": "ID、その先頭、または last",
    "md, html, jsonl, pdf, bibtex, ris, csl (CSL-JSON), apa, sist02 or proof": (
        "md、html、jsonl、pdf、bibtex、ris、csl(CSL-JSON)、apa、sist02、proof のどれか"
    ),
    "write to this file": "このファイルに書く",
    "Bring the database to this version, before servers and workers of it start. They do so too, one of them at a time.": (
        "この版のサーバーとワーカーを始める前に、データベースをこの版にする。サーバーとワーカー自身も、一つずつ順に行う。"
    ),
    "Bring a whole library to another place; begun again, it goes on where it was broken off.": (
        "ライブラリ全体を別の場所に写します。途切れても、もう一度始めれば続きから行います。"
    ),
    "a home's folder, postgresql://…, or a backup of one": "ホームフォルダ、postgresql://…、またはそのバックアップ",
    "a home's folder, or postgresql://…": "ホームフォルダ、または postgresql://…",
    "Copy everything into one file, while others go on working.": (
        "ほかの作業を止めずに、すべてを一つのファイルに写す。"
    ),
    "a file that does not exist yet": "まだないファイル",
    "Say what works here, and how to get what does not.": (
        "ここで何が動き、動かないものをどう入れるかを示す。"
    ),
    "Show every setting, its value, and where the value came from.": (
        "すべての設定を、値とその由来とともに表示する。"
    ),
    "Measure retrieval, answers or the support check on a set of your own; with a model, by rules and by it.": (
        "手持ちの評価セットで検索、回答、裏付けの判定を測る。モデルがあれば規則とモデルの両方で。"
    ),
    "a set: corpus.jsonl, queries.jsonl, qrels.tsv (BEIR layout, .gz or not); after answers or support: .jsonl.gz": (
        "評価セット: corpus.jsonl、queries.jsonl、qrels.tsv(BEIRの形、.gz も可)。answers か support の後では .jsonl.gz"
    ),
    "Give the folder of a set, after `answers` or `support` for such a set.": (
        "評価セットのフォルダを渡してください。回答や裏付けのセットなら、その前に `answers` か `support` を置きます。"
    ),
    "{folder} has no .jsonl.gz with questions.": "{folder} に質問の .jsonl.gz がありません。",
    "{folder} has no .jsonl.gz with pairs of sentences.": "{folder} に文の対の .jsonl.gz がありません。",
    "{name}, line {number}: not a pair with premise, hypothesis and label.": (
        "{name} の {number} 行目は、premise、hypothesis、label のある対ではありません。"
    ),
    "also put this many questions with gold answers to the librarian": (
        "正答付きの質問をこの数だけ司書にも尋ねる"
    ),
    "only this many questions, or pairs": "この数の質問、または対だけ",
    "find by meaning too: use, e5, a model that was pulled, or a folder": (
        "意味でも探す: use、e5、取り込んだモデル、またはフォルダー"
    ),
    "Show the tasks, or the jobs of one with the errors each has met.": (
        "調査課題の一覧、または一つの課題の仕事とそのエラーを表示する。"
    ),
    "id, its beginning, or last; none: all tasks": "ID、その先頭、または last。なければすべての課題",
    "id of the last row of the page before": "前のページの最後の行のID",
    (
        "Do the jobs of the queue until interrupted. As many of these as you like may run, on one home."
    ): "止められるまで待ち行列の仕事をする。一つのホームでいくつ動かしてもよい。",
    "jobs at once; none: the setting `workers`": "同時にする仕事の数。なければ設定 `workers`",
    "end when no task has anything left to do": "どの課題にもすることがなくなったら終わる",
    (
        "Say whether words of your questions may go to search engines; without a word, show what holds."
    ): "質問の言葉を検索エンジンに送ってよいかを決める。何も書かなければ今の状態を表示する。",
    "on, off, or ask: forget what was said": "on、off、または ask(決めたことを忘れる)",
    (
        "Serve an assistant over standard input and output (MCP). Ends with its client; its jobs go on when anything runs."
    ): (
        "標準入出力(MCP)でアシスタントの相手をする。クライアントとともに終わり、仕事は次に何かが動くときに続く。"
    ),
    "print what to paste into this client's settings, and end": (
        "このクライアントの設定に貼るものを表示して終わる"
    ),
    "Serve the reading room, REST under /api/v1 and MCP under /mcp, with workers, until interrupted.": (
        "閲覧室と、/api/v1 で REST、/mcp で MCP を、ワーカーとともに提供する(中断するまで)。"
    ),
    "Open the reading room in your browser: drop documents, ask, click a citation. Until interrupted.": (
        "閲覧室をブラウザで開く。文書を入れ、質問し、引用を開く(中断するまで)。"
    ),
    "print the address, and open nothing": "アドレスを表示するだけで、何も開かない",
    "0: the system chooses": "0: システムが選ぶ",
    "where to listen; beyond this machine only with a token": (
        "待ち受ける場所。この計算機の外にはトークンが要る"
    ),
    "clients must send it; better set SHISHO_TOKEN, which ps does not show": (
        "クライアントが送る語。ps に見えない SHISHO_TOKEN のほうがよい"
    ),
    "Play a small web on this machine, engines and pages, until interrupted.": (
        "止められるまで、検索エンジンとページのある小さなウェブをこの計算機で演じる。"
    ),
    "where others find it; none: box in the home folder": (
        "ほかから見つける場所。なければホームフォルダの box"
    ),
    "another seed, another web": "種が違えばウェブも違う",
    "invented things that pages are about": "ページの話題になる架空のものの数",
    "pages for each of them": "話題ごとのページ数",
    "how relevance falls with the rank": "順位とともに関連度がどう下がるか",
    "Search engines and their result pages.": "検索エンジンとその結果ページ。",
    "Show which engines can be asked, how they have answered, and what is left of the day.": (
        "使える検索エンジン、その成績、今日の残りを表示する。"
    ),
    (
        "Print the hits, the challenge and the next-page state of a saved page. Exits with 1 where it cannot be read."
    ): "保存した結果ページの中身、関門、次ページへの引き継ぎを表示する。読めなければ1で終わる。",
    "Name of the engine, or auto to tell it from the page.": (
        "検索エンジンの名前、またはページから見分ける auto。"
    ),
    "A saved result page or API answer.": "保存した結果ページかAPIの応答。",
    "Print one JSON object.": "JSONオブジェクトを一つ出力する。",
    "Where the page came from, if known.": "ページの出どころ(分かれば)。",
    "The HTTP status it came with.": "届いたときのHTTPの状態。",
    "Web searches that go on by themselves.": "ひとりでに進むウェブ検索。",
    "Queue web searches and return at once.": "ウェブ検索を積んで、すぐに戻る。",
    "1 to 50 queries": "検索語を1から50件",
    "add to this task; none: a new one": "この課題に加える。なければ新しい課題",
    "ask this engine; may be repeated": "この検索エンジンに尋ねる(繰り返し可)",
    "academic, news, government, technical, general": (
        "種別: academic、news、government、technical、general"
    ),
    "language of the pages": "ページの言語",
    "how old a page may be": "どこまで古いページでよいか",
    "pages to take in for each query": "検索語ごとに取り込むページ数",
    "result pages at most; none: by category": "結果ページの最大数。なければ種別による",
    "when to stop following result pages": "結果ページをたどるのをいつ止めるか",
    "the first result page": "最初の結果ページ",
    "high: before all others": "high: ほかより先に実行",
    "Show how a task stands, now.": "課題の今の状態を表示する。",
    "Follow a task until it ends; with --json, a line for every change.": (
        "課題を終わりまで見守る。--json では変化ごとに1行。"
    ),
    "Cancel what has not begun; what runs comes to its end.": (
        "始まっていないものを取り消す。実行中のものは最後まで進む。"
    ),
    "cancel what runs too": "実行中のものも取り消す",
    "seconds to wait for what runs": "実行中のものを待つ秒数",
    "Queue again what was cancelled or has failed; each goes on after its last step.": (
        "取り消したものと失敗したものを積み直す。それぞれ最後の段階の続きから進む。"
    ),
    "What waits for a person.": "人の確認を待つもの。",
    "Show what waits for a person, and where.": "何がどこで人の確認を待っているかを表示する。",
    (
        "Open it in a browser window and wait for you; once you are through, all that its domain held goes on."
    ): "ブラウザーの窓で開いて待つ。通り抜けると、そのドメインで止まっていたものがすべて進む。",
    "id, its beginning, a domain, or last": "ID、その先頭、ドメイン、または last",
    "Say that it is solved: all that its domain or engine held goes on where it stood.": (
        "解けたと伝える。そのドメインか検索エンジンで止まっていたものが、続きから進む。"
    ),
    "all of this task instead: its id, its beginning, or last": (
        "代わりにこの課題のすべて: ID、その先頭、または last"
    ),
    "Go without: the searches end with what they have.": "あきらめる。検索は今あるもので終わる。",
    "folder of the database and indexes; empty: the platform's data folder": (
        "データベースと索引のフォルダ。空ならOSのデータフォルダ"
    ),
    "language of messages": "メッセージの言語",
    "how passages are cut": "パッセージの切り方",
    "tools that assistants are shown: the 14 that research needs, or all": (
        "アシスタントに示すツール: 調べものに要る14個、またはすべて"
    ),
    "how index terms are made": "索引語の作り方",
    "search rounds of one question": "一つの質問の検索回数",
    "seconds one question may take": "一つの質問にかける秒数",
    "room for shown passages in one round, in tokens; 0: as many as suit the library and the model reads": (
        "1回に示すパッセージの分量(トークン)。0 なら蔵書の大きさに応じた件数を、モデルが読める分まで"
    ),
    "what runs the librarian's nodes": "司書の手順を動かすもの",
    "how k grows with the round: 1, 2, 3 or 1, 3, 10": "k が回ごとにどう増えるか: 1、2、3 か 1、3、10",
    "whether the web may be searched and pages fetched; ask: not before you said yes": (
        "ウェブの検索とページの取得を許すか。ask なら許しがあるまでしない"
    ),
    "whether robots.txt is heeded": "robots.txt に従うか",
    "file of a running `shisho box`: its small web is searched in place of the real one": (
        "動いている `shisho box` のファイル。本物の代わりにその小さなウェブを探す"
    ),
    "jobs done at once by a server or by `shisho worker`": (
        "サーバーや `shisho worker` が同時にする仕事の数"
    ),
    "seconds one attempt at a job may take; then it ends with what it has": (
        "仕事の1回の試みにかける秒数。過ぎたら今あるもので終わる"
    ),
    (
        "how you are told that a page waits for you: on the desktop and in the terminals of workers, there only, not at all"
    ): "ページがあなたを待つことの知らせ方: デスクトップと作業役の端末、端末だけ、なし",
    "folders whose files MCP and HTTP callers may name, separated as in PATH; empty: none": (
        "MCPとHTTPの呼び手が名指せるファイルのフォルダ(PATHと同じ区切り)。空ならなし"
    ),
    "word that HTTP clients must send; needed to listen beyond this machine": (
        "HTTPクライアントが送る語。この計算機の外で待ち受けるには必要"
    ),
    "people with libraries of their own, as name:TOKEN name:TOKEN": (
        "それぞれの書庫をもつ人たち(名前:トークン を空白で区切る)"
    ),
    "name files with their folders; md and jsonl": "ファイルをフォルダー付きで示す(md と jsonl)",
    "connections to the HTTP server that may be open at once": "HTTPサーバーに同時に開ける接続の数",
    "further host names the HTTP server answers to, separated by commas": (
        "HTTPサーバーが応じるほかのホスト名(コンマ区切り)"
    ),
    "web pages of others that may call the HTTP server, as https://name, separated by commas": (
        "HTTPサーバーを呼んでよいほかのウェブページ(https://名前、コンマ区切り)"
    ),
    "hosts that may lead into a private network, as name or name:port, separated by commas": (
        "私設ネットワークに通じてよいホスト(名前か 名前:ポート、コンマ区切り)"
    ),
    "ports that may be fetched from besides 80 and 443, separated by commas": (
        "80と443のほかに取得してよいポート(コンマ区切り)"
    ),
    "page or mail address shown to web sites, so that their owners can reach you; empty: none": (
        "サイトの持ち主が連絡できるよう、サイトに示すページかメールのアドレス。空ならなし"
    ),
    (
        "mail address told to OpenAlex, Crossref and PubMed, which serve those who give one first; empty: none"
    ): "OpenAlex、Crossref、PubMedに伝えるメールアドレス(示す人が優先される)。空ならなし",
    "key for PubMed: a request every 0.125 s instead of 0.5": "PubMedの鍵: 0.5秒でなく0.125秒に1回",
    "key for OpenAlex": "OpenAlexの鍵",
    "key for Semantic Scholar: a request every 1.1 s instead of 3": (
        "Semantic Scholarの鍵: 3秒でなく1.1秒に1回"
    ),
    "key for Brave's Search API, which answers nobody without one": (
        "BraveのSearch APIの鍵(なければ誰にも答えない)"
    ),
    "key for Marginalia; empty: the one that everybody shares": "Marginaliaの鍵。空なら皆が共有するもの",
    "program of Chromium or Chrome; empty: what is installed": (
        "ChromiumかChromeのプログラム。空なら入っているもの"
    ),
    "seconds one page may take in the browser": "ブラウザーで1ページにかける秒数",
    "memory one page may take in the browser, in megabytes": "ブラウザーで1ページが使ってよいメモリー(MB)",
    "pages open in the browser at once, for each process": "ブラウザーで同時に開くページ数(プロセスごと)",
    "largest file taken in, in megabytes": "取り込むファイルの最大の大きさ(MB)",
    "seconds a reader may compute on one file (HTML: 5), and 0.5 more for each MB of it": (
        "読み取り器が1ファイルの計算にかける秒数(HTMLは5)。ファイル1 MBごとに0.5秒増える"
    ),
    "memory a reader may use, in megabytes, and 12 more for each MB of the file": (
        "読み取り器が使ってよいメモリー(MB)。ファイル1 MBごとに12 MB増える"
    ),
    "text is recognised in pictures and scanned pages where the extra is installed": (
        "画像とスキャンのページの文字を認識する(追加パッケージがあるとき)"
    ),
    "recognise text in pictures and scanned pages": "画像とスキャンのページの文字を認識する",
    "longest passage, in characters": "最も長いパッセージ(文字数)",
    "how a server and a worker write their log: lines for people, or one JSON object a line": (
        "サーバーとワーカーのログの形(読むための行、または1行に1つのJSON)"
    ),
    "collector of OpenTelemetry traces that spans are sent to, as http://host:4318; empty: none": (
        "OpenTelemetryのトレースを送る先(http://host:4318)。空なら送らない"
    ),
    "server of the search index, as qdrant://host:port; empty: the store's own index": (
        "検索の索引を置くサーバー(qdrant://host:port)。空なら保存先自身の索引"
    ),
    "key for the index's server": "索引のサーバーの鍵",
    "overlap of neighbouring passages, in characters": "隣り合うパッセージの重なり(文字数)",
    "Usage:": "使い方:",
    "Usage: ": "使い方: ",
    "Arguments": "引数",
    "Options": "オプション",
    "Commands": "コマンド",
    "Error": "エラー",
    "Aborted.": "中止しました。",
    "[default: {}]": "[既定: {}]",
    "[required]": "[必須]",
    "[env var: {}]": "[環境変数: {}]",
    "(deprecated) ": "(廃止予定)",
    "Try [blue]'{command_path} {help_option}'[/] for help.": (
        "説明は [blue]'{command_path} {help_option}'[/] で見られます。"
    ),
    "{name} is missing.": "{name} がありません。",
    "The value of {name} cannot be used: {cause}.": "{name} の値が使えません: {cause}。",
    "{name} is not used so: see whether it takes a value.": (
        "{name} の使い方が違います。値を取るかどうかを確かめてください。"
    ),
    "The arguments cannot be read: see whether there is one too many.": (
        "引数を読み取れません。余分なものがないか確かめてください。"
    ),
    "There is no option {name}.": "{name} というオプションはありません。",
    "There is no option {name}. Near it: {near}.": (
        "{name} というオプションはありません。近いもの: {near}。"
    ),
    "There is no command {name}.": "{name} というコマンドはありません。",
    "There is no command {name}. Near it: {near}.": "{name} というコマンドはありません。近いもの: {near}。",
    "it is no whole number": "整数ではありません",
    "it is no number": "数ではありません",
    "see its help": "説明をご覧ください",
    "it must be {limit} or more": "{limit}以上にしてください",
    "it must be {limit} or less": "{limit}以下にしてください",
    "it must be one of {expected}": "{expected} のどれかにしてください",
    "Missing command.": "コマンドがありません。",
    "Aborted!": "中止しました。",
    "default: {default}": "既定: {default}",
    "env var: {var}": "環境変数: {var}",
    "required": "必須",
}
