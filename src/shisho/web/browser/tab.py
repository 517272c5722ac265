"""One page in a browser tab, from its address to the HTML rendered by its scripts."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from shisho.domain.web import Request, Response
from shisho.errors import AllFetchesFailed, InvalidParams, ShishoError, TooLarge, UnsupportedMedia
from shisho.messages import Message
from shisho.records import dataclass
from shisho.web.browser.proxy import GuardedProxy, parse_authority

if TYPE_CHECKING:
    from playwright.async_api import CDPSession, Frame, Page, Route
    from playwright.async_api import Request as Asked
    from playwright.async_api import Response as Answered

MAX_CHARS = 5_000_000
_SETTLE_S = 8.0
_LOOK_S = 0.2
_SAME_LOOKS = 4
_SHOWN = {
    "text/html",
    "application/xhtml+xml",
    "text/plain",
    "application/json",
    "application/xml",
    "text/xml",
    "",
}
_RETURNED_HEADERS = ("etag", "last-modified", "retry-after")
# The browser sets these.
_OURS = {
    "user-agent",
    "accept",
    "accept-encoding",
    "host",
    "connection",
    "content-length",
    "content-type",
}
_HARMLESS = {"accept-language", "referer"}
# Requests that may still change the page; images and open connections may take forever.
_AWAITED_TYPES = {"document", "script", "stylesheet", "xhr", "fetch"}
_LOOK = "[document.readyState, document.documentElement ? document.documentElement.outerHTML.length : 0]"
_HTML = f"document.documentElement.outerHTML.slice(0, {MAX_CHARS + 1})"


@dataclass(frozen=True, slots=True)
class _Navigation:
    """A page that the tab navigated to, by its response head."""

    url: str
    status: int = 200
    media_type: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)


class Tab:
    """A fresh page, observed from its first request on.

    `proxy` knows the refused requests. `alone`: windows that the page opens are closed.
    """

    def __init__(self, page: Page, proxy: GuardedProxy, *, alone: bool = True) -> None:
        self._page = page
        self._proxy = proxy
        self._since = asyncio.get_running_loop().time()
        self._under_way: set[Asked] = set()
        self._answers: dict[str, _Navigation] = {}
        self._landing = _Navigation(page.url)
        self._failure = ("", "")
        self._session: CDPSession | None = None
        page.on("request", self._note_begun)
        page.on("response", self._note_answered)
        page.on("requestfinished", self._note_finished)
        page.on("requestfailed", self._note_failed)
        page.on("framenavigated", self._update_page)
        if alone:
            page.context.on("page", _close)

    async def go(self, request: Request) -> None:
        """Navigate until the response head arrives. Raises the error of `_why_not`."""
        from playwright.async_api import Error

        if request.cookies:
            await self._page.context.add_cookies(
                [
                    {"name": name, "value": value, "url": request.url}
                    for name, value in request.cookies.items()
                ]
            )
        headers = _select_headers(request)
        referer = headers.pop("referer", None)
        await self._page.set_extra_http_headers(headers)
        if request.method == "POST":
            await self._page.route("**/*", _make_post_handler(request), times=1)
        try:
            await self._page.goto(request.url, wait_until="commit", timeout=0, referer=referer)
        except Error as error:
            if has_broken(error):
                raise
            raise self._explain_failure(self._failure[0] or request.url, error.message) from error

    async def read(self) -> Response:
        """Return the page's HTML as UTF-8 when it has settled, or after eight seconds.

        Raises: a ShishoError.
        """
        await self._page.wait_for_load_state("domcontentloaded", timeout=0)
        await self._settle()
        landing = self._landing
        if self._page.url.startswith("chrome-error:"):
            raise self._explain_failure(*self._failure)
        refusal = self._proxy.find_refusal(parse_authority(landing.url), self._since)
        if refusal is not None and landing.status in (400, 403, 502):
            raise _make_retry(refusal)
        if landing.media_type not in _SHOWN:
            raise UnsupportedMedia(
                "browser.not_a_page",
                url=landing.url,
                media_type=landing.media_type,
            )
        html = str(await self._evaluate(_HTML))
        if len(html) > MAX_CHARS:
            raise TooLarge("browser.too_many_characters", url=landing.url, max_chars=MAX_CHARS)
        # The byte order mark overrides a charset that the page declares for its original bytes.
        body = b"\xef\xbb\xbf" + f"<!DOCTYPE html>{html}".encode("utf-8", "replace")
        headers = {name: value for name, value in landing.headers.items() if name in _RETURNED_HEADERS}
        return Response(
            body, self._page.url, landing.status, "utf-8", media_type="text/html", headers=headers
        )

    async def _settle(self) -> None:
        """Wait until nothing is in flight and the page's length has been stable for several checks.

        Waiting for the network alone is too early (scripts still write) or too late (a page that polls never
        rests).
        """
        from playwright.async_api import Error

        clock = asyncio.get_running_loop().time
        until = clock() + _SETTLE_S
        before = None
        same = 0
        while clock() < until and same < _SAME_LOOKS:
            await asyncio.sleep(_LOOK_S)
            try:
                look = await self._evaluate(_LOOK)
            except Error as error:
                if has_broken(error):
                    raise
                look = None  # it is navigating to another page
            same = same + 1 if look is not None and look == before and not self._under_way else 0
            before = look

    async def _evaluate(self, expression: str) -> Any:
        """Evaluate in an isolated world, in which the page has not redefined `outerHTML` or `slice`."""
        if self._session is None:
            self._session = await self._page.context.new_cdp_session(self._page)
        frame = (await self._session.send("Page.getFrameTree"))["frameTree"]["frame"]["id"]
        world = await self._session.send(
            "Page.createIsolatedWorld", {"frameId": frame, "worldName": "shisho"}
        )
        params = {
            "expression": expression,
            "contextId": world["executionContextId"],
            "returnByValue": True,
        }
        return (await self._session.send("Runtime.evaluate", params))["result"].get("value")

    def _explain_failure(self, url: str, failure: str) -> ShishoError:
        """Return the reason for the missing page as an error of this project."""
        refusal = self._proxy.find_refusal(parse_authority(url), self._since)
        if refusal is not None:
            return _make_retry(refusal)
        if "Download is starting" in failure:
            return UnsupportedMedia("browser.download", url=url)
        if "ERR_CERT" in failure:
            return AllFetchesFailed(
                "browser.bad_certificate",
                url=url,
            )
        reason = failure.partition("\n")[0][:200]
        return AllFetchesFailed(
            "browser.cannot_open",
            url=url,
            cause=reason,
        )

    def _note_begun(self, request: Asked) -> None:
        if request.resource_type in _AWAITED_TYPES:
            self._under_way.add(request)

    def _note_finished(self, request: Asked) -> None:
        self._under_way.discard(request)

    def _note_failed(self, request: Asked) -> None:
        self._under_way.discard(request)
        if self._is_own(request):
            self._failure = (request.url, request.failure or Message("browser.no_answer"))

    def _note_answered(self, answer: Answered) -> None:
        if self._is_own(answer.request):
            media_type = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
            self._answers[_normalise_url(answer.url)] = _Navigation(
                answer.url, answer.status, media_type, answer.headers
            )

    def _update_page(self, frame: Frame) -> None:
        """Update the current page.

        A response does not always become the page: a download or 204 leaves it, and an address may change
        without a response.
        """
        if frame == self._page.main_frame:
            self._landing = self._answers.get(_normalise_url(frame.url), self._landing)

    def _is_own(self, request: Asked) -> bool:
        return request.is_navigation_request() and request.frame == self._page.main_frame


def has_broken(error: Exception) -> bool:
    """Return True if the browser ended, not if the page failed. Playwright has no public class for that."""
    return (
        type(error).__name__ == "TargetClosedError"
        or "crashed" in str(error)
        or "Connection closed" in str(error)
    )


def _normalise_url(url: str) -> str:
    return url.partition("#")[0]


def _make_retry(error: ShishoError) -> ShishoError:
    return type(error)(error.message, **error.details)


def _select_headers(request: Request) -> dict[str, str]:
    """Return the headers to send. Raises InvalidParams for any that may be a key.

    The browser sends its headers to every redirect and resource of the page.
    """
    if request.method not in ("GET", "POST"):
        raise InvalidParams("browser.bad_method", method=request.method)
    headers = {name.lower(): value for name, value in request.headers.items() if name.lower() not in _OURS}
    for name in headers.keys() - _HARMLESS:
        raise InvalidParams(
            "browser.header_refused",
            name=name,
            url=request.url,
        )
    return headers


def _make_post_handler(request: Request) -> Callable[[Route], Awaitable[None]]:
    """Return a route handler that turns the request into a POST, because Playwright only navigates by GET."""

    async def rewrite(route: Route) -> None:
        headers = {**route.request.headers, "content-type": "application/x-www-form-urlencoded"}
        await route.continue_(method="POST", headers=headers, post_data=urlencode(request.form))

    return rewrite


async def _close(page: Page) -> None:
    await page.close()
