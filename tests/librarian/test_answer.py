"""Answers without a model: whole passages with marked sentences, and plain words on what is missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from shisho.domain.inquiry import (
    AnswerHeading,
    AnswerLevel,
    AnswerNote,
    AnswerParagraph,
    EvidenceRef,
    GoalStatus,
    LoopStop,
    NextStep,
    PassageMark,
    Sentence,
    Stance,
    Strategy,
    Verdict,
    list_passages,
    list_sentences,
)
from shisho.domain.loop_state import Draft
from shisho.librarian.answer import choose_cited, compose, list_remarks
from shisho.librarian.selection.ranker import MAX_SHOWN, MAX_SHOWN_CHARS
from shisho.librarian.strategy import strategy
from shisho.messages.catalogue import translate_word
from shisho.rendering.answer_text import write_text
from tests.tables import each_row

TWO = strategy("平均と分散はそれぞれ何ですか")
ONE = strategy("決定係数とは何か")
ENGLISH = strategy("What is a median?")
PASSAGE = "この章では決定係数を学ぶ。決定係数は説明できる割合である。0から1の値をとる。"
MARKED = "決定係数は説明できる割合である。"


def ref(
    number: int, goal: str, snippet: str, score: float = 0.9, heading: str = "", passage: str = ""
) -> EvidenceRef:
    return EvidenceRef(
        number, goal, snippet, heading, score, 1, passage=passage, offset=max(0, passage.find(snippet))
    )


def written(made: Strategy, evidence: Sequence[EvidenceRef], stop: LoopStop) -> Draft:
    met = {one.goal_id for one in evidence if one.score >= 0.5}
    status = [
        GoalStatus(goal.id, int(goal.id in met), int(goal.id in met), goal.id in met, AnswerLevel.ANSWERED)
        for goal in made.goals
    ]
    return compose(made, status, evidence, Verdict(NextStep.COMPLETE, "", "", stop))


def write(draft: Draft) -> str:
    return write_text(draft.blocks, {}, "ja")


def test_passage_is_shown_whole_with_its_number_behind_the_mark() -> None:
    draft = written(ONE, [ref(1, "G1", MARKED, heading="第2章", passage=PASSAGE)], LoopStop.CONDITION_MET)
    assert write(draft) == (
        "回答あり · 言語モデルなし\n\n▸ 第2章\nこの章では決定係数を学ぶ。決定係数は説明できる割合である。[1]0から1の値をとる。"
    )
    shown = list_passages(draft.blocks)[0]
    assert shown.text == PASSAGE
    assert shown.marks == (PassageMark(13, 29, 1),)
    assert shown.text[13:29] == MARKED
    assert [sentence.text for sentence in list_sentences(draft.blocks)] == [MARKED]


def test_marks_of_one_passage_stand_in_its_order_and_it_is_shown_once() -> None:
    late = "0から1の値をとる。"
    refs = [ref(1, "G1", late, 0.9, passage=PASSAGE), ref(2, "G1", MARKED, 0.8, passage=PASSAGE)]
    draft = written(ONE, refs, LoopStop.CONDITION_MET)
    assert [mark.number for mark in list_passages(draft.blocks)[0].marks] == [2, 1]
    assert write(draft).count("この章では") == 1
    assert f"{MARKED}[2]{late}[1]" in write(draft)


def test_goals_come_in_their_order_each_with_its_level() -> None:
    refs = [ref(1, "G2", "分散は散らばりの度合いである。", 0.3), ref(2, "G1", "平均は和を個数で割る。")]
    text = write(written(TWO, refs, LoopStop.STAGNATION))
    first, second = (text.index(goal.question) for goal in TWO.goals)
    assert first < text.index("平均は和") < second < text.index("分散は散らばり")
    assert "— 回答あり" in text[first:second]
    assert "— 最も近い箇所" in text[second:]


def test_best_passage_comes_first() -> None:
    refs = [ref(1, "G1", "中くらいの箇所。", 0.3), ref(2, "G1", "最もよい箇所。", 0.45)]
    draft = written(ONE, refs, LoopStop.STAGNATION)
    assert [passage.text for passage in list_passages(draft.blocks)] == ["最もよい箇所。", "中くらいの箇所。"]
    assert [one.number for one in choose_cited(draft, refs)] == [1, 2]


def test_a_written_answer_keeps_all_evidence_beside_passages() -> None:
    refs = [ref(1, "G1", "最もよい箇所。", 0.9), ref(2, "G1", "よい箇所。", 0.3)]
    sentence = Sentence("弱い箇所に基づく文。", (2,), None)
    draft = written(ONE, refs[:1], LoopStop.CONDITION_MET)
    assert [one.number for one in choose_cited(draft, refs)] == [1]
    draft = replace(draft, blocks=(*draft.blocks, AnswerParagraph((sentence,))))
    assert [one.number for one in choose_cited(draft, refs)] == [1, 2]


def test_passages_share_the_room_but_the_first_is_always_shown() -> None:
    long = "あ" * (MAX_SHOWN_CHARS - 200) + "。"
    refs = [ref(number, "G1", long[number:], 0.9 - number / 100) for number in range(1, 4)]
    assert len(list_passages(written(ONE, refs, LoopStop.CONDITION_MET).blocks)) == 1
    short = [ref(number, "G1", f"{number}番目の箇所。", 0.9 - number / 100) for number in range(1, 7)]
    draft = written(ONE, short, LoopStop.CONDITION_MET)
    assert len(list_passages(draft.blocks)) == MAX_SHOWN
    assert [one.number for one in choose_cited(draft, short)] == [1, 2, 3, 4, 5, 6]
    near = [replace(each, score=each.score / 2) for each in short]
    draft = written(ONE, near, LoopStop.STAGNATION)
    assert [one.number for one in choose_cited(draft, near)] == [1, 2, 3, 4]


def test_longest_passages_that_fit_are_shown() -> None:
    half = "あ" * (MAX_SHOWN_CHARS // 2)
    refs = [ref(number, "G1", half, 0.9 - number / 100, heading=str(number)) for number in (1, 2, 3)]
    assert len(list_passages(written(ONE, refs, LoopStop.CONDITION_MET).blocks)) == 2


def test_each_goal_has_room_of_its_own_and_a_passage_is_shown_once() -> None:
    other = "い" * (MAX_SHOWN_CHARS - 100) + "。"
    refs = [
        ref(1, "G1", MARKED, passage=PASSAGE),
        ref(2, "G2", "0から1の値をとる。", 0.9, passage=PASSAGE),
        ref(3, "G2", MARKED, 0.8, passage=PASSAGE),
        ref(4, "G2", other, 0.7),
        ref(5, "G1", "い" + other, 0.6),
    ]
    draft = written(TWO, refs, LoopStop.CONDITION_MET)
    assert [(passage.goal_id, passage.text) for passage in list_passages(draft.blocks)] == [
        ("G1", PASSAGE),
        ("G1", "い" + other),
        ("G2", other),
    ]
    assert [mark.number for mark in list_passages(draft.blocks)[0].marks] == [1, 2]
    text = write(draft)
    second = text[text.index(TWO.goals[1].question) :]
    assert translate_word("answer_see", "ja", numbers="[1][2]") in second
    assert PASSAGE not in second
    assert [one.number for one in choose_cited(draft, refs)] == [1, 2, 3, 4, 5]


def test_goal_whose_passages_are_all_shown_before_points_to_them() -> None:
    refs = [ref(1, "G1", MARKED, passage=PASSAGE), ref(2, "G2", MARKED, 0.3, passage=PASSAGE)]
    text = write(written(TWO, refs, LoopStop.STAGNATION))
    assert text.count(MARKED) == 1
    assert "— 最も近い箇所\n\n" + translate_word("answer_see", "ja", numbers="[1]") in text


def test_what_was_only_near_before_the_answer_is_not_kept_for_a_passage_of_another_goal() -> None:
    before = ref(2, "G2", MARKED, 0.3, passage=PASSAGE)
    answering = replace(ref(3, "G2", "分散は散らばりの度合いである。"), round=2)
    refs = [ref(1, "G1", MARKED, passage=PASSAGE), before, answering]
    draft = written(TWO, refs, LoopStop.CONDITION_MET)
    assert translate_word("answer_see", "ja", numbers="[1]") not in write(draft)
    assert [one.number for one in choose_cited(draft, refs)] == [1, 3]


def test_closest_passages_are_never_called_not_found() -> None:
    text = write(written(ONE, [ref(1, "G1", MARKED, 0.2, passage=PASSAGE)], LoopStop.STAGNATION))
    assert text.startswith("最も近い箇所")
    assert "見つかり" not in text.split("\n\n")[1]


@each_row("stop", [stop for stop in LoopStop if stop is not LoopStop.CONDITION_MET])
def test_without_evidence_it_says_so_and_why_the_search_ended(stop: LoopStop) -> None:
    for made, level, why in (
        (ONE, "見つかりません", "検索の終了"),
        (ENGLISH, "Not found", "The search ended"),
    ):
        draft = written(made, [], stop)
        assert write(draft).startswith(level)
        assert why in write(draft)
        assert draft.missing == (made.goals[0].question,)
        assert list_passages(draft.blocks) == ()


def test_an_answer_that_lacks_something_says_so_in_its_first_line() -> None:
    found = ref(1, "G1", "平均は合計を個数で割った値である。")
    for is_complete, stop in (
        (False, LoopStop.ROUNDS),
        (False, LoopStop.CONDITION_MET),
        (True, LoopStop.ROUNDS),
    ):
        status = [GoalStatus("G1", 1, 1, is_complete, AnswerLevel.ANSWERED)]
        draft = compose(ONE, status, [found], Verdict(NextStep.COMPLETE, "", "", stop))
        is_partial = not is_complete and stop is LoopStop.ROUNDS
        assert draft.level is (AnswerLevel.PARTIAL if is_partial else AnswerLevel.ANSWERED)
        assert write(draft).startswith("一部のみ回答" if is_partial else "回答あり")
        assert ("一部のみ回答" in write(draft)) is is_partial


def test_answers_in_the_language_of_the_question() -> None:
    assert write(written(ENGLISH, [ref(1, "G1", "A median is a middle.")], LoopStop.CONDITION_MET)) == (
        "Answered · no language model\n\nA median is a middle.[1]"
    )


def test_copies_are_named_and_not_shown_again() -> None:
    copy = replace(ref(2, "G1", MARKED), same_as=1)
    draft = written(ONE, [ref(1, "G1", MARKED), copy], LoopStop.CONDITION_MET)
    assert len(list_passages(draft.blocks)) == 1
    assert "[2]" in write(draft)
    assert [one.number for one in choose_cited(draft, [ref(1, "G1", MARKED), copy])] == [1, 2]


def test_unknown_and_conflicting_sources_are_said_to_be_so() -> None:
    unknown = replace(ref(1, "G1", "その値は公表されていない。"), stance=Stance.UNKNOWN)
    draft = written(ONE, [unknown], LoopStop.STAGNATION)
    assert translate_word("stance_says_unknown", "ja") in write(draft)
    conflicting = replace(unknown, stance=Stance.CONFLICTS)
    assert translate_word("stance_conflicts", "ja") in write(written(ONE, [conflicting], LoopStop.STAGNATION))


@each_row(
    ("one", "other"),
    [
        ("法隆寺は607年に建立された。", "法隆寺は708年に建立された。"),
        ("明石海峡大橋の長さは3911メートルである。", "明石海峡大橋の長さは2911メートルである。"),
    ],
)
def test_answers_that_disagree_are_named(one: str, other: str) -> None:
    text = write(written(ONE, [ref(1, "G1", one), ref(2, "G1", other)], LoopStop.CONDITION_MET))
    assert "[1]" in text.splitlines()[-1]
    assert "[2]" in text.splitlines()[-1]


def conclude(made: Strategy, evidence: Sequence[EvidenceRef], stop: LoopStop | None) -> str:
    """Return the last lines of an answer of which no goal is complete."""
    status = [GoalStatus(goal.id, 1, 1, False, AnswerLevel.ANSWERED) for goal in made.goals]
    return write(compose(made, status, evidence, Verdict(NextStep.COMPLETE, "", "", stop))).split("\n\n")[-1]


def test_the_last_lines_say_what_was_not_found_what_was_found_in_part_and_why() -> None:
    both = [goal.question for goal in TWO.goals]
    advice = translate_word("answer_advice", "ja")
    end = translate_word("answer_end", "ja", why=translate_word("end_rounds", "ja"))
    lacks = {text: translate_word("answer_missing", "ja", text=text) for text in (both[1], "；".join(both))}
    in_part = translate_word("answer_partial", "ja", text=both[0])
    related = ref(1, "G1", MARKED, 0.3)
    stop = LoopStop.ROUNDS
    assert conclude(TWO, [ref(1, "G1", MARKED)], stop) == "\n".join([lacks[both[1]], in_part, end, advice])
    assert conclude(TWO, [related], stop).splitlines()[1:] == [end, advice]
    assert conclude(ONE, [ref(1, "G1", MARKED)], stop).splitlines()[1:] == [end, advice]
    assert conclude(ONE, [related], stop).splitlines() == [end, advice]
    assert conclude(ONE, [related], None) == advice


@each_row(
    ("place", "heading", "shown"),
    [
        ("p. 3", "第2章", "第2章 › p. 3"),
        ("p. 3", "第2章 › p. 3", "第2章 › p. 3"),
        ("", "第2章", "第2章"),
        ("p. 3", "", "p. 3"),
    ],
)
def test_a_passage_is_headed_by_its_place_once(place: str, heading: str, shown: str) -> None:
    placed = replace(ref(1, "G1", MARKED, heading=heading), place=place)
    assert list_passages(written(ONE, [placed], LoopStop.CONDITION_MET).blocks)[0].heading == shown


def test_a_goal_is_headed_below_the_headings_of_an_answer() -> None:
    blocks = written(TWO, [ref(1, "G1", MARKED)], LoopStop.CONDITION_MET).blocks
    assert [block.level for block in blocks if isinstance(block, AnswerHeading)] == [3]


def test_a_goal_points_to_the_marks_of_an_earlier_passage_that_hold_its_words() -> None:
    refs = [
        ref(1, "G1", "この章では決定係数を学ぶ。", passage=PASSAGE),
        ref(2, "G1", "0から1の値をとる。", passage=PASSAGE),
        ref(3, "G2", MARKED, 0.8, passage=PASSAGE),
        ref(4, "G2", "説明できる割合", 0.8, passage=PASSAGE),
    ]
    assert translate_word("answer_see", "ja", numbers="[3]") in write(
        written(TWO, refs, LoopStop.CONDITION_MET)
    )


@each_row(
    ("first", "other", "is_named"),
    [
        ({}, {}, True),
        ({"score": 0.4}, {}, False),
        ({}, {"score": 0.4}, False),
        ({}, {"same_as": 9}, False),
        ({"same_as": 9}, {}, False),
    ],
)
def test_only_answers_that_are_no_copies_are_compared(
    first: dict[str, float], other: dict[str, float], is_named: bool
) -> None:
    rows = [(1, "法隆寺は607年に建立された。", first), (2, "法隆寺は708年に建立された。", other)]
    refs = [replace(ref(number, "G1", text), **changed) for number, text, changed in rows]
    remarks = [block for block in list_remarks(refs, ONE) if isinstance(block, AnswerNote)]
    named = translate_word("against", "ja", one=1, other=2, what=translate_word("against_date", "ja"))
    assert any(named in remark.text for remark in remarks) is is_named


@each_row(("stance", "count"), [(Stance.ANSWERS, 0), (Stance.UNKNOWN, 1), (Stance.CONFLICTS, 1)])
def test_a_written_answer_shows_the_passages_of_a_goal_without_a_plain_answer(
    stance: Stance, count: int
) -> None:
    blocks = list_remarks([replace(ref(1, "G1", MARKED), stance=stance)], ONE)
    assert len(list_passages(blocks)) == count


def test_a_written_answer_drops_what_rules_found_and_it_does_not_cite() -> None:
    rules = [replace(ref(number, "G1", text), rule_score=0.9) for number, text in ((1, MARKED), (2, "他。"))]
    chosen = ref(3, "G1", "モデルの選んだ箇所。")
    blocks = (AnswerParagraph((Sentence("文。", (1,), None),)),)
    cited = choose_cited(Draft(blocks, (), AnswerLevel.ANSWERED), [*rules, chosen])
    assert [each.number for each in cited] == [1, 3]
