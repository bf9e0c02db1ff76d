// Where one asks: words, pictures (by drag, paste, file or camera), and where to look.

import { addPicture, addPictureFrom, pictureAddress } from "./api.js";
import { announce, button, byId, h, icon } from "./dom.js";
import { t } from "./i18n.js";
import { fault } from "./labels.js";

const MOST_PICTURES = 4;

export class Composer {
  #pictures = []; // {sha256, element}; sha256 is null while the picture is on its way
  #document = null;
  #form = byId("composer");
  #words = byId("question");

  /** ``ask`` takes what is asked, ``stop`` nothing. */
  constructor({ ask, stop }) {
    this.ask = ask;
    this.stop = stop;
    this.isWorking = false;
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#submit();
    });
    this.#words.addEventListener("keydown", (event) => {
      // A word that is being composed, as in Chinese, ends with Enter too.
      if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
      event.preventDefault();
      if (!this.isWorking) this.#submit();
    });
    this.#words.addEventListener("input", () => this.#fit());
    for (const kind of ["picture", "camera"]) {
      byId(`${kind}-button`).addEventListener("click", () => byId(`${kind}-file`).click());
      byId(`${kind}-file`).addEventListener("change", ({ target }) => {
        this.addPictures(target.files);
        target.value = "";
      });
    }
    document.addEventListener("paste", ({ clipboardData }) => this.addPictures(clipboardData?.files ?? []));
  }

  /** Offer the sources that the server has, where there is a choice. */
  offer(sources) {
    const choices = sources.map((name, index) =>
      h("label", { class: "choice" }, h("input", { type: "checkbox", name: "source", value: name, checked: index === 0 }), h("span", {}, t(`source_${name}`))),
    );
    byId("sources-choice").hidden = sources.length < 2;
    byId("sources-choice").append(...choices);
  }

  /** Show whether an answer is being made: the button then stops it. */
  set working(isWorking) {
    this.isWorking = isWorking;
    const submit = byId("submit");
    submit.classList.toggle("stops", isWorking);
    submit.querySelector("span").textContent = t(isWorking ? "stop" : "ask");
    submit.querySelector("use").setAttribute("href", isWorking ? "#icon-stop" : "#icon-send");
  }

  focus() {
    this.#words.focus();
  }

  /** Put a question in place, to be changed or asked. */
  fill(words) {
    this.#words.value = words;
    this.#fit();
  }

  /** Look only in one document; null for all. */
  restrict(name, title = name) {
    this.#document = name;
    byId("scope").replaceChildren(...(name ? [
      h("span", { class: "chip fixed" }, icon("document"), h("bdi", {}, t("only_in", { name: title })), button(t("everywhere"), () => {
        this.restrict(null);
        this.focus();
      }, { symbol: "cross", bare: true })),
    ] : []));
    this.focus();
  }

  // -------------------------------------------------------------------------------------------------------- pictures
  /** Send picture files to the server and show them as part of the question. */
  addPictures(files) {
    for (const file of files) if (file.type.startsWith("image/")) this.#add(() => addPicture(file));
  }

  /** A picture that lies at a web address. */
  addPictureFrom(url) {
    this.#add(() => addPictureFrom(url));
  }

  async #add(upload) {
    if (this.#pictures.length >= MOST_PICTURES) return;
    const entry = { sha256: null, element: h("li", { class: "attached uploading" }, h("span", { class: "unseen" }, t("uploading"))) };
    this.#pictures.push(entry);
    byId("pictures").append(entry.element);
    this.#tell("");
    try {
      entry.sha256 = (await upload()).sha256;
      this.#attached(entry);
      announce(t("picture_added"));
    } catch (failure) {
      this.#remove(entry);
      this.#tell(fault(failure));
    }
  }

  #attached(entry) {
    const n = this.#pictures.indexOf(entry) + 1;
    const remove = button(t("remove_picture", { n }), () => {
      this.#remove(entry);
      this.focus();
    }, { symbol: "cross", bare: true });
    entry.element.classList.remove("uploading");
    entry.element.replaceChildren(h("img", { src: pictureAddress(entry.sha256), alt: t("picture_n", { n }) }), remove);
    this.focus();
  }

  #remove(entry) {
    this.#pictures = this.#pictures.filter((each) => each !== entry);
    entry.element.remove();
  }

  #tell(words) {
    byId("composer-fault").textContent = words;
    if (words) announce(words);
  }

  // ---------------------------------------------------------------------------------------------------------- asking
  #submit() {
    if (this.isWorking) return this.stop();
    const words = this.#words.value.trim();
    if (this.#pictures.some(({ sha256 }) => !sha256)) return this.#tell(t("uploading"));
    if (!words && !this.#pictures.length) return this.focus();
    const chosen = [...this.#form.querySelectorAll("[name=source]:checked")].map(({ value }) => value);
    this.ask({
      question: words || t("what_is_this"),
      images: this.#pictures.map(({ sha256 }) => sha256),
      sources: chosen.length ? chosen : ["library"],
      searches: [],
      document: this.#document,
    });
    this.#words.value = "";
    this.#fit();
    this.#tell("");
    this.#pictures.forEach(({ element }) => element.remove());
    this.#pictures = [];
  }

  #fit() {
    this.#words.style.height = "auto";
    this.#words.style.height = `${this.#words.scrollHeight}px`;
  }
}
