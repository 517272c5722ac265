"""Messages about language models, in Japanese, by their English templates."""

from __future__ import annotations

from collections.abc import Mapping

SAID: Mapping[str, str] = {
    "The model is here now.": "モデルを取り寄せました。",
    "The model was here already.": "モデルはすでにあります。",
    "{name!r} names no model. Give it as owner/name.": (
        "{name!r} はモデルの名ではありません。owner/name の形で指定してください。"
    ),
    "Models are for the owner of this machine to change. Ask them.": (
        "モデルを変えられるのは、この機械の持ち主だけです。持ち主に頼んでください。"
    ),
    "Only the person who runs this server can see its settings. Ask them.": (
        "設定を見られるのは、このサーバーの管理者だけです。管理者に確認してください。"
    ),
    "{subject} is still under way. Wait for its end.": "{subject} がまだ続いています。終わるまでお待ちください。",
    "Folders are followed for the owner of this machine alone. Hand files in instead.": (
        "フォルダを見守れるのは、この機械の持ち主だけです。ファイルをアップロードしてください。"
    ),
    "Words count {japanese:g} in Japanese and {english:g} in English beside meaning from the next start on.": (
        "次の起動から、意味に対する語の重みは日本語で {japanese:g}、英語で {english:g} になります。"
    ),
    "language model of the librarian, as provider/name; none: quotations only": (
        "司書の言語モデル。提供元/名前 の形。none なら引用だけ"
    ),
    "model that splits the question and plans the searches; empty: as model": (
        "質問を分け、検索を計画するモデル。空なら model と同じ"
    ),
    "model that reads the passages; empty: as model": "パッセージを読むモデル。空なら model と同じ",
    "model that writes the answer; empty: as model": "回答を書くモデル。空なら model と同じ",
    "how much the models may do: read and answer; plan too; in more calls": (
        "モデルにどこまで任せるか: 読解と回答、計画も、さらに多くの呼び出しで"
    ),
    "address of the models' server; empty: Ollama on this machine, for other providers their own": (
        "モデルのサーバーのアドレス。空ならこのマシンの Ollama、ほかの提供元ではその本来のアドレス"
    ),
    "key for the models' server": "モデルのサーバーの鍵",
    "tokens that a local model reads and writes in one call": (
        "手元のモデルが1回の呼び出しで読み書きするトークン数"
    ),
    "seconds one call of a model may take": "モデルの1回の呼び出しにかけてよい秒数",
    "{setting} (from {origin}) is in no known encoding. Write it in UTF-8.": (
        "{setting} ({origin})の文字コードが分かりません。UTF-8で書いてください。"
    ),
    "{setting} (from {origin}) has another form: {help}. What it was is shown nowhere. See docs/settings.md.": (
        "{setting} ({origin})の形が違います: {help}。元の値はどこにも表示しません。docs/settings.md を見てください。"
    ),
    "{setting} (from {origin}) takes the full name of a model, not {raw!r}. Choose one: {names}.": (
        "{setting} ({origin})にはモデルの正式名が必要です。{raw!r} に当てはまるモデルから選んでください: {names}"
    ),
    "{setting} (from {origin}) does not take {raw!r}: {help}. See docs/settings.md.": (
        "{setting} ({origin})に {raw!r} は使えません: {help}。docs/settings.md を見てください。"
    ),
    "There is no provider {provider}. Choose one of {providers}.": (
        "{provider} という提供元はありません。{providers} から選んでください。"
    ),
    "{provider} needs a key: set model_key, or model_url for another server.": (
        "{provider} には鍵が必要です。model_key を設定するか、別のサーバーなら model_url を設定してください。"
    ),
    "The setting {setting} needs an extra: {install}": ("設定 {setting} には追加機能が必要です: {install}"),
    "The models of {provider} need a package that is not installed. Install it: {install}": (
        "{provider} のモデルに必要なパッケージがありません。インストールしてください: {install}"
    ),
    "All models are asked of one provider, as there is one model_url and one model_key: {models}.": (
        "model_url と model_key は一つずつなので、モデルの提供元も一つにしてください: {models}。"
    ),
    "The model {model} gave no usable reply: {why}.": (
        "モデル {model} から使える応答がありませんでした: {why}。"
    ),
    "The model {model} failed in part of the work: {why}. {remedy}": (
        "モデル {model} は一部の処理に失敗しました: {why}。{remedy}"
    ),
    "No model was used: {model} failed, because {why}. {remedy}": (
        "モデル {model} は使えませんでした: {why}。{remedy}"
    ),
    "its server could not be reached": ("サーバーにつながりません"),
    "the connection to its server broke during the reply": ("応答の途中で接続が切れました"),
    "it took too long": ("時間がかかりすぎました"),
    "its provider accepts no more calls for now": ("提供元が今は呼び出しを受け付けません"),
    "its provider rejected the key": ("提供元が鍵を受け付けません"),
    "the account at its provider has no credit left": ("提供元のアカウントの残高がありません"),
    "its server does not have the model": ("サーバーにそのモデルがありません"),
    "the server at its address is no model server, or streams nothing": (
        "そのアドレスで応答しているのはモデルのサーバーではないか、ストリーミングで返しません"
    ),
    "the prompt was longer than its server accepts": (
        "送った文章が、サーバーが一度に受け取れる長さを超えました"
    ),
    "its server rejected the call": ("サーバーが呼び出しを受け付けませんでした"),
    "its server failed": ("サーバーに障害があります"),
    "it refused to reply": ("応答を拒みました"),
    "its reply was cut off for its length": ("応答が長さのために途中で切れました"),
    "it only wrote its thinking, and no reply": ("考えた過程だけを書き、応答を書きませんでした"),
    "its reply did not have the requested form": ("応答が求めた形ではありませんでした"),
    "nothing in its reply matched the question and the documents": (
        "応答を質問や文書と照らし合わせたところ、使えるものがありませんでした"
    ),
    "its reply did not end": ("応答が終わりませんでした"),
    "the reply could have cost more than is left of the budget": ("残りの予算を超えるおそれがありました"),
    "the reply could have cost more tokens than are left of today's quota": (
        "1日のトークンの割り当ての残りを超えるおそれがありました"
    ),
    "its client failed": ("通信の部品が失敗しました"),
    "Start its server, or set model_url to its address.": (
        "サーバーを起動するか、model_url にそのアドレスを設定してください。"
    ),
    "Ask again; if it happens often, see the log of its server.": (
        "もう一度質問してください。何度も起きるなら、サーバーのログを確かめてください。"
    ),
    "Raise model_seconds, or choose a smaller model.": (
        "model_seconds を増やすか、小さいモデルを選んでください。"
    ),
    "Wait, or check the limits of your plan.": ("しばらく待つか、提供元の利用枠を確かめてください。"),
    "Set model_key.": ("model_key を設定してください。"),
    "Add credit to the account, or choose another model.": ("残高を追加するか、別のモデルを選んでください。"),
    "Load the model on its server, or choose another one.": (
        "サーバーにモデルを読み込ませるか、別のモデルを選んでください。"
    ),
    "Set model_url to the server's own address: most end in /v1.": (
        "model_url にサーバー自体のアドレスを設定してください(多くは /v1 で終わります)。"
    ),
    "Set model_context to the context of the server.": (
        "model_context をサーバーのコンテキスト長に合わせてください。"
    ),
    "See the log of its server, or choose another model.": (
        "サーバーのログを確かめるか、別のモデルを選んでください。"
    ),
    "Ask again later, or see the log of its server.": (
        "時間をおいて質問するか、サーバーのログを確かめてください。"
    ),
    "Word the question differently, or choose another model.": (
        "質問の言い方を変えるか、別のモデルを選んでください。"
    ),
    "Choose a model that supports JSON Schema.": ("JSON Schema に従えるモデルを選んでください。"),
    "Turn off thinking on its server, or choose a model that does not think.": (
        "サーバーで思考(thinking)を切るか、思考しないモデルを選んでください。"
    ),
    "Choose a larger model.": ("より大きいモデルを選んでください。"),
    "Choose another model.": ("別のモデルを選んでください。"),
    "Choose a larger preset.": ("より大きい preset を選んでください。"),
    "Ask again tomorrow.": ("明日もう一度質問してください。"),
    "Run `shisho models try` to see whether it replies.": (
        "`shisho models try` で応答するか確かめてください。"
    ),
    "No model is set. Choose one: `shisho models set NAME`.": (
        "モデルが設定されていません。`shisho models set 名前` で選んでください。"
    ),
    "JSON Schema accepted": ("JSON Schema に対応"),
    "JSON Schema only in words": ("JSON Schema は文章でのみ指定"),
    "thinks before it replies": ("応答の前に思考する"),
    "does not think first": ("思考しない"),
    "{model} replied in {seconds} s ({input} + {output} tokens; {schema}; repairs: {repairs}; {thinking})": (
        "{model} は {seconds} 秒で応答しました({input} + {output} トークン、{schema}、やり直し {repairs} 回、{thinking})"
    ),
    "{failure} {remedy}": ("{failure}{remedy}"),
    "{setting} comes from {origin}, which overrides settings.toml. Remove it there first.": (
        "{setting} は{origin}で指定されており、settings.toml より優先されます。先にそちらを外してください。"
    ),
    "{path} cannot be changed automatically. Set {names} in it by hand.": (
        "{path} を自動では変更できません。{names} を直接書いてください。"
    ),
    "{path} cannot be written: {why}.": ("{path} に書き込めません: {why}。"),
    "Write the language model into settings.toml; it counts from the next question.": (
        "言語モデルを settings.toml に書きます。次の質問から使います。"
    ),
    "the model, as provider/name; none: quotations only": ("モデル。提供元/名前 の形。none なら引用だけ"),
    "address of its server; empty: the provider's own": ("サーバーのアドレス。空なら提供元の既定"),
    "ask for its key, which is not shown": ("キーを尋ねる(表示しません)"),
    "address of that model's server": ("そのモデルのサーバーのアドレス"),
    "a question; left out: one short call": ("質問。省くと短い呼び出しを1回だけ行います"),
    "Make one real call of the model and show seconds, tokens and JSON support, or answer a question.": (
        "モデルを1回呼び出して秒数・トークン数・JSON対応を表示します。質問を渡すと回答します。"
    ),
    "Show language models, set or on this machine, and embedding models; a star marks the one in use.": (
        "設定された言語モデルとこのマシンの言語モデル、埋め込みモデルを表示します。使用中のものに * が付きます。"
    ),
    "The prompt {name} was given other variables than it declares: {differing}.": (
        "プロンプト {name} に、宣言と違う変数が渡されました: {differing}。"
    ),
    "The prompt {name} declares other variables than it has.": (
        "プロンプト {name} の変数が、宣言と違います。"
    ),
    "Language models of the librarian.": "司書の言語モデル。",
    "a model in place of the configured one, as provider/name": "設定の代わりに使うモデル。提供元/名前 の形",
    "{model} replied in {seconds} s": "{model} が {seconds} 秒で応答しました",
    "Take an answer's run again, over the passages and replies it was given then, and say whether it comes to the same.": (
        "回答の調べを、当時のパッセージと応答の上でもう一度行い、同じになるかを言う"
    ),
    "What this answer was made from is no longer kept, so it cannot be replayed. Ask again.": (
        "この回答のもとになった記録はもうないため、再現できません。もう一度尋ねてください。"
    ),
}
