"""Messages about the web, its engines and the browser, in Japanese, by their English templates."""

from __future__ import annotations

from collections.abc import Mapping

SAID: Mapping[str, str] = {
    "The web is turned off here (`shisho web` tells more): {url} is not opened.": (
        "ここではウェブを使わない設定です(`shisho web` で分かります)。{url} は開きません。"
    ),
    "There is no browser here to open {url} in. Install the extra: {install}": (
        "{url} を開くブラウザーがありません。追加機能を入れてください: {install}"
    ),
    "The web in a box has no {host}:{port}.": "箱の中のウェブに {host}:{port} はありません。",
    "The box refused: {text}": "箱が断りました: {text}",
    "No box runs on {folder}: start one with `shisho box --folder {folder}`.": (
        "{folder} で動いている箱はありません。`shisho box --folder {folder}` で始めてください。"
    ),
    "The box of {folder} does not answer: {error}. Start it with `shisho box`.": (
        "{folder} の箱が応答しません: {error}。`shisho box` で始めてください。"
    ),
    "The box cannot listen: {error}. Choose another port.": (
        "箱が待ち受けできません: {error}。別のポートを選んでください。"
    ),
    "No such rule: {error}. What a rule can do: {known}.": (
        "そのような規則はありません: {error}。規則にできること: {known}。"
    ),
    "The box has 0 to {most} topics of at least 4 pages each.": (
        "箱の話題は0から{most}まで、それぞれ4ページ以上です。"
    ),
    ("There is nothing to answer from: no page or document in this scope. See the errors of the task."): (
        "答えのもとになるものがありません。この範囲にページも文書もありません。調査課題のエラーをご覧ください。"
    ),
    "There is no way to this engine here.": "ここからこの検索エンジンへは出られません。",
    "The web is turned off: `shisho web on` turns it on.": (
        "ウェブを使わない設定です。使うには `shisho web on`。"
    ),
    (
        "The web is turned off by the setting `web`: set it to `ask` or `on`. `shisho settings` says where it is set."
    ): (
        "設定 `web` によりウェブを使いません。使うには `ask` か `on` にしてください。どこで決めたかは `shisho settings` で"
        "分かります。"
    ),
    "Web pages cannot be fetched in this installation: the setting `web` is off.": (
        "この環境ではウェブページを取得できません。設定 `web` が off です。"
    ),
    "The web cannot be searched in this installation: the setting `web` is off.": (
        "この環境ではウェブを検索できません。設定 `web` が off です。"
    ),
    "{url} answered that it has not changed, and was not asked that.": (
        "{url} は「変わっていない」と答えましたが、それは尋ねていません。"
    ),
    "The time of one job is over: raise `max_job_seconds`, or search for less at once.": (
        "仕事一つの時間が尽きました。`max_job_seconds` を上げるか、一度に探すものを減らしてください。"
    ),
    "The task's budget of seconds is spent. Open a task with a larger max_seconds.": (
        "調査課題の秒数の予算を使い切りました。max_seconds を大きくした課題を作ってください。"
    ),
    "The task's budget of pages is spent. Open a task with a larger max_pages.": (
        "調査課題のページ数の予算を使い切りました。max_pages を大きくした課題を作ってください。"
    ),
    "Its question does not wait any longer. Ask again, or with a larger max_seconds.": (
        "質問の側がもう待っていません。もう一度質問するか、max_seconds を大きくしてください。"
    ),
    "No search engine can answer this here. {reasons} `shisho engines` shows them all.": (
        "ここで答えられる検索エンジンがありません。{reasons} 一覧は `shisho engines` で見られます。"
    ),
    "No engine is set up for this category.": "この種別に使える検索エンジンがありません。",
    "No engine answered. {reasons}": "どの検索エンジンも答えませんでした。{reasons}",
    "{engine} shows no way to its page {number} any more.": (
        "{engine} の{number}ページ目へ進む手段がなくなりました。"
    ),
    "{engine}: {reason}": "{engine}: {reason}",
    "wants proof of a person ({kind})": "人であることの確認を求めています({kind})",
    "{url} did not answer.": "{url} が応答しませんでした。",
    "{engine} gave something else than a result page.": (
        "{engine} から返ったのは検索結果ページではありません。"
    ),
    "{host} has no address ({error}): check its spelling and your connection.": (
        "{host} のアドレスがありません({error})。つづりと接続を確かめてください。"
    ),
    "If that is meant, add {host} to `allow_private_hosts`.": (
        "それでよければ {host} を `allow_private_hosts` に加えてください。"
    ),
    "{url!r} is no web address: write it as https://host/path.": (
        "{url!r} はウェブのアドレスではありません。https://host/path の形で書いてください。"
    ),
    (
        "The address carries a name before its host: a trick, or a password. Leave out what is before the @."
    ): "アドレスのホストの前に名前があります。偽装かパスワードです。@ より前を除いてください。",
    "an address of one interface only": "一つの接続口だけのアドレス",
    "reserved": "予約済み",
    "not public": "公開されていない",
    "no IP address": "IPアドレスではない",
    "this machine": "この計算機自身",
    "a private network": "私設ネットワーク",
    "a provider's own network": "接続事業者の内部ネットワーク",
    "link-local, where clouds keep their metadata": "リンクローカル(クラウドが内部情報を置く場所)",
    "link-local": "リンクローカル",
    "a cloud's own service": "クラウド自身のサービス",
    "reserved for protocols": "通信規約用に予約済み",
    "reserved for documentation": "文書の例示用に予約済み",
    "reserved for measurements": "計測用に予約済み",
    "a relay of 6to4": "6to4の中継",
    "multicast": "マルチキャスト",
    "IPv4 in an IPv6 address": "IPv6アドレスに入ったIPv4",
    "IPv4 behind a translator": "変換器の先のIPv4",
    "IPv4 in a 6to4 tunnel": "6to4トンネルの中のIPv4",
    "IPv4 in a Teredo tunnel": "Teredoトンネルの中のIPv4",
    "{host} has no address: check the spelling of the host.": (
        "{host} のアドレスがありません。ホスト名のつづりを確かめてください。"
    ),
    ("{host} is asked at port {port}; 80 and 443 are open. If that is meant, add it to `allow_ports`."): (
        "{host} のポート{port}が指定されましたが、使えるのは80と443です。それでよければ `allow_ports` に加えてください。"
    ),
    "{host} leads to {address}, which is not on the Internet ({reason}). {advice}": (
        "{host} の行き先 {address} はインターネット上にありません({reason})。{advice}"
    ),
    "{address} is not on the Internet ({reason}). {advice}": (
        "{address} はインターネット上にありません({reason})。{advice}"
    ),
    "{host} is a name inside a machine or a private network. {advice}": (
        "{host} は計算機か私設ネットワークの内側の名前です。{advice}"
    ),
    "{word!r} is no host. `allow_private_hosts` takes names, for example wiki.example.jp:8080.": (
        "{word!r} はホストではありません。`allow_private_hosts` には wiki.example.jp:8080 のような名前を書きます。"
    ),
    "{word!r} is no port: ports are numbers from 1 to 65535.": (
        "{word!r} はポートではありません。ポートは1から65535までの数です。"
    ),
    "{host} is an address in disguise: write it as four numbers, for example 192.0.2.1.": (
        "{host} は形を変えたアドレスです。192.0.2.1 のように四つの数で書いてください。"
    ),
    "{engine} refuses to answer from here. Ask another engine.": (
        "{engine} はここからの検索を断っています。別の検索エンジンをお使いください。"
    ),
    "{engine} needs a browser: `shisho doctor` says how to get one.": (
        "{engine} にはブラウザーが要ります。入れ方は `shisho doctor` で分かります。"
    ),
    (
        "The server packs the page as {encoding!r}, which nobody asked for: save it from a browser and add it."
    ): (
        "サーバーがページを、求めていない {encoding!r} で圧縮しています。ブラウザーで保存して追加してください。"
    ),
    "The address leads to {media}, which holds no text: give the page that describes it.": (
        "アドレスの先は {media} で、本文がありません。それを説明するページを渡してください。"
    ),
    "The page ended before its end (its gzip is cut off): try again later.": (
        "ページが途中で切れています(gzipが途切れています)。後でやり直してください。"
    ),
    "The page came damaged (its gzip is broken): try again later.": (
        "ページが壊れて届きました(gzipが壊れています)。後でやり直してください。"
    ),
    "The browser broke on {url} twice: open it yourself, add it as a file.": (
        "{url} でブラウザーが2度落ちました。ご自分で開き、ファイルとして追加してください。"
    ),
    "The browser could not read {url} ({cause}): try later.": (
        "ブラウザーで {url} を読めませんでした({cause})。後でやり直してください。"
    ),
    "{url} was not done in {seconds:g} s in the browser: try later.": (
        "{url} はブラウザーで{seconds:g}秒以内に終わりませんでした。後でやり直してください。"
    ),
    "{url} took over {megabytes} MB in the browser: raise browser_memory_mb.": (
        "{url} はブラウザーで{megabytes} MBを超えました。browser_memory_mb を上げてください。"
    ),
    (
        "install Chromium or Chrome (Debian: apt-get install chromium; macOS: brew install --cask "
        "google-chrome; Ubuntu, Windows: google.com/chrome), or name its program in browser_path; "
        "see docs/howto/browser.md"
    ): (
        "ChromiumかChromeを入れる(Debian: apt-get install chromium、macOS: brew install --cask "
        "google-chrome、Ubuntu・Windows: google.com/chrome)か、browser_path にそのプログラムを書いて"
        "ください。docs/howto/browser.ja.md をご覧ください"
    ),
    "There is no browser on this machine: {advice}.": "この計算機にブラウザーがありません。{advice}。",
    "There is no browser at {path} (browser_path): {advice}.": (
        "{path} にブラウザーがありません(browser_path)。{advice}。"
    ),
    (
        "A person has to look at a page of {profile}, and there is no screen here. Run `shisho auth "
        "open` in a desktop session, over `ssh -X`, or on another Linux machine with a copy of the "
        "home folder, and bring back its profiles/{profile}*; or `shisho auth skip`."
    ): (
        "{profile} のページを人が見る必要がありますが、ここには画面がありません。デスクトップか `ssh "
        "-X` で、またはホームフォルダの写しを置いた別のLinux機で `shisho auth open` を実行し、"
        "profiles/{profile}* を持ち帰ってください。あきらめるなら `shisho auth skip` です。"
    ),
    "engines.toml: {engine} has no field {field}.": "engines.toml: {engine} に項目 {field} はありません。",
    "No engine is called {engine}. Known: auto, {known}.": (
        "{engine} という検索エンジンはありません。使えるのは auto、{known} です。"
    ),
    "engines.toml names no engine of ours: {engine}. Known: {known}.": (
        "engines.toml の {engine} は、ここにない検索エンジンです。あるのは {known} です。"
    ),
    "engines.toml: the name of {engine} cannot be changed.": (
        "engines.toml: {engine} の名前は変えられません。"
    ),
    "engines.toml: {engine}.{field} cannot be {value!r}.": (
        "engines.toml: {engine}.{field} は {value!r} にできません。"
    ),
    "{engine} refused: {reason}. Ask another engine.": (
        "{engine} が断りました: {reason}。別の検索エンジンをお使いください。"
    ),
    "no reason given": "理由は示されていません",
    (
        "{engine} sent a page of a layout that is not known here; ask another engine, and report the saved page."
    ): (
        "{engine} のページの形が知らないものです。別の検索エンジンを使い、保存したページをお知らせください。"
    ),
    "{engine} answered with HTTP status {status}; ask another engine, or try again later.": (
        "{engine} がHTTPの状態 {status} を返しました。別の検索エンジンを使うか、後でやり直してください。"
    ),
    "The query is blank: say what to search for.": "検索語が空です。何を探すかを書いてください。",
    "{engine} has pages 1 to {max_pages}, not {page}.": (
        "{engine} のページは1から{max_pages}までです({page}はありません)。"
    ),
    "{engine} takes at most {limit} characters: shorten the query.": (
        "{engine} が受け取るのは{limit}文字までです。検索語を短くしてください。"
    ),
    "{engine} needs `{missing}` of its first page: ask page 1 again.": (
        "{engine} には1ページ目の `{missing}` が要ります。1ページ目からやり直してください。"
    ),
    "{error} It was not read.": "{error}読み取りませんでした。",
    (
        "{engine} sent a page that only a browser fills with results; turn on the browser or ask another engine."
    ): (
        "{engine} のページはブラウザーでしか結果が出ません。ブラウザーを使うようにするか、別の検索エンジンをお使いください。"
    ),
    "The page is larger than {megabytes} MB: save the part you need and add that.": (
        "ページが{megabytes} MBを超えています。必要な部分を保存して追加してください。"
    ),
    "A header, cookie or field for {host} holds characters that HTTP does not carry.": (
        "{host} に送るヘッダーかクッキーか項目に、HTTPで送れない文字があります。"
    ),
    "{host} broke off or cannot be reached ({cause}): try again later.": (
        "{host} が途中で切れたか、つながりません({cause})。後でやり直してください。"
    ),
    "{host} redirects in a circle: open it in a browser to see why.": (
        "{host} の転送が堂々巡りしています。ブラウザーで開いて確かめてください。"
    ),
    "`contact` takes an address of a page or of mail, not {contact!r}.": (
        "`contact` にはページかメールのアドレスを書きます({contact!r} は使えません)。"
    ),
    "The certificate of {host} is not valid for it ({cause}).": (
        "{host} の証明書が正しくありません({cause})。"
    ),
    "{host} did not finish within {seconds:g} s: try again later.": (
        "{host} が{seconds:g}秒以内に終わりませんでした。後でやり直してください。"
    ),
    "{host} and those that lead to it took over {seconds:g} s: try again later.": (
        "{host} とそこへ導くホストで{seconds:g}秒を超えました。後でやり直してください。"
    ),
    "{host} redirects more than {max_redirects} times: give the final address.": (
        "{host} の転送が{max_redirects}回を超えました。最後のアドレスを渡してください。"
    ),
    "A request's body needs one Content-Length.": "本文のある要求には Content-Length が一つ要ります。",
    "Pages are asked for by GET or POST, not {method!r}.": (
        "ページを求める方法は GET か POST です({method!r} は使えません)。"
    ),
    "{host} sends a form on to {target}: ask there, if that is meant.": (
        "{host} はフォームを {target} へ回しています。それでよければ、そちらに直接尋ねてください。"
    ),
    "{host} redirects to what is no web address: open it in a browser.": (
        "{host} の転送先がウェブのアドレスではありません。ブラウザーで開いてください。"
    ),
    "The browser does not start ({cause}): `shisho doctor` says which one is used.": (
        "ブラウザーが起動しません({cause})。どれを使っているかは `shisho doctor` で分かります。"
    ),
    (
        "Chromium cannot make its sandbox here: allow unprivileged user namespaces, or run in a "
        "container as root; see docs/howto/browser.md."
    ): (
        "ここではChromiumがサンドボックスを作れません。非特権のユーザー名前空間を許すか、コンテナーの"
        "中でrootで動かしてください。docs/howto/browser.ja.md をご覧ください。"
    ),
    "The web in a box needs an extra: {install}": ("箱の中のウェブには追加機能が要ります: {install}"),
    "The browser needs Playwright: {install}": ("ブラウザーにはPlaywrightが要ります: {install}"),
    "{engine} sent a page that {trouble}: ask another engine, and report the page.": (
        "{engine} のページは{trouble}。別の検索エンジンを使い、そのページをお知らせください。"
    ),
    "is larger than {megabytes} MB": "{megabytes} MBを超えています",
    "takes more than {seconds:g} s of computing to read": "読み取りの計算が{seconds:g}秒を超えます",
    "needs more memory than a parser may have": "解析に許されたメモリーを超えます",
    "broke its parser ({cause})": "解析の途中で止まりました({cause})",
    "broke its parser": "解析の途中で止まりました",
    "{host} had its {per_day} requests for today. Try again tomorrow.": (
        "{host} には今日の上限の{per_day}回まで尋ねました。明日やり直してください。"
    ),
    "gives no robots.txt for now (status {status})": "は今、robots.txt を返しません(状態 {status})",
    "gives no robots.txt for now ({cause})": "は今、robots.txt を返しません({cause})",
    "asks programs not to read this page (robots.txt)": (
        "はプログラムに読まないよう求めています(robots.txt)"
    ),
    "{name!r} is no name of a profile.": "{name!r} はプロファイルの名前ではありません。",
    "The browser profile of {name} is in use: close its window, or try again.": (
        "{name} のブラウザープロファイルは使用中です。窓を閉じるか、やり直してください。"
    ),
    "https goes through a tunnel (CONNECT).": "https はトンネル(CONNECT)を通ります。",
    "{target!r} is no host and port.": "{target!r} はホストとポートではありません。",
    "{host} does not answer: try later, or open it in a browser.": (
        "{host} が応答しません。後でやり直すか、ブラウザーで開いてください。"
    ),
    "{engine} cannot filter by {filters}, and another engine can.": (
        "{engine} は {filters} で絞り込めず、ほかにできる検索エンジンがあります。"
    ),
    "{engine} is not enabled: set `enabled` in engines.toml.": (
        "{engine} は使わない設定です。engines.toml の `enabled` で変えられます。"
    ),
    "{engine} failed lately and rests until {until}: {cause}": (
        "{engine} は最近失敗したため {until} まで休ませています: {cause}"
    ),
    "{engine} failed lately and rests: {cause}": "{engine} は最近失敗したため休ませています: {cause}",
    "{engine} failed lately and rests.": "{engine} は最近失敗したため休ませています。",
    "{engine} was asked as often as it may be today.": "{engine} に今日問い合わせられる回数を使い切りました。",
    "{engine} asks to be left alone.": "{engine} がしばらく控えるよう求めています。",
    "{host} asks to be left alone.": "{host} がしばらく控えるよう求めています。",
    "It is not its turn yet: engines and hosts are asked one thing after another.": (
        "まだ順番ではありません。検索エンジンやサイトには一つずつ問い合わせます。"
    ),
    "no answer": "応答なし",
    "{engine} needs a key of yours: set {settings}.": (
        "{engine} にはあなたの鍵が要ります。{settings} を設定してください。"
    ),
    "{engine} shows its results in a browser only: `shisho doctor` says how to get one.": (
        "{engine} の結果はブラウザーでしか出ません。入れ方は `shisho doctor` で分かります。"
    ),
    "{engine} was asked {count} times today, which is its limit.": (
        "{engine} には今日の上限の{count}回まで尋ねました。"
    ),
    "The browser could not open {url} ({cause}): try later, or open it yourself.": (
        "ブラウザーで {url} を開けませんでした({cause})。後でやり直すか、ご自分で開いてください。"
    ),
    "The browser cannot keep the header {name} to {url} alone: ask without the browser.": (
        "ブラウザーでは、ヘッダー {name} を {url} だけに送ることができません。ブラウザーなしで尋ねてください。"
    ),
    "{url} is no page but {media_type}: it needs no browser.": (
        "{url} はページではなく {media_type} です。ブラウザーは要りません。"
    ),
    "{url} has more than {max_chars:,} characters.": "{url} は{max_chars:,}文字を超えています。",
    "{url} is a file to download and no page: it needs no browser.": (
        "{url} はダウンロードするファイルで、ページではありません。ブラウザーは要りません。"
    ),
    "{url} shows a certificate that is not valid for it: its owner has to mend that.": (
        "{url} の証明書が正しくありません。直せるのはサイトの持ち主だけです。"
    ),
    "{host} asks to be left alone (status 429 or 503). Try again in ten minutes.": (
        "{host} がしばらく控えるよう求めています(状態429か503)。10分後にやり直してください。"
    ),
    "{url} wants proof of a person ({kind}): open it in a browser, save it, add the file.": (
        "{url} は人であることの確認を求めています({kind})。ブラウザーで開いて保存し、そのファイルを追加してください。"
    ),
    "{url} answered with status {status}.": "{url} が状態 {status} を返しました。",
    "{host} {refusal}: {url}. Open it in a browser, save it, add the file.": (
        "{host} {refusal}: {url}。ブラウザーで開いて保存し、そのファイルを追加してください。"
    ),
    (
        "Google's terms and robots.txt forbid automatic queries: enable it only for what they allow you."
    ): "Googleの規約とrobots.txtは自動の検索を禁じています。許された範囲でだけ有効にしてください。",
    "It is an instance of your own: set its `site` in engines.toml, and `enabled = true`.": (
        "ご自分で立てるものです。engines.toml に `site` と `enabled = true` を書いてください。"
    ),
    "Bing's terms forbid automatic queries: enable it only for what they allow you.": (
        "Bingの規約は自動の検索を禁じています。許された範囲でだけ有効にしてください。"
    ),
    "{engine} says that it has no results for plain words: it blocks in silence.": (
        "{engine} がごく普通の言葉に「結果なし」と答えました。黙って断られています。"
    ),
}
