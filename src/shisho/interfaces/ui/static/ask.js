// Ask: the conversation, the question box, and the answer as it is made. `/a/<answer>` shows a conversation again, also in mid-run.

import { showAnswer, showFailure, showWorking } from "./answer.js";
import { chosenCorpora, chosenFilters, corpusName, describeLimits, documentCount, nameNoCorpus, openDocuments, refresh } from "./documents.js";
import { clearLog, showLog } from "./log.js";
import { address, announce, attempt, brief, figure, fill, get, keep, listed, make, markTab, post, recall, say, the, toast } from "./room.js";
import { openUploads } from "./uploads.js";

const BUDGETS = {
  fast: { max_rounds: 1, max_seconds: 30 },
  balanced: { max_rounds: 3, max_seconds: 120 },
  thorough: { max_rounds: 6, max_seconds: 600 },
};
const MAX_LETTERS = 2000; // as the server takes them
const SUMMARY_CALLS = 8; // three portions and the whole, each written and judged
const CHOICES = ["sources", "preset"]; // where to look and how deep, as this reader chose last
const DRAFT = "question"; // what is written and not asked yet is there again after another page of the room
const LOOK_AGAIN = 3000; // milliseconds
const narrow = matchMedia("(max-width: 720px)");
const here = () => location.pathname + location.search;
let opened = here(); // the address of what is shown
let conversation = null;
const running = new Set(); // answers that are being made: two where another window asks in this conversation too
const shown = new Map(); // the place of each answer that is there
let isAsking = false;
let carried = ""; // what limits the question before, and so the next
let older = null; // where the conversations before those that are listed begin
let anywhere = false; // the next is limited no more

async function open() {
  the("ask").addEventListener("submit", (sent) => { sent.preventDefault(); ask(); });
  the("question").addEventListener("keydown", (pressed) => {
    // While a conversion of kana is open, Enter ends that and sends nothing.
    if (pressed.key === "Enter" && !pressed.shiftKey && !pressed.isComposing) { pressed.preventDefault(); ask(); }
  });
  the("stop").addEventListener("click", () => attempt(stop));
  the("first-files").addEventListener("click", () => the("files").click());
  the("drop-limits").addEventListener("click", () => { anywhere = true; showCarried(); the("question").focus(); });
  document.addEventListener("limits", showCarried);
  document.addEventListener("documents", () => attempt(showStates));
  the("more-history").addEventListener("click", () => attempt(() => showHistory(older)));
  the("new").addEventListener("click", () => { location.assign("/"); });
  window.addEventListener("popstate", () => { if (here() !== opened) location.reload(); }); // not within the page
  the("question").value ||= recall("sessionStorage", DRAFT) ?? "";
  window.addEventListener("pagehide", () => keep("sessionStorage", DRAFT, the("question").value));
  for (const id of CHOICES) restoreChoice(the(id));
  if (narrow.matches) the("log-panel").open = false;
  // On a narrow screen the box below an answer is one line until its fields are used. Its button does not widen it: it would move away
  // from under the finger.
  the("ask").addEventListener("focusin", (event) => { if (event.target.matches("textarea, select, input")) the("ask").classList.add("in-use"); });
  the("ask").addEventListener("focusout", (event) => { if (!the("ask").contains(event.relatedTarget)) the("ask").classList.remove("in-use"); });
  for (const id of ["kind", "sections", "words"]) the(id).addEventListener("change", () => attempt(showCost));
  openUploads();
  const documents = openDocuments();
  const answerId = location.pathname.match(/^\/a\/([^/]+)$/)?.[1];
  if (answerId) await openConversation(answerId).catch(showMissing);
  await documents;
  if (narrow.matches && documentCount()) the("documents-panel").open = false;
  await attempt(showHistory);
  const asked = new URLSearchParams(location.search).get("q");
  if (!answerId && asked) { the("question").value = asked; await ask(); }
  else if (!answerId) welcome();
  document.body.dataset.ready = "yes";
}

const isReport = () => the("kind").value === "report";

/** A report or a summary shows what it takes of the model before it is asked for; a report reads documents alone. */
async function showCost() {
  const isSummary = the("kind").value === "summary";
  the("report-size").hidden = !isReport() && !isSummary;
  for (const label of the("report-size").querySelectorAll("label")) label.hidden = isSummary;
  if (isSummary) the("report-cost").textContent = say("summary_cost", { calls: figure(SUMMARY_CALLS) });
  the("sources").disabled = isReport();
  the("preset").disabled = isReport();
  if (!isReport()) return;
  try {
    const cost = await get(address("/reports/estimate", { sections: the("sections").value, words: the("words").value }));
    the("report-cost").textContent = say("report_cost", { calls: figure(cost.model_calls), most: figure(cost.max_model_calls), tokens: figure(cost.tokens) });
  } catch (error) {
    the("report-cost").textContent = error.message;
  }
}

/** Set a select to what was chosen last in this browser, and remember what is chosen from now on. */
function restoreChoice(select) {
  const last = recall("localStorage", select.id);
  if ([...select.options].some((option) => option.value === last)) select.value = last;
  select.addEventListener("change", () => keep("localStorage", select.id, select.value));
}

function welcome() {
  the("welcome").hidden = false;
  fill(the("examples"), ["example_1", "example_2", "example_3"].map((key) => make("li", {},
    make("button", { type: "button", onclick: () => { the("question").value = say(key); the("question").focus(); } }, say(key)))));
}

async function openConversation(answerId) {
  const { conversation_id: id, turns } = await get(`/conversations/${encodeURIComponent(answerId)}`);
  conversation = id;
  for (const turn of turns) {
    const place = addTurn(turn.question);
    showLimits(place, turn);
    if (!turn.answer_id) { fill(place, showFailure(say("no_answer"))); continue; }
    const handle = await get(address(`/answers/${turn.answer_id}`, { wait: 0 })).catch((error) => error);
    if (handle instanceof Error) fill(place, showFailure(handle.message));
    else if (handle.answer) showWhole(handle.answer, place);
    else follow(turn.answer_id, place);
  }
  the("turns").lastChild?.scrollIntoView({ block: "start" }); // what was filled in above it has moved it
  const last = turns.at(-1)?.answer_id;
  if (last) await attempt(() => showLogOf(last, the("turns").lastChild.lastChild));
}

/** There is nothing at this address for whoever reads it. */
function showMissing(error) {
  fill(the("turns"), make("li", {}, showFailure(error.status === 404 ? say("no_conversation") : error.message), make("a", { href: "/" }, say("new_conversation"))));
}

/** A place for an answer, below its question. */
function addTurn(question) {
  the("welcome").hidden = true;
  const place = make("div", {});
  const turn = make("li", { class: "turn" }, make("p", { class: "asked", dir: "auto" }, question), place);
  the("turns").append(turn);
  turn.scrollIntoView({ block: "start" });
  return place;
}

/** Say below a question to which documents it was limited: also where that comes from the question before it. */
function showLimits(place, turn) {
  const limits = describeLimits(turn);
  carried = limits;
  showCarried();
  if (limits) place.before(make("p", { class: "limits quiet", dir: "auto" }, say("limited_to", { limits })));
}

/** Say above the question box what the next question would be limited to by the one before it, and let that be dropped. */
function showCarried() {
  const isOverruled = describeLimits({ corpora: chosenCorpora(), filters: chosenFilters() }) !== "";
  the("carried").hidden = !carried || isOverruled;
  the("carried-limits").textContent = anywhere ? say("asks_all") : say("still_limited", { limits: carried });
  the("drop-limits").hidden = anywhere;
}

/** Ask what is written, once: it may take a moment until it is clear that it may be asked. */
async function ask() {
  const question = the("question").value.trim();
  if (running.size) toast(say("still_answering"));
  if (!question || running.size || isAsking) return;
  const { length } = Array.from(question);
  if (length > MAX_LETTERS) { tellNotice(say("too_long", { most: figure(MAX_LETTERS), n: figure(length) })); return; }
  isAsking = true;
  try {
    await send(question, isReport() ? "documents" : the("sources").value);
  } finally {
    isAsking = false;
  }
}

async function send(question, sources) {
  const agreed = sources === "documents" ? sources : await askConsent(sources);
  if (!agreed) return;
  if (!isReport()) the("sources").value = agreed;
  the("notice").hidden = true;
  const place = addTurn(question);
  the("question").value = "";
  if (narrow.matches) the("question").blur(); // the answer needs the room of the keyboard
  fill(place, showWorking(say("thinking")));
  try {
    const handle = await post("/answers", {
      question, sources: agreed, wait: 0, ...chosenKind(), corpora: chosenCorpora(), filter_conditions: chosenFilters(), anywhere,
      ...(conversation ? { conversation_id: conversation } : {}),
    });
    conversation = handle.conversation_id || conversation || handle.answer_id;
    anywhere = false;
    the("kind").value = "auto"; // what follows is seldom another report
    attempt(showCost);
    // An address that asks stays nowhere behind: going back to it would ask again.
    history[location.search ? "replaceState" : "pushState"]({}, "", `/a/${handle.answer_id}`);
    opened = here();
    follow(handle.answer_id, place);
    attempt(async () => { showLimits(place, (await get(`/conversations/${handle.answer_id}`)).turns.at(-1)); });
  } catch (error) {
    place.parentElement.remove(); // it was not asked
    if (error.code === "EMPTY_CORPUS" && agreed === "documents") noDocuments();
    else tellNotice(error.message);
    the("question").value ||= question;
  }
}

/** What is asked for besides the question: its kind, and how much may be spent on it. */
function chosenKind() {
  const kind = the("kind").value;
  if (kind === "report") return { kind, sections: Number(the("sections").value), words: Number(the("words").value) };
  return { kind, budget: BUDGETS[the("preset").value] };
}

/** Say that there is nothing to ask; of a named corpus, offer to ask all of them. */
function noDocuments() {
  const corpus = corpusName();
  const choose = make("button", { type: "button", onclick: () => the("files").click() }, say("choose_files"));
  const askAll = make("button", { type: "button", onclick: () => attempt(async () => { await nameNoCorpus(); the("notice").hidden = true; the("question").focus(); }) }, say("ask_all_corpora"));
  tellNotice(corpus ? say("no_documents_in", { corpus }) : say("no_documents_yet"), " ", corpus ? askAll : choose);
}

/** Say above the question box why what stands there is not asked. */
function tellNotice(...parts) {
  the("notice").hidden = false;
  fill(the("notice"), parts);
}

/** Where the question may be asked: the web after a yes only, and the dialog says what would go out and to whom. A no leaves the
documents; null where nobody has said either. */
async function askConsent(sources) {
  const consent = await get("/consent").catch(() => null);
  if (!consent || consent.state === "given") return sources;
  if (consent.state === "off") { toast(say("web_is_off")); return null; }
  const dialog = the("consent");
  the("consent-whom").textContent = say("consent_whom", { engines: listed(consent.engines) });
  dialog.returnValue = ""; // else Escape would say what was said before
  dialog.showModal();
  await new Promise((give) => dialog.addEventListener("close", give, { once: true }));
  if (dialog.returnValue === "no") return "documents";
  if (dialog.returnValue !== "yes") { toast(say("not_asked")); return null; }
  return (await attempt(() => post("/consent", { consent: true }))) ? sources : null;
}

/** Show an answer as it is made: steps, checked sentences one by one, then all of it. A lost connection is taken up
where it broke off, which EventSource does by itself with the id of the last event. */
function follow(answerId, place) {
  running.add(answerId);
  the("stop").hidden = false;
  the("send").disabled = true;
  markTab(true);
  const lines = make("ul", { class: "draft", "aria-live": "polite" });
  const state = showWorking(say("thinking"));
  fill(place, state, make("div", { class: "answer", hidden: true }, make("p", { class: "quiet" }, say("so_far")), lines));
  const events = new EventSource(`/api/v1/answers/${answerId}/events`);
  let isAway = false;
  let reason = ""; // why a model wants another round
  events.addEventListener("open", () => {
    if (isAway) state.lastChild.textContent = say("thinking");
    isAway = false;
  });
  events.addEventListener("step", (event) => {
    const step = JSON.parse(event.data);
    if (step.domain) fill(state.lastChild, say("person_asked", { domain: step.domain }), " ", make("a", { href: "/queue" }, say("page_queue")));
    else if (step.section) {
      state.dataset.section = step.section;
      state.lastChild.textContent = say("report_at", { n: figure(step.section), of: figure(step.sections) });
    }
    else if (step.node && !state.dataset.section) {
      if (step.verdict) reason = step.verdict.model_reason;
      fill(state.lastChild, say(`node_${step.node}`, { n: step.step }), reason && make("span", { class: "quiet", dir: "auto" }, ` ${reason}`));
    }
    else if (step.kind === "search_queue") state.lastChild.textContent = say("web_searched", { query: step.subject });
    followLog(answerId);
  });
  events.addEventListener("sentence", (event) => {
    lines.parentElement.hidden = false;
    lines.append(make("li", { dir: "auto" }, JSON.parse(event.data).text));
  });
  events.addEventListener("answer", () => { events.close(); showEnd(answerId, place); });
  events.addEventListener("error", (event) => {
    if (event.data) {
      events.close();
      fail(answerId, place, JSON.parse(event.data).message);
    } else if (events.readyState === EventSource.CLOSED) {
      setTimeout(() => lookAgain(answerId, place), LOOK_AGAIN);
    } else { // the browser connects again by itself
      isAway = true;
      state.lastChild.textContent = say("no_connection");
    }
  });
}

/** The news were refused, as while a server starts, or have all been heard: the answer itself says how it is. */
async function lookAgain(answerId, place) {
  try {
    const { answer } = await get(address(`/answers/${answerId}`, { wait: 0 }));
    if (answer) await showEnd(answerId, place);
    else follow(answerId, place);
  } catch (error) {
    if (error.status && error.status < 500) { fail(answerId, place, error.message); return; }
    fill(place, showWorking(error.message));
    setTimeout(() => lookAgain(answerId, place), LOOK_AGAIN);
  }
}

async function showEnd(answerId, place) {
  let answer;
  try {
    ({ answer } = await get(address(`/answers/${answerId}`, { wait: 5 })));
  } catch {
    await lookAgain(answerId, place);
    return;
  }
  end(answerId);
  if (answer) showWhole(answer, place);
  else fill(place, showFailure(say("no_answer")));
  if (answer?.evidence.some((one) => one.source_url)) attempt(refresh); // pages of the web are documents now
  if (answer) announce(say(answer.loop_stop === "STOPPED" ? "answer_stopped" : "answer_there", { level: say(`level_${answer.level}`) }));
  place.parentElement.scrollIntoView({ block: "start" });
  await attempt(async () => { await showLogOf(answerId, place); await showHistory(); });
}

function fail(answerId, place, message) {
  end(answerId);
  fill(place, showFailure(message));
}

function end(answerId) {
  running.delete(answerId);
  if (running.size) return;
  if (document.activeElement === the("stop")) the("question").focus();
  the("stop").hidden = true;
  the("send").disabled = false;
  markTab(false);
}

/** What has become of the documents that the shown answers quote. */
async function showStates() {
  for (const [answerId, place] of shown) {
    const { answer } = await get(address(`/answers/${answerId}`, { wait: 0 }));
    if (answer && !running.has(answerId)) showWhole(answer, place);
  }
}

function showWhole(answer, place) {
  shown.set(answer.id, place);
  fill(place, showAnswer(answer, goOn(place)));
}

/** How a question that was stopped is gone on with, where its answer stands. */
const goOn = (place) => (answer) => attempt(async () => {
  await post(`/answers/${answer.id}/resume`);
  follow(answer.id, place);
});

async function stop() {
  the("stop").disabled = true;
  try {
    await Promise.all([...running].map((answerId) => post(`/answers/${answerId}/stop`)));
  } finally {
    the("stop").disabled = false;
  }
}

let logTimer = 0;

/** The log a moment later: steps come faster than anybody reads. */
function followLog(answerId) {
  logTimer ||= setTimeout(() => { logTimer = 0; if (running.has(answerId)) attempt(() => showLogOf(answerId)); }, 300);
}

/** `place`: where the answer stands, once it is there; below it stands what a person could do for it. */
async function showLogOf(answerId, place = null) {
  const log = await get(`/answers/${answerId}/log`);
  showLog(log);
  const isPersonNeeded = log.web.some((round) => round.gaps.some((gap) => gap.why === "person"));
  if (place && isPersonNeeded) place.append(make("p", { class: "notice" }, say("person_needed"), " ", make("a", { href: "/queue" }, say("page_queue"))));
}

/** The latest conversations, or those that come after `from`. */
async function showHistory(from = null) {
  const page = await get(address("/conversations", { limit: 30, cursor: from }));
  if (from && from !== older) return; // asked for twice
  if (!from) fill(the("history"));
  older = page.cursor;
  the("more-history").hidden = !page.more;
  the("history").append(...page.conversations.map((row) => make("li", {}, make("a", { href: `/a/${row.last_answer_id ?? row.conversation_id}`, dir: "auto" }, brief(row.question)),
    " ", make("span", { class: "quiet" }, row.turns > 1 ? say("turns_n", { n: row.turns }) : ""))));
}

clearLog();
open();
