"""Messages about bibliographies, what describes documents, in Japanese, by their English templates."""

from __future__ import annotations

from collections.abc import Mapping

SAID: Mapping[str, str] = {
    "There is nothing to add. Name files or folders, or --references FILE.": (
        "追加するものがありません。ファイルかフォルダー、または --references ファイル を指定してください。"
    ),
    "The file has more than {most} entries: export a part of them.": (
        "項目が{most}件を超えています。一部だけを書き出してください。"
    ),
    ("No entry of a bibliography could be read in this file: export it again as BibTeX, RIS or CSL-JSON."): (
        "このファイルから書誌の項目を一つも読めませんでした。BibTeX、RIS、CSL-JSON のどれかで書き出し直してください。"
    ),
    "The CSL-JSON is damaged: export it again.": "CSL-JSON が壊れています。書き出し直してください。",
    "This is no bibliography: export it from your reference manager as BibTeX, RIS or CSL-JSON.": (
        "書誌のファイルではありません。文献管理ソフトから BibTeX、RIS、CSL-JSON のどれかで書き出してください。"
    ),
    'APA and SIST 02 need an extra: pip install "shisho[bibliography]". bibtex, ris and csl need none.': (
        'APA と SIST 02 には追加の部品が要ります: pip install "shisho[bibliography]"。bibtex、ris、csl には要りません。'
    ),
    "a bibliography of them: BibTeX, RIS or CSL-JSON": "文書の書誌: BibTeX、RIS、CSL-JSON",
}
