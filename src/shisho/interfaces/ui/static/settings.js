// What works here, the person's yes or no to the web, and every setting with its value and origin.

import { attempt, figure, fill, get, labelCells, listed, make, post, say, the } from "./room.js";

const REFRESH = 1000; // milliseconds

async function open() {
  the("consent-yes").addEventListener("click", () => attempt(() => consent(true)));
  the("consent-no").addEventListener("click", () => attempt(() => consent(false)));
  the("key-make").addEventListener("click", () => attempt(makeKey));
  const isHost = the("settings") !== null; // guests of a server see neither its settings nor its models
  if (isHost) listenToHost();
  await Promise.all([attempt(showConsent), attempt(async () => tellKey(await get("/key"))), ...(isHost ? [attempt(showSettings), attempt(showModels), attempt(async () => showModel(await get("/model")))] : [])]);
  if (isHost) attempt(showChecks); // calls a model, which may take its time
  document.body.dataset.ready = "yes";
}

function listenToHost() {
  the("try").addEventListener("click", () => sendModel("/models/try"));
  the("model").addEventListener("submit", (sent) => { sent.preventDefault(); sendModel("/model"); });
  the("model-provider").addEventListener("change", enableModel);
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

/** The language model that is set, and those of servers on this machine. */
function showModel({ model, url, has_key: hasKey, local }) {
  writeModel(model, url);
  the("model-secret").value = "";
  the("model-secret").placeholder = hasKey ? say("model_key_set") : "";
  fill(the("model-found"), local.map((other) => {
    const use = make("button", { type: "button" }, say("model_use"));
    use.addEventListener("click", () => writeModel(other.name, other.url));
    return make("li", {}, make("strong", {}, other.name), ` ${other.server} `, use);
  }));
}

function writeModel(model, url) {
  const [provider, ...name] = model.split("/");
  the("model-provider").value = provider;
  the("model-of").value = name.join("/");
  the("model-url").value = url;
  enableModel();
}

function enableModel() {
  const isNone = the("model-provider").value === "none";
  for (const part of ["model-of", "model-url", "model-secret", "try"]) the(part).disabled = isNone;
  the("model-of").required = !isNone;
}

/** Save the model or try it, as the form has it. An empty key keeps the stored one. */
async function sendModel(path) {
  if (!the("model").reportValidity()) return;
  const provider = the("model-provider").value;
  const model = provider === "none" ? "none" : `${provider}/${the("model-of").value.trim()}`;
  const secret = the("model-secret").value;
  the("try").disabled = true;
  the("tried").textContent = say("model_asked");
  try {
    const reply = await post(path, { model, url: the("model-url").value.trim(), ...(secret && { key: secret }) });
    if (path === "/model") {
      showModel(reply);
      the("tried").textContent = `✓ ${say("model_saved")}`;
      attempt(showSettings);
    } else {
      the("tried").textContent = `${reply.ok ? "✓" : "✗"} ${reply.detail} ${reply.remedy}`;
    }
  } catch (error) {
    the("tried").textContent = error.message;
  } finally {
    enableModel();
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
