"""The user agent."""

from __future__ import annotations

from shisho.errors import InvalidParams


def format_user_agent(version: str, contact: str) -> str:
    """Return the user agent with an address for site owners. Raises InvalidParams."""
    if not contact:
        return f"Shisho/{version}"
    if not contact.isascii() or not contact.isprintable() or set(contact) & set("() "):
        raise InvalidParams("settings.bad_contact", contact=contact)
    return f"Shisho/{version} (+{contact})"
