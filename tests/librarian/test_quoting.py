"""How much is quoted around a line: lists whole or cut at an item, sentences with those they lean on."""

from shisho.librarian import questions, reading
from shisho.librarian.quoting import LIST_CHARS, quoted_span

LEAD = "採用された者は、次の書類を提出しなければならない。"
ITEMS = ("① 住民票記載事項証明書", "② 資格証明書の写し", "③ その他会社が指定するもの")


def quoted(text: str, line: str, question: str, after: str = "") -> tuple[str, int]:
    page = reading.read(text, "", after)
    lines = page.lines + page.following
    place = next(
        place
        for place, read_line in enumerate(lines)
        if line in (text + after)[read_line.start : read_line.end]
    )
    asked_question = questions.read(question)
    span = quoted_span(text + after, lines, place, asked_question, dict.fromkeys(asked_question.terms, 1.0))
    return (text + after)[span.start : span.end], span.items


def test_a_lead_in_comes_with_its_list() -> None:
    text = "\n\n".join([LEAD, *ITEMS, "会社は書類を返さない。"])
    assert quoted(text, LEAD, "提出書類は何ですか") == ("\n\n".join([LEAD, *ITEMS]), 0)


def test_an_item_brings_its_list_where_a_list_is_asked_for() -> None:
    text = "\n\n".join([LEAD, *ITEMS])
    assert quoted(text, ITEMS[1], "提出書類を挙げてください") == (text, 0)
    assert quoted(text, ITEMS[1], "資格証明書は写しでよいか") == (ITEMS[1], 0)


def test_a_long_list_is_cut_at_an_item_and_says_how_many_it_has() -> None:
    items = [
        f"({number}) 会社が労働者に対して書面で明らかにするべき事項のうち第{number}のもの"
        for number in range(1, 21)
    ]
    text = "\n\n".join(["次の事項を明示する。", *items])
    snippet, count = quoted(text, "次の事項", "明示する事項を挙げよ")
    assert count == 20
    assert len(snippet) <= LIST_CHARS and snippet.endswith("のもの")


def test_a_list_goes_on_after_its_passage() -> None:
    text = "\n\n".join([LEAD, ITEMS[0]])
    after = "\n\n" + "\n\n".join(ITEMS[1:])
    assert quoted(text, LEAD, "提出書類は何ですか", after) == ("\n\n".join([LEAD, *ITEMS]), 0)


def test_a_sentence_that_points_back_comes_with_the_one_before() -> None:
    text = "協会は1969年にできた。この協会は測量の仕事をする。会員は多い。"
    assert (
        quoted(text, "この協会は", "協会は何の仕事をするか")[0]
        == "協会は1969年にできた。この協会は測量の仕事をする。"
    )


def test_a_definition_comes_with_the_sentence_that_goes_on_with_it() -> None:
    text = "中央値とは、値を並べたとき真ん中に来る値である。これは外れ値に強い。平均は別の値である。"
    assert quoted(text, "中央値とは", "中央値とは何か")[0] == text[: text.index("平均は")]


def test_a_cut_sentence_keeps_its_predicate() -> None:
    filler = "昔の暦には多くの祭りの日が記され、" * 8
    text = f"{filler}出勤率が八割以上の者には、勤続の長さに応じて、有給の休暇を十日与えなければならない。"
    snippet, _ = quoted(text, "出勤率", "出勤率が何割以上なら休暇がもらえるか")
    assert snippet.endswith("十日与えなければならない。") and len(snippet) < len(text) / 2
