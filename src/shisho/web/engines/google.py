"""Google's page, last mile and off until the user turns it on.

Class names change monthly, so hits are found by shape: a heading and an outgoing link inside one another,
each in the largest box without a second pair.
"""

from __future__ import annotations

from shisho.domain.web import (
    EngineAbout,
    EngineQuery,
    Look,
    Request,
    Response,
    Serp,
    SerpHit,
    SerpLayout,
    State,
    Tier,
    TimeRange,
)
from shisho.web.engines._asking import Params, choose_range_code, get
from shisho.web.engines._markup import ResultMarkup, score_affinity
from shisho.web.engines._serp import read_hits, read_serp, read_shape

_RANGES = {
    TimeRange.DAY: "qdr:d",
    TimeRange.WEEK: "qdr:w",
    TimeRange.MONTH: "qdr:m",
    TimeRange.YEAR: "qdr:y",
}
_SNIPPET = ".VwiC3b, .IsZvec, .aCOpRe, .lEBKkf, .st, .s .st, .BNeawe.s3v9rd, .s"
_ADS = "#tads, #tadsb, #tvcap, #bottomads, .ads-ad, .uEierd, [data-text-ad], .commercial-unit-desktop-top"
_FEW = 3

ABOUT = EngineAbout(
    name="google",
    site="https://www.google.com",
    kind="html",
    tier=Tier.LAST_MILE,
    categories=("general", "technical", "news", "government"),
    interval_s=20,
    per_day=10,
    pagination="start",
    pagination_enabled=False,
    enabled=False,
    reason="engine.google_terms",
    needs_browser=True,
    time_ranges=tuple(_RANGES),
    look=Look(
        layouts=(SerpLayout("p.g", "a", "", "font"), SerpLayout(".g", "h2 a, a.l", "", "font, .std"),
            SerpLayout(".ZINbbc, .Gx5Zad", ".kCrYT > a[href^='/url']", ".vvjwJb", ".s3v9rd"),
            SerpLayout(".images_table td", "a[href^='/url']", "cite")),
        signs=("#gsr", "#rso", "form[action='/search'] input[name=btnG]", "#searchform", ".kCrYT", "form#captcha-form"),
        titles=("- google", "google search", "google"),
        next_link="#pnnext, a[href*='start='][href*='sa=N']",
        pager="#foot table, #nav, #xfoot, .AaVjTc",
        nothing=("#topstuff [role=heading]", "#topstuff .mnr-c .card-section p", "#topstuff .std.card-section"),
        no_result_phrases=(
            "did not match any documents", "no results found for", "に一致する情報は見つかりませんでした",
            "に一致するウェブページは見つかりませんでした", "stimmt mit keinen dokumenten überein", "keine ergebnisse gefunden",
            "ne correspond à aucun document", "no ha coincidido con ningún", "não encontrou nenhum documento",
            "non ha prodotto risultati", "matchade inte något dokument", "kwam niet overeen met",
        ),
        changed=("#topstuff .obp", "a.spell_orig[href]", "a#fprsl[href]", "a#srfl[href]"),
        shell=("noscript iframe[src*='/httpservice/retry/enablejs']", "noscript meta[content*='/httpservice/retry/enablejs']"),
    ),
)  # fmt: skip


def request(query: EngineQuery, page: int, state: State, about: EngineAbout = ABOUT) -> Request:
    params: Params = {
        "q": query.text,
        "start": about.page_size * (page - 1),
        "hl": query.language or None,
        "lr": f"lang_{query.language}" if query.language else None,
        "gl": query.region,
        "tbs": choose_range_code(about, query, _RANGES),
    }
    return get(about, query, page, "/search", params)


def parse(response: Response, about: EngineAbout = ABOUT) -> Serp:
    return read_serp(about, response, lambda page: _read_hits(page) or read_hits(page, about.look.layouts))


def _read_hits(page: ResultMarkup) -> tuple[SerpHit, ...]:
    # Phones get `role=heading` instead of h3; desktops use it for carousels, so it comes second.
    if not score_affinity(page, ABOUT):
        return ()
    hits = read_shape(page, "h3", _ADS, _SNIPPET)
    return hits if len(hits) >= _FEW else read_shape(page, "h3, [role=heading]", _ADS, _SNIPPET)
