// The library: passages found while one types, and all documents with what is known of them.

import { address, attempt, baseName, figure, fill, get, make, post, say, the } from "./room.js";

let cursor = null;
let count = 0;
let asked = 0;
let timer = 0;

async function open() {
  the("words").addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(() => attempt(search), 250); });
  the("search").addEventListener("submit", (sent) => { sent.preventDefault(); attempt(search); });
  the("corpus").addEventListener("change", () => attempt(async () => { cursor = null; count = 0; fill(the("documents")); await Promise.all([search(), list()]); }));
  the("more-documents").addEventListener("click", () => attempt(list));
  const { corpora } = await get("/corpora");
  the("corpus").append(...corpora.map((corpus) => make("option", { value: corpus.name }, `${corpus.name} (${corpus.documents})`)));
  await list();
  document.body.dataset.ready = "yes";
}

const chosenCorpora = () => (the("corpus").value ? [the("corpus").value] : []);

async function search() {
  const words = the("words").value.trim();
  const turn = ++asked;
  if (!words) { fill(the("hits")); the("search-state").textContent = ""; return; }
  const found = await post("/passages/search", { keyword_query: [words], corpora: chosenCorpora() });
  if (turn !== asked) return; // more was typed meanwhile
  the("search-state").textContent = say("passages_n", { n: found.passages.length });
  fill(the("hits"), found.passages.map(hit));
}

function hit(passage) {
  const where = [baseName(passage.source), passage.heading, passage.place || (passage.page ? say("page_n", { n: passage.page }) : "")];
  return make("li", {}, make("a", { href: `/d/${passage.document}#page=${passage.page ?? 1}`, dir: "auto" }, passage.title),
    make("div", { class: "quiet", dir: "auto" }, where.filter(Boolean).join(" · ")), make("p", { dir: "auto" }, passage.quoted_text),
    make("div", { class: "quiet parts" }, make("span", {}, `${say("score")} ${figure(passage.score * 100)}`),
      Object.entries(passage.parts).map(([name, value]) => make("span", {}, `${name} ${value.toFixed(2)}`))));
}

async function list() {
  const page = await get(address("/documents", { limit: 100, cursor, corpora: the("corpus").value }));
  cursor = page.cursor;
  count += page.documents.length;
  the("documents").append(...page.documents.map(row));
  the("more-documents").hidden = !page.more;
  the("document-count").textContent = say(page.more ? "at_least" : "documents_n", { n: count });
}

function row(entry) {
  const state = [say(`source_${entry.state}`), ...entry.warnings];
  return make("tr", {}, make("td", { dir: "auto" }, make("a", { href: `/d/${entry.id}` }, entry.title || baseName(entry.source))),
    make("td", { dir: "auto" }, baseName(entry.source)), make("td", {}, entry.corpus), make("td", { class: "number" }, entry.page_count ?? "–"),
    make("td", { class: "number" }, figure(entry.passage_count)), make("td", {}, state.join(" · ")),
    make("td", {}, make("a", { href: `/d/${entry.id}` }, say("open"))));
}

attempt(open);
