"""What the shell says, in Japanese and English."""

from __future__ import annotations

from collections.abc import Mapping

WORDS: Mapping[str, tuple[str, str]] = {
    "added": ("追加", "added"),
    "known": ("登録済み", "already known"),
    "replaced": ("更新", "new version"),
    "failed": ("取り込めません", "not taken in"),
    "gone": ("なくなりました", "gone"),
    "pages": ("{n}ページ", "{n} pages"),
    "passages": ("{n}節", "{n} passages"),
    "page": ("{n}ページ", "p. {n}"),
    "total": (
        "追加 {added} · 更新 {replaced} · 登録済み {known} · 取り込めないもの {failed}",
        "{added} added · {replaced} new versions · {known} already known · {failed} not taken in",
    ),
    "failures": ("取り込めなかったもの:", "Not taken in:"),
    "more_failures": ("ほか {n}件", "and {n} more"),
    "left_out": ("対象外としたもの: {text}", "Left out: {text}"),
    "and_others": ("ほか {n}件", "{n} others"),
    "counted": ("{n} / {total}件", "{n} of {total}"),
    "reading": ("読み込み中", "reading"),
    "strategy": ("問い: {text}", "to find out: {text}"),
    "round": ("第{n}回の検索: {text}", "search {n}: {text}"),
    "kept": ("引用 {n}件を確認", "{n} quotations verified"),
    "web_asked": ("ウェブ検索: {text}", "searching the web: {text}"),
    "web_ended": (
        "検索済み: {text} ({engine} 結果{pages}ページ、文書{documents}件)",
        "searched: {text} ({engine}, {pages} result pages, {documents} documents)",
    ),
    "web_failed": ("検索できません: {text} ({code})", "not searched: {text} ({code})"),
    "web_read": ("読みました: {text}", "read: {text}"),
    "web_unread": ("読めません: {text} ({code})", "not read: {text} ({code})"),
    "web_left": (
        "残りの検索 {n}件は `shisho worker` が動いている間に進みます。",
        "{n} searches are left; they are done while `shisho worker` runs.",
    ),
    "web_line": ("検索 {queries} · ページ {pages}", "searches {queries} · pages {pages}"),
    "consent_words": (
        "この質問にはウェブが要ります。送る言葉:\n{queries}",
        "This needs the web. What would be sent:\n{queries}",
    ),
    "consent_engines": (
        "送り先は次の検索エンジンのどれか: {engines}\n"
        "見つかったページは、それぞれのサーバーから取ります。文書の本文は送りません。",
        "It goes to one of these search engines: {engines}\n"
        "The pages found are fetched from their servers. No text of your documents is sent.",
    ),
    "consent_box": (
        "送り先はこの機械の上の箱だけです({engines})。外へは何も出ません。",
        "It goes to the box on this machine alone ({engines}). Nothing leaves it.",
    ),
    "consent_sure": ("送ってよいですか?", "May it be sent?"),
    "consent_kept": (
        "覚えました。以後は伺いません(取り消しは `shisho web off`)。",
        "Remembered: you will not be asked again (`shisho web off` takes it back).",
    ),
    "consent_not_kept": (
        "送りません。次の機会にまた伺います(二度と伺わないようにするには `shisho web off`)。",
        "Nothing is sent. You will be asked again another time (`shisho web off` for never).",
    ),
    "consent_given": ("ウェブ: 使います {since}", "web: on {since}"),
    "consent_off": ("ウェブ: 使いません {since}", "web: off {since}"),
    "consent_not_asked": ("ウェブ: 使う前に伺います", "web: you are asked before it is used"),
    "consent_how": (
        "変えるには `shisho web on`、`off`、`ask`。何が誰に送られるかは docs/howto/web.md に。",
        "`shisho web on`, `off` or `ask` changes it. docs/howto/web.md tells what is sent to whom.",
    ),
    "consent_overruled": (
        "設定 web(環境変数か settings.toml)がこれに優先します。`shisho settings` で由来が分かります。",
        "The setting `web` (environment or settings.toml) decides over this: `shisho settings` shows where it comes from.",
    ),
    "sources": ("出典", "Sources"),
    "condition": ("終了条件", "condition"),
    "goals": ("知りたいこと", "goals"),
    "met": ("満たされた", "met"),
    "open": ("未達", "open"),
    "evidence": ("引用", "evidence"),
    "support": (
        "裏付け: 確認 {supported} · 未確認 {unverified} · 引用に置き換え {altered}",
        "support: {supported} supported · {unverified} unverified · {altered} replaced by quotations",
    ),
    "stopped_because": ("終了の理由", "why it stopped"),
    "rounds": ("検索回数", "rounds"),
    "steps": ("記録", "ledger"),
    "quotation": ("「{text}」", "“{text}”"),
    "removed_source": ("(出典は削除されました)", "(source removed)"),
    "continue_hint": (
        "中断しました。続きは: shisho ask --continue last",
        "Stopped. Go on with: shisho ask --continue last",
    ),
    "nothing_listed": (
        "まだ文書がありません。`shisho add フォルダ` で追加できます。",
        "No documents yet. Add some: `shisho add FOLDER`.",
    ),
    "removed": ("検索から外しました: {text}", "Taken out of search: {text}"),
    "purged": ("抹消しました: {text}", "Erased: {text}"),
    "purge_unasked": (
        "{text} は抹消していません。端末から確かめられないときは --yes を付けてください。",
        "{text} was not erased: without a terminal to ask at, a purge needs --yes.",
    ),
    "purge_sure": (
        "{text} の本文・引用・記録を抹消します。元に戻せません。よろしいですか?",
        "Erase text, quotations and ledger copies of {text}? This cannot be undone.",
    ),
    "backed_up": ("控えを作りました: {text}", "Backed up to {text}"),
    "more": ("ほかに {n}件以上あります。", "There are more than {n}."),
    "nothing_found": ("見つかりませんでした。", "Nothing found."),
    "title": ("題名", "title"),
    "id": ("ID", "id"),
    "file": ("ファイル", "file"),
    "corpus": ("文書群", "corpus"),
    "state": ("状態", "state"),
    "setting": ("設定", "setting"),
    "value": ("値", "value"),
    "origin": ("由来", "from"),
    "meaning": ("意味", "meaning"),
    "measure": ("尺度", "measure"),
    "task": ("課題 {text}", "task {text}"),
    "queued": ("{n}件を受け付けました", "{n} queued"),
    "skipped": ("見送り", "skipped"),
    "task_line": (
        "{state} · 検索 {queries} · ページ {pages} · 文書 {documents} · 回答 {answers}",
        "{state} · queries {queries} · pages {pages} · documents {documents} · answers {answers}",
    ),
    "who_works": (
        "仕事は `shisho worker` か `shisho serve` が動いている間に進みます。",
        "The jobs are done while `shisho worker` or `shisho serve` runs.",
    ),
    "person_needed": (
        "人の確認を待っています: {text} (`shisho auth open`)",
        "waits for a person: {text} (`shisho auth open`)",
    ),
    "opening": (
        "ブラウザーの窓を開きます。先へ進めるようになると、ひとりでに閉じます。",
        "Opening a browser window. It closes by itself once you are through.",
    ),
    "still_waits": (
        "まだ待っています。解けていたなら `shisho auth done`、あとにするなら `shisho auth open` をもう一度どうぞ。",
        "It waits on. If you were through, say `shisho auth done`; else `shisho auth open` again later.",
    ),
    "ended_with": ("{n}件を、今あるもので終えました", "{n} ended with what they have"),
    "stopped": ("取り消し {n}件、実行中 {running}件", "{n} cancelled, {running} still running"),
    "requeued": ("{n}件を再開しました", "{n} queued again"),
    "working": ("作業中 (同時に {n}件)。Ctrl-C で終わります。", "Working, {n} at once. Ctrl-C ends it."),
    "nothing_queued": ("まだ課題がありません。", "No tasks yet."),
    "nobody_needed": ("人の確認を待つものはありません。", "Nothing waits for a person."),
    "kind": ("種類", "kind"),
    "subject": ("対象", "subject"),
    "error": ("エラー", "error"),
    "question": ("質問", "question"),
    "created": ("作成", "created"),
    "domain": ("ドメイン", "domain"),
    "engine": ("検索エンジン", "engine"),
    "tier": ("段", "tier"),
    "health": ("状態", "health"),
    "answered": ("成功率", "answered"),
    "latency": ("応答時間", "latency"),
    "left_today": ("今日の残り", "left today"),
    "rests_until": ("休止の終わり", "rests until"),
    "breaker_closed": ("正常", "well"),
    "breaker_open": ("休止中", "resting"),
    "breaker_half_open": ("試行待ち", "to be tried"),
}


class Words:
    """The words of one language. `words("pages", n=3)`."""

    def __init__(self, japanese: bool) -> None:
        self._place = 0 if japanese else 1

    def __call__(self, name: str, **values: object) -> str:
        return WORDS[name][self._place].format(**values)
