"""What may stand without a citation is a closed list, and words of the question are not on it."""

from shisho.librarian.checking.unit_text import frame
from tests.tables import each_row


@each_row(
    "sentence",
    [
        "以下の通りです。",
        "以下のとおりです。",
        "答えは次の通りです。",
        "## まとめ",
        "■ 結論:",
        "【理由】",
        "以下に答えを示す。",
        "資料には次のように述べられています。",
        "それぞれ下記のようになります",
        "これは以下のようである。",
        "次に要点をまとめます。",
        "下記で説明します。",
        "出典には以下のように書かれている。",
        "Here are the main points:",
        "Below is a short summary.",
        "According to the sources,",
        "Key points are as follows:",
        "まず、",
        "In short:",
        "In summary,",
        "The documents say the following.",
        "The answer is as follows:",
        "**Conclusion**",
    ],
)
def test_frames(sentence: str) -> None:
    assert frame(sentence)


@each_row(
    "sentence",
    [
        "",
        "決定係数について述べます。",
        "決定係数",
        "結論: 関係がない。",
        "以下の通り、トヨタは強い。",
        "はい。",
        "いいえ、違います。",
        "3つあります。",
        "1998年のことです。",
        "NASA found it.",
        "According to the sources, it rose.",
        "Here is the bridge.",
        "The mayor says the following.",
        "料金は以下の通りです。",
        "以下に料金を示します。",
        "In short: no.",
        "Yes.",
        "The answer is 42.",
        "理由は以下の通りで、需要が減った。",
        "以下の通りです。富士山は日本一低い。",
    ],
)
def test_statements_are_no_frames(sentence: str) -> None:
    assert not frame(sentence)
