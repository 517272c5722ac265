"""Messages about people who share a library, in Japanese, by their English templates."""

from __future__ import annotations

from collections.abc import Mapping

SAID: Mapping[str, str] = {
    "People who share the library.": "蔵書を分け合う人たち。",
    "Groups of users, to whom corpora are granted together.": "利用者のグループ。コーパスをまとめて許す。",
    "Who may read your corpora, and who may add to them.": "自分のコーパスを誰が読め、誰が加えられるか。",
    "of this person alone": "この人のものだけ",
    "older than the entry with this number": "この番号の記録より古いもの",
    "how many at most": "最大の件数",
    "Who asked, saw and changed what, the newest first: verbs and ids, no text. Kept once somebody was let in.": (
        "誰が何を尋ね、見て、変えたか。新しい順。動作とIDだけで、文章は残さない。誰かを入れたときから残る。"
    ),
    "of the user": "利用者の名前",
    "of the group": "グループの名前",
    "of yours; who runs the library: NAME@OWNER": "自分のコーパス。蔵書を動かす人は 名前@持ち主 も",
    "of a user, or with --group of a group": "利用者の名前。--group ならグループの名前",
    "NAME is a group's": "名前はグループのもの",
    "comes in by the header of a proxy (user_header)": "プロキシのヘッダー(user_header)で入る",
    "users to put into it": "入れる利用者",
    "users to take out; none: the group itself": "外す利用者。省くとグループごと",
    "add to it and remove from it too": "加え、外すこともできる",
    "Let a person in. Prints their token once; only a hash of it is kept.": (
        "人を入れる。トークンは一度だけ表示し、残るのはハッシュだけである。"
    ),
    "Make another token for a person, and print it once; the one before opens nothing more.": (
        "トークンを作り直し、一度だけ表示する。前のものはもう使えない。"
    ),
    "Everyone who was let in, with their groups.": "入れた人すべてと、そのグループ。",
    "Let a person in no more. Their library stays; `shisho users restore` undoes it.": (
        "人を入れなくする。その人の書庫は残り、`shisho users restore` で元に戻せる。"
    ),
    "Let a person in again who was removed.": "外した人を、また入れる。",
    "Make a group where there is none, and put users into it.": "グループをなければ作り、利用者を入れる。",
    "The groups, with their members.": "グループと、その利用者。",
    "Take users out of a group, or remove the group with all that is granted to it.": (
        "グループから利用者を外す。またはグループを、その許可とともになくす。"
    ),
    "Let somebody read one of your corpora; they call it CORPUS@YOU. Granted again, this counts.": (
        "自分のコーパスを人に読ませる。相手は コーパス@あなた と呼ぶ。もう一度許すと、新しいほうになる。"
    ),
    "What is granted of your corpora; of all, for who runs the library.": (
        "自分のコーパスの許可。蔵書を動かす人には、すべての許可。"
    ),
    "Take a grant back. It ends at once, for what is open too.": (
        "許可を取り消す。開いているものも含め、すぐに終わる。"
    ),
    "The corpus {corpus} is not granted to {name}. `shisho grants list` shows what is.": (
        "コーパス {corpus} は {name} に許していません。許可は `shisho grants list` で分かります。"
    ),
    "Only who runs the library may do this.": "これは、蔵書を動かす人だけができます。",
    "{name} is the name of another: take a new one.": "{name} はほかの人の名前です。別の名前にしてください。",
    "{name!r} is no name: a user and a group have 1 to {most} characters without blanks and colons.": (
        "{name!r} は名前になりません。利用者とグループの名前は、空白とコロンを含まない1~{most}文字です。"
    ),
    "user_header is set, but no proxy is trusted to send it: set trusted_proxies to its addresses.": (
        "user_header がありますが、それを信じてよいプロキシがありません。trusted_proxies にアドレスを入れてください。"
    ),
    "{address} in trusted_proxies is no address: write 10.0.0.5 or 10.0.0.0/24.": (
        "trusted_proxies の {address} はアドレスではありません。10.0.0.5 や 10.0.0.0/24 のように書いてください。"
    ),
    "The header {name} is believed from the proxies in trusted_proxies alone.": (
        "ヘッダー {name} は、trusted_proxies にあるプロキシからのものだけを信じます。"
    ),
    "{name} has not been let in here: `shisho users add {name} --no-token`.": (
        "{name} はここに入れません: `shisho users add {name} --no-token`"
    ),
    "header in which a proxy that knows people says who calls; empty: none": (
        "人を知るプロキシが、誰が呼んだかを告げるヘッダー。空ならなし"
    ),
    "addresses of the proxies that user_header is believed from, separated by commas": (
        "user_header を信じてよいプロキシのアドレス(コンマ区切り)"
    ),
    (
        "There is a user {name} already, or was: `shisho users list`. One who was removed comes back with "
        "`shisho users restore {name}`."
    ): (
        "利用者 {name} はすでにいるか、前にいました: `shisho users list`。外した人は `shisho users restore {name}` で"
        "戻せます。"
    ),
    "There is no user {name}. `shisho users list` shows who there is.": (
        "利用者 {name} はいません。`shisho users list` で分かります。"
    ),
    "There is a group {name} already.": "グループ {name} はすでにあります。",
    "There is no group {name}. `shisho groups list` shows which there are.": (
        "グループ {name} はありません。`shisho groups list` で分かります。"
    ),
    (
        "There is no corpus {corpus} that you could add to. `shisho list` names those there are, and in a "
        "corpus of your own there is no @."
    ): (
        "加えられるコーパス {corpus} はありません。あるものは `shisho list` で分かります。自分のコーパスの名前に @ は"
        "入りません。"
    ),
    (
        "You may read the corpus {corpus}, but not change it. Its owner can let you: "
        "`shisho grants add CORPUS YOU --write`."
    ): (
        "コーパス {corpus} は読めますが、変えられません。持ち主が許せます: "
        "`shisho grants add コーパス あなた --write`。"
    ),
    "How much users and groups may use on a day.": "利用者とグループが1日に使える量。",
    "NAME is a group's: its members share the quota": "名前はグループのもの。割り当ては全員で分け合う",
    "jobs that are accepted": "受け付けるジョブ",
    "pages that are fetched from the web": "ウェブから取るページ",
    "tokens that models read and write": "モデルが読み書きするトークン",
    "Set how much of it a user or a group may use on a day (UTC); what was used today stays counted.": (
        "利用者やグループが1日(UTC)に使える量を決める。今日使ったぶんは数えたままにする。"
    ),
    "Who may use how much on a day, and what they have used today.": "誰が1日にどれだけ使え、今日どれだけ使ったか。",
    "Limit a user or a group no more.": "利用者やグループの制限をやめる。",
    "{name} has no quota. `shisho quotas list` shows which there are.": (
        "{name} に割り当てはありません。`shisho quotas list` で分かります。"
    ),
    "An entry has a number from 1 to {last}.": "記録の番号は1~{last}です。",
    "At once there are 1 to {most} entries.": "記録は一度に1~{most}件です。",
    "A quota is a number of jobs, pages or tokens a day, from 0 to {most}. Give at least one of them.": (
        "割り当ては、1日のジョブ・ページ・トークンの数で、0~{most}です。少なくとも1つ指定してください。"
    ),
    (
        "The quota of {name} has no room: {used} of {limit} jobs a day are used, and this asks for {asked}. It is free again "
        "at {free_at}."
    ): (
        "{name} の割り当てに余りがありません。1日{limit}件のジョブのうち{used}件を使い、これには{asked}件要ります。"
        "{free_at} にまた使えます。"
    ),
    "The quota of {name} has no room: {used} of {limit} pages of the web a day are used. It is free again at {free_at}.": (
        "{name} の割り当てに余りがありません。ウェブのページを1日{limit}のうち{used}使いました。{free_at} にまた使えます。"
    ),
    (
        "The quota of {name} has no room: {used} of {limit} tokens of models a day are used, and this asks for {asked}. "
        "It is free again at {free_at}."
    ): (
        "{name} の割り当てに余りがありません。モデルのトークンを1日{limit}のうち{used}使い、これには{asked}要ります。"
        "{free_at} にまた使えます。"
    ),
    "(from a document that you may not read)": "(読む権限のない文書から)",
    "Name the group that may see it: `shisho groups list` shows which there are.": (
        "見せるグループを指定してください。`shisho groups list` で分かります。"
    ),
    "You are in no group {name}.": "グループ {name} に入っていません。",
    "{id} is not shared with {name}.": "{id} は {name} と共有していません。",
    "id of a task or an answer, its beginning, or last": "タスクか回答のID、その先頭、または last",
    "whose members may see it": "見せる相手のグループ",
    "share it with them no longer": "共有をやめる",
    "Let a group see how a task stands, and its answer; without arguments: show what is shared.": (
        "タスクの様子と回答をグループに見せる。引数がなければ、共有しているものを示す。"
    ),
    "There is no corpus {corpus}.": "コーパス {corpus} はありません。",
}
