// What works here, the person's yes or no to the web, and every setting with its value and origin.

import { attempt, figure, fill, get, labelCells, listed, make, post, say, the } from "./room.js";

const REFRESH = 1000; // milliseconds

async function open() {
  the("consent-yes").addEventListener("click", () => attempt(() => consent(true)));
  the("consent-no").addEventListener("click", () => attempt(() => consent(false)));
  the("key-make").addEventListener("click", () => attempt(makeKey));
  const isHost = the("settings") !== null; // guests of a server see neither its settings nor its models
  if (isHost) listenToHost();
  await Promise.all([attempt(showConsent), attempt(async () => tellKey(await get("/key"))), ...(isHost ? [attempt(showSettings), attempt(showModels)] : [])]);
  if (isHost) attempt(showChecks); // calls a model, which may take its time
  document.body.dataset.ready = "yes";
}

function listenToHost() {
  the("try").addEventListener("click", tryModel);
  the("pull").addEventListener("submit", (sent) => { sent.preventDefault(); begin("/models/pull", { name: the("pull-name").value.trim() }); });
  the("calibrate").addEventListener("submit", (sent) => { sent.preventDefault(); begin("/models/calibrate", { folder: the("calibrate-folder").value.trim() }); });
}

async function showSettings() {
  const { settings } = await get("/settings");
  fill(the("settings"), settings.map((row) => make("tr", {}, make("th", { scope: "row" }, make("code", {}, row.name)),
    make("td", {}, String(row.value)), make("td", { class: "whole" }, say(`origin_${row.origin}`)), make("td", {}, row.help))));
  labelCells(the("settings"));
}

async function showConsent() {
  const { state, since, engines } = await get("/consent");
  const isSaid = state === "not_asked" || since; // else a setting decides
  const word = state === "off" && since ? "refused" : state;
  the("consent-state").textContent = `${say(`consent_${word}`)} ${state === "off" ? "" : say("consent_whom", { engines: listed(engines) })}`;
  the("consent-choice").hidden = !isSaid;
  the("consent-yes").disabled = state === "given";
  the("consent-no").disabled = state === "off";
}

async function consent(given) {
  await post("/consent", { consent: given });
  await showConsent();
}

async function showChecks() {
  const { checks } = await get("/checks");
  const mark = (check) => (check.ok ? "✓" : check.optional ? "–" : "✗");
  fill(the("checks"), checks.map((check) => make("li", { "data-mark": mark(check) }, `${check.title ?? check.name}: ${check.detail}`,
    !check.ok && check.remedy && make("div", { class: "quiet" }, `→ ${check.remedy}`))));
}

async function showModels() {
  const { stored, work } = await get("/models");
  fill(the("models"), stored.length ? stored.map((model) => make("li", {}, make("strong", {}, model.name), ` ${figure(model.size / 1e6)} MB`, make("div", { class: "quiet" }, model.source)))
    : make("li", { class: "quiet" }, say("no_models")));
  tellWork(work);
  if (work?.state === "running") setTimeout(() => attempt(showModels), REFRESH);
}

/** What is fetched or measured: how far it is, what came of it. */
function tellWork(work) {
  const place = the("work");
  place.hidden = !work;
  if (!work) return;
  const share = work.total ? { max: work.total, value: work.done } : {};
  const isRunning = work.state === "running";
  place.className = work.state === "failed" ? "notice bad" : "notice";
  fill(place, make("strong", { dir: "auto" }, `${say(`work_${work.kind}`)}: ${work.subject}`), " ",
    isRunning && make("progress", { ...share, "aria-label": work.subject }), isRunning && work.total ? ` ${figure(work.done / 1e6)} / ${figure(work.total / 1e6)} MB` : "",
    work.message && make("div", { dir: "auto" }, work.message));
}

async function begin(path, body) {
  const kind = path.endsWith("pull") ? "pull" : "calibrate";
  try {
    tellWork(await post(path, body));
    setTimeout(() => attempt(showModels), REFRESH);
  } catch (error) {
    tellWork({ kind, subject: Object.values(body)[0], state: "failed", message: error.message });
  }
}

async function tryModel() {
  the("try").disabled = true;
  the("tried").textContent = say("model_asked");
  try {
    const { ok, detail, remedy } = await post("/models/try");
    the("tried").textContent = `${ok ? "✓" : "✗"} ${detail}${remedy ? ` → ${remedy}` : ""}`;
  } catch (error) {
    the("tried").textContent = error.message;
  } finally {
    the("try").disabled = false;
  }
}

async function makeKey() {
  tellKey(await post("/key"));
  the("key-public").focus(); // the button is gone, and the focus with it
}

function tellKey({ public_key: key }) {
  fill(the("key-public"), key ? make("code", {}, key) : say("no_key"));
  the("key-make").hidden = Boolean(key);
}

attempt(open);
