"""RTF, as Japanese programs write it: read through striprtf or refused, and known by its first bytes."""

import pytest

from shisho.corpus.readers import media, rtf
from shisho.corpus.readers.killable import KillableReader
from shisho.domain.corpus import BlockKind, Source
from shisho.errors import DocumentUnreadable, UnsupportedMedia
from tests.machine import grows_in_line

HEAD = (
    rb"{\rtf1\ansi\ansicpg932\deff0"
    + rb"{\fonttbl{\f0\fnil\fcharset128 \'82\'6c\'82\'72 \'96\'be\'92\'a9;}{\f1\froman\fcharset0 Century;}}"
)
SENTENCE = "表計算ソフトのテストで、能力を評価する。十分な構造ー｛｝"


def hexadecimal(text: str) -> bytes:
    return b"".join(b"\\'%02x" % byte for byte in text.encode("cp932"))


def second_byte_as_it_is(text: str) -> bytes:
    """What Word 97, Ichitaro and WordPad write: 「表」 is 95 5c, its second byte the sign that begins a word
    of RTF."""
    parts = []
    for letter in text:
        first, *rest = letter.encode("cp932")
        parts.append(b"\\'%02x" % first)
        for byte in rest:
            special = byte in b"\\{}"
            parts.append((b"\\" if special else b"") + bytes([byte]) if byte < 0x80 else b"\\'%02x" % byte)
    return b"".join(parts)


def numbered(text: str) -> bytes:
    """Each letter by its number, with what an old program shows instead, in two bytes."""
    units = [int.from_bytes(pair, "little") for letter in text for pair in halves(letter)]
    return rb"\uc2 " + b"".join(
        b"\\u%d\\'81\\'48" % (unit - 0x10000 if unit > 0x7FFF else unit) for unit in units
    )


def halves(letter: str) -> list[bytes]:
    written = letter.encode("utf-16-le")
    return [written[at : at + 2] for at in range(0, len(written), 2)]


def texts(data: bytes) -> list[str]:
    return [block.text for block in rtf.read(data).blocks]


@pytest.mark.parametrize(
    "written",
    [hexadecimal(SENTENCE), second_byte_as_it_is(SENTENCE), SENTENCE.encode("cp932"), numbered(SENTENCE)],
    ids=["hexadecimal", "second byte as it is", "eight bits", "numbered"],
)
@pytest.mark.parametrize(
    "head", [HEAD, HEAD.replace(rb"\ansicpg932", b""), HEAD.replace(rb"\ansicpg932", rb"\ansicpg1252")]
)
def test_japanese_is_read_however_it_is_written(written: bytes, head: bytes) -> None:
    assert texts(head + rb"\f0 " + written + rb"\par " + hexadecimal("次の段落。") + rb"\par}") == [
        SENTENCE,
        "次の段落。",
    ]


def test_half_width_kana_are_letters_of_one_byte() -> None:
    assert texts(HEAD + rb"\f0 " + second_byte_as_it_is("ｶﾞｲﾄﾞとテスト") + rb"A\par}") == ["ｶﾞｲﾄﾞとテストA"]


def test_western_letters_in_a_japanese_file_stay() -> None:
    assert texts(HEAD + rb"\f1 caf\'e9s \'e0 la\f0 " + second_byte_as_it_is("テスト") + rb"\par}") == [
        "cafés à laテスト"
    ]


def test_letters_beyond_the_first_plane() -> None:
    assert texts(HEAD + numbered("𠮟る") + rb"\par}") == ["𠮟る"]


@pytest.mark.parametrize(
    ("page", "charset", "text"), [(949, 129, "결정계수"), (936, 134, "决定系数"), (950, 136, "決定係數許功")]
)
def test_other_scripts_of_two_bytes(page: int, charset: int, text: str) -> None:
    head = rb"{\rtf1\ansi\ansicpg%d{\fonttbl{\f0\fcharset%d F;}}\f0 " % (page, charset)
    assert texts(head + text.encode(f"cp{page}") + rb"\par}") == [text]


def test_rows_of_cells_make_a_table() -> None:
    row = (
        rb"\trowd\cellx100\cellx200\intbl "
        + hexadecimal("平均")
        + rb"\cell "
        + hexadecimal("分散")
        + rb"\cell\row "
    )
    (before, table, after) = rtf.read(
        HEAD + hexadecimal("前文。") + rb"\par " + row + row + hexadecimal("後文。") + rb"\par}"
    ).blocks
    assert (before.text, after.text) == ("前文。", "後文。")
    assert table.kind is BlockKind.TABLE
    assert table.text == "平均\t分散\n平均\t分散"


def test_a_bar_in_the_text_ends_no_cell() -> None:
    row = rb"\trowd\cellx100\cellx200\intbl 100|200\cell \'83| b\cell\row\pard "
    data = HEAD + row + rb"\'8d\'80|\'93\'78|\par}"
    assert [(block.kind, block.text) for block in rtf.read(data).blocks] == [
        (BlockKind.TABLE, "100|200\tポ b"),
        (BlockKind.PARAGRAPH, "項|度|"),
    ]


def test_pictures_and_their_bytes_are_left_out() -> None:
    picture = rb"{\pict\wmetafile8\bin7 " + b"}{\\par\xff" + b"}"
    assert texts(HEAD + picture + hexadecimal("本文。") + rb"\par}") == ["本文。"]


HIDDEN = rb"secret \{\\ \'95\'5c\u31192?\tab\emdash x\~"


@pytest.mark.parametrize(
    "hidden",
    [
        rb"{\v " + HIDDEN + rb"}",
        rb"\v " + HIDDEN + rb"\v0 ",
        rb"\v1" + HIDDEN + rb"\plain ",
        rb"{\v a{\b b{\v0}c}" + HIDDEN + rb"}",
        rb"{\b\v\fs20 " + HIDDEN + rb"\i\f1 " + HIDDEN + rb"}",
        rb"{\v a\deleted b\deleted0 c}",
        rb"{\deleted " + HIDDEN + rb"}",
        rb"{\mvf a{\*\x y}" + HIDDEN + rb"}",
    ],
)
def test_hidden_text_is_left_out(hidden: bytes) -> None:
    assert texts(HEAD + hexadecimal("会費は") + hidden + hexadecimal("千円。") + rb"\par}") == [
        "会費は千円。"
    ]


@pytest.mark.parametrize(
    "shown",
    [
        rb"\vertalb 1000",
        rb"\viewkind4\vern5 1000",
        rb"\v0 1000",
        rb"{\v\v0 1000}",
        rb"{\v{\v0 1000}}",
        rb"{\v}1000",
        rb"{{\v}1000}",
    ],
)
def test_what_is_not_hidden_stays(shown: bytes) -> None:
    (text,) = texts(HEAD + rb"{\v0 Fee " + shown + rb" yen\par}}")
    assert text == "Fee 1000 yen"


def test_escaped_backslash_before_a_v_hides_nothing() -> None:
    assert texts(HEAD + rb"C:\\v 1\\v\par{\v secret}D:\'5cv 2}") == ["C:\\v 1\\v", "D:\\v 2"]


def test_second_byte_that_is_a_backslash_hides_nothing() -> None:
    assert texts(HEAD + rb"\f0 \'95\\v\'83e\'83X\'83g{\v secret}\par}") == ["表vテスト"]


def test_paragraphs_and_cells_around_hidden_text_stay_apart() -> None:
    row = rb"\trowd\cellx100\cellx200\intbl a{\v secret\cell}b\cell\row "
    assert texts(HEAD + rb"first{\v secret\par}second\par " + row + rb"}") == ["first", "second", "a\tb"]


@pytest.mark.parametrize(
    "note",
    [
        rb"{\super\chftn{\footnote\pard\plain {\super\chftn} " + hexadecimal("脚注の文") + rb"\par}}",
        rb"{\cs1\super {\chftn {\footnote\chftn " + hexadecimal("脚注の文") + rb"}}}",
        rb"{\footnote\ftnalt " + hexadecimal("脚注の文") + rb"}",
        rb"{\*\x{\footnote y}}{\v{\footnote y}}{\footnote\'8br" + hexadecimal("注の文") + rb"\par\par}",
    ],
)
def test_notes_come_last(note: bytes) -> None:
    blocks = rtf.read(HEAD + rb"\f0 " + hexadecimal("前") + note + hexadecimal("本文") + rb"\par}").blocks
    assert [(block.kind, block.text) for block in blocks] == [
        (BlockKind.PARAGRAPH, "前本文"),
        (BlockKind.NOTE, "脚注の文"),
    ]


def test_a_note_of_several_paragraphs_and_one_in_a_cell() -> None:
    row = rb"\trowd\cellx100\cellx200\intbl a{\footnote one\par{}two}\cell b\cell\row "
    assert texts(HEAD + row + rb"end{\footnote three\par\par four\par}\par}") == [
        "a\tb",
        "end",
        "one two",
        "three\nfour",
    ]


@pytest.mark.parametrize(
    ("written", "text"),
    [
        (rb"10{\super 2}m", "10²m"),
        (rb"10\super 2\nosupersub m", "10²m"),
        (rb"10\super -3\super0 m", "10⁻³m"),
        (rb"10{\super -}{\b\super 3}m", "10⁻³m"),
        (rb"10{\super 2 }m", "10² m"),
        (rb"10{\super\plain 2}m", "102m"),
        (rb"10{\super {\*\x\super0 y}2}m", "10²m"),
        (rb"10{\super\u50?}m", "10²m"),
        (rb"10{\super \u50}m", "10²m"),
        (rb"H{\sub 2}O", "H₂O"),
        (rb"x{\super a{\sub b}}", "x^a_b"),
        (rb"m{\super 2\par}n{\super }k", "m²/nk"),
        (rb"\'95\'bd{\super\'83\'58}\'95\'fb", "平^ス方"),
        (rb"{\stylesheet{\s1\super note;}}5\superx 2\subx 3", "523"),
    ],
)
def test_raised_letters_are_not_glued(written: bytes, text: str) -> None:
    assert "/".join(texts(HEAD + rb"\f0 " + written + rb"\par}")) == text


def test_raised_letters_of_a_row_keep_its_cells() -> None:
    row = rb"\trowd\cellx100\cellx200\intbl m\super 2\cell 3\cell\row\nosupersub "
    assert texts(HEAD + row + rb"after\par}") == ["m²\t³", "after"]


@pytest.mark.parametrize("unit", [rb"{\footnote a", rb"{\footnote a}", rb"\super a\sub b", rb"\super a|"])
def test_notes_and_raised_letters_are_read_in_linear_time(unit: bytes) -> None:
    assert grows_in_line(rtf.read, lambda size: HEAD + b"x" + unit * size + rb"\par}", 1_000)


@pytest.mark.slow
def test_many_hidden_groups_cost_no_more_than_their_length() -> None:
    for body in (
        rb"{\v a" * 100_000,
        rb"{\v a}" * 100_000,
        rb"\v a\v0 b" * 100_000,
        b"}" * 100_000 + rb"\v a",
    ):
        assert rtf._drop_hidden(HEAD + body).count(b"a") < 100


@pytest.mark.parametrize(
    "data",
    [rb"{\rtf1}", rb"{\rtf1\ansi \par\par }", rb"{\rtf1\uc\u99999999999 x}", rb"{\rtf1\ansi {\*\x y}}"],
)
def test_what_holds_no_text_is_refused_with_a_next_step(data: bytes) -> None:
    with pytest.raises(DocumentUnreadable, match=r"\.docx or PDF"):
        rtf.read(data)


def test_bytes_without_an_encoding_are_no_text() -> None:
    with pytest.raises(DocumentUnreadable, match="encoding"):
        rtf.read(HEAD + rb"\f0 " + rb"\'fd\'ff\'fe\'fd" * 20 + rb"\par}")
    reading = rtf.read(HEAD + rb"\f0 " + hexadecimal(SENTENCE) + rb" \'ff \par}")
    assert "doesn't identify 1" in reading.warnings[0]


def test_it_is_known_by_its_first_bytes() -> None:
    for name, declared in (
        ("a.rtf", None),
        ("a.txt", "text/plain"),
        ("a", None),
        ("a.doc", "application/msword"),
        ("a.md", None),
    ):
        assert media.sniff(name, HEAD + b"}", declared) == media.RTF
    assert media.sniff("a.txt", b"\xef\xbb\xbf\r\n" + HEAD + b"}") == media.RTF
    assert media.sniff("a.txt", b"A file that begins with {\\rtf is RTF.") == media.TEXT
    for name, declared in (("a.rtf", None), ("a", "text/rtf"), ("a", "application/rtf")):
        with pytest.raises(DocumentUnreadable, match="its content is something else"):
            media.sniff(name, b"plain words", declared)


def test_postscript_is_no_plain_text() -> None:
    with pytest.raises(UnsupportedMedia, match="ps2pdf"):
        media.sniff("a.ps", b"%!PS-Adobe-3.0\n/Helvetica findfont\n")


async def test_a_file_is_read_in_the_child() -> None:
    reader = KillableReader(60, 1024, 2**20)
    try:
        reading = await reader.read(Source("報告.txt", HEAD + second_byte_as_it_is(SENTENCE) + rb"\par}"))
    finally:
        await reader.close()
    assert [block.text for block in reading.blocks] == [SENTENCE]
