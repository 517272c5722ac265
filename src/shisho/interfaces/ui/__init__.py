"""The reading room: pages over the public REST API and its events, without frameworks or external files."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any, Protocol
from urllib.parse import parse_qs, quote, urlsplit

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from shisho.messages import DEFAULT, LANGUAGES, read_catalogue
from shisho.messages.catalogue import choose_accepted_language, translate

OWN = "room."
WORDS = "word."
SHARED_PREFIXES = ("end_", "gap_", "level_", "origin_", "proof_", "state_")
COOKIE = "shisho_language"


def choose_language(chosen: str | None, accepted: str) -> str:
    """Return `ja` or `en`: the chosen language, else the browser's, else English."""
    return chosen if chosen in LANGUAGES else choose_accepted_language(accepted) or DEFAULT


def room_words(language: str) -> Mapping[str, str]:
    """Return the texts of the pages by key. Scripts fill in the variables in braces."""
    shared = tuple(WORDS + kind for kind in SHARED_PREFIXES)
    return {
        id_.removeprefix(OWN).removeprefix(WORDS): text
        for id_, text in read_catalogue(language).items()
        if id_.startswith((OWN, *shared))
    }


def room_word(key: str, language: str, **values: object) -> str:
    """Return one of the pages' own texts. Raises: KeyError for an unknown key."""
    return translate(OWN + key, language, **values)


POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
# With no-referrer the browser would send `Origin: null` with the login form, which the guard rejects.
PAGE_HEADERS = {"content-security-policy": POLICY, "referrer-policy": "same-origin"}
TITLE = "司書 Shisho"
BARE = ("login", "missing")  # pages without a script of their own
PAGES = {"ask": "/", "library": "/library", "queue": "/queue", "settings": "/settings"}
KINDS = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
A_YEAR = "public, max-age=31536000, immutable"
YEAR_SECONDS = 31_536_000


CookieFor = Callable[[str], Awaitable[str | None]]


class RoomReader(Protocol):
    """The user of these pages: their name, and whether they run the server."""

    @property
    def owner(self) -> str: ...

    @property
    def is_host(self) -> bool: ...


def build_routes(cookie_for: CookieFor, cookie: str, reader: RoomReader) -> list[BaseRoute]:
    """Return the routes of all pages of this reader, and of the files that pages use.

    `cookie_for` returns the value of `cookie` for a token; None for a wrong token.
    """
    room = _Room(cookie_for, cookie, reader)
    pages = [Route(path, room.page(name), methods=["GET"]) for name, path in PAGES.items()]
    return [
        *pages,
        Route("/a/{answer_id}", room.page("ask"), methods=["GET"]),
        Route("/d/{document_id}", room.page("viewer"), methods=["GET"]),
        Route("/e/{evidence_id}", room.page("viewer"), methods=["GET"]),
        Route("/login", room.page("login"), methods=["GET"]),
        Route("/login", room.enter, methods=["POST"]),
        Route("/logout", room.leave, methods=["POST"]),
        Route("/language", choose, methods=["GET"]),
        Route("/static/{version}/{name}", static, methods=["GET"]),
        Route("/manifest.webmanifest", manifest, methods=["GET"]),
        Route("/opensearch.xml", open_search, methods=["GET"]),
        Route("/favicon.ico", favicon, methods=["GET"]),
    ]


class _Room:
    def __init__(self, cookie_for: CookieFor, cookie: str, reader: RoomReader) -> None:
        self._cookie_for = cookie_for
        self._cookie = cookie
        self._reader = reader

    def page(self, name: str) -> Callable[[Request], Any]:
        """Return the endpoint of a page: its template, in the reader's language."""

        async def show(request: Request) -> Response:
            can_leave = self._cookie in request.cookies
            reader = self._reader.owner if can_leave or not self._reader.is_host else ""
            return _render(request, name, reader=reader, is_host=self._reader.is_host, can_leave=can_leave)

        return show

    async def leave(self, request: Request) -> Response:
        """Sign the browser out."""
        response = RedirectResponse("/login", 303)
        response.delete_cookie(self._cookie, path="/", httponly=True, samesite="strict")
        return response

    async def enter(self, request: Request) -> Response:
        """Check the token of the form, and set the browser's cookie."""
        fields = parse_qs((await request.body()).decode("utf-8", "replace"))
        back = find_own_address(fields.get("back", ["/"])[0])
        cookie = await self._cookie_for(fields.get("token", [""])[0])
        if cookie is None:
            return _render(request, "login", 401, is_wrong=True, back=back)
        response = RedirectResponse(back, 303)
        # Behind a TLS proxy only the browser knows about TLS: its page's origin shows it.
        is_sealed = request.headers.get("origin", "").lower().startswith("https://")
        response.set_cookie(
            self._cookie,
            cookie,
            max_age=YEAR_SECONDS,
            httponly=True,
            secure=is_sealed,
            samesite="strict",
            path="/",
        )
        return response


def show_missing(request: Request) -> Response:
    """Return the page for an unknown address."""
    return _render(request, "missing", 404)


def _render(request: Request, name: str, status: int = 200, *, back: str = "", **values: object) -> Response:
    language = read_language(request)
    address = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    text = (
        _load_templates()
        .get_template(f"{name}.html")
        .render(
            page=name,
            pages=PAGES,
            bare=BARE,
            address=request.url.path,
            language=language,
            others=[other for other in LANGUAGES if other != language],
            here=quote(address, safe="/"),
            title=TITLE,
            words=json.dumps(room_words(language), ensure_ascii=False),
            asset=asset,
            say=lambda key, **values: room_word(key, language, **values),
            icon=Markup(_read_contents("icon.svg").decode()),
            back=back or find_own_address(request.query_params.get("back", "/")),
            **{"is_wrong": False, "reader": "", "is_host": False, "can_leave": False, **values},
        )
    )
    return HTMLResponse(text, status, headers=PAGE_HEADERS)


@cache
def _load_templates() -> Environment:
    return Environment(
        loader=PackageLoader("shisho.interfaces.ui"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def read_language(request: Request) -> str:
    """Return the reader's language: their choice, or their browser's preference."""
    return choose_language(request.cookies.get(COOKIE), request.headers.get("accept-language", ""))


def find_own_address(text: str) -> str:
    """Return the path and query of a page of this server; `/` if the address is invalid."""
    try:
        back = urlsplit(text)
    except ValueError:
        return "/"
    path = "/" + back.path.lstrip("/\\")
    return path + (f"?{back.query}" if back.query else "")


async def choose(request: Request) -> Response:
    """Store the chosen language, and return to the previous page."""
    response = RedirectResponse(find_own_address(request.query_params.get("back", "/")), 303)
    language = request.query_params.get("to", "")
    if language in LANGUAGES:
        response.set_cookie(COOKIE, language, max_age=YEAR_SECONDS, samesite="strict", path="/")
    return response


async def static(request: Request) -> Response:
    """Serve a script, a style sheet or the icon.

    The folder name is the version of all files, so that each is downloaded once: scripts import each other by
    relative names.
    """
    name = request.path_params["name"]
    if name not in _list_names():
        return Response(status_code=404)
    kind = KINDS["." + name.rpartition(".")[2]]
    is_current = request.path_params["version"] == _compute_version()
    return Response(
        _read_contents(name), media_type=kind, headers={"cache-control": A_YEAR if is_current else "no-store"}
    )


def asset(name: str) -> str:
    """Return the address of a file of the reading room."""
    return f"/static/{_compute_version()}/{name}"


async def manifest(request: Request) -> Response:
    """Return the manifest with which a browser installs the room as an application."""
    language = read_language(request)
    entries = {
        "name": TITLE,
        "short_name": "Shisho",
        "description": room_word("about", language),
        "lang": language,
        "start_url": "/",
        "display": "standalone",
        "background_color": "#fbfaf7",
        "theme_color": "#1f4e46",
        "icons": [{"src": asset("icon.svg"), "sizes": "any", "type": "image/svg+xml"}],
    }
    return JSONResponse(entries, media_type="application/manifest+json")


async def open_search(request: Request) -> Response:
    """Return the description with which a browser searches from its address bar."""
    base = f"{request.url.scheme}://{request.url.netloc}"
    about = room_word("about", read_language(request))
    text = (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">'
        f"<ShortName>Shisho</ShortName><Description>{about}</Description>"
        "<InputEncoding>UTF-8</InputEncoding>"
        f'<Url type="text/html" template="{base}/?q={{searchTerms}}"/>'
        "</OpenSearchDescription>\n"
    )
    return Response(text, media_type="application/opensearchdescription+xml")


async def favicon(request: Request) -> Response:
    """Redirect to the icon: browsers request this name whatever the page declares."""
    return RedirectResponse(asset("icon.svg"), 301)


@cache
def _list_names() -> frozenset[str]:
    return frozenset(
        path.name for path in _find_folder().iterdir() if "." + path.name.rpartition(".")[2] in KINDS
    )


@cache
def _read_contents(name: str) -> bytes:
    contents: bytes = _find_folder().joinpath(name).read_bytes()
    return contents


@cache
def _compute_version() -> str:
    hashed = sha256()
    for name in sorted(_list_names()):
        hashed.update(_read_contents(name))
    return hashed.hexdigest()[:12]


def _find_folder() -> Any:
    return files("shisho.interfaces.ui") / "static"
