"""Lay out a page's paragraphs in one of three frames, with menus and margins that a reader must remove."""

from __future__ import annotations

from html import escape

from shisho_box.world import MADE, BoxPage

_HEAD = '<!doctype html><html lang="{lang}"><head><meta charset="utf-8"><title>{title} | {host}</title>{more}</head>'
_BLOG = """<body><header><p class="logo"><a href="/">{host}</a></p><nav><ul>{menu}</ul></nav></header>
<main><article><h1>{title}</h1><p class="date"><time datetime="{day}">{day}</time></p>{text}</article></main>
<aside><h2>{recent}</h2><ul>{menu}</ul></aside><footer><p>© {year} {host}</p></footer></body></html>"""
_OLD = """<body><table width="100%"><tr><td class="side" width="160"><ul>{menu}</ul></td><td class="main"><h1>{title}</h1>{text}
<p align="right">{day}</p></td></tr></table><hr><address>{host}</address></body></html>"""
_SECTIONS = """<body><div id="wrap"><div id="nav">{menu}</div><div id="content" role="main"><h1>{title}</h1>{text}</div>
<div id="foot"><p>{host} {day}</p></div></div></body></html>"""
_FRAMES = (_BLOG, _OLD, _SECTIONS)
_CANONICAL = '<link rel="canonical" href="{url}">'


def render(page: BoxPage) -> bytes:
    """Return the bytes of a page as its server sends them."""
    if page.body is not None:
        return page.body
    words = MADE["language"][page.topic.language]["menu"]
    frame = _FRAMES[page.number % len(_FRAMES)]
    title = escape(page.title)
    host = escape(page.host)
    # Every other page has a canonical URL; a mirror's is that of the original.
    more = _CANONICAL.format(url=escape(page.mirror_of or page.url)) if page.number % 2 else ""
    body = frame.format(
        title=title,
        host=host,
        day=page.day.isoformat(),
        year=page.day.year,
        recent=words[1],
        menu="".join(f'<li><a href="/{at}/">{word}</a></li>' for at, word in enumerate(words)),
        text=_make_text(page),
    )
    return (_HEAD.format(lang=page.topic.language, title=title, host=host, more=more) + body).encode()


def _make_text(page: BoxPage) -> str:
    """Return plain paragraphs, or one heading for each after the first."""
    paragraphs = [escape(paragraph) for paragraph in page.paragraphs]
    if page.number % len(_FRAMES) != 2:
        return "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
    return f"<p>{paragraphs[0]}</p>" + "".join(
        f"<h2>{at}</h2><p>{paragraph}</p>" for at, paragraph in enumerate(paragraphs[1:], 1)
    )
