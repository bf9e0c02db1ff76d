// The page: what is in the library, the conversation, and what is dropped on it.

import { getAnswer, getLibrary } from "./api.js";
import { Composer } from "./composer.js";
import { Documents } from "./documents.js";
import { announce, button, byId, h } from "./dom.js";
import { choose, language, LANGUAGES, t, translate } from "./i18n.js";
import { fault, line } from "./labels.js";
import { prepareSources } from "./sources.js";
import { Turn } from "./turn.js";
import { prepareViewer } from "./viewer.js";

const FOLLOWED = 6; // earlier answers that a question is told to follow
let turns = [];

const composer = new Composer({ ask, stop: () => turns.forEach((turn) => turn.stop()) });
const documents = new Documents({ askAbout: (name, title) => composer.restrict(name, title), changed: showLibrary });

// --------------------------------------------------------------------------------------------------- the conversation
function ask(asked) {
  const after = turns.map(({ id }) => id).filter(Boolean).slice(-FOLLOWED);
  const turn = begin({ ...asked, after });
  turn.run();
  turn.element.scrollIntoView({ block: "start" });
}

function begin(asked) {
  const turn = new Turn({ language: null, method: "showtell", ...asked }, changed);
  turns.push(turn);
  byId("turns").append(turn.element);
  changed();
  return turn;
}

/** What depends on the conversation: the page's state, the composer, and the address, which holds the answers' ids. */
function changed() {
  document.body.dataset.state = turns.length ? "conversing" : "empty";
  composer.working = turns.some((turn) => turn.isWorking);
  byId("question").placeholder = t(turns.length ? "ask_further" : "ask_anything");
  const ids = turns.map(({ id }) => id).filter(Boolean);
  const isPermanent = location.pathname.startsWith("/a/") && turns.length <= 1;
  if (!isPermanent && !composer.isWorking) history.replaceState(null, "", ids.length ? `/#${ids.join(",")}` : "/");
  document.title = turns.length ? `${line(turns[0].asked.question, 80)} · showtell` : "showtell";
}

/** Show the answers that the address names: one for good at /a/{id}, or those of a conversation. */
async function restore() {
  const permanent = location.pathname.match(/^\/a\/([\w-]+)$/)?.[1];
  const ids = permanent ? [permanent] : location.hash.slice(1).split(",").filter((id) => /^[\w-]{8,64}$/.test(id));
  if (!ids.length) return changed();
  document.body.dataset.state = "conversing";
  const found = await Promise.allSettled(ids.map(getAnswer));
  for (const [index, { value, reason }] of found.entries()) {
    if (value) restored(value, ids.slice(0, index));
    else if (permanent) gone(reason);
  }
  changed();
  if (permanent && !turns.length) document.body.dataset.state = "gone";
}

function restored(stored, after) {
  const { text, images } = stored.answer.question;
  const turn = begin({ question: text, images, sources: ["library"], searches: [], document: null, after });
  turn.show(stored);
}

function gone(failure) {
  const words = failure.status === 404 ? t("answer_gone") : fault(failure);
  byId("turns").replaceChildren(h("div", { class: "plate-of failure" }, h("p", {}, h("b", {}, words)), h("a", { class: "button", href: "/" }, t("ask_new"))));
  announce(words);
}

function startAnew() {
  turns.forEach((turn) => turn.stop());
  turns = [];
  byId("turns").replaceChildren();
  composer.restrict(null);
  history.replaceState(null, "", "/");
  changed();
}

// ---------------------------------------------------------------------------------------------------------- the library
async function showLibrary() {
  try {
    const library = await getLibrary();
    const counts = ["documents", "passages", "images", "tables", "videos"].filter((kind) => library[kind]);
    byId("library").textContent = line(library.name, 60);
    byId("holds").textContent = counts.map((kind) => t(`n_${kind}`, { n: library[kind] })).join(" · ") || t("empty_library");
    byId("promise").textContent = library.documents ? t("promise") : "";
    showExamples(library.questions);
    if (!byId("sources-choice").children.length || !byId("sources-choice").querySelector("label")) composer.offer(library.sources);
    byId("begin").hidden = library.documents > 0;
  } catch (failure) {
    byId("holds").textContent = fault(failure);
    byId("holds").append(" ", button(t("retry"), showLibrary, { symbol: "again", quiet: false }));
    announce(fault(failure));
  }
}

function showExamples(questions) {
  const items = questions.map((question) => h("li", {}, h("button", { type: "button", dir: "auto", onclick: () => ask({ question, images: [], sources: ["library"], searches: [], document: null }) }, line(question, 200))));
  byId("examples").hidden = !items.length;
  byId("questions").replaceChildren(...items);
}

// ----------------------------------------------------------------------------------------------------- what is dropped
function takeDrops() {
  const isDrop = ({ dataTransfer }) => [...dataTransfer.types].some((type) => type === "Files" || type === "text/uri-list");
  let depth = 0; // a drag enters and leaves every element on its way
  const over = (by) => {
    depth = Math.max(0, depth + by);
    byId("drop").hidden = !depth;
  };
  document.addEventListener("dragenter", (event) => { if (isDrop(event)) over(1); });
  document.addEventListener("dragleave", (event) => { if (isDrop(event)) over(-1); });
  document.addEventListener("dragover", (event) => { if (isDrop(event)) event.preventDefault(); });
  document.addEventListener("drop", (event) => {
    if (!isDrop(event)) return;
    event.preventDefault();
    over(-depth);
    taken(event.dataTransfer, byId("documents").open);
  });
}

function taken(dropped, amongDocuments) {
  const files = [...dropped.files];
  const pictures = amongDocuments ? [] : files.filter(({ type }) => type.startsWith("image/"));
  const others = files.filter((file) => !pictures.includes(file));
  const address = dropped.getData("text/uri-list").split(/\r?\n/).find((each) => /^https?:/.test(each));
  composer.addPictures(pictures);
  if (others.length) documents.add(others);
  if (!files.length && address) composer.addPictureFrom(address);
}

// ------------------------------------------------------------------------------------------------------------- the start
function chooseLanguage() {
  const select = byId("language");
  select.append(...Object.entries(LANGUAGES).map(([tag, name]) => h("option", { value: tag, lang: tag, selected: tag === language }, name)));
  select.addEventListener("change", () => choose(select.value));
}

document.documentElement.lang = language;
translate(document);
chooseLanguage();
prepareViewer();
prepareSources();
takeDrops();
byId("new").addEventListener("click", () => { startAnew(); composer.focus(); });
byId("documents-button").addEventListener("click", () => documents.open());
byId("begin").addEventListener("click", () => documents.open());
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.target.closest("input, textarea, select, dialog")) return;
  event.preventDefault();
  composer.focus();
});
showLibrary();
restore();
