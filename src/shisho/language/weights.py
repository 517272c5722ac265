"""The weight of single words when a sentence is compared with its source: which only fill, which
strengthen, which deny."""

from __future__ import annotations


def word_set(*lines: str) -> frozenset[str]:
    """The words of lines."""
    return frozenset(word for line in lines for word in line.split())


# Words that claim more than their sentence would without them, as terms.
STRONG = word_set(
    "必ず 常に 常 何時も 絶対 全て 総て 全員 全部 一切 凡ゆる あらゆる 唯一 初めて 最初 最大 最小 最高 最低 最も 一番 最古",
    "最新 最多 最少 最長 完全 全 皆 永久 永遠",
    "all everi alway onli never none sole uniqu first largest smallest highest lowest most best worst complet entir must",
    "certain certainli everyon nobodi undoubt exclus oldest biggest",
)
# Words whose absence from a source says nothing.
LIGHT = word_set(
    "行う 果たす 遂げる 名 内 うち 間 当たる 事柄 連れる つれる 性質 生じる 際する",
    "事 こと 物 もの 為 場合 時 際 所 人物 点 為る 有る 成る 居る 出来る 此れ 其れ 此の 其の 様 よう 等",
    "そこ 指す 表す 比べる 侭 方 言う 於く 因る 対する 関する 其処 此処 又 更に 尚 因みに 特に 即ち 先ず 次 以下 並び 及び",
    "若しくは 或いは 存在 其々 夫々 其れ其れ 凡そ 約 程 程度 頃 一つ 自体 実際 現在 旨 呼ぶ 種 種類",
    "於ける 故 訳 他 とも つまり 共 共に 何れ 以て 非常 とても 当時 彼 彼女 本 同 ので 事実 既に 最早",
    "もう 言える 結局 丁度 共々 まで state call known say tell becom make use also year includ go get be",
    "thing time new",
)
# Heads of compounds that add little: 相関関係 is 相関.
ABSTRACT = word_set("関係 状態 現象 問題 行為 活動 事業 作業 自体 全体 体制 分野 方式 過程 効果 作用")
# Verbs of many senses: that one has an opposite in one of them says little.
MANY_SENSES = word_set("持つ 受ける 取る 引く 入れる 行く 来る 守る")
# Words and prefixes that turn what follows into its opposite.
DENYING = word_set("不 非 無 未 不要 不可 皆無")
# English prepositions whose exchange changes what is said.
DIRECTED = word_set("before after above below under over without inside outside until since")

# Ways to claim that there is no exception, none above, none earlier, nothing else, no doubt. A text that has
# one of a kind may be told with another.
CLAIMS = (
    r"全て|総て|すべて|全(?=[員体て])|あらゆる|凡ゆる|皆|みな[^さし]|みんな|どの[一-鿿ァ-ヺー]+も|どれも|誰も|だれも|いずれも|何れも|一切"
    r"|常に|いつも|必ず(?!し)|例外なく|残らず|\b(?:all|ever[iy]\w*|each|alway\w*|whole|entir\w*)\b",
    r"最(?![初後近中終期])[一-鿿も]|もっとも|いちばん|一番|トップ|首位|筆頭|随一|\b(?:most|best|worst|top|leading|foremost|\w{3,}est)\b",
    r"初めて|最初|初(?=[一-鿿の代])|当初|先駆|はじめて|\b(?:first|initial\w*|origin\w*|earliest|pioneer\w*|never before)\b",
    r"(?<![あ-ん])のみ(?![なずど]|[あ-ん])|(?<=[一-鿿ァ-ヺー])のみ(?=[をにでがはと、。])|だけ(?!で|なら|少|多)|しか(?=[一-鿿な])|唯一|専ら|に限[らりる]"
    r"|\b(?:onli|only|sole\w*|alone|exclusiv\w*|merely|nothing but)\b",
    r"完全|完璧|まったく|\b(?:complet\w*|total\w*|100 percent)\b",
    r"確実|必ず(?!し)|間違いな|断言|断定|\b(?:certain\w*|undoubt\w*|definit\w*|no doubt)\b",
)
# Words of more and less: what a source does not say of them is no matter of wording.
GRADED = word_set(
    "多い 多く 沢山 少ない 少し 増える 減る 増やす 減らす 高まる 弱まる 増加 減少 一部 多数 少数 其の儘 どれ 幾つ",
    "less fewer more unlik half twice doubl increas decreas few littl higher lower smaller",
)
