"""Challenge pages. Submitting their form sets a cookie, with which the same address answers normally."""

from __future__ import annotations

from html import escape

from shisho_box.message import BoxRequest, BoxResponse, html, redirect
from shisho_box.rules import RuleAction

SOLVE = "/box/solve"
_COOKIE = "box_person"
_FORM = """<form id="{form}" method="post" action="{action}"><input type="hidden" name="next" value="{next}">{widget}
<button type="submit" id="box-solve">{button}</button></form>"""
# kind → status, title, form id, widget, button
_LOOKS = {
    RuleAction.CAPTCHA: (
        429,
        "One more step",
        "captcha-form",
        '<div class="g-recaptcha" data-sitekey="box"></div>',
        "I am a person",
    ),
    RuleAction.TURNSTILE: (
        403,
        "One more step",
        "turnstile",
        '<div class="cf-turnstile" data-sitekey="box"></div>',
        "Verify",
    ),
    RuleAction.CONSENT: (
        200,
        "Before you continue",
        "consent",
        "<p>We use cookies.</p>",
        "Accept all",
    ),
    RuleAction.LOGIN: (
        401,
        "Sign in",
        "sign-in",
        '<input name="user"><input type="password" name="word">',
        "Sign in",
    ),
    RuleAction.JS_CHALLENGE: (
        403,
        "Just a moment...",
        "challenge",
        "<p>Checking your browser.</p>",
        "Go on",
    ),
}


def challenge(kind: RuleAction, request: BoxRequest) -> BoxResponse:
    """Return the challenge page of this kind. A block has no form: nobody can solve it."""
    if kind is RuleAction.BLOCKED:
        return html(
            "<html><head><title>Access denied</title></head><body><p>Access denied.</p></body></html>",
            403,
        )
    status, title, form, widget, button = _LOOKS[kind]
    body = _FORM.format(form=form, action=SOLVE, next=escape(request.url), widget=widget, button=button)
    return html(
        f"<html><head><title>{title}</title></head><body><h1>{title}</h1>{body}</body></html>", status
    )


def is_solved(request: BoxRequest) -> bool:
    return request.cookies.get(_COOKIE) == "1"


def solve(request: BoxRequest) -> BoxResponse:
    """Handle the submitted form: set the cookie, and redirect to the challenged page."""
    to = request.form.get("next", "/")
    return redirect(to, 303, ("Set-Cookie", f"{_COOKIE}=1; Path=/; Max-Age=86400"))
