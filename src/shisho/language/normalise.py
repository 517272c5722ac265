"""A view of a text for matching, which maps every character to its origin.

NFKC, radicals, broken lines and letter-spacing are folded. Stored and quoted text is always the original; the
view only finds it.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from functools import lru_cache

from shisho.language import compile_lazily
from shisho.records import dataclass

_CJK = "ぁ-ゖゝ-ヿ々〆一-鿿㐀-䶿"
# Characters that NFKC and the table below leave unchanged, so that most of a text is copied as it is.
_SAFE = r"!-~ぁ-ゖゝゞァ-ヺーヽヾ々〆一-鿿、。「」『』【】・"
_MARKS = "\u0300-\u036f\u3099\u309a\uff9e\uff9f\ufe00-\ufe0f\U000e0100-\U000e01ef"
_EVENT = compile_lazily(
    rf"(?P<spaced>(?<![{_CJK}])(?:[{_CJK}][ \u3000]{{1,2}}){{2,}}[{_CJK}](?![{_CJK}]))"
    rf"|(?P<space>  \s*| ?[^\S ]\s*)|(?P<odd>[^{_SAFE}\s]+)"
)
_UNSAFE = compile_lazily(rf"[^{_SAFE}]")  # every event has one, and this is found many times as fast
_CLUSTER = compile_lazily(rf".[{_MARKS}]*", re.S)
_MARK = compile_lazily(rf"[{_MARKS}]")
_JAPANESE = compile_lazily(rf"[{_CJK}、。，．「」『』（）！？：；]")
_DROPPED = compile_lazily(
    "[\u0000-\u0008\u000e-\u001f\u007f\u00ad\u200b-\u200f\u2060\ufe00-\ufe0f\ufeff\ufffe\U000e0100-\U000e01ef]"
)
_HYPHENS = frozenset("-‐\u00ad")

# Radicals that NFKC leaves (it folds only the Kangxi block), with the ideographs that Unicode calls their
# equivalents.
RADICALS = str.maketrans(
    "⺁⺅⺆⺉⺊⺌⺍⺒⺓⺖⺗⺘⺙⺛⺝⺠⺡⺣⺤⺥⺧⺨⺩⺫⺬⺭⺮⺯⺲⺶⺷⺸⺹⺻⺼⺽⺾⺿⻀⻁⻂⻃⻄⻆⻇⻊⻌⻍⻎⻏⻑⻓⻖⻗⻘⻝⻞⻟⻡⻢⻣⻤⻥⻨⻩⻫⻭⻯⻱⻲",
    "厂亻冂刂卜小小巳幺忄心扌攵旡月民氵灬爪爫牛犭王目示礻竹糹罒羊羊羊耂聿月臼艹艹艹虎衤覀西角角足辶辶辶阝長长阝雨青食飠飠首马骨鬼鱼麦黄斉歯竜龜亀",
)
# Also marks with several written forms.
_FOLDED = RADICALS | str.maketrans("‐‑‒–—―−〜“”‘’⁄", "-------~\"\"''/")


@dataclass(frozen=True, slots=True)
class View:
    """A folded text with its origins: `text[i]` comes from `source[origins[i]]`.

    One more origin marks the end. `marks`: the offsets in `text` of superscripts, subscripts and fractions,
    which the folded form cannot distinguish from plain digits.
    """

    source: str
    text: str
    origins: array[int]
    marks: tuple[int, ...] = ()

    def locate_original(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of the source behind `text[start:end]`.

        It consists of whole characters with their combining marks.
        """
        first = self.origins[start]
        if start >= end:
            return first, first
        last = _CLUSTER.match(self.source, self.origins[end - 1])
        return first, last.end() if last else first


def fold_with_map(text: str) -> View:
    """Return the view of a text. Linear; several million characters a second."""
    folding = _Folding(text)
    for event in _EVENT.finditer(text):
        folding.take(event)
    return folding.view()


def fold_text(text: str) -> str:
    """Return the text of its view, without origins."""
    return fold_with_map(text).text if _UNSAFE.search(text) else text


class _Folding:
    def __init__(self, source: str) -> None:
        self._source = source
        self._parts: list[str] = []
        self._origins = array("I")
        self._marks: list[int] = []
        self._at = 0

    def take(self, event: re.Match[str]) -> None:
        start, end = event.span()
        if event.lastgroup == "odd" and start > self._at and _MARK.match(self._source, start):
            start -= 1  # a plain letter with a combining mark
        self._copy(start)
        if event.lastgroup == "odd":
            self._fold(start, end)
        elif event.lastgroup == "space":
            self._add_space(start, end)
        else:
            for place in range(start, end):
                if not self._source[place].isspace():
                    self._put(self._source[place], place)
        self._at = end

    def view(self) -> View:
        self._copy(len(self._source))
        self._origins.append(len(self._source))
        return View(self._source, "".join(self._parts), self._origins, tuple(self._marks))

    def _copy(self, end: int) -> None:
        if end > self._at:
            self._parts.append(self._source[self._at : end])
            self._origins.extend(range(self._at, end))
            self._at = end

    def _put(self, folded: str, place: int) -> None:
        self._parts.append(folded)
        self._origins.extend([place] * len(folded))

    def _fold(self, start: int, end: int) -> None:
        for cluster in _CLUSTER.finditer(self._source, start, end):
            folded, marked = _fold_cluster(cluster[0])
            if marked:
                self._marks.extend(range(len(self._origins), len(self._origins) + len(folded)))
            self._put(folded, cluster.start())

    def _add_space(self, start: int, end: int) -> None:
        source = self._source
        breaks = source.count("\n", start, end)
        if start == 0 or end == len(source):
            return
        if breaks > 1:
            self._put("\n", start)
        elif breaks == 0:
            self._put(" ", start)
        elif (
            source[start - 1] in _HYPHENS
            and source[start - 2 : start - 1].isalpha()
            and source[end].isalpha()
        ):
            if source[end].islower():
                self._unhyphenate(start - 1)
        elif not (_JAPANESE.match(source, start - 1) or _JAPANESE.match(source, end)):
            self._put(" ", start)

    def _unhyphenate(self, place: int) -> None:
        # The hyphen belongs to the line end, and is removed with it.
        if self._origins and self._origins[-1] == place:
            self._parts[-1] = self._parts[-1][:-1]
            self._origins.pop()


@lru_cache(maxsize=20_000)
def _fold_cluster(cluster: str) -> tuple[str, bool]:
    """Return a character folded with its marks, and whether it is raised, lowered or ½."""
    kept_text = _DROPPED.sub("", cluster)
    marked = any(
        unicodedata.decomposition(char).startswith(("<super>", "<sub>", "<fraction>")) for char in kept_text
    )
    return unicodedata.normalize("NFKC", kept_text).translate(_FOLDED), marked


# Controls, directions, tags. Variation selectors and joiners are kept, because they select the shape of a
# letter.
UNSEEN = compile_lazily(
    "[\u0000-\u0008\u000b-\u001f\u007f-\u0084\u0086-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff"
    "\ufff9-\ufffb\ufffe\U000e0000-\U000e007f]"
)
_SPACE = compile_lazily(r"[\t-\r\u0085\u2028\u2029]+")


def strip_unseen(text: str) -> str:
    """Return a name on one line, without invisible characters."""
    return UNSEEN.sub("", _SPACE.sub(" ", text))


# The subset that reverses a line or hides words for a model: directions, tags, runs of zero-width signs. The
# flags of England, Scotland and Wales are written with tags.
_HARMFUL = compile_lazily(
    "(?P<flag>\U0001f3f4[\U000e0020-\U000e007e]{1,6}\U000e007f)|(?:[\u202a-\u202e\u2066-\u2069]+)"
    "|(?:[\u180e\u2060-\u2065\ufff9-\ufffb\U000e0000-\U000e007f]+)|(?:[\u200b-\u200d\ufeff]{4,})"
)
_NOTED_MARK = compile_lazily("⟨U\\+[0-9A-F]{4,6}(?:×\\d+)?⟩")


def mark_unseen(text: str) -> str:
    """Return a document's text for a model, with hidden characters that a model obeys as marks.

    ⟨U+202E⟩, or ⟨U+E0049×12⟩ for a run of twelve that begins with this one.
    """
    return _HARMFUL.sub(_mark, text)


def drop_marks(text: str) -> str:
    """Return a quotation copied from such a text without the marks."""
    return _NOTED_MARK.sub("", text)


def _mark(found: re.Match[str]) -> str:
    if found["flag"]:
        return found[0]
    count = f"×{len(found[0])}" if len(found[0]) > 1 else ""
    return f"⟨U+{ord(found[0][0]):04X}{count}⟩"


WINDOW = 200_000  # characters folded at once: a long text is only scanned until enough places are found
SPREAD = 4  # characters of text per character of a query, for broken lines and letter-spacing


def find_in_text(text: str, query: str, limit: int) -> list[tuple[int, int]]:
    """Return the spans of the first `limit` matches, in order, without overlap.

    A blank query has no match.
    """
    words = _lower(fold_with_map(query.strip()).text)
    places: list[tuple[int, int]] = []
    if not words:
        return places
    beyond = SPREAD * len(words) + SPREAD
    last = 0
    for begin in range(0, len(text), WINDOW):
        view = _view(text[begin : begin + WINDOW + beyond])
        folded = _lower(view.text)
        at = folded.find(words)
        while at >= 0:
            start, end = view.locate_original(at, at + len(words))
            if start >= WINDOW:  # the next window has it
                break
            if begin + start >= last:
                last = begin + end
                places.append((begin + start, last))
                if len(places) == limit:
                    return places
            at = folded.find(words, at + len(words))
    return places


@lru_cache(maxsize=8)
def _view(text: str) -> View:
    return fold_with_map(text)


def _lower(text: str) -> str:
    """Return the text in lower case, keeping characters whose lower case is longer."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(lower if len(lower := letter.lower()) == 1 else letter for letter in text)
