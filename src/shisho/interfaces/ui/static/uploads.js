// Files on their way into the library: chosen or dropped, sent, read; and what a person is asked about them.

import { corpusName, refresh, refreshUnlessUsed } from "./documents.js";
import { address, announce, attempt, baseName, figure, fill, get, make, moment, Refusal, say, the } from "./room.js";

const LOOK = 1; // seconds between two looks at how far a file is read
const MAX_EARLIER = 20; // tasks
const arrivals = new Map(); // by path: what comes in under it
let unsent = 0; // files whose bytes are still here

/** Take in what is chosen or dropped from now on, and show what is being taken in already. */
export function openUploads() {
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
  attempt(showEarlier);
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

/** Add files one after the other; a bad file never stops its neighbours. Each can be asked as soon as it is read. */
async function addFiles(files) {
  const queue = files.map(({ file, path }) => ({ file, path, ...uploadRow(path) }));
  unsent += queue.length;
  for (const upload of queue) {
    await addFile(upload);
    if (upload !== queue.at(-1)) attempt(refreshUnlessUsed);
  }
  await attempt(refresh);
}

/** Files that an earlier page has handed in, or a program elsewhere, as long as they are read. */
async function showEarlier() {
  const { tasks } = await get(address("/tasks", { states: "running", limit: MAX_EARLIER }));
  const uploads = await Promise.all(tasks.filter((task) => !task.question).map(earlierUpload));
  for (const upload of uploads) {
    await followToEnd(upload, { queued: 1, skipped: [], task_id: upload.task });
    await attempt(refresh);
  }
}

async function earlierUpload({ task_id: task }) {
  const { results } = await get(address(`/tasks/${task}`, { wait: 0 }));
  const path = results[0]?.url ?? say("untitled_task");
  const upload = { task, path, file: null, ...uploadRow(path) };
  showReading(upload);
  return upload;
}

function uploadRow(name) {
  const bar = make("progress", { max: 1, value: 0, "aria-label": say("upload_of", { name }) });
  const state = make("div", { class: "quiet" }, say("waits"));
  const label = make("div", { dir: "auto" }, name);
  const item = make("li", {}, label, bar, state);
  the("uploads").append(item);
  return { label, bar, state, item };
}

/** Take a file in, after those of its name: which of two came first must be known when the second is asked about. */
function addFile(upload, options = {}) {
  const turn = (arrivals.get(upload.path) ?? Promise.resolve()).then(() => takeIn(upload, options));
  arrivals.set(upload.path, turn);
  return turn;
}

async function takeIn(upload, options) {
  try {
    await followToEnd(upload, await handIn(upload, options), options.password);
  } catch (error) {
    upload.bar.remove();
    if (error.code === "NAME_TAKEN") await settleName(upload, error.details.added_at);
    else showFailure(upload, error.message);
  }
}

/** Another document has the name, `since` a moment; none: it came just now, and is told of as soon as the file is sent again. */
async function settleName(upload, since) {
  if (upload.isBeside) await putBeside(upload);
  else if (since) askForPlace(upload, since);
  else handInAgain(upload); // its turn comes after this one
}

function showReading({ bar, state }) {
  bar.removeAttribute("value");
  state.textContent = say("being_read");
}

/** Show how far what was handed in is read, and what has become of it. */
async function followToEnd(upload, queued, password = "") {
  const { path, bar, state, item } = upload;
  showReading(upload);
  const failure = await followIntake(queued, (done, total) => {
    state.textContent = say("being_read_pages", { n: figure(done), total: figure(total) });
    bar.max = total;
    bar.value = done;
  }, (trouble) => { state.textContent = trouble || say("being_read"); });
  bar.remove();
  if (failure?.code === "DOCUMENT_ENCRYPTED" && /\.pdf$/i.test(path)) askForPassword(upload, password !== "");
  else if (failure?.code === "NAME_TAKEN" && upload.file) await settleName(upload);
  else if (failure) showFailure(upload, failure.reason);
  else {
    state.textContent = say("ready");
    announce(`${path}: ${say("ready")}`);
    setTimeout(() => item.remove(), 8000);
  }
}

/** Send a file; until it is sent, leaving the page would lose it. */
async function handIn({ file, path, bar }, options) {
  try {
    if (!file) throw new Error(say("cannot_open"));
    return await send(file, path, options, (share) => { bar.value = share * 0.9; });
  } finally {
    unsent -= 1;
  }
}

/** Hand a file in once more, after a person has said how. */
async function handInAgain(upload, options = {}) {
  const { bar, state } = upload;
  state.className = "quiet";
  state.textContent = say("waits");
  bar.value = 0;
  state.before(bar);
  unsent += 1;
  await addFile(upload, options);
  await attempt(refresh);
}

/** A file that is locked is sent once more with the password, which is kept nowhere; one that an earlier page has sent must
be chosen once more. */
function askForPassword(upload, isWrong) {
  if (!upload.file) { showFailure(upload, say("password_at_ask")); return; }
  const input = make("input", { type: "password", autocomplete: "off", required: true, maxlength: 200, "aria-label": say("password_of", { name: baseName(upload.path) }) });
  const unlock = (sent) => {
    sent.preventDefault();
    handInAgain(upload, { password: input.value });
  };
  showFailure(upload, say(isWrong ? "password_wrong" : "password_wanted"));
  upload.state.append(make("form", { class: "row", onsubmit: unlock }, input, make("button", {}, say("open"))));
}

/** Another document has the name: a newer version takes its place, another file stands beside it. */
function askForPlace(upload, since) {
  showFailure(upload, say("name_taken", { since: moment(since) }));
  upload.state.className = "notice";
  upload.state.append(make("div", { class: "row answers" },
    make("button", { type: "button", onclick: () => handInAgain(upload, { replace: true }) }, say("replace")),
    make("button", { type: "button", onclick: () => putBeside(upload) }, say("keep_both"))));
}

/** Hand a file in under the next name: `report (2).txt` after `report.txt`. */
async function putBeside(upload) {
  const [, stem, number, ending] = upload.path.match(/^(.*?)(?: \((\d+)\))?(\.[^./]*)?$/s);
  upload.isBeside = true;
  upload.path = `${stem} (${Number(number ?? 1) + 1})${ending ?? ""}`;
  upload.label.textContent = upload.path;
  await handInAgain(upload);
}

function showFailure({ path, state, item }, reason) {
  const close = () => {
    const neighbour = item.nextElementSibling ?? item.previousElementSibling;
    item.remove();
    (neighbour?.querySelector("button") ?? the("choose-files")).focus();
  };
  state.className = "notice bad";
  fill(state, make("span", {}, reason), " ", make("button", { type: "button", class: "icon", "aria-label": say("close"), onclick: close }, "✕"));
  announce(`${path}: ${reason}`);
}

/** Send the bytes; `tell` hears what share has gone. Only XMLHttpRequest says how far an upload has come. */
function send(file, path, { password, replace = false }, tell) {
  return new Promise((give, fail) => {
    const request = new XMLHttpRequest();
    request.open("POST", `/api/v1${address("/documents/upload", { name: path, corpus: corpusName(), replace })}`);
    request.responseType = "json";
    request.setRequestHeader("content-type", "application/octet-stream");
    request.setRequestHeader("accept-language", document.documentElement.lang);
    if (password) request.setRequestHeader("x-document-password", String.fromCharCode(...new TextEncoder().encode(password)));
    request.upload.onprogress = (sent) => tell(sent.loaded / Math.max(1, sent.total));
    request.onload = () => (request.status < 300 ? give(request.response) : fail(new Refusal(request.status, request.response)));
    request.onerror = () => fail(new Refusal(0, null));
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
