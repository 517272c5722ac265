"""Everything that is said to people stands in both languages, survives its way to them, and one output is in
one language."""

from __future__ import annotations

import ast
import json
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from string import Formatter
from typing import Any

import pytest
import typer
from babel.messages.pofile import read_po

import shisho_box
from shisho import errors, messages
from shisho.corpus.readers import specimen
from shisho.domain import codec
from shisho.domain.codec import Payload
from shisho.domain.corpus import IntakeOutcome, Receipt
from shisho.domain.job import JobError, TaskId
from shisho.errors import KeyConflict, NotFound, map_by_code
from shisho.interfaces.cli.app import app
from shisho.interfaces.cli.frames import TYPER_WORDS
from shisho.language import answer_language
from shisho.messages import LANGUAGES, Message, read_catalogue, system
from shisho.messages.catalogue import render, render_all, translate_word
from shisho.services import intake
from shisho.services.documents import STILL_READ
from shisho.settings import TABLE, detect_language, parse_language
from shisho.stores.postgres.troubles import MEANINGS, REFUSED, UNREACHABLE
from shisho.web.engines import create_engines
from shisho.web.http.address import _REASONS
from tests import forkserver
from tests.faults.children import LONG
from tests.sources import list_nodes, parse_module, read_module
from tests.tables import each_row

HOUSE = Path(errors.__file__).parent
# Modules of messages that say something themselves; the others are words and how they are found.
SAYING = {Path(str(system.__file__))}
BOX = Path(shisho_box.__file__).parent
FILES = sorted(path for path in HOUSE.rglob("*.py") if "messages" not in path.parts or path in SAYING)
FILES += sorted(BOX.rglob("*.py"))
RAISED = {
    name for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, Exception)
} | {"Refused"}
JAPANESE = re.compile("[ぁ-んァ-ヺ一-鿿]")
LATIN = re.compile("[A-Za-z]{2}")
# Tables that hold both languages because they are about language, and say nothing to people.
LINGUISTIC = {
    "corpus/readers/cellformat.py",
    "corpus/readers/specimen.py",
    "inference/model_folder.py",
    "language/numbers.py",
    "rendering/bibliography.py",
    "surveys/naming.py",
    "language/designations.py",
    "language/meanings.py",
    "librarian/selection/gates.py",
    "librarian/web_fallback.py",
    "web/engines/google.py",
}
KANA = re.compile("[ぁ-んァ-ヺ]")
STORED = {"question.nothing_to_answer_from"}  # errors of earlier versions, which libraries still have


def nodes(path: Path) -> tuple[ast.AST, ...]:
    return list_nodes(parse_module(read_module(path)))


def calls(path: Path) -> Iterator[tuple[str, ast.Call]]:
    for node in nodes(path):
        if isinstance(node, ast.Call):
            yield getattr(node.func, "id", getattr(node.func, "attr", "")), node


def said(path: Path) -> Iterator[tuple[str, ast.Call]]:
    """The ids of messages that are written where they are raised or made."""
    for name, call in calls(path):
        if name in RAISED | {"Message"} and call.args and isinstance(call.args[0], ast.Constant):
            yield str(call.args[0].value), call


def names(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def test_errors_are_raised_with_an_id_and_not_with_a_finished_sentence() -> None:
    finished = (ast.JoinedStr, ast.BinOp, ast.IfExp)
    sins = [
        f"{path}:{call.lineno}: {ast.unparse(call.args[0])}"
        for path in FILES
        for name, call in calls(path)
        if name in RAISED | {"Message"} and call.args and isinstance(call.args[0], finished)
        if not ast.unparse(call.args[0]).startswith(("f'noun.", "f'setting."))
    ]
    assert sins == []


def test_every_value_of_a_message_is_given() -> None:
    sins = []
    for path in FILES:
        for id_, call in said(path):
            given = {keyword.arg for keyword in call.keywords}
            if "extra" in given:  # ExtraMissing makes the command of it
                given.add("install")
            if None not in given and not names(read_catalogue("en").get(id_, "")) <= given:
                sins.append(f"{path}:{call.lineno}: {id_}")
    assert sins == []


def test_every_id_in_the_code_exists() -> None:
    known = read_catalogue("en")
    ids = {id_: f"{path}:{call.lineno}" for path in FILES for id_, call in said(path) if id_}
    ids |= dict.fromkeys(ids_of_tables(), "a table")
    assert {id_: place for id_, place in ids.items() if id_ not in known} == {}


TOLD = {"warning", "error", "exception", "critical"}  # what a log without --debug shows


def logged_without_pair(tree: Iterable[ast.AST]) -> Iterator[str]:
    """Calls that put a text of their own into the log, where a person reads it, in place of a Message."""
    for node in tree:
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in TOLD
            and getattr(node.func.value, "id", "") == "log"
        ):
            (text, *values) = node.args
            is_message = isinstance(text, ast.Name | ast.Attribute) or (
                isinstance(text, ast.Call) and getattr(text.func, "id", "") == "Message"
            )
            if values or not is_message:
                yield f"{node.lineno}: {ast.unparse(node)}"


def test_what_the_log_tells_a_person_is_a_message() -> None:
    sins = [f"{path}:{sin}" for path in FILES for sin in logged_without_pair(nodes(path))]
    assert sins == []


@each_row("call", ['log.warning("it is so")', 'log.error("%s", reason)', 'log.exception(f"{what} broke")'])
def test_a_log_line_without_a_pair_is_noticed(call: str) -> None:
    assert [*logged_without_pair(ast.walk(ast.parse(call)))]
    assert not [*logged_without_pair(ast.walk(ast.parse("log.debug('it is so'); log.error(told)")))]


def ids_of_tables() -> Iterator[str]:
    """The ids that tables hold, and those that are made of a name."""
    yield from (reason for _, reason in _REASONS)
    yield from specimen.TEXTS
    yield from (engine.about.reason for engine in create_engines().values() if engine.about.reason)
    yield from (setting.help.id for setting in TABLE)
    yield from (*(id_ for *_, id_ in MEANINGS), REFUSED, UNREACHABLE)
    yield from (reason.id for reason in (*system.REASONS.values(), *system.NAMES.values()))
    yield from (reason.id for reason in system.TOML.values())
    yield from TYPER_WORDS.values()
    yield from (text for text in helps(typer.main.get_command(app)) if text not in TYPER_WORDS)


def helps(command: Any) -> Iterator[str]:
    yield from (holder.help for holder in (command, *command.params) if getattr(holder, "help", None))
    for below in getattr(command, "commands", {}).values():
        yield from helps(below)


@each_row("language", LANGUAGES)
def test_a_catalogue_is_what_babel_reads(language: str) -> None:
    """The format is that of GNU gettext, in the order of the ids, each there once."""
    path = messages.FOLDER / language / "messages.po"
    with path.open("rb") as file:
        read = read_po(file, locale=language, abort_invalid=True)
    assert {message.id: message.string for message in read if message.id} == read_catalogue(language)
    ids = re.findall(r'^msgid "(.+)"$', path.read_text("utf-8"), re.MULTILINE)
    assert ids == sorted(set(ids))
    assert all(read_catalogue(language).values())


def test_both_languages_have_the_same_ids_and_every_text_the_same_values() -> None:
    english, japanese = read_catalogue("en"), read_catalogue("ja")
    assert english.keys() == japanese.keys()
    assert {id_ for id_, text in english.items() if names(text) != names(japanese[id_])} == set()


def test_every_japanese_text_is_japanese() -> None:
    """Unless it has no words beside its variables, names and commands."""
    assert [
        id_
        for id_, text in read_catalogue("ja").items()
        if not JAPANESE.search(text) and re.search("[a-z]{3}", re.sub("{.*?}|pip install .*", "", text))
        if text != read_catalogue("en")[id_] or " " in text
    ] == []


def test_every_id_is_used_somewhere() -> None:
    """By itself, or by its beginning if the rest is a name, as of a state."""
    written = {node for path in FILES for node in nodes(path)}
    used = {node.value for node in written if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    used |= set(ids_of_tables())
    scripts = "".join(path.read_text("utf-8") for path in (HOUSE / "interfaces" / "ui").rglob("*.[jh][st]*"))
    used |= set(re.findall(r"[a-z_0-9]+", scripts))
    script_heads = (
        *re.findall(r"[`\"']([a-z_]+_)(?:\$\{|[\"']\s*\+)", scripts),
        *(f"{kind}_" for kind in re.findall(r'\bnamed\("([a-z]+)"', scripts)),
    )
    begun = [node.values[0] for node in written if isinstance(node, ast.JoinedStr)]
    heads = tuple(
        str(node.value)
        for node in begun
        if isinstance(node, ast.Constant) and re.search(r"[a-z][_.]$", str(node.value))
    )
    used |= {str(outcome) for outcome in IntakeOutcome} | STORED
    unused = [
        id_
        for id_ in read_catalogue("en")
        if not {id_, id_.partition(".")[2] if id_.startswith(("word.", "room.")) else id_} & used
        and not id_.removeprefix("word.").startswith(heads)
        and not id_.removeprefix("room.").startswith(script_heads)
    ]
    assert unused == []


def texts_of(node: ast.AST) -> list[str]:
    """The texts that stand side by side in a table or a choice; of a table of tables, in those."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value]
    if isinstance(node, ast.Tuple | ast.List):
        return [text for member in node.elts for text in texts_of(member)]
    if isinstance(node, ast.Dict):
        return [text for member in node.values for text in texts_of(member)]
    return texts_of(node.body) + texts_of(node.orelse) if isinstance(node, ast.IfExp) else []


def pairs(tree: Iterable[ast.AST]) -> Iterator[int]:
    """Lines where Japanese and English stand side by side."""
    for node in tree:
        texts = [] if isinstance(node, ast.Constant) else texts_of(node)
        japanese = [text for text in texts if JAPANESE.search(text)]
        if japanese and any(LATIN.search(text) for text in texts if text not in japanese):
            yield getattr(node, "lineno", 0)


def test_pairs_of_both_languages_stand_in_the_catalogue_alone() -> None:
    """`LINGUISTIC` names the tables about language; an entry there that is none any more goes."""
    holding = {path: [*pairs(nodes(path))] for path in FILES}
    assert {str(path.relative_to(HOUSE)) for path, lines in holding.items() if lines} == LINGUISTIC


@each_row(
    "table",
    [
        'A = {True: {"a": "数"}, False: {"a": "number"}}',
        'A = ("数", "number")',
        'x = "数" if japanese else "number"',
    ],
)
def test_a_pair_outside_the_catalogue_is_noticed(table: str) -> None:
    assert [*pairs(ast.walk(ast.parse(table)))]


def test_a_message_says_itself_in_another_language_with_its_values_and_those_within_them() -> None:
    told = Message("engine.refused", engine="bing", reason=Message("engine.no_reason"))
    assert told == "bing denied the query: no reason given. Use another engine."
    assert render(told, "ja") == "bing が検索を拒否しました: 理由は不明。別の検索エンジンを使ってください。"
    assert render(told, "en") == told
    assert render("鍵 {x}", "ja") == "鍵 {x}"


def test_a_key_of_another_request_and_a_log_in_use_are_said_in_japanese() -> None:
    key = intake.make_request_key("owner", "鍵", "queue_searches", ["回帰", "分散"])
    assert key is not None
    first = replace(key, subject=messages.read(messages.write(key.subject)))
    conflict = KeyConflict(first.describe_taken(TaskId("t1")), verb=key.verb, task_id="t1")
    assert str(conflict).startswith(
        "The idempotency key '鍵' belongs to another request: queue_searches of '回帰' and 1 more in"
    )
    assert render(conflict.message, "ja").startswith(
        "冪等キー '鍵' は別のリクエストのものです: タスク t1 の queue_searches('回帰' ほか1件)"
    )
    assert render(STILL_READ, "ja").startswith("LOG_IN_USE: データベースを")


@pytest.mark.parametrize(("number", "text"), [(1, "1 passage"), (0, "0 passages"), ("2", "2 passages")])
def test_a_text_is_singular_for_one_and_plural_for_all_others(number: object, text: str) -> None:
    assert Message("doctor.passages", count=number) == text
    assert render(Message("doctor.passages", count=number), "ja") == f"該当箇所{number}件"


@pytest.mark.parametrize(
    ("number", "page", "section"), [(1, "1 page", "1 section"), (2, "2 pages", "2 sections")]
)
def test_a_scan_of_one_page_and_a_report_of_one_section_are_singular(
    number: int, page: str, section: str
) -> None:
    assert f"has {page} and no" in Message("reader.pdf.no_text_layer", pages=number, ocr="")
    assert f"of {section} needs" in Message("report.over_budget", sections=number, calls=4, tokens=9)
    budget = {"sections": number, "model_calls": 4, "max_model_calls": 6, "tokens": "9"}
    assert f"of {section} takes" in translate_word("report_budget", "en", **budget)
    assert f"in {section}." in translate_word("survey_pages", "en", first=1, last=9, sections=number)
    assert f"in {section}." in translate_word("survey_page", "en", first=1, last=1, sections=number)


def test_foreign_words_with_braces_are_no_template() -> None:
    assert Message("{a.__class__} {b", a=1) == "{a.__class__} {b"
    assert Message("{a:>99999999}", a=1) == "{a:>99999999}"
    assert str(NotFound("it said {x")) == "it said {x"


def test_an_error_keeps_its_id_through_rows_and_wires() -> None:
    error = NotFound("job.not_found", job_id="7")
    stored = codec.loads(
        codec.dumps(JobError(error.code, error.message, Payload.wrap(error.details))), JobError
    )
    again = map_by_code()[stored.code](stored.message, **stored.details.read(dict))
    assert (str(again), again.message_id, again.details) == (
        "There is no job 7.",
        "job.not_found",
        {"job_id": "7"},
    )
    assert render(again.message, "ja") == "ジョブ 7 はありません。"
    assert render(messages.read(messages.write(error.message)), "ja") == "ジョブ 7 はありません。"
    receipt = Receipt(
        "a.pdf",
        IntakeOutcome.FAILED,
        reason=error.message,
        warnings=("query_changed", Message("browser.no_answer")),
    )
    kept = codec.loads(codec.dumps(receipt), Receipt)
    assert kept == receipt
    assert (render_all(kept, "ja").reason, render_all(kept, "ja").warnings) == (
        "ジョブ 7 はありません。",
        ("query_changed", "応答なし"),
    )


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({}, "en"),
        ({"LANG": "C"}, "en"),
        ({"LANG": "C.UTF-8"}, "en"),
        ({"LANG": "POSIX"}, "en"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"LANG": "ja_JP.UTF-8"}, "ja"),
        ({"LANG": "ja"}, "ja"),
        ({"LANG": "jam_JM"}, "en"),
        ({"LANG": "ja_JP.UTF-8", "LC_MESSAGES": "en_GB.UTF-8"}, "en"),
        ({"LANG": "ja_JP.UTF-8", "LC_ALL": "C"}, "en"),
        ({"LANG": "C", "LC_ALL": "", "LC_MESSAGES": "ja_JP"}, "ja"),
    ],
)
def test_the_locale_decides(
    environment: dict[str, str], language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("LC_ALL", "LC_MESSAGES", "LANG", "SHISHO_LANGUAGE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert detect_language() == language


def test_a_setting_and_an_option_go_before_the_locale(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("LC_ALL", "C")
    (tmp_path / "settings.toml").write_text('language = "ja"', "utf-8")
    assert parse_language(["--home", str(tmp_path), "list"]) == "ja"
    assert parse_language([f"--home={tmp_path}", "--language", "en", "list"]) == "en"
    assert parse_language(["--language"]) == "en"
    monkeypatch.setenv("SHISHO_LANGUAGE", "ja")
    assert parse_language([]) == "ja"


OUTPUTS = [
    ("--help",),
    ("queue", "add", "--help"),
    ("list", "--limit", "x"),
    ("list", "--limit", "0"),
    ("list", "--nope"),
    ("list", "too", "many"),
    ("listt",),
    ("remove",),
    ("ask", "--sources", "x", "?"),
    ("list",),
    ("show", "zzz"),
    ("search", " "),
    ("add", "missing.pdf"),
    ("add", "empty.pdf"),
    ("settings",),
    ("doctor",),
    ("engines",),
    ("web",),
    ("jobs",),
    ("queue", "status"),
    ("auth", "list"),
    ("--home", "empty.pdf", "list"),
    ("backup", "missing/folder/file"),
    ("engines", "parse", "auto", "page.html"),
    ("engines", "parse", "mojeek", "page.html"),
    ("verify", "missing"),
    ("verify", "."),
    ("key", "--out", "."),
    ("migrate",),
    ("sync", "missing"),
    ("watch", "--list"),
    ("restore", "nosuch"),
    ("conversation", "nosuch"),
    ("references",),
    ("references", "--fill"),
    ("replay", "nosuch"),
    ("eval", "missing"),
    ("models", "list"),
    ("models", "pull", "a/b"),
    ("models", "import", "empty.pdf"),
    ("models", "export", "a/b", "missing"),
    ("models", "remove", "a/b"),
    ("models", "try", "x"),
    ("share",),
    ("share", "nosuch", "g"),
    ("audit",),
    ("users", "list"),
    ("users", "add", ""),
    ("users", "remove", "nosuch"),
    ("groups", "list"),
    ("grants", "list"),
    ("quotas", "list"),
    ("auth", "open", "nosuch"),
    ("auth", "done", "nosuch"),
    ("queue", "add"),
    ("queue", "add", "x"),
    ("queue", "status", "nosuch"),
    ("jobs", "nosuch"),
    ("web", "nosuch"),
    ("box", "--port", "x"),
    ("mcp", "--print-config", "nosuch"),
    ("serve", "--host", "0.0.0.0"),
    ("serve", "--port", "99999999"),
    ("worker", "-n", "0"),
    ("list", "--filter", "x"),
    ("search", "x", "--in", "missing"),
    ("ask",),
    ("ask", " "),
    ("ask", "x", "--budget", "x"),
    ("ask", "x", "--sources", "web"),
    ("add", ".", "--meta", "x"),
    ("add", "http://127.0.0.1:9/x"),
    ("add", "/dev/null"),
    ("export", "nosuch"),
    ("export", "last", "--format", "nosuch"),
    ("doctor", "--json"),
    ("--home", "unreadable", "list"),
    ("--home", "without_index", "search", "x"),
    ("--home", "damaged", "list"),
]
SENTENCE = re.compile(
    r"\b(?:the|is|are|not|of|or|and|no|there|for|with|this|that|was|must|cannot|takes|invalid|usage|options|error|try)\b",
    re.I,
)
# The name of the program; a question in Japanese in a help text is an example of one.
NAMED_IN_JAPANESE = "司書"


@pytest.mark.parametrize("arguments", OUTPUTS if LONG else OUTPUTS[::3], ids=" ".join)
def test_one_output_is_in_one_language(arguments: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "empty.pdf").touch()
    (tmp_path / "page.html").write_text("<p>Nothing.</p>", "utf-8")
    make_homes(tmp_path)
    spoken = {locale: shell(locale, arguments, tmp_path) for locale in ("C", "ja_JP.UTF-8")}
    assert not JAPANESE.search(spoken["C"].replace(NAMED_IN_JAPANESE, "")), spoken["C"]
    assert "Traceback" not in spoken["C"] + spoken["ja_JP.UTF-8"]
    lines = [line for line in spoken["ja_JP.UTF-8"].splitlines() if SENTENCE.search(unquoted(line, tmp_path))]
    assert lines == []
    assert KANA.search(spoken["ja_JP.UTF-8"])


def make_homes(folder: Path) -> None:
    """One whose settings cannot be read, one whose index can neither be read nor made anew, and one whose
    database is none."""
    for name in ("unreadable", "without_index", "damaged"):
        (folder / name).mkdir()
    (folder / "damaged" / "shisho.db").write_text("no database. " * 999, "utf-8")
    (folder / "unreadable" / "settings.toml").write_text("language = ja\n", "utf-8")
    (folder / "without_index" / "lexical").touch()


def unquoted(line: str, home: Path) -> str:
    """Without what is no prose: codes, options, placeholders, quoted commands, paths."""
    return re.sub(
        r"`[^`]*`|<[^>]*>|\[[^\]]*\]|--[\w-]+|\S*[/_]\S*|[A-Z_]{4,}", "", line.replace(str(home), "")
    )


def shell(locale: str, arguments: tuple[str, ...], home: Path) -> str:
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("LC_", "LANG", "SHISHO_LANG"))
    }
    environment |= {
        "LC_ALL": locale,
        "SHISHO_HOME": str(home / "home"),
        "COLUMNS": "150",
        "SHISHO_WEB": "off",
    }
    done = forkserver.run(arguments, environment, home)
    return (done.stdout + done.stderr).decode()


@pytest.mark.parametrize("locale", ["C", "ja_JP.UTF-8"])
@pytest.mark.parametrize(
    ("question", "head"), [("What is a lighthouse?", "Sources"), ("灯台とは何か", "出典")]
)
def test_an_answer_and_its_sources_are_in_the_language_of_the_question(
    locale: str, question: str, head: str, tmp_path: Path
) -> None:
    text = (
        "A lighthouse is a tower that guides ships with its lamp.\n\n灯台とは、光で船を導く塔のことである。\n"
    )
    (tmp_path / "lighthouse.txt").write_text(text, "utf-8")
    assert "lighthouse.txt" in shell(locale, ("add", "lighthouse.txt"), tmp_path)
    answer = shell(locale, ("ask", question, "--sources", "documents"), tmp_path)
    assert head in answer
    assert ("出典" if head == "Sources" else "Sources") not in answer
    whole = shell(locale, ("show", "last"), tmp_path)
    words = {language: translate_word("stopped_because", language) for language in ("en", "ja")}
    own = answer_language(question)
    assert head in whole and words.pop(own) in whole and words.popitem()[1] not in whole
    if own == "en":
        quoted = whole.replace("灯台とは、光で船を導く塔のことである。", "")
        assert not KANA.search(quoted), quoted


def test_a_message_in_a_job_s_output_is_said_in_the_reader_s_language() -> None:
    reason = Message("document.not_found", name="d1")
    output = json.loads(codec.dumps({"errors": [{"code": "X", "reason": reason}]}))
    assert render_all(output, "en") == {"errors": [{"code": "X", "reason": str(reason)}]}
    assert render_all(output, "ja")["errors"][0]["reason"] == render(reason, "ja") != str(reason)
