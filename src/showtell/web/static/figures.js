// Figures: a picture that opens full size, a table that scrolls in itself, a video that plays its segment in place.

import { assetAddress } from "./api.js";
import { acknowledge, button, copy, h, icon } from "./dom.js";
import { t } from "./i18n.js";
import * as labels from "./labels.js";
import { openViewer } from "./viewer.js";

const TALLEST = 448; // pixels of a picture's height in the flow of an answer
const QUANTITY = /^[-+−±≈~<>≤≥]?\s*[$€£¥]?\d[\d.,:\s]*(?:%|‰|[a-zA-Zµ°]{1,3})?$/;
export const OUTWARD = { rel: "noopener noreferrer", target: "_blank" };

/** A figure with its caption and source line; ``cited`` are the chips of its citations. */
export function figure(part, name, cited) {
  const makers = { image: picture, table, video };
  const caption = captionOf(part, name);
  caption.querySelector(".where").append(" ", ...cited);
  const shown = h("figure", { class: part.type }, makers[part.type](part, name), caption);
  return enlarging(shown, () => ({ name, node: fullSize(part, name), caption: captionOf(part, name) }));
}

/** A picture that is no figure of an answer, such as one of the question's. */
export function plainPicture(address, name) {
  const shown = h("figure", {}, zoom(name, name, h("img", { src: address, alt: name, decoding: "async" })));
  return enlarging(shown, () => ({ name, node: h("img", { src: address, alt: name }), caption: h("div") }));
}

/** The figure, its enlarging buttons at work; ``full`` makes what the pop-up shows. */
function enlarging(shown, full) {
  const buttons = [...shown.querySelectorAll("[data-enlarge]")];
  buttons.forEach((each) => each.addEventListener("click", () => openViewer(shown)));
  return buttons.length ? Object.assign(shown, { full }) : shown;
}

function captionOf(part, name) {
  const { media } = part;
  const facts = [labels.rowsShown(part), labels.place(media), labels.rights(media.credit, media.licence)].filter(Boolean);
  return h(
    "figcaption",
    {},
    h("span", { class: "said", dir: "auto" }, h("b", {}, name), " ", labels.described(media)),
    h("span", { class: "where" }, facts.flatMap((fact, index) => [index ? " · " : "", h("bdi", {}, fact)])),
  );
}

/** What the pop-up shows of a figure. */
function fullSize(part, name) {
  if (part.type === "table") return tableElement(part.media, name);
  if (part.type === "video") return player(part, name).video;
  const { media } = part;
  return h("img", { src: assetAddress(media.asset), alt: alternative(media, name), width: media.width, height: media.height });
}

// -------------------------------------------------------------------------------------------------------- pictures
function picture(part, name) {
  const { media } = part;
  if (!media.asset) return elsewhere("image", media);
  const words = alternative(media, name);
  const size = media.width && media.height ? fitted(media.width, media.height) : {};
  return zoom(name, words, h("img", { src: assetAddress(media.asset), alt: words, decoding: "async", ...size }));
}

const zoom = (name, words, image) =>
  h("button", { type: "button", class: "zoom", "data-enlarge": true, "aria-haspopup": "dialog", "aria-label": t("enlarge", { name, words }) }, image);

const alternative = (media, name) => labels.byModel(media) || labels.line(media.alt) || labels.described(media) || name;

function fitted(width, height) {
  const scale = Math.min(1, TALLEST / height);
  return { width: Math.max(Math.round(width * scale), 1), height: Math.max(Math.round(height * scale), 1) };
}

// ---------------------------------------------------------------------------------------------------------- videos
function video(part, name) {
  const { media } = part;
  if (!media.asset) return elsewhere("video", media, part);
  const { video: element, replay } = player(part, name);
  const when = labels.stretch(part.start, part.end);
  return [
    element,
    h(
      "div",
      { class: "under" },
      when && button(t("play", { when }), replay, { symbol: "play", quiet: false }),
      button(t("enlarge_table"), () => element.pause(), { symbol: "enlarge", "data-enlarge": true }),
    ),
  ];
}

/** A video that starts at its segment and stops once at its end; ``replay`` plays the segment again. */
function player(part, name) {
  const { media } = part;
  const start = part.start ?? 0;
  const element = h(
    "video",
    {
      controls: true,
      playsinline: true,
      preload: "metadata",
      "aria-label": `${name} ${labels.described(media)}`.trim(),
      src: assetAddress(media.asset) + labels.fragment(part.start, part.end),
    },
    media.captions?.startsWith("/media/") && h("track", { kind: "captions", label: t("captions"), src: media.captions, default: true }),
  );
  let armed = true;
  const rewind = () => {
    armed = true;
    element.currentTime = start;
  };
  element.addEventListener("loadedmetadata", rewind, { once: true });
  element.addEventListener("timeupdate", () => {
    if (!armed || element.currentTime < (part.end ?? Infinity)) return;
    armed = false;
    element.pause();
  });
  return {
    video: element,
    replay: () => {
      rewind();
      element.play();
    },
  };
}

// ------------------------------------------------------------------------------------------------------- elsewhere
/** A medium that is not stored: a plate that leads to it, for nothing foreign is loaded; or where it should be. */
function elsewhere(kind, media, { start, end } = {}) {
  const address = kind === "video" ? labels.moment(media.source, start, end) : labels.webAddress(media.source);
  const what = labels.line(media.title || media.caption || media.alt || media.ref, 120) || t(kind);
  if (!address) return h("p", { class: "plate missing" }, icon(kind), h("bdi", {}, t("missing", { what })));
  const leads = t(kind === "video" ? "watch_on" : "open_on", { host: labels.host(address) });
  return h(
    "a",
    { class: `plate ${kind}`, href: address, ...OUTWARD },
    h("span", { class: "sign" }, icon(kind === "video" ? "play" : "image")),
    h("span", { class: "told" }, h("bdi", { class: "what" }, what), h("span", { class: "leads" }, leads, icon("outward"))),
    kind === "video" && h("span", { class: "when", dir: "ltr" }, labels.stretch(start, end)),
  );
}

// ---------------------------------------------------------------------------------------------------------- tables
function table(part, name) {
  const named = `${name} ${labels.described(part.media)}`.trim();
  const copied = async ({ currentTarget }) => {
    await copy(asText(part.media));
    acknowledge(currentTarget, t("copied"));
  };
  return [
    h("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": named }, tableElement(part.media, named)),
    h(
      "div",
      { class: "under" },
      button(t("copy_table"), copied, { symbol: "copy" }),
      button(t("enlarge_table"), null, { symbol: "enlarge", "data-enlarge": true, "aria-haspopup": "dialog" }),
    ),
  ];
}

function tableElement({ header, rows }) {
  const width = Math.max(...[header, ...rows].map((row) => row.length));
  const numeric = Array.from({ length: width }, (_, column) => isNumeric(rows.map((row) => row[column] ?? "")));
  const cells = (row, tag) =>
    row.map((cell, column) => h(tag, { scope: tag === "th" ? "col" : null, dir: "auto", class: numeric[column] ? "number" : null }, labels.clean(cell)));
  return h(
    "table",
    {},
    header.length > 0 && h("thead", {}, h("tr", {}, cells(header, "th"))),
    h("tbody", {}, rows.map((row) => h("tr", {}, cells(row, "td")))),
  );
}

function isNumeric(cells) {
  const filled = cells.map((cell) => cell.trim()).filter((cell) => !["", "-", "–", "—"].includes(cell));
  return filled.length > 0 && filled.every((cell) => QUANTITY.test(cell));
}

/** The table with tabs between its cells; a cell that a spreadsheet would take for a formula is marked as text. */
function asText({ header, rows }) {
  const cell = (words) => labels.clean(words).replace(/\s+/g, " ").trim().replace(/^(?=[=@]|[+-](?![\d.,\s]*[%\w°]{0,3}$))/, "'");
  return [header, ...rows].filter((row) => row.length).map((row) => row.map(cell).join("\t")).join("\n");
}
