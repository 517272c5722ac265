"""Lines that say of another thing what is asked are no answer, and are not quoted beside the one that is."""

from __future__ import annotations

import pytest

from shisho.domain.corpus import NumberedPassage
from shisho.domain.inquiry import Finding, Goal
from shisho.language.terms import fold, terms
from shisho.librarian.attributes import find_units, states_another_attribute, states_another_value
from shisho.librarian.compounds import has_another_subject, states_another_kind
from shisho.librarian.evaluate import select, terms_wanted
from shisho.librarian.levels import ENOUGH
from shisho.librarian.questions import read

SHOP = """ゴールド会員の年会費は3300円です。一般会員の年会費は無料です。
神戸支店の店長は山本由美です。大阪支店の店長は山本健一です。"""
RULES = "下校は、夏季は午後6時30分、冬季は午後5時30分までとする。登校は午前8時25分までとする。"
CLUB = """レギュラー会員は月会費9900円で、全日利用できます。
ナイト会員は平日の19時以降に利用できます。月会費は7150円です。
ジュニア会員は小学生が対象です。"""
STAGE = "軽音部の出演時間は20分、ダンス部は25分とする。"
CARE = "フィルターは2週間に1回洗います。トレーは週に1回洗います。フィルターの交換は2年に1回です。"
DRUG = "まれに皮膚が黄色くなることがあります。このような場合は、使用をやめて、医師の診療を受けてください。"
DRIVING = """服用中は、車の運転はしないでください。翌朝まで眠気が残ることがあるためです。
1日2錠を超えてはいけません。"""
LEASE = "建物の構造部分の修繕は甲の負担とし、電球その他の消耗品の交換は乙の負担とする。"

HIVES = """Membership is open to all: Full membership is for those who keep bees, Friend membership for others.
Full membership costs 28 pounds a year and includes insurance for up to ten hives."""


def find(question: str, text: str, heading: str = "") -> list[Finding]:
    goals = [Goal("G1", question)]
    there = set(terms(fold(f"{heading} {text}")))
    rarity = {term: 2.0 if term in there else 6.0 for term in terms_wanted(goals)}
    return select([NumberedPassage(1, text, heading, 0.9)], goals, [], rarity)


@pytest.mark.parametrize(
    ("question", "text", "heading", "answer"),
    [
        ("大阪支店の店長は誰ですか", SHOP, "支店", "大阪支店の店長は山本健一です。"),
        ("登校は何時までか", RULES, "登校と下校", "登校は午前8時25分までとする。"),
        ("電球の交換は誰の負担か", LEASE, "第5条(修繕)", LEASE),
        ("皮膚が黄色くなったらどうする", DRUG, "副作用", DRUG),
        ("How much does Full membership cost a year?", HIVES, "", HIVES.splitlines()[1]),
        ("What did Full membership cost in 2023?", HIVES, "Fees in 2023", HIVES.splitlines()[1]),
        ("What did Full membership cost in 2023?", HIVES, "2023 Fees", HIVES.splitlines()[1]),
        ("なぜ運転してはいけないのですか", DRIVING, "服用", DRIVING.splitlines()[0]),
        ("軽音部の出演時間は何分ですか", STAGE, "ステージ", STAGE),
        ("フィルターはどのくらいの頻度で洗いますか", CARE, "お手入れ", "フィルターは2週間に1回洗います。"),
    ],
)
def test_the_line_of_the_very_thing_answers_alone(
    question: str, text: str, heading: str, answer: str
) -> None:
    sure = [finding.snippet for finding in find(question, text, heading) if finding.score >= ENOUGH]
    assert sure == [answer]


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("プラチナ会員の年会費は", SHOP),
        ("ジュニア会員の月会費はいくらですか", CLUB),  # the sentence goes on of ナイト会員
        ("演劇部の出演時間は何分ですか", STAGE),
        ("How much does Friend membership cost a year?", HIVES),
        ("What did Full membership cost in 2023?", HIVES),
        ("2019年度の一般会員の年会費はいくらですか", SHOP),
    ],
)
def test_what_is_said_of_others_of_the_kind_answers_nothing(question: str, text: str) -> None:
    near = find(question, text)
    assert max((finding.score for finding in near), default=0) < ENOUGH


@pytest.mark.parametrize(
    ("question", "line", "another"),
    [
        ("プラチナ会員の年会費は", "ゴールド会員の年会費は3300円です。", True),
        ("プラチナ会員の年会費は", "プラチナ会員の年会費は無料です。", False),
        ("京都支店は駅から徒歩何分か", "神戸支店は東口から徒歩3分です。", True),
        ("Secure属性とHttpOnly属性は何のためか", "HttpOnly属性を付ける。", False),
        ("社内規程を作るのは何人以上の会社か", "301名以上の事業者は内部規程を定める。", False),
        ("年会費は", "一般会員の年会費は無料です。", False),
        ("演劇部の出演時間は", "軽音部の出演時間は20分とする。", True),
        ("演劇部の出演時間は", "全部の時間の一部を分ける。", False),
        ("担当課はどこか", "総務課が窓口になる。", False),
        ("京都駅はいつ開業したか", "神戸駅は1874年に開業した。", True),
        ("京都駅はいつ開業したか", "この駅は1877年に開業した。", False),
    ],
)
def test_a_name_tells_things_of_one_kind_apart(question: str, line: str, another: bool) -> None:
    parsed = read(question)
    words = frozenset(terms(fold(line)))
    alike = {term: frozenset({term}) for term in parsed.terms}
    assert states_another_kind(parsed, fold(line), alike, words) is another


@pytest.mark.parametrize(
    ("question", "line", "another"),
    [
        ("全日コースは月額いくらですか", "朝コースは月額3,800円です。", True),
        ("全日コースは月額いくらですか", "「朝コース」は月額3,800円です。", True),
        ("全日コースは月額いくらですか", "全日コースは月額6,800円です。", False),
        ("全日コースは月額いくらですか", "コースは月額6,800円です。", False),
        ("全日コースは月額いくらですか", "月額は朝コースの2倍です。", False),
        ("How much does Friend membership cost a year?", "Full membership costs 28 pounds a year.", True),
        ("how much is the duo plan a month", "The Off-Peak plan costs 24 pounds a month.", True),
        ("How much does Friend membership cost a year?", "Friend membership costs 10 pounds.", False),
        ("How much does membership cost?", "Full membership costs 28 pounds a year.", False),
        ("How do I renew membership?", "Full membership must be renewed by letter.", False),
        ("How much is the Duo plan?", "You pay for a plan by card.", False),
        ("全日コースは月額いくらですか", "各コースは月額6,800円です。", False),
        ("全日コースは月額いくらですか", "両コースは月額6,800円です。", False),
        ("大人料金はいくらですか", "一般料金は500円です。", False),
        ("陶芸教室の参加費は", "本教室は参加費2,000円です。", False),
        ("How much does the Duo plan cost?", "All plans cost 10 pounds.", False),
        ("How much does the Duo plan cost?", "The two plans cost 10 pounds each.", False),
        ("How much does the boat trip cost?", "The whole trip costs 30 pounds.", False),
        ("How long does delivery take?", "Orders take three working days.", False),
        ("When does the museum open?", "Doors open at 10am.", False),
        ("When does the course begin?", "Evening classes begin on 3 September.", False),
        ("What does the swimming club cost?", "Full club membership costs 5 pounds.", False),
    ],
)
def test_a_line_that_begins_with_another_of_the_kind_is_of_that_one(
    question: str, line: str, another: bool
) -> None:
    parsed = read(question)
    alike = {term: frozenset({term}) for term in parsed.terms}
    assert has_another_subject(parsed, fold(line), alike, frozenset(terms(fold(line)))) is another


@pytest.mark.parametrize(
    ("asked", "line", "another"),
    [
        ("橋の高さは", "橋は長さ310メートルである。", True),
        ("橋の高さは", "橋は310メートルである。", False),
        ("橋の高さと長さは", "橋は長さ310メートルである。", False),
    ],
)
def test_a_length_is_no_height(asked: str, line: str, another: bool) -> None:
    assert states_another_attribute(terms(fold(asked)), frozenset(terms(fold(line)))) is another


@pytest.mark.parametrize(
    ("asked", "line", "another"),
    [
        ("大型犬の保険料は", "小型犬の保険料は1,480円である。", True),
        ("大型犬の保険料は", "大型犬の保険料は小型犬の2倍である。", False),
        ("What is the price of the green canoe?", "The red canoe costs 250 pounds.", True),
        ("Is the red canoe older than the green one?", "The red canoe is older.", False),
    ],
)
def test_what_is_red_is_not_green(asked: str, line: str, another: bool) -> None:
    words = frozenset(terms(fold(line)))
    assert states_another_value(terms(fold(asked)), words, words) is another


def test_a_price_is_told_by_its_unit() -> None:
    assert not find_units("料金").isdisjoint(terms("1回500円です"))
    assert not find_units("支店")
