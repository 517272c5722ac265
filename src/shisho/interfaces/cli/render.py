"""Print receipts, answers, passages and tables in the shell.

Document text is never parsed as markup.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath
from textwrap import indent
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from shisho.domain.answer_log import AcceptedEvidence
from shisho.domain.codec import to_plain
from shisho.domain.conversation import ConversationTurn
from shisho.domain.corpus import DEFAULT_CORPUS, NO_LONGER, Check, Document, PassageHit
from shisho.domain.inquiry import (
    Answer,
    AnswerNote,
    AnswerPassage,
    Evidence,
    NoteRole,
    SupportOutcome,
    list_contradicted,
)
from shisho.domain.model import FAULT_REASONS, ModelUse
from shisho.domain.place import describe_place
from shisho.interfaces.cli.answer_view import print_blocks
from shisho.interfaces.cli.layout import make_names_distinct, print_columns
from shisho.interfaces.cli.shell import Words
from shisho.language import answer_language
from shisho.language.display import (
    display_code,
    display_name,
    display_quotation,
    join_lines,
    make_legible,
    strip_item_mark,
)
from shisho.language.marked_text import render_marks
from shisho.messages.catalogue import render, render_all

if TYPE_CHECKING:
    from shisho.evaluation.calibrate import Calibration

_out = Console(highlight=False, soft_wrap=True, markup=False, emoji=False)
_err = Console(stderr=True, highlight=False, soft_wrap=True, markup=False, emoji=False)


def print_answer(given_answer: Answer, *, is_brief: bool = False) -> None:
    """Print the answer's blocks, then its sources; a quotation only if the text lacks it.

    Everything is in the question's language. `is_brief`: only the marked sentences of passages.
    """
    if is_brief:
        given_answer = _shorten(given_answer)
    words = _choose_words(given_answer)
    print_blocks(_out, given_answer, words)
    if given_answer.evidence:
        _out.print(f"\n{words('sources')}")
        names = make_names_distinct(
            evidence.document for evidence in given_answer.evidence if not evidence.source_url
        )
        for evidence in given_answer.evidence:
            quotation = display_quotation(evidence.snippet, code=evidence.code)
            is_told = quotation != "" and strip_item_mark(quotation) in given_answer.text
            name = join_lines(evidence.title) if evidence.source_url else names[evidence.document]
            _out.print(_render_evidence(evidence, words, name, is_quoted=not is_told))
    if str(given_answer.loop_stop) == "STOPPED":
        _err.print(words("continue_hint"))
    _err.print(Text(f"shisho show {given_answer.id}", style="dim"))


def _shorten(given_answer: Answer) -> Answer:
    """Return the answer with its passages reduced to their marked sentences."""
    if not given_answer.passages:
        return given_answer
    sentences = (*given_answer.sentences, *list_contradicted(given_answer.blocks))
    numbers = {number for sentence in sentences for number in sentence.evidence}
    return replace(
        given_answer,
        blocks=tuple(
            AnswerNote(_render_marks(block), NoteRole.REMARK) if isinstance(block, AnswerPassage) else block
            for block in given_answer.blocks
        ),
        evidence=tuple(row for row in given_answer.evidence if row.number in numbers),
    )


def _render_marks(passage: AnswerPassage) -> str:
    return render_marks(passage.text, passage.marks, heading=passage.heading, code=passage.code)


def _choose_words(given_answer: Answer) -> Words:
    return Words(answer_language(given_answer.question))


def _render_evidence(evidence: Evidence, words: Words, name: str, *, is_quoted: bool = True) -> Text:
    if not evidence.snippet:
        return Text(f"[{evidence.number}] {words('removed_source')}")
    where = _describe_position(evidence, words)
    # A terminal with link support opens the quotation in its document.
    line = Text(f"[{evidence.number}] ").append(
        f"{name}{where}", style=f"link {evidence.link}" if evidence.link else ""
    )
    if evidence.source_url:
        line.append(f"\n    {evidence.source_url}", style="dim")
    if is_quoted:
        line.append(f"\n{indent(_render_quotation(evidence, words), '    ')}")
    if key := NO_LONGER.get(evidence.source_state):
        line.append(f"\n    {words(key)}", style="yellow")
    return line


def _render_quotation(evidence: Evidence, words: Words) -> str:
    if evidence.code:
        return display_code(evidence.snippet)
    return words("quotation", text=join_lines(evidence.snippet))


def _describe_position(cited: Evidence | PassageHit, words: Words) -> str:
    """Return the position or page after a space, and a note if the words come from OCR."""
    page = "" if cited.page is None else words("page", n=cited.page)
    mark = words("ocr") if cited.ocr else ""
    place = describe_place(cited.place, lambda n: words("notebook_cell", n=n))
    return "".join(f" {part}" for part in (join_lines(place) or page, mark) if part)


def print_evidence(accepted: AcceptedEvidence, words: Words) -> None:
    """Print each goal with its quotations."""
    _out.print(f"{words('condition')}: {make_legible(accepted.condition)}")
    names = make_names_distinct(row.document for row in accepted.evidence if not row.source_url)
    for goal in accepted.goals:
        progress = f"{words('met' if goal.met else 'open')} · {words(f'level_{goal.level}')}"
        _out.print(Text(f"{make_legible(goal.id)} {progress}  {display_name(goal.question)}", style="bold"))
        for row in accepted.evidence:
            if goal.id in row.goal_ids:
                name = join_lines(row.title) if row.source_url else names[row.document]
                _out.print(_render_evidence(row, words, name))


def print_item(
    thing: Answer | Evidence | tuple[Document, str],
    words: Words,
    pages: Mapping[int, int] | None = None,
    *,
    is_brief: bool = False,
) -> None:
    """Print in full the item of `shisho show`.

    `pages`: the offset of each page in the document's text. `is_brief`: only the marked sentences of an
    answer.
    """
    if isinstance(thing, Answer):
        _out.print(make_legible(thing.question), style="bold")
        print_answer(thing, is_brief=is_brief)
        if not is_brief:
            _print_details(thing)
    elif isinstance(thing, Evidence):
        name = join_lines(thing.title) if thing.source_url else display_name(PurePath(thing.document).name)
        _out.print(_render_evidence(thing, words, name))
        _print_fields({name: value for name, value in to_plain(thing).items() if name != "snippet"}, words)
    else:
        document, text = thing
        _print_fields(to_plain(render_all(document)) | {"state": words(f"state_{document.state}")}, words)
        _out.print("")
        for part in break_into_pages(text, pages or {}, words):
            _out.print(part)


def break_into_pages(text: str, pages: Mapping[int, int], words: Words) -> Iterator[str]:
    """Yield the text, with a line for the page number before each page."""
    starts = sorted((start, number) for number, start in pages.items())
    first, *others = [*(start for start, _ in starts), len(text)]
    if first > 0:
        yield make_legible(text[:first]).rstrip("\n")
    for (start, number), end in zip(starts, others, strict=True):
        yield f"── {words('page', n=number)} ──"
        yield make_legible(text[start:end]).rstrip("\n")


def _print_details(answer: Answer) -> None:
    words = _choose_words(answer)
    _out.print(f"\n{words('condition')}: {answer.condition}\n{words('goals')}:")
    status = {goal_status.goal_id: goal_status for goal_status in answer.goal_status}
    for goal in answer.goals:
        state = status[goal.id]
        numbers = " ".join(
            f"[{quotation.number}]" for quotation in answer.evidence if goal.id in quotation.goal_ids
        )
        told = f"{words('met' if state.met else 'open')} · {words(f'level_{state.level}')}"
        _out.print(
            f"  {goal.id} {told}  {display_name(goal.question)}  {words('evidence')}: {numbers or '-'}"
        )
    outcomes = Counter(sentence.support for sentence in answer.sentences)
    _out.print(words("support", **{str(outcome): outcomes[outcome] for outcome in SupportOutcome}))
    used = " · ".join(
        words(f"spent_{name}", n=f"{round(amount, 1):g}") for name, amount in answer.budget_used.items()
    )
    for use in answer.model_uses:
        _out.print(describe_use(use, words))
    why = words(f"end_{answer.loop_stop}".lower())
    _out.print(f"{words('stopped_because')}: {why}\n{words('rounds')}: {answer.rounds} ({used})")


def describe_use(use: ModelUse, words: Words) -> str:
    """Describe what a model did for a node, its cost, and its dropped content."""
    tokens = f"{use.usage.input_tokens} + {use.usage.output_tokens}"
    line = words(f"use_{use.node}", model=use.model, calls=use.usage.calls, tokens=tokens)
    if use.fault is not None:
        line += words("use_fault", why=words.render(FAULT_REASONS[use.fault]))
    changes = {name: getattr(use, name) for name in ("dropped", "rewritten", "supplied", "repairs")}
    return line + "".join(words(f"use_{name}", n=count) for name, count in changes.items() if count)


def print_turns(given_turns: Sequence[ConversationTurn], words: Words) -> None:
    """Print the questions of a conversation, each with its interpretation if that differs."""
    for turn in given_turns:
        _out.print(Text(f"{turn.number}. {make_legible(turn.question)}", style="bold"))
        if turn.understood != turn.question:
            _out.print(f"   {words('understood', text=make_legible(turn.understood))}")


def print_hits(hits: Sequence[PassageHit], words: Words) -> None:
    """Print passages, best first."""
    if not hits:
        _out.print(words("nothing_found"))
    names = make_names_distinct(passage.source for passage in hits)
    for place, passage in enumerate(hits, 1):
        head = Text(f"{place}. {names[passage.source]}{_describe_position(passage, words)}", style="bold")
        about = [join_lines(passage.heading), f"{passage.score:.2f}"]
        _out.print(head.append("  " + "  ".join(filter(None, about)), style="dim"))
        _out.print(Text(indent(display_quotation(passage.text, code=passage.code), "   ")))


def print_documents(given_documents: Sequence[Document], more: bool, is_narrowed: bool, words: Words) -> None:
    """Print two lines for each document, and how to see `more`.

    `is_narrowed`: the listing is filtered.
    """
    if not given_documents:
        _out.print(words("nothing_more_listed" if is_narrowed else "nothing_listed"))
        return
    names = make_names_distinct(document.source for document in given_documents)
    for document in given_documents:
        metadata = [display_name(f"{key}={value}") for key, value in document.metadata.items()]
        pages = [words("pages", n=document.page_count)] if document.page_count else []
        corpus = [] if document.corpus == DEFAULT_CORPUS else [f"{words('corpus')} {document.corpus}"]
        line = Text(f"{document.id}  ", style="dim")
        line.append(join_lines(document.title), style="not dim bold")
        _out.print(line.append(f"\n    {'  '.join([names[document.source], *pages, *metadata, *corpus])}"))
    if more:
        _out.print(words("more", n=len(given_documents), id=given_documents[-1].id))


def print_checks(given_checks: Sequence[Check], words: Words) -> None:
    """Print a line for each check, with its remedy."""
    for check in given_checks:
        mark = "✓" if check.ok else "–" if check.optional else "✗"
        remedy = "" if check.ok or not check.remedy else f"\n    → {render(check.remedy)}"
        _out.print(f"{mark} {words(f'check_{check.name}')}: {render(check.detail)}{remedy}")


def print_settings(rows: Sequence[Mapping[str, Any]], home: object, words: Words) -> None:
    """Print a table of settings."""
    heads = [words(name) for name in ("setting", "value", "origin", "meaning")]
    cells = []
    for row in rows:
        value = str(home) if row["name"] == "home" else str(row["value"])
        cells.append((f"SHISHO_{row['name'].upper()}", value, words(f"origin_{row['from']}"), row["help"]))
    print_columns(_out, heads, cells)


def print_metrics(values: Mapping[str, Any], words: Words) -> None:
    """Print metrics, one a line."""
    _print_pairs({words(f"figure_{name}"): value for name, value in values.items()})


def print_measures(tables: Mapping[str, Mapping[str, Mapping[str, float]]], words: Words) -> None:
    """Print a table for each measurement: a row for each kind, a column for each metric."""
    for name, rows in tables.items():
        _out.print(Text(words("measured_rules") if name == "none" else name, style="bold"))
        columns = [*next(iter(rows.values()))]
        heads = ["", *(words(f"measure_{column}") for column in columns)]
        print_columns(
            _out, heads, [(kind, *(f"{row[column]:g}" for column in columns)) for kind, row in rows.items()]
        )


def print_calibration(outcome: Calibration, words: Words) -> None:
    """Print a line for each tested share, then the selected ones."""
    for language, scores in outcome.ndcg.items():
        for tried_share, score in scores.items():
            _out.print(f"{words(f'language_{language}')}  {tried_share:>9}  {score:.4f}")
    share = outcome.share
    japanese = f"{share.japanese:.3g}"
    english = f"{share.english:.3g}"
    floor = f"{outcome.meaning_floor:.3g}"
    _out.print(words("share_kept", text=outcome.embedder, japanese=japanese, english=english, floor=floor))


def _print_fields(values: Mapping[str, Any], words: Words) -> None:
    _print_pairs({words(f"field_{name}"): value for name, value in values.items()})


def _print_pairs(values: Mapping[str, Any]) -> None:
    for name, value in values.items():
        _out.print(display_name(f"{name}: {_format_value(value)}"))


def _format_value(value: Any) -> str:
    if isinstance(value, Mapping):
        return "  ".join(f"{key}={member}" for key, member in value.items()) or "-"
    if isinstance(value, list | tuple):
        return "  ".join(map(str, value)) or "-"
    return "-" if value in (None, "") else f"{value:.4f}" if isinstance(value, float) else str(value)
