"""Turns of phrase that say together what one word says: 世を去る is 死ぬ, "make up" is comprise."""

from __future__ import annotations

import re
from functools import lru_cache

from shisho.language.numbers import kanji_number
from shisho.language.terms import fold, terms

# Noun, verb, and the word that both stand for.
_JAPANESE = (
    "幕 閉じる 終わる;幕 下ろす 終わる;幕 開ける 始まる;終止符 打つ 終わる;終わり 迎える 終わる;"
    "終焉 迎える 終わる;"
    "世 去る 死ぬ;命 落とす 死ぬ;息 引き取る 死ぬ;帰らぬ人 成る 死ぬ;この世 去る 死ぬ;生涯 閉じる 死ぬ;"
    "命 奪う 殺す;"
    "産声 上げる 生まれる;生 受ける 生まれる;幕 切る 始まる;火蓋 切る 始まる;端 発する 始まる;"
    "口火 切る 始める;"
    "声 上げる 主張;異 唱える 反対;異議 唱える 反対;意 唱える 反対;耳 傾ける 聞く;口 聞く 話す;"
    "口 きく 話す;口 開く 話す;"
    "口 する 話す;言葉 発する 話す;筆 執る 書く;ペン 執る 書く;世 出る 出版;世 出す 出版;目 通す 読む;"
    "手 入れる 得る;手 入る 得る;手 渡る 移る;手 する 得る;手 放す 譲る;我が物 する 得る;手 貸す 助ける;"
    "力 貸す 助ける;"
    "手 差し伸べる 助ける;手 染める 始める;手 掛ける 行う;手 付ける 始める;手 引く 退く;身 付ける 学ぶ;"
    "身 置く 所属;"
    "身 引く 引退;身 寄せる 住む;身 投じる 参加;腰 下ろす 座る;腰 掛ける 座る;姿 消す 消える;"
    "姿 現す 現れる;"
    "姿 見せる 現れる;足 運ぶ 訪れる;足 踏み入れる 入る;居 構える 住む;居 移す 移住;居 定める 定住;"
    "拠点 移す 移転;"
    "役 立つ 有用;役割 果たす 役割;役割 担う 役割;役目 担う 役割;役目 果たす 役割;席 占める 就任;"
    "座 就く 就任;"
    "職 就く 就職;職 退く 辞任;職 辞する 辞任;職 離れる 辞任;籍 置く 所属;籍 移す 移籍;跡 継ぐ 継承;"
    "後 継ぐ 継承;"
    "名 付ける 名付ける;名 冠する 名付ける;名 持つ 呼ぶ;名 与える 名付ける;名 変える 改名;名 改める 改名;"
    "名 由来 因む;"
    "名 取る 因む;名 馳せる 有名;名 知られる 有名;名 残す 有名;影響 与える 影響;影響 及ぼす 影響;"
    "影響 受ける 影響;"
    "影響 出る 影響;被害 受ける 被害;被害 遭う 被害;被害 出る 被害;損害 与える 被害;打撃 与える 被害;"
    "難 逃れる 無事;"
    "注目 集める 注目;注目 浴びる 注目;脚光 浴びる 注目;光 当てる 注目;目 向ける 注目;人気 博す 人気;"
    "人気 集める 人気;"
    "人気 呼ぶ 人気;人気 得る 人気;勝利 収める 勝つ;勝ち 収める 勝つ;白星 挙げる 勝つ;成功 収める 成功;"
    "功 奏する 成功;"
    "敗北 喫する 負ける;敗れる 去る 負ける;土 付く 負ける;頂点 立つ 優勝;王座 就く 優勝;栄冠 輝く 優勝;"
    "金 獲得 優勝;"
    "兵 挙げる 反乱;刃 向かう 反抗;弓 引く 反抗;軍門 下る 降伏;白旗 揚げる 降伏;戦 交える 戦う;"
    "矛 交える 戦う;"
    "手 組む 協力;力 合わせる 協力;肩 並べる 並ぶ;歩調 合わせる 協力;行動 共 同行;生活 共 同居;"
    "心 奪う 魅了;心 引かれる 魅了;"
    "火 付ける 放火;火 放つ 放火;刑 処する 処刑;罪 問う 起訴;罪 犯す 犯罪;法 触れる 違反;実 結ぶ 結実;"
    "根 下ろす 定着;"
    "日 見る 実現;形 する 実現;目 見る 実現;日の目 見る 実現;陽の目 見る 実現;的 絞る 集中;重き 置く 重視;"
    "力 入れる 重視;"
    "力 注ぐ 重視;力点 置く 重視;念頭 置く 考慮;考え 入れる 考慮;勘定 入れる 考慮;頭 入れる 考慮;"
    "計算 入れる 考慮;"
    "首 振る 拒否;首 縦 承諾;難色 示す 反対;賛意 示す 賛成;理解 示す 賛成;疑問 呈する 疑う;疑問 抱く 疑う;"
    "疑い 抱く 疑う;"
    "不満 抱く 不満;興味 持つ 関心;興味 抱く 関心;関心 持つ 関心;関心 寄せる 関心;関心 示す 関心;"
    "期待 寄せる 期待;"
    "敬意 表する 尊敬;敬意 払う 尊敬;祝意 表する 祝う;謝意 表する 感謝;礼 述べる 感謝;弔意 表する 悼む;"
    "対処 当たる 対応;事 当たる 対応;任 当たる 担当;任 就く 就任;任 受ける 担当;任務 当たる 担当;"
    "任務 就く 担当;"
    "判断 下す 判断;決断 下す 決定;結論 出す 結論;結論 至る 結論;判決 下す 判決;命令 下す 命じる;"
    "命 下す 命じる;命 受ける 命じる;"
    "評価 下す 評価;評価 受ける 評価;評価 得る 評価;批判 浴びる 批判;批判 受ける 批判;非難 浴びる 非難;"
    "称賛 浴びる 称賛;"
    "支持 得る 支持;支持 集める 支持;賛同 得る 賛成;許可 得る 許可;承認 得る 承認;認可 受ける 認可;"
    "認可 得る 認可;"
    "歓迎 受ける 歓迎;攻撃 受ける 攻撃;攻撃 仕掛ける 攻撃;攻撃 加える 攻撃;襲撃 受ける 襲う;"
    "侵攻 受ける 侵攻;訓練 受ける 訓練;"
    "教育 受ける 教育;指導 受ける 指導;指導 当たる 指導;支援 受ける 支援;援助 受ける 援助;援助 与える 援助;"
    "治療 受ける 治療;"
    "手術 受ける 手術;検査 受ける 検査;依頼 受ける 依頼;要請 受ける 要請;要求 受ける 要求;誘い 受ける 誘う;"
    "招き 受ける 招待;"
    "招待 受ける 招待;紹介 受ける 紹介;洗礼 受ける 洗礼;任命 受ける 任命;指名 受ける 指名;損失 被る 損失;"
    "制限 受ける 制限;"
    "制限 加える 制限;規制 受ける 規制;規制 加える 規制;改良 加える 改良;修正 加える 修正;変更 加える 変更;"
    "圧力 掛ける 圧力;"
    "圧力 加える 圧力;変化 見せる 変化;変化 起こす 変化;増加 見せる 増加;減少 見せる 減少;成長 遂げる 成長;"
    "発展 遂げる 発展;"
    "進化 遂げる 進化;変貌 遂げる 変化;最期 遂げる 死ぬ;再会 果たす 再会;帰国 果たす 帰国;優勝 果たす 優勝;"
    "復活 果たす 復活;"
    "出場 果たす 出場;昇格 果たす 昇格;独立 果たす 独立;契約 結ぶ 契約;条約 結ぶ 条約;協定 結ぶ 協定;"
    "同盟 結ぶ 同盟;"
    "関係 結ぶ 関係;婚姻 結ぶ 結婚;縁 切る 離婚;手 切る 離れる;一線 画する 異なる;軌 一 同様;類 見る 珍しい"
)
# What a folded English sentence may say in several words, and the one word for it.
_ENGLISH = tuple(
    (re.compile(rf"\b(?:{form})\b", re.IGNORECASE), word)
    for form, word in (
        (r"(?:make|makes|made|making) up(?: of)?", "comprise"),
        (r"(?:account|accounts|accounted|accounting) for", "comprise"),
        (r"(?:is|are|was|were) made (?:up )?of", "comprises"),
        (r"(?:pass|passes|passed|passing) away", "die"),
        (r"(?:set|sets|setting) up", "establish"),
        (r"(?:carry|carries|carried|carrying) out", "perform"),
        (r"(?:take|takes|took|taken|taking) part", "participate"),
        (r"(?:take|takes|took|taken|taking) place", "happen"),
        (r"(?:find|finds|found|finding) out", "discover"),
        (r"(?:point|points|pointed|pointing) out", "indicate"),
        (r"(?:turn|turns|turned|turning) out", "prove"),
        (r"(?:turn|turns|turned|turning) down", "reject"),
        (r"(?:bring|brings|brought|bringing) about", "cause"),
        (r"(?:bring|brings|brought|bringing) up", "mention"),
        (r"(?:touch|touches|touched|touching) (?:up)?on", "mention"),
        (r"(?:give|gives|gave|given|giving) rise to", "cause"),
        (r"(?:give|gives|gave|given|giving) up", "abandon"),
        (r"(?:go|goes|went|gone|going) up", "rise"),
        (r"(?:go|goes|went|gone|going) down", "fall"),
        (r"(?:cut|cuts|cutting) (?:down|back)(?: on)?", "reduce"),
        (r"(?:work|works|worked|working) out", "determine"),
        (r"(?:look|looks|looked|looking) like", "resemble"),
        (r"(?:look|looks|looked|looking) into", "investigate"),
        (r"(?:look|looks|looked|looking) after", "care"),
        (r"(?:call|calls|called|calling) for", "urge"),
        (r"(?:call|calls|called|calling) off", "cancel"),
        (r"(?:put|puts|putting) off", "postpone"),
        (r"(?:put|puts|putting) out", "publish"),
        (r"(?:come|comes|came|coming) back", "return"),
        (r"(?:go|goes|went|gone|going) back", "return"),
        (r"(?:come|comes|came|coming) from", "originate from"),
        (r"(?:get|gets|got|getting) rid of", "remove"),
        (r"(?:deal|deals|dealt|dealing) with", "treat"),
        (r"(?:rely|relies|relied|relying) (?:up)?on", "depend on"),
        (r"(?:hold|holds|held|holding) back", "hinder"),
        (r"(?:speed|speeds|sped|speeding) up", "accelerate"),
        (r"(?:slow|slows|slowed|slowing) down", "decelerate"),
        (r"(?:break|breaks|broke|broken|breaking) down", "collapse"),
        (r"(?:break|breaks|broke|broken|breaking) out", "begin"),
        (r"(?:leave|leaves|left|leaving) out", "exclude"),
        (r"(?:rule|rules|ruled|ruling) out", "exclude"),
        (r"(?:take|takes|took|taken|taking) over", "acquire"),
        (r"(?:take|takes|took|taken|taking) (?:in)?to account", "consider"),
        (r"(?:play|plays|played|playing) a (?:big |large |key |major )?(?:part|role) in", "influence"),
        (r"(?:back|backs|backed|backing) up", "support"),
        (r"(?:wipe|wipes|wiped|wiping) out", "destroy"),
        (r"(?:shut|shuts|shutting) down", "close"),
        (r"(?:pull|pulls|pulled|pulling) out of", "withdraw from"),
        (r"(?:run|runs|ran|running) out of", "exhaust"),
        (r"out of", "from"),
        (r"a (?:great |good )?(?:lot|number) of|plenty of|lots of", "many"),
        (r"a (?:great|good) deal of", "much"),
        (r"a couple of|a pair of", "two"),
        (r"a dozen", "twelve"),
        (r"as well as", "and"),
        (r"(?:in order|so as) to", "to"),
        (r"in spite of", "despite"),
        (r"(?:because|on account|as a result) of|owing to|thanks to", "due to"),
        (r"(?:is|are|was|were) able to", "can"),
        (
            r"(?:(?:is|are|was|were|be|being|prov(?:e|es|ed|ing)) )?unable to|(?:fail|fails|failed|failing) to",
            "cannot",
        ),
        (r"(?:has|have|had) to|(?:is|are|was|were) obliged to", "must"),
        (r"no longer", "not"),
        (r"for the most part|to a large extent|in large part", "largely"),
        (r"all over|throughout|across the (?:whole|entire)", "across"),
        (r"at (?:the )?same time", "simultaneously"),
        (r"at (?:present|the moment)", "currently"),
        (r"in the (?:long|end) run", "eventually"),
        (r"prior to", "before"),
        (r"(?:a|one)[ -]third", "1/3"),
        (r"two[ -]thirds", "2/3"),
        (r"(?:a|one)[ -]quarter(?= of)", "1/4"),
        (r"three[ -]quarters", "3/4"),
        (r"(?:a|one)[ -]fifth", "1/5"),
        (r"two[ -]fifths", "2/5"),
        (r"three[ -]fifths", "3/5"),
        (r"four[ -]fifths", "4/5"),
        (r"(?:a|one)[ -]tenth", "1/10"),
    )
)


_COUNTRIES = (
    (re.compile(r"\b(?:the )?(?:United States(?: of America)?\b|USA?\b|U\.S\.(?:A\.)?)"), "America"),
    (re.compile(r"\b(?:the )?(?:United Kingdom\b|Great Britain\b|UK\b|U\.K\.)"), "Britain"),
)
_TEENS = (
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
    "seventeenth",
    "eighteenth",
    "nineteenth",
    "twentieth",
)
_CENTURY = re.compile(rf"\b({'|'.join(_TEENS)})[ -]century", re.IGNORECASE)
_HYPHEN = re.compile(r"(?<=\d)-(?=[a-z]{3,}\b)|(?<=illion)-(?=year|day|dollar)")
_HUNDREDS = re.compile(r"\b(1[0-9])00s\b")
_FRACTION = re.compile(
    r"(?<![\d.,])([\d〇一二三四五六七八九十百千]{1,9})分の([\d〇一二三四五六七八九十百千]{1,9})"
)


@lru_cache(maxsize=1)
def _pairs() -> dict[tuple[str, str], str]:
    pairs = {}
    for idiom in _JAPANESE.split(";"):
        noun, verb, meaning = idiom.split()
        pairs["".join(terms(fold(noun))) or noun, "".join(terms(fold(verb))) or verb] = meaning
    return pairs


def look_up_meaning(noun: str, verb: str) -> str:
    """The meaning of a noun together with its verb; empty where that is no turn of phrase."""
    return _pairs().get((noun, verb), "")


@lru_cache(maxsize=2_000)
def unify_wording(text: str) -> str:
    """A text whose English turns of phrase, countries and fractions are written in one way. Capitals stay, so
    that names are still seen."""
    if re.search(r"[ぁ-んァ-ヺ一-鿿]", text):
        return _FRACTION.sub(lambda share: f"{kanji_number(share[2])}/{kanji_number(share[1])}", text)
    text = _HYPHEN.sub(" ", text)
    for form, word in (*_COUNTRIES, *_ENGLISH):
        text = form.sub(word, text)
    text = _CENTURY.sub(lambda century: f"{_TEENS.index(century[1].casefold()) + 11}th century", text)
    return _HUNDREDS.sub(lambda years: f"{int(years[1]) + 1}th century", text)
