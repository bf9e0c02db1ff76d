// What the reader thinks of an answer: a thumb, and MuRAR's three scales; each choice is stored at once.

import { putRating } from "./api.js";
import { announce, button, h } from "./dom.js";
import { t } from "./i18n.js";
import { fault } from "./labels.js";

const SCALES = ["usefulness", "readability", "relevance"];
const BLANK = { thumb: null, usefulness: null, readability: null, relevance: null, comment: "" };

/** Thumbs to stand among the actions, and the scales that open below them. */
export function rating(id, given) {
  const chosen = { ...BLANK, ...given };
  const saved = h("p", { class: "saved", role: "status" });
  const save = async () => {
    try {
      await putRating(id, chosen);
      saved.textContent = t("rating_saved");
    } catch (failure) {
      saved.textContent = t("rating_failed", { why: fault(failure) });
      announce(saved.textContent);
    }
  };
  const scales = h("div", { class: "rating", hidden: !given }, SCALES.map((name) => scale(name, id, chosen, save)), comment(id, chosen, save), saved);
  const thumbs = ["up", "down"].map((way) => {
    const name = t(`thumb_${way}`);
    return button(name, () => {
      chosen.thumb = chosen.thumb === way ? null : way;
      thumbs.forEach((each, index) => each.setAttribute("aria-pressed", String(chosen.thumb === ["up", "down"][index])));
      scales.hidden = false;
      save();
    }, { symbol: `thumb-${way}`, bare: true, "aria-pressed": String(chosen.thumb === way) });
  });
  return { thumbs: h("div", { class: "thumbs", role: "group", "aria-label": t("rating") }, thumbs), scales };
}

function scale(name, id, chosen, save) {
  const choices = [1, 2, 3, 4, 5].map((value) => {
    const take = () => {
      chosen[name] = value;
      save();
    };
    const attributes = { type: "radio", name: `${name}-${id}`, value, "aria-label": t("of_five", { n: value }), checked: chosen[name] === value, onchange: take };
    return h("label", {}, h("input", attributes), h("span", { "aria-hidden": "true" }, String(value)));
  });
  return h("fieldset", {}, h("legend", {}, t(name)), h("p", { class: "about" }, t(`${name}_about`)), h("div", { class: "scale" }, choices));
}

function comment(id, chosen, save) {
  const area = h("textarea", {
    id: `comment-${id}`, rows: 2, dir: "auto", maxlength: 2000, placeholder: t("comment_about"),
    onchange: () => {
      chosen.comment = area.value;
      save();
    },
  });
  area.value = chosen.comment;
  return h("div", { class: "comment" }, h("label", { for: `comment-${id}` }, t("comment")), area);
}
