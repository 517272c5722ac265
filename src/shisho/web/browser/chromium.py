"""The installed Chromium or Chrome: its path, its flags, its memory use."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from shisho.errors import AuthRequired, EngineUnavailable
from shisho.messages import Message

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
    # otherwise it asks accounts.google.com who is signed in, whatever else is turned off
    "--gaia-url=http://127.0.0.1:9/",
    "--autofill-server-url=http://127.0.0.1:9/",  # otherwise it reports forms to googleapis.com
    "--deny-permission-prompts",
    "--disk-cache-size=52428800",
    # All ways around the proxy: QUIC, WebRTC (the switch was renamed; each version knows one of the names),
    # and names or addresses that the browser would resolve itself.
    "--disable-quic",
    f"--force-webrtc-ip-handling-policy={_UDP}",
    f"--webrtc-ip-handling-policy={_UDP}",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
)
# Localhost and link-local addresses bypass a proxy unless configured otherwise.
BYPASS = "<-loopback>"


def find(path: str = "") -> str | None:
    """Return the browser's program: the configured one, else one on the PATH or in a usual location."""
    if path:
        with suppress(RuntimeError):  # a user without a home directory
            path = str(Path(path).expanduser())
        return shutil.which(path)
    on_path = next(filter(None, map(shutil.which, _ON_PATH)), None)
    return on_path or next((path for path in _ELSEWHERE if Path(path).is_file()), None)


def require_program(path: str = "") -> str:
    """Return the program, as `find`. Raises EngineUnavailable with instructions if there is none."""
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


def build_flags(*, trust_any_certificate: bool = False) -> list[str]:
    return [*_FLAGS, *(["--ignore-certificate-errors"] if trust_any_certificate else [])]


def is_sandboxed() -> bool:
    """Return True unless this is root: Chromium's sandbox refuses only to be started by root."""
    return sys.platform == "win32" or os.geteuid() != 0


def need_screen(environment: Mapping[str, str], profile: str) -> None:
    """Check that a window can be shown. Raises AuthRequired."""
    if sys.platform == "linux" and not (environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY")):
        raise AuthRequired(
            "browser.no_screen",
            profile=profile,
        )


async def measure_memory_mb(processes: Iterable[int]) -> float:
    """Return the memory of these processes: their own memory, and once the largest amount that one shares.

    Returns 0 if it is unknown.
    """
    if _HAS_PROC:
        page = os.sysconf("SC_PAGE_SIZE")
        pages = [_read_statm(process) for process in processes]
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


def _read_statm(process: int) -> tuple[int, int]:
    """Return the resident pages and those of them that are shared.

    Unlike smaps, this is readable for a sandboxed process too.
    """
    try:
        fields = Path(f"/proc/{process}/statm").read_text().split()
        return int(fields[1]), int(fields[2])
    except (OSError, IndexError):  # it has ended
        return 0, 0
