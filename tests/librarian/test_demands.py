"""What an answer must bring: the numbers that the question names, and the form that its noun asks for."""

import pytest

from shisho.language.terms import fold
from shisho.librarian.demands import form, labels, versions


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("第二百条の２", {"第200条の2"}),
        ("第1次世界大戦と第二次世界大戦", {"第1次", "第2次"}),
        ("表 3 と図2-1", set()),
        ("第一種の過誤と第２類医薬品", {"第1種", "第2類"}),
        ("三条大橋", set()),
    ],
)
def test_labels_have_one_form(text: str, expected: set[str]) -> None:
    assert labels(fold(text)) == expected


def test_versions() -> None:
    assert versions(fold("ASVS 5.0 と v1.3.7")) == {"5.0", "1.3.7"}
    assert versions(fold("要件書のVer.3.0")) == {"3.0"}
    assert versions(fold("第2.0版")) == {"2.0"}
    assert versions("3つ") == frozenset()


@pytest.mark.parametrize(
    ("question", "answering", "other"),
    [
        ("JPCERT/CCの電話番号は何番ですか", "電話は03-6271-8901です。", "平成8年に設立された。"),
        ("法華経は何品ありますか", "法華経は二十八品からなる。", "法華経は三分に分ける。"),
        ("営業時間は何時から何時までですか", "午前9時から開く。", "30日以内に開く。"),
        ("参加者は何人ですか", "参加者は120名である。", "参加者は3回集まった。"),
        ("王国に15世紀に来たのは何人ですか", "ポルトガル人が15世紀に来た。", "王国は15世紀に栄えた。"),
        ("この町を建てたのは何人か", "町は日本人が建てた。", "町は海辺に建てた。"),
        ("兄弟は何人いたか", "兄弟は14人いた。", "兄弟はアメリカ人である。"),
        ("本土は何個の州に分かれているか", "本土は12の州に分かれている。", "本土は1815年に分かれた。"),
        ("条約は何か国が結んだか", "27か国が結んだ。", "1957年に結んだ。"),
        ("条約は何ヵ国が結んだか", "27カ国が結んだ。", "1957年に結んだ。"),
        ("合格率は何%ですか", "合格率は4割であった。", "合格率は2年続けて下がった。"),
        ("受験料はいくらですか", "受験料は5,000円である。", "最低1名以上を加える。"),
        ("費用はおいくらぐらいですか", "費用は5万円である。", "3つのレベルがある。"),
        ("罰金いくらの判決を受けたのですか", "罰金30万円の判決を受けた。", "20代の男性が逮捕された。"),
        (
            "How much compensation did the yard get?",
            "It got 3 million dollars.",
            "The order fell to 126 ships.",
        ),
        ("How much has the town spent on lamps?", "It spent €900 on lamps.", "It has 12 lamps."),
        ("事務局の住所を教えてください", "事務局は千代田区麹町1-2-3にある。", "事務局は2000年に設けた。"),
        ("売った男性は1台いくらで売っていたのですか", "1台3万円で売った。", "20代の男性が売った。"),
        ("休暇は何日もらえますか", "休暇は三日である。", "休暇は 日である。"),
        ("What does a lamp of the collection cost?", "A lamp is €900.", "The 2018 collection has 12 lamps."),
        ("How much is the Duo plan a month?", "It costs 60 pounds.", "It covers two adults."),
        ("How much is a child ticket", "A child pays $4.", "Children under 12 need an adult."),
        ("How much does the laptop weigh?", "It weighs 4.3 pounds.", "It has 16 inches."),
        ("How many weeks of pay will they get?", "They get a month of pay.", "1,000 of them were paid."),
        ("届書の様式は第何号ですか", "様式は第 3 号である。", "様式は後日、お知らせする。"),
        ("試用期間は何か月ということですか", "3か月間とする。", "採用した日から か月間とする。"),
        (
            "How many people were arrested?",
            "Police arrested about a dozen people.",
            "The university was besieged.",
        ),
        ("その研究者はどこの大学の先生ですか", "東京大学の教授である。", "強制改行を作った。"),
        ("アプリを起動するショートカットキーは何?", "Ctrl+Kで起動する。", "アプリが用意されている。"),
        ("How much does the ticket cost?", "Tickets are $25.", "Tickets go on sale on 6 December."),
        ("行送りの既定値は何ですか", "デフォルトは字の幅の1.7倍。", "行送りは0から5まで選べる。"),
        ("What is the default value of depth?", "Depth is 3 by default.", "Depth is a whole number."),
        ("フィルターはどれくらいの頻度で洗うのか", "2週間に1回洗う。", "交換の目安は2年である。"),
        ("How often can a loan be renewed?", "It can be renewed twice.", "It can be renewed by mail."),
        ("How much may a flight cost?", "It may cost 300 euros.", "It may take six hours."),
        ("錠剤は何色ですか", "錠剤は白い。", "錠剤は円形である。"),
        ("What time does the museum close?", "It closes at 5.30 pm.", "It closes on Mondays."),
        ("What colour is the lamp?", "It shines green.", "It shines at night."),
        ("消費電力は何wですか", "強で280wである。", "強と弱がある。"),
        ("所持を違法とするのは刑法何条か", "刑法第240b条が違法とする。", "刑法が違法とする。"),
    ],
)
def test_the_noun_that_is_asked_for_says_what_an_answer_looks_like(
    question: str, answering: str, other: str
) -> None:
    wanted = form(fold(question))
    assert wanted is not None
    assert wanted.search(fold(answering)) and not wanted.search(fold(other))


def test_most_questions_ask_for_no_form() -> None:
    assert form(fold("決定係数とは何か")) is None
    assert form(fold("ショートカットを無効にする手順は")) is None
    assert form(fold("電話番号を変更するには")) is None
    assert form(fold("デフォルトの字体を変えるには")) is None
    assert form(fold("何を用いた住所が表記された地図が少ないか")) is None
    assert form(fold("社会の仕組みは何社会と呼ばれたか")) is None
    assert form(fold("何年も何回も受けた試験の名は")) is None


@pytest.mark.parametrize(
    "question",
    [
        "How much is the maximum dose per day?",
        "How much is the data allowance a month?",
        "How much was the rainfall per year?",
        "How much is covered by the basic plan?",
        "How much is the discount on membership?",
    ],
)
def test_what_is_no_price_needs_no_money(question: str) -> None:
    asked = form(fold(question))
    assert asked is None or not asked.search("60 pounds") or asked.search("4 g")
