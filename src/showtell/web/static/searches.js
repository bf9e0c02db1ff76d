// The searches of an answer as chips that can be changed, taken away and added to, and asked with again.

import { button, h } from "./dom.js";
import { t } from "./i18n.js";
import { clean } from "./labels.js";

const MOST = 6;

/** The chips; ``again`` is called with the searches that are wanted. */
export function searches(found, again) {
  const chips = h("ul", { class: "chips", role: "list" });
  const submit = h("button", { class: "primary small", hidden: true }, t("search_again"));
  const words = () => [...chips.querySelectorAll("input")].map((input) => input.value.trim()).filter(Boolean);
  const compare = () => {
    submit.hidden = !words().length || words().join("\n") === found.join("\n");
    more.hidden = chips.children.length >= MOST;
  };
  const renumber = () => [...chips.children].forEach((item, index) => item.name(index + 1));
  const addChip = (search) => {
    const item = chip(search, compare, () => {
      const next = item.nextElementSibling ?? item.previousElementSibling;
      item.remove();
      renumber();
      compare();
      (next?.querySelector("input") ?? more).focus();
    });
    chips.append(item);
    renumber();
    return item;
  };
  const more = button(t("add_search"), () => {
    addChip("").querySelector("input").focus();
    compare();
  }, { symbol: "plus", bare: true });
  found.forEach((search) => addChip(clean(search)));
  const onsubmit = (event) => {
    event.preventDefault();
    if (!submit.hidden) again(words());
  };
  return h("form", { class: "searches", onsubmit, "aria-label": t("searched_for") }, h("span", { class: "before", "aria-hidden": "true" }, t("searched_for")), chips, more, submit);
}

function chip(search, changed, remove) {
  const fit = () => { input.size = Math.max(4, Math.min(40, input.value.length + 1)); };
  const input = h("input", { type: "text", dir: "auto", maxlength: 200, spellcheck: "false", oninput: () => { fit(); changed(); } });
  input.value = search;
  fit();
  const away = button("", remove, { symbol: "cross", bare: true });
  const item = h("li", { class: "chip" }, input, away);
  item.name = (n) => {
    input.setAttribute("aria-label", t("search_n", { n }));
    away.setAttribute("aria-label", t("remove_search", { n }));
    away.title = t("remove_search", { n });
  };
  return item;
}
