"""Messages of the HTTP server, in Japanese, by their English templates."""

from __future__ import annotations

from collections.abc import Mapping

SAID: Mapping[str, str] = {
    "The database did not answer in time. Try again.": (
        "データベースが時間内に応答しませんでした。もう一度お試しください。"
    ),
    "Port {port} of {host} cannot be used: {cause}. Choose another: shisho serve --port N": (
        "{host} のポート{port}は使えません: {cause}。別のポートを選んでください: shisho serve --port N"
    ),
    "There is nothing at {path}: this process serves {paths}.": (
        "{path} には何もありません。このプロセスが応じるのは {paths} です。"
    ),
    "There is nothing at {path}. The API is under {api}.": (
        "{path} には何もありません。APIは {api} の下にあります。"
    ),
    "{detail}.": "{detail}。",
    "Entry {number} of `tokens` is not name:TOKEN. Write hanako:TOKEN taro:TOKEN, with blanks between.": (
        "`tokens`の{number}番目は「名前:トークン」ではありません。"
        "hanako:トークン taro:トークン のように、空白で区切って書いてください。"
    ),
    (
        "Entry {number} of `tokens` has the name or the token of another. Give each person their own; "
        "`local` is who uses this machine, by `token`."
    ): (
        "`tokens`の{number}番目の名前かトークンは、ほかの人のものと同じです。一人ずつ別にしてください。"
        "`local`は`token`で入る、この計算機の持ち主です。"
    ),
    (
        "To listen on {host} a token is needed, or everyone who reaches it could read the library. "
        "Set SHISHO_TOKEN to a long random word, or listen on 127.0.0.1."
    ): (
        "{host} で待ち受けるにはトークンが要ります。ないと、届く人すべてが蔵書を読めてしまいます。"
        "SHISHO_TOKEN に長い無作為の語を設定するか、127.0.0.1 で待ち受けてください。"
    ),
    (
        "To be called {host} a token is needed, or everyone who reaches it by that name could read the library. "
        "Set SHISHO_TOKEN to a long random word, or take the name out of allowed_hosts."
    ): (
        "{host} という名前で呼ばれるにはトークンが要ります。ないと、その名前で届く人すべてが蔵書を読めてしまいます。"
        "SHISHO_TOKEN に長い無作為の語を設定するか、allowed_hosts からその名前を外してください。"
    ),
    "The body is over {megabytes:.0f} MB.": "本体が{megabytes:.0f} MBを超えています。",
    "This Host name is not one of this server's. Add it to allowed_hosts.": (
        "このホスト名はこのサーバーのものではありません。allowed_hosts に加えてください。"
    ),
    "Pages of this origin may not call. Add it to allowed_origins.": (
        "この出所のページからは呼べません。allowed_origins に加えてください。"
    ),
    "Send the server's token: Authorization: Bearer …": (
        "サーバーのトークンを送ってください: Authorization: Bearer …"
    ),
    "This token is nobody's here. Send another, or none: this machine's own library needs none.": (
        "このトークンの人はここにいません。別のトークンを送るか、何も送らないでください。この機械の書庫には要りません。"
    ),
    "The headers did not come within {seconds:g} seconds.": "ヘッダーが{seconds:g}秒以内に届きませんでした。",
    "This server has as many connections as it takes ({most}). Try again in a moment.": (
        "このサーバーの接続数は上限({most})に達しています。少し待って、もう一度お試しください。"
    ),
    "The body did not come within {seconds:g} seconds.": "本体が{seconds:g}秒以内に届きませんでした。",
}
