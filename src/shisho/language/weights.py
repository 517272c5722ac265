"""Fillers and intensifiers, for comparing a sentence with its source."""

from __future__ import annotations


def word_set(*lines: str) -> frozenset[str]:
    """Return the words of lines."""
    return frozenset(word for line in lines for word in line.split())


# Terms that strengthen the claim of their sentence.
STRONG = word_set(
    "必ず 常に 常 何時も 絶対 全て 総て 全員 全部 一切 凡ゆる あらゆる 唯一 初めて 最初 最大 最小 最高 最低 最も 一番 最古",
    "最新 最多 最少 最長 完全 全 皆 永久 永遠",
    "all everi alway onli never none sole uniqu first largest smallest highest lowest most best worst complet entir must",
    "certain certainli everyon nobodi undoubt exclus oldest biggest",
)
# Words whose absence from a source is irrelevant.
LIGHT = word_set(
    "行う 果たす 遂げる 名 内 うち 間 当たる 事柄 連れる つれる 性質 生じる 際する",
    "事 こと 物 もの 為 場合 時 際 所 人物 点 為る 有る 成る 居る 出来る 此れ 其れ 此の 其の 様 よう 等",
    "そこ 指す 表す 比べる 侭 方 言う 於く 因る 対する 関する 其処 此処 又 更に 尚 因みに 特に 即ち 先ず 次 以下 並び 及び",
    "若しくは 或いは 存在 其々 夫々 其れ其れ 凡そ 約 程 程度 頃 一つ 自体 実際 現在 旨 呼ぶ 種 種類",
    "於ける 故 訳 他 とも つまり 共 共に 何れ 以て 非常 とても 当時 彼 彼女 本 同 ので 事実 既に 最早",
    "もう 言える 結局 丁度 共々 まで state call known say tell becom make use also year includ go get be",
    "thing time new",
)
