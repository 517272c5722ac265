"""An answer as one page that needs nothing else: no script, no request, every word of documents escaped."""

from __future__ import annotations

from html import escape

from shisho.domain.inquiry import Answer
from shisho.domain.printing import PrintableAnswer, PrintedPart, PrintedQuotation
from shisho.librarian.printable import make_printable

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_STYLE = """
:root { color-scheme: light dark }
body { font: 1rem/1.7 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere }
.answer, blockquote { white-space: pre-wrap }
blockquote { margin: .3rem 0; padding-left: .8rem; border-left: .2rem solid }
pre { margin: 0; overflow-x: auto; overflow-wrap: normal }
li { margin-bottom: 1rem }
footer { font-size: .9rem; border-top: 1px solid; margin-top: 2rem }
"""


def answer_page(answer: Answer) -> str:
    """The whole document. `[n]` of the text leads to its quotation, and only what is on the web has a
    link."""
    page = make_printable(answer)
    title = _text(page.title)
    rows = "\n".join(map(_quotation, page.quotations))
    facts = "".join(f"<p>{_text(fact)}</p>" for fact in page.facts)
    return (
        f'<!doctype html>\n<html lang="{page.language}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n"
        f'<div class="answer">{_linked(page)}</div>\n'
        f"<h2>{_text(page.heading)}</h2>\n<ol>\n{rows}\n</ol>\n</main>\n"
        f"<footer>{facts}</footer>\n</body>\n</html>\n"
    )


def _linked(page: PrintableAnswer) -> str:
    return "\n".join("".join(map(_part, line)) for line in page.lines)


def _part(part: PrintedPart) -> str:
    text = _text(part.text)
    if part.code:
        return f"<pre><code>{text}</code></pre>"
    if part.marked:
        return f"<mark>{text}</mark>"
    return f'<a href="#e{part.number}">{text}</a>' if part.number else text


def _quotation(quotation: PrintedQuotation) -> str:
    title = _text(quotation.title)
    if quotation.link:
        title = f'<a href="{_text(quotation.link)}" rel="noreferrer noopener">{title}</a>'
    where = f" · {_text(quotation.where)}" if quotation.where else ""
    remark = f"<p>{_text(quotation.remark)}</p>" if quotation.remark else ""
    text = _text(quotation.text)
    if quotation.code:
        text = f"<pre><code>{text}</code></pre>"
    block = f"<blockquote>{text}</blockquote>" if text else ""
    return f'<li id="e{quotation.number}" value="{quotation.number}">{title}{where}{block}{remark}</li>'


def _text(text: str) -> str:
    return escape(text, quote=True)
