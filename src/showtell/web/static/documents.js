// What is in the library: the list, adding by file or address, removing, and asking about one document.

import { addDocuments, addDocumentsFrom, getDocuments, removeDocument } from "./api.js";
import { announce, button, byId, h, openDialog } from "./dom.js";
import { t } from "./i18n.js";
import { fault, line } from "./labels.js";

const MANY = 12; // documents from which a field to find one is shown

export class Documents {
  #documents = [];

  /** ``askAbout`` takes a document's name and title, ``changed`` is called when the library has. */
  constructor({ askAbout, changed }) {
    this.askAbout = askAbout;
    this.changed = changed;
    byId("files-button").addEventListener("click", () => byId("files").click());
    byId("files").addEventListener("change", ({ target }) => {
      this.add([...target.files]);
      target.value = "";
    });
    byId("address-form").addEventListener("submit", (event) => {
      event.preventDefault();
      const url = byId("address").value.trim();
      if (url) this.#add(() => addDocumentsFrom(url));
      byId("address").value = "";
    });
    byId("find").addEventListener("input", () => this.#list());
  }

  /** Open the dialog with the list as it is now. */
  async open() {
    openDialog(byId("documents"));
    await this.#load();
  }

  /** Add files, and show what became of each. */
  add(files) {
    openDialog(byId("documents"));
    this.#add(() => addDocuments(files));
  }

  async #add(send) {
    const told = byId("added");
    told.replaceChildren(h("li", { class: "waiting" }, t("adding")));
    announce(t("adding"));
    try {
      const { results } = await send();
      told.replaceChildren(...results.map((result) => this.#result(result)));
      announce(results.map((result) => `${line(result.name)}: ${t(`status_${result.status}`)}`).join(", "));
      await this.#load();
      this.changed();
    } catch (failure) {
      told.replaceChildren(h("li", { class: "failed" }, fault(failure)));
      announce(fault(failure));
    }
  }

  #result({ name, status, error, warnings = [] }) {
    const works = !["failed", "skipped"].includes(status);
    return h(
      "li",
      { class: works ? "good" : "failed" },
      h("p", {}, h("bdi", { class: "name" }, line(name)), " ", h("span", { class: "what" }, t(`status_${status}`))),
      [error, ...warnings].filter(Boolean).map((words) => h("p", { class: "known", dir: "auto" }, line(words, 400))),
      works && this.#askButton(name, name, { quiet: false }),
    );
  }

  async #load() {
    try {
      this.#documents = (await getDocuments()).documents;
      this.#list();
    } catch (failure) {
      byId("document-list").replaceChildren(h("li", { class: "failed" }, fault(failure)));
    }
  }

  #list() {
    const wanted = byId("find").value.trim().toLowerCase();
    byId("find").parentElement.hidden = this.#documents.length < MANY;
    const found = this.#documents.filter(({ name, title }) => `${name} ${title}`.toLowerCase().includes(wanted));
    byId("document-list").replaceChildren(...found.slice(0, 500).map((each) => this.#item(each)));
  }

  #item({ name, title, passages, images, tables, videos }) {
    const counts = Object.entries({ passages, images, tables, videos }).filter(([, n]) => n).map(([kind, n]) => t(`n_${kind}`, { n }));
    return h(
      "li",
      {},
      h("div", { class: "about" }, h("p", { class: "title", dir: "auto" }, line(title) || line(name)), h("p", { class: "known" }, h("bdi", {}, line(name)), counts.length > 0 && ` · ${counts.join(", ")}`)),
      this.#askButton(name, title || name),
      this.#removeButton(name),
    );
  }

  #askButton(name, title, options = {}) {
    return button(t("ask_about"), () => {
      byId("documents").close();
      this.askAbout(name, line(title, 60));
    }, { ...options, "aria-label": t("ask_about_name", { name: line(title, 60) }) });
  }

  /** Asks back before it removes. */
  #removeButton(name) {
    let sure = false;
    const made = button(t("remove"), async () => {
      if (!sure) {
        sure = true;
        made.classList.add("danger");
        made.querySelector("span").textContent = t("really_remove");
        made.setAttribute("aria-label", `${t("really_remove")} ${line(name, 60)}`);
        return;
      }
      try {
        await removeDocument(name);
        announce(t("removed", { name: line(name) }));
      } catch (failure) {
        byId("added").replaceChildren(h("li", { class: "failed" }, fault(failure)));
      }
      await this.#load();
      byId("files-button").focus();
      this.changed();
    }, { "aria-label": t("remove_name", { name: line(name, 60) }) });
    return made;
  }
}
