"""What a question says beside what it asks: in which text to look, how to answer."""

from __future__ import annotations

import time

import pytest

from shisho.librarian.asides import find_text, strip_asides

ASIDES = [
    (
        "警備の手引きの門の章に、数を決める例が載っていたはずです。門番は何人までですか。",
        "数を決める例が載っていたはずです。門番は何人までですか。",
        "警備の手引きの門の章",
    ),
    ("情報通信白書では、何が伸びたか", "何が伸びたか", "情報通信白書"),
    (
        "特定の人に倉庫を使わせたいのですが、利用者FAQではどのような手順になっていますか?",
        "特定の人に倉庫を使わせたいのですが、どのような手順になっていますか?",
        "利用者FAQ",
    ),
    (
        "設定はどのフォルダから読まれますか。リファレンスに挙がっている場所を並べてください",
        "設定はどのフォルダから読まれますか",
        "リファレンス",
    ),
    ("真鍮と青銅はどう違うのか、ガイドのまとめを知りたいです", "真鍮と青銅はどう違うのか", "ガイドのまとめ"),
    (
        "テープのような媒体は、リファレンスでは何年くらい持つと書いてありますか(楽観的な数字で結構です)",
        "テープのような媒体は、何年くらい持つ",
        "リファレンス",
    ),
    (
        "門番と受付の役割の違いを、警備の手引きに沿って説明してもらえますか。",
        "門番と受付の役割の違いを",
        "警備の手引き",
    ),
    ("待機電力とは何か、省エネマニュアルでの説明", "待機電力とは何か", "省エネマニュアル"),
    (
        "届け出のない副業が分かりました。就業規則の解説では、会社はどう動くべきとされていますか。",
        "届け出のない副業が分かりました。会社はどう動くべき",
        "就業規則の解説",
    ),
    (
        "地理学とは何と何の関係を調べる学問だと、試験用の文書には書いてありますか",
        "地理学とは何と何の関係を調べる学問だ",
        "試験用の文書",
    ),
    ("入館の手引きに従うなら、鍵は誰に返しますか", "鍵は誰に返しますか", "入館の手引き"),
    ("友達の追加は1日に何人まで、という話でしたっけ？", "友達の追加は1日に何人まで、", ""),
    ("What is the press made of, according to its manual?", "What is the press made of?", "its manual"),
    ("According to the policy manual, what is a conffile?", "what is a conffile?", "the policy manual"),
    ("アルファベット三文字で何というか", "何というか", ""),
]
PLAIN = """会社の規則を守らないとどうなりますか
この本の作者は誰ですか
通知を受けた日から何日以内に申し込むのですか
就業規則の変更はどうやって届け出るのですか
仕様書には何を書けばよいですか
議事録は何年保存しますか
白書とは何か
ガイドラインの目的は何ですか
労働時間は何時間ですか。休日の日数も教えてください
用語をどう定義していますか
What is in a manual?""".splitlines()


@pytest.mark.parametrize(("question", "bare", "text"), ASIDES)
def test_what_is_said_beside_the_question(question: str, bare: str, text: str) -> None:
    assert strip_asides(question) == bare
    assert find_text(question) == text


@pytest.mark.parametrize("question", PLAIN)
def test_what_is_asked_is_no_aside(question: str) -> None:
    assert strip_asides(question) == question
    assert find_text(question) == ""


def test_something_is_left_of_every_question() -> None:
    assert strip_asides("資料では、何") == "資料では、何"


@pytest.mark.parametrize(
    "piece", ["資料", "の資料では、", "か。資料", "では", "according to ", "(", "という話"]
)
def test_no_question_takes_long(piece: str) -> None:
    began = time.process_time()
    strip_asides(piece * (2_000 // len(piece)))
    assert time.process_time() - began < 1.0
