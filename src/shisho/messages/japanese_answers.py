"""The words that frame an answer, in Japanese, by key."""

from __future__ import annotations

from collections.abc import Mapping

SAID: Mapping[str, str] = {
    "answer_head": "{level} · 抜粋のみ(モデル未設定)",
    "answer_written": "{level} · モデルが書き、引用と照らし合わせた回答",
    "answer_unwritten": "{level} · 抜粋のみ(モデルが回答を書けませんでした)",
    "answer_read": "{level} · 資料はモデルが読みました",
    "answer_unread": "{level} · 抜粋のみ(モデルは資料を読んでいません)",
    "level_answered": "回答あり",
    "level_near": "近い記述のみ",
    "level_not_found": "見つかりません",
    "answer_understood": "「{text}」と解しました。",
    "answer_quote": "「{text}」",
    "answer_quoted_heading": "見出し「{text}」",
    "answer_code": "コード",
    "answer_items": "…（全{count}項目）",
    "answer_cited": "{quote} [{number}]",
    "answer_heading": " — {text}",
    "notebook_cell": "セル{n}",
    "table_header": "表の見出し: {text}",
    "answer_ocr": "(OCR)",
    "answer_goal": "■ {text} — {level}",
    "stance_answers": "答えとまでは言えませんが、近い記述:",
    "stance_says_unknown": "資料は、この点は分からない、または公表されていないとしています:",
    "stance_conflicts": "資料どうしが食い違い、どちらが正しいとも言えません:",
    "answer_copies": "※ [{number}] の文は {others} にもあります。",
    "answer_missing": "次の点の答えは見つかりませんでした: {text}",
    "answer_nothing": "この質問に答える記述は、探した資料の中に見つかりませんでした。",
    "answer_advice": "別の言葉で尋ねる、絞り込みを緩める、資料を加える、のいずれかで見つかることがあります。",
    "answer_end": "探索の終了: {why}。",
    "answer_comma": "、",
    "answer_note": "※ {text}。",
    "against": "※ [{one}] と [{other}] は{what}が食い違っています。",
    "against_date": "日付",
    "against_number": "数",
    "against_negation": "肯定と否定",
    "gap_no_way": "ウェブは探していません(使える検索エンジンがありません)",
    "gap_off": "ウェブは探していません(ウェブの利用が off になっています。`shisho web` で確かめられます)",
    "gap_not_asked": (
        "「{query}」はウェブで探していません(言葉を外の検索エンジンに送ってよいか、まだ伺っていません。"
        "よければ一度 `shisho web on` を)"
    ),
    "gap_person": "「{query}」のウェブ検索は、人の確認を待っています({detail})",
    "gap_failed": "「{query}」のウェブ検索はできませんでした({detail})",
    "gap_unfinished": "「{query}」のウェブ検索は、時間内に終わりませんでした",
    "gap_quota": "ウェブは探し切れていません(今日のページの割り当てを使い切りました)",
    "gap_budget": "ウェブは探し切れていません(ページ数か時間の上限に達しました)",
    "end_condition_met": "終了条件を満たしました",
    "end_rounds": "回数の上限に達しました",
    "end_pages": "ページ数の上限に達しました",
    "end_seconds": "時間の上限に達しました",
    "end_model_calls": "モデル呼び出しの上限に達しました",
    "end_tokens": "トークン数の上限に達しました",
    "end_stagnation": "これ以上探しても新しい根拠は見込めません",
    "end_exhausted": "関係のある箇所はすべて見ました",
    "end_stopped": "途中で止められました(続きから再開できます)",
    "end_model_failed": "モデルが応答しませんでした",
    "mended_nothing": "この質問に答える根拠は示されていません。",
    "mended_unverified": "{text}{numbers} (未確認: 引用と言い回しが離れています)\n  引用: {quotation}",
    "mended_unverified_again": "{text}{numbers} (未確認: 上の引用と言い回しが離れています)",
    "mended_altered": "{text}{numbers} (引用と食い違う文を、引用に置き換えました)",
    "mended_counts": (
        "裏付けの検査: 確認 {supported} · 未確認 {unverified} · 引用に置き換え {altered} · 裏付けがなく削除 {removed}"
    ),
}
