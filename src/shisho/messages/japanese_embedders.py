"""Messages about embedders and their models, in Japanese, by their English templates."""

from __future__ import annotations

from collections.abc import Mapping

SAID: Mapping[str, str] = {
    "what gives passages vectors, so that they are found by meaning too: use, e5, a folder, the name of a pulled model, "
    "or the address of a server; auto: use where the extra is installed": (
        "パッセージを意味でも引けるようにするもの: use、e5、フォルダ、取り込んだモデルの名前、またはサーバーのアドレス"
        "(auto: 追加機能があれば use)"
    ),
    "name of the model at the embedder's server": "埋め込みのサーバーでのモデルの名前",
    "key for the embedder's server": "埋め込みのサーバーの鍵",
    "hub of models that `models pull` asks": "`models pull` が問い合わせるモデルのハブ",
    "none: search is by words": "なし(検索は語によります)",
    "{name}: {done} of {total} passages have a vector": (
        "{name}: パッセージ {total}件のうち {done}件が意味でも引けます"
    ),
    "{detail}; until all have, {other} serves": "{detail}。全部そろうまでは {other} で引きます",
    'pip install "shisho[vectors]"': 'pip install "shisho[vectors]"',
    'Vectors need an extra: pip install "shisho[vectors]". Or set embedder = "none".': (
        'ベクトルには追加機能が要ります: pip install "shisho[vectors]"。または embedder = "none" としてください。'
    ),
    'The embedder {embedder} needs an extra: pip install "shisho[{extra}]". Or set embedder = "none".': (
        '埋め込み器 {embedder} には追加機能が要ります: pip install "shisho[{extra}]"。または embedder = "none" としてください。'
    ),
    'The embedder {folder} needs an extra: pip install "shisho[onnx]".': (
        '埋め込み器 {folder} には追加機能が要ります: pip install "shisho[onnx]"。'
    ),
    'The model {folder} needs an extra: pip install "shisho[torch]".': (
        'モデル {folder} には追加機能が要ります: pip install "shisho[torch]"。'
    ),
    "The embedder {name} is not on this machine: `shisho models pull {name}` brings it, or "
    "`shisho models import FILE` what another machine exported. Until then search is by words.": (
        "埋め込み器 {name} はこのマシンにありません。`shisho models pull {name}` で取り込むか、別のマシンで書き出した"
        "ものを `shisho models import ファイル` で入れてください。それまで検索は語によります。"
    ),
    "Which model shall {url} embed with? Set embedder_model.": (
        "{url} のどのモデルを使いますか。embedder_model を設定してください。"
    ),
    "The embedder {name} gave numbers that are none: choose another file of it, or another embedder.": (
        "埋め込み器 {name} の出した値が数ではありません。別のファイルか別の埋め込み器を選んでください。"
    ),
    "The embedder {name} gave no vectors that can be used: {why}.": (
        "埋め込み器 {name} から使えるベクトルが得られませんでした: {why}。"
    ),
    "{folder} is no folder of an embedder: it has neither an ONNX file, nor a table of tokens, nor modules.json. "
    "`shisho models pull NAME` brings one.": (
        "{folder} は埋め込み器のフォルダではありません。ONNX ファイルもトークンの表も modules.json もありません。"
        "`shisho models pull 名前` で取り込めます。"
    ),
    "{folder} has no tokenizer.json. Bring the one of the same model there.": (
        "{folder} に tokenizer.json がありません。同じモデルのものを置いてください。"
    ),
    "{folder} wants {modes} after its weights, which is not computed here: name it with the extra torch.": (
        "{folder} は重みのあとに {modes} を必要としますが、ここでは計算できません。追加機能 torch を使ってください。"
    ),
    "{path} cannot be read as JSON ({error}).": "{path} を JSON として読めません({error})。",
    "{path} cannot be read: {why}.": "{path} を読めません: {why}。",
    "The files of {folder} cannot be used: {cause}. Pull or copy them anew.": (
        "{folder} のファイルは使えません: {cause}。取り込むかコピーし直してください。"
    ),
    "{path} holds no table of tokens, but {names}.": "{path} にあるのはトークンの表ではなく {names} です。",
    "{name} gave vectors of {length} numbers, and of {dimensions} before. Give it another name: "
    "embedder_model, or the folder's.": (
        "{name} のベクトルの長さが {length} です。前は {dimensions} でした。別の名前(embedder_model またはフォルダの名前)に"
        "してください。"
    ),
}
