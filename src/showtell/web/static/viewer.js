// The pop-up: a figure at full size with its caption and source, and the way to the answer's other figures.

import { announce, byId, openDialog } from "./dom.js";
import { t } from "./i18n.js";

let figures = [];
let shown = 0;

/** Open the pop-up on a figure; those it stands among are its neighbours. */
export function openViewer(figure) {
  figures = [...figure.closest("[data-figures]").querySelectorAll("figure")].filter((each) => each.full);
  show(figures.indexOf(figure));
  openDialog(byId("viewer"));
  byId("viewer-stage").focus();
}

function show(index) {
  shown = (index + figures.length) % figures.length;
  const { name, node, caption } = figures[shown].full();
  byId("viewer-stage").replaceChildren(node);
  byId("viewer-legend").replaceChildren(...caption.childNodes);
  const count = t("figure_of", { name, n: shown + 1, all: figures.length });
  byId("viewer-count").textContent = count;
  actualSize(false);
  byId("viewer-size").hidden = !node.matches("img");
  for (const id of ["viewer-previous", "viewer-next"]) byId(id).hidden = figures.length < 2;
  announce(count);
}

function actualSize(on) {
  byId("viewer").classList.toggle("actual", on);
  byId("viewer-size").setAttribute("aria-pressed", String(on));
}

/** Give the pop-up's controls their work. */
export function prepareViewer() {
  const viewer = byId("viewer");
  byId("viewer-previous").addEventListener("click", () => show(shown - 1));
  byId("viewer-next").addEventListener("click", () => show(shown + 1));
  byId("viewer-size").addEventListener("click", () => actualSize(!viewer.classList.contains("actual")));
  byId("viewer-stage").addEventListener("click", (event) => { if (event.target === event.currentTarget) viewer.close(); });
  viewer.addEventListener("close", () => byId("viewer-stage").replaceChildren()); // a video goes silent
  viewer.addEventListener("keydown", (event) => {
    if (viewer.classList.contains("actual") || event.target.closest("video")) return;
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step && figures.length > 1) show(shown + step * (document.dir === "rtl" ? -1 : 1));
  });
}
