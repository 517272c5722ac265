// What works here, the person's yes or no to the web, and every setting with its value and origin.

import { attempt, fill, get, make, post, say, the } from "./room.js";

async function open() {
  the("consent-yes").addEventListener("click", () => attempt(() => consent(true)));
  the("consent-no").addEventListener("click", () => attempt(() => consent(false)));
  await Promise.all([attempt(showSettings), attempt(showConsent), attempt(showChecks)]);
  document.body.dataset.ready = "yes";
}

async function showSettings() {
  const { settings } = await get("/settings");
  fill(the("settings"), settings.map((row) => make("tr", {}, make("th", { scope: "row" }, make("code", {}, row.name)),
    make("td", {}, String(row.value)), make("td", {}, say(`origin_${row.origin}`)), make("td", {}, row.help))));
}

async function showConsent() {
  const { state, engines } = await get("/consent");
  the("consent-state").textContent = `${say(`consent_${state}`)} ${state === "off" ? "" : say("consent_whom", { engines: engines.join("、") })}`;
  the("consent-yes").disabled = state !== "not_asked";
  the("consent-no").disabled = state !== "given";
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

attempt(open);
