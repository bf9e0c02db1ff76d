// Elements are made here and only here. Whatever a document or a model says becomes text, never markup.

/** An element with attributes, listeners ("onclick") and children; null, undefined, false and "" are left out. */
export function h(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...present(children));
  return node;
}

/** The children that are there, flat. */
export function present(children) {
  return children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false && child !== "");
}

/** A drawing of the sheet in index.html; it says nothing to a screen reader. */
export function icon(name) {
  const namespace = "http://www.w3.org/2000/svg";
  const drawing = document.createElementNS(namespace, "svg");
  const use = document.createElementNS(namespace, "use");
  use.setAttribute("href", `#icon-${name}`);
  drawing.setAttribute("class", "icon");
  drawing.setAttribute("aria-hidden", "true");
  drawing.append(use);
  return drawing;
}

/** A button that does one thing; with an icon, and with its words in sight unless they are only its name. */
export function button(words, onclick, { symbol, quiet = true, bare = false, ...attributes } = {}) {
  const classes = [quiet ? "quiet" : "", bare ? "bare" : ""].join(" ").trim();
  return h(
    "button",
    { type: "button", class: classes || null, onclick, "aria-label": bare ? words : null, title: bare ? words : null, ...attributes },
    symbol && icon(symbol),
    bare ? null : h("span", {}, words),
  );
}

export const byId = (id) => document.getElementById(id);

/** Tell those who do not see the page what happened. */
export function announce(words) {
  const told = byId("told");
  told.textContent = "";
  setTimeout(() => { told.textContent = words; }, 30); // the same words twice would not be read again
}

/** Open a dialog that closes by a click beside it; the browser gives the focus back. */
export function openDialog(dialog) {
  if (!dialog.dataset.ready) {
    dialog.dataset.ready = "yes";
    dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
    dialog.querySelectorAll("[data-close]").forEach((each) => each.addEventListener("click", () => dialog.close()));
  }
  if (!dialog.open) dialog.showModal();
}

/** Put words on the clipboard; where the browser has none for this address, by a selection. */
export async function copy(words) {
  if (navigator.clipboard) return navigator.clipboard.writeText(words);
  const area = h("textarea", { class: "unseen", "aria-hidden": "true", tabindex: "-1" });
  area.value = words;
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}

/** Say on a button for a moment that it has done its work. */
export function acknowledge(pressed, words) {
  const label = pressed.querySelector("span");
  const before = label.textContent;
  label.textContent = words;
  announce(words);
  setTimeout(() => { label.textContent = before; }, 1600);
}
