"""How much is quoted around a line: lists whole or cut at an item, sentences with those they lean on."""

from shisho.librarian import questions, reading
from shisho.librarian.quoting import LIST_CHARS, choose_span, overleaf_span

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
    span = choose_span(text + after, lines, place, asked_question, dict.fromkeys(asked_question.terms, 1.0))
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


def test_a_lead_in_brings_the_short_lines_below_it_that_have_no_marks() -> None:
    pairs = "Path A: Iceland, Bulgaria\nPath B: Slovakia, Northern Ireland\nPath C: Scotland, Norway\nPath D: Georgia, Kosovo"
    text = (
        f"Each group will play for a spot, with each path having one berth:\n\n{pairs}\n\n"
        + "It goes on. " * 20
    )
    assert quoted(text, "Each group", "Which nations are in Path D?")[0].endswith("Georgia, Kosovo")


def test_what_is_to_be_written_stands_above_the_sentence_that_says_so() -> None:
    text = "\\plainlabel{紙}\n\nと書くことで、その札を対象から外します。"
    assert quoted(text, "と書くことで", "札を対象から外すには")[0] == text


def test_one_of_two_comes_with_both() -> None:
    first = "詰める並べ方と詰めない並べ方がある。"
    second = "前者は字数の少ない順に並び、後者は辞書と同じ順に並ぶ。"
    assert quoted(first + second, "前者は", "詰める並べ方とは何か")[0] == first + second
    assert (
        quoted(first + second, "詰める並べ方と", "詰める並べ方と詰めない並べ方を比べて")[0] == first + second
    )


def test_a_sentence_that_points_back_in_english_comes_with_the_one_before() -> None:
    text = "Some sheets are empty and only lean on new ones. Such sheets are called transitional sheets."
    assert quoted(text, "Such sheets", "What are transitional sheets?")[0] == text


def test_steps_without_marks_come_with_the_line_that_announces_them() -> None:
    steps = ["まず設定を開く。", "次に「なし」を選ぶ。", "最後に「適用」を押す。"]
    text = "\n\n".join(["以下、その手順。", *steps])
    assert quoted(text, "以下、", "無効にするにはどうすればよいか")[0] == text


def test_items_that_are_doubts_are_items() -> None:
    doubts = "● 問題の種類 : 品詞推定 ? 単語分割 ? 構文解析 ?"
    text = f"● 時間に影響する要因：\n\n{doubts}\n\n● 文の長さ : 長い\n\n● 計算量は？\n\n● 二乗"
    assert quoted(text, "影響する要因", "時間に影響する要因を挙げて")[0].endswith("● 文の長さ : 長い")


def overleaf(text: str, line: str, next_page: str) -> str:
    page = reading.read(text, "")
    question = questions.read("書類を挙げてください")
    place = next(
        place for place, read_line in enumerate(page.lines) if line in text[read_line.start : read_line.end]
    )
    end = choose_span(text, page.lines, place, question, dict.fromkeys(question.terms, 1.0)).end
    span = overleaf_span(page.lines, end, reading.read_roles(next_page, ""))
    return next_page[span.start : span.end] if span else ""


def test_a_list_goes_on_overleaf_in_a_quotation_of_its_own() -> None:
    items = "\n\n".join(ITEMS)
    assert overleaf(LEAD, LEAD, f"\n\n{items}\n\n会社は書類を返さない。") == items
    assert overleaf(f"{LEAD}\n\n{ITEMS[0]}", LEAD, "\n\n".join(ITEMS[1:])) == "\n\n".join(ITEMS[1:])
    assert overleaf(LEAD, LEAD, "会社は書類を返さない。") == ""
    assert overleaf(f"{LEAD}\n\n{ITEMS[0]}", LEAD, "(1) ほかの列挙") == ""
    assert overleaf(f"{LEAD}\n\n{ITEMS[0]}\n\n会社は書類を返さない。", LEAD, items) == ""


def test_an_item_that_a_page_break_divides_brings_those_after_it() -> None:
    page = f"{LEAD}\n\n① 履歴書\n\n② 健康診断書"
    rest = "三か月以内に受けたものに限る。\n\n③ 卒業証明書"
    assert overleaf(page, LEAD, f"{rest}\n\n会社は書類を返さない。") == rest
    assert overleaf(page, LEAD, "三か月以内に受けたものに限る。\n\n① ほかの列挙") == ""
    assert overleaf(page, LEAD, "① ほかの列挙\n\n② その続き") == ""
    assert overleaf(page, LEAD, "【返却】\n\n③ 卒業証明書") == ""
    bullets = f"{LEAD}\n\n• 履歴書"
    assert overleaf(bullets, LEAD, "三か月以内に受けたものに限る。\n\n• 卒業証明書") == ""


def test_a_sentence_that_points_back_comes_with_the_one_before() -> None:
    text = "協会は1969年にできた。この協会は測量の仕事をする。会員は多い。"
    assert (
        quoted(text, "この協会は", "協会は何の仕事をするか")[0]
        == "協会は1969年にできた。この協会は測量の仕事をする。"
    )


def test_a_numbered_sentence_that_points_back_comes_with_the_one_before() -> None:
    text = (
        "1. 二重の登録は審査の遅れを招く。\n\n2.上記の事から、二重の登録は好ましくない。\n\n3. 会員は多い。"
    )
    assert quoted(text, "2.上記", "二重の登録が好ましくないのはなぜか")[0] == text[: text.index("\n\n3.")]


def test_a_definition_comes_with_the_sentence_that_goes_on_with_it() -> None:
    text = "中央値とは、値を並べたとき真ん中に来る値である。これは外れ値に強い。平均は別の値である。"
    assert quoted(text, "中央値とは", "中央値とは何か")[0] == text[: text.index("平均は")]


def test_a_cut_sentence_keeps_its_predicate() -> None:
    filler = "昔の暦には多くの祭りの日が記され、" * 8
    text = f"{filler}出勤率が八割以上の者には、勤続の長さに応じて、有給の休暇を十日与えなければならない。"
    snippet, _ = quoted(text, "出勤率", "出勤率が何割以上なら休暇がもらえるか")
    assert snippet.endswith("十日与えなければならない。") and len(snippet) < len(text) / 2


def test_items_that_answer_only_by_what_they_stand_under_come_together() -> None:
    text = "\n\n".join(["• 佐藤花子", "• 鈴木一郎", "• 高橋次郎"])
    assert quoted(text, "• 鈴木一郎", "運営委員は誰か") == (text, 0)
    assert quoted(text, "• 鈴木一郎", "鈴木一郎は誰か") == ("• 鈴木一郎", 0)


def test_the_last_item_of_a_list_keeps_what_goes_on_with_it_as_the_others_do() -> None:
    text = "\n\n".join(
        [
            "届け出る事項は次のとおりです。",
            "(1) 賃金",
            "賃金の決め方に関すること",
            "(2) 退職",
            "退職に関すること",
        ]
    )
    assert quoted(text + "\n\n会社は届け出る。", "届け出る事項", "届け出る事項を挙げよ") == (text, 0)


def test_numbered_paragraphs_are_no_list() -> None:
    first, second = (
        f"{number} 会社は、労働者を採用するときは、書面の交付その他の確かな方法によって、第{number}に掲げる労働条件の"
        "すべてを当該労働者に対して明らかにしなければならず、あわせて本規則を示してその写しを交付するものとする。"
        for number in (1, 2)
    )
    assert quoted(f"{first}\n\n{second}", second, "採用するときの手続を挙げよ") == (second, 0)


def test_an_exception_comes_with_its_rule_where_more_than_one_fact_is_asked_for() -> None:
    text = "時間外労働の割増率は2割5分以上である。なお、深夜に及んだ場合は5割以上とする。"
    assert quoted(text, "なお、", "時間外労働と深夜労働の割増率にはどんな違いがあるか")[0] == text
    assert (
        quoted(text, "なお、", "深夜に及んだ場合の割増率は何割か")[0]
        == "なお、深夜に及んだ場合は5割以上とする。"
    )


def test_what_was_done_with_the_thing_before_comes_with_it() -> None:
    text = "同じ内容の基準を二つ維持する意味はない。4.0版では、これを付録に移した。"
    assert quoted(text, "4.0版では", "付録に移したものは何か")[0] == text


def test_a_statement_comes_with_the_sentence_that_gives_its_ground() -> None:
    text = "長い試用期間は好ましくない。なぜなら、労働者の地位が不安定になるからである。期間は三か月が多い。"
    assert (
        quoted(text, "長い試用期間", "長い試用期間が好ましくないのはなぜか")[0]
        == "長い試用期間は好ましくない。なぜなら、労働者の地位が不安定になるからである。"
    )
    assert quoted(text, "長い試用期間", "長い試用期間はよいか")[0] == "長い試用期間は好ましくない。"


def test_a_line_to_be_typed_comes_with_the_sentence_around_it() -> None:
    text = "文書は一つのファイルである。\n\nこの文書を組版するには\n\n# platex manual.sty\n\nを実行します。\n\n終わりです。"
    whole = "この文書を組版するには\n\n# platex manual.sty\n\nを実行します。"
    assert quoted(text, "組版するには", "組版する方法")[0] == whole
    assert quoted(text, "# platex", "組版する方法")[0] == whole


def test_items_that_go_on_in_lines_of_their_own_are_one_list() -> None:
    text = "\n\n".join(
        [
            "届け出る事項は次のとおりです。",
            "(1) 賃金",
            "賃金の決め方に関すること",
            "(2) 退職",
            "退職に関すること",
        ]
    )
    assert quoted(text, "(2) 退職", "届け出る事項を挙げよ") == (text, 0)


def test_a_list_that_is_cut_before_the_item_asked_for_gives_way_to_it() -> None:
    items = [f"({number}) 書面で明らかにするべき事項のうち第{number}のもの" for number in range(1, 20)]
    text = "\n\n".join(["次の事項を明示する。", *items, "(20) 育児休業"])
    assert quoted(text, "育児休業", "育児休業の手続を挙げよ") == ("(20) 育児休業", 0)
