"""Every word that refers back, and every word that joins, leads on or ends parts of a question."""

from __future__ import annotations

from shisho.language import read_words
from shisho.librarian.splitting import refers_back, split_parts, split_sides
from tests.tables import each_row

POINTING = (
    "それ これ あれ そこ そちら そいつ その この あの 彼女 彼 同氏 同社 同書 同法 同年 両者 前者 後者 双方"
)
# They only begin like a pointing word.
NOT_POINTING = """それぞれの それから、棚の それでも棚の それとも棚の それほど棚の それなり棚の それゆえ棚の それ以上の棚の
そこから棚の その他の棚の そのほかの棚の そのまま棚の そのうち棚の そのように棚の そのため棚の その後の棚の そのころ棚の
その際の棚の この度に棚の この資料の この文書の この文献の この本の この冊子の この論文の この記事の この章の この節の
このページの この図の この表の このサイトの 彼岸の"""
PRONOUNS = (
    "it|its|they|them|their|theirs|him|his|he|she|her|hers|there|the same|the former|the latter|the two"
)
BEFORE = "do does did can could will would mean so true right possible enough"


@each_row("word", read_words(POINTING))
def test_pointing_word_refers_back_unless_a_noun_stands_before_it(word: str) -> None:
    assert refers_back(f"{word}の棚の幅を教えて")
    assert not refers_back(f"棚を置くと{word}の棚の幅はいくつか")


@each_row("words", read_words(NOT_POINTING))
def test_words_that_begin_like_a_pointing_one_stand_alone(words: str) -> None:
    assert not refers_back(f"{words}棚の幅を教えて")


@each_row(
    "question", ["費用は", "費用は?", "費用って？", "費用はどう?", "費用はどうですか", "費用はどうでしょうか"]
)
def test_bare_topic_refers_back(question: str) -> None:
    assert refers_back(question)


@each_row("question", ["棚とは?", "棚の幅はいくつ?", "棚、机は?", f"{'棚' * 25}は?"])
def test_longer_question_is_no_bare_topic(question: str) -> None:
    assert not refers_back(question)


@each_row(
    "lead",
    read_words("それでは それなら では じゃ じゃあ なら ちなみに そして それで あと ところで また 一方"),
)
def test_word_that_leads_on_is_no_part_of_a_topic(lead: str) -> None:
    assert refers_back(f"{lead}、費用は?")
    assert not refers_back(f"{lead}、棚の幅はいくつ?")


@each_row("word", PRONOUNS.split("|"))
def test_english_pronoun_refers_back_unless_a_clause_stands_before_it(word: str) -> None:
    assert refers_back(f"Why do members pay {word} twice?")
    assert not refers_back(f"Why do members pay the rent twice if {word} is low?")


@each_row("word", ["this", "that", "these", "those", "such"])
def test_english_pointing_word_refers_back_if_it_stands_for_a_noun(word: str) -> None:
    assert refers_back(f"Who can apply for {word}?")
    assert not refers_back(f"Who can apply for {word} summer courses?")
    for after in read_words(BEFORE):
        assert refers_back(f"Why may {word} {after} with members?"), after
    for verb in ("is", "are", "was", "were"):
        assert refers_back(f"{word.title()} {verb} why members pay?"), verb


@each_row("verb", read_words("is was are were does did would will"))
def test_english_pronoun_of_a_set_phrase_refers_to_nothing(verb: str) -> None:
    for rest in ("there a", "there an old", "there any", "there some", "there no", "it true that a"):
        assert not refers_back(f"{verb.title()} {rest} fee for the course?"), rest
    for rest in ("it possible that a", "it take a", "it takes a", "it cost a", "it open to a"):
        assert not refers_back(f"{verb.title()} {rest} fee for the course?"), rest
    assert refers_back(f"{verb.title()} it near the course?")


@each_row("verb", ["is", "was", "are", "were"])
def test_english_relative_clause_refers_to_nothing(verb: str) -> None:
    assert not refers_back(f"Where is the form that {verb} signed by members?")


@each_row(
    "question",
    """And the fee?|But the fee?|Or the fee?|So the fee?|Also the fee?|I mean the fee|What about the fee?|How about the fee?
What of the fee?|What if the fee rises?|What else costs a fee?|Anything else about the fee?|Are you sure about the fee?
More|Please tell me more|Explain further|Could you go on?|Continue|Can you elaborate?|Tell me in detail|How often?|How long?
How far?|How much?|How many?|How so?|How come?|Since when?|Until when?|What for?|Are there any late fees?|Is there more?
Are there other fees?""".replace("\n", "|").split("|"),
)
def test_english_question_that_goes_on_refers_back(question: str) -> None:
    assert refers_back(question)


@each_row(
    "question",
    [
        "So what is the fee?",
        "So how high is the fee?",
        "Are there any late course fees?",
        "How often is rent due?",
    ],
)
def test_english_question_that_only_begins_so_stands_alone(question: str) -> None:
    assert not refers_back(question)


@each_row(
    ("question", "is_referring"),
    [
        ("What is a tide gauge, and how is it read?", False),
        ("Now, what is it called by members?", True),
        ("Late fees, what are they called by members?", False),
        ("When the fee rises, is it announced?", False),
        ("If members leave, is it announced?", False),
    ],
)
def test_english_pronoun_after_a_clause_refers_to_what_the_clause_names(
    question: str, is_referring: bool
) -> None:
    assert refers_back(question) is is_referring


@each_row("joint", read_words("と、 、と および 、および 及び 、及び ならびに 並びに と 、"))
def test_items_are_joined_by_each_word(joint: str) -> None:
    assert split_sides(f"真鍮{joint}青銅の違いは何か") == ("真鍮とは何か", "青銅とは何か")


@each_row("word", read_words("in on at for to of by that those it one"))
def test_english_side_that_leans_on_the_other_is_no_thing(word: str) -> None:
    assert split_sides(f"What is the difference between work on site and {word} call?") == ()
    assert split_sides(f"What is the difference between work on site and {word}x call?") != ()


@each_row(
    "ending",
    read_words("""をすれば をしたら なら をしても のとき の時 の場合 の際 があったから があったので に は が
を と の があったけど があったけれど があったけれども のこと について"""),
)
def test_clause_with_an_open_ending_goes_on_after_the_comma(ending: str) -> None:
    assert split_parts(f"棚に何{ending}、机の幅はいくつか") == ()


def test_clause_that_ends_is_cut_at_the_comma() -> None:
    assert split_parts("棚に何を置き、机の幅はいくつか") == ("棚に何を置き", "机の幅はいくつか")


@each_row("link", read_words("また そして さらに 加えて 次に それから"))
def test_word_that_links_parts_is_dropped(link: str) -> None:
    assert split_parts(f"小説の作者は誰か。{link}、小説の訳者は誰か。") == (
        "小説の作者は誰か。",
        "小説の訳者は誰か。",
    )


@each_row("link", ["and", "also", "And also,"])
def test_english_word_that_links_parts_is_dropped(link: str) -> None:
    first, other = split_parts(f"Who wrote the novel? {link.removeprefix('And ')} who filmed the novel?")
    assert (first, other) == ("Who wrote the novel?", "who filmed the novel?")


@each_row("case", ["とは", "って", "は"])
def test_topic_of_the_first_part_stands_before_one_that_refers_back(case: str) -> None:
    assert split_parts(f"棚{case}幅はいくつか。なぜか。") == (f"棚{case}幅はいくつか。", "棚 → なぜか。")
