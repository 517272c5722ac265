"""Host names to addresses, by the operating system."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from shisho.domain.web import Endpoint
from shisho.errors import AllFetchesFailed
from shisho.messages.system import explain_error


class SystemResolver:
    """`ports.Resolver` with its own threads.

    An unresponsive name server blocks getaddrinfo for half a minute without a way to cancel it, which must
    not block other users of threads.
    """

    def __init__(self, threads: int = 8) -> None:
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="resolve")

    async def resolve(self, host: str, port: int) -> Sequence[Endpoint]:
        look_up = partial(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM)
        try:
            rows = await asyncio.get_running_loop().run_in_executor(self._threads, look_up)
        except (OSError, UnicodeError) as error:
            raise AllFetchesFailed(
                "web.host_unknown",
                host=host,
                error=explain_error(error),
            ) from error
        return [Endpoint(str(address[0]), port) for *_, address in rows]

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
