"""Words of the shell about people who share a library, in English, by key."""

from __future__ import annotations

from collections.abc import Mapping

SAID: Mapping[str, str] = {
    "token_once": "This is the token of {user}. It is shown this once; only a hash of it is kept.",
    "user_added": "{user} comes in by the header of a proxy.",
    "user_removed": "{user} is let in no more. Undo: shisho users restore {user}",
    "user_restored": "{user} is let in again.",
    "user_is_removed": "removed",
    "has_token": "token",
    "no_token": "by a proxy",
    "no_users": "Nobody was let in yet: shisho users add NAME",
    "group_joined": "{group}: {n} more",
    "group_left": "{group}: {n} fewer",
    "group_removed": "The group {group} is no more, and nothing is granted to it.",
    "no_groups": "There is no group yet: shisho groups add GROUP USER",
    "grant_removed": "{corpus} is no longer granted to {user}.",
    "may_read": "may read",
    "may_write": "may read and write",
    "grantee_user": "user",
    "grantee_group": "group",
    "no_grants": "Nothing is granted: shisho grants add CORPUS NAME",
    "audit_ask": "asked",
    "audit_search": "searched",
    "audit_read": "read",
    "audit_add": "added to",
    "audit_remove": "removed",
    "audit_purge": "purged",
    "audit_restore": "restored",
    "audit_grant": "granted",
    "audit_revoke": "took back",
    "audit_let_in": "let in",
    "audit_let_out": "let out",
    "no_audit": "Nothing is on record: it begins once somebody was let in.",
}
