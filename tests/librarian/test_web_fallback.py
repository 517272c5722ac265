"""What the web is asked for open goals."""

from shisho.librarian.strategy import strategy
from shisho.librarian.web_fallback import MAX_CHARS, build_web_queries
from tests.tables import each_row


def asked(question: str, pages: int = 200) -> list[tuple[str, str, str]]:
    return [
        (one.goal_id, one.text, one.language) for one in build_web_queries(strategy(question).goals, pages)
    ]


@each_row(
    ("question", "texts"),
    [
        ("決定係数とは何か", ["決定係数", "決定係数 とは"]),
        ("決定係数が0に近いとき何を意味するか", ["決定係数 0 近い", "決定係数"]),
        ("富士山の標高は何メートルか", ["富士山 標高"]),
        ("「吾輩は猫である」の作者は誰ですか", ['"吾輩は猫である" 作者']),
        ("What is a median?", ["median", "median definition"]),
        ("それはなぜ？", ["それはなぜ？"]),
    ],
)
def test_keywords_not_questions(question: str, texts: list[str]) -> None:
    assert [text for _, text, _ in asked(question)] == texts


def test_every_goal_has_its_first_query_before_any_has_its_second() -> None:
    assert asked("決定係数と相関係数の違いは何か") == [
        ("G1", "決定係数", "ja"),
        ("G2", "相関係数", "ja"),
        ("G1", "決定係数 とは", "ja"),
        ("G2", "相関係数 とは", "ja"),
    ]


@each_row(("pages", "queries"), [(200, 4), (24, 4), (12, 2), (6, 1), (2, 1), (1, 0), (0, 0)])
def test_no_more_than_the_pages_can_answer(pages: int, queries: int) -> None:
    assert len(asked("決定係数と相関係数の違いは何か", pages)) == queries


def test_the_language_is_the_goals() -> None:
    assert {language for _, _, language in asked("Who invented the inverted index?")} == {"en"}


def test_long_questions_make_short_queries() -> None:
    long = "、".join(
        f"第{number}章の{name}の扱い" for number, name in enumerate(["決定係数", "相関係数"] * 40)
    )
    texts = [text for _, text, _ in asked(long + "について述べよ")]
    assert 1 <= len(texts) <= 2 and all(len(text) <= MAX_CHARS for text in texts)
