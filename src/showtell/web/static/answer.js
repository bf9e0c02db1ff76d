// An answer as the reader sees it: text and figures in reading order, what is doubtful marked, its sources beside it.

import { pictureAddress } from "./api.js";
import { h, icon, present } from "./dom.js";
import { figure, OUTWARD, plainPicture } from "./figures.js";
import { duration, has, t } from "./i18n.js";
import * as labels from "./labels.js";
import { parse } from "./limited.js";
import { chip, openSource, sourceList } from "./sources.js";

const LONG = 80; // characters from which a question is set smaller

/** The head of a turn: the question, its pictures, and once there is an answer what is to be known before reading. */
export function head(question, id, answer = null) {
  const words = labels.line(question.text, 1000);
  const doubt = answer && labels.doubt(answer);
  return h(
    "header",
    {},
    answer && h("p", { class: "status" }, status(answer)),
    h("h2", { id: `${id}-question`, dir: "auto", class: words.length > LONG ? "long" : null }, words),
    question.images.length > 0 &&
      h("div", { class: "asked" }, question.images.map((sha256, index) => plainPicture(pictureAddress(sha256), t("picture_n", { n: index + 1 })))),
    answer && labels.origin(answer) && h("p", { class: "origin", dir: "auto" }, labels.origin(answer)),
    doubt && h("p", { class: "doubt", role: "note" }, icon("caution"), h("span", {}, doubt)),
  );
}

function status(answer) {
  const level = labels.line(answer.confidence, 60);
  const told = has(`level_${level}`) ? t(`level_${level}`) : level;
  const facts = [h("span", { class: `state ${answer.status}` }, t(answer.status === "no_answer" ? "not_in_sources" : "answered"))];
  if (answer.citations.length) facts.push(t("from_sources", { n: answer.citations.length }));
  if (answer.status === "answered" && !labels.doubt(answer)) facts.push(t("confidence", { level: told }));
  return facts.flatMap((fact, index) => (index ? [" · ", fact] : [fact]));
}

/** Text and figures in order, and what is worth knowing beside them. */
export function body(answer) {
  return [h("div", { class: "words", lang: "" }, parts(answer)), nearest(answer), warnings(answer)];
}

/** The sources, or nothing. */
export const sources = (answer, id) => (answer.citations.length ? sourceList(answer.citations, id) : null);

// ------------------------------------------------------------------------------------------------------------- parts
function parts(answer) {
  const names = labels.figureNames(answer.parts);
  const flow = new Flow();
  answer.parts.forEach((part, index) => {
    const cited = (number) => chip(number, answer.citations);
    if (part.type !== "text") flow.add(figure(part, names[index], part.citations.map(cited)));
    else {
      const link = (address) => isAllowed(address, answer.citations);
      parse(part.text, part.citations, labels.marks(answer, index)).forEach((block) => flow.addBlock(block, blockElement(block, cited, link)));
      labels.failedChecks(answer, index).forEach((check) => flow.add(checkElement(check)));
    }
  });
  return flow.nodes;
}

/** The text of a model as it comes: nothing of it is checked, its citations lead nowhere yet, figures are to come. */
export function draft(text) {
  const flow = new Flow();
  const cited = (number) => h("span", { class: "cite to-come" }, String(number));
  const pieces = text.split(/(\[\[M\d*\]?\]?)/);
  for (const [index, piece] of pieces.entries()) {
    if (index % 2) flow.add(h("div", { class: "figure-to-come", role: "img", "aria-label": t("figure_to_come") }));
    else parse(piece, [...piece.matchAll(/\[(\d{1,4})\]/g)].map(([, n]) => n)).forEach((block) => flow.addBlock(block, blockElement(block, cited, () => false)));
  }
  return h("div", { class: "words draft", lang: "", "aria-busy": "true" }, flow.nodes);
}

/** Blocks one below the other; consecutive items share a list, a figure stands inside its item. */
class Flow {
  nodes = [];
  #list = null;
  #item = null;

  add(node) {
    if (this.#item) this.#item.append(node);
    else this.nodes.push(node);
  }

  addBlock(block, node) {
    if (block.label) this.#begin(block);
    else if (!block.depth) this.#list = this.#item = null;
    this.add(node);
  }

  #begin({ label, depth }) {
    if (!this.#list) {
      this.#list = h("ul", { class: "steps", role: "list" });
      this.nodes.push(this.#list);
    }
    this.#item = h("div", { class: "item" });
    this.#list.append(h("li", { class: `depth-${Math.min(depth, 4)}` }, h("span", { class: "label" }, label), this.#item));
  }
}

function blockElement({ kind, runs }, cited, isLinked) {
  const content = [];
  let mark = null;
  for (const [index, run] of runs.entries()) {
    const node = runElement(run, cited, isLinked);
    if (!run.marked) mark = null;
    else if (!mark) content.push((mark = h("mark")));
    // No line begins with a citation.
    if (runs[index + 1]?.citation && typeof node === "string") (mark ?? content)[mark ? "append" : "push"](node.replace(/ $/, "\u00a0"));
    else (mark ?? content)[mark ? "append" : "push"](node);
    if (mark && !runs[index + 1]?.marked) mark.append(h("span", { class: "unseen" }, t("marked_end")));
  }
  if (kind === "code") return h("pre", { dir: "ltr", tabindex: "0" }, h("code", {}, content));
  return h(kind === "quote" ? "blockquote" : "p", { dir: "auto" }, content);
}

function runElement(run, cited, isLinked) {
  if (run.citation) return cited(run.citation);
  let node = run.text;
  if (!run.code && node.includes("\n")) node = h("span", {}, node.split("\n").flatMap((words, index) => [index ? h("br") : "", words]));
  for (const [tag, wanted] of [["code", run.code], ["em", run.italic], ["strong", run.bold]]) if (wanted) node = h(tag, {}, node);
  return run.link && isLinked(run.link) ? h("a", { href: run.link, ...OUTWARD }, node) : node;
}

/** Links lead to sites of cited sources and to this one; of others only the words stay. */
function isAllowed(address, citations) {
  const { origin } = new URL(address);
  return origin === location.origin || citations.some(({ url }) => labels.webAddress(url) && new URL(labels.webAddress(url)).origin === origin);
}

function checkElement(check) {
  const state = check.action === "repaired" ? "repaired" : "marked";
  return h("p", { class: `check ${state}`, role: "note", dir: "auto" }, labels.note(check));
}

// ------------------------------------------------------------------------------------------------------ what follows
function nearest(answer) {
  if (!answer.nearest.length) return null;
  const places = answer.nearest.map((near) => ({ ...near, text: "" }));
  const items = places.map((near, index) =>
    h("li", {}, h("button", { type: "button", class: "place", dir: "auto", "aria-haspopup": "dialog", onclick: () => openSource(places, index) }, labels.heading(near), h("span", { class: "known" }, labels.line(near.document)))),
  );
  return h("section", { class: "nearest" }, h("h3", {}, t("nearest")), h("ul", { role: "list" }, items));
}

function warnings(answer) {
  if (!answer.warnings.length) return null;
  const items = answer.warnings.map((words) => h("li", { dir: "auto" }, labels.line(words, 600)));
  return h("section", { class: "warnings" }, h("h3", {}, t("warnings")), h("ul", {}, items));
}

/** By what, how and how fast an answer was made. */
export function made(answer) {
  const steps = Object.entries(answer.timings_ms).filter(([name]) => name !== "total");
  const by = t("made_by", { method: labels.line(answer.method, 60), model: labels.line(answer.model, 60) });
  const total = answer.timings_ms.total ?? 0;
  return h(
    "details",
    { class: "made" },
    h("summary", {}, present([total > 0 && t("made_in", { time: duration(total) }), by]).flatMap((words, index) => (index ? [" · ", words] : [words]))),
    h("dl", {}, steps.map(([name, milliseconds]) => h("div", {}, h("dt", {}, labels.line(name, 40)), h("dd", {}, duration(milliseconds))))),
  );
}
