"use strict";
(() => {
  const view = document.getElementById("view");
  const svg = view.querySelector("svg");
  const search = document.querySelector("input[type=search]");
  const count = document.getElementById("count");
  const more = document.getElementById("more");
  const boxes = [...svg.querySelectorAll("g[data-name]")];
  const whole = svg.viewBox.baseVal;
  const size = { x: whole.x, y: whole.y, width: whole.width, height: whole.height };
  let box = { ...size };
  let found = [];
  let at = -1;

  function show(next) {
    box = next;
    svg.setAttribute("viewBox", `${box.x} ${box.y} ${box.width} ${box.height}`);
  }
  // Around a point of the drawing; a factor below 1 enlarges.
  function zoom(factor, x, y) {
    const width = Math.min(Math.max(box.width * factor, 80), size.width * 4 + 400);
    const real = width / box.width;
    show({ x: x - (x - box.x) * real, y: y - (y - box.y) * real,
           width, height: box.height * real });
  }
  function center() { return [box.x + box.width / 2, box.y + box.height / 2]; }
  // Units of the drawing in a pixel.
  function scale() {
    const r = svg.getBoundingClientRect();
    return Math.max(box.width / (r.width || 1), box.height / (r.height || 1));
  }
  function place(event) {
    const matrix = svg.getScreenCTM();
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    return [point.x, point.y];
  }
  function fit() { show({ ...size }); }
  // The first rows in a size that can be read.
  function begin() {
    const r = svg.getBoundingClientRect();
    const width = Math.max(r.width, Math.min(size.width, r.width * 1.6));
    show({ x: size.x + (size.width - width) / 2, y: size.y - 10, width,
           height: width * (r.height / (r.width || 1)) });
  }
  function goTo(element) {
    const b = element.getBBox();
    const t = element.transform.baseVal.consolidate();
    const x = b.x + b.width / 2 + (t ? t.matrix.e : 0) + offset(element);
    const y = b.y + b.height / 2 + (t ? t.matrix.f : 0) + offset(element, "f");
    const r = svg.getBoundingClientRect();
    const width = Math.min(box.width, r.width);
    const height = width * (r.height / (r.width || 1));
    show({ x: x - width / 2, y: y - height / 2, width, height });
  }
  function offset(element, part = "e") {
    const t = element.parentNode.transform.baseVal.consolidate();
    return t ? t.matrix[part] : 0;
  }
  function choose(element) {
    for (const other of svg.querySelectorAll(".chosen")) other.classList.remove("chosen");
    more.textContent = "";
    if (!element) return;
    element.classList.add("chosen");
    const partner = element.dataset.partner && document.getElementById(element.dataset.partner);
    if (partner) partner.classList.add("chosen");
    const title = element.querySelector("title");
    more.textContent = (title ? title.textContent : "") +
        (partner ? "\n\nbeside it\n" + partner.querySelector("title").textContent : "");
  }
  function find() {
    for (const element of found) element.classList.remove("found");
    const text = search.value.trim().toLowerCase();
    found = text === "" ? [] : boxes.filter(
        (element) => (element.dataset.name + " " + element.dataset.op).toLowerCase().includes(text));
    for (const element of found) element.classList.add("found");
    at = -1;
    count.textContent = text === "" ? "" : `${found.length} found`;
    if (found.length > 0) next(1);
  }
  function next(step) {
    if (found.length === 0) return;
    at = (at + step + found.length) % found.length;
    count.textContent = `${at + 1} of ${found.length}`;
    goTo(found[at]);
    choose(found[at]);
  }

  search.addEventListener("input", find);
  search.addEventListener("keydown", (event) => {
    if (event.key === "Enter") next(event.shiftKey ? -1 : 1);
    if (event.key === "Escape") { search.value = ""; find(); search.blur(); }
  });
  document.getElementById("in").addEventListener("click", () => zoom(0.7, ...center()));
  document.getElementById("out").addEventListener("click", () => zoom(1 / 0.7, ...center()));
  document.getElementById("fit").addEventListener("click", fit);
  view.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom(Math.exp(Math.max(-60, Math.min(60, event.deltaY)) * 0.004), ...place(event));
  }, { passive: false });
  let held = null;
  view.addEventListener("pointerdown", (event) => {
    held = { x: event.clientX, y: event.clientY, box, moved: false };
  });
  view.addEventListener("pointermove", (event) => {
    if (!held) return;
    const dx = event.clientX - held.x;
    const dy = event.clientY - held.y;
    if (Math.abs(dx) + Math.abs(dy) > 4 && !held.moved) {
      held.moved = true;
      view.setPointerCapture(event.pointerId);
    }
    if (held.moved) {
      show({ ...held.box, x: held.box.x - dx * scale(), y: held.box.y - dy * scale() });
    }
  });
  view.addEventListener("pointerup", (event) => {
    if (held && !held.moved) choose(event.target.closest("g[data-name]"));
    held = null;
  });
  view.addEventListener("pointercancel", () => { held = null; });
  document.addEventListener("keydown", (event) => {
    if (event.target === search || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = box.height / 6;
    if (event.key === "/") { event.preventDefault(); search.focus(); }
    else if (event.key === "+") zoom(0.7, ...center());
    else if (event.key === "-") zoom(1 / 0.7, ...center());
    else if (event.key === "0") fit();
    else if (event.key === "ArrowDown") show({ ...box, y: box.y + step });
    else if (event.key === "ArrowUp") show({ ...box, y: box.y - step });
    else if (event.key === "ArrowRight") show({ ...box, x: box.x + step });
    else if (event.key === "ArrowLeft") show({ ...box, x: box.x - step });
    else if (event.key === "Enter" && event.target.closest("g[data-name]")) {
      choose(event.target.closest("g[data-name]"));
    }
  });
  begin();
})();
