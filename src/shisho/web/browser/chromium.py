"""The Chromium or Chrome of this machine: where it is, how it is started, what it weighs."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from shisho.errors import AuthRequired, EngineUnavailable
from shisho.messages.message import Message

HOW_TO_GET = Message("browser.install_advice")
_ON_PATH = (
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
    "chrome",
    "chrome.exe",
)
_ELSEWHERE = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "C:/Program Files/Google/Chrome/Application/chrome.exe",
    "C:/Program Files (x86)/Google/Chrome/Application/chrome.exe",
)
_HAS_PROC = Path("/proc/self/statm").exists()
_UDP = "disable_non_proxied_udp"
_FLAGS = (
    "--lang=ja",
    "--accept-lang=ja,en",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--no-pings",
    # else it asks accounts.google.com who is signed in, whatever else is turned off
    "--gaia-url=http://127.0.0.1:9/",
    "--autofill-server-url=http://127.0.0.1:9/",  # else it tells googleapis.com which forms it has met
    "--deny-permission-prompts",
    "--disk-cache-size=52428800",
    # Every way round the proxy: QUIC, WebRTC (the switch was renamed; each version knows one of the names),
    # and names or addresses that the browser would look up by itself.
    "--disable-quic",
    f"--force-webrtc-ip-handling-policy={_UDP}",
    f"--webrtc-ip-handling-policy={_UDP}",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
)
# Localhost and link-local addresses go round a proxy unless told otherwise.
BYPASS = "<-loopback>"


def find(path: str = "") -> str | None:
    """The browser's program: the chosen one, else what is on the PATH or in its usual place."""
    if path:
        with suppress(RuntimeError):  # a user without a home directory
            path = str(Path(path).expanduser())
        return shutil.which(path)
    on_path = next(filter(None, map(shutil.which, _ON_PATH)), None)
    return on_path or next((path for path in _ELSEWHERE if Path(path).is_file()), None)


def program(path: str = "") -> str:
    """As `find`. Raises EngineUnavailable that says how to get one."""
    program_path = find(path)
    if program_path is None:
        if path:
            raise EngineUnavailable(
                "browser.not_at_path",
                path=path,
                advice=HOW_TO_GET,
            )
        raise EngineUnavailable("browser.none", advice=HOW_TO_GET)
    return program_path


def flags(*, trust_any_certificate: bool = False) -> list[str]:
    return [*_FLAGS, *(["--ignore-certificate-errors"] if trust_any_certificate else [])]


def is_sandboxed() -> bool:
    """Chromium's sandbox refuses to be started by root, and by nobody else."""
    return sys.platform == "win32" or os.geteuid() != 0


def need_screen(environment: Mapping[str, str], profile: str) -> None:
    """Raises AuthRequired where no window can be shown."""
    if sys.platform == "linux" and not (environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY")):
        raise AuthRequired(
            "browser.no_screen",
            profile=profile,
        )


async def measure_memory_mb(processes: Iterable[int]) -> float:
    """The memory that these processes hold: each one's own memory, and once the most that any shares. 0
    where it cannot be told."""
    if _HAS_PROC:
        page = os.sysconf("SC_PAGE_SIZE")
        pages = [_statm(process) for process in processes]
        return (
            (
                sum(resident - shared for resident, shared in pages)
                + max((counts[1] for counts in pages), default=0)
            )
            * page
            / 2**20
        )
    if shutil.which("ps") is None:
        return 0.0
    listed = ",".join(map(str, processes))
    ps = await asyncio.create_subprocess_exec(
        "ps", "-o", "rss=", "-p", listed, stdout=asyncio.subprocess.PIPE
    )
    return sum(map(int, (await ps.communicate())[0].split())) / 1024


def _statm(process: int) -> tuple[int, int]:
    """Pages resident, and those of them that are shared. Unlike smaps it may be read of a sandboxed process
    too."""
    try:
        fields = Path(f"/proc/{process}/statm").read_text().split()
        return int(fields[1]), int(fields[2])
    except (OSError, IndexError):  # it has ended
        return 0, 0
