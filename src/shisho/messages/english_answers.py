"""The words that frame an answer, in English, by key. An answer is in the language of its question,
whoever reads it."""

from __future__ import annotations

from collections.abc import Mapping

SAID: Mapping[str, str] = {
    "answer_head": "{level} · quotations only, no model",
    "answer_written": "{level} · written by a model, checked against its quotations",
    "answer_unwritten": "{level} · quotations only: the model could not write the answer",
    "answer_read": "{level} · the passages were read by a model",
    "answer_unread": "{level} · quotations only: the model has not read the passages",
    "level_answered": "Answered",
    "level_near": "Near",
    "level_not_found": "Not found",
    "answer_understood": "Understood as: {text}",
    "answer_quote": "“{text}”",
    "answer_quoted_heading": "heading “{text}”",
    "answer_code": "code",
    "answer_items": " … ({count} items in all)",
    "answer_cited": "{quote} [{number}]",
    "answer_heading": " — {text}",
    "notebook_cell": "cell {n}",
    "table_header": "table header: {text}",
    "answer_ocr": " (OCR)",
    "answer_goal": "■ {text} — {level}",
    "stance_answers": "No answer, but near it:",
    "stance_says_unknown": "The documents say that this is not known or not published:",
    "stance_conflicts": "The documents contradict each other, and nothing tells which is right:",
    "answer_copies": "Note: the words of [{number}] also stand in {others}.",
    "answer_missing": "No answer was found to: {text}",
    "answer_nothing": "Nothing in the documents searched answers this question.",
    "answer_advice": "Asking in other words, filtering less or adding documents may help.",
    "answer_end": "The search ended: {why}.",
    "answer_comma": "; ",
    "answer_note": "Note: {text}.",
    "against": "Note: [{one}] and [{other}] disagree in {what}.",
    "against_date": "date",
    "against_number": "number",
    "against_negation": "what they affirm and deny",
    "gap_no_way": "the web was not searched (no search engine can be used)",
    "gap_off": "the web was not searched (it is set to off; `shisho web` tells more)",
    "gap_not_asked": (
        "the web was not searched for “{query}” (nobody has said yet that words may go to search engines: "
        "`shisho web on` says so once)"
    ),
    "gap_person": "the web search for “{query}” waits for a person ({detail})",
    "gap_failed": "the web search for “{query}” could not be made ({detail})",
    "gap_unfinished": "the web search for “{query}” did not end in time",
    "gap_quota": "the web was not searched to the end (the quota of pages of this day is used up)",
    "gap_budget": "the web was not searched to the end (the limit of pages or seconds was reached)",
    "end_condition_met": "the condition was met",
    "end_rounds": "the limit of rounds was reached",
    "end_pages": "the limit of pages was reached",
    "end_seconds": "the time allowed ran out",
    "end_model_calls": "the limit of model calls was reached",
    "end_tokens": "the limit of tokens was reached",
    "end_stagnation": "further rounds would bring nothing new",
    "end_exhausted": "every passage in scope was seen",
    "end_stopped": "it was stopped and can be continued",
    "end_model_failed": "the model failed",
    "mended_nothing": "No evidence was given that answers this question.",
    "mended_unverified": "{text}{numbers} (unverified: its wording is far from the quotation)\n  Quoted: {quotation}",
    "mended_unverified_again": "{text}{numbers} (unverified: its wording is far from the quotation above)",
    "mended_altered": "{text}{numbers} (a sentence that disagreed with its quotation was replaced by it)",
    "mended_counts": (
        "Support: {supported} supported · {unverified} unverified · {altered} replaced by quotations"
        " · {removed} removed for want of support"
    ),
}
