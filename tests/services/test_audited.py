"""Every verb of the library is on record, or says why it need not be."""

from __future__ import annotations

import inspect
import re
from functools import cached_property
from typing import Any, get_type_hints

from shisho.services import Library
from shisho.services.conversations import Conversations
from shisho.services.documents import Documents
from shisho.services.exports import Exports, Proofs
from shisho.services.folders import Folders
from shisho.services.models import Embeddings, Models
from shisho.services.questions import Questions
from shisho.services.references import References
from shisho.services.sessions import Sessions
from shisho.services.tasks import Tasks
from shisho.services.team import Team
from shisho.services.viewer import Viewer
from shisho.services.web import Web

SECTIONS: dict[str, type] = {
    "": Library,
    "conversations": Conversations,
    "documents": Documents,
    "embeddings": Embeddings,
    "exports": Exports,
    "folders": Folders,
    "models": Models,
    "proofs": Proofs,
    "questions": Questions,
    "references": References,
    "sessions": Sessions,
    "tasks": Tasks,
    "team": Team,
    "viewer": Viewer,
    "web": Web,
}
# Methods that leave no record, by the reason why.
EXEMPT = {
    "of this machine or the process, not of what somebody has": """questions.budget questions.use_model working count_tokens
        for_owner close list_settings is_host owner questions.estimate_report backup read_figures check_ready run_checks
        embeddings.get_progress embeddings.embed embeddings.keep_up models.list_stored models.get_work models.get_progress
        models.get_calibration_target models.check models.begin_pull models.begin_calibration models.find models.get_chosen
        models.choose folders.check folders.follow folders.find_follower folders.get_status folders.list
        proofs.read_public_key proofs.make_key web.list_engines""",
    "lists names and numbers of what may be read, no text": """documents.list_corpora documents.list_metadata documents.list
        documents.get documents.find_removable documents.list_sources references.list_incomplete""",
    "measures a ranking for who runs the library": "documents.rank documents.rank_documents",
    "shows or goes on with what its owner has asked, and the asking is on record": """questions.resume questions.replay
        questions.get questions.find_evidence questions.list_evidence questions.list_answer_evidence sessions.list_evidence
        questions.get_log questions.check questions.follow questions.stop questions.resume_queued questions.find_job
        conversations.list_turns conversations.list conversations.find_last_run conversations.get
        conversations.understand conversations.get_context exports.render exports.render_file
        tasks.create tasks.stop tasks.resume tasks.list tasks.list_jobs
        sessions.submit_findings sessions.compose_answer""",
    "is about the way to the web, and the words that go there are of what was asked": """web.get_auth_queue
        web.resolve_auth web.open_auth web.get_consent web.get_consent_time web.set_consent
        web.preview_question web.preview_queries web.is_usable""",
    "changes only the visitor's own answers from now on": "questions.record_feedback",
    "is called by methods that are on record": "tasks.drop_staged",
    "looks at who there is, which is on record as it changes": """team.find_user team.has_user team.list_users
        team.list_groups team.list_grants team.list_quotas team.list_audit tasks.list_shares""",
}
RECORDS = re.compile(r"\brecord(?:_reading|_outcome|_failure)?\(|\b_record\(|\bself\._queue\.enqueue\(")
OWN = re.compile(r"\bself\.(_?\w+)\(")
OTHERS = re.compile(r"\bself\.(?:_library\.|_parts\.)?_?(\w+)\.(\w+)\(")


def verbs_of(kind: type) -> list[str]:
    return [
        name
        for name, member in inspect.getmembers(kind)
        if not name.startswith("_") and (inspect.isfunction(member) or _is_value(kind, name, member))
    ]


def _is_value(kind: type, name: str, member: Any) -> bool:
    return isinstance(member, property) and name not in SECTIONS


def is_recorded(kind: type, name: str, seen: frozenset[tuple[type, str]] = frozenset()) -> bool:
    """Whether a verb, or one that it is made of, writes to the record."""
    member = inspect.getattr_static(kind, name, None)
    if not inspect.isfunction(member) or (kind, name) in seen:
        return False
    source = inspect.getsource(member)
    seen |= {(kind, name)}
    if RECORDS.search(source):
        return True
    own = (is_recorded(kind, helper, seen) for helper in OWN.findall(source))
    others = (
        is_recorded(SECTIONS[section], verb, seen)
        for section, verb in OTHERS.findall(source)
        if section in SECTIONS
    )
    return any(own) or any(others)


def all_verbs() -> dict[str, tuple[type, str]]:
    return {
        f"{section}.{name}".lstrip("."): (kind, name)
        for section, kind in SECTIONS.items()
        for name in verbs_of(kind)
    }


def test_every_part_of_the_library_is_looked_at() -> None:
    names = {kind.__name__: kind for kind in SECTIONS.values()}
    parts = {
        name: get_type_hints(member.func, names)["return"]
        for name, member in vars(Library).items()
        if isinstance(member, cached_property)
    }
    assert parts == {name: kind for name, kind in SECTIONS.items() if name}


def test_every_verb_is_on_record_or_says_why_not() -> None:
    exempt = {name for names in EXEMPT.values() for name in names.split()}
    recorded = {verb for verb, (kind, name) in all_verbs().items() if is_recorded(kind, name)}
    lacking = sorted(all_verbs().keys() - recorded - exempt)
    assert lacking == [], "record it with access.record, or name it in EXEMPT"
    assert sorted(exempt - all_verbs().keys()) == [], "these verbs are no more"
    assert {
        "viewer.get_image",
        "folders.watch",
        "tasks.queue_documents",
        "sessions.open_session",
        "team.join",
    } <= recorded


def test_a_verb_that_is_neither_is_found() -> None:
    class NewPart(Team):
        async def peek(self) -> None:
            """Looks at something of somebody's."""

    assert not is_recorded(NewPart, "peek") and is_recorded(NewPart, "join")
    assert "peek" in verbs_of(NewPart)
