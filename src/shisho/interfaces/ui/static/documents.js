// The documents panel: what is there, filtered by what is said of it; remove and undo.

import { address, announce, attempt, baseName, brief, call, fileName, fill, get, listed, make, named, post, say, the } from "./room.js";

const PAGE = 50;
const UNIQUE = ["title", "citation_key", "doi", "url", "isbn"]; // of one document each: its row in the list says them
const MAX_FIELDS = 4;
const MAX_VALUES = 6;
const filters = new Map();
let cursor = null;
let count = 0;
let hasMore = false;
let looks = 0; // lists that were asked for: of several at once the last is shown
let readOnly = new Set(); // corpora of others, to read alone

/** The conditions that the chips stand for, as the API takes them. */
export const chosenFilters = () => Object.fromEntries(filters);

/** What limits a question, as a person reads it; empty where nothing does. */
export function describeLimits({ corpora = [], filters = {} }) {
  const conditions = Object.entries(filters).map(([name, value]) => `${named("field", name)}: ${limitText(name, value)}`);
  return [...corpora.map((corpus) => `${say("corpus")}: ${corpus}`), ...conditions].join(" · ");
}

const limitText = (name, value) => (Array.isArray(value) ? listed(value.map((text) => valueText(name, text))) : typeof value === "string" ? valueText(name, value) : `${value.low ?? ""}–${value.high ?? ""}`);

/** A language is named as the reader calls it; every other value, and what is no tag of one, stands as it is. */
function valueText(name, value) {
  try {
    return name === "language" ? new Intl.DisplayNames([document.documentElement.lang], { type: "language" }).of(value) : value;
  } catch {
    return value;
  }
}

/** The corpora that a question is limited to: the one that is named, or none. */
export const chosenCorpora = () => (corpusName() ? [corpusName()] : []);

/** The corpus that is named, as it is written. */
export const corpusName = () => the("corpus").value.trim();

/** How many documents are known to be there. */
export const documentCount = () => count;

/** Show the panel and keep it. */
export async function openDocuments() {
  the("more-documents").addEventListener("click", () => attempt(() => list(cursor)));
  the("corpus").addEventListener("change", () => attempt(changeCorpus));
  await attempt(refresh);
}

async function changeCorpus() {
  filters.clear();
  tellLimits();
  await refresh();
}

/** Name no corpus any more. */
export async function nameNoCorpus() {
  the("corpus").value = "";
  await changeCorpus();
}

/** What a question is limited to has changed. */
const tellLimits = () => document.dispatchEvent(new Event("limits"));

/** What answers quote is gone, or back. */
const tellChange = () => document.dispatchEvent(new Event("documents"));

/** List anew, from the first. */
export const refresh = () => Promise.all([list(null), showChips()]);

/** List anew, unless somebody is in the list: a row that offers to undo, or has the focus, must stay. */
export const refreshUnlessUsed = () => (the("documents").matches(":focus-within") ? null : refresh());

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
  if (!the("documents").children.length) fill(the("documents"), make("li", { class: "quiet" }, corpusName() ? say("no_documents_in", { corpus: corpusName() }) : say("no_documents")));
}

const titleOf = (entry) => entry.title || baseName(entry.source);

function row(entry) {
  const isMine = !readOnly.has(entry.corpus);
  const about = [entry.page_count ? say("pages_n", { n: entry.page_count }) : "", fileName(entry.source), isMine ? "" : say("read_only", { corpus: entry.corpus })];
  const item = make("li", { "data-document": entry.id },
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

/** Take a document out; its row stays until the list is made anew, to bring it back. */
async function remove(entry, item) {
  await call("DELETE", `/documents/${encodeURIComponent(entry.id)}`);
  const undo = make("button", { type: "button", onclick: () => attempt(() => restore(entry)) }, say("undo"));
  const told = say("removed", { title: brief(titleOf(entry), 60) });
  if (!item.isConnected) { await refresh(); return; } // it was listed anew meanwhile
  fill(item, make("div", { class: "row" }, make("span", { class: "quiet", dir: "auto" }, told), undo));
  count -= 1;
  showCount();
  announce(told);
  tellChange();
  undo.focus(); // the button that was pressed is gone
}

async function restore(entry) {
  await post(`/documents/${encodeURIComponent(entry.id)}/restore`);
  await refresh();
  tellChange();
  the("documents").querySelector(`[data-document="${CSS.escape(entry.id)}"] a`)?.focus();
}

async function showChips() {
  const { fields } = await get(address("/metadata", { corpora: corpusName() })).catch(() => ({ fields: [] }));
  const useful = offeredFields(fields);
  fill(the("chips"), useful.length > 0 && make("p", { class: "quiet" }, say("filters")), useful.map((field) => make("div", { class: "field", role: "group", "aria-label": named("field", field.name) },
    make("span", { class: "quiet" }, named("field", field.name)), field.values.map((value) => chip(field.name, value.value, value.documents)))));
}

/** The fields that have chips, each with its values: those that tell documents apart, and what limits a question now, which
must be seen to be taken off, also where no document has it any more. */
function offeredFields(fields) {
  const offered = fields.filter((field) => field.distinct > 1 && !UNIQUE.includes(field.name)).slice(0, MAX_FIELDS)
    .map((field) => ({ name: field.name, values: field.values.slice(0, MAX_VALUES) }));
  for (const [name, value] of filters) {
    if (!offered.some((field) => field.name === name)) offered.push({ name, values: [] });
    const { values } = offered.find((field) => field.name === name);
    const known = fields.find((field) => field.name === name)?.values ?? [];
    if (!values.some((row) => row.value === value)) values.push(known.find((row) => row.value === value) ?? { value, documents: 0 });
  }
  return offered;
}

function chip(name, value, uses) {
  const button = make("button", { type: "button", "aria-pressed": String(filters.get(name) === value), "data-field": name, title: say("documents_all", { n: uses }) }, valueText(name, value));
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
