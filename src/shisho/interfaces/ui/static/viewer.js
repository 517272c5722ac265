// The viewer: a page as it is printed, the characters of a quotation lit, a text layer to select and read aloud.
// The exact characters are lit or nothing; where a box is not known, the page says so.

import { whereabouts, viewerAddress } from "./answer.js";
import { address, announce, attempt, baseName, brief, figure, fileName, fill, get, make, request, say, the, webLink } from "./room.js";

const STEPS = [800, 1200, 1600, 2400];
const BEFORE = 50_000; // of a very long text so many characters come before the place that is asked for
let entry = null;
let evidences = [];
let answerId = "";
let noEvidence = ""; // why the quotation that is asked for cannot be shown
let page = 1;
let drawn = 0;

async function open() {
  const [, kind, id] = location.pathname.split("/");
  if (kind === "e") return openEvidence(id);
  answerId = new URLSearchParams(location.search).get("a") ?? "";
  entry = await get(`/documents/${id}`);
  showHead();
  await loadEvidences();
  listen();
  if (entry.viewable === "pages") showThumbnails();
  else document.querySelector(".viewer-body").classList.add("no-pages");
  await show();
  document.body.dataset.ready = "yes";
}

/** `/e/<evidence>` leads to its document. */
async function openEvidence(id) {
  const evidence = await get(`/evidence/${id}`);
  location.replace(viewerAddress(evidence, ""));
}

/** What a document is called; of one that is purged nothing is known any more. */
const nameOf = ({ title, source }) => title || baseName(source) || say("source_erased");

function showHead() {
  the("document-title").textContent = brief(nameOf(entry));
  the("document-title").title = nameOf(entry);
  document.title = `${brief(nameOf(entry))} · ${document.title}`;
  const about = [entry.metadata.author, entry.metadata.year, fileName(entry.source), entry.page_count && say("pages_n", { n: entry.page_count }),
    entry.state !== "live" && say(`source_${entry.state}`)];
  the("document-about").textContent = about.filter(Boolean).join(" · ");
  the("page-count").textContent = entry.page_count ? `/ ${entry.page_count}` : "";
  the("page-number").max = entry.page_count ?? 1;
  if (answerId) fill(the("back"), say("back_to_answer")).href = `/a/${encodeURIComponent(answerId)}`;
  the("page-controls").hidden = !entry.page_count;
  the("text-toggle").hidden = entry.viewable !== "pages"; // else the text is what is shown
  const link = webLink(entry.source);
  if (link) { the("live").href = link; the("live").hidden = false; }
  if (entry.viewable !== "pages" && entry.why) note(entry.why);
}

async function loadEvidences() {
  if (answerId) {
    const handle = await get(address(`/answers/${encodeURIComponent(answerId)}`, { wait: 0 })).catch(() => null);
    evidences = handle?.answer?.evidence ?? [];
  }
  const current = wanted().evidence;
  if (current && !evidences.some((evidence) => evidence.id === current)) {
    const evidence = await get(`/evidence/${encodeURIComponent(current)}`).catch((error) => { noEvidence = error.message; });
    evidences = evidence ? [evidence] : evidences;
  }
}

/** What the part of the address behind # asks for. */
function wanted() {
  const parts = new URLSearchParams(location.hash.slice(1));
  const [start, end] = (parts.get("at") ?? "").split("-").map(Number);
  return {
    page: Math.trunc(Number(parts.get("page"))) || 1, evidence: parts.get("e") ?? "", from: Math.trunc(Number(parts.get("from"))) || null,
    span: Number.isInteger(start) && end > start ? { start, end } : null,
  };
}

async function show() {
  const ask = wanted();
  const evidence = evidences.find((row) => row.id === ask.evidence) ?? null;
  page = Math.min(Math.max(1, ask.page), entry.page_count ?? 1);
  showPlace(evidence);
  const turn = ++drawn;
  const span = evidence?.document_id === entry.id ? evidence : ask.span;
  try {
    const at = span?.start ?? ask.from;
    const layout = await get(address(`/documents/${entry.id}/pages/${page}/layout`, { at: entry.viewable === "pages" ? null : at }));
    const boxes = entry.viewable === "pages" ? await boxesOf(evidence, ask.span).catch(unlit) : null;
    if (turn !== drawn) return; // another page was asked for meanwhile
    if (layout.width && entry.viewable === "pages") showPage(layout, boxes);
    else showText(layout, span);
    showPane(layout, span);
    if (ask.evidence && !evidence && noEvidence) note(noEvidence, true);
    if (ask.from) scrollTo(0, 0);
  } catch (error) {
    if (turn !== drawn) return;
    fill(the("stage")); // else another page would stand below the number of this one
    fill(the("text-pane"));
    note(error.message, true);
  }
}

/** Nothing is lit; the page can be read all the same. */
const unlit = (error) => ({ boxes: [], page, exact: false, why: error.message });

/** Where the characters of a quotation, or of what was found, stand. */
async function boxesOf(evidence, span) {
  if (evidence?.document_id === entry.id) return get(`/evidence/${evidence.id}/boxes`);
  return span && get(address(`/documents/${entry.id}/boxes`, span));
}

function showPlace(evidence) {
  the("page-number").value = page;
  the("page-before").disabled = page <= 1;
  the("page-after").disabled = page >= (entry.page_count ?? 1);
  const index = evidences.indexOf(evidence);
  the("evidence-number").textContent = evidences.length ? say("evidence_of", { n: index < 0 ? "–" : evidences[index].number, all: evidences.length }) : "";
  the("evidence-before").disabled = index <= 0;
  the("evidence-after").disabled = !evidences.length || index >= evidences.length - 1;
  if (evidence) {
    the("evidence-number").title = whereabouts(evidence);
    announce(say("lit_words", { n: evidence.number, text: brief(evidence.snippet, 300) })); // the boxes that are lit are seen alone
  }
  for (const link of the("thumbnails").children) {
    link.tabIndex = Number(link.dataset.page) === page ? 0 : -1; // Tab leads past a thousand pages at once, ←/→ through them
    if (Number(link.dataset.page) === page) { link.setAttribute("aria-current", "true"); link.scrollIntoView({ block: "nearest", inline: "nearest" }); }
    else link.removeAttribute("aria-current");
  }
}

function showPage(layout, boxes) {
  const room = the("stage").clientWidth;
  const most = Math.min(room, layout.width * 2, layout.width > layout.height ? 1200 : 900);
  const width = STEPS.find((step) => step >= most * devicePixelRatio) ?? STEPS.at(-1);
  const picture = `/documents/${entry.id}/pages/${page}/image?width=${width}`;
  const tellWhy = () => request("GET", picture).catch((error) => note(error.message, true));
  const sheet = make("div", { class: "page", "data-page": page, role: "img", "aria-label": say("page_of", { n: page, title: brief(nameOf(entry)) }) }, make("img", { src: `/api/v1${picture}`, alt: "", onerror: tellWhy }));
  sheet.style.width = `${most}px`;
  sheet.style.aspectRatio = `${layout.width} / ${layout.height}`;
  sheet.removeAttribute("role");
  for (const box of boxes?.boxes ?? []) sheet.append(patch("lit", box, layout));
  sheet.append(letters(layout));
  fill(the("stage"), sheet);
  the("lit-note").hidden = true;
  if (boxes && boxes.page === page && !boxes.exact) note(boxes.why || say("not_lit"));
  sheet.querySelector(".lit")?.scrollIntoView({ block: "center", inline: "nearest" });
}

function patch(name, [left, top, right, bottom], layout) {
  const element = make("div", { class: name });
  place(element, left, top, right - left, bottom - top, layout);
  return element;
}

function place(element, left, top, width, height, layout) {
  element.style.left = `${(100 * left) / layout.width}%`;
  element.style.top = `${(100 * top) / layout.height}%`;
  element.style.width = `${(100 * width) / layout.width}%`;
  element.style.height = `${(100 * height) / layout.height}%`;
}

/** Every line where it is printed, unseen, stretched to its box: to select, copy, search and read aloud. */
function letters(layout) {
  const layer = make("div", { class: "letters" });
  for (const line of layout.lines) {
    if (!line.box) continue;
    const [left, top, right, bottom] = line.box;
    const span = make("span", { dir: "auto" }, line.text, "\n");
    const isVertical = bottom - top > 2 * (right - left) && line.text.trim().length > 2;
    const size = isVertical ? right - left : bottom - top;
    place(span, left, top, right - left, bottom - top, layout);
    if (isVertical) span.style.writingMode = "vertical-rl";
    span.style.fontSize = `${(100 * size * 0.86) / layout.width}cqw`;
    layer.append(span);
  }
  return layer;
}

/** A document without pages to draw: its stored text with the quotation marked. */
function showText(layout, span) {
  const text = make("article", { class: "stored", dir: "auto", lang: entry.metadata.language ?? null });
  fill(text, marked(layout, span));
  fill(the("stage"), stretches(layout), text, stretches(layout));
  text.querySelector("mark")?.scrollIntoView({ block: "center" });
}

/** Which part of a very long text is shown, and the way to what stands before and after it. */
function stretches(layout) {
  if (layout.start <= layout.page_start && layout.end >= layout.page_end) return null;
  const link = (offset, words) => make("a", { href: `#page=${page}&from=${Math.max(1, offset)}` }, words);
  return make("p", { class: "stretches row" },
    layout.start > layout.page_start && link(layout.start - (layout.end - layout.start) + BEFORE, say("text_before")),
    make("span", { class: "quiet" }, say("text_partly", { start: figure(layout.start + 1), end: figure(layout.end), all: figure(layout.page_end) })),
    layout.end < layout.page_end && link(layout.end + BEFORE, say("text_after")));
}

function marked(layout, span) {
  if (!span || span.start < layout.start || span.end > layout.end) return [layout.text];
  const [start, end] = [span.start, span.end].map((offset) => unitsBefore(layout.text, offset - layout.start));
  return [layout.text.slice(0, start), make("mark", {}, layout.text.slice(start, end)), layout.text.slice(end)];
}

/** Offsets of the API count characters; strings here count half of one beyond U+FFFF. */
function unitsBefore(text, characters) {
  let units = 0;
  for (let left = characters; left > 0 && units < text.length; left -= 1) units += text.codePointAt(units) > 0xffff ? 2 : 1;
  return units;
}

function showPane(layout, span) {
  fill(the("text-pane"), marked(layout, span));
  the("text-pane").querySelector("mark")?.scrollIntoView({ block: "nearest" });
}

function showThumbnails() {
  const links = Array.from({ length: entry.page_count ?? 0 }, (_, index) => make("a", { href: `#page=${index + 1}`, "data-page": index + 1 },
    make("img", { loading: "lazy", alt: "", src: `/api/v1/documents/${entry.id}/pages/${index + 1}/image?width=320` }), say("page_n", { n: index + 1 })));
  fill(the("thumbnails"), links);
}

function note(text, isBad = false) {
  the("lit-note").hidden = false;
  the("lit-note").className = isBad ? "notice bad" : "notice";
  the("lit-note").textContent = text;
}

function turnTo(number) {
  if (number >= 1 && number <= (entry.page_count ?? 1)) location.hash = `page=${number}`;
}

/** The page whose number is written in the box, or the nearest that is there. */
function turnToWritten() {
  const number = Math.round(Number(the("page-number").value)) || page;
  const nearest = Math.min(Math.max(1, number), entry.page_count ?? 1);
  the("page-number").value = nearest;
  turnTo(nearest);
}

function stepEvidence(by) {
  const index = evidences.findIndex((row) => row.id === wanted().evidence);
  const next = evidences[index < 0 ? 0 : index + by];
  if (!next) return;
  const target = viewerAddress(next, answerId);
  if (next.document_id === entry.id) location.hash = target.slice(target.indexOf("#"));
  else location.assign(target);
}

async function find(words) {
  if (!words.trim()) { the("matches").hidden = true; the("find-count").textContent = ""; return; }
  const { matches, more } = await get(address(`/documents/${entry.id}/find`, { q: words, limit: 50 }));
  the("find-count").textContent = say(more ? "at_least" : "matches_n", { n: matches.length });
  the("matches").hidden = !matches.length;
  fill(the("matches"), matches.map((match) => make("li", {}, make("a", { href: `#page=${match.page ?? 1}&at=${match.start}-${match.end}` }, match.page ? say("page_n", { n: match.page }) : say("open")),
    make("span", { dir: "auto" }, ` …${match.before}`, make("mark", {}, match.text), `${match.after}…`))));
}

function listen() {
  window.addEventListener("hashchange", show);
  the("page-before").addEventListener("click", () => turnTo(page - 1));
  the("page-after").addEventListener("click", () => turnTo(page + 1));
  the("page-number").addEventListener("change", turnToWritten);
  the("evidence-before").addEventListener("click", () => stepEvidence(-1));
  the("evidence-after").addEventListener("click", () => stepEvidence(1));
  the("find").addEventListener("submit", (sent) => { sent.preventDefault(); attempt(() => find(the("find-words").value)); });
  the("text-toggle").addEventListener("click", () => {
    const isShown = the("text-pane").hidden;
    the("text-pane").hidden = !isShown;
    the("text-toggle").setAttribute("aria-pressed", String(isShown));
    document.querySelector(".viewer-body").classList.toggle("with-pane", isShown);
    show();
  });
  document.addEventListener("keydown", pressed);
}

/** What was found is put away first. */
function leave() {
  if (the("matches").hidden) location.assign(the("back").href);
  else the("matches").hidden = true;
}

function pressed(key) {
  if (key.target.matches("input, textarea, select") || key.ctrlKey || key.metaKey || key.altKey) {
    if (key.key === "Escape") key.target.blur();
    return;
  }
  const acts = {
    j: () => stepEvidence(1), k: () => stepEvidence(-1), ArrowRight: () => turnTo(page + 1), ArrowLeft: () => turnTo(page - 1),
    "/": () => the("find-words").focus(), Escape: leave,
  };
  const act = acts[key.key];
  if (act) { key.preventDefault(); act(); }
}

/** Nothing can be shown: what happened stays on the page. Of what is not there the server says where a shell lists all. */
function showFailure(error) {
  the("document-title").textContent = say("page_viewer");
  document.querySelector(".viewer-tools").hidden = true;
  note(error.status === 404 ? say("no_document") : error.message, true);
  document.body.dataset.ready = "yes";
}

open().catch(showFailure);
