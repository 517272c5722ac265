// The queue: tasks and their jobs as they go, the person's turn, and how the engines are.

import { address, attempt, baseName, brief, figure, fileName, fill, get, keepLooking, labelCells, make, markTab, moment, named, post, say, the, toast } from "./room.js";

const LIVE = ["running", "waiting"]; // of one that is created alone there is nothing to stop
const REFRESH = 4000; // milliseconds between two looks for what other pages and programs have begun
const MAX_RESULTS = 10;
const MAX_FOLLOWED = 2; // a browser keeps six connections to a server, for all its pages together
const following = new Map();
const revisions = new Map();
let awaited = new Set(); // engines that wait for a person
let cursor = null;

async function open() {
  the("more-tasks").addEventListener("click", () => attempt(list));
  await Promise.all([list(), showState()]);
  keepLooking(refresh, REFRESH);
  document.body.dataset.ready = "yes";
}

async function list() {
  const page = await get(address("/tasks", { limit: 30, cursor }));
  cursor = page.cursor;
  the("more-tasks").hidden = !page.cursor;
  if (!page.tasks.length && !the("tasks").children.length) fill(the("tasks"), make("li", { class: "quiet" }, say("no_tasks"), " ", make("a", { href: "/" }, say("no_tasks_how"))));
  the("tasks").append(...page.tasks.filter((summary) => !itemOf(summary.task_id)).map(task));
}

/** New tasks above those that are shown, what became of those, and who is waited for now. */
async function refresh() {
  const { tasks } = await get(address("/tasks", { limit: 30 }));
  const fresh = tasks.filter((summary) => !itemOf(summary.task_id));
  if (fresh.length) {
    the("tasks").querySelector("li:not([data-task])")?.remove();
    the("tasks").prepend(...fresh.map(task));
  }
  for (const summary of tasks) {
    const isShown = following.has(summary.task_id) || revisions.get(summary.task_id) === summary.revision;
    if (!isShown) showSummary(itemOf(summary.task_id).lastChild, summary);
  }
  markTab(tasks.some((summary) => summary.status === "running"));
  await showState();
}

const itemOf = (id) => document.querySelector(`[data-task="${CSS.escape(id)}"]`);

function task(summary) {
  const body = make("div", {});
  const item = make("li", { "data-task": summary.task_id }, make("strong", { dir: "auto" }, brief(summary.question) || say("untitled_task")), " ",
    make("span", { class: "quiet" }, moment(summary.created_at)), body);
  showSummary(body, summary);
  if (!summary.question) attempt(() => nameFiles(summary.task_id, item.firstChild));
  if (LIVE.includes(summary.status) && following.size < MAX_FOLLOWED) follow(summary.task_id, body);
  return item;
}

/** A task that asks nothing is known by what it takes in. */
async function nameFiles(id, heading) {
  const { results, errors } = await get(address(`/tasks/${id}`, { wait: 0 }));
  const names = new Set([...results, ...errors].map((row) => row.url).filter(Boolean));
  const [first] = names;
  if (first) heading.textContent = names.size > 1 ? say("files_n", { name: fileName(first), n: figure(names.size - 1) }) : fileName(first);
}

function showSummary(body, summary) {
  revisions.set(summary.task_id, summary.revision);
  showTask(body, summary.task_id, summary.status, {
    queued: summary.queue.queued, running: summary.queue.running, waiting: summary.queue.awaiting_auth, done: summary.completed, failed: summary.failed,
  });
}

function showTask(body, id, state, numbers, status = null) {
  const isLive = LIVE.includes(state);
  const counts = ["queued", "running", "waiting", "done", "failed"].filter((name) => numbers[name]).map((name) => say(`jobs_${name}`, { n: numbers[name] }));
  fill(body, make("div", {}, make("span", { class: `state ${state}` }, say(`state_${state}`)), " ", make("span", { class: "quiet" }, counts.join(" · "))),
    status?.errors.map((error) => make("div", { class: "notice bad", dir: "auto" }, make("strong", {}, error.query ?? baseName(error.url ?? "")), make("div", {}, error.reason))),
    status?.delays?.map((delay) => make("div", { class: "quiet", dir: "auto" }, say("jobs_put_off", { n: delay.jobs, until: moment(delay.until), reason: delay.reason }))),
    status?.searches?.map(search),
    status && make("ul", {}, status.results.filter((row) => row.document_id).slice(0, MAX_RESULTS).map(result)),
    make("div", { class: "row" }, status?.answer_id && make("a", { href: `/a/${status.answer_id}` }, say("open_answer")),
      !status && make("button", { type: "button", class: "plain", onclick: () => attempt(() => showDetails(id)) }, say("details")),
      isLive && make("button", { type: "button", onclick: () => attempt(() => act(id, "stop", { mode: "graceful" })) }, say("stop_gently")),
      isLive && make("button", { type: "button", class: "stop", onclick: () => attempt(() => act(id, "stop", { mode: "immediate" })) }, say("stop_now")),
      ["stopped", "failed", "cancelled"].includes(state) && make("button", { type: "button", onclick: () => attempt(() => act(id, "resume")) }, say("resume"))));
}

/** A document that a task has taken in, and the result page that named it. */
const result = (row) => make("li", { dir: "auto" }, make("a", { href: `/d/${row.document_id}` }, brief(row.title || baseName(row.url))),
  row.page_number && make("span", { class: "quiet" }, " ", say("result_page", { n: row.page_number })));

/** How a search goes through the result pages of its engine, and why it stopped. */
function search(row) {
  const listShares = (shares) => shares.map((share) => (share === null ? "–" : `${figure(share * 100)} %`)).join(", ");
  return make("div", { class: "paging" }, make("div", { dir: "auto" }, make("strong", {}, row.engine), " ", brief(row.query)),
    make("div", { class: "quiet" }, say("result_pages", { n: row.pages }), " · ", row.paging_stop ? `${row.reason} (${row.paging_stop})` : say("state_running")),
    make("div", { class: "quiet" }, say("paging_novelty", { shares: listShares(row.novelty) }), " · ", say("paging_harvest", { shares: listShares(row.harvest) })),
    row.warnings.map((warning) => make("div", { class: "notice" }, warning)));
}

/** What there is to read of a task, and what went wrong. */
async function showDetails(id) {
  showStatus(itemOf(id).lastChild, await get(address(`/tasks/${id}`, { wait: 0, detail: "full" })));
}

async function act(id, verb, body = {}) {
  await post(`/tasks/${id}/${verb}`, body);
  follow(id, itemOf(id).lastChild);
}

function showStatus(body, status) {
  revisions.set(status.task_id, status.revision);
  showTask(body, status.task_id, status.status, {
    queued: status.queue.queued, running: status.queue.running, waiting: status.queue.awaiting_auth,
    done: ["queries", "answers", "documents"].reduce((sum, name) => sum + parseInt(status.progress[name], 10), 0), failed: status.errors.length,
  }, status);
}

function follow(id, body) {
  unfollow(id);
  const events = new EventSource(`/api/v1/tasks/${id}/events?detail=full`);
  following.set(id, events);
  events.addEventListener("status", (event) => {
    const status = JSON.parse(event.data);
    showStatus(body, status);
    if (!LIVE.includes(status.status)) unfollow(id);
    attempt(showState);
  });
  events.addEventListener("error", () => { if (events.readyState === EventSource.CLOSED) unfollow(id); });
}

function unfollow(id) {
  following.get(id)?.close();
  following.delete(id);
}

/** Who is waited for, and then the engines, so that both say the same. */
async function showState() {
  await showPersons();
  await showEngines();
}

async function showPersons() {
  const { waiting } = await get("/auth");
  awaited = new Set(waiting.map((turn) => turn.engine));
  the("persons-how").hidden = !waiting.length;
  fill(the("persons"), waiting.length ? waiting.map(person) : make("li", { class: "quiet" }, say("nobody_needed")));
}

function person(turn) {
  const resolve = (action) => attempt(async () => { await post("/auth/resolve", { target: "item", id: turn.id, action }); await showState(); });
  const open = () => attempt(async () => {
    const { through } = await post(`/auth/${turn.id}/open`);
    toast(say(through ? "window_through" : "window_opens"));
    await showState();
  });
  return make("li", {}, make("strong", {}, say(`proof_${turn.kind}`)), ` ${turn.domain} `, make("span", { class: "quiet" }, turn.engine ?? ""),
    make("div", { class: "row" }, make("button", { type: "button", class: "main", onclick: open }, say("person_open")),
      ["complete", "skip"].map((action) => make("button", { type: "button", onclick: () => resolve(action) }, say(`person_${action}`)))));
}

async function showEngines() {
  const { engines } = await get("/engines");
  const reasons = engines.filter((engine) => !engine.available).map((engine) => engine.reason).filter(Boolean);
  const shared = reasons.find((reason, index) => reasons.indexOf(reason) < index) ?? ""; // as where the web is not used: said once
  the("engines-why").hidden = !shared;
  the("engines-why").textContent = shared;
  const stateOf = ({ name, available, reason }) => (awaited.has(name) ? say("waits_for_person") : available ? reason || say("usable") : reason && reason === shared ? say("unused") : reason || say("resting"));
  fill(the("engines"), engines.map((engine) => make("tr", {}, make("th", { scope: "row" }, engine.name),
    make("td", {}, stateOf(engine)), make("td", {}, engine.categories.map((name) => named("category", name)).join(", ")),
    make("td", { class: "number" }, engine.per_day ? `${engine.quota_left ?? "–"} / ${engine.per_day}` : "–"),
    make("td", { class: "number" }, engine.success_rate === null || engine.success_rate === undefined ? "–" : `${figure(engine.success_rate * 100)} %`),
    make("td", { class: "number" }, engine.median_latency_s ? `${figure(engine.median_latency_s)} s` : "–"))));
  labelCells(the("engines"));
}

attempt(open);
