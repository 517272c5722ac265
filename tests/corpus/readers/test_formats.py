"""Text, Markdown, HTML, DOCX and PPTX: what a reader of the page would quote, under its headings."""

import io
import re
import zipfile

import openpyxl
import pytest

from shisho.corpus.layout import lay_out
from shisho.corpus.readers import docx, html, markdown, media, pptx, text, xlsx
from shisho.domain.corpus import BlockKind, Reading
from shisho.errors import DocumentEncrypted, DocumentUnreadable, TooLarge, UnsupportedMedia
from shisho.isolation import prescan
from shisho.language.normalise import fold_with_map
from tests.corpus.readers.making import lines, pdf, saved, slides, word
from tests.shared import shared

ODD = "10²とR²と½と㈱とｶﾞｲﾄﾞ"


def rows(reading: Reading) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(block.kind.value, block.text, block.headings) for block in reading.blocks]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp932", "euc_jp", "iso2022_jp"])
def test_text_in_any_encoding(encoding: str) -> None:
    reading = text.read("決定係数とは何か。\r\nサーバーの話。\r\n\r\n次の段落。".encode(encoding))
    assert [block.text for block in reading.blocks] == ["決定係数とは何か。\nサーバーの話。", "次の段落。"]


def test_text_of_nothing() -> None:
    with pytest.raises(DocumentUnreadable):
        text.read(b" \n\n ")


def test_tables_in_html_within_markdown_keep_their_rows() -> None:
    table = "<table>\n<tr><th>区分</th><th>料金</th></tr>\n\n<tr><td>大人</td><td>400円</td></tr></table>"
    text = f"# 温泉\n\n利用料金 {table}\n\n```\n{table}\n```\n"
    blocks = markdown.read(text.encode()).blocks
    assert [(block.kind, block.text) for block in blocks[:3]] == [
        (BlockKind.HEADING, "温泉"),
        (BlockKind.PARAGRAPH, "利用料金"),
        (BlockKind.TABLE, "区分\t料金\n大人\t400円"),
    ]
    assert blocks[2].headings == ("温泉",)
    assert blocks[3].text == table


def test_markdown() -> None:
    source = (
        "---\ntitle: 回帰ノート\n---\n# 回帰\n\n**決定係数**は`R2`、[指標](http://example.com)である。\n続き。\n\n## 節\n\n"
        "- 一\n- 二\n  - 三\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```py\nx = 1\n```\n"
    )
    reading = markdown.read(source.encode())
    assert reading.title == "回帰ノート"
    assert rows(reading) == [
        ("heading", "回帰", ()),
        ("paragraph", "決定係数はR2、指標である。\n続き。", ("回帰",)),
        ("heading", "節", ("回帰",)),
        ("list", "• 一", ("回帰", "節")),
        ("list", "• 二", ("回帰", "節")),
        ("list", "• 三", ("回帰", "節")),
        ("table", "a\tb\n1\t2", ("回帰", "節")),
        ("code", "x = 1", ("回帰", "節")),
    ]


PAGE = (
    "<html><head><title>回帰</title></head><body><nav>案内</nav><h1>回帰分析</h1><p>決定\n係数は<b>R<sup>2</sup></b>、"
    "x<sub>1</sub>、10<sup>-3</sup>。<ruby>司書<rp>(</rp><rt>ししょ</rt><rp>)</rp></ruby></p><h2>定義</h2>裸の文。"
    "<ul><li>一つ目<ul><li>内</li></ul></li></ul><table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>"
    "<pre>x = 1\n  y</pre><p>行<br>変え</p><script>var x</script></body></html>"
)


NOTES = """点検を行う[^1]。費用は別に定める[^2]、[規程][kitei]による。

[kitei]: https://example.jp/規程
[^1]: 点検の費用は一回三千円である。
[^2]: 部品代を含まない。
[略]: docs/略.md
---
- 項目[^一]
  [^一]: 入れ子の脚注は七日以内とする。
- 次の項目

  [^二]:
  次の行に立つ脚注。

> [^三]: 引用の中の脚注。
> [^四]: 四番目。

[注]: 温泉の料金は四百円である。

本文[注]、[略]。
"""


def test_no_footnote_of_markdown_is_lost() -> None:
    assert [block.text for block in markdown.read(NOTES.encode()).blocks] == [
        "点検を行う[^1]。費用は別に定める[^2]、規程による。",
        "[^1]: 点検の費用は一回三千円である。",
        "[^2]: 部品代を含まない。",
        "• 項目[^一]\n[^一]: 入れ子の脚注は七日以内とする。",
        "• 次の項目",
        "[^二]:\n次の行に立つ脚注。",
        "[^三]: 引用の中の脚注。",
        "[^四]: 四番目。",
        "[注]: 温泉の料金は四百円である。",
        "本文[注]、略。",
    ]


@pytest.mark.parametrize(
    ("target", "dropped"),
    [
        ("https://example.jp/料金", True),
        ("mailto:info@example.jp", True),
        ("<図 一.png>", True),
        ("#料金", True),
        ("../料金", True),
        ("docs/price", True),
        ("料金表.PDF#表", True),
        ("# (筆者の覚え書き)", True),
        ("料金は3.5万円とする", False),
        ("料金は四百円、小人は半額。詳しくは example.jp", False),
        ("一人1/2とする", False),
        ("四百円", False),
    ],
)
def test_a_definition_is_dropped_where_it_is_an_address(target: str, dropped: bool) -> None:
    blocks = markdown.read(f"本文。\n\n[注]: {target}\n".encode()).blocks
    assert [block.text for block in blocks[1:]] == ([] if dropped else [f"[注]: {target}"])


def test_a_small_page_is_read_whole() -> None:
    reading = html.read(PAGE.encode())
    assert reading.title == "回帰"
    assert rows(reading) == [
        ("heading", "回帰分析", ()),
        ("paragraph", "決定係数はR²、x₁、10⁻³。司書(ししょ)", ("回帰分析",)),
        ("heading", "定義", ("回帰分析",)),
        ("paragraph", "裸の文。", ("回帰分析", "定義")),
        ("list", "• 一つ目", ("回帰分析", "定義")),
        ("list", "• 内", ("回帰分析", "定義")),
        ("table", "a\tb\n1\t2", ("回帰分析", "定義")),
        ("code", "x = 1\n  y", ("回帰分析", "定義")),
        ("paragraph", "行\n変え", ("回帰分析", "定義")),
    ]


def test_a_table_that_lays_out_the_page_is_none() -> None:
    menu = "<td><ul><li>案内</li><li>更新</li></ul></td>"
    data = "<table><tr><th>年</th><td>1935</td></tr></table>"
    main = f"<td><h1>灯台</h1><p>段落。</p><p>次の段落。</p>{data}</td>"
    assert rows(
        html.read(f"<html><body><table><tr>{menu}{main}</tr></table>{data}</body></html>".encode())
    ) == [
        ("list", "• 案内", ()),
        ("list", "• 更新", ()),
        ("heading", "灯台", ()),
        ("paragraph", "段落。", ("灯台",)),
        ("paragraph", "次の段落。", ("灯台",)),
        ("table", "年\t1935", ("灯台",)),
        ("table", "年\t1935", ("灯台",)),
    ]


@pytest.mark.parametrize(
    "body",
    [
        "<article><p>書き改めた頁である。</p></article>",
        "<header>書き改めた頁である。</header><p>書き改めた頁である。</p>",
        "<!-- 本文 --><main>書き改めた頁である。</main>",
    ],
)
def test_tags_that_may_be_left_out(body: str) -> None:
    reading = html.read(
        f"<!doctype html><html lang=ja><meta charset=utf-8><title>新版</title>{body}".encode()
    )
    assert reading.title == "新版" and {block.text for block in reading.blocks} == {"書き改めた頁である。"}


def test_nothing_but_links_is_a_menu() -> None:
    links = "".join(f"<li><a href='/{each}'>{each}</a></li>" for each in ("入口", "更新", "地図"))
    lists = f"<ul>{links}</ul><div>{links} | </div><ul>{links}<li>一つの文。</li></ul><ol><li><a href='/a'>入口</a></li></ol>"
    texts = [
        text for _, text, _ in rows(html.read(f"<html><body>{lists}<p>段落。</p></body></html>".encode()))
    ]
    assert texts == ["• 入口", "• 更新", "• 地図", "• 一つの文。", "1. 入口", "段落。"]
    assert len(rows(html.read(f"<html><body><ul>{links}</ul></body></html>".encode()))) == 3, (
        "a page of links is one"
    )


@pytest.mark.parametrize(
    ("listed", "texts"),
    [
        ("<ul><li>米</li><li><p>麦</p><p>大麦である。</p></li></ul>", ["• 米", "• 麦", "大麦である。"]),
        ("<ol><li>量る</li><li>洗う</li></ol>", ["1. 量る", "2. 洗う"]),
        (
            "<ol start='3'><li>炊く</li><li value='7'>蒸らす</li><li>盛る</li></ol>",
            ["3. 炊く", "7. 蒸らす", "8. 盛る"],
        ),
        ("<ol type='a'><li>白米</li></ol>", ["• 白米"]),
        ("<ul><li>豆<ul><li>大豆</li></ul></li><li>芋</li></ul>", ["• 豆", "• 大豆", "• 芋"]),
        ("<ul><li>・自分の印</li><li>(1) 自分の番号</li></ul>", ["・自分の印", "(1) 自分の番号"]),
        ("<dl><dt>玄米</dt><dd>籾殻を取った米。</dd></dl>", ["玄米", "籾殻を取った米。"]),
        ("<ol start='１２３４５６'><li>米</li></ol>", ["1. 米"]),
        ("<ul><li></li></ul><p>後の段落。</p>", ["後の段落。"]),
    ],
)
def test_an_item_has_the_mark_that_a_browser_shows(listed: str, texts: list[str]) -> None:
    reading = html.read(f"<html><body><p>前の段落。</p>{listed}</body></html>".encode())
    assert [block.text for block in reading.blocks] == ["前の段落。", *texts]


MANUAL = """<div class="chapter"><div class="titlepage"><h1 class="title"><a id="top"></a>第2章 道具</h1></div>
<PARAGRAPH>この章では、庭の手入れに使う道具を順に説明します。はじめに使う前の準備を述べ、次に手順を述べます。</PARAGRAPH>
<div class="section"><div class="titlepage"><h2 class="title"><a id="cut"></a>2.1. 剪定</h2></div>
<PARAGRAPH>剪定は、木の形を整え、風と光を通すために枝を切る作業です。切る枝は次のとおりです。</PARAGRAPH>
<div class="itemizedlist"><ul><li><PARAGRAPH>枯れた枝</PARAGRAPH></li>
<li><PARAGRAPH>交わる枝</PARAGRAPH></li></ul></div>
<dl><dt><span class="term">鋏</span></dt>
<dd><PARAGRAPH>細い枝を切るための道具で、<span class="guimenu">刃</span>を上に向けて持ちます。</PARAGRAPH></dd></dl>
<PARAGRAPH>作業が終わったら、刃を拭いて油を差し、<code class="menuitem">乾いた布</code>に包んでしまいます。</PARAGRAPH>
</div></div>"""


@pytest.mark.parametrize("paragraph", ["p", "div"])
def test_a_manual_whose_main_part_has_no_name_keeps_its_headings_lists_and_terms(paragraph: str) -> None:
    begin = '<div class="para">' if paragraph == "div" else "<p>"
    chapter = MANUAL.replace("<PARAGRAPH>", begin).replace("</PARAGRAPH>", f"</{paragraph}>")
    # What is said twice in the same words is left out.
    sections = "".join(
        re.sub("(作業|切る|れた|交わる)", rf"\g<1>{number}", chapter) for number in range(2, 8)
    )
    texts = [block.text for block in html.read(f"<html><body>{sections}</body></html>".encode()).blocks]
    begun = texts.index(
        "剪定は、木の形を整え、風と光を通すために枝を切る3作業3です。切る3枝は次のとおりです。"
    )
    assert texts[begun - 1] == "2.1. 剪定"
    assert texts[begun + 1 : begun + 4] == ["• 枯れた3枝", "• 交わる3枝", "鋏"]
    assert "、刃を上に向けて" in texts[begun + 4]
    assert "乾いた布に包んで" in texts[begun + 5]


def test_the_main_text_of_a_large_page() -> None:
    menu = "<nav>" + "".join(f"<a href='/{n}'>案内{n}</a> " for n in range(80)) + "</nav>"
    body = "".join(
        f"<p>第{n}段落。決定係数は、回帰モデルの当てはまりの良さを表す指標であり、0から1の値をとる。</p>"
        for n in range(40)
    )
    reading = html.read(
        f"<html><body>{menu}<article><h1>回帰</h1>{body}</article>{menu}</body></html>".encode()
    )
    text = lay_out(reading).text
    assert text.count("段落。") == 40
    assert "案内7" not in text


@pytest.mark.parametrize("encoding", ["shift_jis", "euc-jp", "utf-8"])
def test_html_says_its_encoding(encoding: str) -> None:
    page = f"<html><head><meta charset='{encoding}'></head><body><p>短い日本語。</p></body></html>"
    assert rows(html.read(page.encode(encoding))) == [("paragraph", "短い日本語。", ())]


@pytest.mark.parametrize(
    "page",
    [
        "<div>" * 100_000,
        "<p " + " ".join(f"a{n}=1" for n in range(50_000)) + ">x",
        "<p " + " ".join(f"a{n}='>'" for n in range(50_000)) + ">x",
        "<b>" * 5_000 + "x",
        "<!-->" + "<div>" * 10_000 + "-->",
        "<svg><title>" + "</title>" + "<g>" * 3_000,
    ],
)
def test_the_prescan_refuses(page: str) -> None:
    with pytest.raises(TooLarge):
        prescan.check(page)


@pytest.mark.parametrize(
    "page",
    [
        "<p>一<p>二" * 5_000,
        "<ul>" + "<li>x" * 5_000 + "</ul>",
        "<div>x</div>" * 50_000,
        "<img src=a>" * 5_000,
        "<script>" + "if (a<b) <div " * 5_000 + "</script>",
        "<p title='" + "a=1 " * 5_000 + "'>x</p>",
        "<svg><path d='" + "M 1 2 " * 5_000 + "'/></svg>",
        "a < b " * 5_000,
    ],
)
def test_the_prescan_lets_pages_for_people_pass(page: str) -> None:
    prescan.check(page)


def test_a_page_over_five_megabytes_is_refused() -> None:
    with pytest.raises(TooLarge):
        html.read(b"<p>" + b"x" * (5 * 2**20))


def test_docx() -> None:
    reading = docx.read(word())
    assert reading.title == "回帰ノート"
    assert rows(reading) == [
        ("heading", "回帰分析", ()),
        ("paragraph", "決定係数 R² は 10² と書く。", ("回帰分析",)),
        ("heading", "定義", ("回帰分析",)),
        ("list", "• 項目", ("回帰分析", "定義")),
        ("table", "平均\t分散\n結合", ("回帰分析", "定義")),
    ]


def test_pptx() -> None:
    reading = pptx.read(slides())
    assert reading.page_count == 2
    assert [(block.page, block.kind, block.text) for block in reading.blocks] == [
        (1, BlockKind.HEADING, "決定係数"),
        (1, BlockKind.PARAGRAPH, "当てはまりの良さ\n½ ㈱"),
        (1, BlockKind.TABLE, "x\ty"),
        (1, BlockKind.NOTE, "ここで例を話す。"),
        (2, BlockKind.HEADING, "まとめ"),
    ]


def _repeat_entry(package: bytes, part: str, pattern: str) -> bytes:
    """The package with the first entry of this kind in this part written a hundred times."""

    def repeat(match: re.Match[str]) -> str:
        entries = (
            re.sub(r'(?<=[ ](?:id|Id)=")[0-9]+(?=")|(?<=sheetId=")[0-9]+(?=")', str(number), match[0])
            for number in range(1_000, 1_100)
        )
        return match[0] + "".join(
            re.sub(r'name="[^"]*"', f'name="again {number}"', entry) for number, entry in enumerate(entries)
        )

    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(package)) as old, zipfile.ZipFile(file, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name == part:
                data = re.sub(pattern, repeat, data.decode(), count=1).encode()
            new.writestr(name, data)
    return file.getvalue()


def test_a_slide_that_is_named_a_hundred_times_is_read_once() -> None:
    repeated = pptx.read(_repeat_entry(slides(), "ppt/presentation.xml", r"<p:sldId [^>]*/>"))
    assert repeated.page_count == 102
    assert [block.text for block in repeated.blocks] == [block.text for block in pptx.read(slides()).blocks]


def test_a_sheet_that_is_named_a_hundred_times_is_read_once() -> None:
    made = openpyxl.Workbook()
    made.active.append(["項目", "値"])
    made.active.append(["決定係数", 0.81])
    repeated = xlsx.read(_repeat_entry(saved(made), "xl/workbook.xml", r"<sheet [^>]*/>"))
    assert repeated.page_count == 101
    assert repeated.blocks == xlsx.read(saved(made)).blocks


def test_a_zip_bomb_is_refused_before_it_is_unpacked() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("word/document.xml", b" " * (64 * 2**20))
    with pytest.raises(TooLarge):
        docx.read(file.getvalue())


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("a.bin", b"%PDF-1.4 ...", media.PDF),
        ("a.txt", b"junk\n%PDF-1.4 ...", media.PDF),
        ("a.html", b"<p>x", media.HTML),
        ("a.txt", b"\xef\xbb\xbf<!DOCTYPE html><html>", media.HTML),
        ("a.txt", b"<?xml version='1.0'?>\n<html>", media.HTML),
        ("notes.MD", b"# x", media.MARKDOWN),
        ("README", b"plain", media.TEXT),
        ("a", "文".encode("utf-16"), media.TEXT),
    ],
)
def test_kinds_by_content_then_by_name(name: str, data: bytes, kind: str) -> None:
    assert media.sniff(name, data) == kind


def test_office_files_are_known_by_what_they_hold() -> None:
    assert media.sniff("a.zip", word()) == media.DOCX
    assert media.sniff("a.docx", slides()) == media.PPTX
    assert media.sniff("a.docx", pdf([lines("x")])) == media.PDF


def test_a_declared_type_helps_where_the_bytes_say_nothing() -> None:
    assert media.sniff("page", b"<p>x", "text/html; charset=utf-8") == media.HTML


@pytest.mark.parametrize(
    ("name", "data", "error"),
    [
        ("a.pdf", b"", DocumentUnreadable),
        ("a.txt", b" \n\x00", DocumentUnreadable),
        ("a.pdf", b"not a pdf", DocumentUnreadable),
        ("a.gif", b"GIF89a....", UnsupportedMedia),
        ("a.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1....", UnsupportedMedia),
        (
            "a.docx",
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"),
            DocumentEncrypted,
        ),
        ("a.dat", b"\x01\x00\x02\x00\x03", UnsupportedMedia),
    ],
)
def test_what_is_not_taken(name: str, data: bytes, error: type[Exception]) -> None:
    with pytest.raises(error):
        media.sniff(name, data)


def test_the_nested_bomb_is_an_archive() -> None:
    with pytest.raises(UnsupportedMedia, match="archive"):
        media.sniff("42.zip", shared("hostile", "zip", "42.zip").read_bytes())


@pytest.mark.parametrize(
    "reading",
    [
        lambda: text.read(ODD.encode()),
        lambda: markdown.read(ODD.encode()),
        lambda: html.read(f"<p>{ODD}</p>".encode()),
    ],
)
def test_odd_characters_are_kept_and_found(reading: object) -> None:
    found = lay_out(reading()).text  # type: ignore[operator]
    assert found == ODD
    view = fold_with_map(found)
    for plain, printed in (("R2", "R²"), ("102", "10²"), ("1/2", "½"), ("(株)", "㈱"), ("ガイド", "ｶﾞｲﾄﾞ")):
        at = view.text.index(plain)
        start, end = view.locate_original(at, at + len(plain))
        assert found[start:end] == printed
