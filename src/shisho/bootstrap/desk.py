"""Build a Desk from settings.

The only module that knows both sides; optional drivers are imported here and nowhere else.
"""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from shisho import settings as settings_
from shisho.bootstrap.deferred import defer
from shisho.bootstrap.engine_file import read_config
from shisho.bootstrap.library import SharedLibrary, build_library
from shisho.bootstrap.proof import build_proofs
from shisho.bootstrap.questions import build_conversations
from shisho.bootstrap.setting_values import list_settings
from shisho.bootstrap.viewer import build_viewer
from shisho.bootstrap.web import WebAccess, build_consent, consent_file, web_of
from shisho.domain.corpus import LOCAL_OWNER, Check
from shisho.errors import StorageUnusable
from shisho.services.access import CorpusAccess
from shisho.services.desk import Desk
from shisho.services.parts import DeskParts
from shisho.settings import Settings, Value, reread
from shisho.system.clock import SystemClock

if TYPE_CHECKING:
    from shisho.bootstrap.queue import QueueSide
    from shisho.domain.model import ModelSetting
    from shisho.domain.reference import Reference
    from shisho.domain.web import Response, Serp
    from shisho.services.conversing import ConversationDesk
    from shisho.services.exporting import ExportDesk
    from shisho.services.folders import FolderDesk
    from shisho.services.modelling import ModelDesk
    from shisho.services.proving import ProofDesk
    from shisho.services.references import ReferenceDesk
    from shisho.services.tasks import TaskDesk
    from shisho.services.team import TeamDesk
    from shisho.services.viewing import ViewerDesk
    from shisho.system.consent import ConsentFile

IN_HOME = frozenset({"database", "index", "originals"})
"""Checks of data in the home."""


@asynccontextmanager
async def open_desk(
    *, web_access: WebAccess | None = None, **given: Value | Path | None
) -> AsyncIterator[Desk]:
    """Open a desk over the configured home.

    Keyword arguments are settings: `async with shisho.open(home="~/library") as desk: …`; None keeps the
    setting's value from its other sources. `web_access`: used in place of the configured access to the web.

    Raises: InvalidParams for an unknown setting or an invalid value, StorageUnusable.
    """
    settings = settings_.load(**given)
    desk = build_desk(settings, web_access or web_of(settings))
    try:
        yield desk
    finally:
        await desk.close()


async def run_doctor(**options: Value | Path | None) -> Sequence[Check]:
    """Run the checks with the readable settings.

    Without a home folder, only those that need none.

    Raises: InvalidParams for an unknown setting.
    """
    settings, _ = settings_.load_readable(**options)
    with TemporaryDirectory(prefix="shisho-") as stand_in:
        homeless: tuple[Check, ...] = ()
        try:
            settings.home  # noqa: B018 raises
        except StorageUnusable as error:
            homeless = (Check("home", False, error.message),)
            settings, _ = settings_.load_readable(**{**options, "home": stand_in})
        desk = build_desk(settings, web_of(settings))
        try:
            checks = await desk.doctor()
        finally:
            await desk.close()
    return [*homeless, *(check for check in checks if not homeless or check.name not in IN_HOME)]


def build_desk(settings: Settings, web: WebAccess | None = None) -> Desk:
    """Build the desk of this machine's owner by explicit constructor calls.

    Desks of other owners use the same stores. No worker runs before `working` is entered.
    """
    library = build_library(settings, web)

    @cache
    def parts_of(owner: str) -> DeskParts:
        return _build_parts(library, owner, parts_of)

    return Desk(parts_of(LOCAL_OWNER))


def _build_parts(library: SharedLibrary, owner: str, for_owner: Callable[[str], DeskParts]) -> DeskParts:
    """Build the parts of an owner's desk over the shared library.

    The shared library is closed with the desk of this machine's owner.
    """
    from shisho.language.tokens import tokens

    stores = library.stores
    folders = defer(partial(_folders, library, owner))
    viewer = defer(partial(_viewer, library, owner))
    proofs = defer(partial(build_proofs, library.settings, owner, stores.shelf, stores.grants, viewer))
    tasks = defer(lambda: queue().tasks)
    talks = defer(partial(_conversations, library, owner, tasks))
    models = defer(partial(_models, library, owner))
    queue = cache(partial(_queue_of, library, owner, folders, talks))
    return DeskParts(
        owner=owner,
        access=CorpusAccess(owner, stores.grants, stores.audit),
        team=defer(partial(_team, library, owner)),
        shelf=stores.shelf,
        ledger=stores.ledger,
        files=library.disk,
        ingest=library.ingest,
        folders=folders,
        references=defer(partial(_references, library, owner)),
        embeddings=library.embeddings,
        viewer=viewer,
        proofs=proofs,
        models=models,
        exports=defer(partial(_exports, library, owner, proofs)),
        rankings=library.searcher,
        inquiries=library.inquiries,
        budget=library.budget,
        tasks=tasks,
        conversations=talks,
        sessions=defer(lambda: queue().sessions),
        answers=defer(lambda: queue().answers),
        working=lambda slots=None, notifier=None: queue().working(slots, notifier),
        new_run=lambda: uuid.uuid4().hex[:24],
        tokens=tokens,
        settings=lambda: list_settings(reread(library.settings)),
        checks=partial(_run_checks, library),
        storage=stores.storage,
        figures=stores.figures,
        close=library.close if owner == LOCAL_OWNER else _close_nothing,
        left_out=stores.opinions.list_left_out,
        for_owner=for_owner,
    )


def _team(library: SharedLibrary, owner: str) -> TeamDesk:
    from shisho.services.team import TeamDesk, TeamParts

    stores = library.stores
    people = frozenset(entry.partition(":")[0] for entry in library.settings.text("tokens").split())
    return TeamDesk(TeamParts(owner, stores.users, stores.grants, stores.audit, stores.quotas, people))


def _viewer(library: SharedLibrary, owner: str) -> ViewerDesk:
    stores = library.stores
    looked_at = (stores.shelf, stores.ledger, library.disk, stores.pages)
    access = CorpusAccess(owner, stores.grants, stores.audit)
    return build_viewer(library.settings, access, *looked_at, library.renderer)


def _models(library: SharedLibrary, owner: str) -> ModelDesk:
    from shisho.bootstrap.calibration import calibration_target
    from shisho.bootstrap.model_files import model_files, pull_model
    from shisho.bootstrap.models import check_model, find_models, read_model, set_model, with_model
    from shisho.services.modelling import ModelDesk, ModelParts

    settings = library.settings

    async def check(setting: ModelSetting | None) -> Check:
        now = reread(settings)
        return await check_model(now if setting is None else with_model(now, setting))

    wired = ModelParts(
        owner=owner,
        roots=settings.roots,
        stored=lambda: model_files(settings).models(),
        pull=partial(pull_model, settings),
        check=check,
        find=find_models,
        chosen=lambda: read_model(reread(settings)),
        choose=lambda setting: set_model(reread(settings), setting),
        target=partial(calibration_target, settings),
        progress=library.embeddings.progress,
    )
    return ModelDesk(wired)


def _exports(library: SharedLibrary, owner: str, proofs: ProofDesk) -> ExportDesk:
    from shisho.rendering.export import export
    from shisho.rendering.printable import make_printable
    from shisho.services.exporting import ExportDesk, ExportParts
    from shisho.system.typesetting import TypstTypesetter

    stores = (library.stores.shelf, library.stores.ledger)
    return ExportDesk(ExportParts(owner, *stores, proofs, export, make_printable, TypstTypesetter()))


def _conversations(library: SharedLibrary, owner: str, tasks: TaskDesk) -> ConversationDesk:
    stores = library.stores
    access = CorpusAccess(owner, stores.grants, stores.audit)
    return build_conversations(access, stores.conversations, stores.ledger, library.inquiries, tasks)


def _folders(library: SharedLibrary, owner: str) -> FolderDesk:
    from shisho.services.folders import FolderDesk, FolderParts
    from shisho.system.watching import SystemFolderWatcher

    stores = library.stores
    wired = FolderParts(
        owner=owner,
        access=CorpusAccess(owner, stores.grants, stores.audit),
        roots=library.settings.roots,
        shelf=stores.shelf,
        files=library.disk,
        ingest=library.ingest,
        register=stores.folders,
        watcher=SystemFolderWatcher(),
        turn=stores.follower_turn,
        seconds=stores.clock.monotonic,
    )
    return FolderDesk(wired)


def _references(library: SharedLibrary, owner: str) -> ReferenceDesk:
    from shisho.services.job_registry import CrossrefRegistry
    from shisho.services.references import ReferenceDesk, ReferenceParts

    web = library.web
    stores = library.stores

    async def look_up(doi: str) -> Reference | None:
        assert web is not None
        about = web.engines["crossref"].about
        registry = CrossrefRegistry(web.fetcher, library.reader, stores.limiter, about, web.keys)
        return await registry.look_up(doi)

    consent = build_consent(library.settings, web, stores.clock, owner)
    access = CorpusAccess(owner, stores.grants, stores.audit)
    return ReferenceDesk(
        ReferenceParts(owner, access, stores.shelf, consent, None if web is None else look_up)
    )


def _queue_of(
    library: SharedLibrary, owner: str, folders: FolderDesk, conversations: ConversationDesk
) -> QueueSide:
    from shisho.bootstrap.queue import build_queue
    from shisho.bootstrap.queue_parts import Parts
    from shisho.services.sharing import SharedReading

    stores = library.stores
    parts = Parts(
        settings=library.settings,
        storage=stores.storage,
        clock=stores.clock,
        owner=owner,
        access=CorpusAccess(owner, stores.grants, stores.audit),
        shared=SharedReading(
            owner, stores.shares, stores.users, partial(stores.grants.select_readable, reader=owner)
        ),
        shelf=stores.shelf,
        ledger=stores.ledger,
        files=library.disk,
        originals=stores.pages.originals,
        ingest=library.ingest,
        inquiries=library.inquiries,
        searcher=library.searcher,
        budget=library.budget,
        judge=library.judge,
        web=library.web,
        folders=folders,
        conversations=conversations,
        embeddings=library.embeddings,
        assistants=stores.assistants,
        checks=library.checks,
        quotas=stores.quotas,
    )
    return build_queue(parts, stores.queue())


async def _run_checks(library: SharedLibrary) -> Sequence[Check]:
    from shisho.bootstrap.checks import run_checks

    stores = library.stores
    looked_at = (stores.check, stores.index, library.reader)
    embedding = (library.embeddings, library.embedders)
    return await run_checks(
        library.settings, *looked_at, *embedding, stores.pages.originals, library.renderer
    )


async def _close_nothing() -> None:
    """Close nothing: an owner's desk only uses parts of the shared library."""


async def read_result_page(engine: str, response: Response, **given: Any) -> Serp:
    """Parse a saved result page with the named engine, or `auto`, as configured in engines.toml.

    Keyword arguments are settings. Raises: ParserFailed, EngineUnavailable, InvalidParams.
    """
    from shisho.web.serp.parser import KillableSerpParser

    parser = KillableSerpParser(
        read_config(settings_.load(**given).home).overrides, settings_.child_environment()
    )
    try:
        return await parser.parse(engine, response)
    finally:
        await parser.close()


def web_consent(settings: Settings) -> ConsentFile:
    """Open the person's consent to web searches without opening a desk."""
    return consent_file(settings, SystemClock(), settings.text("web"))
