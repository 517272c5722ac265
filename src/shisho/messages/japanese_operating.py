"""Messages about servers, figures, traces, and files that a command names, in Japanese, by their English
templates."""

from __future__ import annotations

from collections.abc import Mapping

SAID: Mapping[str, str] = {
    'The setting "traces" needs an extra: pip install "shisho[otel]"': (
        '設定 traces には追加の部品が必要です: pip install "shisho[otel]"'
    ),
    "show health and figures here: /livez, /readyz, /metrics": (
        "このポートで状態と数値を見せる: /livez、/readyz、/metrics"
    ),
    'The setting "index" needs an extra: pip install "shisho[qdrant]"': (
        '設定 index には追加の部品が必要です: pip install "shisho[qdrant]"'
    ),
    "The index at {address} does not answer: {why}. Searches wait for it; nothing is lost. Start it, or set "
    "`index` to another address.": (
        "索引({address})が応答しません: {why}。検索は索引を待ちます。失われたものはありません。"
        "索引を起動するか、設定 index に別のアドレスを指定してください。"
    ),
    "The index at {address} refuses: {why}. Look at its log, and at `index_key`.": (
        "索引({address})が要求を拒みました: {why}。索引のログと設定 index_key を確かめてください。"
    ),
    "{path} cannot be used: there is no folder {folder}. See whether the name is right, or make it first.": (
        "{path} を使えません: {folder} というフォルダがありません。名前を確かめるか、先に作ってください。"
    ),
    "{path} cannot be used: {why}. {next}": "{path} を使えません: {why}。{next}",
    "See whether the name is right.": "名前が合っているか確かめてください。",
    "Name a file.": "ファイルを指定してください。",
    "Give yourself the right to it, or name another one.": (
        "自分に権限を与えるか、別のものを指定してください。"
    ),
    "Name another one.": "別のものを指定してください。",
}
