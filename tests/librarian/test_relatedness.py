"""Goals and words of a model that have nothing to do with the question are refused, in other words and in
another language too, where there are vectors."""

from __future__ import annotations

import pytest

from shisho.domain.embedding import Embedding
from shisho.domain.inquiry import Inquiry
from shisho.domain.model import ModelFault
from shisho.errors import ModelFailed
from shisho.inference.universal import UniversalEmbedder
from shisho.librarian.loop import run
from shisho.librarian.model_policy import ModelPolicy
from shisho.librarian.model_relatedness import Relatedness
from shisho.librarian.model_replies import EvaluationReply, GoalReply, PlanReply, StrategyReply
from tests.librarian.library import Library, Ticking
from tests.librarian.scripted import LIMITS, NODES, policy_of
from tests.librarian.test_loop import LEAVES
from tests.librarian.test_model_policy import asked, scripted
from tests.temporary import new_ledger

QUESTION = "産休はいつから取れますか"


@pytest.fixture(scope="module")
def embedder() -> UniversalEmbedder:
    return UniversalEmbedder()


class AbsentEmbedder(UniversalEmbedder):
    """One whose server is away."""

    async def embed_query(self, text: str) -> Embedding:
        raise ModelFailed("embedder.not_finite", name="absent", fault=str(ModelFault.UNREACHABLE))


class CountingEmbedder(UniversalEmbedder):
    """An embedder that remembers its texts."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    async def embed_query(self, text: str) -> Embedding:
        self.texts.append(text)
        return await super().embed_query(text)


@pytest.mark.parametrize(
    ("text", "by_words", "by_vectors"),
    [
        ("産休の届け方", True, True),
        ("出産前の女性職員が仕事を離れられる時期", False, True),
        ("When does maternity leave begin?", True, True),
        ("猫は何を好むか", False, False),
        ("Which colours do cats prefer?", True, False),
    ],
)
async def test_vectors_decide_where_words_do_not(
    embedder: UniversalEmbedder, text: str, by_words: bool, by_vectors: bool
) -> None:
    assert (await Relatedness().find_unrelated([text], [QUESTION]) == []) is by_words
    assert (await Relatedness(AbsentEmbedder()).find_unrelated([text], [QUESTION]) == []) is by_words
    assert (await Relatedness(embedder).find_unrelated([text], [QUESTION]) == []) is by_vectors


async def test_one_of_several_texts_is_enough(embedder: UniversalEmbedder) -> None:
    unrelated = await Relatedness(embedder).find_unrelated(
        ["出産前の女性職員が仕事を離れられる時期"], ["月の満ち欠け", QUESTION]
    )
    assert unrelated == []


async def test_each_text_is_embedded_once() -> None:
    counting = CountingEmbedder()
    texts = ["猫は何を好むか", "月の満ち欠け"]
    assert await Relatedness(counting).find_unrelated(texts, [QUESTION]) == texts
    assert sorted(counting.texts) == sorted([*texts, QUESTION])


@pytest.mark.parametrize(
    ("goal", "is_used"), [("Why does R squared rise?", True), ("How do cats sleep?", False)]
)
async def test_a_goal_in_another_language_is_used_if_it_is_about_the_question(
    embedder: UniversalEmbedder, goal: str, is_used: bool
) -> None:
    question = "決定係数が高いのはなぜですか"
    llm = scripted(StrategyReply=StrategyReply((GoalReply(goal),), "all", "single"))
    policy = ModelPolicy(dict.fromkeys(NODES, llm), LIMITS, relatedness=Relatedness(embedder))
    answer = await asked(policy, question)
    assert [each.question for each in answer.goals] == [goal if is_used else question]
    assert (answer.model_uses[0].fault is ModelFault.UNUSABLE) is not is_used


async def test_a_rewritten_question_that_is_about_something_else_is_refused() -> None:
    cats = "猫は何を好むか"
    policy = policy_of(scripted(StrategyReply=StrategyReply((GoalReply(cats),), question=cats)))
    inquiry = Inquiry("run", "それはなぜ高いのですか", earlier=("決定係数とは何か",))
    answer = await run(inquiry, Library(LEAVES, 3).opener("run"), new_ledger(), Ticking(), policy=policy)
    assert answer.model_uses[0].fault is ModelFault.UNUSABLE
    assert cats not in [goal.question for goal in answer.goals]


@pytest.mark.parametrize(
    ("words", "meaning", "is_used"),
    [
        (("goodness", "fit"), "What does the coefficient of determination express?", True),
        (("cats", "sleep"), "How do cats sleep?", False),
    ],
)
async def test_the_words_of_a_plan_are_compared_with_the_question(
    embedder: UniversalEmbedder, words: tuple[str, ...], meaning: str, is_used: bool
) -> None:
    llm = scripted(EvaluationReply=EvaluationReply(()), PlanReply=PlanReply(words, meaning))
    policy = ModelPolicy(dict.fromkeys(NODES, llm), LIMITS, relatedness=Relatedness(embedder))
    library = Library(LEAVES, 2)
    await asked(policy, "決定係数は何を表すか", library=library)
    searched = " ".join(word for _, _, request in library.requests for word in request.keyword_query)
    assert (words[0] in searched) is is_used
