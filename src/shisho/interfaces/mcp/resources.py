"""The resources behind links: tasks, answers, evidence, pages of documents."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError

from shisho.domain.task import StatusDetail
from shisho.errors import NotFound, ShishoError
from shisho.interfaces.api.tasks import GET_STATUS
from shisho.interfaces.api.truncate import dump_compact, to_plain_data
from shisho.messages.catalogue import render
from shisho.services import Library

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

JSON = "application/json"
MAX_DIGITS = 9  # of a page's number


def add(server: MCPServer[Any], library: Library) -> None:
    """Register the resource templates."""

    @server.resource("task://{task_id}", mime_type=JSON)
    async def task(task_id: str) -> str:
        """A task with everything it has found so far."""
        return await _open_resource(_read_task(library, task_id))

    @server.resource("answer://{answer_id}", mime_type=JSON)
    async def answer(answer_id: str) -> str:
        """An answer with its sentences, goals and all its evidence."""
        return await _open_resource(library.questions.get(answer_id))

    @server.resource("evidence://{evidence_id}", mime_type=JSON)
    async def evidence(evidence_id: str) -> str:
        """A quotation with its document, page, offsets and hash."""
        return await _open_resource(library.questions.find_evidence(evidence_id))

    @server.resource("document://{document_id}", mime_type="text/plain")
    async def document(document_id: str) -> str:
        """The text of a document without pages; of another, its first page."""
        return await _open_resource(library.documents.read_page(document_id, 1))

    @server.resource("document://{document_id}/page/{page}", mime_type="text/plain")
    async def page(document_id: str, page: str) -> str:
        """The text of one page; of a document without pages, page 1 is all of it."""
        return await _open_resource(_read_page(library, document_id, page))


async def _read_page(library: Library, document_id: str, page: str) -> str:
    if not (page.isascii() and page.isdigit() and len(page) <= MAX_DIGITS):
        raise NotFound("mcp.bad_page_number", page=page)
    return await library.documents.read_page(document_id, int(page))


async def _read_task(library: Library, task_id: str) -> dict[str, Any]:
    status = await library.tasks.get_status(task_id, wait=0, detail=StatusDetail.FULL)
    while status.more:
        rest = await library.tasks.get_status(
            status.task_id, wait=0, detail=StatusDetail.FULL, cursor=status.cursor
        )
        status = replace(rest, results=(*status.results, *rest.results))
    return GET_STATUS.form.fill(status)


async def _open_resource(work: Any) -> str:
    try:
        content = await work
    except NotFound as error:
        raise ResourceNotFoundError(f"{error.code}: {render(error.message)}") from error
    except ShishoError as error:
        raise ResourceError(f"{error.code}: {render(error.message)}") from error
    return content if isinstance(content, str) else dump_compact(to_plain_data(content))
