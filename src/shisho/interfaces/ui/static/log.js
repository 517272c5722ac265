// The thinking log: rounds with their queries and decisions, every visited page with its fate, what a model did.

import { fill, figure, make, say, the, webLink } from "./room.js";

/** Show the log of an answer, as the API tells it, also while it is being made. */
export function showLog(log) {
  fill(the("log"),
    log.goals.length > 0 && [make("h3", { class: "quiet" }, say("goals")), make("ul", { class: "goals" }, log.goals.map((goal) => make("li", { dir: "auto" }, `${goal.id} ${goal.question}`, goal.missing && make("span", { class: "quiet" }, ` ${say("goal_missing", { text: goal.missing })}`))))],
    log.condition && make("p", { class: "quiet" }, `${say("condition")}: `, make("code", {}, log.condition)),
    log.rounds.map((round, index) => showRound(round, log.model.length > 0, index === log.rounds.length - 1 && !log.stop.loop_stop)),
    log.web.map(showWeb), log.visited.length > 0 && visited(log.visited), log.model.length > 0 && model(log.model),
    log.stop.loop_stop && stop(log.stop));
}

/** Nothing to show. */
export function clearLog() {
  fill(the("log"), make("p", { class: "quiet" }, say("log_empty")));
}

/** Reasoning is shown where a model gave it: rules note theirs for the record, in no language of the reader's. */
function showRound(round, hasModel, isCurrent) {
  return make("details", { class: isCurrent ? "round current" : "round", open: true },
    make("summary", {}, say("round_n", { n: round.number })),
    make("p", {}, round.queries.map((query) => make("code", { dir: "auto" }, query)).flatMap((code) => [code, " "])),
    hasModel && round.reasoning && make("p", { class: "quiet", dir: "auto" }, round.reasoning),
    round.ranked !== null && make("p", { class: "quiet" }, say("found_n", { ranked: round.ranked, n: round.in_scope, fresh: round.new, seen: round.seen })),
    (round.evidence.length > 0 || !isCurrent) && make("p", {}, round.evidence.length ? say("took", { numbers: round.evidence.map((number) => `[${number}]`).join(" ") }) : say("took_nothing")),
    round.decision && make("p", { dir: "auto" }, `→ ${say(`decision_${round.decision}`.toLowerCase())}`),
    hasModel && round.reason && make("p", { class: "quiet", dir: "auto" }, round.reason));
}

function showWeb(round) {
  return make("details", { class: round.is_done ? "round" : "round current", open: true }, make("summary", {}, say("web_round")),
    make("p", {}, round.queries.flatMap((query) => [make("code", { dir: "auto" }, query.text ?? query), " "])),
    round.engines.length > 0 && make("p", { class: "quiet" }, round.engines.join(", ")),
    round.gaps.length > 0 && make("p", { class: "quiet" }, round.gaps.map((gap) => make("span", { class: "gap" }, say(`gap_${gap.why}`, { query: gap.query, detail: gap.detail })))));
}

function visited(pages) {
  const used = pages.filter((page) => page.fate === "used").length;
  const read = pages.filter((page) => page.fate === "read").length;
  return make("details", { open: true }, make("summary", {}, say("visited_n", { n: pages.length, used, read })),
    make("ul", { class: "visited" }, pages.map((page) => make("li", { dir: "auto" },
      make("span", { class: `fate ${page.fate}` }, say(`fate_${page.fate}`)), " ",
      webLink(page.url) ? make("a", { href: webLink(page.url), rel: "noreferrer noopener", target: "_blank" }, page.title || page.url) : (page.title || page.url),
      page.reason && make("span", { class: "quiet" }, ` ${page.reason}`)))));
}

function model(uses) {
  return make("details", {}, make("summary", {}, say("model_n", { n: uses.reduce((sum, use) => sum + (use.calls ?? 0), 0) })),
    make("ul", {}, uses.map((use) => make("li", {}, `${use.node}: ${use.model} · ${say("calls_tokens", { calls: use.calls, tokens: (use.input_tokens ?? 0) + (use.output_tokens ?? 0) })}`, use.fallback && make("span", { class: "quiet" }, ` ${use.fallback}`)))));
}

function stop(end) {
  return make("p", {}, make("strong", {}, say("stopped")), " ", say(`end_${end.loop_stop}`.toLowerCase()), " ",
    make("span", { class: "quiet" }, say("seconds_n", { n: figure(end.seconds ?? 0) })));
}
