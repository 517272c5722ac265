"""Block detection: pure rules from a response to the kind of challenge, for any fetched page."""

from __future__ import annotations

import re
from collections.abc import Mapping

from shisho.domain.web import Challenge, ChallengeKind

_Rule = tuple[ChallengeKind, re.Pattern[str]]


def _load_rules(*rows: tuple[ChallengeKind, str]) -> tuple[_Rule, ...]:
    return tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in rows)


# The first matching rule decides the kind, so specific rules precede general ones. No pattern has nested
# repetition, so the search is linear in the page.
_IN_BODY = _load_rules(
    (ChallengeKind.CAPTCHA, r"anomaly-modal__|/anomaly\.js\?"),
    (
        ChallengeKind.CAPTCHA,
        r"<form[^>]{0,200}\bid=[\"']?captcha-form|[\"'/]CaptchaRedirect\b|/sorry/image\?",
    ),
    (ChallengeKind.CAPTCHA, r"captcha-delivery\.com"),
    (
        ChallengeKind.CAPTCHA,
        r"chk_captcha|__cf_chl_captcha_tk__|cf-challenge-hcaptcha|cf-hcaptcha-container",
    ),
    (
        ChallengeKind.TURNSTILE,
        r"class=[\"']?cf-turnstile|id=[\"']?(?:cf-)?turnstile-widget|cf-norobot-container",
    ),
    (ChallengeKind.TURNSTILE, r"name=[\"']?cf-turnstile-response"),
    (
        ChallengeKind.JS_CHALLENGE,
        r"chk_jschl|jschl[-_]answer|__cf_chl_jschl_tk__|cf-challenge-running|cf-browser-verification",
    ),
    (
        ChallengeKind.TURNSTILE,
        r"/cdn-cgi/challenge-platform/[^\"' ]{0,40}orchestrate/(?:managed|chl_page|captcha)|_cf_chl_opt",
    ),
    (
        ChallengeKind.JS_CHALLENGE,
        r"anubis_challenge|\.within\.website/x/cmd/anubis|/check/check1\.js|ddos-guard",
    ),
    (
        ChallengeKind.CONSENT,
        r"<form[^>]{0,200}action=[\"']?https://consent\.(?:google|youtube|yahoo)\.",
    ),
)
# Words that an article about blocks may use too: only trusted as a whole title, or on a page too small for an
# article.
_IN_TITLE = _load_rules(
    (
        ChallengeKind.JS_CHALLENGE,
        r"^\s*(?:just a moment\.\.\.|checking your browser|(?:.{0,80}\| )?verifying your request)",
    ),
    (
        ChallengeKind.BLOCKED,
        r"^\s*(?:access denied|.{0,40}: ip blocked|attention required!|too many requests)",
    ),
    (ChallengeKind.CAPTCHA, r"^\s*(?:solve the )?captcha\b|^\s*robot check|^\s*are you a robot\?"),
    (ChallengeKind.CONSENT, r"^\s*before you continue"),
)
_IN_SMALL_BODY = _load_rules(
    (ChallengeKind.CAPTCHA, r"unusual traffic[^<]{0,400}(?:robot|captcha)"),
    (ChallengeKind.BLOCKED, r"sorry, you have been blocked|sending automated queries"),
)
_SMALL = 20_000
_IN_URL = _load_rules(
    (
        ChallengeKind.CAPTCHA,
        r"://[^/]{0,80}google\.[^/]{0,10}/sorry/|startpage\.com/sp/captcha|/captcha(?:[/?]|$)",
    ),
    (ChallengeKind.CONSENT, r"://consent\.(?:google|youtube|yahoo)\.[^/]{0,10}/"),
    (ChallengeKind.LOGIN, r"://accounts\.google\.[^/]{0,10}/|://login\.[^/]{0,80}/"),
)
_CAPTCHA_WIDGET = re.compile(
    r"/recaptcha/(?:api|enterprise)\.js|hcaptcha\.com/1/api\.js|class=[\"']?(?:g-recaptcha|h-captcha)",
    re.IGNORECASE,
)
_TITLE = re.compile(r"<title[^>]{0,200}>([^<]{0,400})", re.IGNORECASE)


def detect(
    text: str, url: str = "", status: int = 200, markers: Mapping[str, ChallengeKind] | None = None
) -> Challenge | None:
    """Return the challenge that this page is, or None.

    `markers`: an engine's own markers, as plain strings of its source.

    A result page may contain a captcha's script without being a challenge: call this only for a page without
    hits.
    """
    for marker, kind in (markers or {}).items():
        if marker in text:
            return Challenge(kind, marker)
    title = _TITLE.search(text)
    challenge = (
        _find_first(_IN_URL, url)
        or _find_first(_IN_BODY, text)
        or _find_first(_IN_TITLE, title.group(1) if title else "")
    )
    if challenge is None and len(text) < _SMALL:
        challenge = _find_first(_IN_SMALL_BODY, text)
    widget = _CAPTCHA_WIDGET.search(text)
    if widget and (
        challenge is None or challenge.kind in (ChallengeKind.BLOCKED, ChallengeKind.JS_CHALLENGE)
    ):
        refused = status in (403, 429) or challenge is not None or len(text) < _SMALL
        return Challenge(ChallengeKind.CAPTCHA, widget.group()) if refused else None
    if challenge is None and status == 401:
        return Challenge(ChallengeKind.LOGIN, "status 401")
    return challenge


def _find_first(rules: tuple[_Rule, ...], text: str) -> Challenge | None:
    for kind, pattern in rules:
        match = pattern.search(text)
        if match:
            return Challenge(kind, match.group().strip()[:80])
    return None
