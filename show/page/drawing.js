"use strict";
(() => {
  const view = document.getElementById("view");
  const first = view.querySelector("svg");
  const search = document.querySelector("input[type=search]");
  const count = document.getElementById("count");
  const more = document.getElementById("more");
  // Of a large drawing only what is in view is drawn, and at a distance no text.
  const isLarge = first.classList.contains("large");
  const LEAST_TEXT = 0.25;  // pixels for a unit of the drawing
  const whole = first.viewBox.baseVal;
  const size = { x: whole.x, y: whole.y, width: whole.width, height: whole.height };
  let found = [];
  let foundSet = new Set();
  let chosen = [];
  let at = -1;

  function moved(element) {
    const [, x, y] = /translate\(([-\d.]+) ([-\d.]+)\)/.exec(element.getAttribute("transform") ?? "") ?? [];
    return { x: Number(x ?? 0), y: Number(y ?? 0) };
  }

  function layer() {
    const group = document.createElementNS("http://www.w3.org/2000/svg", "g");
    group.classList.add("seen");
    return group;
  }

  // Each graph in a pane of its own, so that both can be looked at beside each other. All panes show
  // the same rows and zoom; `shift` is how far a pane is to the right of the first one's view.
  const panes = [...first.querySelectorAll(":scope > g")].map((graph, number) => {
    const origin = moved(graph);
    let svg = first;
    if (number > 0) {
      const title = first.querySelectorAll(":scope > text.title")[1];
      svg = first.cloneNode(false);
      svg.append(title, graph);
      view.append(svg);
    }
    const boxes = [...graph.querySelectorAll("g[data-name]")].map((element) => {
      const { x, y } = moved(element);
      const rect = element.querySelector("rect");
      const half = { x: Number(rect.getAttribute("width")) / 2, y: Number(rect.getAttribute("height")) / 2 };
      return { element, x: origin.x + x, y: origin.y + y, number,
               left: origin.x + x - half.x, right: origin.x + x + half.x,
               top: origin.y + y - half.y, bottom: origin.y + y + half.y,
               text: `${element.dataset.name} ${element.dataset.op}`.toLowerCase() };
    });
    const lines = !isLarge ? [] : [...graph.querySelectorAll(":scope > path")].map((element) => {
      // "M x y", then curves "C x y x y x y" and upright lines "V y".
      const ends = { x: [], y: [] };
      for (const [, command, numbers] of element.getAttribute("d").split("l")[0].matchAll(/([MCV])([^MCV]*)/g)) {
        numbers.trim().split(" ").forEach((number, i) =>
          ends[command === "V" || i % 2 === 1 ? "y" : "x"].push(Number(number)));
      }
      return { element, left: origin.x + Math.min(...ends.x) - 4, right: origin.x + Math.max(...ends.x) + 4,
               top: origin.y + Math.min(...ends.y) - 7, bottom: origin.y + Math.max(...ends.y) + 1 };
    });
    const drawn = isLarge ? [...lines, ...boxes] : [];
    // What is not in view is out of the document, which a browser would go through at each change.
    const layers = isLarge ? [layer(), layer()] : [];
    lines.forEach((one) => (one.layer = layers[0]));
    boxes.forEach((one) => (one.layer = layers[1]));
    if (isLarge) graph.replaceChildren(...layers);
    return { svg, boxes, shift: 0, drawn };
  });
  for (const pair of first.querySelectorAll(":scope > path.pair")) if (panes.length > 1) pair.remove();
  view.classList.toggle("two", panes.length > 1);
  const boxes = panes.flatMap((pane) => pane.boxes);
  const ofElement = new Map(boxes.map((box) => [box.element, box]));
  const ofId = new Map(boxes.map((box) => [box.element.id, box]));
  const partnerOf = (box) => ofId.get(box.element.dataset.partner ?? "");
  let box = { ...size };

  function room() {
    const r = first.getBoundingClientRect();
    return { width: r.width || 1, height: r.height || 1 };
  }
  function show(next) {
    box = next;
    const { width, height } = room();
    const real = Math.max(box.width / width, box.height / height);
    // Half of the room that is left beside what fits.
    const [beside, above] = [(real * width - box.width) / 2, (real * height - box.height) / 2];
    for (const { svg, shift, drawn } of panes) {
      svg.setAttribute("viewBox", `${box.x + shift} ${box.y} ${box.width} ${box.height}`);
      svg.classList.toggle("far", 1 / real < LEAST_TEXT);
      const [left, right] = [box.x + shift - beside, box.x + shift + box.width + beside];
      const [top, bottom] = [box.y - above, box.y + box.height + above];
      for (const one of drawn) {
        const seen = one.right >= left && one.left <= right && one.bottom >= top && one.top <= bottom;
        if (seen === one.seen) continue;
        one.seen = seen;
        if (seen) {
          mark(one);
          one.layer.append(one.element);
        } else {
          one.element.remove();
        }
      }
    }
  }
  function mark(one) { one.element.classList.toggle("found", foundSet.has(one)); }
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
    const { width, height } = room();
    return Math.max(box.width / width, box.height / height);
  }
  function place(event) {
    const pane = panes.find(({ svg }) => svg.contains(event.target)) ?? panes[0];
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(pane.svg.getScreenCTM().inverse());
    return [point.x - pane.shift, point.y];
  }
  function fit() {
    if (panes.length === 1) return show({ ...size });
    // Of two graphs each is as wide as the wider one.
    const ends = panes.map((pane) => [Math.min(...pane.boxes.map((one) => one.left), 1e9), Math.max(...pane.boxes.map((one) => one.right), 0)]);
    const width = Math.max(...ends.map(([left, right]) => right - left)) + 24;
    panes.forEach((pane, i) => (pane.shift = ends[i][0] - ends[0][0]));
    show({ ...size, x: ends[0][0] - 12, width });
  }
  function nearest(one) {
    const far = (other) => Math.abs(other.x - one.x) + 3 * Math.abs(other.y - one.y);
    return panes[one.number].boxes.filter((other) => partnerOf(other))
      .reduce((best, other) => (best && far(best) <= far(other) ? best : other), undefined);
  }
  // A box in the middle of its pane, and its partner in the middle of the other.
  function goTo(one, least = 0) {
    const { width: across, height: down } = room();
    const width = Math.max(least, Math.min(box.width, across));
    const height = width * (down / across);
    // Of a box without a partner the nearest one that has one.
    const pair = partnerOf(one) ? one : panes.length === 1 ? undefined : nearest(one);
    if (pair) panes[1].shift = (pair.number === 0 ? 1 : -1) * (partnerOf(pair).x - pair.x);
    const x = one.x - panes[one.number].shift;
    show({ x: x - width / 2, y: one.y - height / 2, width, height });
  }
  // The first rows in a size that can be read; of two graphs the first place where they differ.
  function begin() {
    const { width: across, height: down } = room();
    if (panes.length > 1 && boxes.length > 0) {
      const of = (relations) => boxes.filter(({ element }) => relations.includes(element.dataset.relation));
      const [one] = [of(["different"]), of(["left", "right"]), boxes].find((some) => some.length > 0)
        .toSorted((a, b) => a.y - b.y);
      if (!partnerOf(one)) fit();
      return goTo(one, across * 1.2);
    }
    const width = Math.max(across, Math.min(size.width, across * 1.6));
    show({ x: size.x + (size.width - width) / 2, y: size.y - 10, width, height: width * (down / across) });
  }
  function choose(one) {
    for (const other of chosen) other.element.classList.remove("chosen");
    const partner = one && partnerOf(one);
    chosen = [one, partner].filter((other) => other);
    for (const other of chosen) other.element.classList.add("chosen");
    const told = (other) => other.element.querySelector("title")?.textContent ?? "";
    more.textContent = (one ? told(one) : "") + (partner ? "\n\nbeside it\n" + told(partner) : "");
  }
  // Words are looked for as they stand or as a regular expression; with "=" in attributes, too.
  function matcher(typed) {
    const text = typed.toLowerCase();
    let pattern;
    try {
      if (/[.*+?^$[\]()|\\]/.test(typed)) pattern = new RegExp(typed, "i");
    } catch {
      pattern = undefined;  // not whole yet
    }
    return (words) => words.includes(text) || (pattern?.test(words) ?? false);
  }
  function find() {
    const text = search.value.trim();
    const matches = matcher(text);
    const wordsOf = text.includes("=")
      ? (one) => (one.all ??= `${one.text}\n${one.element.querySelector("title")?.textContent.toLowerCase() ?? ""}`)
      : (one) => one.text;
    found = text === "" ? [] : boxes.filter((one) => matches(wordsOf(one)));
    foundSet = new Set(found);
    for (const one of boxes) if (!isLarge || one.seen) mark(one);
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
  const boxAt = (target) => ofElement.get(target.closest("g[data-name]"));

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
    if (held && !held.moved) choose(boxAt(event.target));
    held = null;
  });
  view.addEventListener("pointercancel", () => { held = null; });
  window.addEventListener("resize", () => show(box));
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
    else if (event.key === "Enter" && boxAt(event.target)) choose(boxAt(event.target));
  });
  begin();
})();
