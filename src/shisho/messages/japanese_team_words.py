"""Words of the shell about people who share a library, in Japanese, by key."""

from __future__ import annotations

from collections.abc import Mapping

SAID: Mapping[str, str] = {
    "token_once": "{user} のトークンです。表示は今回だけで、残るのはハッシュだけです。",
    "user_added": "{user} はプロキシのヘッダーで入ります。",
    "user_removed": "{user} はもう入れません。元に戻すには: shisho users restore {user}",
    "user_restored": "{user} はまた入れます。",
    "user_is_removed": "外した",
    "has_token": "トークン",
    "no_token": "プロキシ経由",
    "no_users": "まだ誰も入れません: shisho users add 名前",
    "group_joined": "{group}: {n}人増えました",
    "group_left": "{group}: {n}人減りました",
    "group_removed": "グループ {group} をなくしました。許可もなくなりました。",
    "no_groups": "グループはまだありません: shisho groups add グループ 利用者",
    "grant_removed": "{corpus} を {user} に許すのをやめました。",
    "may_read": "読める",
    "may_write": "読み書きできる",
    "grantee_user": "利用者",
    "grantee_group": "グループ",
    "no_grants": "何も許していません: shisho grants add コーパス 名前",
    "audit_ask": "質問",
    "audit_search": "検索",
    "audit_read": "閲覧",
    "audit_add": "追加",
    "audit_remove": "除外",
    "audit_purge": "抹消",
    "audit_restore": "復元",
    "audit_grant": "許可",
    "audit_revoke": "許可の取り消し",
    "audit_let_in": "入れた",
    "audit_let_out": "外した",
    "no_audit": "記録はまだありません。誰かを入れたときから残ります。",
}
