// What every page has; and who was led to the form of the token goes on to where they came from.
import "./room.js";

const form = document.querySelector("form.login");

/** A link on a page of another site brings no cookie along, so that who is let in already is led here too. */
async function goOn() {
  const response = await fetch("/api/v1/documents?limit=1", { credentials: "same-origin" }).catch(() => null);
  if (response?.ok) location.replace(form.elements.back.value + location.hash);
}

if (form) {
  form.action = `${form.getAttribute("action")}${location.hash}`;
  if (location.search) goOn();
}
