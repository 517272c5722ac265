"""The search page of every MediaWiki, for saved pages; requests go to its API."""

from __future__ import annotations

from shisho.domain.web import Look, SerpLayout

LOOK = Look(
    layouts=(SerpLayout("li.mw-search-result", ".mw-search-result-heading a", "", ".searchresult"),),
    signs=(
        ".searchresults .mw-search-results",
        ".mw-search-nonefound",
        "form#search[action='/w/index.php']",
    ),
    titles=("wikipedia", "wikimedia"),
    next_link="a.mw-nextlink",
    pager=".mw-search-pager-bottom",
    nothing=(".mw-search-nonefound",),
)
