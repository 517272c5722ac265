"""Every setting can be given by its name, and an unknown one is refused with those that are near."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from shisho.bootstrap.library import open_library
from shisho.bootstrap.parts import list_settings
from shisho.errors import InvalidParams, StorageUnusable, StoreUnavailable
from shisho.messages.catalogue import render
from shisho.settings import (
    NOT_SETTINGS,
    TABLE,
    Setting,
    find_unknown_settings,
    load,
    load_readable,
    parse_language,
    reread,
    write_settings,
)
from tests.tables import each_row


def another(row: Setting, home: Path) -> object:
    """A value that the setting takes, and not its default where there is another."""
    if row.name == "home":
        return home
    if row.name == "box":
        return ""  # a box has to run
    if row.name == "store":
        return "postgresql://shisho@127.0.0.1:9/shisho"
    if row.name == "index":
        return "qdrant://127.0.0.1:9"
    if row.name in ("embedder", "models_url", "traces"):
        return "http://127.0.0.1:9/v1"
    if row.name == "reranker":
        return "owner/name"
    if row.name.startswith("model") and row.pattern and row.name != "model_url":
        return "ollama/a-model"
    if row.choices:
        return row.choices[-1]
    if isinstance(row.default, bool):
        return not row.default
    if isinstance(row.default, int | float):
        return row.default * 2
    return "https://a.example" if row.name in ("allowed_origins", "model_url") else f"a-{row.name}.example"


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.name)
async def test_every_setting_opens_a_library_by_its_name(row: Setting, tmp_path: Path) -> None:
    given = {"home": tmp_path / "home"} | {row.name: another(row, tmp_path / "home")}
    if given[row.name] == "ginza":
        pytest.importorskip("ginza")
    async with open_library(**given) as library:
        if row.name == "store":  # where nobody listens
            with pytest.raises(StoreUnavailable, match="can't be reached"):
                await library.documents.list_corpora()
        else:
            assert await library.documents.list_corpora() == []
    assert load(**given).origins[row.name] == "call"


@pytest.mark.parametrize("value", ["off", False])
async def test_web_off_by_name_closes_the_way_to_the_web(value: str | bool, tmp_path: Path) -> None:
    async with open_library(home=tmp_path, web=value) as library:
        assert not await library.web.is_usable()


async def test_no_parameter_of_opening_has_the_name_of_a_setting() -> None:
    own = set(open_library.__wrapped__.__kwdefaults__ or ())  # type: ignore[attr-defined]
    assert own
    assert not own & {row.name for row in TABLE}


@pytest.mark.parametrize(
    ("name", "near"),
    [("webb", "web"), ("max_round", "max_rounds"), ("Home", "home"), ("langauge", "language")],
)
async def test_unknown_setting_names_the_near_one(name: str, near: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidParams, match=f"Did you mean .*{near}") as refused:
        async with open_library(**{"web": "off", name: "off"}):
            pass
    assert near in refused.value.details["near"]
    home = tmp_path / "home"
    home.mkdir()
    (home / "settings.toml").write_text(f'{name} = "off"', "utf-8")
    with pytest.raises(InvalidParams, match=rf"settings\.toml .*Did you mean .*{near}"):
        load(home=home)


async def test_setting_like_no_other_is_refused_without_a_guess() -> None:
    with pytest.raises(InvalidParams, match="shisho settings") as refused:
        load(zzzzzz="1")
    assert "Did you mean" not in refused.value.message


@pytest.mark.parametrize(
    ("name", "value"), [("web", "maybe"), ("max_rounds", "three"), ("robots", "perhaps")]
)
async def test_value_that_a_setting_does_not_take_is_refused(name: str, value: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidParams, match=name):
        async with open_library(**{"home": tmp_path, name: value}):
            pass


@pytest.mark.parametrize(
    ("text", "english", "japanese"),
    [
        ("language = ja", "line 1, column 12: not a value", "1行12字目: 値ではありません"),
        ("workers = 2\nlanguage", "at its end: a = is missing after the name", "末尾: 名前の後に = が"),
        ('language = "ja', "a quotation mark is not closed", "引用符が閉じていません"),
        ('language = "ja\nworkers = 2', "a quotation mark is not closed", "引用符が閉じていません"),
        ('store = "C:\\q"', "a backslash between quotation marks", "引用符の中の"),
        ('web = "on"\nweb = "off"\n', "line 2, column 12: a name occurs twice", "同じ名前が二度"),
        ('web = "on" workers = 2', "unexpected text after the value", "値の後に余分な文字"),
        ("[web\nx = 1", "a ] is missing after the name", "名前の後に ] が"),
        ("= 3", "line 1, column 1: this cannot be read", "1行1字目: 読み取れません"),
    ],
)
def test_a_file_that_is_no_toml_is_told_with_the_place_in_both_languages(
    text: str, english: str, japanese: str, tmp_path: Path
) -> None:
    (tmp_path / "settings.toml").write_text(text, "utf-8")
    with pytest.raises(InvalidParams, match="is not valid TOML") as refused:
        load(home=tmp_path)
    assert english in refused.value.message
    said = render(refused.value.message, "ja")
    assert japanese in said and not re.search("line|value|quotation|twice|after", said)


def test_a_file_in_another_encoding_is_told_so(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_bytes('contact = "司書"'.encode("cp932"))
    with pytest.raises(InvalidParams, match="it is not UTF-8") as refused:
        load(home=tmp_path)
    assert "UTF-8 ではありません" in render(refused.value.message, "ja")


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "max_rounds (from settings.toml) must be a whole number, not 'x'."),
        ("ja", "max_rounds(settings.toml)に 'x' は使えません。使えるのは整数です。"),
    ],
)
def test_a_value_of_another_kind_is_told_in_words(language: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text('max_rounds = "x"\n', "utf-8")
    with pytest.raises(InvalidParams) as raised:
        load(home=tmp_path)
    assert render(raised.value.message, language) == said


def test_misspelt_name_of_the_environment_is_told_with_what_is_near(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("SHISHO_")]:
        monkeypatch.delenv(name)
    assert find_unknown_settings() == ()
    for name in ("SHISHO_HOME", "SHISHO_WEB", *NOT_SETTINGS):
        monkeypatch.setenv(name, "")
    assert find_unknown_settings() == ()
    monkeypatch.setenv("SHISHO_LANGAUGE", "ja")
    monkeypatch.setenv("SHISHO_ZZZ", "1")
    near, far = find_unknown_settings()
    assert "SHISHO_LANGAUGE" in near and "Did you mean SHISHO_LANGUAGE?" in near
    assert "SHISHO_ZZZ" in far and "Did you mean" not in far and "has no effect" in far


@each_row(
    ("name", "value"),
    [
        ("model", "qwen3:8b"),
        ("model", "mistral/large"),
        ("model_answer", "ollama/"),
        ("model_url", "10.0.0.1"),
    ],
)
def test_a_value_of_another_form_is_refused_with_what_the_setting_is_for(name: str, value: str) -> None:
    with pytest.raises(InvalidParams, match=f"{name} .*can't be") as refused:
        load(**{name: value})
    assert next(row.help for row in TABLE if row.name == name) in str(refused.value)


@pytest.mark.parametrize("name", ["web", "language", "max_rounds", "ocr"])
def test_an_empty_value_of_the_environment_sets_nothing(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"SHISHO_{name.upper()}", "")
    settings, troubles = load_readable(home=tmp_path)
    assert not troubles
    assert settings.origins[name] == "default"


def test_a_file_that_begins_with_a_mark_of_its_encoding_is_read(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_bytes(b"\xef\xbb\xbfmax_rounds = 2\n")
    settings, troubles = load_readable(home=tmp_path)
    assert not troubles
    assert settings.origins["max_rounds"] == "file"


def test_a_secret_may_stand_in_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "token").write_text("a-long-word\n", "utf-8")
    monkeypatch.setenv("SHISHO_TOKEN_FILE", str(tmp_path / "token"))
    settings = load()
    assert (settings.read_text("token"), settings.origins["token"]) == ("a-long-word", "environment")
    assert find_unknown_settings() == ()
    monkeypatch.setenv("SHISHO_TOKEN", "another")
    assert load().read_text("token") == "another"
    monkeypatch.delenv("SHISHO_TOKEN")
    monkeypatch.setenv("SHISHO_TOKEN_FILE", str(tmp_path / "absent"))
    with pytest.raises(StorageUnusable, match="absent"):
        load()


def test_what_is_no_secret_is_not_read_from_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHISHO_WEB_FILE", "/etc/hostname")
    assert load(web="off").read_text("web") == "off"
    assert any("SHISHO_WEB_FILE" in str(name) for name in find_unknown_settings())


@each_row(
    ("name", "value"),
    [
        ("store", "postgre://shisho:canary@db/shisho"),
        ("store", "postgresql://shisho:can ary@db/shisho"),
        ("index", "http://shisho:canary@db"),
        ("model_url", "htp://shisho:canary@db"),
        ("traces", "shisho://canary@db"),
    ],
)
def test_a_password_is_not_repeated_where_its_address_is_refused(name: str, value: str) -> None:
    with pytest.raises(InvalidParams) as refused:
        load(**{name: value})
    said = f"{refused.value} {dict(refused.value.details)}"
    assert "canary" not in said and "ary@" not in said and name in said
    assert all("ary@" not in render(refused.value.message, language) for language in ("ja", "en"))


def test_a_password_in_an_address_is_not_shown() -> None:
    held = load(model_url="http://shisho:canary@127.0.0.1:9/v1", blobs="s3://bucket/prefix")
    assert held.show("model_url") == "http://***@127.0.0.1:9/v1"
    (row,) = (row for row in list_settings(held) if row.name == "model_url")
    assert row.value == "http://***@127.0.0.1:9/v1"
    assert held.show("blobs") == "s3://bucket/prefix" and held.show("workers") == held["workers"]


@each_row("name", ["home", "token", "contact", "workers"])
def test_a_value_in_another_encoding_is_refused_and_not_repeated(name: str) -> None:
    with pytest.raises(InvalidParams, match=f"encoding of {name} .*not known") as refused:
        load(**{name: "canary\udcff"})
    assert "canary" not in f"{refused.value} {dict(refused.value.details)}"


def test_no_other_home_stands_in_for_one_in_another_encoding() -> None:
    """`shisho doctor` found nothing wrong, in a library elsewhere."""
    with pytest.raises(InvalidParams, match="home"):
        load_readable(home="canary\udcff")
    assert parse_language(["--home", "canary\udcff", "--language", "ja"]) == "ja"


def test_a_home_that_is_named_counts_whatever_the_environment_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHISHO_HOME", "canary\udcff")
    assert load(home=tmp_path).home == tmp_path
    with pytest.raises(InvalidParams, match=r"home \(from the environment\)"):
        load()


KEYS = [row.name for row in TABLE if row.secret and row.name.endswith("_key")]


@pytest.mark.parametrize("name", KEYS)
@pytest.mark.parametrize("pasted", ["sk-あいう", "sk-1…9", "sk-1\n", "“sk-1”"])
def test_a_key_that_no_header_takes_is_refused_and_shown_nowhere(name: str, pasted: str) -> None:
    """It was sent, and what came of it was told as a model that lacks the form, or a server that is away."""
    with pytest.raises(InvalidParams, match=name) as refused:
        load(**{name: pasted})
    assert pasted not in str(refused.value)
    assert load(**{name: "sk-1_9.Az/+="}).read_text(name) == "sk-1_9.Az/+="


def test_a_written_setting_leaves_the_other_lines_of_the_file_as_they_are(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text('# mine\nmodel = "ollama/a"\nmax_rounds = 2  # few\n', "utf-8")
    settings = load(home=tmp_path)
    write_settings(settings, {"model": 'openai/"b"', "model_key": "sk-b"})
    assert file.read_text("utf-8").splitlines()[2:] == ["# mine", "max_rounds = 2  # few"]
    assert file.stat().st_mode & 0o077 == 0, "others may read the key"
    now = reread(settings)
    assert (now.read_text("model"), now.read_text("model_key"), now.read_int("max_rounds")) == (
        'openai/"b"',
        "sk-b",
        2,
    )


def test_a_file_that_lines_do_not_tell_apart_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    text = 'contact = """\nmodel = "x"\n"""\n'
    file.write_text(text, "utf-8")
    with pytest.raises(InvalidParams, match="by hand"):
        write_settings(load(home=tmp_path), {"model": "none"})
    assert file.read_text("utf-8") == text


def test_a_setting_of_the_environment_is_not_overridden(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHISHO_MODEL", "ollama/a")
    with pytest.raises(InvalidParams, match="environment"):
        write_settings(load(home=tmp_path), {"model": "ollama/b"})
    assert not (tmp_path / "settings.toml").exists()
