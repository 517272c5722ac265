"""What kind of thing a query looks for. The hard ones are those that only look like it."""

from __future__ import annotations

from shisho.web.serp.selection import classify_query
from tests.tables import each_row

QUERIES = {
    "academic": [
        "睡眠と記憶に関する論文",
        "機械翻訳の先行研究",
        "糖尿病 ランダム化比較試験 メタ分析",
        "査読付き 学術誌 図書館情報学",
        "コホート研究 緑茶 死亡率",
        "attention is all you need arXiv",
        "systematic review of exercise for depression",
        "peer-reviewed evidence on intermittent fasting",
        "Vaswani et al 2017 transformer",
        "doi:10.1145/3397271.3401075",
        "10.1038/nature14539",
        "ｐｕｂｍｅｄ 検索 膵臓がん",
        "randomised controlled trials of vitamin D",
        "research papers on query performance prediction",
    ],
    "technical": [
        "Pythonで辞書をソートする方法",
        "ModuleNotFoundError: No module named 'numpy'",
        "正規表現 後読み 書き方",
        "Rustのライブラリ HTTP クライアント",
        "Go言語 チャネル 使い方",
        "C++ テンプレート 特殊化",
        "docker compose volume permission denied",
        "java.lang.NullPointerException の原因",
        "std::vector の計算量",
        "asyncio.gather() と TaskGroup の違い",
        "ＳＱＬ 副問い合わせ 遅い",
        "REST API の設計指針",
        "segmentation fault core dumped",
        "rust compiler error E0502",
    ],
    "news": [
        "地震 速報",
        "今日の事件 東京",
        "能登半島 ニュース",
        "首相 記者会見 全文",
        "breaking news earthquake",
        "latest headlines on the strike",
        "news about the election",
    ],
    "government": [
        "厚生労働省 介護報酬 改定",
        "個人情報保護法第27条",
        "憲法第九条の解釈",
        "中小企業庁 補助金 申請",
        "確定申告 医療費控除",
        "国勢調査 人口 東京都",
        "建築基準法 施行規則",
        "出入国 site:moj.go.jp",
        "ministry of education japan curriculum",
        "cdc.gov measles guidance",
        "department of labor overtime rule",
        "clean air act legislation",
    ],
    "general": [
        "",
        "日本で一番高い山は何か",
        "源氏物語の作者",
        "おいしい味噌汁の作り方",
        "最新のスマートフォン 比較",
        "最新の研究でわかった睡眠のこと",
        "ビットコイン ホワイトペーパー",
        "ニュースレターの書き方",
        "プレスリリース ニュースリリース 違い",
        "ジャワ島 java 観光",
        "how to remove rust from a pan",
        "war on terror timeline",
        "Swift code for MUFG",
        "go to the library opening hours",
        "perl necklace",
        "capital of Australia",
        "錆 rust 落とし方",
        "省エネ 冷蔵庫 選び方",
        "裁判で勝つ方法",
        "民法とは",
        # two kinds at once: nobody can tell
        "Python 論文 実装",
        "気象庁 地震 速報",
        "arxiv api python",
        "厚生労働省 臨床試験 ガイドライン",
        "\udcff",
    ],
}


@each_row(("query", "category"), [(query, category) for category, rows in QUERIES.items() for query in rows])
def test_the_kind_of_a_query(query: str, category: str) -> None:
    assert classify_query(query) == category
