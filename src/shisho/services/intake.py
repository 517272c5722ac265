"""Validation of everything that enters the queue, with the reasons for skipped items. Pure functions."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, fields, replace
from pathlib import Path
from urllib.parse import urlsplit

from shisho.domain.codec import dumps, to_plain
from shisho.domain.corpus import WEB_CORPUS
from shisho.domain.inquiry import Budget
from shisho.domain.job import IdempotencyKey, shorten_subject
from shisho.domain.payloads import SearchJob
from shisho.domain.task import MAX_QUERIES, MAX_WAIT, Bytes, SearchOptions, SkippedItem
from shisho.errors import ForbiddenPath, InvalidParams
from shisho.messages import Message
from shisho.messages.system import explain_error
from shisho.records import dataclass
from shisho.services.coercion import check_path, coerce_search, coerce_strings

NamePage = Callable[[str], str]
"""The canonical name of the page at an address. Raises ValueError if it is not a web address."""

MAX_QUERY = 500  # characters; the strictest engine accepts 499
MAX_URLS = 200
MAX_PAGES = 10
CEILINGS: Mapping[str, float] = {"max_pages": 200, "max_seconds": 1200}
MORE_CEILINGS = ("max_model_calls", "max_tokens")
# values that broken clients send for "no query"
_NOTHING = frozenset({"undefined", "null", "none", "nan", "[object object]"})
_DOI = re.compile(
    r"(?:doi:\s*)?(?P<bare>10\.\d{4,9}/\S+)|https?://(?:dx\.)?doi\.org/(?P<linked>10\.\d{4,9}/\S+)",
    re.IGNORECASE,
)
# characters that a DOI may contain (10.1000/456#789) but that end the path of an address
_ESCAPED = str.maketrans({"#": "%23", "?": "%3F"})
_LANGUAGE = re.compile(r"(?:(?P<language>[a-z]{2,3})(?:-[a-z]{4})?(?:-(?P<country>[a-z]{2}))?)?")
_COUNTRY = re.compile(r"(?:[A-Za-z]{2})?")
_DOMAIN = re.compile(r"(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}")


def fill_task_ceilings(ceilings: Mapping[str, float | None] | None) -> dict[str, float]:
    """Return the ceilings of a task, with defaults. Raises InvalidParams."""
    for name, most in (ceilings or {}).items():
        _check_ceiling(name, most, (*CEILINGS, *MORE_CEILINGS))
    return {**CEILINGS, **{name: most for name, most in (ceilings or {}).items() if most is not None}}


def check_wait(seconds: float) -> float:
    """Return the seconds. Raises InvalidParams outside 0..50 s."""
    if not 0 <= seconds <= MAX_WAIT:
        raise InvalidParams(
            "task.wait_out_of_range",
            max_wait=MAX_WAIT,
            seconds=seconds,
        )
    return seconds


def select_queries(given: str | Sequence[str]) -> tuple[list[str], list[SkippedItem]]:
    """Return the usable queries, each once, and the others with reasons.

    Raises: InvalidParams for more than 50 or none.
    """
    queries = coerce_strings(given)
    if len(queries) > MAX_QUERIES:
        raise InvalidParams(
            "queue.too_many_queries",
            count=len(queries),
            max_queries=MAX_QUERIES,
        )
    queries_by_key: dict[str, str] = {}
    skipped = []
    for query in queries:
        text = " ".join(query.encode("utf-8", "replace").decode().split())
        reason = _find_fault(text) or (
            Message("queue.repeated_query") if fold_query(text) in queries_by_key else ""
        )
        if reason:
            skipped.append(SkippedItem(query, reason))
        else:
            queries_by_key[fold_query(text)] = text
    if not queries_by_key:
        raise InvalidParams(
            "queue.no_query",
            skipped=to_plain(skipped),
        )
    return list(queries_by_key.values()), skipped


def _find_fault(text: str) -> str:
    if not any(character.isalnum() for character in text):
        return Message("queue.blank_query")
    if text.casefold() in _NOTHING:
        return Message("queue.not_a_query", text=text)
    return Message("queue.query_too_long", limit=MAX_QUERY) if len(text) > MAX_QUERY else ""


def fold_query(query: str) -> str:
    """Return the normalized form that different spellings of a query share."""
    return " ".join(unicodedata.normalize("NFKC", query).casefold().split())


def check_options(options: SearchOptions) -> SearchOptions:
    """Return the options with choices for texts, and `pt-BR` as the language pt in the region br.

    Raises: InvalidParams for unknown choices, numbers out of range, and unknown languages or countries.
    """
    options = _check_language(coerce_search(options))
    for name, least, most in (
        ("max_results_per_query", 1, 100),
        ("serp_page", 1, MAX_PAGES),
        ("serp_max_pages", 1, MAX_PAGES),
    ):
        value = getattr(options, name)
        if value is not None and not least <= value <= most:
            raise InvalidParams(
                "common.out_of_range",
                name=name,
                least=least,
                most=most,
                value=value,
            )
    return options


def _check_language(options: SearchOptions) -> SearchOptions:
    """Check language and region, which become part of addresses, headers and cookies."""
    tag = _LANGUAGE.fullmatch(options.language.lower())
    if tag is None:
        raise InvalidParams(
            "queue.bad_language",
            language=repr(options.language),
        )
    if not _COUNTRY.fullmatch(options.region or ""):
        raise InvalidParams("queue.bad_region", region=repr(options.region))
    return replace(options, language=tag["language"] or "", region=options.region or tag["country"])


def build_search_job(query: str, options: SearchOptions, owner: str) -> SearchJob:
    """Build the payload of a search job."""
    chosen = {option.name: getattr(options, option.name) for option in fields(SearchOptions)}
    return SearchJob(query=query, owner=owner, **chosen)


def make_search_key(query: str, options: SearchOptions) -> str:
    """Return the same key for two searches that would ask the same."""
    option_values = to_plain(replace(options, priority=SearchOptions().priority))
    return (
        "search "
        + hashlib.sha256(repr((fold_query(query), sorted(option_values.items()))).encode()).hexdigest()[:32]
    )


@dataclass(frozen=True, slots=True)
class PageAddress:
    """The address of a page, and the name that all its spellings share."""

    url: str
    name: str


def parse_addresses(
    texts: str | Sequence[str], name_page: NamePage
) -> tuple[dict[str, PageAddress], list[SkippedItem]]:
    """Return addresses by the given text, each page once, and the others with reasons.

    A DOI becomes the address of its resolver.
    """
    addresses: dict[str, PageAddress] = {}
    names: set[str] = set()
    skipped = []
    for text in coerce_strings(texts):
        address = _parse_address(text.strip(), name_page)
        if address is None:
            skipped.append(SkippedItem(text, Message("queue.not_an_address")))
        elif address.name in names:
            skipped.append(SkippedItem(text, Message("queue.repeated_query")))
        elif len(addresses) == MAX_URLS:
            skipped.append(SkippedItem(text, Message("queue.too_many_addresses", limit=MAX_URLS)))
        else:
            names.add(address.name)
            addresses[text] = address
    return addresses, skipped


def _parse_address(text: str, name_page: NamePage) -> PageAddress | None:
    doi = _DOI.fullmatch(text)
    url = f"https://doi.org/{doi['linked'] or doi['bare'].translate(_ESCAPED)}" if doi else text
    try:
        return PageAddress(url, name_page(url))
    except ValueError:
        return None


def check_question_ceilings(given: Budget | Mapping[str, float | None] | None) -> dict[str, float]:
    """Return the ceilings of one question; None keeps the default.

    Raises: InvalidParams with the valid names.
    """
    known_ceilings = sorted(field.name for field in fields(Budget))
    ceilings = asdict(given) if isinstance(given, Budget) else dict(given or {})
    for name, most in ceilings.items():
        _check_ceiling(name, most, known_ceilings)
    return {
        name: most if name == "max_seconds" else int(most)
        for name, most in ceilings.items()
        if most is not None
    }


def _check_ceiling(name: str, most: float | None, known: Sequence[str]) -> None:
    if name not in known:
        raise InvalidParams("budget.unknown", name=name, known=", ".join(known))
    if most is not None and (not isinstance(most, int | float) or not 0 <= most < float("inf")):
        raise InvalidParams("budget.negative", name=name, most=most)


def parse_cursor(cursor: str | None) -> int:
    """Return the position of a cursor in a list. Raises InvalidParams."""
    if cursor is None:
        return 0
    if not (cursor.isascii() and cursor.isdigit() and len(cursor) < 19):
        raise InvalidParams("task.bad_cursor", cursor=cursor)
    return int(cursor)


def check_waiting_name(name: str) -> str:
    """Return the name of a pending intervention. Raises InvalidParams for a blank."""
    if not name.strip():
        raise InvalidParams("wait.blank_name")
    return name


def check_corpus_name(name: str) -> str:
    """Return the name of a corpus that documents can be added to. Raises InvalidParams."""
    if name == WEB_CORPUS:
        raise InvalidParams("corpus.reserved_for_web", web_corpus=WEB_CORPUS)
    return name


def check_upload_name(name: str) -> str:
    """Return the name of uploaded bytes: the path below the uploaded folder, else its last part.

    It never replaces a file on disk. Raises InvalidParams.
    """
    path = name.replace("\\", "/")
    parts = [part.strip() for part in path.split("/") if part.strip() not in ("", ".")]
    is_elsewhere = path.startswith(("/", "~")) or ".." in parts or ":" in path.partition("/")[0]
    if parts in ([], [".."]) or parts[-1] == ".." or any(ord(character) < 32 for character in name.strip()):
        raise InvalidParams("adding.bytes_without_name")
    return parts[-1] if is_elsewhere else "/".join(parts)


def resolve_file(path: Path | str) -> Path:
    """Return the real path of a file. Raises InvalidParams."""
    check_path(path)
    try:
        return Path(path).expanduser().resolve()
    except (ValueError, RuntimeError, OSError) as error:
        raise InvalidParams("path.invalid", path=str(path), error=explain_error(error)) from error


def find_allowed_root(path: Path, roots: Sequence[Path]) -> Path:
    """Return the allowed folder that contains a path. Raises ForbiddenPath."""
    check_allowed(path, roots)
    return next(root for root in roots if path.is_relative_to(root))


def check_allowed(path: Path | str, roots: Sequence[Path]) -> Path:
    """Return the real path, as `resolve_file`.

    Raises ForbiddenPath for a file outside the allowed folders, without further information about it.
    """
    real_path = resolve_file(path)
    if not any(real_path.is_relative_to(root) for root in roots):
        raise ForbiddenPath(
            "path.not_allowed",
            path=path,
        )
    return real_path


def parse_domain(text: str) -> str:
    """Return a domain in the form used in addresses. Raises InvalidParams."""
    name = text.strip().rstrip(".").lower()
    try:
        name = (urlsplit(name).hostname or "") if "://" in name else name
        name = name.encode("idna").decode("ascii")
    except ValueError:
        name = ""
    if not _DOMAIN.fullmatch(name):
        raise InvalidParams("queue.bad_domain", text=text)
    return name


def make_request_key(
    owner: str, key: str | None, verb: str, subjects: Sequence[str], request: object = None
) -> IdempotencyKey | None:
    """Return the key with a hash of the one request that it belongs to.

    Raises InvalidParams for a blank one.
    """
    if key is None:
        return None
    if not key.strip():
        raise InvalidParams("request_key.blank")
    first = shorten_subject(subjects[0])
    more = len(subjects) - 1
    subject = Message("request_key.subject_more", first=first, count=more) if more else repr(first)
    return IdempotencyKey(
        owner,
        key,
        verb,
        hashlib.sha256(dumps(request).encode("utf-8", "replace")).hexdigest(),
        subject,
    )


@dataclass(frozen=True, slots=True)
class DocumentRequest:
    """The documents of a request: files by the hash of their bytes, the password as a hash."""

    paths: tuple[str, ...]
    urls: tuple[str, ...]
    files: tuple[tuple[str, str], ...]
    password: str | None


def describe_documents(
    paths: Sequence[Path | str],
    urls: Sequence[str],
    files: Sequence[Bytes],
    password: str | None,
    key: str,
) -> DocumentRequest | None:
    """Return the documents of a request in a form that is comparable and without secrets.

    Returns None without a key.
    """
    if not key:
        return None
    hashes = tuple((file.name, hashlib.sha256(file.data).hexdigest()) for file in files)
    return DocumentRequest(tuple(map(str, paths)), tuple(urls), hashes, _hash_secret(password, key))


def _hash_secret(secret: str | None, salt: str) -> str | None:
    """Return a hash that distinguishes secrets but makes guessing them too expensive."""
    if secret is None:
        return None
    return hashlib.scrypt(
        secret.encode("utf-8", "replace"), salt=salt.encode("utf-8", "replace"), n=2**14, r=8, p=1
    ).hex()
