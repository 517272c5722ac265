// The queue: tasks and their jobs as they go, the person's turn, and how the engines are.

import { address, attempt, figure, fill, get, make, moment, post, say, the, toast } from "./room.js";

const LIVE = ["created", "running", "waiting"];
const following = new Map();
let cursor = null;

async function open() {
  the("more-tasks").addEventListener("click", () => attempt(list));
  await Promise.all([list(), showPersons(), showEngines()]);
  document.body.dataset.ready = "yes";
}

async function list() {
  const page = await get(address("/tasks", { limit: 30, cursor }));
  cursor = page.cursor;
  the("more-tasks").hidden = !page.cursor;
  if (!page.tasks.length && !the("tasks").children.length) fill(the("tasks"), make("li", { class: "quiet" }, say("no_tasks")));
  the("tasks").append(...page.tasks.map(task));
}

function task(summary) {
  const body = make("div", {});
  const item = make("li", { "data-task": summary.task_id }, make("strong", { dir: "auto" }, summary.question || say("untitled_task")), " ",
    make("span", { class: "quiet" }, moment(summary.created_at)), body);
  showTask(body, summary.task_id, summary.status, {
    queued: summary.queue.queued, running: summary.queue.running, waiting: summary.queue.awaiting_auth, done: summary.completed, failed: summary.failed,
  });
  if (LIVE.includes(summary.status)) follow(summary.task_id, body);
  return item;
}

function showTask(body, id, state, numbers, status = null) {
  const isLive = LIVE.includes(state);
  fill(body, make("div", {}, say(`state_${state}`), " · ", say("jobs_n", numbers)),
    status?.errors.map((error) => make("div", { class: "notice bad", dir: "auto" }, `${error.query ?? error.url ?? ""} ${error.reason}`)),
    make("div", { class: "row" }, status?.answer_id && make("a", { href: `/a/${status.answer_id}` }, say("open_answer")),
      isLive && make("button", { type: "button", onclick: () => attempt(() => act(id, "stop", { mode: "graceful" })) }, say("stop_gently")),
      isLive && make("button", { type: "button", class: "stop", onclick: () => attempt(() => act(id, "stop", { mode: "immediate" })) }, say("stop_now")),
      ["stopped", "failed", "cancelled"].includes(state) && make("button", { type: "button", onclick: () => attempt(() => act(id, "resume")) }, say("resume"))));
}

async function act(id, verb, body = {}) {
  await post(`/tasks/${id}/${verb}`, body);
  const item = document.querySelector(`[data-task="${CSS.escape(id)}"]`);
  follow(id, item.lastChild);
}

function follow(id, body) {
  following.get(id)?.close();
  const events = new EventSource(`/api/v1/tasks/${id}/events`);
  following.set(id, events);
  events.addEventListener("status", (event) => {
    const status = JSON.parse(event.data);
    showTask(body, id, status.status, {
      queued: status.queue.queued, running: status.queue.running, waiting: status.queue.awaiting_auth,
      done: status.progress.queries.done + status.progress.answers.done + status.progress.documents.done, failed: status.errors.length,
    }, status);
    if (!LIVE.includes(status.status)) events.close();
    if (status.waiting_for.length) attempt(showPersons);
  });
  events.addEventListener("error", () => { if (events.readyState === EventSource.CLOSED) following.delete(id); });
}

async function showPersons() {
  const { waiting } = await get("/auth");
  fill(the("persons"), waiting.length ? waiting.map(person) : make("li", { class: "quiet" }, say("nobody_needed")));
}

function person(turn) {
  const resolve = (action) => attempt(async () => { await post("/auth/resolve", { target: "item", id: turn.id, action }); await showPersons(); });
  const open = () => attempt(async () => { await post(`/auth/${turn.id}/open`); toast(say("window_opens")); });
  return make("li", {}, make("strong", {}, say(`proof_${turn.kind}`)), ` ${turn.domain} `, make("span", { class: "quiet" }, turn.engine ?? ""),
    make("div", { class: "row" }, make("button", { type: "button", class: "main", onclick: open }, say("person_open")),
      ["complete", "skip"].map((action) => make("button", { type: "button", onclick: () => resolve(action) }, say(`person_${action}`)))));
}

async function showEngines() {
  const { engines } = await get("/engines");
  fill(the("engines"), engines.map((engine) => make("tr", {}, make("th", { scope: "row" }, engine.name),
    make("td", {}, engine.available ? say("usable") : engine.reason || say("resting")), make("td", {}, engine.categories.join(", ")),
    make("td", { class: "number" }, engine.per_day ? `${engine.quota_left ?? "–"} / ${engine.per_day}` : "–"),
    make("td", { class: "number" }, engine.success_rate === null || engine.success_rate === undefined ? "–" : `${figure(engine.success_rate * 100)} %`),
    make("td", { class: "number" }, engine.median_latency_s ? `${figure(engine.median_latency_s)} s` : "–"))));
}

attempt(open);
