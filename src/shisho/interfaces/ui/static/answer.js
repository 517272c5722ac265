// An answer: its sentences with numbers that open, what they rest on, and why the search stopped.

import { attempt, baseName, brief, figure, fill, get, make, moment, Refusal, request, say, sayPlace, toast, webLink } from "./room.js";

const FORMS = ["md", "html", "pdf", "bibtex", "ris", "csl", "apa", "sist02", "proof"];
let card = null;

/** Where a quotation opens in the viewer. */
export function viewerAddress(evidence, answerId) {
  const page = evidence.page ? `page=${evidence.page}&` : "";
  return `/d/${evidence.document_id}?a=${encodeURIComponent(answerId)}#${page}e=${evidence.id}`;
}

/** The element that shows an answer; `goOn` goes on with one that was stopped. */
export function showAnswer(answer, goOn) {
  const quotations = new Map(answer.evidence.map((evidence) => [evidence.number, evidence]));
  const hasModel = answer.model !== "none";
  return make("div", { class: "answer" },
    make("p", {}, make("span", { class: `level ${levelOf(answer)}` }, say(`level_${levelOf(answer)}`)), " ",
      make("span", { class: "quiet" }, hasModel ? answer.model : say("quotations_only"))),
    answer.understood && make("p", { class: "quiet", dir: "auto" }, say("understood", { text: answer.understood })),
    answer.blocks.map((block) => blockPart(block, quotations, answer)),
    missing(answer), advice(answer, goOn), sources(answer), why(answer), tools(answer));
}

const isStopped = (answer) => answer.loop_stop === "STOPPED";

/** What was stopped has not been looked for to the end: it is no failure to find. */
const levelOf = (answer) => (isStopped(answer) && answer.level === "nothing" ? "stopped" : answer.level);

function advice(answer, goOn) {
  if (isStopped(answer)) return make("p", { class: "row" }, make("span", { class: "quiet" }, say("stopped_how")), make("button", { type: "button", onclick: () => goOn(answer) }, say("resume")));
  return answer.level === "nothing" && make("p", { class: "quiet" }, say("nothing_how"));
}

/** Of a document that was purged nothing is known any more; what the server says in its place is in the answer's language. */
const isErased = (evidence) => evidence?.source_state === "purged";

const titleOf = (evidence) => (isErased(evidence) ? say("source_erased") : brief(evidence.title));

const isSilenced = (sentence, quotations) => sentence.evidence.some((number) => isErased(quotations.get(number)));

/** A block of the answer. What opens and closes it is shown beside it: how much was found, and what is missing. */
function blockPart(block, quotations, answer) {
  const unit = (sentence) => unitPart(sentence, quotations, answer);
  switch (block.kind) {
    case "heading": return make(block.level > 2 ? "h4" : "h3", { dir: "auto" }, block.text);
    case "paragraph": return make("p", { dir: "auto" }, block.sentences.map((sentence) => [unit(sentence), " "]));
    case "list": return make("ul", { class: block.signs.length ? "signed" : "", dir: "auto" },
      block.items.map((item, place) => make("li", {}, block.signs[place] && make("span", { class: "sign" }, block.signs[place]), itemPart(item, quotations, answer))));
    case "table": return make("div", { class: "wide", tabindex: "0" }, make("table", {},
      make("thead", {}, make("tr", {}, block.header.map((label) => make("th", { scope: "col", dir: "auto" }, label)))),
      make("tbody", {}, block.rows.map((row) => make("tr", {}, row.map((cell) => make("td", { dir: "auto" }, unit(cell))))))));
    case "contradicted": return make("div", { class: "notice" }, say("contradicted_head"), make("ul", { dir: "auto" },
      block.sentences.map((sentence) => make("li", {}, itemPart(sentence, quotations, answer), sentence.evidence.map((number) => make("blockquote", {}, quoted(quotations.get(number))))))));
    case "passage": return passagePart(block, quotations, answer);
    default: return block.role === "remark" && make("p", { class: "quiet lines", dir: "auto" }, block.text);
  }
}

const unitPart = (sentence, quotations, answer) =>
  [isSilenced(sentence, quotations) ? say("source_erased") : withoutBreaks(sentence.text), ...marks(sentence, quotations, answer)];

/** An item of a list without its own bullet; the items nested in it are a list of their own. */
function itemPart(sentence, quotations, answer) {
  const [first, ...nested] = isSilenced(sentence, quotations) ? [say("source_erased")] : splitItem(sentence.text);
  const numbers = marks(sentence, quotations, answer);
  if (!nested.length) return [first, ...numbers];
  return [first, make("ul", {}, nested.map((line, place) => make("li", {}, line, place === nested.length - 1 && numbers)))];
}

const quoted = (evidence) => (!evidence || isErased(evidence) ? say("source_erased") : withoutBreaks(evidence.snippet));

/** A passage with its heading path, its best sentences marked. Offsets count characters, not UTF-16 units. */
function passagePart(passage, quotations, answer) {
  const cited = passage.marks.map((mark) => quotations.get(mark.number)).filter(Boolean);
  const isSilent = !cited.length || cited.some(isErased);
  const chips = new Map(cited.map((evidence) => [evidence.number, chip(evidence, answer, null)]));
  const body = isSilent ? [say("source_erased"), ...chips.values()]
    : passage.code ? [make("code", { dir: "ltr" }, markedPieces(passage, new Map())), " ", ...chips.values()]
    : markedPieces(passage, chips);
  const heading = !isSilent && passage.heading && make("figcaption", { class: "quiet", dir: "auto" }, passage.heading);
  return make("figure", { class: "passage" }, heading, make("blockquote", { dir: "auto" }, body));
}

function markedPieces(passage, chips) {
  const letters = passage.code ? Array.from(passage.text) : lettersOnLines(passage.text);
  const display = (start, end) => letters.slice(start, end).join("");
  const pieces = [];
  let end = 0;
  for (const mark of passage.marks) {
    pieces.push(display(end, mark.start), make("mark", {}, display(mark.start, mark.end)), chips.get(mark.number));
    end = mark.end;
  }
  return [...pieces, display(end)];
}

const WIDE = /^[\u3000-\u9fff\uff00-\uffef]/;
const ITEM = /^\s*(?:[・•●○■□◆◇※*+-]|[(（]?[0-9０-９①-⑳]{1,3}[.)）．、])/;

/** The letters of a text, each in its place, with lines joined that only the margin broke: not those before a blank line, a list item or a row of a table. */
function lettersOnLines(text) {
  const letters = Array.from(text);
  return letters.map((letter, place) => (letter === "\n" ? lineEnd(letters[place - 1] ?? "\n", letters.slice(place + 1, place + 200).join("")) : letter));
}

function lineEnd(before, after) {
  if (/^\n/.test(after)) return ITEM.test(after) ? "" : "\n"; // items stand together
  if (ITEM.test(after) || /^[^\n]*\t/.test(after)) return "\n";
  if (WIDE.test(before) && WIDE.test(after)) return "";
  return /[\n\t。.!?！？]/.test(before) || !/^\S/.test(after) ? "\n" : " ";
}

const BULLET = /^[ \u3000]*(?:[•●■▪◆‣⁃◦·・][ \t\u3000]*|[-–−*][ \t\u3000]+(?![0-9０-９印]))/;
const LISTED = /^(?:(?:[•●○■□▪▫◆◇◻◦‣⁃·・※➢➔⇨✓☑❑❖−–*-]|[(（]?[0-9０-９]{1,3}[.)）．])[ \t\u3000]|[•●■□▪◆◇◻‣➢❑❖])/;

/** The first line of an item and those nested in it, each without its bullet, as `split_item` of the server does it. */
function splitItem(text) {
  const parts = [];
  for (const line of text.trim().split("\n")) {
    if (!parts.length || LISTED.test(line.trim()) || BULLET.test(line)) parts.push(line);
    else parts[parts.length - 1] += `\n${line.trim()}`;
  }
  return parts.map((part) => withoutBreaks(part.replace(BULLET, "").trim()));
}

/** Line breaks of the printed page are no line breaks of the sentence: between Japanese letters they stand for nothing. */
function withoutBreaks(text) {
  const wide = "[\\u3000-\\u9fff\\uff00-\\uffef]";
  return text.replace(new RegExp(`(${wide})\\n(?=${wide})`, "g"), "$1").replace(/(\S)\n(?=\S)/g, "$1 ");
}

function marks(sentence, quotations, answer) {
  const support = isSilenced(sentence, quotations) ? null : sentence.support;
  const chips = sentence.evidence.map((number) => quotations.get(number)).filter(Boolean).map((evidence) => chip(evidence, answer, support, sentence.by));
  const doubt = support === "unverified" && make("span", { class: `support ${support}` }, say(`support_${support}`));
  return [...chips, doubt].filter(Boolean);
}

/** Copied along, so that the number of a source is no digit of a quoted one; a reader sees its box instead. */
const bracket = (sign) => make("span", { class: "bracket" }, sign);

function chip(evidence, answer, support, by) {
  const link = make("a", { class: "chip", href: viewerAddress(evidence, answer.id), "data-evidence": evidence.id, "aria-label": say("opens_source", { n: evidence.number, title: titleOf(evidence) }) },
    bracket("["), String(evidence.number), bracket("]"));
  const open = () => showCard(link, evidence, support, by);
  link.addEventListener("mouseenter", open);
  link.addEventListener("focus", open);
  link.addEventListener("mouseleave", closeCard);
  link.addEventListener("blur", closeCard);
  return link;
}

function showCard(link, evidence, support, by) {
  closeCard();
  card = make("div", { class: "card", role: "tooltip" },
    make("strong", { dir: "auto" }, titleOf(evidence)), make("div", { class: "quiet", dir: "auto" }, whereabouts(evidence)),
    evidence.snippet && make("blockquote", { dir: "auto" }, evidence.code ? make("code", { dir: "ltr" }, evidence.snippet) : withoutBreaks(evidence.snippet)),
    support && make("span", { class: `support ${support}` }, say(by === "judge" && support === "supported" ? "support_judged" : `support_${support}`)),
    evidence.ocr && make("div", { class: "quiet" }, say("by_ocr")));
  document.body.append(card);
  const box = link.getBoundingClientRect();
  const left = Math.min(box.left, document.documentElement.clientWidth - card.offsetWidth - 16);
  const isBelow = box.bottom + card.offsetHeight + 8 < window.innerHeight;
  card.style.left = `${Math.max(8, left) + window.scrollX}px`;
  card.style.top = `${(isBelow ? box.bottom + 4 : box.top - card.offsetHeight - 4) + window.scrollY}px`;
}

function closeCard() {
  card?.remove();
  card = null;
}

document.addEventListener("keydown", (pressed) => { if (pressed.key === "Escape") closeCard(); });

/** Page or place, and the site or file. */
export function whereabouts(evidence) {
  if (isErased(evidence)) return "";
  const place = sayPlace(evidence.place) || (evidence.page ? say("page_n", { n: evidence.page }) : "");
  const origin = evidence.source_url ? new URL(evidence.source_url).host : baseName(evidence.document);
  const isBelow = evidence.heading === evidence.title || evidence.heading.startsWith(`${evidence.title} › `);
  const heading = isBelow ? evidence.heading.slice(evidence.title.length + 3) : evidence.heading; // the title stands beside it
  return [origin, brief(heading), place].filter(Boolean).join(" · ");
}

function sources(answer) {
  if (!answer.evidence.length) return null;
  const rows = answer.evidence.map((evidence) => make("li", { dir: "auto" },
    chip(evidence, answer, null), " ", titleOf(evidence), " ", make("span", { class: "quiet" }, whereabouts(evidence)),
    !["live", "purged"].includes(evidence.source_state) && make("span", { class: "support unverified" }, say(`source_${evidence.source_state}`)),
    evidence.source_url && webLink(evidence.source_url) && make("a", { href: webLink(evidence.source_url), rel: "noreferrer noopener", target: "_blank" }, ` ${say("live_page")}`)));
  return make("details", { open: answer.evidence.length <= 6 }, make("summary", {}, say("sources_n", { n: answer.evidence.length })), make("ul", { class: "sources" }, rows));
}

function missing(answer) {
  return answer.missing.length ? make("div", { class: "notice" }, say(isStopped(answer) ? "missing_so_far" : "still_missing"), make("ul", {}, answer.missing.map((text) => make("li", { dir: "auto" }, text)))) : null;
}

function why(answer) {
  const used = answer.budget_used;
  const goals = answer.goals.map((goal) => {
    const status = answer.goal_status.find((row) => row.goal_id === goal.id);
    return make("li", { dir: "auto" }, `${status.met ? "✓" : "✗"} ${goal.id} ${goal.question} `, make("span", { class: "quiet" }, say("evidence_n", { n: status.evidence })));
  });
  return make("details", { class: "why" }, make("summary", {}, say("why_stopped")),
    make("p", {}, say(`end_${answer.loop_stop}`.toLowerCase())),
    make("p", {}, `${say("condition")}: `, make("code", {}, answer.condition)), make("ul", {}, goals),
    make("p", { class: "quiet" }, say("spent", {
      rounds: answer.rounds, pages: figure(used.pages ?? 0), calls: figure(used.model_calls ?? 0), tokens: figure(used.tokens ?? 0), seconds: figure(used.seconds ?? 0),
    })), make("p", { class: "quiet" }, moment(answer.created_at)));
}

function tools(answer) {
  const form = make("select", { "aria-label": say("export_as") }, FORMS.map((name) => make("option", { value: name }, say(`form_${name}`))));
  return make("div", { class: "tools row" },
    make("button", { type: "button", onclick: () => attempt(() => copy(answer)) }, say("copy")),
    form, make("button", { type: "button", onclick: () => attempt(() => save(answer, form.value)) }, say("export")));
}

async function copy(answer) {
  const text = await get(`/answers/${answer.id}/export?form=md`);
  if (navigator.clipboard) await navigator.clipboard.writeText(text);
  else copyBySelection(text);
  toast(say("copied"));
}

/** Over plain HTTP from another machine a browser has no clipboard to write to. */
function copyBySelection(text) {
  const area = make("textarea", { class: "unseen", "aria-hidden": true });
  area.value = text;
  document.body.append(area);
  area.select();
  const isCopied = document.execCommand("copy");
  area.remove();
  if (!isCopied) throw new Refusal(0, { message: say("cannot_copy") });
}

async function save(answer, form) {
  const response = await request("GET", `/answers/${answer.id}/export?form=${form}`);
  const name = response.headers.get("content-disposition").match(/filename="([^"]+)"/)[1];
  const link = make("a", { href: URL.createObjectURL(await response.blob()), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/** What stands where an answer is being made. */
export function showWorking(text) {
  return make("div", { class: "answer working" }, make("span", { class: "spinner" }), make("span", { role: "status" }, text));
}

/** What stands where no answer came. */
export function showFailure(text) {
  const notice = make("div", { class: "notice bad", role: "alert" });
  fill(notice, text);
  return notice;
}
