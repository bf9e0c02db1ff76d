"use strict";
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const byId = (id) => document.getElementById(id);

  // Pictures: full size in a dialog, which returns the focus by itself when it closes.
  const viewer = byId("viewer");
  const pictures = all(".zoom");
  let shown = 0;
  const actualSize = (on) => {
    viewer.classList.toggle("actual", on);
    byId("viewer-size").setAttribute("aria-pressed", on);
  };
  const show = (index) => {
    shown = (index + pictures.length) % pictures.length;
    const button = pictures[shown];
    const small = button.querySelector("img");
    const picture = byId("viewer-picture");
    picture.src = small.src;
    picture.alt = small.alt;
    const legend = button.closest("figure")?.querySelector("figcaption").cloneNode(true).childNodes;
    byId("viewer-legend").replaceChildren(...(legend ?? [small.alt]));
    all("[id]", byId("viewer-legend")).forEach((node) => node.removeAttribute("id"));
    byId("viewer-count").textContent = `Picture ${shown + 1} of ${pictures.length}`;
    actualSize(false);
  };
  pictures.forEach((button, index) => button.addEventListener("click", () => {
    show(index);
    viewer.showModal();
  }));
  byId("viewer-previous").addEventListener("click", () => show(shown - 1));
  byId("viewer-next").addEventListener("click", () => show(shown + 1));
  byId("viewer-size").addEventListener("click", () => actualSize(!viewer.classList.contains("actual")));
  byId("viewer-close").addEventListener("click", () => viewer.close());
  all("#viewer-previous, #viewer-next").forEach((button) => { button.hidden = pictures.length < 2; });
  viewer.addEventListener("click", (event) => {
    if (event.target === viewer || event.target.closest("#viewer-legend a")) viewer.close();
  });
  viewer.addEventListener("keydown", (event) => {
    if (viewer.classList.contains("actual")) return;
    if (event.key === "ArrowLeft") show(shown - 1);
    if (event.key === "ArrowRight") show(shown + 1);
  });

  // Videos: start at the segment, stop once at its end.
  all("video[data-start]").forEach((video) => {
    const start = Number(video.dataset.start);
    const end = Number(video.dataset.end || Infinity);
    const again = video.closest("figure").querySelector(".again");
    let armed = true;
    const rewind = () => {
      armed = true;
      video.currentTime = start;
    };
    if (video.readyState) rewind();
    else video.addEventListener("loadedmetadata", rewind, { once: true });
    video.addEventListener("timeupdate", () => {
      if (!armed || video.currentTime < end) return;
      armed = false;
      video.pause();
    });
    again.hidden = false;
    again.addEventListener("click", () => {
      rewind();
      video.play();
    });
  });

  // Citations: a card with the quoted passage; the way back leads to the chip that was followed.
  const card = byId("card");
  let closing = 0;
  const hide = () => { card.hidden = true; };
  const hideSoon = () => { closing = setTimeout(hide, 150); };
  const keep = () => clearTimeout(closing);
  const reveal = (chip) => {
    keep();
    const source = byId(chip.hash.slice(1));
    card.replaceChildren(...all(".heading, .known, blockquote", source).map((node) => node.cloneNode(true)));
    card.hidden = false;
    const at = chip.getBoundingClientRect();
    const below = at.bottom + card.offsetHeight + 12 < innerHeight;
    card.style.top = `${scrollY + (below ? at.bottom + 6 : Math.max(at.top - card.offsetHeight - 6, 6 - scrollY))}px`;
    card.style.left = `${Math.max(8, Math.min(at.left - 16, document.documentElement.clientWidth - card.offsetWidth - 8))}px`;
  };
  all("article .cite").forEach((chip) => {
    chip.addEventListener("pointerenter", (event) => { if (event.pointerType === "mouse") reveal(chip); });
    chip.addEventListener("pointerleave", hideSoon);
    chip.addEventListener("focus", () => { if (chip.matches(":focus-visible")) reveal(chip); });
    chip.addEventListener("blur", hide);
    chip.addEventListener("click", () => {
      hide();
      byId(chip.hash.slice(1)).querySelector(".back").hash = chip.id;
    });
  });
  card.addEventListener("pointerenter", keep);
  card.addEventListener("pointerleave", hideSoon);
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });
})();
