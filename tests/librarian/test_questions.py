"""What a question asks for, in both languages."""

import pytest

from shisho.language.terms import fold
from shisho.librarian.answer_kinds import AnswerKind
from shisho.librarian.questions import read


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("『文明論之概略』の著者は誰ですか?", AnswerKind.PERSON),
        ("Who discovered penicillin?", AnswerKind.PERSON),
        ("ラオスが独立を宣言したのはいつ", AnswerKind.TIME),
        ("サターンIの最初の試験発射は何年にありましたか?", AnswerKind.TIME),
        ("In what year was the wing tested?", AnswerKind.TIME),
        ("ナポリ王国があった場所は？", AnswerKind.PLACE),
        ("栗山川は何県の川ですか？", AnswerKind.PLACE),
        ("where is the shock formed", AnswerKind.PLACE),
        ("一升は何リットルあるの？", AnswerKind.AMOUNT),
        ("梅雨の期間はどれくらいか", AnswerKind.AMOUNT),
        ("how many panels were tested?", AnswerKind.AMOUNT),
        ("標本を無作為に選ぶのはなぜか", AnswerKind.REASON),
        ("why does the layer separate", AnswerKind.REASON),
        ("決定係数とは何か", AnswerKind.DEFINITION),
        ("What is a boundary layer?", AnswerKind.DEFINITION),
        ("埋蔵量は採掘を続けると何年分か", AnswerKind.AMOUNT),
        ("この説が定義に合わない理由は、膜と何を有しない点か", AnswerKind.THING),
        ("大菩提寺を何という？", AnswerKind.NAME),
        ("オランダ最大の通信事業者は何ですか。", AnswerKind.THING),
        ("どなたが設計したか", AnswerKind.PERSON),
        ("どの人が最初に登ったか", AnswerKind.PERSON),
        ("幾人が乗っていたか", AnswerKind.AMOUNT),
        ("何ヶ所に支店があるか", AnswerKind.AMOUNT),
        ("何種類の薬があるか", AnswerKind.AMOUNT),
        ("1971年からは何国と称していたか", AnswerKind.PLACE),
        ("餓死者を出した出来事はなんでしょう。", AnswerKind.THING),
        ("決定係数とはなんですか", AnswerKind.DEFINITION),
        ("なんで雨は降るの", AnswerKind.REASON),
        ("なぜなんですか", AnswerKind.REASON),
        ("委員長はだれ？", AnswerKind.PERSON),
        ("「さみだれ」の漢字表記は？", AnswerKind.THING),
        ("この気流をなんというか", AnswerKind.NAME),
        ("失踪の原因となった法律は", AnswerKind.THING),
        ("失踪の要因となっていることは？", AnswerKind.REASON),
        ("何年も奉仕した後に何という称号を得たか", AnswerKind.NAME),
        ("いつも使う駅はどこ？", AnswerKind.PLACE),
        ("誰でも使える設備は何か", AnswerKind.THING),
        ("どこかに記録された値は何か", AnswerKind.THING),
        ("この社会の仕組みは何社会と呼ばれたか", AnswerKind.NAME),
    ],
)
def test_kind(question: str, kind: AnswerKind) -> None:
    assert read(question).kind is kind


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("What is the maximum weight of a parcel?", AnswerKind.AMOUNT),
        ("What is the coefficient of determination?", AnswerKind.DEFINITION),
        ("届くまで何日かかりますか", AnswerKind.AMOUNT),
        ("祭りは何日ですか", AnswerKind.TIME),
        ("本体は何色ですか", AnswerKind.THING),
        ("虹には何色ありますか", AnswerKind.AMOUNT),
        ("消費電力は何wですか", AnswerKind.AMOUNT),
    ],
)
def test_a_length_of_time_is_no_date_and_a_colour_no_number(question: str, kind: AnswerKind) -> None:
    assert read(question).kind is kind


@pytest.mark.parametrize(
    ("question", "sentence", "expected"),
    [
        ("開業はいつか", "駅は平成10年に開業した。", True),
        ("1998年に開業した駅はいつ廃止されたか", "1998年に開業した。", False),
        ("印刷が広まったのは何世紀か", "16世紀に広まった。", True),
        ("参加者は何人か", "参加者は三百人だった。", True),
        ("参加者は何人か", "参加者は多かった。", False),
        ("なぜ標本を無作為に選ぶのか", "偏りを避けるためである。", True),
        ("なぜ標本を無作為に選ぶのか", "標本は無作為に選ぶ。", False),
        ("How many panels were tested?", "Twelve of 14 panels were tested.", True),
        ("why does it separate", "it separates because the pressure rises.", True),
        ("why does it separate", "it separates at the edge.", False),
        ("why does it separate", "the pressure rises, forcing the layers apart.", True),
        ("why does the fog stay", "that ends up trapping the air over the valley.", True),
        ("why did the strike spread", "a dismissal turned a quarrel into a strike.", True),
        ("why did the strike spread", "the armed forces stayed in their barracks.", False),
        ("通信の責任は誰にあるか", "通信は司令部の主任行政官の責任である。", True),
        ("野党第一党に躍進した政党はどこか", "野党第一党に躍進した立憲民主党である。", True),
        ("自動車を作った会社はどこか", "自動車は大きな工場で作った。", False),
        ("開発に加わった大学はどこか", "開発には北海大学が加わった。", True),
        ("派遣先で問題が起きた理由は", "士気の低さから派遣先で問題を起こす。", True),
        ("派遣先で問題が起きた理由は", "派遣先は三つの区からなる。", False),
        ("フィルターはどこにあるか", "フィルターは本体の右側にある。", True),
        ("フィルターはどこにあるか", "フィルターは水で洗う。", False),
        ("When is the payment due?", "It falls due on 1 May.", True),
        ("When do the demonstrations start?", "They start at 11 am and 2 pm.", True),
        ("When do the demonstrations start?", "They may start late.", False),
        ("東町は何曜日ですか", "東町\t月・木", True),
        ("東町は何曜日ですか", "東町は4月1日から変わります。", False),
        ("女将の名前は何ですか", "女将は五代目の鶴田しのぶです。", True),
    ],
)
def test_a_sentence_must_bring_what_is_asked(question: str, sentence: str, expected: bool) -> None:
    assert read(question).is_answered_by(fold(sentence)) is expected


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("ごみはどのくらいの頻度で出しますか", {"頻度"}),
        ("頻度の高い単語は何ですか", set()),
        ("この薬を飲んではいけない人は", {"行く"}),
        ("What is new in version 2.1?", {"version"}),
        ("How long are pages cached?", {"long"}),
        ("What do I need for a card?", {"need"}),
        ("From what amount are receipts needed?", set()),
    ],
)
def test_words_that_only_ask_need_not_be_said_again(question: str, words: set[str]) -> None:
    assert set(read(question).frame) == words


def test_a_column_of_causes_says_why() -> None:
    row = fold("運転音が大きい\tファンにほこりがたまっている")
    question = read("運転音が大きいのはなぜですか")
    assert question.is_answered_by(row, labels=frozenset({"症状", "原因"}))
    assert not question.is_answered_by(row, labels=frozenset({"症状", "対処"}))


@pytest.mark.parametrize(
    ("sentence", "title", "expected"),
    [
        ("商人の家に末っ子として生まれた。", "ヨハネス・グーテンベルク", True),
        ("商人の家に末っ子として生まれた。", "印刷の歴史", False),
        ("弟子は商人の家に生まれた。", "ヨハネス・グーテンベルク", False),
    ],
)
def test_a_sentence_without_a_subject_is_of_whom_the_title_names(
    sentence: str, title: str, expected: bool
) -> None:
    question = read("商人の家に末っ子として生まれた人は誰か")
    assert question.is_answered_by(fold(sentence), title) is expected


@pytest.mark.parametrize(
    ("question", "terms"),
    [
        ("決定係数とは何ですか", {"決定", "係数"}),
        ("次の選挙で何万票を得たか", {"次", "選挙", "票", "得る"}),
        ("何百種類の花が咲くか", {"種類", "花", "咲く"}),
        ("何語で話されたか", {"話す"}),
        ("屋根は何色か", {"屋根"}),
        ("その武士は何者か", {"武士"}),
        ("どなたが設計したか", {"設計"}),
    ],
)
def test_words_that_only_ask_are_no_terms(question: str, terms: set[str]) -> None:
    assert set(read(question).terms) == terms


@pytest.mark.parametrize(
    ("question", "unit"),
    [
        ("一升は何リットルあるの？", "リットル"),
        ("何人兄弟か", "人"),
        ("優勝は何度目か", "度"),
        ("何度勝ったか", "度"),
        ("次の選挙で何万票を得たか", "票"),
        ("何百種類の花が咲くか", "種類"),
        ("何年何月何日に生まれたか", "年"),
        ("印刷が広まったのは何世紀か", "世紀"),
        ("何世代が住むか", "世代"),
        ("何人種か", "人種"),
        ("何語で書かれたか", "語"),
        ("判例は何論を採るか", "論"),
    ],
)
def test_the_noun_that_is_counted(question: str, unit: str) -> None:
    assert read(question).unit == unit


def test_what_is_quoted_in_a_question() -> None:
    assert read("令和6年に「罪と罰」を訳した人は").quoted == ("罪と罰",)


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("アルゴンは空気の何パーセントを占めるか", {"アルゴン"}),
        ("マドリードの首都圏の人口は", {"マドリード"}),
        ("オランダの王をカタカナで書け", {"オランダ"}),
    ],
)
def test_a_unit_is_no_name(question: str, names: set[str]) -> None:
    assert set(read(question).names) == names


@pytest.mark.parametrize(
    ("question", "thing"),
    [
        ("決定係数とは何か", "決定係数"),
        ("決定係数とは、要するに何のことですか", "決定係数"),
        ("「決定係数」って要するにどういうことですか？", "決定係数"),
        ("「繰り上げ償還」って何？", "繰り上げ償還"),
        ("雇止めって、結局どういう意味なの", "雇止め"),
        ("いわゆる時短勤務って、どんな働き方のことですか", "時短勤務"),
        ("時短勤務というのは、そもそもどのような制度なのでしょうか", "時短勤務"),
        ("時短勤務という制度はどういうものですか", "時短勤務"),
        ("時短勤務とはどのような仕組みですか", "時短勤務"),
        ("時短勤務の意味を教えて", "時短勤務"),
        ("時短勤務は何を意味しますか", "時短勤務"),
        ("p値は何を指しているのか", "p値"),
        ("手引きに出てくる「端末」は何と何をひっくるめた呼び名？", "端末"),
        ("説明に「罰金」が出てきますが、お金ではなさそうで、要するに何なのでしょう？", "罰金"),
        ("What is a median?", "median"),
        ("what exactly is a median?", "median"),
        ("What's a median?", "median"),
        ("What does standard error mean?", "standard error"),
        ("what do they mean by standard error?", "standard error"),
        ("How is standard error defined?", "standard error"),
        ("What is meant by standard error?", "standard error"),
        ("What is the meaning of standard error?", "standard error"),
        ("申請の締め切りはいつですか", None),
        ("湖の名前は何ですか", None),
        ("締め切りって何日ですか", None),
        ("『坊っちゃん』という小説は何年に書かれたか", None),
        ("何時に始まるって言っていましたか", None),
        ("なぜ標本を無作為に選ぶのか", None),
        ("利用者が繰り上げたのは何ですか", None),
        ("What does the law require?", None),
        ("How is the fee paid?", None),
    ],
)
def test_the_thing_whose_meaning_is_asked_for(question: str, thing: str | None) -> None:
    parsed = read(question)
    assert (parsed.defined and parsed.defined.text) == thing
    if thing is not None:
        assert parsed.kind is AnswerKind.DEFINITION


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("クラウドの可用性とは何か", True),
        ("生きる力とは何ですか", True),
        ("19世紀のイギリスで導入された主義とは何か", False),
    ],
)
def test_a_thing_told_from_others_is_asked_for_not_defined(question: str, expected: bool) -> None:
    assert read(question).asks_what_is is expected
