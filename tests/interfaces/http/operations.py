"""Every operation of the REST, with arguments that can name something."""

from __future__ import annotations

from typing import Any

Names = dict[str, str]
"""A name of each kind of thing that can be named."""
Call = tuple[str, str, str, dict[str, Any]]
"""An operation, its method, its path, and the keywords of a request."""


def calls(names: Names) -> list[Call]:
    """Every operation, with each of its arguments that can name something: operation, method, path, the
    rest."""
    document, answer, task = (names[kind] for kind in ("document", "answer", "task"))
    file = {"name": "a.txt", "base64": "YQ=="}
    asked = {"question": "x", "wait": 0, "sources": "documents"}
    finding = {"index": 1, "goal_id": "G1", "snippet": "決定係数"}
    rows: list[tuple[str, str, str, dict[str, Any] | None]] = [
        ("create_task", "POST", "/tasks", {"question": "", "idempotency_key": "once"}),
        ("queue_searches", "POST", "/searches", {"queries": ["x"], "task_id": task}),
        ("queue_urls", "POST", "/urls", {"urls": ["https://a.example/"], "task_id": task}),
        ("get_status", "GET", f"/tasks/{task}", {"wait": 0}),
        ("list_tasks", "GET", "/tasks", {"cursor": task}),
        ("stop_task", "POST", f"/tasks/{task}/stop", {"mode": "graceful"}),
        ("resume_task", "POST", f"/tasks/{task}/resume", None),
        ("remove_task", "DELETE", f"/tasks/{task}", {"purge": "orphans"}),
        ("get_auth_queue", "GET", "/auth", {"task_id": task}),
        ("get_auth_queue", "GET", "/auth", {}),
        *(
            ("resolve_auth", "POST", "/auth/resolve", {"target": target, "id": name, "action": action})
            for target, name in (("item", names["waiting"]), ("domain", names["domain"]), ("task", task))
            for action in ("complete", "skip", "open")
        ),
        ("open_auth", "POST", f"/auth/{names['waiting']}/open", None),
        ("list_engines", "GET", "/engines", {}),
        ("feedback", "POST", "/feedback", {"opinion": "reject_evidence", "target": names["evidence"]}),
        ("add_documents", "POST", "/documents", {"files": [file], "task_id": task}),
        ("upload_document", "POST", f"/documents/upload?name=a.txt&task_id={task}", None),
        ("list_documents", "GET", "/documents", {"cursor": document}),
        ("list_documents", "GET", "/documents", {"corpora": [names["corpus"]]}),
        ("remove_document", "DELETE", f"/documents/{document}", {"purge": "true"}),
        ("remove_document", "DELETE", f"/documents/{names['file']}", {"purge": "true"}),
        ("restore_document", "POST", f"/documents/{names['removed']}/restore", None),
        ("ask", "POST", "/answers", asked | {"conversation_id": names["conversation"]}),
        ("ask", "POST", "/answers", asked | {"task_id": task}),
        ("ask", "POST", "/answers", asked | {"corpora": [names["corpus"]]}),
        ("estimate_report", "GET", "/reports/estimate", {}),
        ("get_answer", "GET", f"/answers/{answer}", {"wait": 0}),
        ("remove_conversation", "DELETE", f"/conversations/{names['conversation']}", {}),
        ("search_corpus", "POST", "/passages/search", {"keyword_query": ["決定係数"], "session_id": names["session"]}),
        ("search_corpus", "POST", "/passages/search", {"keyword_query": ["決定係数"], "cursor": names["passage"]}),
        ("search_corpus", "POST", "/passages/search", {"keyword_query": ["日記"], "corpora": [names["corpus"]]}),
        ("open_session", "POST", "/sessions", {"question": "決定係数とは何か", "corpora": [names["corpus"]]}),
        ("submit_findings", "POST", f"/sessions/{names['session']}/findings", {"findings": [finding]}),
        ("compose_answer", "POST", f"/sessions/{names['session']}/answer", {"sentences": [{"text": "x", "cites": [1]}]}),
        ("search", "GET", "/search", {"query": "決定係数"}),
        *(
            ("fetch", "GET", "/fetch", {"id": name})
            for name in (document, f"{document}@0", names["passage"], names["evidence"], names["file"])
        ),
        ("read_passage", "GET", "/passages", {"id": names["passage"]}),
        ("read_passage", "GET", "/passages", {"id": names["evidence"]}),
        ("read_passage", "GET", "/passages", {"session_id": names["session"], "number": 1}),
        ("list_conversations", "GET", "/conversations", {}),
        ("get_conversation", "GET", f"/conversations/{names['conversation']}", {}),
        ("get_conversation", "GET", f"/conversations/{answer}", {}),
        ("get_answer_log", "GET", f"/answers/{answer}/log", {}),
        ("stop_answer", "POST", f"/answers/{answer}/stop", None),
        ("resume_answer", "POST", f"/answers/{answer}/resume", None),
        ("get_settings", "GET", "/settings", {}),
        ("get_checks", "GET", "/checks", {}),
        ("list_corpora", "GET", "/corpora", {}),
        ("get_metadata", "GET", "/metadata", {"corpora": [names["corpus"]]}),
        ("get_consent", "GET", "/consent", {}),
        ("set_consent", "POST", "/consent", {"consent": "perhaps"}),
        ("get_key", "GET", "/key", {}),
        ("make_key", "POST", "/key", {"owner": "local"}),
        ("list_folders", "GET", "/folders", {}),
        ("watch_folder", "POST", "/folders", {"path": names["file"]}),
        ("forget_folder", "DELETE", "/folders", {"path": names["file"]}),
        ("get_models", "GET", "/models", {}),
        ("pull_model", "POST", "/models/pull", {"name": names["corpus"]}),
        ("try_model", "POST", "/models/try", {}),
        ("get_model", "GET", "/model", {}),
        ("set_model", "POST", "/model", {"model": "none"}),
        ("calibrate_models", "POST", "/models/calibrate", {"folder": names["file"]}),
        ("get_quotation", "GET", f"/evidence/{names['evidence']}", {}),
        ("get_evidence", "GET", "/evidence", {"answer_id": answer}),
        ("get_evidence", "GET", "/evidence", {"session_id": names["session"]}),
        ("get_page", "GET", f"/documents/{document}/pages/1", {}),
        ("task_events", "GET", f"/tasks/{task}/events", {}),
        ("answer_events", "GET", f"/answers/{answer}/events", {}),
        ("get_document", "GET", f"/documents/{document}", {}),
        ("get_document", "GET", f"/documents/{names['file']}", {}),
        ("get_document", "GET", f"/documents/{names['removed']}", {}),
        ("get_page_layout", "GET", f"/documents/{document}/pages/1/layout", {}),
        ("find_in_document", "GET", f"/documents/{document}/find", {"q": "決定係数"}),
        ("get_evidence_boxes", "GET", f"/evidence/{names['evidence']}/boxes", {}),
        ("get_span_boxes", "GET", f"/documents/{document}/boxes", {"start": 0, "end": 5}),
        ("get_page_image", "GET", f"/documents/{document}/pages/1/image", {}),
        ("export_answer", "GET", f"/answers/{answer}/export", {}),
        ("list_users", "GET", "/team/users", {}),
        ("add_user", "POST", "/team/users", {"name": "hanako"}),
        ("renew_token", "POST", "/team/users/hanako/token", None),
        ("remove_user", "DELETE", "/team/users/hanako", {}),
        ("restore_user", "POST", "/team/users/hanako/restore", None),
        ("list_groups", "GET", "/team/groups", {}),
        ("add_group", "POST", "/team/groups", {"name": names["corpus"]}),
        ("remove_group", "DELETE", f"/team/groups/{names['corpus']}", {}),
        ("add_members", "POST", f"/team/groups/{names['corpus']}/members", {"members": ["hanako"]}),
        ("remove_member", "DELETE", f"/team/groups/{names['corpus']}/members/hanako", {}),
        ("list_grants", "GET", "/team/grants", {}),
        ("add_grant", "POST", "/team/grants", {"corpus": f"{names['corpus']}@hanako", "name": "taro"}),
        ("remove_grant", "DELETE", "/team/grants", {"corpus": f"{names['corpus']}@hanako", "name": "taro"}),
        ("list_quotas", "GET", "/team/quotas", {}),
        ("set_quota", "POST", "/team/quotas", {"name": "hanako", "jobs": 0}),
        ("remove_quota", "DELETE", "/team/quotas", {"name": "hanako"}),
        ("list_audit", "GET", "/team/audit", {"actor": "local"}),
        ("list_shares", "GET", "/team/shares", {}),
        ("share_task", "POST", f"/tasks/{task}/shares", {"group": names["corpus"]}),
        ("unshare_task", "DELETE", f"/tasks/{task}/shares/{names['corpus']}", {}),
    ]  # fmt: skip
    return [
        (operation, method, path, ({"json": rest} if method == "POST" else {"params": rest}) if rest else {})
        for operation, method, path, rest in rows
    ]
