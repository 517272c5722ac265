"""Why a search stops paging, and what its engine cannot do, in Japanese, by the English text."""

from __future__ import annotations

from collections.abc import Mapping

SAID: Mapping[str, str] = {
    "It reached the last result page that it may ask for.": "求められた結果ページ数に達しました。",
    "It has visited enough pages.": "必要な数のページを訪れました。",
    "The last result page had hardly anything new.": "最後の結果ページに新しいものがほとんどありませんでした。",
    "Hardly any visited page was useful.": "訪れたページに役立つものがほとんどありませんでした。",
    "The engine has no more results.": "検索エンジンの結果はこれですべてです。",
    "The engine repeated an earlier result page.": "検索エンジンが前の結果ページを繰り返しました。",
    "The engine's daily limit is reached.": "検索エンジンの一日の上限に達しました。",
    "The engine asks for a person, or refuses to answer.": "検索エンジンが人の確認を求めたか、応答を断りました。",
    "The next result page couldn't be read.": "次の結果ページを読めませんでした。",
    "The time or the budget is used up.": "時間または予算を使い切りました。",
    "The task was stopped.": "タスクは停止されました。",
    "{code}: {engine} shows one result page only.": "{code}: {engine} の結果ページは1つだけです。",
    "{code}: engines.toml allows fewer result pages than were asked for.": (
        "{code}: engines.toml の設定により、求められたページ数より少なくなります。"
    ),
    "{code}: {engine} can't filter by language.": "{code}: {engine} は言語で絞り込めません。",
    "{code}: {engine} can't filter by age.": "{code}: {engine} は新しさで絞り込めません。",
    "{code}: {engine} has a new page layout; hits may be missing.": (
        "{code}: {engine} のページの形が変わりました。結果が欠けているかもしれません。"
    ),
    "{name} and {other} are the same argument, and differ: {first} and {second}. Give one of them.": (
        "{name} と {other} は同じ引数ですが、値が異なります({first} と {second})。どちらか一方を指定してください。"
    ),
    "engines.toml can't be used; its last good version stays in effect. {reason}": (
        "engines.toml を使えないため、最後に読めた内容で続けます。{reason}"
    ),
}
