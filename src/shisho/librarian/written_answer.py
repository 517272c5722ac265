"""A model's sentences to an answer: each is checked against the quotations it cites, and what they do not carry
is taken out or replaced by them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from shisho.domain.inquiry import EvidenceRef, Sentence, SupportOutcome
from shisho.domain.session import CitedSentence, SentenceRevision
from shisho.language.terms import fold, terms
from shisho.librarian import mending
from shisho.librarian.answer import Draft, disagreements, frame_answer
from shisho.librarian.mind import AnswerMatter

MAX_SENTENCES = 30
MAX_SENTENCE_CHARS = 1_000
NEAREST = 0.25  # share of an unverified sentence's terms that its quotations, or the question, must have


def check_sentence(
    sentence: CitedSentence, matter: AnswerMatter, refs: Mapping[int, EvidenceRef]
) -> tuple[Sentence | None, SentenceRevision]:
    """The sentence as it may stand, and what was done to it. One that cites nothing is given the evidence that
    carries it, if there is any; one that has next to no word of its quotations tells of something else."""
    if len(sentence.text) > MAX_SENTENCE_CHARS:
        return None, SentenceRevision(
            sentence.text[:MAX_SENTENCE_CHARS], "removed", None, (), (), ("sentence",)
        )
    cited = mending.cite(matter.evidence, (), matter.strategy.goals, sentence)
    if not isinstance(cited, CitedSentence):
        cited = sentence
    standing, revision = mending.mend(cited, refs, matter.strategy.question)
    if standing is not None and _is_foreign(standing, matter, refs):
        return None, SentenceRevision(sentence.text, "removed", None, (), revision.unknown, ("words",))
    return standing, revision


def write_draft(
    matter: AnswerMatter, mended: Sequence[tuple[Sentence | None, SentenceRevision]]
) -> tuple[Draft, int] | None:
    """The answer of these sentences, and how many were not left as they were. None where no sentence stands
    that a quotation carries."""
    kept_sentences = tuple(sentence for sentence, _ in mended if sentence is not None)
    if not any(sentence.evidence for sentence in kept_sentences):
        return None
    revisions = [revision for _, revision in mended]
    refs = {ref.number: ref for ref in matter.evidence}
    question = matter.strategy.question
    text = mending.render(question, refs, kept_sentences, mending.counts(revisions))
    body = [text, *disagreements(matter.evidence, matter.strategy)]
    draft = frame_answer(
        matter.strategy,
        matter.status,
        matter.evidence,
        matter.verdict,
        matter.unsearched,
        "answer_written",
        body,
        kept_sentences,
        matter.asked,
    )
    return draft, sum(revision.became != "kept" for revision in revisions)


class SentenceChecker:
    """Checks a model's sentences as they arrive, each once, and tells the lines that stand."""

    def __init__(self, matter: AnswerMatter, hear: Callable[[str], None]) -> None:
        self._matter = matter
        self._hear = hear
        self._refs = {ref.number: ref for ref in matter.evidence}
        self._told: dict[CitedSentence, tuple[Sentence | None, SentenceRevision]] = {}

    def check(self, sentence: CitedSentence) -> tuple[Sentence | None, SentenceRevision]:
        """The sentence as it may stand, and what was done to it."""
        if sentence not in self._told:
            mended = check_sentence(sentence, self._matter, self._refs)
            self._told[sentence] = mended
            if mended[0] is not None:
                self._hear(mending.line(mended[0], self._refs, self._matter.strategy.question))
        return self._told[sentence]


def _is_foreign(sentence: Sentence, matter: AnswerMatter, refs: Mapping[int, EvidenceRef]) -> bool:
    if sentence.support is not SupportOutcome.UNVERIFIED:
        return False
    cited = [refs[number] for number in sentence.evidence]
    known_words = {
        matter.strategy.question,
        *(ref.snippet for ref in cited),
        *(ref.heading for ref in cited),
    }
    known_terms = {term for text in known_words for term in terms(fold(text))}
    own_terms = set(terms(fold(sentence.text)))
    return not own_terms or len(own_terms & known_terms) < NEAREST * len(own_terms)
