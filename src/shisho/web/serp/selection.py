"""The engines for a query, their order, and the reasons against the others. Pure."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum

from shisho.domain.politeness import BreakerState, EngineHealth, LimiterStatus
from shisho.domain.web import EngineAbout, Tier, TimeRange
from shisho.language.terms import fold
from shisho.messages import Message
from shisho.records import dataclass

# Scholarly indexes answer scholarly queries only; engines that the user set up precede those for everyone;
# encyclopaedias complete a web search, they do not replace it.
_TIERS = (Tier.ACADEMIC, Tier.YOURS, Tier.DEFAULT, Tier.KNOWLEDGE, Tier.LAST_MILE)


class PassedOverReason(StrEnum):
    """The reason that an engine is not asked.

    `resting` and `spent` pass with time; `too_long`, `lacks_filter` and `too_shallow` depend on the query.
    """

    UNKNOWN = "unknown"
    DISABLED = "disabled"
    NO_KEY = "no_key"
    NO_BROWSER = "no_browser"
    RESTING = "resting"
    SPENT = "spent"
    TOO_LONG = "too_long"
    LACKS_FILTER = "lacks_filter"
    TOO_SHALLOW = "too_shallow"


GENERAL = "general"


def _compile_cues(words: str, patterns: str) -> re.Pattern[str]:
    """Compile words and patterns for folded text.

    Words match anywhere, because Japanese has no spaces.
    """
    # ASCII: with Unicode letters there would be no boundary between python and で.
    return re.compile("|".join([*map(re.escape, words.split()), patterns]), re.VERBOSE | re.ASCII)


_CUES: Mapping[str, re.Pattern[str]] = {
    "academic": _compile_cues(
        """論文 査読 先行研究 学会誌 学術誌 学術文献 文献レビュー メタ分析 メタアナリシス 系統的レビュー
        システマティックレビュー 臨床試験 ランダム化比較 無作為化比較 コホート研究 症例対照研究 症例報告
        インパクトファクター 被引用 プレプリント""",
        r"""\bdoi[:\ ]|\b10\.\d{4,9}/|\barxiv\b|\bpubmed\b|\bsemantic\ scholar\b|\bpreprints?\b|\bpeer[ -]reviewed\b|\bet\ al\b
        |\b(?:systematic|literature|scoping)\ reviews?\b|\bmeta[ -]?analys[ie]s\b|\brandomi[sz]ed\ controlled\b
        |\bclinical\ trials?\b|\bcohort\ stud(?:y|ies)\b
        |\b(?:research|scientific|journal|conference)\ (?:papers?|articles?)\b""",
    ),
    "technical": _compile_cues(
        """プログラミング コンパイルエラー スタックトレース 正規表現 デバッグ 環境構築 ソースコード エラーコード 例外処理
        非同期処理 単体テスト デプロイ コマンドライン シェルスクリプト サンプルコード""",
        r"""\b(?:python|javascript|typescript|kotlin|golang|node\.?js|numpy|pandas|pytorch|tensorflow|django|postgres(?:ql)?|mysql
        |sqlite|kubernetes|docker(?:file)?|nginx|linux|ubuntu|github|npm|pypi|webpack|regex|sql|html|css|json|yaml|api|sdk)\b
        |\bc\+\+|\bc\#|\w\(\)|\w::\w|\b(?!terror\b)\w+(?:error|exception)\b|\bstack\ ?trace\b|\bsegmentation\ fault\b
        |\b(?:rust|java|swift|go|ruby|php|perl)言語|\b(?:rust|java|ruby|php|perl)の?(?:コード|関数|ライブラリ|クラス|配列)
        |\b(?:rust|java|ruby|php|perl)\ (?:code|function|library|compiler|crate|gem)|\b(?:pip|apt|brew|cargo)\ install\b""",
    ),
    "news": _compile_cues(
        "速報 号外 報道によると 報道された 報道発表 記者会見",
        r"""ニュース(?!レター|リリース|グループ|キャスター)|(?:今日|昨日)の(?:事件|事故|地震|出来事)|\bpress\ conference\b
        |\b(?:breaking|latest|today's|world|local)\ (?:news|headlines)\b|\bnews\ (?:about|on|today|this\ week|headlines)\b""",
    ),
    "government": _compile_cues(
        """総務省 法務省 外務省 財務省 文部科学省 厚生労働省 農林水産省 経済産業省 国土交通省 環境省 防衛省 内閣府 内閣官房
        金融庁 国税庁 消費者庁 デジタル庁 警察庁 文化庁 気象庁 観光庁 特許庁 林野庁 水産庁 中小企業庁 こども家庭庁 官報 法令
        政令 省令 条例 施行規則 国会会議録 国勢調査 統計局 確定申告 住民票 市役所 区役所 県庁 助成金 補助金""",
        r"""法第?[0-9一二三四五六七八九十百]+条|\bgo\.jp\b|\be-(?:stat|gov)\b|\.gov\b|\bgov\.uk\b|\bministry\ of\b
        |\bdepartment\ of\ (?:health|justice|labou?r|state|education|energy|transportation|agriculture|defen[cs]e)\b
        |\bfederal\ register\b|\bcensus\b|\bstatutes?\b|\blegislation\b|\beu\ (?:directive|regulation)\b""",
    ),
}


def classify_query(query: str) -> str:
    """Return academic, technical, news or government; general if no category or more than one matches."""
    plain = fold(query)
    categories = [category for category, cues in _CUES.items() if cues.search(plain)]
    return categories[0] if len(categories) == 1 else GENERAL


@dataclass(frozen=True, slots=True)
class Needs:
    """The requirements of a search.

    `engines`: named ones, only these and in this order; else those of `categories`, where among equally free
    engines of one tier an earlier category's come first. `page`: the first result page.
    """

    query: str
    categories: tuple[str, ...] = (GENERAL,)
    engines: tuple[str, ...] = ()
    language: str = ""
    time_range: TimeRange = TimeRange.ALL
    page: int = 1


@dataclass(frozen=True, slots=True)
class Candidate:
    """An engine that may be asked.

    `warnings` name its missing features: `language_ignored`, `time_range_ignored`.
    """

    engine: str
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PassedOver:
    """An engine that is not asked, with the reason as a code and as a text."""

    engine: str
    why: PassedOverReason
    reason: str


@dataclass(frozen=True, slots=True)
class Choice:
    """The engines to try in turn, and the excluded ones."""

    candidates: tuple[Candidate, ...]
    passed: tuple[PassedOver, ...]


@dataclass(frozen=True, slots=True)
class EngineAvailability:
    """What is available to a search; an engine missing from both maps is healthy and not rate limited.

    `missing`: settings for API keys that have no value.
    """

    health: Mapping[str, EngineHealth]
    limiter_status: Mapping[str, LimiterStatus]
    missing: Collection[str] = ()
    browser: bool = False


def rank_engines(abouts: Sequence[EngineAbout], needs: Needs, availability: EngineAvailability) -> Choice:
    """Choose engines, deterministically.

    Equal engines are ordered by the query, so that simultaneous queries are spread over them.
    """
    known_abouts = {about.name: about for about in abouts}
    passed = [
        PassedOver(name, PassedOverReason.UNKNOWN, f"There is no engine {name}.")
        for name in needs.engines
        if name not in known_abouts
    ]
    asked_abouts = (
        [known_abouts[name] for name in dict.fromkeys(needs.engines) if name in known_abouts]
        if needs.engines
        else _select_fitting(abouts, needs)
    )
    usable = []
    for about in asked_abouts:
        why = find_bar(about, availability) or _check_length(about, needs) or _check_depth(about, needs)
        if why is None:
            usable.append(about)
        else:
            passed.append(why)
    if not needs.engines:
        least = min((len(_list_missing_filters(about, needs)) for about in usable), default=0)
        passed.extend(
            _describe_missing_filters(about, needs)
            for about in usable
            if len(_list_missing_filters(about, needs)) > least
        )
        usable = [about for about in usable if len(_list_missing_filters(about, needs)) == least]
        usable.sort(key=lambda about: _rank_engine(about, needs, availability))
    found_candidates = (
        Candidate(about.name, tuple(f"{need}_ignored" for need in _list_missing_filters(about, needs)))
        for about in usable
    )
    return Choice(tuple(found_candidates), tuple(passed))


def find_bar(about: EngineAbout, availability: EngineAvailability) -> PassedOver | None:
    """Return the reason that this engine cannot be asked now, regardless of the query."""
    name = about.name
    if not about.enabled:
        return PassedOver(name, PassedOverReason.DISABLED, _explain_disabled(about))
    keys = [
        credential.setting
        for credential in about.credentials
        if credential.required and credential.setting in availability.missing
    ]
    if keys:
        return PassedOver(
            name,
            PassedOverReason.NO_KEY,
            Message(
                "engine.needs_key",
                engine=name,
                settings=", ".join(keys),
            ),
        )
    if about.needs_browser and not availability.browser:
        return PassedOver(
            name,
            PassedOverReason.NO_BROWSER,
            Message(
                "engine.browser_only",
                engine=name,
            ),
        )
    health = availability.health.get(name)
    if health is not None and health.breaker is BreakerState.OPEN:
        return PassedOver(name, PassedOverReason.RESTING, _describe_rest(name, health))
    used = availability.limiter_status.get(name, LimiterStatus()).used_today
    if about.per_day is not None and used >= about.per_day:
        return PassedOver(
            name,
            PassedOverReason.SPENT,
            Message("engine.limit_reached", engine=name, count=used),
        )
    return None


def _explain_disabled(about: EngineAbout) -> str:
    if about.reason:
        return Message(about.reason)
    return Message("engine.not_enabled", engine=about.name)


def _describe_rest(name: str, health: EngineHealth) -> Message:
    cause = health.last_error or Message("browser.no_answer")
    if not health.open_until:
        return Message("engine.cooling_down_cause", engine=name, cause=cause)
    return Message(
        "engine.cooling_down_until",
        engine=name,
        until=health.open_until,
        cause=cause,
    )


def _select_fitting(abouts: Sequence[EngineAbout], needs: Needs) -> list[EngineAbout]:
    return [about for about in abouts if {*about.categories} & {*needs.categories}]


def _check_length(about: EngineAbout, needs: Needs) -> PassedOver | None:
    if about.query_limit is None or len(needs.query) <= about.query_limit:
        return None
    return PassedOver(
        about.name,
        PassedOverReason.TOO_LONG,
        Message("engine.query_too_long", engine=about.name, limit=about.query_limit),
    )


def _check_depth(about: EngineAbout, needs: Needs) -> PassedOver | None:
    if needs.page <= about.max_pages:
        return None
    return PassedOver(
        about.name,
        PassedOverReason.TOO_SHALLOW,
        f"{about.name} shows {about.max_pages} pages at most.",
    )


def _list_missing_filters(about: EngineAbout, needs: Needs) -> tuple[str, ...]:
    """Return the requested filters that this engine lacks."""
    needed = {
        "language": needs.language and about.languages and needs.language not in about.languages,
        "time_range": needs.time_range is not TimeRange.ALL and needs.time_range not in about.time_ranges,
    }
    return tuple(name for name, lacks in needed.items() if lacks)


def _describe_missing_filters(about: EngineAbout, needs: Needs) -> PassedOver:
    names = ", ".join(_list_missing_filters(about, needs))
    return PassedOver(
        about.name,
        PassedOverReason.LACKS_FILTER,
        Message("engine.cannot_filter", engine=about.name, filters=names),
    )


def _rank_engine(
    about: EngineAbout, needs: Needs, availability: EngineAvailability
) -> tuple[int, float, int, str]:
    free_in = availability.limiter_status.get(about.name, LimiterStatus()).free_in_s
    liked = min(
        needs.categories.index(category) for category in about.categories if category in needs.categories
    )
    turn = hashlib.sha256(f"{needs.query}\0{about.name}".encode("utf-8", "surrogatepass")).hexdigest()
    return _TIERS.index(about.tier), free_in, liked, turn
