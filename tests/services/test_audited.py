"""Every verb of the desk is on record, or says why it need not be."""

from __future__ import annotations

import inspect
import re
from typing import Any, get_type_hints

from shisho.services import Desk, sections
from shisho.services.answers import AnswerDesk
from shisho.services.conversing import ConversationDesk
from shisho.services.embeddings import EmbeddingDesk
from shisho.services.exporting import ExportDesk
from shisho.services.folders import FolderDesk
from shisho.services.modelling import ModelDesk
from shisho.services.proving import ProofDesk
from shisho.services.references import ReferenceDesk
from shisho.services.sessions import Sessions
from shisho.services.tasks import TaskDesk
from shisho.services.team import TeamDesk
from shisho.services.viewing import ViewerDesk

SECTIONS: dict[str, type] = {
    "": Desk,
    "answers": AnswerDesk,
    "conversations": ConversationDesk,
    "embeddings": EmbeddingDesk,
    "exports": ExportDesk,
    "folders": FolderDesk,
    "models": ModelDesk,
    "proofs": ProofDesk,
    "references": ReferenceDesk,
    "sessions": Sessions,
    "tasks": TaskDesk,
    "team": TeamDesk,
    "viewer": ViewerDesk,
}
# Verbs that leave no record, by the reason why.
EXEMPT = {
    "of this machine or the process, not of what somebody has": """budget lend working count_tokens for_owner close settings
        is_host owner estimate_report
        backup figures ready doctor embeddings.progress embeddings.embed embeddings.keep_up models.list_stored models.work
        models.progress models.calibration_target models.check models.begin_pull models.begin_calibration
        models.find models.chosen models.choose
        folders.check folders.follow folders.follower folders.status folders.list_watched proofs.public_key proofs.make_key
        tasks.list_engines""",
    "lists names and numbers of what may be read, no text": """corpora metadata documents document find_removable places
        references.list_incomplete""",
    "measures a ranking for who runs the library": "rank rank_documents",
    "shows or goes on with what its owner has asked, and the asking is on record": """resume replay answer evidence get_evidence
        answers.list_evidence sessions.list_evidence answers.log
        answers.check answers.news answers.stop answers.resume conversations.turns conversations.list_newest
        conversations.find_last_run conversations.view conversations.understand
        conversations.context exports.text exports.file export
        tasks.create_task tasks.stop_task tasks.resume_task tasks.list_tasks tasks.list_jobs tasks.find_question
        sessions.submit_findings sessions.compose_answer""",
    "is about the way to the web, and the words that go there are of what was asked": """tasks.get_auth_queue
        tasks.resolve_auth tasks.open_auth tasks.get_web_consent tasks.get_web_consent_time tasks.set_web_consent
        tasks.preview_question tasks.preview_queries tasks.is_web_usable""",
    "changes only the visitor's own answers from now on": "tasks.feedback",
    "is called by verbs that are on record": "tasks.forget_bytes",
    "looks at who there is, which is on record as it changes": """team.find_user team.has_user team.users team.groups
        team.grants team.quotas team.audit tasks.list_shares""",
}
RECORDS = re.compile(r"\brecord(?:_look|ing|ing_failure)?\(|\b_record\(")
OWN = re.compile(r"\bself\.(_?\w+)\(")
OTHERS = re.compile(r"\bself\.(?:_parts\.)?(\w+)\.(\w+)\(")


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


def test_every_section_of_the_desk_is_looked_at() -> None:
    properties = {
        name: get_type_hints(
            member.fget, vars(sections) | {kind.__name__: kind for kind in SECTIONS.values()}
        )
        for name, member in vars(sections.DeskSections).items()
        if isinstance(member, property)
    }
    assert {name: hints["return"] for name, hints in properties.items()} == {
        name: kind for name, kind in SECTIONS.items() if name
    }


def test_every_verb_is_on_record_or_says_why_not() -> None:
    exempt = {name for names in EXEMPT.values() for name in names.split()}
    recorded = {verb for verb, (kind, name) in all_verbs().items() if is_recorded(kind, name)}
    lacking = sorted(all_verbs().keys() - recorded - exempt)
    assert lacking == [], "record it with access.record, or name it in EXEMPT"
    assert sorted(exempt - all_verbs().keys()) == [], "these verbs are no more"
    assert {
        "viewer.image",
        "folders.watch",
        "tasks.queue_documents",
        "sessions.open_session",
        "team.join",
    } <= recorded


def test_a_verb_that_is_neither_is_found() -> None:
    class NewDesk(TeamDesk):
        async def peek(self) -> None:
            """Looks at something of somebody's."""

    assert not is_recorded(NewDesk, "peek") and is_recorded(NewDesk, "join")
    assert "peek" in verbs_of(NewDesk)
