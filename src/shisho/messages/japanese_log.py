"""Messages of the log, in Japanese, by their English templates."""

from __future__ import annotations

from collections.abc import Mapping

SAID: Mapping[str, str] = {
    "The search is by words alone: {why}": "語だけで検索します: {why}",
    "The ranking is without its reranker: {why}": "並べ替えのモデルを使わずに順位を付けます: {why}",
    "No vectors are made for now: {why}": "今はベクトルを作れません: {why}",
    "The index is made in memory; its files cannot be used: {why}.": (
        "索引のファイルを使えないため、メモリーの中に作ります: {why}。"
    ),
    "The index of vectors is made in memory; its files cannot be used: {why}.": (
        "ベクトルの索引のファイルを使えないため、メモリーの中に作ります: {why}。"
    ),
    "The index in {folder} is of another state of the database, as after a backup was put back. It is made anew; "
    "nothing is lost.": (
        "{folder} の索引は、データベースの別の時点のものです(控えを戻したときなど)。作り直します。失われたものはありません。"
    ),
    "The index is behind: another process is still catching up.": (
        "索引がまだ追いついていません。ほかのプロセスが更新しています。"
    ),
    "The index of vectors is behind: another process is still catching up.": (
        "ベクトルの索引がまだ追いついていません。ほかのプロセスが更新しています。"
    ),
    "The collection of {index} is gone and is made anew.": "{index} のコレクションがなくなったので、作り直します。",
    "The graph of the vectors could not be made; searches do without it: {why}": (
        "ベクトルのグラフを作れませんでした。なしで検索します: {why}"
    ),
    "The tables could not be swept of what was erased: {why}": (
        "抹消したものの跡を表から払えませんでした: {why}"
    ),
    "A process has held the write lock for {seconds:g} s, and is passed over.": (
        "ほかのプロセスが書き込みの順番を {seconds:g} 秒離さないため、先へ進みます。"
    ),
    "A worker waits: {why}": "ワーカーは待っています: {why}",
    "A worker stumbled and tries again: {kind}: {why}": "ワーカーがつまずき、やり直します: {kind}: {why}",
    "A job met an outage and is run again: {why}": "仕事の途中で止まったため、もう一度行います: {why}",
    "A job waits for a newer worker: {why}": "仕事が新しい版の作業役を待ちます: {why}",
    "A job broke what does it: {fault}": "仕事の処理に不具合がありました: {fault}",
    "The outcome of a job could not be stored yet: {why}": "仕事の結果をまだ保存できません: {why}",
    "No job is done until this is mended: {why}": "直るまで仕事を行いません: {why}",
    "Checking an assistant's sentences failed ({cause}). The rest of them is unverified.": (
        "アシスタントの文の検証に失敗しました({cause})。残りの文は未検証です。"
    ),
    "A child process did not start ({why}); another is tried.": (
        "子プロセスが始まりませんでした({why})。もう一度始めます。"
    ),
    "The browser ended in mid-page ({why}); the page is tried once more.": (
        "ページの途中でブラウザーが終わりました({why})。そのページをもう一度試します。"
    ),
    "The figures of the library cannot be read: {why}": "蔵書の数値を読めません: {why}",
    "A fault of ours, with the error id {error_id}.": "Shisho の不具合です。エラーID: {error_id}",
    "The system does not tell of changes in folders ({why}): they are looked for.": (
        "フォルダーの変化が知らされないため({why})、見て回ります。"
    ),
    "The plug-in {name} of the package {package} is ignored, because the name is taken.": (
        "パッケージ {package} のプラグイン {name} を無視します。同じ名前がすでに使われています。"
    ),
    "The plug-in {name} of the package {package} is ignored, because it registers no object for {group}.": (
        "パッケージ {package} のプラグイン {name} を無視します。{group} に使えるものが登録されていません。"
    ),
}
