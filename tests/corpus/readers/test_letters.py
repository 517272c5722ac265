"""Letters of several parts, as programs for mail write them: all of the text is read, all else is named."""

from email.message import EmailMessage

import pytest

from shisho.corpus.readers import eml
from tests.machine import grows_in_line

PICTURE = b"\x89PNG"
PAGE = "<p>ページの本文</p>"


def bare(kind: str = "mixed") -> EmailMessage:
    letter = EmailMessage()
    letter["Content-Type"] = f"multipart/{kind}"
    return letter


def text(words: str, subtype: str = "plain", **how: str) -> EmailMessage:
    part = EmailMessage()
    part.set_content(words, subtype=subtype, **how)
    return part


def picture(name: str, **how: str) -> EmailMessage:
    part = EmailMessage()
    part.set_content(PICTURE, "image", "png", disposition="inline", filename=name, **how)
    return part


def forwarded(subject: str) -> EmailMessage:
    inner = text("転送された本文")
    inner["From"] = "c@example.jp"
    inner["Subject"] = subject
    part = EmailMessage()
    part.set_content(inner)
    return part


def joined(kind: str, *parts: EmailMessage) -> EmailMessage:
    letter = bare(kind)
    for part in parts:
        letter.attach(part)
    return letter


def read(letter: EmailMessage) -> tuple[list[str], str]:
    letter["From"] = "a@example.jp"
    reading = eml.read(letter.as_bytes())
    return [block.text for block in reading.blocks[1:]], " ".join(map(str, reading.warnings))


def test_text_after_a_picture_and_the_footer_of_a_list_are_text() -> None:
    texts, warning = read(
        joined("mixed", text("前半"), picture("写真.png"), text("後半"), text(PAGE, "html"))
    )
    assert texts == ["前半", "後半", "ページの本文"]
    assert "写真.png" in warning
    assert "text/plain" not in warning


def test_the_same_inside_a_form_of_html() -> None:
    page = joined("mixed", text(PAGE, "html"), picture("図.png"), text(PAGE, "html"))
    assert read(joined("alternative", text("本文"), page))[0] == ["本文"]
    texts, warning = read(joined("alternative", text(" "), page))
    assert texts == ["ページの本文"] * 2
    assert "図.png" in warning


def test_a_page_comes_with_pictures_that_nobody_attached() -> None:
    page = joined("related", text(PAGE, "html"), picture("logo.png", cid="<logo>"))
    texts, warning = read(joined("mixed", joined("alternative", text("本文"), page), picture("図.png")))
    assert texts == ["本文"]
    assert "図.png" in warning
    assert "logo.png" not in warning


@pytest.mark.parametrize(
    "how", [{"filename": "議事録.txt", "disposition": "inline"}, {"disposition": "attachment"}]
)
def test_an_attached_text_is_named(how: dict[str, str]) -> None:
    texts, warning = read(joined("mixed", text("本文"), text("議事", **how)))
    assert texts == ["本文"]
    assert how.get("filename", "text/plain") in warning


def test_a_text_with_a_file_name_is_the_body_where_there_is_no_other() -> None:
    assert read(joined("mixed", picture("図.png"), text("本文", disposition="inline", filename="body.txt")))[
        0
    ] == ["本文"]
    assert read(text("本文", disposition="inline", filename="body.txt")) == (["本文"], "")


def test_a_letter_inside_is_named_by_its_subject() -> None:
    texts, warning = read(joined("mixed", text("本文"), forwarded("会議の件"), forwarded("")))
    assert texts == ["本文"]
    assert "会議の件, message/rfc822" in warning


@pytest.mark.slow
def test_parts_a_hundred_deep_are_read() -> None:
    letter = text("本文")
    for _ in range(100):
        letter = joined("mixed", letter, text("続き"))
    assert len(read(letter)[0]) == 101


@pytest.mark.slow
def test_many_parts_are_read_in_linear_time() -> None:
    part = b"--x\nContent-Type: text/plain\n\na\n--x\nContent-Type: image/png\n\na\n"

    def make(size: int) -> bytes:
        return b"From: a@example.jp\nContent-Type: multipart/mixed; boundary=x\n\n" + part * size + b"--x--\n"

    assert grows_in_line(eml.read, make, 200)
