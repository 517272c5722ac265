"""Classify a query by its words; the category decides which engines fit and how deep paging goes.

Ambiguous words (最新, 白書, Rust, report) are left out or need context. A query misclassified as general
is still answered; one sent to the wrong engines is not.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from shisho.language.terms import fold

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
