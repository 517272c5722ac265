"""Access rules of the server, and the headers of every reply.

The rules check Host, Origin, the token (or the cookie that a browser got for it), and the size and duration
of the body.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import unicodedata
import uuid
from codecs import BOM_UTF8
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import field
from functools import partial
from http.cookies import CookieError, SimpleCookie
from ipaddress import ip_address
from urllib.parse import quote, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.types import Message as Event

from shisho.domain.corpus import LOCAL_OWNER
from shisho.domain.team import derive_cookie
from shisho.errors import InvalidParams, ShishoError
from shisho.interfaces.api.truncate import SERVER_URL, SHOWS_PATHS
from shisho.interfaces.http.connections import MAX_CONNECTIONS
from shisho.interfaces.http.lasting import LastingReply
from shisho.interfaces.http.people import NO_PROXIES, PersonalApplications, ProxyRules
from shisho.interfaces.ui import COOKIE as LANGUAGE_COOKIE
from shisho.messages import LANGUAGES, Message
from shisho.messages.catalogue import choose_accepted_language, render, use_language
from shisho.records import dataclass

COOKIE = "shisho_token"


def decode_header(value: str) -> str:
    """Decode a header's value as UTF-8 if possible."""
    try:
        return value.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return value


def read_word(headers: Headers) -> tuple[str, bool]:
    """Return the token of a request, or its cookie, and whether it is the cookie.

    Another authorization scheme gives "".
    """
    scheme, _, word = headers.get("authorization", "").partition(" ")
    if scheme.lower() in ("", "basic"):  # basic is for a proxy, which may forward it
        return read_cookie(headers, COOKIE), True
    return word.strip() if scheme.lower() == "bearer" else "", False


def read_cookie(headers: Headers, name: str) -> str:
    cookies = SimpleCookie()
    with suppress(CookieError):
        cookies.load(headers.get("cookie", ""))
    return cookies[name].value if name in cookies else ""


def read_language(headers: Headers) -> str | None:
    """Return the language chosen in the reading room, else the one that the client accepts.

    Scripts cannot set a header on an event stream, so the choice is in a cookie.
    """
    cookie = read_cookie(headers, LANGUAGE_COOKIE)
    return cookie if cookie in LANGUAGES else choose_accepted_language(headers.get("accept-language", ""))


# Health, the login page, and resources without any data of the library.
OPEN_PATHS = frozenset({"/livez", "/readyz", "/login", "/language", "/manifest.webmanifest", "/favicon.ico"})
OPEN_FOLDER = "/static/"
LOGIN = "/login"
MCP_PATH = "/mcp"
MAX_BACK = 2_000  # characters of the address that the login form returns to
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "x-frame-options": "DENY",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "cache-control": "no-store",
}


@dataclass(frozen=True, slots=True)
class AccessRules:
    """The access rules of a server.

    `host` is its listening address; `hosts` are further accepted host names, `origins` other sites whose
    pages may call it. A body has at most `body_bytes`, or the limit in `large` for its path. It must arrive
    within `body_seconds`, extended in proportion for each further `body_bytes` that arrived. `token` opens
    the library of this machine's owner; `people` has the token of each further library's owner. If proxies
    name users (`proxies`), every request needs a user name or a token. `all_tools`: assistants see all
    tools. `max_connections`: may be open at the same time.

    Raises: InvalidParams if other machines could connect without a token.
    """

    host: str = "127.0.0.1"
    token: str = ""
    people: Mapping[str, str] = field(default_factory=dict, repr=False)
    hosts: frozenset[str] = frozenset()
    origins: frozenset[str] = frozenset()
    body_bytes: int = 4 << 20
    large: Mapping[str, int] = field(default_factory=dict)
    body_seconds: float = 60.0
    proxies: ProxyRules = NO_PROXIES
    all_tools: bool = False
    max_connections: int = MAX_CONNECTIONS

    def __post_init__(self) -> None:
        if self._list_tokens() or self.proxies.header:
            return
        if not is_loopback(self.host):
            raise InvalidParams(
                "http.token_needed_to_listen",
                host=self.host,
            )
        # Requests through a proxy come from this machine, not from the sender.
        outside = sorted(host for host in self.hosts if not is_loopback(host))
        if outside:
            raise InvalidParams(
                "http.token_needed_for_host",
                host=outside[0],
            )

    def refusal(self, path: str, headers: Headers, owner: str | None = None) -> Refusal | None:
        """Return why this request is refused; None if it is allowed. `owner`: if already known."""
        if not self._is_host_known(headers.get("host", "")):
            return Refusal(
                421,
                "FORBIDDEN_ADDRESS",
                Message("http.unknown_host"),
            )
        if not self._is_origin_known(headers.get("origin"), headers.get("host", "")):
            return Refusal(
                403,
                "FORBIDDEN_ADDRESS",
                Message("http.unknown_origin"),
            )
        if not is_open(path) and (owner or self.owner_of(headers)) is None:
            return Refusal(401, "AUTH_REQUIRED", Message("http.token_missing"))
        return None

    def owner_of(self, headers: Headers) -> str | None:
        """Return the library's owner for the token or cookie of this request.

        None if it has neither.
        """
        tokens = self._list_tokens()
        if not tokens:
            return None if self.proxies.header else LOCAL_OWNER
        word, is_cookie = read_word(headers)
        words = {owner: derive_cookie(token) for owner, token in tokens.items()} if is_cookie else tokens
        return _find_owner(word, words)

    def cookie_for(self, token: str) -> str | None:
        """Return the cookie for a browser that sent this token; None if the token is unknown.

        The token cannot be derived from it.
        """
        tokens = self._list_tokens()
        owner = _find_owner(token.strip(), tokens)
        return None if owner is None else derive_cookie(tokens[owner])

    def _list_tokens(self) -> dict[str, str]:
        """Return the token of each owner; empty if everyone has access."""
        return {**({LOCAL_OWNER: self.token} if self.token else {}), **self.people}

    @property
    def has_tokens(self) -> bool:
        """Return False if everyone has access, or the users that a proxy names."""
        return bool(self._list_tokens())

    def _is_host_known(self, host: str) -> bool:
        try:
            name = (urlsplit(f"//{host}").hostname or "").lower()
        except ValueError:
            return False
        # A page can point its own name at this machine, but not an IP address: addresses cannot be rebound.
        return name in LOOPBACK | self.hosts | {self.host} or (
            not is_loopback(self.host) and _is_address(name)
        )

    def _is_origin_known(self, origin: str | None, host: str) -> bool:
        return (
            origin is None
            or origin in self.origins
            or origin.lower() in {f"http://{host}".lower(), f"https://{host}".lower()}
        )


@dataclass(frozen=True, slots=True)
class Refusal:
    """A request that is rejected before it reaches the application."""

    status: int
    code: str
    message: Message

    async def __call__(self, send: Send) -> None:
        body = {
            "ok": False,
            "code": self.code,
            "message": render(self.message),
            "message_id": self.message.id,
            "details": {},
            "error_id": uuid.uuid4().hex[:12],
        }
        headers = [(b"content-type", b"application/json"), (b"connection", b"close")]
        if self.status == 401:
            headers.append((b"www-authenticate", b"Bearer"))
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        await send({"type": "http.response.body", "body": json.dumps(body, ensure_ascii=False).encode()})


UNKNOWN_TOKEN = Refusal(
    401,
    "AUTH_REQUIRED",
    Message("http.unknown_token"),
)


class Guard:
    """The outermost layer of the application, which reads each body completely before passing it on.

    `app` belongs to this machine's owner; unauthenticated users see its open paths. `people` has the
    applications of all other users.
    """

    def __init__(self, app: ASGIApp, rules: AccessRules, people: PersonalApplications | None = None) -> None:
        self.app = app
        self.rules = rules
        self._people = people

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            return await self.app(scope, receive, send)
        if scope["type"] != "http":
            return await send({"type": "websocket.close", "code": 1008})
        sealed = _seal_headers(send)
        headers = Headers(scope=scope)
        owner = await self._identify_owner(headers, scope)
        refusal = owner if isinstance(owner, Refusal) else self.rules.refusal(scope["path"], headers, owner)
        taken = refusal or await self._read_body(scope, receive)
        if isinstance(taken, Refusal):
            is_page = taken.status == 401 and "text/html" in headers.get("accept", "")
            with use_language(read_language(headers)):
                return await (_lead_to_login(scope, sealed) if is_page else taken(sealed))
        if taken is not None:
            SERVER_URL.set(_find_url(scope, headers))  # as SHOWS_PATHS
            app = self.app
            if scope["path"] == MCP_PATH:  # elsewhere Python's JSON parser skips the BOM
                taken = taken.removeprefix(BOM_UTF8)
            replayed = _replay_body(taken, receive)
            if isinstance(owner, str) and owner != LOCAL_OWNER and self._people is not None:
                SHOWS_PATHS.set(False)  # for this request and the session that it may start
                app = await self._people.get(owner)
                reply = LastingReply(
                    replayed, sealed, partial(self._has_valid_credentials, owner, headers, scope)
                )
                replayed, sealed = reply.read, reply.write
            with use_language(read_language(headers)):
                await app(scope, replayed, sealed)

    async def _has_valid_credentials(self, owner: str, headers: Headers, scope: Scope) -> bool:
        """Return whether the request's credentials still belong to this person.

        If the library is unavailable, nobody is locked out.
        """
        owner_now = await self._identify_owner(headers, scope)
        return owner_now == owner or (isinstance(owner_now, Refusal) and owner_now.status == 503)

    async def _identify_owner(self, headers: Headers, scope: Scope) -> str | Refusal | None:
        """Return the library's owner for this request; None without credentials."""
        if self._people is None:
            return self.rules.owner_of(headers)
        team = self._people.library.team
        try:
            if headers.getlist(self.rules.proxies.header):
                return await _read_proxy_user(self.rules.proxies, headers, scope, team.has_user)
            word, is_cookie = read_word(headers)
            owner = self.rules.owner_of(headers)
            user = None
            if (word or not is_cookie) and (owner is None or not self.rules.has_tokens):
                user = await team.find_user(word) if word else None
                # A sent token means a library of its own, never the one that needs no token; but a browser
                # keeps sending the cookie of an earlier server at this address.
                if user is None and owner is not None and not is_cookie:
                    return None if is_open(scope["path"]) else UNKNOWN_TOKEN
            return user or owner
        except ShishoError as error:  # the library is unavailable: open pages explain why
            return None if is_open(scope["path"]) else Refusal(503, error.code, error.message)

    async def _read_body(self, scope: Scope, receive: Receive) -> bytes | Refusal | None:
        """Return the body; None if the client disconnected."""
        most = self.rules.large.get(scope["path"], self.rules.body_bytes)
        too_large = Refusal(413, "TOO_LARGE", Message("http.body_too_large", megabytes=most / 2**20))
        declared = Headers(scope=scope).get("content-length", "0")
        if declared.isdigit() and int(declared) > most:
            return too_large
        body = bytearray()
        began = asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout(self.rules.body_seconds) as patience:
                while True:
                    message = await receive()
                    if message["type"] != "http.request":
                        return None
                    body += message.get("body", b"")
                    if len(body) > most:
                        return too_large
                    if not message.get("more_body", False):
                        return bytes(body)
                    # a large file over a slow line is not an attack as long as bytes arrive
                    share = len(body) / self.rules.body_bytes
                    patience.reschedule(began + self.rules.body_seconds * (1 + share))
        except TimeoutError:
            seconds = self.rules.body_seconds
            return Refusal(
                408,
                "TIMEOUT",
                Message("http.body_timeout", seconds=seconds),
            )


async def _read_proxy_user(
    rules: ProxyRules, headers: Headers, scope: Scope, has_user: Callable[[str], Awaitable[bool]]
) -> str | Refusal:
    names = headers.getlist(rules.header)
    peer = scope.get("client") or ("", 0)
    if not rules.is_trusted(peer[0]):
        why = Message("http.untrusted_proxy", name=rules.header)
        return Refusal(401, "AUTH_REQUIRED", why)
    name = unicodedata.normalize("NFC", decode_header(names[0])).strip()
    if len(names) == 1 and name != LOCAL_OWNER and await has_user(name):
        return name
    why = Message("http.unknown_user", name=name)
    return Refusal(403, "ACCESS_DENIED", why)


def read_people(text: str, token: str = "") -> dict[str, str]:
    """Parse the setting `tokens` into the token of each owner.

    `token` is that of this machine's owner. Raises: InvalidParams, which never quotes a token.
    """
    people: dict[str, str] = {}
    for number, entry in enumerate(text.split(), 1):
        name, _, word = entry.partition(":")
        name = unicodedata.normalize("NFC", name)
        if not name or not word:
            raise InvalidParams(
                "http.bad_token_entry",
                number=number,
            )
        if name == LOCAL_OWNER or name in people or word in (token, *people.values()):
            raise InvalidParams(
                "http.duplicate_token",
                number=number,
            )
        people[name] = word
    return people


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach a server on this host."""
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def is_open(path: str) -> bool:
    """Return whether the path is shown without a token."""
    return path in OPEN_PATHS or path.startswith(OPEN_FOLDER)


async def _lead_to_login(scope: Scope, send: Send) -> None:
    query = scope["query_string"].decode("latin-1")
    wanted = quote(scope["path"]) + (f"?{query}" if query else "")
    location = f"{LOGIN}?back={quote(wanted)}" if len(wanted) <= MAX_BACK else LOGIN
    await send(
        {
            "type": "http.response.start",
            "status": 303,
            "headers": [(b"location", location.encode()), (b"connection", b"close")],
        }
    )
    await send({"type": "http.response.body", "body": b""})


def _find_owner(word: str, words: Mapping[str, str]) -> str | None:
    """Return the owner of a token. Compares all in full, so that the time reveals nothing."""
    digest = _digest(word)
    matches = [owner for owner, own_word in words.items() if hmac.compare_digest(digest, _digest(own_word))]
    return matches[0] if matches else None


def _digest(word: str) -> bytes:
    return hashlib.sha256(word.encode()).digest()


def _find_url(scope: Scope, headers: Headers) -> str:
    """Return the address of this server for the client.

    A proxy may have received the request over https.
    """
    scheme = "https" if headers.get("x-forwarded-proto") == "https" else scope["scheme"]
    return f"{scheme}://{headers.get('host', '')}"


def _replay_body(body: bytes, receive: Receive) -> Receive:
    first: list[Event] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Event:
        return first.pop() if first else await receive()

    return replay


def _seal_headers(send: Send) -> Send:
    async def send_sealed(message: Event) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(raw=list(message.get("headers", [])))
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
            message = {**message, "headers": headers.raw}
        await send(message)

    return send_sealed
