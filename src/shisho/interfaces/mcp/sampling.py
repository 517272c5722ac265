"""The client's own model (MCP sampling): where no model is set and the client offers one, it thinks for the
question that this client asks, as long as the call is open. What is sent to it, and whether, the client lets
its user say."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

from mcp.server.mcpserver.context import Context
from mcp.shared.exceptions import MCPError, NoBackChannelError
from mcp_types import SamplingMessage, TextContent

from shisho.desk import Desk
from shisho.domain.model import FAULT_REASONS, ModelFault
from shisho.domain.task import MAX_WAIT, AnswerHandle
from shisho.errors import ModelFailed
from shisho.interfaces.api.operations import Verb

LENDING_VERB = "ask"
# Newer protocols have no sampling: a client that offers it speaks an older one.
warnings.filterwarnings("ignore", message="The sampling capability is deprecated")


class ClientModel:
    """The model behind the client of this call."""

    def __init__(self, context: Context) -> None:
        self._context = context

    @property
    def name(self) -> str:
        info = self._context.session.client_params
        return f"client/{info.client_info.name if info else 'unknown'}"

    async def reply(self, instructions: str, text: str, max_output_tokens: int) -> str:
        """Its words. Raises ModelFailed where the client does not let it reply."""
        message = SamplingMessage(role="user", content=TextContent(type="text", text=text))
        try:
            sampled = await self._context.session.create_message(
                [message],
                max_tokens=max_output_tokens,
                system_prompt=instructions,
                temperature=0.0,
                related_request_id=self._context.request_id,
            )
        except NoBackChannelError:
            raise self._failed(ModelFault.UNREACHABLE) from None
        except MCPError:
            raise self._failed(ModelFault.REFUSED) from None
        parts = sampled.content if isinstance(sampled.content, list) else [sampled.content]
        return "".join(part.text for part in parts if isinstance(part, TextContent))

    def _failed(self, fault: ModelFault) -> ModelFailed:
        return ModelFailed(
            "model.reply_unusable",
            model=self.name,
            why=FAULT_REASONS[fault],
            fault=str(fault),
        )


def offers_model(context: Context | None) -> bool:
    """Has the client said that its model may be asked, and is there a way to ask it?"""
    if context is None:
        return False
    capabilities = context.client_capabilities
    return bool(capabilities and capabilities.sampling and context.session.can_send_request)


async def ask_with_client_model(
    verb: Verb, desk: Desk, arguments: Mapping[str, Any], context: Context
) -> AnswerHandle:
    """The answer, which is waited for however long it takes, as the model goes with the call. Where a model
    is set, that one thinks and the call ends as it would."""
    with desk.lend(ClientModel(context)) as is_lent:
        handle: AnswerHandle = await verb.ask(desk, **arguments)
        while is_lent and handle.answer is None:
            handle = await desk.tasks.wait_for_answer(handle.answer_id, wait=MAX_WAIT)
    return handle
