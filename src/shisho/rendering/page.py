"""An answer as a self-contained web page.

No script, no request, every word of documents escaped.
"""

from __future__ import annotations

from html import escape

from shisho.domain.inquiry import Answer
from shisho.domain.printing import PrintedBlock, PrintedLine, PrintedPart, PrintedQuotation
from shisho.rendering.printable import make_printable

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_STYLE = """
:root { color-scheme: light dark }
body { font: 1rem/1.7 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere }
.answer p, blockquote { white-space: pre-wrap }
h1 { font-size: clamp(1.3rem, 5vw, 2rem); line-height: 1.4 }
a[href^="#e"] { white-space: nowrap }
.units { list-style: none; padding-left: .5rem }
.units li { white-space: pre-line; margin: .2rem 0 .2rem 1.2rem; text-indent: -1.2rem }
.quotes { margin-left: 1rem; font-size: .9rem; opacity: .8 }
.wide { overflow-x: auto }
table { border-collapse: collapse; overflow-wrap: break-word }
th, td { min-width: 4em; border: 1px solid; padding: .3rem .6rem; text-align: left; vertical-align: top }
th.long { min-width: 11em }
blockquote { margin: .3rem 0; padding-left: .8rem; border-left: .2rem solid }
pre { margin: 0; overflow-x: auto; overflow-wrap: normal }
li { margin-bottom: 1rem }
footer { font-size: .9rem; border-top: 1px solid; margin-top: 2rem }
"""


def answer_page(answer: Answer) -> str:
    """Return the whole page.

    `[n]` in the text links to its quotation; only web sources have external links.
    """
    page = make_printable(answer)
    title = _escape_text(page.title)
    blocks = "\n".join(map(_block, page.blocks))
    rows = "\n".join(map(_render_quotation, page.quotations))
    facts = "".join(f"<p>{_escape_text(fact)}</p>" for fact in page.facts)
    return (
        f'<!doctype html>\n<html lang="{page.language}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n"
        f'<div class="answer">{blocks}</div>\n'
        f"<h2>{_escape_text(page.heading)}</h2>\n<ol>\n{rows}\n</ol>\n</main>\n"
        f"<footer>{facts}</footer>\n</body>\n</html>\n"
    )


def _block(block: PrintedBlock) -> str:
    lines = [_render_inline(line) for line in block.lines]
    match block.kind:
        case "heading":
            return f"<h{block.level}>{lines[0]}</h{block.level}>"
        case "list":
            items = (f"<li>{sign} {line}</li>" for sign, line in zip(block.signs, lines, strict=True))
            return f'<ul class="units">{"".join(items)}</ul>'
        case "table":
            shared = zip(block.header, block.shares, strict=True)
            head = "".join(
                f"<th{' class=long' if share else ''}>{_escape_text(label)}</th>" for label, share in shared
            )
            rows = ("".join(f"<td>{_render_inline(cell)}</td>" for cell in row) for row in block.rows)
            body = "".join(f"<tr>{row}</tr>" for row in rows)
            return (
                f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
            )
        case "code":
            return f"<pre><code>{lines[0]}</code></pre>"
        case _:
            return f'<p class="{block.kind}">{chr(10).join(lines)}</p>'


def _render_inline(line: PrintedLine) -> str:
    return "".join(map(_render_part, line))


def _render_part(part: PrintedPart) -> str:
    text = _escape_text(part.text)
    if part.marked:
        return f"<mark>{text}</mark>"
    return f'<a href="#e{part.number}">{text}</a>' if part.number else text


def _render_quotation(quotation: PrintedQuotation) -> str:
    title = _escape_text(quotation.title)
    if quotation.link:
        title = f'<a href="{_escape_text(quotation.link)}" rel="noreferrer noopener">{title}</a>'
    where = f" · {_escape_text(quotation.where)}" if quotation.where else ""
    remark = f"<p>{_escape_text(quotation.remark)}</p>" if quotation.remark else ""
    text = _escape_text(quotation.text)
    if quotation.code:
        text = f"<pre><code>{text}</code></pre>"
    block = f"<blockquote>{text}</blockquote>" if text else ""
    return f'<li id="e{quotation.number}" value="{quotation.number}">{title}{where}{block}{remark}</li>'


def _escape_text(text: str) -> str:
    return escape(text, quote=True)
