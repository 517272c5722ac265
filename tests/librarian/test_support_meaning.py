"""What another wording may say, and what looks alike and says something else."""

import os
import subprocess
import sys

import pytest

from shisho.language.meanings import mean_same
from shisho.language.synonyms import synonym_groups
from shisho.librarian.support import check


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("広がる", "広まる"),
        ("火災", "火事"),
        ("賛成", "賛同"),
        ("短縮", "縮める"),
        ("購入", "買う"),
        ("収益", "利益"),
    ],
)
def test_words_of_one_group_of_the_dictionary_mean_the_same(one: str, other: str) -> None:
    assert mean_same(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("行う", "興行"),
        ("立つ", "成る"),
        ("輸出", "輸入"),
        ("賛成", "反対"),
        ("全部", "一部"),
        ("医師", "看護師"),
        ("男性", "女性"),
        ("大統領", "首相"),
    ],
)
def test_neighbours_and_opposites_do_not_mean_the_same(one: str, other: str) -> None:
    assert not mean_same(one, other)


def test_names_and_numbers_have_no_synonyms() -> None:
    assert [synonym_groups(word) for word in ("東京", "三", "sony")] == [frozenset()] * 3


@pytest.mark.parametrize(
    ("sentence", "quotation"),
    [
        ("図書館は火事で失われた。", "図書館は火災で失われた。"),
        ("町を複数の名前に分けることもあります。", "町を複数の名前に分ける場合もある。"),
        ("涸れた油井の現象が説明できる。", "涸れた油井の現象を説明することができる。"),
        (
            "意見の相違が大きいため、法の定義は困難である。",
            "そのため、意見の相違が大きく、法の定義は困難である。",
        ),
        ("M459はS&W社が採用した。", "M459はS&amp;W社が採用した。"),
    ],
)
def test_another_wording_is_not_called_altered(sentence: str, quotation: str) -> None:
    assert check(sentence, [quotation]).outcome != "altered"


@pytest.mark.parametrize(
    ("sentence", "quotation"),
    [
        ("薬Aは1日50mg、薬Bは1日10mg投与する。", "薬Aは1日10mg、薬Bは1日50mg投与する。"),
        ("薬Aの用量は50mg、薬Bの用量は10mgである。", "薬Aの用量は10mg、薬Bの用量は50mgである。"),
        ("10mgの薬Bと50mgの薬Aを飲む。", "薬A 10mgと薬B 50mgを飲む。"),
        ("Drug A is given at 50 mg and drug B at 10 mg.", "Drug A is given at 10 mg and drug B at 50 mg."),
        ("ベルリンのドイツで会議が開かれた。", "2019年にドイツのベルリンで会議が開かれた。"),
    ],
)
def test_things_that_changed_places_are_altered(sentence: str, quotation: str) -> None:
    assert check(sentence, [quotation]).outcome == "altered"


@pytest.mark.parametrize(
    ("sentence", "quotation"),
    [
        ("Will is the largest moon of Saturn.", "Titan is the largest moon of Saturn."),
        ("A drone flies around on Will.", "A drone flies around on Titan, Will Smith said."),
        ("Materials play a leading role on Will.", "Materials play a leading role on Titan. It will rain."),
        ("天皇は東京競馬場で行われる。", "天皇賞は東京競馬場で行われる。天皇は1989年に即位した。"),
        ("天皇は東京競馬場で行われ、天皇賞は皇居に住む。", "天皇賞は東京競馬場で行われ、天皇は皇居に住む。"),
    ],
)
def test_a_name_that_is_like_another_word_is_not_supported(sentence: str, quotation: str) -> None:
    assert check(sentence, [quotation]).outcome != "supported"


@pytest.mark.parametrize(
    ("sentence", "quotation"),
    [
        ("すべての魚を対象とする傾向がある。", "あらゆる魚が対象に含められる傾向にある。"),
        (
            "1911年1月11日に図書館の設置が建議され、同月19日に委員が任命された。",
            "1911年1月11日に図書館の設置が建議され、1月19日に委員が任命された。",
        ),
        ("延べ床面積は約3,079平方メートルです。", "延床面積は3,079.33m2である。"),
        ("80人余りが負傷した。", "負傷者80余名であった。"),
        ("島々は東京から約1,000キロの海上にある。", "島々は東京の南約1,000kmの海上にある。"),
        (
            "人気や実力が変わっても順位が入れ替わることはない。",
            "人気、実力が変動することがあっても、順位は入れ替わらない。",
        ),
        (
            "平野は、両賞が逆になったと錯覚すると書いた。",
            "平野は「両賞が逆になったと錯覚する」と述べている。",
        ),
        (
            "アマルリクによると、彼は文法上誤った文章しか書けなかったという。",
            "アマルリクは、「彼は文法上誤った文章しか書けなかった」と述べている。",
        ),
        (
            "ユーロは、EUの同盟で用いられている通貨である。",
            "ユーロは、欧州連合の同盟で用いられている通貨である。",
        ),
        (
            "木曽川電力は、工事を大岡正に委嘱し、5月に開業した。",
            "工事を大岡正に委嘱して木曽川支流の黒川に建設し、5月に開業した。",
        ),
        (
            "WeWork had been scrutinized by the NYAG before.",
            "This is not the first time WeWork has been scrutinized by the NYAG.",
        ),
        ("Flows were similar when their numbers were equal.", "Flows with equal numbers were similar."),
    ],
)
def test_a_contradiction_needs_a_firm_sign(sentence: str, quotation: str) -> None:
    assert check(sentence, [quotation]).outcome != "altered"


@pytest.mark.parametrize(
    ("sentence", "quotation"),
    [
        ("約3,050人が参加した。", "3,079人が参加した。"),
        ("同年11月に開かれた。", "2019年9月に決まり、同年10月に開かれた。"),
        ("面積は3,079平方キロメートルである。", "面積は3,079m2である。"),
        ("バクテリアが南極で進化した可能性は高い。", "バクテリアが南極で進化した可能性は低い。"),
        ("会社は大手他社と同じように大型工事を避けた。", "会社は大手他社と異なり大型工事を避けた。"),
        ("太平洋戦争から日中戦争までの間も続けられた。", "日中戦争から太平洋戦争に至る間も続けられた。"),
        ("コートでテニスが行われている。", "コートでテニスプレーヤーが練習を行っている。"),
    ],
)
def test_what_is_close_to_the_quotation_and_false_is_not_supported(sentence: str, quotation: str) -> None:
    assert check(sentence, [quotation]).outcome != "supported"


@pytest.mark.parametrize(
    ("sentence", "quotation"),
    [
        (
            "VHSは、ソニーが1975年に開発し発売した家庭用ビデオ、ベータマックスに対抗する規格として注目された。",
            "VHSは1975年にソニーが開発・発売した家庭用ビデオベータマックスの対抗規格として脚光を浴びた。",
        ),
        (
            "フーガには二重対位法やストレッタが数多く使われ、足鍵盤が独立した声部を受け持つことでテクスチュアが厚くなっている。",
            "フーガでは二重対位法やストレッタが多用され、足鍵盤が独立した声部を担当してテクスチュアに厚みが加えられている。",
        ),
    ],
)
def test_a_long_paraphrase_may_tell_some_words_otherwise(sentence: str, quotation: str) -> None:
    assert check(sentence, [quotation]).outcome == "supported"


@pytest.mark.parametrize(
    ("sentence", "quotation"),
    [
        (
            "酋長の息子はバージニア植民地から攻撃され、町では347人が死んだ。",
            "酋長の息子はバージニア植民地を攻撃し、町では347人が死亡した。",
        ),
        (
            "中性子は、アップクォーク2個とダウンクォーク1個の3個のクォークからできている。",
            "中性子は2個のダウンクォークと1個のアップクォークと言う3個のクォークによって構成されている。",
        ),
        (
            "8人が即死、13人余りが負傷、80人が捕らえられて一揆勢は鎮圧された。",
            "即死者8名、逮捕者13名、負傷者80余名という結果を残して、一揆勢は鎮圧された。",
        ),
        (
            "この病は別の病因によるもので、双方を合わせて四国型の熱病とも呼ばれ、県内の各地に見られる。",
            "同じ病因で発症するこの病は、双方を合わせて四国型の熱病とも呼ばれ、県内の各地に見られる。",
        ),
        (
            "新しい教皇の選出は、シリア出身の第90代グレゴリウス3世以来、実に731年ぶりのことであった。",
            "教皇の選出は、シリア出身の第90代グレゴリウス3世(在位:731年-741年)以来、1272年ぶりであった。",
        ),
        (
            "単体方向は旋回角度を0度として左右135度の旋回角度を持つ。",
            "旋回角度は単体方向を0度として左右135度の旋回角度を持つ。",
        ),
        ("北上川の本流は、坑内水のみで酸性度が高くなった。", "北上川本流は坑内水により酸性度が高くなった。"),
        ("審判は、警告する際のみに黄色のカードを示す。", "審判は、警告するときに黄色のカードを提示する。"),
    ],
)
def test_what_a_free_wording_makes_false_is_not_supported(sentence: str, quotation: str) -> None:
    assert check(sentence, [quotation]).outcome != "supported"


@pytest.mark.slow
def test_every_process_reads_a_sentence_alike() -> None:
    """The order of sets differs from process to process; what a word stands for must not."""
    program = (
        "from shisho.librarian.comparison import Comparison\n"
        "quoted = '本を書く人が記録を記述し、記事に記載し、名を記入した。'\n"
        "print([Comparison('彼は記す。', [quoted], []).rename(word) for word in ('述べる', '著す')])"
    )
    seeds = map(str, range(6))
    runs = [
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        )
        for seed in seeds
    ]
    assert len({run.stdout for run in runs}) == 1


@pytest.mark.parametrize(
    ("sentence", "quotation"),
    [
        ("この町は11日に停戦を迎えた。", "同月11日、町は停戦を迎えた。"),
        ("展示は互いにつながる形でできている。", "展示はつながる形の連続からなる。"),
        (
            "Darren Rowse invited me to give two talks at his conference.",
            "I was asked to speak twice at Darren Rowse's conference.",
        ),
        (
            "American helicopters carried the men out of the area.",
            "The men were flown out of the region on US choppers.",
        ),
        ("Ten of the twenty billion particles were stars.", "Ten of the 20 billion particles were stars."),
        ("The plague came in the fourteenth century.", "The plague came in the 14th century."),
        (
            "州議会は、当初の額より100万ドル少ない予算を承認した。",
            "当初の予算は350万ドルであったが、州議会が承認した予算は250万ドルであった。",
        ),
        (
            "アマルリクの回想では、彼女は窓から外を見続けていた。",
            "アマルリクの回想によれば、彼女は窓から外を眺めていたという。",
        ),
    ],
)
def test_a_figure_or_a_name_told_otherwise_is_not_altered(sentence: str, quotation: str) -> None:
    assert check(sentence, [quotation]).outcome != "altered"


@pytest.mark.parametrize(
    ("sentence", "quotation"),
    [
        (
            "その城の航行は、かつて河川によって取り仕切られていた。",
            "ここにあった城はかつて、河川の航行を取り仕切っていた。",
        ),
        ("その城は、現在もここで航行を取り仕切っている。", "その城はかつて、ここで航行を取り仕切っていた。"),
        (
            "大庄屋文書9,214点は、箕浦家が所有している。",
            "信藤家大庄屋文書9,214点と箕浦家文書55点を所有する。",
        ),
        (
            "貴重書として、箕浦家文書9,214点を持っている。",
            "貴重書として、信藤家大庄屋文書9,214点と箕浦家文書55点を所有する。",
        ),
        (
            "南組は、北区の天満宮を中心とした一帯を指す。",
            "北組・南組は本町通を境に分かれ、天満組は北区の天満宮を中心とする一帯である。",
        ),
        ("ドイルは検査の本を英語からドイツ語に訳した。", "ドイルはドイツ語の検査の本を英語訳した。"),
        (
            "市の男性職員が、女性の上司から被害を受けていた。",
            "市の女性職員が、男性上司から被害を受けていた。",
        ),
        (
            "支援が始まった後に祝日の開館が始まった。",
            "4月29日より祝日の開館を始め、8月25日より支援を始めた。",
        ),
        (
            "ムーア人は大多数がアラブ人で、一部がベルベル人だった。",
            "ムーア人は、大多数がベルベル人で、一部がアラブ人だった。",
        ),
        (
            "天然のものは、硬さの点で合成されたものより優れている。",
            "合成されたものは、硬さの点で天然のものよりも優れる。",
        ),
        (
            "The men were flown into the region on choppers.",
            "The men were flown out of the region on choppers.",
        ),
        (
            "Carlineo said that prosecutors had a gun at home.",
            "Carlineo had a gun at home, prosecutors said.",
        ),
        (
            "All sides have urged the UK to end the violence.",
            "The UK has urged all sides to end the violence.",
        ),
        (
            "The plague killed at least 60 percent of the people.",
            "The plague killed up to 60 percent of the people.",
        ),
        ("The equations depend on the shape.", "The equations are independent of the shape."),
    ],
)
def test_what_changed_places_in_other_words_is_not_supported(sentence: str, quotation: str) -> None:
    assert check(sentence, [quotation]).outcome != "supported"


@pytest.mark.parametrize(
    ("sentence", "quotation"),
    [
        ("協定が結ばれ、戦いは幕を閉じた。", "協定の締結により、戦闘は終結した。"),
        ("規格として脚光を浴びた。", "規格として注目された。"),
        ("Shells make up two thirds of the load.", "Shells comprise 2/3 of the load."),
    ],
)
def test_a_turn_of_phrase_says_what_one_word_says(sentence: str, quotation: str) -> None:
    assert check(sentence, [quotation]).outcome == "supported"
