// Citations: a chip in the text, a card over it on hover or focus, a panel that shows the passage in its section.

import { getSection } from "./api.js";
import { announce, byId, h, icon, openDialog } from "./dom.js";
import { figure, OUTWARD } from "./figures.js";
import { t } from "./i18n.js";
import * as labels from "./labels.js";

let closing = 0;
let opened = { sources: [], index: 0 };

// ------------------------------------------------------------------------------------------------ chips and the card
/** A chip that leads to a source; a number without a source stays a number. */
export function chip(number, sources) {
  const index = sources.findIndex((source) => source.number === number);
  if (index < 0) return `[${number}]`;
  const source = sources[index];
  const made = h(
    "button",
    {
      type: "button",
      class: "cite",
      "aria-haspopup": "dialog",
      "aria-label": t("source_n", { n: number, title: labels.heading(source) }),
      onpointerenter: (event) => { if (event.pointerType === "mouse") reveal(made, source); },
      onpointerleave: hideSoon,
      onfocus: () => { if (made.matches(":focus-visible")) reveal(made, source); },
      onblur: hide,
      onclick: () => openSource(sources, index),
    },
    String(number),
  );
  return made;
}

function reveal(made, source) {
  clearTimeout(closing);
  const card = byId("card");
  card.replaceChildren(
    h("p", { class: "heading", dir: "auto" }, labels.heading(source)),
    h("p", { class: "known" }, h("bdi", {}, labels.line(source.document))),
    h("blockquote", { dir: "auto", lang: "" }, labels.clean(source.text)),
  );
  card.hidden = false;
  made.setAttribute("aria-describedby", "card");
  const at = made.getBoundingClientRect();
  const below = at.bottom + card.offsetHeight + 12 < innerHeight;
  const left = Math.min(at.left - 16, document.documentElement.clientWidth - card.offsetWidth - 8);
  card.style.top = `${scrollY + (below ? at.bottom + 6 : Math.max(at.top - card.offsetHeight - 6, 6 - scrollY))}px`;
  card.style.left = `${Math.max(8, left)}px`;
}

function hide() {
  clearTimeout(closing);
  byId("card").hidden = true;
}

function hideSoon() {
  closing = setTimeout(hide, 150);
}

// -------------------------------------------------------------------------------------------- the list beside an answer
/** The sources of an answer, each of which opens in the panel. */
export function sourceList(sources, id) {
  const items = sources.map((source, index) =>
    h(
      "li",
      {},
      h("span", { class: "number", "aria-hidden": "true" }, String(source.number)),
      h(
        "button",
        { type: "button", class: "heading", dir: "auto", "aria-haspopup": "dialog", onclick: () => openSource(sources, index) },
        h("span", { class: "unseen" }, `${source.number}: `),
        labels.heading(source),
      ),
      h("p", { class: "known" }, facts(source)),
      h("blockquote", { dir: "auto", lang: "" }, labels.clean(source.text)),
    ),
  );
  return h("section", { class: "sources", "aria-labelledby": `${id}-sources` }, h("h3", { id: `${id}-sources` }, t("sources")), h("ol", { role: "list" }, items));
}

function facts(source) {
  const known = [
    labels.line(source.document),
    labels.rights(source.licence, null),
    source.revision && t("revision", { revision: labels.line(source.revision, 60) }),
  ].filter(Boolean);
  return known.flatMap((fact, index) => [index ? " · " : "", h("bdi", {}, fact)]);
}

// ---------------------------------------------------------------------------------------------------------- the panel
/** Open the panel on one of these sources, or of the sections near a question. */
export function openSource(sources, index) {
  hide();
  opened = { sources, index };
  openDialog(byId("source"));
  show();
}

async function show() {
  const { sources, index } = opened;
  const source = sources[index];
  const address = labels.webAddress(source.url);
  byId("source-title").textContent = labels.heading(source);
  byId("source-number").textContent = source.number ?? "";
  byId("source-number").hidden = !source.number;
  byId("source-known").replaceChildren(...facts(source), ...(address ? [h("a", { href: address, ...OUTWARD }, t("open_original"), icon("outward"))] : []));
  for (const id of ["source-previous", "source-next"]) byId(id).hidden = sources.length < 2;
  const body = byId("source-text");
  body.replaceChildren(h("p", { class: "waiting" }, t("loading")));
  const section = await getSection(source.document, source.section).catch(() => null);
  if (opened.sources !== sources || opened.index !== index) return;
  body.replaceChildren(...(section ? inSection(section, source) : alone(source)));
  const cited = body.querySelector(".cited");
  if (cited) cited.scrollIntoView({ block: "center", behavior: "instant" });
  else body.scrollTop = 0;
  announce(`${t("source_panel")}: ${labels.heading(source)}`);
}

/** The passage by itself, where its section is not to be had. */
function alone(source) {
  return [h("p", { class: "aside" }, t("only_passage")), source.text && h("blockquote", { class: "cited", dir: "auto", lang: "" }, labels.clean(source.text))].filter(Boolean);
}

/** The section's blocks in reading order, those of the passage marked. */
function inSection({ blocks, passages }, source) {
  const passage = passages.find((each) => each.text === source.text);
  const isCited = (index) => Boolean(passage) && passage.first <= index && index < passage.last;
  const found = blocks.map((block, index) => ({ block, cited: isCited(index) }));
  const shown = [];
  for (const { block, cited } of found) {
    if (cited && !shown.at(-1)?.matches(".cited")) shown.push(h("div", { class: "cited", role: "group", "aria-label": t("cited_here") }));
    (cited ? shown.at(-1) : { append: (node) => shown.push(node) }).append(blockElement(block));
  }
  if (!passage && source.text) shown.unshift(h("blockquote", { class: "cited", dir: "auto", lang: "" }, labels.clean(source.text)));
  return shown;
}

function blockElement(block) {
  if (block.type !== "text") return sectionFigure(block);
  const words = labels.clean(block.text);
  if (block.kind === "code") return h("pre", { dir: "ltr" }, h("code", {}, words));
  const attributes = { dir: "auto", lang: "", class: `block ${block.kind} depth-${Math.min(block.depth ?? 0, 4)}` };
  return h(block.kind === "quote" ? "blockquote" : "p", attributes, block.label && h("span", { class: "label" }, block.label), block.label ? " " : "", words);
}

function sectionFigure(block) {
  const media = { document: "", section: [], generated: "", header: [], rows: [], ...block };
  return figure({ type: block.type, media, start: block.start, end: block.end, rows_total: media.rows.length }, t(block.type), []);
}

/** Give the card and the panel their work. */
export function prepareSources() {
  const card = byId("card");
  card.addEventListener("pointerenter", () => clearTimeout(closing));
  card.addEventListener("pointerleave", hideSoon);
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });
  const step = (by) => () => openSource(opened.sources, (opened.index + by + opened.sources.length) % opened.sources.length);
  byId("source-previous").addEventListener("click", step(-1));
  byId("source-next").addEventListener("click", step(1));
}
