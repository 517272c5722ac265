// The library: passages found while one types, and all documents with what is known of them.

import { address, announce, attempt, baseName, brief, call, figure, fileName, fill, get, keepLooking, labelCells, make, named, post, say, sayPlace, the } from "./room.js";

const REFRESH = 4000; // milliseconds
const ENOUGH_UNREAD = 20; // files that could not be read, to be shown at once
const ENOUGH_REMOVED = 20; // documents
const unread = { cursor: null, names: new Set() };
const removed = { cursor: null, looks: 0 };
let cursor = null;
let shownFolders = "";
let count = 0;
let looks = 0;
let asked = 0;
let timer = 0;
let readOnly = new Set(); // corpora of others, to read alone

async function open() {
  the("words").addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(() => attempt(search), 250); });
  the("search").addEventListener("submit", (sent) => { sent.preventDefault(); attempt(search); });
  the("corpus").addEventListener("change", () => attempt(() => Promise.all([search(), list(null), listRemoved(null)])));
  the("more-documents").addEventListener("click", () => attempt(() => list(cursor)));
  the("more-removed").addEventListener("click", () => attempt(() => listRemoved(removed.cursor)));
  the("more-unread").addEventListener("click", () => attempt(showUnread));
  the("watch").addEventListener("submit", (sent) => { sent.preventDefault(); watch(); });
  the("words").value = new URLSearchParams(location.search).get("q") ?? "";
  const { corpora } = await get("/corpora");
  readOnly = new Set(corpora.filter((corpus) => !corpus.is_writable).map((corpus) => corpus.name));
  the("corpus").append(...corpora.map((corpus) => make("option", { value: corpus.name }, `${corpus.name} (${corpus.documents})`)));
  the("corpus-names").append(...corpora.map((corpus) => make("option", { value: corpus.name })));
  await Promise.all([list(null), listRemoved(null), attempt(search), attempt(showFolders), attempt(showUnread), attempt(showEmbedding)]);
  keepLooking(() => Promise.all([showFolders(), showEmbedding()]), REFRESH);
  document.body.dataset.ready = "yes";
}

const chosenCorpora = () => (the("corpus").value ? [the("corpus").value] : []);

async function search() {
  const words = the("words").value.trim();
  const turn = ++asked;
  history.replaceState({}, "", address("/library", { q: words })); // going back from a hit leads here
  if (!words) { fill(the("hits")); the("search-state").textContent = ""; return; }
  const found = await post("/passages/search", { keyword_query: [words], corpora: chosenCorpora() });
  if (turn !== asked) return; // more was typed meanwhile
  the("search-state").textContent = found.passages.length ? say("passages_n", { n: found.passages.length }) : say("no_passages");
  fill(the("hits"), found.passages.map(hit));
}

function hit(passage) {
  const where = [baseName(passage.source), passage.heading === passage.title ? "" : brief(passage.heading), sayPlace(passage.place) || (passage.page ? say("page_n", { n: passage.page }) : "")];
  return make("li", {}, make("a", { href: `/d/${passage.document}#page=${passage.page ?? 1}`, dir: "auto" }, brief(passage.title)),
    make("div", { class: "quiet", dir: "auto" }, where.filter(Boolean).join(" · ")), passage.code ? make("pre", {}, passage.quoted_text) : make("p", { dir: "auto" }, passage.quoted_text),
    make("div", { class: "quiet parts" }, make("span", {}, `${say("score")} ${figure(passage.score * 100)}`),
      Object.entries(passage.parts).map(([name, value]) => make("span", {}, `${named("part", name)} ${value.toFixed(2)}`))));
}

/** List what stands after `from`; all anew where that is nothing. Of several lists at once the last is shown. */
async function list(from) {
  const look = ++looks;
  const page = await get(address("/documents", { limit: 100, cursor: from, corpora: the("corpus").value }));
  if (look !== looks) return;
  if (!from) { count = 0; fill(the("documents")); }
  cursor = page.cursor;
  count += page.documents.length;
  the("documents").append(...page.documents.map(row));
  labelCells(the("documents"));
  if (!count) fill(the("documents"), make("tr", {}, make("td", { colspan: 7, class: "quiet" }, say("no_documents"), " ", make("a", { href: "/" }, say("no_documents_how")))));
  the("more-documents").hidden = !page.more;
  the("document-count").textContent = say(page.more ? "at_least" : "documents_n", { n: count });
}

function row(entry) {
  const state = [say(`source_${entry.state}`), ...entry.warnings];
  return make("tr", {}, make("td", { dir: "auto" }, make("a", { href: `/d/${entry.id}` }, brief(entry.title || baseName(entry.source)))),
    make("td", { dir: "auto" }, fileName(entry.source)), make("td", {}, entry.corpus), make("td", { class: "number" }, entry.page_count ?? "–"),
    make("td", { class: "number" }, figure(entry.passage_count)), make("td", {}, state.join(" · ")),
    make("td", {}, make("a", { href: `/d/${entry.id}` }, say("open"))));
}

/** List what was taken out and can be brought back, after `from`; all anew where that is nothing. */
async function listRemoved(from) {
  const look = ++removed.looks;
  const page = await get(address("/documents", { removed: true, limit: ENOUGH_REMOVED, cursor: from, corpora: the("corpus").value }));
  if (look !== removed.looks) return;
  if (!from) fill(the("removed"));
  removed.cursor = page.cursor;
  the("removed").append(...page.documents.map(removedDocument));
  the("more-removed").hidden = !page.more;
  the("removed-section").hidden = !the("removed").children.length;
}

function removedDocument(entry) {
  const title = brief(entry.title || baseName(entry.source));
  const about = [fileName(entry.source), `${say("corpus")}: ${entry.corpus}`];
  return make("li", {}, make("a", { href: `/d/${entry.id}`, dir: "auto" }, title), make("div", { class: "quiet", dir: "auto" }, about.join(" · ")),
    !readOnly.has(entry.corpus) && make("div", { class: "row" },
      make("button", { type: "button", "aria-label": say("restore_this", { title }), onclick: () => attempt(() => restore(entry, title)) }, say("restore"))));
}

async function restore(entry, title) {
  await post(`/documents/${encodeURIComponent(entry.id)}/restore`);
  announce(say("restored", { title }));
  await Promise.all([list(null), listRemoved(null)]);
  (the("removed").querySelector("button") ?? the("documents").querySelector("a"))?.focus(); // the button that was pressed is gone
}

async function showFolders() {
  tellFolders(await get("/folders"));
}

function tellFolders({ folders }) {
  if (JSON.stringify(folders) === shownFolders) return; // what is open or has the focus stays as it is
  shownFolders = JSON.stringify(folders);
  fill(the("folders"), folders.length ? folders.map(folder) : make("li", { class: "quiet" }, say("no_folders")));
}

function folder(row) {
  const forget = () => attempt(async () => tellFolders(await call("DELETE", address("/folders", { path: row.path }))));
  const about = [say("documents_all", { n: row.documents }), `${say("corpus")}: ${row.corpus}`];
  return make("li", { "data-folder": row.path }, make("strong", { dir: "auto" }, row.path), " ", make("span", { class: `state ${row.state}` }, say(`folder_${row.state}`)),
    make("div", { class: "quiet" }, about.join(" · ")), row.trouble && make("div", { class: "notice bad", dir: "auto" }, row.trouble),
    row.failed.length > 0 && make("details", {}, make("summary", {}, say("unread_n", { n: row.failed.length })),
      make("ul", {}, row.failed.map((receipt) => make("li", { dir: "auto" }, `${baseName(receipt.source)}: ${receipt.reason}`)))),
    make("div", { class: "row" }, make("button", { type: "button", onclick: forget }, say("folder_forget"))));
}

async function watch() {
  const trouble = the("folder-trouble");
  trouble.hidden = true;
  try {
    tellFolders(await post("/folders", { path: the("folder-path").value.trim(), corpus: the("folder-corpus").value.trim() || "default" }));
    the("watch").reset();
  } catch (error) {
    trouble.hidden = false;
    trouble.textContent = error.message;
  }
}

/** Files that were handed in and cannot be read, the latest first, until some are found: what to do stands in the reason. */
async function showUnread() {
  the("more-unread").disabled = true;
  try {
    const fresh = [];
    do {
      const page = await get(address("/tasks", { limit: 100, cursor: unread.cursor }));
      unread.cursor = page.cursor;
      fresh.push(...await findFailures(page.tasks));
    } while (unread.cursor && fresh.length < ENOUGH_UNREAD);
    const missing = await Promise.all(fresh.map(isMissing));
    the("unread").append(...fresh.filter((_, index) => missing[index]).map(unreadFile));
    the("more-unread").hidden = !unread.cursor;
    the("unread-section").hidden = !the("unread").children.length && !unread.cursor;
  } finally {
    the("more-unread").disabled = false;
  }
}

/** The files that failed in these tasks. One that was tried again and again is told once, as it was the last time. */
async function findFailures(tasks) {
  const failed = tasks.filter((task) => task.failed && !task.question);
  const statuses = await Promise.all(failed.map((task) => get(address(`/tasks/${task.task_id}`, { wait: 0 }))));
  const failures = statuses.flatMap((status) => status.errors.map((error) => ({ name: error.url ?? error.query ?? "", since: status.created_at, ...error })));
  const unreadable = failures.filter(({ code }) => code !== "NAME_TAKEN");
  return unreadable.filter(({ name }) => !unread.names.has(name) && unread.names.add(name));
}

/** False for a file that has been taken in since. */
async function isMissing({ name, since }) {
  try {
    return (await get(`/documents/${encodeURIComponent(name)}`)).added_at < since;
  } catch {
    return true;
  }
}

function unreadFile({ name, code, reason }) {
  const isLocked = code === "DOCUMENT_ENCRYPTED"; // the reason tells what to do in a shell
  return make("li", { dir: "auto" }, make("strong", {}, fileName(name)),
    make("div", {}, isLocked ? say("password_at_ask") : reason, " ", isLocked && make("a", { href: "/" }, say("page_ask"))));
}

/** How far the vectors are, as long as some are missing. */
async function showEmbedding() {
  const { embedding } = await get("/models");
  the("embedding").textContent = embedding && embedding.done < embedding.total ? say("embedding_n", { done: figure(embedding.done), total: figure(embedding.total) }) : "";
}

attempt(open);
