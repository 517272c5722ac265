// The documents panel: drop files and folders, see how far each has come, filter by what is said of them, remove and undo.

import { address, attempt, baseName, brief, call, figure, fileName, fill, get, listed, make, named, post, say, the, toast } from "./room.js";

const PAGE = 50;
const UNIQUE = ["title", "citation_key", "doi", "url", "isbn"]; // of one document each: its row in the list says them
const MOST_FIELDS = 4;
const MOST_VALUES = 6;
const LOOK = 1; // seconds between two looks at how far a file is read
const filters = new Map();
let cursor = null;
let count = 0;
let hasMore = false;
let looks = 0; // lists that were asked for: of several at once the last is shown
let unsent = 0; // files whose bytes are still here
let readOnly = new Set(); // corpora of others, to read alone

/** The conditions that the chips stand for, as the API takes them. */
export const chosenFilters = () => Object.fromEntries(filters);

/** What limits a question, as a person reads it; empty where nothing does. */
export function describeLimits({ corpora = [], filters = {} }) {
  const conditions = Object.entries(filters).map(([name, value]) => `${named("field", name)}: ${limitText(value)}`);
  return [...corpora.map((corpus) => `${say("corpus")}: ${corpus}`), ...conditions].join(" · ");
}

const limitText = (value) => (Array.isArray(value) ? listed(value) : typeof value === "string" ? value : `${value.low ?? ""}–${value.high ?? ""}`);

/** The corpora that a question is limited to: the one that is named, or none. */
export const chosenCorpora = () => (corpusName() ? [corpusName()] : []);

const corpusName = () => the("corpus").value.trim();

/** How many documents are known to be there. */
export const documentCount = () => count;

/** Show the panel and keep it. */
export async function openDocuments() {
  listenForFiles();
  the("more-documents").addEventListener("click", () => attempt(() => list(cursor)));
  the("corpus").addEventListener("change", () => { filters.clear(); tellLimits(); attempt(refresh); });
  await attempt(refresh);
}

/** What a question is limited to has changed. */
const tellLimits = () => document.dispatchEvent(new Event("limits"));

/** List anew, from the first. */
export const refresh = () => Promise.all([list(null), showChips()]);

async function showCorpora() {
  const { corpora } = await get("/corpora");
  readOnly = new Set(corpora.filter((corpus) => !corpus.is_writable).map((corpus) => corpus.name));
  fill(the("corpus-names"), corpora.map((corpus) => make("option", { value: corpus.name })));
}

/** List what stands after `from`; all anew where that is nothing. */
async function list(from) {
  const look = ++looks;
  const [page] = await Promise.all([get(address("/documents", { limit: PAGE, cursor: from, corpora: corpusName() })), showCorpora()]);
  if (look !== looks) return;
  if (!from) { count = 0; fill(the("documents")); }
  cursor = page.cursor;
  count += page.documents.length;
  hasMore = page.more;
  the("documents").append(...page.documents.map(row));
  the("more-documents").hidden = !hasMore;
  showCount();
}

function showCount() {
  the("document-count").textContent = count ? say(hasMore ? "at_least" : "documents_n", { n: count }) : "";
  the("first-step").hidden = count > 0;
  if (!count) fill(the("documents"), make("li", { class: "quiet" }, say("no_documents")));
}

const titleOf = (entry) => entry.title || baseName(entry.source);

function row(entry) {
  const isMine = !readOnly.has(entry.corpus);
  const about = [entry.page_count ? say("pages_n", { n: entry.page_count }) : "", fileName(entry.source), isMine ? "" : say("read_only", { corpus: entry.corpus })];
  const item = make("li", {},
    make("div", { class: "head" },
      make("a", { href: `/d/${entry.id}`, dir: "auto" }, brief(titleOf(entry))),
      isMine && make("button", { type: "button", class: "icon", "aria-label": say("remove_this", { title: brief(titleOf(entry)) }), title: say("remove"), onclick: () => askToRemove(entry, item) }, "✕")),
    make("div", { class: "quiet", dir: "auto" }, about.filter(Boolean).join(" · ")),
    entry.warnings.map((warning) => make("div", { class: "quiet" }, `⚠ ${warning}`)));
  return item;
}

function askToRemove(entry, item) {
  const dialog = make("dialog", { "aria-label": say("remove") },
    make("p", {}, say("remove_sure", { title: brief(titleOf(entry)) })),
    make("form", { method: "dialog", class: "row" },
      make("button", { value: "no" }, say("keep")), make("button", { value: "yes", class: "main" }, say("remove"))));
  dialog.addEventListener("close", () => {
    dialog.remove();
    if (dialog.returnValue === "yes") attempt(() => remove(entry, item));
  });
  document.body.append(dialog);
  dialog.showModal();
}

async function remove(entry, item) {
  await call("DELETE", `/documents/${encodeURIComponent(entry.id)}`);
  if (item.isConnected) { // else it was listed anew meanwhile
    const neighbour = item.nextElementSibling ?? item.previousElementSibling;
    item.remove();
    count -= 1;
    showCount();
    (neighbour?.querySelector("button") ?? the("choose-files")).focus(); // its own button is gone, and the focus with it
  }
  toast(say("removed", { title: brief(titleOf(entry), 60) }), say("undo"), () => attempt(async () => {
    await post(`/documents/${encodeURIComponent(entry.id)}/restore`);
    await refresh();
  }));
}

async function showChips() {
  const { fields } = await get(address("/metadata", { corpora: corpusName() })).catch(() => ({ fields: [] }));
  const useful = fields.filter((field) => field.distinct > 1 && !UNIQUE.includes(field.name)).slice(0, MOST_FIELDS);
  fill(the("chips"), useful.length > 0 && make("p", { class: "quiet" }, say("filters")), useful.map((field) => make("div", { class: "field", role: "group", "aria-label": named("field", field.name) },
    make("span", { class: "quiet" }, named("field", field.name)), field.values.slice(0, MOST_VALUES).map((value) => chip(field.name, value.value, value.documents)))));
}

function chip(name, value, uses) {
  const button = make("button", { type: "button", "aria-pressed": String(filters.get(name) === value), "data-field": name, title: say("documents_all", { n: uses }) }, value);
  button.addEventListener("click", () => {
    const isOn = filters.get(name) === value;
    if (isOn) filters.delete(name);
    else filters.set(name, value);
    for (const other of the("chips").querySelectorAll("button")) if (other.dataset.field === name) other.setAttribute("aria-pressed", "false");
    button.setAttribute("aria-pressed", String(!isOn));
    tellLimits();
  });
  return button;
}

function listenForFiles() {
  const drop = the("drop");
  the("choose-files").addEventListener("click", () => the("files").click());
  the("choose-folder").addEventListener("click", () => the("folder").click());
  for (const input of [the("files"), the("folder")]) {
    input.addEventListener("change", () => { addFiles([...input.files].map(pathed).filter(isPlain)); input.value = ""; });
  }
  const hasFiles = ({ dataTransfer }) => dataTransfer.types.includes("Files"); // else words are moved
  for (const event of ["dragenter", "dragover"]) {
    document.addEventListener(event, (moved) => { if (hasFiles(moved)) { moved.preventDefault(); drop.classList.add("over"); } });
  }
  window.addEventListener("beforeunload", (leaving) => { if (unsent) leaving.preventDefault(); });
  document.addEventListener("dragleave", (moved) => { if (!moved.relatedTarget) drop.classList.remove("over"); });
  document.addEventListener("drop", async (dropped) => {
    if (!hasFiles(dropped)) return;
    dropped.preventDefault();
    drop.classList.remove("over");
    addFiles(await filesOf(dropped.dataTransfer));
  });
}

/** A file with the path below what was handed in: two of one name in two folders are two documents. */
const pathed = (file) => ({ file, path: file.webkitRelativePath || file.name });

/** No file of a folder that is hidden or stands in a hidden one. */
const isPlain = ({ path }) => !path.split("/").slice(1).some((part) => part.startsWith("."));

/** All files that were dropped, those inside folders too; without a `file` what the browser cannot open. */
async function filesOf(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.length) return [...transfer.files].map(pathed);
  return (await Promise.all(entries.map(filesBelow))).flat().filter(isPlain);
}

async function filesBelow(entry) {
  const path = entry.fullPath.replace(/^\//, "");
  try {
    if (entry.isFile) return [{ file: await new Promise((give, fail) => entry.file(give, fail)), path }];
    return (await Promise.all((await entriesIn(entry)).map(filesBelow))).flat();
  } catch {
    return [{ file: null, path }];
  }
}

async function entriesIn(folder) {
  const reader = folder.createReader();
  const entries = [];
  for (;;) {
    const some = await new Promise((give, fail) => reader.readEntries(give, fail));
    if (!some.length) return entries;
    entries.push(...some);
  }
}

/** Take files in one after the other: a bad one never keeps its neighbours out. */
async function addFiles(files) {
  const queue = files.map(({ file, path }) => ({ file, path, ...uploadRow(path) }));
  unsent += queue.length;
  for (const upload of queue) await addFile(upload);
  await attempt(refresh);
}

function uploadRow(name) {
  const bar = make("progress", { max: 1, value: 0, "aria-label": say("upload_of", { name }) });
  const state = make("div", { class: "quiet" }, say("waits"));
  const item = make("li", {}, make("div", { dir: "auto" }, name), bar, state);
  the("uploads").append(item);
  return { bar, state, item };
}

async function addFile(upload, password = "") {
  const { path, bar, state, item } = upload;
  try {
    const queued = await handIn(upload, password);
    bar.removeAttribute("value");
    state.textContent = say("being_read");
    const failure = await followIntake(queued, (done, total) => {
      state.textContent = say("being_read_pages", { n: figure(done), total: figure(total) });
      bar.max = total;
      bar.value = done;
    }, (trouble) => { state.textContent = trouble || say("being_read"); });
    bar.remove();
    if (failure?.code === "DOCUMENT_ENCRYPTED" && /\.pdf$/i.test(path)) askForPassword(upload, password !== "");
    else if (failure) showFailure(state, failure.reason);
    else { state.textContent = say("ready"); setTimeout(() => item.remove(), 8000); }
  } catch (error) {
    bar.remove();
    showFailure(state, error.message);
  }
}

/** Send a file; until it is sent, leaving the page would lose it. */
async function handIn({ file, path, bar }, password) {
  try {
    if (!file) throw new Error(say("cannot_open"));
    return await send(file, path, password, (share) => { bar.value = share * 0.9; });
  } finally {
    unsent -= 1;
  }
}

/** A file that is locked is sent once more with the password, which is kept nowhere. */
function askForPassword(upload, isWrong) {
  const { path, bar, state } = upload;
  const input = make("input", { type: "password", autocomplete: "off", required: true, maxlength: 200, "aria-label": say("password_of", { name: baseName(path) }) });
  const unlock = async (sent) => {
    sent.preventDefault();
    state.className = "quiet";
    state.textContent = say("waits");
    bar.value = 0;
    state.before(bar);
    unsent += 1;
    await addFile(upload, input.value);
    await attempt(refresh);
  };
  showFailure(state, say(isWrong ? "password_wrong" : "password_wanted"));
  state.append(make("form", { class: "row", onsubmit: unlock }, input, make("button", {}, say("open"))));
}

function showFailure(state, reason) {
  state.className = "notice bad";
  fill(state, make("span", {}, reason), " ", make("button", { type: "button", class: "icon", "aria-label": say("close"), onclick: () => state.parentElement.remove() }, "✕"));
}

/** Send the bytes; `tell` hears what share has gone. Only XMLHttpRequest says how far an upload has come. */
function send(file, path, password, tell) {
  return new Promise((give, fail) => {
    const request = new XMLHttpRequest();
    request.open("POST", `/api/v1${address("/documents/upload", { name: path, corpus: corpusName() })}`);
    request.responseType = "json";
    request.setRequestHeader("content-type", "application/octet-stream");
    request.setRequestHeader("accept-language", document.documentElement.lang);
    if (password) request.setRequestHeader("x-document-password", String.fromCharCode(...new TextEncoder().encode(password)));
    request.upload.onprogress = (sent) => tell(sent.loaded / Math.max(1, sent.total));
    request.onload = () => (request.status < 300 ? give(request.response) : fail(new Error(request.response?.message ?? say("no_connection"))));
    request.onerror = () => fail(new Error(say("no_connection")));
    request.send(file);
  });
}

/** How far a task is. What was accepted outlives its server: where that is away, it is waited for. */
async function lookAt(taskId, tellTrouble) {
  for (;;) {
    try {
      return await get(address(`/tasks/${taskId}`, { wait: LOOK, wait_for: "done" }));
    } catch (error) {
      if (error.status && error.status < 500) throw error;
      tellTrouble(error.message);
      await new Promise((go) => setTimeout(go, LOOK * 1000));
    }
  }
}

/** Wait until what was handed in is taken in; `tell` hears how many pages of a long file are read. What is wrong where it was not. */
async function followIntake(queued, tell, tellTrouble) {
  if (queued.skipped.length) return queued.skipped[0];
  if (!queued.queued) return null;
  for (;;) {
    const status = await lookAt(queued.task_id, tellTrouble);
    const { reading } = status.progress;
    tellTrouble("");
    if (reading) tell(...reading.split("/").map(Number));
    const jobs = Object.values(status.queue).reduce((sum, n) => sum + n, 0);
    if (!jobs) return status.errors[0] ?? null;
  }
}
