"""Rules by which the box misbehaves, set by tests at run time. The newest matching rule wins."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from shisho.errors import InvalidParams
from shisho_box.message import BoxResponse, Way, html, redirect


class RuleAction(StrEnum):
    """The action of a rule. From `no_results` on they only apply to result pages."""

    STATUS = "status"  # answer with `status`, and Retry-After if `retry_after` is set
    # `status` for requests less than `interval_s` after the end of the previous one; else normal
    PACE = "pace"
    SLOW = "slow"  # normal, after `delay_s`
    HANG = "hang"  # no response, ever
    RESET = "reset"  # the connection is reset
    REDIRECT = "redirect"  # to `location`, with `status` 302 unless it is set
    SCRIPT = "script"  # the named hostile script
    TEXT = "text"  # `text` in place of the content: another robots.txt, another page
    RENDERED = "rendered"  # a page whose text only appears after its script has run
    SHIFT_JIS = "shift_jis"  # a page in undeclared Shift_JIS
    CAPTCHA = "captcha"
    TURNSTILE = "turnstile"
    CONSENT = "consent"
    LOGIN = "login"
    JS_CHALLENGE = "js_challenge"
    BLOCKED = "blocked"
    NO_RESULTS = "no_results"  # the engine reports no results
    UNKNOWN_LAYOUT = "unknown_layout"  # unknown markup
    REPEAT = "repeat"  # the rows of the previous page again
    KNOWN = "known"  # only rows of earlier pages, in another order
    USELESS = "useless"  # new URLs, none of them relevant to the query
    LAST = "last"  # normal rows without a link to a next page


CHALLENGES = frozenset(
    {
        RuleAction.CAPTCHA,
        RuleAction.TURNSTILE,
        RuleAction.CONSENT,
        RuleAction.LOGIN,
        RuleAction.JS_CHALLENGE,
        RuleAction.BLOCKED,
    }
)
SHAPES = frozenset(
    {
        RuleAction.NO_RESULTS,
        RuleAction.UNKNOWN_LAYOUT,
        RuleAction.REPEAT,
        RuleAction.KNOWN,
        RuleAction.USELESS,
        RuleAction.LAST,
    }
)


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule.

    It matches `engine`, `host`, the prefix `path`, the whole `query`, and result page `page`; empty matches
    anything. It applies after `after` matching requests have passed, `times` times (0: always). Times are in
    seconds.
    """

    do: RuleAction = RuleAction.STATUS
    engine: str = ""
    host: str = ""
    path: str = ""
    query: str = ""
    page: int = 0
    after: int = 0
    times: int = 0
    status: int = 0
    retry_after: float | None = None
    delay_s: float = 0.0
    interval_s: float = 0.0
    location: str = ""
    script: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class RuleTarget:
    """The target of a request. `page` 0: not a result page."""

    host: str
    path: str
    engine: str = ""
    query: str = ""
    page: int = 0


@dataclass(slots=True)
class _Held:
    rule: Rule
    met: int = 0
    under_way: int = 0
    last: float = field(default=-math.inf)


class RuleSet:
    """The active rules."""

    def __init__(self) -> None:
        self._states: list[_Held] = []

    def add(self, rule: Rule) -> Rule:
        self._states.insert(0, _Held(rule))
        return rule

    def remove(self, rule: Rule | None = None) -> None:
        """Remove one rule, or all."""
        self._states = [state for state in self._states if rule is not None and state.rule != rule]

    def match(self, place: RuleTarget, now: float) -> Rule | None:
        """Return the rule for this request, which is counted and in progress until `record_end`.

        If the request respects a pace, older rules apply.
        """
        fitting = [state for state in self._states if _is_matching(state.rule, place)]
        rule = next((state.rule for state in fitting if _is_active(state, now)), None)
        for state in fitting:
            state.under_way += 1
        return rule

    def record_end(self, place: RuleTarget, now: float) -> None:
        """Record the end of a matched request: paces are measured from here."""
        for state in self._states:
            if _is_matching(state.rule, place):
                state.under_way = max(0, state.under_way - 1)
                state.last = now


def rule_of(values: dict[str, Any]) -> Rule:
    """Return a rule from plain values. Raises: InvalidParams for an unknown name or action."""
    try:
        return Rule(**{**values, "do": RuleAction(values.get("do", RuleAction.STATUS))})
    except (TypeError, ValueError) as error:
        raise InvalidParams(
            "box.unknown_rule",
            error=error,
            known=", ".join(RuleAction),
        ) from error


def _is_active(state: _Held, now: float) -> bool:
    rule = state.rule
    if rule.do is RuleAction.PACE and not state.under_way and now - state.last >= rule.interval_s:
        return False
    state.met += 1
    number = state.met - rule.after
    return number > 0 and (not rule.times or number <= rule.times)


def _is_matching(rule: Rule, place: RuleTarget) -> bool:
    return (
        rule.engine in ("", place.engine)
        and rule.host in ("", place.host)
        and place.path.startswith(rule.path)
        and rule.query in ("", place.query)
        and rule.page in (0, place.page)
        and not (rule.do in SHAPES and not place.page)
    )


def find_deed(rule: Rule) -> BoxResponse | None:
    """Return the response of a rule that has one of its own."""
    match rule.do:
        case RuleAction.STATUS:
            return _make_refusal(rule, rule.status or 503)
        case RuleAction.PACE:
            return _make_refusal(rule, rule.status or 429)
        case RuleAction.HANG:
            return BoxResponse(way=Way.HANG)
        case RuleAction.RESET:
            return BoxResponse(way=Way.RESET)
        case RuleAction.SCRIPT:
            return BoxResponse(way=Way.SCRIPT, script=rule.script)
        case RuleAction.TEXT:
            kind = "plain" if rule.path.endswith(".txt") else "html"
            return BoxResponse(rule.text.encode(), rule.status or 200, f"text/{kind}; charset=utf-8")
        case RuleAction.REDIRECT:
            return redirect(rule.location, rule.status or 302)
        case _:
            return None


def _make_refusal(rule: Rule, status: int) -> BoxResponse:
    wait = rule.interval_s if rule.retry_after is None and rule.do is RuleAction.PACE else rule.retry_after
    headers = () if wait is None else (("Retry-After", str(math.ceil(wait))),)
    return html(f"<html><title>{status}</title><body><p>Status {status}.</p></body></html>", status, *headers)
