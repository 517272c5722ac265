"""The line of metadata that names authors: persons in parts, bodies whole, and those left out."""

from __future__ import annotations

from shisho.domain.reference import OTHERS, Creator, read_creators, write_creators
from tests.tables import each_row

MINISTRY = Creator("Ministry of Education, Culture, Sports, Science and Technology")


@each_row(
    ("line", "creators"),
    [
        ("山田, 太郎; Smith, Jane", (Creator("山田", "太郎"), Creator("Smith", "Jane"))),
        (
            "総務省統計局；山田 太郎、佐藤花子",
            (Creator("総務省統計局"), Creator("山田 太郎"), Creator("佐藤花子")),
        ),
        ("King, Martin Luther, Jr.", (Creator("King", "Martin Luther", "Jr."),)),
        ("Smith, V", (Creator("Smith", "V"),)),
        ("Jane Smith and John Doe", (Creator("Jane Smith"), Creator("John Doe"))),
        ("Smith, Jane and others", (Creator("Smith", "Jane"), OTHERS)),
        ("山田, 太郎; 佐藤, 花子; ほか", (Creator("山田", "太郎"), Creator("佐藤", "花子"), OTHERS)),
        (MINISTRY.family, (MINISTRY,)),
        ("Food and Agriculture Organization", (Creator("Food and Agriculture Organization"),)),
        ("Fuji Electric Co., Ltd.; Doe, John", (Creator("Fuji Electric Co., Ltd."), Creator("Doe", "John"))),
        ("{Nagoya, Gifu}; Doe, John", (Creator("Nagoya, Gifu"), Creator("Doe", "John"))),
        ("{国際連合教育、科学、文化機関}", (Creator("国際連合教育、科学、文化機関"),)),
        ("; , ; {}", ()),
        ("{" * 100_000, (Creator("{" * 100_000),)),
    ],
)
def test_names_of_a_line_are_persons_or_stand_whole(line: str, creators: tuple[Creator, ...]) -> None:
    assert read_creators(line) == creators


@each_row(
    ("creator", "line"),
    [
        (Creator("King", "Martin Luther", "Jr."), "King, Martin Luther, Jr."),
        (Creator("総務省"), "総務省"),
        (MINISTRY, MINISTRY.family),
        (Creator("Nagoya, Gifu"), "{Nagoya, Gifu}"),
        (Creator("Ernst Young and Partner Group"), "{Ernst Young and Partner Group}"),
        (Creator("A; B"), "{A; B}"),
        (Creator("国際連合教育、科学、文化機関"), "{国際連合教育、科学、文化機関}"),
    ],
)
def test_a_whole_name_stands_in_braces_only_where_it_would_be_read_as_another(
    creator: Creator, line: str
) -> None:
    assert write_creators([creator]) == line
    assert read_creators(line) == (creator,)
    assert read_creators(write_creators([creator, OTHERS])) == (creator, OTHERS)
