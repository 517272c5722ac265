"""Messages about calls, questions, the queue and settings, in Japanese, by their English templates."""

from __future__ import annotations

from collections.abc import Mapping

SAID: Mapping[str, str] = {
    "A report needs a language model, and none is set. Set one with `shisho models set`, then ask again.": (
        "レポートには言語モデルが必要ですが、設定されていません。`shisho models set` で設定してから、もう一度お試しください。"
    ),
    "A report of {sections} sections needs about {calls} model calls and {tokens:,} tokens, more than "
    "the budget allows. Raise max_model_calls and max_tokens, or ask for fewer sections.": (
        "{sections}節のレポートにはモデルの呼び出し約{calls}回と約{tokens:,}トークンが必要で、予算を超えます。"
        "max_model_calls と max_tokens を上げるか、節を減らしてください。"
    ),
    "A report is written from your documents. Search the web first, then ask with sources=documents.": (
        "レポートは手元の文書から書かれます。先にウェブを検索してから、sources=documents で依頼してください。"
    ),
    "Nobody can be asked here. Add --yes to start the report.": (
        "ここでは確認できません。--yes を付けるとレポートを始めます。"
    ),
    "The web is turned off here (`shisho web` tells more): nothing is searched or fetched.": (
        "ここではウェブを使わない設定です(`shisho web` で分かります)。検索も取得もしません。"
    ),
    (
        "The web would be asked, and nobody has said yet that it may. A person says so once: `shisho "
        "web on` in a terminal (`shisho web` tells what is sent to whom). Documents can be asked "
        "without it."
    ): (
        "ウェブに尋ねることになりますが、まだ許しがありません。一度だけ、人が端末で `shisho web on` "
        "と許してください(何をどこへ送るかは `shisho web` で分かります)。文書だけへの質問に許しは要り"
        "ません。"
    ),
    "The web is turned off here (`shisho web` tells more). Ask with sources=documents.": (
        "ここではウェブを使わない設定です(`shisho web` で分かります)。sources=documents で質問してください。"
    ),
    (
        "The idempotency key {key!r} belongs to another request: {verb} of {subject} in task {task_id}. "
        "Nothing was done. Take a new key for a new request, or send that request unchanged to have its "
        "reply again."
    ): (
        "冪等キー {key!r} は別の要求のものです: タスク {task_id} の {verb}({subject})。何もしていません。新しい要求には"
        "新しいキーを使ってください。同じ返事が要るときは、その要求をそのまま送ってください。"
    ),
    "{first!r} and {count} more": "{first!r} ほか{count}件",
    "Nothing to search for: give keyword_query or vector_query.": (
        "探すものがありません。keyword_query か vector_query を渡してください。"
    ),
    "No passage {temp_index} was shown in this session.": (
        "このセッションでパッセージ {temp_index} は示されていません。"
    ),
    "That passage's document was removed while this session ran.": (
        "このパッセージの文書は、セッションの間に除かれました。"
    ),
    "There is no document {name}. `shisho list` shows what there is.": (
        "文書 {name} はありません。ある文書は `shisho list` で見られます。"
    ),
    "{id} is past the end of the text, which has {length} characters.": (
        "{id} は本文の終わりを過ぎています(本文は{length}文字です)。"
    ),
    "{source} has no page {number}: it has {pages}.": (
        "{source} に{number}ページはありません(全{pages}ページ)。"
    ),
    'Nothing to search for: give some words. For example: shisho search "median definition"': (
        '探す言葉がありません。例: shisho search "決定係数 定義"'
    ),
    "There is no {noun} {id} to list from. Give the id of the last one of the page before, or none to begin anew.": (
        "{noun} {id} はないので、その続きは示せません。前のページの最後のIDを渡すか、何も渡さずに始めからどうぞ。"
    ),
    (
        "There is nothing in {corpora} to search, and something elsewhere in the library. `shisho list` names the "
        "corpora that there are."
    ): (
        "コーパス {corpora} には検索できるものがありません(ライブラリのほかの所にはあります)。"
        "どのコーパスがあるかは `shisho list` で分かります。"
    ),
    "There is nothing to search yet. Add documents first: `shisho add FOLDER`.": (
        "まだ探すものがありません。先に文書を追加してください: `shisho add フォルダ`"
    ),
    "Stopped before it was begun. `shisho queue resume {task_id}` and `shisho worker` do it.": (
        "始まる前に止められました。`shisho queue resume {task_id}` と `shisho worker` で進みます。"
    ),
    "wait takes 0 to {max_wait:g} seconds, not {seconds}. Call again to wait longer.": (
        "wait は0から{max_wait:g}秒までです({seconds}は使えません)。もっと待つには、もう一度呼んでください。"
    ),
    "{count} queries are too many at once: give at most {max_queries} a call.": (
        "一度に{count}件は多すぎます。1回に{max_queries}件までにしてください。"
    ),
    "There is no query to search for. Give 1 to 50 of them, for example: median definition": (
        "検索語がありません。1から50件を渡してください。例: 決定係数 定義"
    ),
    "The prompt {name} takes no {refused}. It takes: {accepted}.": (
        "プロンプト {name} に引数 {refused} はありません。使える引数: {accepted}。"
    ),
    "{page!r} is no number of a page: pages count from 1.": (
        "{page!r} はページ番号ではありません。ページは1から数えます。"
    ),
    "{cursor!r} is no cursor. Give the one that the last status had, or none.": (
        "{cursor!r} はカーソルではありません。前回の状態にあったものを渡すか、省いてください。"
    ),
    "{cursor} is no cursor of this task. Give the one that its last status had, or none.": (
        "{cursor} はこの調査課題のカーソルではありません。その前回の状態にあったものを渡すか、省いてください。"
    ),
    "The corpus has no name. Leave it out for the default one.": (
        "コーパスの名前が空です。既定のものなら省いてください。"
    ),
    "{web_corpus!r} is where searched pages go. Name another corpus.": (
        "{web_corpus!r} は検索したページの置き場です。別のコーパスを指定してください。"
    ),
    "A document handed over as bytes needs a file name, for example report.pdf.": (
        "データで渡す文書にはファイル名が要ります。例: report.pdf"
    ),
    (
        "{path} is not below an allowed folder. The owner can add one to `allowed_roots` (SHISHO_ALLOWED_ROOTS)."
    ): (
        "{path} は許されたフォルダの中にありません。持ち主が `allowed_roots`(SHISHO_ALLOWED_ROOTS)に加えられます。"
    ),
    "{text!r} is no domain. For example: example.co.jp": (
        "{text!r} はドメインではありません。例: example.co.jp"
    ),
    "The idempotency key is blank. Give a word of your own, or leave it out.": (
        "冪等キーが空です。ご自分で決めた語を渡すか、省いてください。"
    ),
    "There is no ceiling {name!r}. Known: {known}.": (
        "{name!r} という上限はありません。あるのは {known} です。"
    ),
    "{name} must be a number from 0 upward, not {most}.": "{name} は0以上の数です({most}は使えません)。",
    "{language} names no language: give a tag such as ja, en or pt-br, or nothing for any.": (
        "{language} は言語を表していません。ja、en、pt-br のような言語タグを指定するか、問わないなら空にしてください。"
    ),
    "{region} names no country: give two letters, such as jp or us.": (
        "{region} は国を表していません。jp や us のような2文字で指定してください。"
    ),
    "{name} takes {least} to {most}, not {value}.": (
        "{name} は{least}から{most}までです({value}は使えません)。"
    ),
    "A blank is no path. The folder that you are in is `.`.": (
        "空白はパスになりません。今いるフォルダーは `.` です。"
    ),
    "{word!r} is in no known encoding. Type it again, or give an id.": (
        "{word!r} は文字コードが分かりません。打ち直すか、IDを指定してください。"
    ),
    "a blank is no path, and the folder that you are in is `.`": (
        "空白はパスになりません(今いるフォルダーは `.` です)"
    ),
    "{path!r} is no path: {error}.": "{path!r} はパスではありません: {error}。",
    "A blank names nothing that waits. `shisho auth list` shows what does.": (
        "空白では人待ちを指せません。待っているものは `shisho auth list` で見られます。"
    ),
    "No one thing waits for a person under {name!r}. `shisho auth list` shows what does.": (
        "{name!r} に当たる人待ちが一つに決まりません。待っているものは `shisho auth list` で見られます。"
    ),
    "No search engine is set up here. Ask with sources=documents; `list_engines` says more.": (
        "使える検索エンジンがありません。sources=documents で質問してください。詳しくは `list_engines` で分かります。"
    ),
    "There are no documents to answer from. Add some with add_documents.": (
        "答えのもとになる文書がありません。add_documents で追加してください。"
    ),
    "There are no documents to answer from. Add some with add_documents, or ask with sources=web.": (
        "答えのもとになる文書がありません。add_documents で追加するか、sources=web で質問してください。"
    ),
    "The question was stopped before it was answered. resume_task {task_id} goes on with it.": (
        "質問は答えが出る前に止められました。resume_task {task_id} で続けられます。"
    ),
    "Answer {answer_id} was not asked through the queue. `shisho resume {answer_id}` goes on with it.": (
        "答え {answer_id} は待ち行列を通して尋ねられていません。`shisho resume {answer_id}` で続けられます。"
    ),
    "No document {name} was removed, and none has this id.": (
        "外した文書に {name} はなく、このIDの文書もありません。"
    ),
    "A newer version of {source} has taken the place of {document_id}. Remove that one first, or keep it.": (
        "{source} の新しい版が {document_id} の代わりに入っています。先にそれを外すか、そのままにしてください。"
    ),
    "its domain is blocked here": "このドメインは、ここでは遮断されています",
    "The passage of evidence {name} is no longer there. Add its document again.": (
        "証拠 {name} のパッセージはもうありません。文書を追加し直してください。"
    ),
    "Give 1 to {max_findings} findings a call.": "1回に渡す所見は1から{max_findings}件までです。",
    "Give 1 to {max_sentences} sentences.": "文は1から{max_sentences}までです。",
    "context takes 0 to {max_context}, not {context}.": (
        "context は0から{max_context}までです({context}は使えません)。"
    ),
    "Give session_id and number, or the id of a passage or of evidence.": (
        "session_id と number か、パッセージまたは証拠のIDを渡してください。"
    ),
    ("There is nothing to search yet. Add documents first, with add_documents or `shisho add FOLDER`."): (
        "まだ探すものがありません。先に add_documents か `shisho add フォルダ` で文書を追加してください。"
    ),
    "No passage {number} was shown in this session, or its document was removed.": (
        "このセッションでパッセージ {number} は示されていないか、文書が除かれました。"
    ),
    "There is no address to fetch. Give http(s) addresses or DOIs.": (
        "取得するアドレスがありません。http(s)のアドレスかDOIを渡してください。"
    ),
    "There is nothing to add. Give paths, urls or files.": (
        "追加するものがありません。paths、urls、files のどれかを渡してください。"
    ),
    "Nothing waits for a person under {id}. `shisho auth list` shows what does.": (
        "{id} に当たる人待ちはありません。待っているものは `shisho auth list` で見られます。"
    ),
    "(queued by another version)": "(別の版が入れた仕事)",
    (
        "Another version of Shisho queued this job, and this version cannot read it ({cause}). It waits for a worker of that "
        "version or a newer one: update the workers, or stop the task."
    ): (
        "この仕事は別の版のShishoが入れたもので、この版では読めません ({cause})。"
        "その版かそれより新しい版の作業役を待っています。作業役を更新するか、タスクを止めてください。"
    ),
    (
        "Gave up: what is stored could not be reached {count} times in a row while this job was run, so it may be the job "
        "that brings the server down. The last time: {cause}"
    ): (
        "この仕事の最中に、保存先へ {count} 回続けてつながらなくなったため、やめました。仕事そのものがサーバーを落としている"
        "のかもしれません。最後の回: {cause}"
    ),
    (
        "Gave up: the process that ran this job died {count} times (the job itself failed {failures} times), so the job may "
        "be what crashes it. Check its input and the memory of the server, then resume the task. The last time: {cause}"
    ): (
        "このジョブを実行していたプロセスが {count} 回停止したため、中止しました(ジョブ自体の失敗は {failures} 回)。ジョブが"
        "プロセスを停止させている可能性があります。入力とサーバーのメモリーを確認し、タスクを再開してください。"
        "最後の停止: {cause}"
    ),
    "Gave up after {count} failures. The last one: {cause}": (
        "{count}回失敗したため、あきらめました。最後の失敗: {cause}"
    ),
    "Document {name}: {reason}": "文書 {name}: {reason}",
    (
        "{folder} has no {name} (or {name}.gz). A set is corpus.jsonl, queries.jsonl and qrels.tsv (BEIR layout)."
    ): (
        "{folder} に {name}(または {name}.gz)がありません。評価セットは corpus.jsonl、queries.jsonl、qrels.tsv です(BEIRの形)。"
    ),
    "{name}, line {number}: not query-id, corpus-id and score with tabs between.": (
        "{name} の{number}行目: query-id、corpus-id、score がタブ区切りになっていません。"
    ),
    "{name}, line {number}: not a JSON object with _id and text.": (
        "{name} の{number}行目: _id と text のあるJSONオブジェクトではありません。"
    ),
    "{name}, line {number}: not an item with question, answer and passages.": (
        "{name} の {number} 行目は、質問・答え・本文のそろった項目ではありません。"
    ),
    "{name}, line {number}: not a question with kind, gold and needs.": (
        "{name} の{number}行目: kind、gold、needs のある質問ではありません。"
    ),
    (
        "{host} asks to be left alone for {wait_s:.0f} s, and its task has {left_s:.0f} s left: ask again then."
    ): (
        "{host} は{wait_s:.0f}秒控えるよう求めていますが、調査課題の残りは{left_s:.0f}秒です。その後でやり直してください。"
    ),
    (
        "{host} asks to be left alone for {wait:.0f} s or longer, and there are {left:.0f} s left to wait: ask again then."
    ): (
        "{host} は{wait:.0f}秒以上控えるよう求めていますが、待てるのは残り{left:.0f}秒です。その後でやり直してください。"
    ),
    (
        "{engine} asks to be left alone for {wait_s:.0f} s, and there are {left_s:.0f} s left to "
        "wait: ask again then, or another engine."
    ): (
        "{engine} は{wait_s:.0f}秒控えるよう求めていますが、待てるのは残り{left_s:.0f}秒です。その後"
        "でやり直すか、別の検索エンジンをお使いください。"
    ),
    "No document has {unknown} to filter by. There are: {fields}.": (
        "{unknown} で絞り込める文書はありません。使える項目: {fields}。"
    ),
    "{name} fits more than one document. Name one by its id:\n{rows}": (
        "{name} に当たる文書が複数あります。IDで指定してください:\n{rows}"
    ),
    "There is no tool {name!r}. Known: {known}.": (
        "{name!r} というツールはありません。あるのは {known} です。"
    ),
    "This line is no JSON, or holds half a character, as where an emoji was cut.": (
        "この行は JSON ではないか、途中で切れた絵文字のような半端な文字を含んでいます。"
    ),
    "This line is JSON, but no message of JSON-RPC 2.0.": "この行は JSON ですが、JSON-RPC 2.0 のメッセージではありません。",
    "{name} is given twice: {beside} beside {spread} and {inside} in it. Give it once.": (
        "{name} が二度あります({spread} の外に {beside}、中に {inside})。一度だけ渡してください。"
    ),
    "{name} cannot be called so. {reasons}.": "{name} はこのようには呼べません。{reasons}。",
    "The request cannot be understood. {reasons}.": "要求を読み取れません。{reasons}。",
    "{argument}: {reason}": "{argument}: {reason}",
    "there is no such argument; known: {known}": "そのような引数はありません(使えるのは {known})",
    "there is no such argument": "そのような引数はありません",
    "it belongs in the JSON body, not in the query": "クエリではなく、JSONの本体に入れてください",
    "it belongs in the query (?name=value), not in a body": "本体ではなく、クエリ(?名前=値)に入れてください",
    "There is a body, and nothing here reads one. Send the request without it.": (
        "本体がありますが、ここでは読みません。本体なしで送ってください。"
    ),
    'Give a question, or --continue last. For example: shisho ask "What is a median?"': (
        '質問か --continue last を渡してください。例: shisho ask "決定係数とは何か"'
    ),
    "Something broke here. Please report it with the error id {error_id}.": (
        "こちらの不具合です。エラーID {error_id} を添えてお知らせください。"
    ),
    (
        "{url} is the address of a page, and a file or folder is wanted. Pages are taken in by searching for them "
        "(`shisho queue add WORDS`), or by their address over MCP and REST (`queue_urls`); one that you have "
        "saved is a file."
    ): (
        "{url} はページのアドレスで、ここで要るのはファイルかフォルダです。ウェブのページは検索して取り込みます"
        "(`shisho queue add 言葉`)。アドレスで取り込むには MCP と REST の `queue_urls` を、保存したページはファイルとして"
        "お使いください。"
    ),
    "course=statistics, or year=2020..2024": "課=統計学、または year=2020..2024",
    "course=statistics": "課=統計学",
    "{text!r} is not key=value. For example: {example}": (
        "{text!r} は key=value の形ではありません。例: {example}"
    ),
    "{key} has a range already; a range and a value cannot be asked together.": (
        "{key} にはすでに範囲があります。範囲と値を一緒には指定できません。"
    ),
    "The bytes of {name} are not base64.": "{name} のデータがbase64ではありません。",
    "{kind}: {cause}": "{kind}: {cause}",
    "The job found nothing within {seconds:g} seconds.": (
        "仕事は{seconds:g}秒以内に何も見つけられませんでした。"
    ),
    "The process that ran the job died.": "仕事をしていたプロセスが落ちました。",
    "The process that ran the job gave no sign of life.": "仕事をしていたプロセスが応答しなくなりました。",
    "{count} goals are too many; {limit} is the limit. Split the question.": (
        "目標が{count}個あり、上限の{limit}個を超えています。質問を分けてください。"
    ),
    "{id!r} can't be a goal id. Use a letter or a digit, and at most {limit} characters on one line.": (
        "{id!r} は目標のIDに使えません。文字か数字を含む、{limit}文字以内の1行にしてください。"
    ),
    "{id!r} means something else in a condition. Rename that goal.": (
        "{id!r} は終了条件の中で別の意味を持ちます。目標のIDを変えてください。"
    ),
    "Two goals have the id {id!r}. Give each goal an id of its own.": (
        "ID {id!r} の目標が二つあります。目標ごとに別のIDを付けてください。"
    ),
    "Goal {id!r} needs a question of 1 to {limit:,} characters.": (
        "目標 {id!r} には1〜{limit:,}文字の質問が必要です。"
    ),
    "A goal has the fields {fields}, and needs its question. Unknown: {unknown}.": (
        "目標の項目は {fields} で、question は必須です(不明な項目: {unknown})。"
    ),
    "The librarian takes no {unknown}. It takes: {fields}.": "{unknown} は指定できません。指定できるのは {fields} です。",
    "The plan {path} can't be read: {error}. Give a JSON file with goals and a condition.": (
        "計画ファイル {path} を読み取れませんでした({error})。目標と終了条件を書いたJSONファイルを指定してください。"
    ),
    "A plan has the fields {fields}. Unknown: {unknown}.": "計画の項目は {fields} です(不明な項目: {unknown})。",
    "Give answer_id or session_id, not both.": "answer_id と session_id はどちらか一方を指定してください。",
    "{name} must be a whole number, not {value}.": "{name} は整数で指定してください({value} は使えません)。",
    "exclude_ids: there is no passage and no document {id}. Leave it out.": (
        "exclude_ids の {id} に当たるパッセージも文書もありません。取り除いてください。"
    ),
    "{form!r} is no export format. Choose one of {formats}.": (
        "{form!r} は書き出しの形式ではありません。{formats} から選んでください。"
    ),
    "The question is blank. Write what you want to know, for example: What is a median?": (
        "質問が空です。知りたいことを書いてください。例: 決定係数とは何か"
    ),
    "The question has {count:,} characters; {limit:,} is the limit. Shorten it.": (
        "質問が{count:,}文字あり、上限の{limit:,}文字を超えています。短くしてください。"
    ),
    "{setting} (from {origin}) takes one of {choices}, not {raw!r}.": (
        "{setting}({origin}から)に使えるのは {choices} です({raw!r} は使えません)。"
    ),
    "There is no setting {name!r}. {lists}": "{name!r} という設定はありません。{lists}",
    "settings.toml has {name!r}, which is no setting. {lists}": "settings.toml の {name!r} は設定ではありません。{lists}",
    "{name} in the environment is no setting and does nothing. {lists}": (
        "環境変数 {name} は設定ではなく、効いていません。{lists}"
    ),
    "`shisho settings` lists them all.": "一覧は `shisho settings` で見られます。",
    "Did you mean {near}? `shisho settings` lists them all.": (
        "{near} のことでしょうか。一覧は `shisho settings` で見られます。"
    ),
    "{argument} takes one of {choices}, not {given!r}.": "{argument} に使えるのは {choices} です({given!r} は使えません)。",
    "{path}: {engine} stands outside a table. Write [name of the engine] above its fields.": (
        "{path}: {engine} が表の外にあります。項目の上に [検索エンジンの名前] を書いてください。"
    ),
    "{path} is not valid TOML: {why}.": "{path} は正しいTOMLではありません: {why}。",
    "{setting} (from {origin}) takes {kind}, not {raw!r}.": (
        "{setting}({origin}から)に使えるのは{kind}です({raw!r} は使えません)。"
    ),
    "the environment": "環境変数",
    "the call or command line": "呼び出しかコマンド行",
    "on or off": "on か off",
    "a whole number": "整数",
    "a number": "数",
    "The condition can't be read at character {position}: {why}. Write goal ids with and, or, not, parentheses "
    "and at_least(n, …).": (
        "終了条件を{position}文字目で読み取れませんでした({why})。"
        "目標のIDを and、or、not、括弧、at_least(n, …) で組み合わせてください。"
    ),
    "{word!r} is not expected there": "そこに {word!r} は置けません",
    "nested deeper than {limit}": "括弧の入れ子が{limit}段を超えています",
    "at_least({count}, …) asks for a number from 1 to that of its goals": (
        "at_least({count}, …) の数は1から目標の数までです"
    ),
    "a goal is missing at the end": "末尾に目標がありません",
    "{token!r} is missing before {ahead}": "{ahead} の前に {token!r} がありません",
    "its end": "末尾",
    "it is missing": "これが要ります",
    "it must be text": "文字列にしてください",
    "it must be true or false": "true か false にしてください",
    "it must be a list": "一覧(配列)にしてください",
    "it must be an object": "オブジェクトにしてください",
    "it must be null": "null にしてください",
    "it is no JSON": "JSONではありません",
    "it must be more than {limit}": "{limit}より大きくしてください",
    "it must be less than {limit}": "{limit}より小さくしてください",
    "it must have {limit} characters or more": "{limit}文字以上にしてください",
    "it must have {limit} characters or fewer": "{limit}文字以下にしてください",
    "it must have {limit} members or more": "{limit}個以上にしてください",
    "it must have {limit} members or fewer": "{limit}個以下にしてください",
    "it cannot be used so ({kind})": "このままでは使えません({kind})",
    "blank": "空です",
    "{text} is no query": "{text} は検索語ではありません",
    "longer than {limit} characters": "{limit}文字を超えています",
    "repeated in this call": "この呼び出しの中で重複しています",
    "no http(s) address and no DOI": "http(s)のアドレスでもDOIでもありません",
    "more than {limit} addresses in one call": "1回に{limit}件を超えるアドレスです",
    "queued in this task before (job {job_id})": "この調査課題ですでに受け付けています(仕事 {job_id})",
    "there is no goal {goal}": "目標 {goal} はありません",
    "score takes 0 to 1": "score は0から1までです",
    "no passage {number} was shown in this session": (
        "このセッションでパッセージ {number} は示されていません"
    ),
    "The library was closed. Open it again: `shisho.open`.": "ライブラリは閉じられました。`shisho.open` で開き直してください。",
    "{source} has the same content and is taken out with it.": "{source} も同じ内容なので、いっしょに外れます。",
    "{count} more files have the same content.": "同じ内容のファイルがほかに{count}件あります。",
    "The same file stands in {corpus} too and is still found there: `shisho remove {id}`.": (
        "同じファイルが {corpus} にもあり、そこではまだ見つかります: `shisho remove {id}`"
    ),
    "a mark or a single letter is no quotation: copy the words that say it": (
        "記号や一文字だけでは引用になりません。答えを述べている語句を写してください"
    ),
    "these words do not stand in that passage: copy them from it": (
        "この文言はそのパッセージにありません。そこから写してください"
    ),
    "its document was removed": "文書が除かれました",
    "replaced by the stored text": "保存されている本文に置き換えました",
}
