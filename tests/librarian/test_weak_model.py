"""A model that reads badly makes no answer worse than rules alone: what they are sure of is shown too."""

from __future__ import annotations

import pytest

from shisho.domain.inquiry import Answer, AnswerLevel, AnswerPassage, list_passages
from shisho.domain.model import ModelFault
from shisho.librarian.model_policy import ModelPolicy
from shisho.librarian.model_replies import (
    AnswerReply,
    EvaluationReply,
    FactReply,
    FindingReply,
    GoalStateReply,
    JudgeReply,
    JudgeVerdict,
    SentenceReply,
)
from shisho.messages.catalogue import translate_word
from tests.librarian.library import Leaf, Library
from tests.librarian.scripted import LIMITS, NODES, ScriptedLlm, policy_of, write_paragraph
from tests.librarian.test_loop import OTHERS
from tests.librarian.test_model_policy import COST, GOOD, QUESTION, QUOTATION, SENTENCE, asked, scripted

pytestmark = pytest.mark.usefixtures("temporary_stores")

OTHER = "0から1の値をとる。"  # of the same passage, and no definition
WRONG = (FindingReply(1, "G1", OTHER, 0.9),)
DEFINITION = "多重共線性とは、説明変数どうしに強い相関があり、それぞれの効果を分けにくい状態である。"
AIM = "多重共線性とは何か、なぜ困るのかを説明できる。"
VERDICTS = {
    "supported": JudgeReply((JudgeVerdict(1, "supported"),)),
    "partly": JudgeReply((JudgeVerdict(1, "partly"),)),
}


def write(text: str, cites: tuple[int, ...] = (1,)) -> AnswerReply:
    return write_paragraph((SentenceReply(text, cites),))


def list_quoted(answer: Answer) -> list[str]:
    """Return what is marked in the passages of an answer."""
    return [
        passage.text[mark.start : mark.end]
        for passage in list_passages(answer.blocks)
        for mark in passage.marks
    ]


async def test_what_rules_are_sure_of_comes_after_a_text_that_does_not_cite_it() -> None:
    llm = scripted(EvaluationReply=EvaluationReply(WRONG), AnswerReply=write(OTHER))
    answer = await asked(policy_of(llm))
    assert answer.level is AnswerLevel.ANSWERED and answer.text.index(OTHER) < answer.text.index(QUOTATION)
    assert QUOTATION in list_quoted(answer) and translate_word("answer_beside", "ja") in answer.text
    assert {OTHER, QUOTATION} <= {evidence.snippet for evidence in answer.evidence}


async def test_a_text_that_nothing_supports_leaves_the_answer_of_the_rules() -> None:
    llm = scripted(
        EvaluationReply=EvaluationReply(WRONG),
        AnswerReply=write("決定係数は温度の単位だという人もいる。"),
        JudgeReply=VERDICTS["partly"],
    )
    answer, alone = await asked(policy_of(llm)), await asked(None)
    assert list_quoted(answer) == list_quoted(alone) == [QUOTATION]
    assert answer.level is alone.level is AnswerLevel.ANSWERED and "温度" not in answer.text


async def test_a_text_that_cites_it_or_a_model_that_took_it_has_nothing_added() -> None:
    cited = scripted(EvaluationReply=EvaluationReply(WRONG), AnswerReply=write(SENTENCE, (1, 2)))
    for answer in (await asked(policy_of(cited)), await asked(policy_of(scripted()))):
        assert not list_quoted(answer) and SENTENCE in answer.text


async def test_words_around_it_are_it() -> None:
    whole = (FindingReply(1, "G1", QUOTATION + OTHER, 0.9),)
    answer = await asked(policy_of(scripted(EvaluationReply=EvaluationReply(whole))))
    assert [evidence.snippet for evidence in answer.evidence] == [QUOTATION + OTHER]


async def test_an_answer_written_while_reading_is_compared_too() -> None:
    fact = FactReply(WRONG, (GoalStateReply("G1", "complete"),), blocks=write(OTHER).blocks)
    llm = ScriptedLlm(lambda prompt, shape: (fact, COST))
    answer = await asked(ModelPolicy(dict.fromkeys((*NODES, "fact"), llm), LIMITS))
    assert answer.text.index(OTHER) < answer.text.index(QUOTATION) and QUOTATION in list_quoted(answer)


@pytest.mark.parametrize(
    "question", [QUESTION, "決定係数の単位は何か", "富士山の標高は何か", "江戸幕府の初代将軍は誰か"]
)
async def test_a_model_that_cannot_write_has_not_read_either(question: str) -> None:
    llm = scripted(
        EvaluationReply=EvaluationReply(WRONG), AnswerReply=write(""), JudgeReply=VERDICTS["partly"]
    )
    answer, alone = await asked(policy_of(llm), question), await asked(None, question)
    assert answer.level is alone.level and list_quoted(answer) == list_quoted(alone)


async def test_where_rules_are_not_sure_the_model_has_the_word() -> None:
    question = "決定係数の値はいくつからいくつまでか"
    alone = await asked(None, question)
    answer = await asked(
        policy_of(scripted(EvaluationReply=EvaluationReply(WRONG), AnswerReply=write(OTHER))), question
    )
    assert alone.level is not AnswerLevel.ANSWERED or OTHER in list_quoted(alone)
    assert not any(isinstance(block, AnswerPassage) for block in answer.blocks)


async def test_words_that_a_weak_model_overlooked_are_those_of_the_rules_again() -> None:
    """It finds nothing in the best passage, and can neither read the next one nor write."""
    leaves = (Leaf("a", DEFINITION, "多重共線性"), Leaf("b", AIM, "この回で学ぶこと"), *OTHERS)
    readings = iter([EvaluationReply(())])
    replies = {**GOOD, AnswerReply: write(""), JudgeReply: VERDICTS["partly"]}
    llm = ScriptedLlm(
        lambda prompt, shape: (
            next(readings, ModelFault.MALFORMED) if shape is EvaluationReply else replies[shape],
            COST,
        )
    )
    answer = await asked(policy_of(llm), "多重共線性とは何か", library=Library(leaves, 1))
    alone = await asked(None, "多重共線性とは何か", library=Library(leaves, 2))
    assert list_quoted(answer)[0] == list_quoted(alone)[0] == DEFINITION


async def test_a_passage_that_the_text_cites_is_not_shown_again() -> None:
    """Only its words that rules are sure of, and that the text does not cite, come after the text."""
    wrong = scripted(EvaluationReply=EvaluationReply(WRONG), AnswerReply=write(OTHER))
    answer = await asked(policy_of(wrong))
    assert [passage.text for passage in list_passages(answer.blocks)] == [QUOTATION]


async def test_words_that_the_text_cites_in_part_are_not_shown_again() -> None:
    overlapping = (FindingReply(1, "G1", QUOTATION.partition("、")[2] + OTHER, 0.9),)
    llm = scripted(EvaluationReply=EvaluationReply(overlapping), AnswerReply=write(SENTENCE))
    answer = await asked(policy_of(llm))
    assert f"{SENTENCE} [1]" in answer.text and not list_quoted(answer)
