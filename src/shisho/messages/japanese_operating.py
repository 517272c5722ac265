"""Messages about servers, what is sent to them, figures, traces, and files that a command names, in Japanese,
by their English templates."""

from __future__ import annotations

from collections.abc import Mapping

SAID: Mapping[str, str] = {
    "Send the body as it is, not packed: leave content-encoding out.": (
        "本体は圧縮せずにそのまま送り、content-encoding は付けないでください。"
    ),
    "Send the body as JSON, with `content-type: application/json`.": (
        "本体はJSONで、`content-type: application/json` を付けて送ってください。"
    ),
    "{path} takes {methods}, not {method}.": "{path} で使えるのは {methods} です。{method} は使えません。",
    "The body is no UTF-8. Send it as JSON in UTF-8.": "本体がUTF-8ではありません。UTF-8のJSONで送ってください。",
    "The JSON of the body is nested too deeply. Send it with fewer levels.": (
        "本体のJSONは入れ子が深すぎます。もっと浅くして送ってください。"
    ),
    "A number in the body has too many digits. Send it with fewer.": (
        "本体に桁の多すぎる数があります。桁を減らして送ってください。"
    ),
    "show health and figures here: /livez, /readyz, /metrics": (
        "このポートで状態と数値を見せる: /livez、/readyz、/metrics"
    ),
    "The index at {address} does not answer: {why}. Searches wait for it; nothing is lost. Start it, or set "
    "`index` to another address.": (
        "索引({address})が応答しません: {why}。検索は索引を待ちます。失われたものはありません。"
        "索引を起動するか、設定 index に別のアドレスを指定してください。"
    ),
    "The index at {address} refuses: {why}. Look at its log, and at `index_key`.": (
        "索引({address})が要求を拒みました: {why}。索引のログと設定 index_key を確かめてください。"
    ),
    "{path} cannot be used: there is no folder {folder}. See whether the name is right, or make it first.": (
        "{path} を使えません: {folder} というフォルダがありません。名前を確かめるか、先に作ってください。"
    ),
    "{path} cannot be used: {why}. {next}": "{path} を使えません: {why}。{next}",
    "See whether the name is right.": "名前が合っているか確かめてください。",
    "Name a file.": "ファイルを指定してください。",
    "Give yourself the right to it, or name another one.": (
        "自分に権限を与えるか、別のものを指定してください。"
    ),
    "Name another one.": "別のものを指定してください。",
    "The index in {folder} was damaged ({file}). It is made anew from the database; nothing is lost.": (
        "{folder} の索引が壊れていました({file})。データベースから作り直します。失われたものはありません。"
    ),
    "{detail}; {files} was damaged, and the index was made anew": (
        "{detail}。{files} が壊れていたので、索引を作り直しました"
    ),
    "{files} is damaged": "{files} が壊れています",
    "{path}: {why}": "{path}: {why}",
    "give yourself the right to its folder, or delete it: it is made again from the database": (
        "そのフォルダに権限を付けるか、フォルダを消してください。データベースから作り直されます"
    ),
    (
        "give yourself the right to write its folder, or delete it: it is made again from the database; "
        "until then searches make it in memory"
    ): (
        "そのフォルダに書く権限を付けるか、フォルダを消してください。データベースから作り直されます。"
        "それまでは、検索のたびにメモリーに作ります"
    ),
    "settings.toml and the environment can be read": "settings.toml と環境変数を読めます",
    "mend it, or move it away; what it was to set is as it is by default until then": (
        "直すか、別の場所へ移してください。それまでは、そこで設定するはずのものは既定のままです"
    ),
    "{count} search engines are known": "{count}個の検索エンジンがあります",
    "mend engines.toml, or move it away; no engine is asked until then": (
        "engines.toml を直すか、別の場所へ移してください。それまでは、どのエンジンにも尋ねません"
    ),
    "cannot be read": "読めません",
    "The plug-in {name} of the package {package} can't be loaded: {why}. Update or uninstall the package.": (
        "パッケージ {package} のプラグイン {name} を読み込めません({why})。"
        "パッケージを更新するか、アンインストールしてください。"
    ),
}
