"""The header of a table in a text, by the form of its rows."""

from __future__ import annotations

from shisho.language.table_headers import find_table_header, label_table_header
from tests.tables import each_row

CSV = "予約ID,基本料金,税金,その他費用\nR017,26000,2600,3600\nR018,27000,2700,3700\nR019,28000,2800,3800"
WORDS_AND_CODES = "施設ID,名称,カテゴリ\nT001,歴史博物館,観光施設\nT002,近代美術館,美術館"
QUOTED_CELLS = '品目,"価格, 税込",数\n茶,"1,200円",3\n菓子,"2,400円",5'
PIPES = "価格の表。\n\n| 品目 | 単価 | 数 |\n|------|-----:|---:|\n| 茶 | 120円 | 3 |\n| 菓子 | 240円 | 5 |"
PIPES_OF_TWO_ROWS = (
    "| | 料金 | |\n| 時間帯 | 平日 | 休日 |\n| 午前 | 300円 | 400円 |\n| 午後 | 500円 | 600円 |"
)
SPANNED = (
    "A社料金表\tA社料金表\tA社料金表\n時間帯\t料金\t料金\n時間帯\t1時間あたり\t4時間パック\n"
    "午前\t3,000円\t10,000円\n午後\t4,000円\t14,000円"
)
TSV = "年\t出荷\t在庫\n2023\t1,200\t30\n2024\t1,400\t20"


@each_row(
    ("text", "quoted", "labels"),
    [
        (CSV, "R018,", "予約ID · 基本料金 · 税金 · その他費用"),
        (CSV, "2700,3700", "予約ID · 基本料金 · 税金 · その他費用"),
        (WORDS_AND_CODES, "T002", "施設ID · 名称 · カテゴリ"),
        (QUOTED_CELLS, "菓子", "品目 · 価格, 税込 · 数"),
        (PIPES, "| 菓子", "品目 · 単価 · 数"),
        (PIPES_OF_TWO_ROWS, "| 午後", "料金 / 時間帯 · 平日 · 休日"),
        (SPANNED, "午後", "A社料金表 / 時間帯 · 料金 / 時間帯 · 1時間あたり · 4時間パック"),
        (TSV, "2024", "年 · 出荷 · 在庫"),
        ("品名\t価格\n茶\t120円\n菓子\t240円", "菓子", "品名 · 価格"),
        ("支店,2023年,2024年\n東京,120,130\n大阪,90,80", "大阪", "支店 · 2023年 · 2024年"),
    ],
)
def test_a_row_has_all_rows_of_its_header(text: str, quoted: str, labels: str) -> None:
    header = find_table_header(text, text.index(quoted))
    assert text.startswith(header, text.index(header)) and label_table_header(header) == labels


@each_row(
    ("text", "quoted"),
    [
        (CSV, "予約ID"),
        (SPANNED, "A社料金表"),
        ("R017,26000,2600,3600\nR018,27000,2700,3700", "R018"),
        ("はじめに述べる。\n\n茶を飲む。", "茶"),
        ("In spring, summer, and autumn it rains,\nin winter, it snows, and in 2024, it froze.", "in winter"),
        ("氏名,町,区\n山田,川口,北\n\n佐藤,1,2\n鈴木,3,4", "鈴木"),
        ("茶\t好まれる\n菓子\t好まれない", "菓子"),
        ("", ""),
    ],
)
def test_what_has_no_header_is_given_none(text: str, quoted: str) -> None:
    assert find_table_header(text, text.index(quoted)) == ""


def test_a_row_of_names_below_one_that_spans_is_no_header() -> None:
    text = "氏名\t連絡先\t連絡先\n山田\t東京\t港区\n佐藤\t大阪\t北区"
    assert find_table_header(text, text.index("佐藤")) == "氏名\t連絡先\t連絡先"
