"""What a question says beside what it asks: in which text to look, how to answer, that it should be told.
Pure rules by form, for folded questions and for questions as they were written."""

from __future__ import annotations

import re

# Kinds of texts, and parts of them.
_TEXT = (
    r"(?:資料|文書|文献|マニュアル|リファレンス|ガイド(?:ライン|ブック)?|faq|FAQ|q&a|Q&A|ハンドブック|手引き?|解説書?|説明書?"
    r"|用語集|白書|報告書|レポート|年報|紹介文|段落|要件書|定義書|仕様書?|規格書?|規則|規程|規約|条文|法令|通知|告示|指針"
    r"|スライド|講義|論文|記事|ページ|サイト|テキスト|教材|教科書|冊子|パンフレット|ポリシー|ヘルプ|ドキュメント|チュートリアル|まとめ"
    r"|章|節|付録|序文|前書き|まえがき|はじめに|様式|議事録|プレスリリース)"
)
_OF_IT = r"(?:の(?:中|なか|ほう|方|本文|記述|説明|解説|まとめ|内容|定義|冒頭|最初|最後))?"
_NAME_OF_TEXT = rf"[^、。,?？はがをに]{{0,30}}{_TEXT}{_OF_IT}"
_TOLD = (
    r"(?:書いて|書かれて|載って|のって|記されて|記載されて|説明(?:され|し)て|定義(?:され|し)て|紹介(?:され|し)て|述べ(?:られ)?て"
    r"|挙げ(?:られ)?て|挙がって|言って|触れ(?:られ)?て|されて|決められて|定め(?:られ)?て)"
)
_STATE = r"(?:い(?:ます|る|ました|た)|あ(?:ります|る|りました|った))(?:の|ん)?(?:です|でしょう)?(?:か|っけ)[。?？]*$"
_TELL = (
    r"(?:知りたい|教えて|おしえて|説明|まとめて|挙げて|あげて|並べて|示して|書いて|答えて|お願い|見せて|列挙)"
)
_WHERE = tuple(
    map(
        re.compile,
        (
            # 「情報通信白書では、」 before all else, whatever it is
            r"^(?P<text>[^、。?？と]{2,40}?)では、",  # and not 「本館と別館では、」
            r"^(?P<text>[^、。?？]{2,40}?)"
            r"(?:によると|によれば|においては?|(?:の中|の説明|の資料)で(?:は)?|に(?:従う|沿う)(?:なら|と))、",
            # 「…は、リファレンスでは何年」「Debian FAQではどのような」
            rf"(?:^|(?<=[、。?？はがをに]))\s*(?P<text>{_NAME_OF_TEXT})"
            r"(?:(?:に(?:おいて|おける)|で)は|で(?=[、何]|ど[のうんれこち])|によると|によれば|による"
            r"|に(?:従う|沿う)(?:なら|と)|に(?:従|沿|基づい)って)、?",
            # 「…の章に、…載っていたはずです」
            r"(?:^|(?<=。))\s*(?P<text>[^、。?？]{2,40}?)に(?:は)?、?(?=[^。]{2,80}載ってい)",
            r"(?i)^(?:according to|as (?:described|explained|stated) in|in) (?P<text>(?:[^,?.]|\.(?=\w)){2,40}),\s",
            r"(?i),? (?:according to|as (?:described|explained|stated) in) (?P<text>[^,?.]{2,60}?)(?=[?.!\s]*$)",
        ),
    )
)
_MANNER = tuple(
    map(
        re.compile,
        (
            # How to answer, not what about: 「アルファベット三文字で何というか」.
            r"(?:(?:カタカナ|片仮名|ひらがな|平仮名|漢字|ローマ字|アルファベット|フルネーム)(?:[0-9一二三四五六七八九十]+文?字)?"
            r"|[0-9一二三四五六七八九十]+文?字(?:以内)?)"
            r"で(?=何|なん|どう|答|言|書|教|示|表|述|[。?]|$)",
            # 「(おおよその数字で結構です)」
            r"[(（][^()（）]{2,40}(?:で(?:結構|いい|良い|よい|構いま|かまいま|可)|だけで)[^()（）]{0,8}[)）](?=[。?？]*$)",
            # 「…を読んでいるのですが、」
            r"^[^、。?？]{2,40}?(?:を(?:読ん|見|調べ|勉強し|学ん)でい(?:る|ます)?(?:の|ん)?(?:です|だ)?が"
            r"|(?:について|のこと)(?:な)?(?:の|ん)ですが)、",
            # 「…か。資料に挙がっている場所を並べてください」「…か、資料のまとめを知りたいです」
            rf"(?<=[か。?？])[、。]?\s*(?P<text>{_NAME_OF_TEXT})[^。?？か]{{0,16}}?{_TELL}[^、。?？]{{0,16}}[。?？!！]*$",
            # 「…とは何か、ポリシーマニュアルでの説明」
            rf"(?<=[か。?？])[、。]\s*(?P<text>{_NAME_OF_TEXT})(?:での|の)(?:説明|定義|まとめ|記述)[。?？]*$",
            # 「…を、リファレンスに沿って説明してもらえますか」
            r"(?<=を)、?(?:簡単に|簡潔に|詳しく|手短に|わかりやすく)?(?:説明|まとめ)して[^、。?？]{2,16}[。?？]*$",
            # 「…と書いてありますか」「…とされていますか」
            rf"(?:と(?:は|も)?(?:、(?P<text>{_NAME_OF_TEXT})に(?:は|も)?)?|ことに"
            rf"|(?<=、){_NAME_OF_TEXT}に(?:は|も)?){_TOLD}{_STATE}",
            r"(?:という|って)(?:話|こと)?(?:でし|だっ)たっけ[。?？]*$",
        ),
    )
)


def find_text(question: str) -> str:
    """The text that the question wants to be looked at, as it names it; empty where it names none."""
    for form in (*_WHERE, *_MANNER):
        match = form.search(question)
        if match and (text := match.groupdict().get("text")):
            return str(text).strip()
    return ""


def strip_asides(question: str) -> str:
    """The question without all that; the question itself where too little would be left."""
    bare = question
    for form in (*_WHERE, *_MANNER):
        shorter = form.sub("", bare)
        if sum(map(str.isalnum, shorter)) >= 4:
            bare = shorter
    return bare.strip()
