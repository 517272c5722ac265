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
    "APA and SIST 02 need an extra: {install}. bibtex, ris and csl need none.": (
        "APA と SIST 02 には追加の部品が要ります: {install}。bibtex、ris、csl には要りません。"
    ),
    "Crossref answered with {status} for {doi}. Try again later.": (
        "{doi} について Crossref が {status} を返しました。後でもう一度試してください。"
    ),
    "Crossref has to be left alone for {seconds:.0f} s. Try again then.": (
        "Crossref へは {seconds:.0f}秒おいてから尋ねてください。"
    ),
    "Crossref does not know the DOI {doi}.": "DOI {doi} は Crossref に登録されていません。",
    "The web is turned off here, so Crossref cannot be asked. `shisho web` tells more.": (
        "ウェブを使わない設定なので、Crossref に尋ねられません。くわしくは `shisho web`。"
    ),
    "documents that have a DOI; none: all of them": "DOI のある文書。省くとすべて",
    "ask Crossref for what they lack": "足りないものを Crossref に尋ねる",
    "Show documents with a DOI that lack an author or a year; Crossref can be asked for them.": (
        "DOI があるのに著者や年の足りない文書を示す。Crossref に尋ねて補える。"
    ),
    "a bibliography of them: BibTeX, RIS or CSL-JSON": "文書の書誌: BibTeX、RIS、CSL-JSON",
}
