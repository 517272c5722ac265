// What every page uses: words, elements, calls to the API, short notices. Text reaches the page as text, never as markup.

const words = JSON.parse(document.body.dataset.words);
const READING = 4000; // milliseconds that a notice stays
const ACTING = 20000; // where something can be done about it
const A_LETTER = 60; // more for each letter

/** Return the text of a key with its values; `{n:page|pages}` chooses by the number. */
export function say(key, values = {}) {
  const plural = (whole, name, one, many) => (String(values[name]) === "1" ? one : many);
  const template = (words[key] ?? "…").replace(/{(\w+):([^{}|]+)\|([^{}|]+)}/g, plural);
  return template.replace(/{(\w+)}/g, (whole, name) => String(values[name] ?? whole));
}

/** A place in the reader's words where it is a notebook's cell, else in the document's. */
export const sayPlace = (place) => (place || "").replace(/^cell (\d+)$/, (_, n) => say("cell_n", { n }));

/** The reader's word for a name of the API; the name itself where there is none. */
export const named = (kind, name) => words[`${kind}_${name}`] ?? name;

/** An element; attributes whose value is null or false are left out, `on…` are listeners. */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** The element with this id. */
export const the = (id) => document.getElementById(id);

/** Put these in place of what an element holds; gives the element. */
export function fill(element, ...children) {
  element.replaceChildren(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** An answer of the API that is no success: what happened and what to do, as the server says it. */
export class Refusal extends Error {
  constructor(status, body) {
    super(body?.message ?? say("no_connection"));
    this.status = status;
    this.code = body?.code ?? "";
    this.details = body?.details ?? {};
  }
}

/** Ask the API for its reply as it comes. `body` is sent as JSON, or as it is where it is a Blob. Throws Refusal. */
export async function request(method, path, body = undefined) {
  const isBlob = body instanceof Blob;
  const headers = { accept: "application/json", "accept-language": document.documentElement.lang };
  if (body !== undefined) headers["content-type"] = isBlob ? "application/octet-stream" : "application/json";
  let response;
  try {
    response = await fetch(`/api/v1${path}`, {
      method, headers, body: body === undefined || isBlob ? body : JSON.stringify(body), credentials: "same-origin",
    });
  } catch {
    throw new Refusal(0, null);
  }
  if (response.status === 401) location.assign(`${address("/login", { back: location.pathname + location.search })}${location.hash}`);
  if (!response.ok) throw new Refusal(response.status, isJson(response) ? await response.json().catch(() => null) : null);
  return response;
}

const isJson = (response) => (response.headers.get("content-type") ?? "").includes("json");

/** Ask the API: what its JSON says, or its text. Throws Refusal. */
export async function call(method, path, body = undefined) {
  const response = await request(method, path, body);
  return isJson(response) ? response.json() : response.text();
}

export const get = (path) => call("GET", path);
export const post = (path, body = {}) => call("POST", path, body);

/** A path of the API with these parameters; empty ones are left out. */
export function address(path, parameters) {
  const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== null && value !== undefined && value !== ""));
  return query.size ? `${path}?${query}` : path;
}

/** Say it to who hears the page: what the eye sees by itself. */
export function announce(text) {
  the("said").textContent = text;
}

/** A short notice, with a button where something can be done about it; it stays as long as it takes to read, and as long as it
is pointed at or has the focus. */
export function toast(text, label = "", act = null) {
  const notice = make("div", { class: "toast" }, make("span", {}, text));
  const close = () => notice.remove();
  const isHeld = () => notice.matches(":hover, :focus-within");
  const closeInTime = () => setTimeout(() => (isHeld() ? closeInTime() : close()), (act ? ACTING : READING) + text.length * A_LETTER);
  if (act) notice.append(make("button", { type: "button", onclick: () => { close(); act(); } }, label));
  the("toasts").append(notice);
  closeInTime();
}

/** Do this again and again as long as the page is looked at; where the server is away, the page says so until it is back. */
export function keepLooking(look, pause) {
  const away = make("p", { id: "away", class: "notice bad", role: "status", hidden: true }, say("no_connection"));
  the("main").before(away);
  const lookAgain = async () => {
    if (document.hidden) return;
    try {
      await look();
      away.hidden = true;
    } catch (error) {
      away.hidden = error.status !== 0;
    }
  };
  setInterval(lookAgain, pause);
}

/** Say what went wrong with something that was tried; true where it went well. */
export async function attempt(work) {
  try {
    await work();
    return true;
  } catch (error) {
    toast(error.message);
    if (!(error instanceof Refusal)) reportError(error); // a fault of ours
    return false;
  }
}

const title = document.title;

/** Tell on the browser's tab, by its title and its icon, that something is worked on; or that nothing is any more. */
export function markTab(isBusy) {
  document.title = isBusy ? `… ${title}` : title;
  const icon = the("favicon");
  const wanted = isBusy ? icon.dataset.busy : icon.dataset.still;
  if (icon.getAttribute("href") !== wanted) icon.setAttribute("href", wanted);
}

/** Give each cell of a table's body the head of its column, which stands before it where the window is narrow. */
export function labelCells(body) {
  const heads = [...body.parentElement.querySelectorAll("thead th")].map((head) => head.textContent);
  for (const row of body.rows) {
    for (const [index, cell] of [...row.cells].entries()) {
      cell.dataset.label = heads[index];
      cell.classList.toggle("blank", ["", "–"].includes(cell.textContent.trim()));
    }
  }
}

/** A moment as the reader writes it. */
export const moment = (text) => new Date(text).toLocaleString(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" });

/** A number as the reader writes it. */
export const figure = (value) => Number(value).toLocaleString(document.documentElement.lang, { maximumFractionDigits: 1 });

/** Several names as the reader writes them after each other. */
export const listed = (names) => names.join(document.documentElement.lang === "ja" ? "、" : ", ");

/** The last part of a path or address. */
export const baseName = (source) => source.split(/[\\/]/).filter(Boolean).pop() ?? source;

/** What a document is known by: its path below the folder that was handed over, else the last part of its address. */
export const fileName = (source) => (/^([\\/]|\w+:)/.test(source) ? baseName(source) : source);

/** A title or question where there is little room: its beginning. */
export function brief(text, most = 120) {
  const letters = Array.from(text ?? "");
  return letters.length > most ? `${letters.slice(0, most - 1).join("")}…` : text;
}

/** A link of the web that may be followed; null for any other scheme. */
export function webLink(text) {
  try {
    const url = new URL(text);
    return ["http:", "https:"].includes(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}

/** What this browser keeps for the room under a name; a browser may be told to keep nothing. */
export function recall(store, name) {
  try {
    return window[store].getItem(name);
  } catch {
    return null;
  }
}

/** Let this browser keep it: for this tab in the sessionStorage, for all in the localStorage. */
export function keep(store, name, value) {
  try {
    window[store].setItem(name, value);
  } catch { /* it is lost with the page */ }
}

// Where a page has no place for files, the browser would leave the room and open what is dropped.
if (!the("drop")) {
  for (const event of ["dragover", "drop"]) {
    document.addEventListener(event, (moved) => {
      if (!moved.dataTransfer.types.includes("Files")) return;
      moved.preventDefault();
      if (event === "drop") toast(say("drop_at_ask"), say("page_ask"), () => location.assign("/"));
    });
  }
}

// The address of what is looked at changes without a new page: another language leads back to the latest.
for (const link of document.querySelectorAll(".choices a")) {
  link.addEventListener("click", () => {
    const target = new URL(link.href);
    target.searchParams.set("back", location.pathname + location.search);
    target.hash = location.hash;
    link.href = target;
  });
}

function chooseTheme(theme) {
  if (theme) document.documentElement.dataset.theme = theme;
}

chooseTheme(recall("localStorage", "theme"));
the("theme")?.addEventListener("click", () => {
  const isDark = getComputedStyle(document.documentElement).colorScheme === "dark";
  const theme = isDark ? "light" : "dark";
  keep("localStorage", "theme", theme);
  chooseTheme(theme);
});
