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
    "what reads the twenty best passages together with the question and puts them in order: a folder with a cross-encoder "
    "as ONNX, or the name of a pulled one": (
        "上位20のパッセージを質問とともに読んで並べ直すもの: ONNX のクロスエンコーダのフォルダ、または取り込んだモデルの名前"
    ),
    "how words and meaning make one ranking: by scores or ranks": (
        "言葉による順位と意味による順位の合わせ方(blend: 点数による、rrf: 順位による)"
    ),
    "{name} works": "{name} が使えます",
    "The reranker {name} is not on this machine: `shisho models pull {name}` brings it, or "
    "`shisho models import FILE` what another machine exported. Until then passages stay in the order of the search.": (
        "リランカー {name} はこのマシンにありません。`shisho models pull {name}` で取り込むか、別のマシンで書き出した"
        "ものを `shisho models import ファイル` で入れてください。それまでは検索の順のままです。"
    ),
    "The reranker {name} needs an extra: {install}": (
        "リランカー {name} には追加機能が要ります: {install}。"
    ),
    "{folder} is no folder of a reranker: it has no ONNX file.": (
        "{folder} はリランカーのフォルダではありません。ONNX ファイルがありません。"
    ),
    "{folder} gives no number for a question and a passage: it is no reranker.": (
        "{folder} は質問とパッセージから一つの数を出しません。リランカーではありません。"
    ),
    "hub of models that `models pull` asks": "`models pull` が問い合わせるモデルのハブ",
    "none: search is by words": "なし(検索は語によります)",
    "{name}: {done} of {total} passages have a vector": (
        "{name}: パッセージ {total}件のうち {done}件が意味でも引けます"
    ),
    "{detail}; until all have, {other} serves": "{detail}。全部そろうまでは {other} で引きます",
    'Vectors need an extra: {install}. Or set embedder = "none".': (
        'ベクトルには追加機能が要ります: {install}。または embedder = "none" としてください。'
    ),
    'The embedder {embedder} needs an extra: {install}. Or set embedder = "none".': (
        '埋め込み器 {embedder} には追加機能が要ります: {install}。または embedder = "none" としてください。'
    ),
    "The embedder {folder} needs an extra: {install}": (
        "埋め込み器 {folder} には追加機能が要ります: {install}。"
    ),
    "The model {folder} needs an extra: {install}": ("モデル {folder} には追加機能が要ります: {install}。"),
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
    "{path} cannot be read: {why}.": "{path} を読めません: {why}。",
    "The files of {folder} cannot be used: {cause}. Pull or copy them anew.": (
        "{folder} のファイルは使えません: {cause}。取り込むかコピーし直してください。"
    ),
    "{name!r} is part of a model's name. Choose one: {names}.": (
        "{name!r} はモデル名の一部です。次から選んでください: {names}"
    ),
    "The embedder {name} is not on this machine. Choose a full name: {names}. Until then search is by words.": (
        "埋め込み器 {name} はこのマシンにありません。正式名を指定してください: {names}。それまで検索は語によります。"
    ),
    "{name!r} is no name of a model: it has the form owner/name.": (
        "{name!r} はモデルの名前ではありません。所有者/名前 の形です。"
    ),
    "There is no model {name} here. `shisho models list` shows those that are.": (
        "モデル {name} はここにありません。あるものは `shisho models list` で見られます。"
    ),
    "{path} is there already: name a new file, or remove it.": (
        "{path} はもうあります。新しいファイル名にするか、消してください。"
    ),
    "{path} is no export of a model ({cause}).": "{path} は書き出したモデルではありません({cause})。",
    "it ends too early": "途中で終わっています",
    "{path} of {name} is not what its manifest says: its hash differs. Get it anew.": (
        "{name} の {path} は目録と違います(ハッシュが合いません)。取り直してください。"
    ),
    "{path} of {name} is not what {url} promised: its hash differs. It was thrown away; try again.": (
        "{name} の {path} は {url} の目録と違います(ハッシュが合いません)。捨てました。もう一度試してください。"
    ),
    "{url} cannot be reached ({cause}). What has arrived is kept: try again later. Without network: "
    "`shisho models pull {name}` and `shisho models export {name} FILE` on another machine, then "
    "`shisho models import FILE` here; or copy the files to {folder}.": (
        "{url} につながりません({cause})。届いた分は残っています。あとでもう一度試してください。ネットワークのないときは、"
        "別のマシンで `shisho models pull {name}` と `shisho models export {name} ファイル`、ここで "
        "`shisho models import ファイル`。またはファイルを {folder} にコピーしてください。"
    ),
    "{name} at {url} has neither an ONNX file nor a table of tokens. Look for a model of that name with ONNX.": (
        "{url} の {name} には ONNX ファイルもトークンの表もありません。ONNX のある同名のモデルを探してください。"
    ),
    "{url} has no model {name} that everybody may have. Is the name right?": (
        "{url} に、誰でも使えるモデル {name} はありません。名前は合っていますか。"
    ),
    "{url} does not answer as a hub of models does. Set models_url to one that has {name}.": (
        "{url} の応答がモデルのハブのものではありません。models_url を {name} のあるハブにしてください。"
    ),
    "The web is off, so {name} is not fetched. Turn it on (`shisho web on`, or the setting web), or bring the "
    "model from another machine: `shisho models export {name} FILE` there, `shisho models import FILE` here.": (
        "ウェブを使わない設定なので {name} を取り込みません。使うようにする(`shisho web on`、または設定 web)か、別の"
        "マシンから持ってきてください: そこで `shisho models export {name} ファイル`、ここで `shisho models import ファイル`。"
    ),
    "{name} is the embedder that is set. Set another one first.": (
        "{name} は今の埋め込み器です。先に別のものを設定してください。"
    ),
    "Fetch an embedding model; what was broken off goes on. One that is here is left alone.": (
        "埋め込みのモデルを取り込む。途中なら続きから。あるものには触れない。"
    ),
    "Write an embedding model into one file, for a machine without network.": (
        "埋め込みのモデルを一つのファイルに書き出す。ネットワークのないマシンのために。"
    ),
    "Take an embedding model out of a file that another machine exported.": (
        "別のマシンで書き出したファイルから埋め込みのモデルを入れる。"
    ),
    "Remove an embedding model from this machine; its vectors stay until another one has made its own.": (
        "埋め込みのモデルをこのマシンから消す。そのベクトルは、別のモデルのものがそろうまで残る。"
    ),
    "owner/name of a model": "モデルの 所有者/名前",
    "an export of a model": "書き出したモデルのファイル",
    "There is no embedder to calibrate: {why}": "調整する埋め込み器がありません: {why}",
    "{path} holds no table of tokens, but {names}.": "{path} にあるのはトークンの表ではなく {names} です。",
    "{name} gave vectors of {length} numbers, and of {dimensions} before. Give it another name: "
    "embedder_model, or the folder's.": (
        "{name} のベクトルの長さが {length} です。前は {dimensions} でした。別の名前(embedder_model またはフォルダの名前)に"
        "してください。"
    ),
}
