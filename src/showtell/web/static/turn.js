// One question and what becomes of it: steps, text as it comes, the answer, or why there is none.

import * as answers from "./answer.js";
import { answerAddress, ask, getMarkdown, htmlAddress } from "./api.js";
import { acknowledge, announce, button, copy, h, icon, present } from "./dom.js";
import { t } from "./i18n.js";
import { fault, line, searched } from "./labels.js";
import { rating } from "./rating.js";
import { searches } from "./searches.js";

// From a step that is done to what is being done next; steps that are not named change nothing.
const NEXT = { start: "doing_start", query: "doing_search", look: "doing_search", search: "doing_draft", draft: "doing_illustrate", illustrate: "doing_draft", refine: "doing_verify" };
let count = 0;

export class Turn {
  /** ``asked`` is {question, images, sources, searches, document, after}; ``changed`` is called when its state does. */
  constructor(asked, changed = () => {}) {
    count += 1;
    this.asked = asked;
    this.name = `turn${count}`;
    this.id = null; // of the stored answer
    this.element = h("article", { class: "turn", "aria-labelledby": `${this.name}-question`, tabindex: "-1", "data-figures": true });
    this.#changed = changed;
  }

  #changed;
  #controller = null;

  get isWorking() {
    return this.#controller !== null;
  }

  stop() {
    this.#controller?.abort();
  }

  /** Ask, or ask again, and show what comes. */
  async run(change = {}) {
    this.asked = { ...this.asked, ...change };
    this.id = null;
    this.#controller = new AbortController();
    const progress = new Progress(this);
    this.#changed();
    try {
      for await (const [name, data] of ask(this.asked, this.#controller.signal)) {
        if (name === "step") progress.step(data);
        else if (name === "text") progress.write(data.text);
        else if (name === "reset") progress.reset();
        else if (name === "answer") this.show(data);
      }
    } catch (failure) {
      if (failure.name === "AbortError") this.#stopped(progress);
      else this.#failed(failure);
    } finally {
      progress.end();
      this.#controller = null;
      this.#changed();
    }
  }

  /** Show an answer, fresh or stored. */
  show({ id, answer, rating: given = null }) {
    this.id = id;
    const { thumbs, scales } = rating(id, given);
    this.#fill(
      "done",
      answers.head(answer.question, this.name, answer),
      h("div", { class: "answer" }, present([this.#searches(answer), answers.body(answer), this.#actions(id, thumbs), scales])),
      answers.sources(answer, this.name),
      h("footer", {}, answers.made(answer)),
    );
    const outcome = answer.status === "no_answer" ? t("not_in_sources") : `${t("answered")}, ${t("from_sources", { n: answer.citations.length })}`;
    announce(outcome);
  }

  #fill(state, ...children) {
    this.element.dataset.state = state;
    this.element.replaceChildren(...present(children));
  }

  /** The head of a question that has no answer yet, or none. */
  head() {
    return answers.head({ text: this.asked.question, images: this.asked.images }, this.name);
  }

  work(...children) {
    this.#fill("working", this.head(), h("div", { class: "answer" }, children));
  }

  #searches(answer) {
    const shown = answer.question.images.length || this.asked.searches.length ? answer.searches : searched(answer);
    return shown.length || answer.question.images.length ? searches(shown, (wanted) => this.run({ searches: wanted })) : null;
  }

  #actions(id, thumbs) {
    const copyMarkdown = async ({ currentTarget }) => {
      try {
        await copy(await getMarkdown(id));
        acknowledge(currentTarget, t("copied"));
      } catch (failure) {
        acknowledge(currentTarget, fault(failure));
      }
    };
    const copyLink = async ({ currentTarget }) => {
      await copy(answerAddress(id));
      acknowledge(currentTarget, t("copied"));
    };
    return h(
      "div",
      { class: "actions" },
      thumbs,
      button(t("copy_markdown"), copyMarkdown, { symbol: "copy", "aria-label": t("copy_markdown_name"), title: t("copy_markdown_name") }),
      h("a", { class: "button quiet", href: htmlAddress(id), download: "", "aria-label": t("download_name"), title: t("download_name") }, icon("download"), h("span", {}, t("download"))),
      button(t("copy_link"), copyLink, { symbol: "link", "aria-label": t("copy_link_name"), title: t("copy_link_name"), "data-link": answerAddress(id) }),
      button(t("retry"), () => this.run(), { symbol: "again" }),
    );
  }

  #stopped(progress) {
    const rest = progress.text ? answers.draft(progress.text) : null;
    this.#fill("stopped", this.head(), h("div", { class: "answer" }, present([rest, this.#plate("stopped", t("stopped"))])));
    announce(t("stopped"));
  }

  #failed(failure) {
    this.#fill("failed", this.head(), h("div", { class: "answer" }, this.#plate("failure", t("failed_title"), fault(failure))));
    announce(`${t("failed_title")}. ${fault(failure)}`);
  }

  #plate(kind, title, words = "") {
    return h(
      "div",
      { class: `plate-of ${kind}` },
      h("p", {}, h("b", {}, title), words && h("span", { dir: "auto" }, words)),
      button(t("retry"), () => this.run(), { symbol: "again", quiet: false }),
    );
  }
}

/** What is seen while an answer is made. */
class Progress {
  text = "";
  #turn;
  #doing = h("p", { class: "doing" }, h("span", { class: "pulse", "aria-hidden": "true" }), h("span", { class: "what" }));
  #told = h("ul", { class: "told", role: "list" });
  #draft = h("div");
  #frame = 0;

  constructor(turn) {
    this.#turn = turn;
    turn.work(this.#doing, this.#told, this.#draft);
    this.#say(turn.asked.images.length ? "doing_look" : "doing_start");
  }

  step({ name, searches: found = [], pages = [] }) {
    if (NEXT[name] && !(name === "query" && this.#turn.asked.images.length)) this.#say(NEXT[name]);
    const told = [
      found.some((search) => search !== this.#turn.asked.question) && `${t("searched_for")}: ${found.map((search) => line(search)).join(" · ")}`,
      pages.length > 0 && t("read_pages", { pages: pages.map(({ title }) => line(title, 80)).join(" · ") }),
    ].filter(Boolean);
    this.#told.append(...told.map((words) => h("li", { dir: "auto" }, words)));
  }

  write(piece) {
    this.text += piece;
    this.#frame ||= requestAnimationFrame(() => this.#draw());
  }

  reset() {
    this.text = "";
  }

  end() {
    cancelAnimationFrame(this.#frame);
  }

  #draw() {
    this.#frame = 0;
    if (!this.text) return; // what is superseded stays in sight until there is something in its place
    const drawn = answers.draft(this.text);
    this.#draft.replaceWith(drawn);
    this.#draft = drawn;
  }

  #say(key) {
    this.#doing.querySelector(".what").textContent = `${t(key)} …`;
    announce(t(key));
  }
}
