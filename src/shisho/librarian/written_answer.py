"""A model's sentences to an answer: each is checked against the quotations it cites, and what they do not
carry is taken out or replaced by them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from shisho.domain.inquiry import (
    AnswerNote,
    EvidenceRef,
    NoteRole,
    Sentence,
    SupportOutcome,
    list_sentences,
)
from shisho.domain.loop_state import Draft
from shisho.domain.session import CitedSentence, SentenceRevision
from shisho.language.terms import fold, terms
from shisho.librarian import mending
from shisho.librarian.answer import frame_answer, list_remarks
from shisho.librarian.answer_blocks import CheckedSentence, KnownWords, build_blocks
from shisho.librarian.answer_text import write_numbers
from shisho.librarian.cited_support import select_right_calculations
from shisho.librarian.model_replies import BlockReply
from shisho.librarian.policy import AnswerInput
from shisho.librarian.support_search import SupportSearch

MAX_SENTENCE_CHARS = 1_000
NEAREST = 0.25  # share of an unverified sentence's terms that its quotations, or the question, must have
UNCITED = ("citation",)  # what a sentence lacks that cites nothing that stands
JUDGED = ("entailment",)  # and one whose quotations, as a model reads them, do not say it


def check_sentence(
    sentence: CitedSentence,
    inputs: AnswerInput,
    refs: Mapping[int, EvidenceRef],
    worked: Sequence[str] = (),
) -> CheckedSentence:
    """The sentence as it may stand, and what was done to it. One that cites nothing is given the evidence
    that carries it, if there is any; one that has next to no word of its quotations tells of something
    else."""
    if len(sentence.text) > MAX_SENTENCE_CHARS:
        return None, SentenceRevision(
            sentence.text[:MAX_SENTENCE_CHARS], "removed", None, (), (), ("sentence",)
        )
    cited = SupportSearch(inputs.evidence, (), inputs.strategy.goals).cite(sentence)
    if not isinstance(cited, CitedSentence):
        cited = sentence
    standing, revision = mending.mend(cited, refs, inputs.strategy.question, worked)
    if standing is not None and _is_foreign(standing, inputs, refs):
        return None, SentenceRevision(sentence.text, "removed", None, (), revision.unknown, ("words",))
    return standing, revision


def write_draft(
    inputs: AnswerInput, replied: Sequence[BlockReply], checked: Sequence[CheckedSentence]
) -> Draft | None:
    """The answer of these blocks. None if no unit stands that a quotation carries."""
    blocks = build_blocks(replied, checked, KnownWords(inputs.strategy.question, inputs.evidence))
    if not any(sentence.evidence for sentence in list_sentences(blocks)):
        return None
    counted = mending.say_counts([revision for _, revision in checked], inputs.strategy.question)
    notes = [AnswerNote(counted, NoteRole.REMARK)] if counted else []
    return frame_answer(
        inputs.strategy,
        inputs.status,
        inputs.evidence,
        inputs.verdict,
        inputs.unsearched,
        "answer_written",
        [*blocks, *list_remarks(inputs.evidence, inputs.strategy), *notes],
        inputs.asked,
    )


def count_revisions(mended: Sequence[CheckedSentence]) -> tuple[int, int]:
    """How many were taken out, and how many replaced by their quotations without a judge."""
    became = [revision.became for _, revision in mended if revision.lacking != JUDGED]
    return became.count("removed"), became.count("replaced")


class SentenceChecker:
    """Checks a model's sentences as they arrive, each once, and tells the lines that stand.
    `is_judge_coming`: what rules are not sure of is not told before it is settled."""

    def __init__(
        self, inputs: AnswerInput, hear: Callable[[str], None], *, is_judge_coming: bool = False
    ) -> None:
        self.inputs = inputs
        """With the evidence that was found for sentences."""
        self.supplied = 0
        """Sentences that cited nothing that stands and were given the quotation that carries them."""
        self._hear = hear
        self._waits = is_judge_coming
        self._refs = {ref.number: ref for ref in inputs.evidence}
        self._checked: dict[CitedSentence, CheckedSentence] = {}

    def check(self, sentence: CitedSentence) -> CheckedSentence:
        """The sentence as it may stand, and what was done to it."""
        if sentence not in self._checked:
            mended = check_sentence(sentence, self.inputs, self._refs)
            self._checked[sentence] = mended
            self.supplied += bool(mended[1].evidence) and not self._cites(sentence)
            if not is_altered(mended) and not (self._waits and is_unverified(mended)):
                self._tell(mended, sentence)
        return self._checked[sentence]

    def reconsider(self, sentences: Iterable[CitedSentence]) -> None:
        """Check anew what was replaced by its quotations, now that all sentences are there: its figure may be
        worked out in another one."""
        question = self.inputs.strategy.question
        calculations: list[tuple[set[int], str]] = []
        for sentence in _each(sentences):
            standing, _ = self.check(sentence)
            if standing is not None and standing.support is not SupportOutcome.ALTERED:
                refs = [self._refs[number] for number in standing.evidence]
                calculations += [
                    (set(standing.evidence), text)
                    for text in select_right_calculations(standing.text, refs, question)
                ]
        for sentence in _each(sentences):
            mended = self.check(sentence)
            if not is_altered(mended):
                continue
            worked = [text for numbers, text in calculations if numbers <= set(mended[1].evidence)]
            if worked:
                mended = check_sentence(sentence, self.inputs, self._refs, worked)
                self._checked[sentence] = mended
            if not (self._waits and is_unverified(mended)):
                self._tell(mended, sentence)

    def find_uncited(self, sentences: Iterable[CitedSentence]) -> list[CitedSentence]:
        """Those that are to be taken out, as they cite nothing that stands."""
        return [sentence for sentence in _each(sentences) if self.check(sentence)[1].lacking == UNCITED]

    def supply(self, sentence: CitedSentence, ref: EvidenceRef) -> None:
        """Check it anew with evidence that was found for it."""
        self._refs[ref.number] = ref
        self.inputs = replace(self.inputs, evidence=(*self.inputs.evidence, ref))
        mended = check_sentence(replace(sentence, cites=(ref.number,)), self.inputs, self._refs)
        self._checked[sentence] = mended
        self.supplied += mended[0] is not None
        self._tell(mended, sentence)

    def find_unverified(self, sentences: Iterable[CitedSentence]) -> list[CitedSentence]:
        """Those that rules are not sure of."""
        return [sentence for sentence in _each(sentences) if is_unverified(self.check(sentence))]

    def claims(self, sentences: Iterable[CitedSentence]) -> list[tuple[str, list[EvidenceRef]]]:
        """The texts of sentences that stand, each with its quotations."""
        standing_sentences = [self.check(sentence)[0] for sentence in sentences]
        return [
            (standing.text, [self._refs[number] for number in standing.evidence])
            for standing in standing_sentences
            if standing is not None
        ]

    def settle(self, sentence: CitedSentence, is_entailed: bool | None) -> None:
        """The verdict of a judge on a sentence that rules were not sure of: it is supported, or its
        quotations take its place. None: nothing was said, and it stays as it is."""
        standing, revision = self.check(sentence)
        if standing is None:
            return
        if is_entailed:
            standing = replace(standing, support=SupportOutcome.SUPPORTED)
            revision = replace(revision, support=SupportOutcome.SUPPORTED)
        elif is_entailed is not None:
            refs = [self._refs[number] for number in standing.evidence]
            standing, revision = mending.replace_by_quotations(
                revision, standing.evidence, refs, self.inputs.strategy.question, JUDGED
            )
        self._checked[sentence] = standing, revision
        self._tell((standing, revision), sentence)

    def _cites(self, sentence: CitedSentence) -> bool:
        return bool(self._refs.keys() & set(mending.list_cited_numbers(sentence)))

    def _tell(self, mended: CheckedSentence, written: CitedSentence) -> None:
        """Tell a sentence or an item that stands; a cell says nothing by itself."""
        standing, _ = mended
        if standing is not None and not written.context and not is_altered(mended):
            self._hear(standing.text + write_numbers(standing))


def is_unverified(mended: CheckedSentence) -> bool:
    return mended[0] is not None and mended[0].support is SupportOutcome.UNVERIFIED


def is_altered(mended: CheckedSentence) -> bool:
    return mended[0] is not None and mended[0].support is SupportOutcome.ALTERED


def _each(sentences: Iterable[CitedSentence]) -> list[CitedSentence]:
    return list(dict.fromkeys(sentences))


def _is_foreign(sentence: Sentence, inputs: AnswerInput, refs: Mapping[int, EvidenceRef]) -> bool:
    if sentence.support is not SupportOutcome.UNVERIFIED:
        return False
    cited = [refs[number] for number in sentence.evidence]
    known_words = {
        inputs.strategy.question,
        *(ref.snippet for ref in cited),
        *(ref.heading for ref in cited),
    }
    known_terms = {term for text in known_words for term in terms(fold(text))}
    own_terms = set(terms(fold(sentence.text)))
    return not own_terms or len(own_terms & known_terms) < NEAREST * len(own_terms)
