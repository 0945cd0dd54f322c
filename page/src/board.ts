// Graphs beside each other, each in a pane: what is in view is in the document. All panes move in
// step, with an overview, a search, the next change, colors by figures, and pictures to save.
import { button, html, svg } from "./dom";
import { OverviewMap } from "./overview_map";
import { saveDrawings, savePng } from "./save_drawing";
import { bytes as sizeText, digits, grouped, visible } from "./text";
import { type Area, type Point, Viewport } from "./viewport";

// A part of a drawing that is made when it comes into view.
export interface Part extends Area {
  make(): SVGElement;
}

export interface Figures {
  bytes?: number | undefined;
  time?: number | undefined;  // microseconds
}

export interface BoxPart extends Part {
  id: string;
  relation: string;
  figures: Figures;
}

// From the lowest layer up; `shift`: how far it lies to the right of the first pane's.
export interface PaneScene {
  under: Part[];
  boxes: BoxPart[];
  over: Part[];
  shift?: number;
}

export interface Scene {
  width: number;
  height: number;
  panes: PaneScene[];
}

// All nodes that there are, drawn or not, by their numbers.
export interface BoardNodes {
  all(): number[];
  words(node: number): string;       // its names and operators, a line each
  attributes(node: number): string;  // and these
  changes(): number[];
  ids(node: number): string[];       // of its boxes
  goTo(node: number): void;
}

type Mode = "difference" | keyof Figures;
const MODES: [Mode, string][] = [["difference", "difference"], ["bytes", "bytes"], ["time", "time"]];

const MOST_WHOLE = 1000;    // parts that are in the document whether they are in view or not
const LEAST_TEXT = 0.25;    // scale at which letters are drawn
const MOST_SAVED = 6000;    // parts of a picture; of more what is in view

class Pane {
  readonly moved = svg("g");
  readonly svg: SVGSVGElement;
  readonly map: OverviewMap;
  readonly element: HTMLElement;
  private readonly layers = [svg("g"), svg("g"), svg("g")] as const;
  private readonly made = new Map<Part, SVGElement>();
  private shown = new Set<Part>();
  scene: PaneScene = { under: [], boxes: [], over: [] };

  constructor(name: string, goTo: (at: Point) => void) {
    this.moved.append(...this.layers);
    this.svg = svg("svg", { class: name }, this.moved);
    this.map = new OverviewMap((at) => goTo({ x: at.x - this.shift, y: at.y }));
    this.element = html("div", { class: "pane" }, this.svg, this.map.element);
  }

  get shift(): number {
    return this.scene.shift ?? 0;
  }

  set(scene: PaneScene): void {
    this.scene = scene;
    this.made.clear();
    this.shown.clear();
    for (const layer of this.layers) layer.replaceChildren();
  }

  parts(): [Part, number][] {
    const { under, boxes, over } = this.scene;
    return [under, boxes, over].flatMap((parts, layer) => parts.map((part): [Part, number] => [part, layer]));
  }

  // Puts into the document what is in the area; all if there is none.
  draw(area: Area | undefined, finish: (part: Part, element: SVGElement) => void): void {
    const next = new Set<Part>();
    for (const [part, layer] of this.parts()) {
      if (area && (part.right < area.left || part.left > area.right || part.bottom < area.top || part.top > area.bottom)) continue;
      next.add(part);
      if (!this.shown.delete(part)) this.layers[layer]?.append(this.elementOf(part, finish));
    }
    for (const part of this.shown) this.made.get(part)?.remove();
    this.shown = next;
  }

  private elementOf(part: Part, finish: (part: Part, element: SVGElement) => void): SVGElement {
    const known = this.made.get(part);
    const element = known ?? part.make();
    this.made.set(part, element);
    finish(part, element);
    return element;
  }

  *boxes(): Generator<[BoxPart, SVGElement]> {
    for (const box of this.scene.boxes) {
      const element = this.made.get(box);
      if (element && this.shown.has(box)) yield [box, element];
    }
  }
}

export class Board {
  readonly element: HTMLElement;
  readonly frame: HTMLElement;
  readonly status = html("span", { class: "quiet", role: "status" });
  readonly search = html("input", {
    type: "text", role: "searchbox", placeholder: "name, operator, axis=1", autocomplete: "off", spellcheck: "false", "aria-label": "Search in the graphs" });
  private readonly panes: Pane[];
  private readonly viewport: Viewport;
  private readonly walkBar = html("div", { class: "field places-bar", hidden: true });
  private readonly walkText = html("span", { role: "status", class: "count" });
  private walked: { what: string; nodes: number[]; at: number } = { what: "", nodes: [], at: -1 };
  private marks: Record<"found" | "marked", Set<string>> = { found: new Set(), marked: new Set() };
  private words: string[] | undefined;
  private mode: Mode = "difference";
  private readonly modes = html("select", { "aria-label": "Colors" });
  private readonly legend = html("span", { class: "quiet" });
  private most: Figures = {};
  private size = { width: 1, height: 1 };

  // `heads`: above the panes. `tools`: further ones. `alone`: it has the window for itself.
  constructor(heads: HTMLElement[], private readonly nodes: BoardNodes, tools: HTMLElement[], alone = false) {
    const names = heads.length === 2 ? ["side-left", "side-right"] : heads.map((_, i) => `side-${i}`);
    this.panes = names.map((name) => new Pane(name, (at) => this.viewport.center(at, false)));
    this.frame = html("div", { class: `graph${alone ? " alone" : ""}`, tabindex: 0, role: "group",
      "aria-label": "Graphs; arrow keys move the view, plus and minus zoom, 0 shows the whole" },
    ...heads.map((head, i) => html("div", { class: "half" }, head, this.panes[i]?.element)));
    this.viewport = new Viewport(this.frame, (this.panes[0] as Pane).element, alone, () => this.moved());
    this.modes.addEventListener("change", () => this.color(this.modes.value as Mode));
    this.search.addEventListener("input", () => this.find());
    this.search.addEventListener("keydown", (event) => this.searchKey(event));
    this.frame.addEventListener("keydown", (event) => {
      if (!event.ctrlKey && !event.metaKey && !event.altKey && this.key(event.key)) event.preventDefault();
    });
    this.walkBar.append(button("Before", () => this.step(-1)), button("Next", () => this.step(1)), this.walkText);
    this.element = html("div", { class: "board" },
      html("div", { class: "tools" }, this.search, ...tools,
        button("Next change", () => this.nextChange(), { class: "next-change", title: "c" }), this.modes, this.legend,
        button("+", () => this.viewport.zoom(1.3), { "aria-label": "Zoom in" }),
        button("−", () => this.viewport.zoom(1 / 1.3), { "aria-label": "Zoom out" }),
        button("Fit", () => this.viewport.fit(), { title: "The whole drawing", class: "fit" }),
        button("Full screen", () => void this.element.requestFullscreen?.()),
        button("SVG", () => saveDrawings(this.pictures()), { class: "save", title: "Save as SVG" }),
        button("PNG", () => void savePng(this.pictures()), { class: "save-png", title: "Save as PNG" }), this.status),
      this.walkBar, this.frame);
    window.addEventListener("beforeprint", () => this.print(true));
    window.addEventListener("afterprint", () => this.print(false));
    let width = 0;
    // Beside the details the panes are narrower.
    new ResizeObserver(() => {
      if (width > 0 && width !== this.frame.clientWidth) this.resized();
      width = this.frame.clientWidth;
    }).observe(this.frame);
  }

  // The panes have another width.
  resized = (): void => this.moved();

  show(scene: Scene): void {
    this.size = { width: scene.width, height: scene.height };
    scene.panes.forEach((pane, i) => this.panes[i]?.set(pane));
    this.most = {};
    for (const { figures } of scene.panes.flatMap((pane) => pane.boxes)) {
      for (const name of ["bytes", "time"] as const) {
        if ((figures[name] ?? 0) > 0) this.most[name] = Math.max(this.most[name] ?? 0, figures[name] ?? 0);
      }
    }
    const modes = MODES.filter(([mode]) => mode === "difference" || this.most[mode] !== undefined);
    this.modes.replaceChildren(...modes.map(([mode, text]) => html("option", { value: mode, selected: mode === this.mode }, text)));
    this.modes.hidden = modes.length < 2;
    for (const pane of this.panes) pane.map.draw(pane.scene.boxes, scene.width, scene.height);
    this.viewport.show(scene.width, scene.height);
    this.color(modes.some(([mode]) => mode === this.mode) ? this.mode : "difference");
  }

  // How far a pane lies to the right of the first one's.
  shift(pane: number, by: number): void {
    const it = this.panes[pane];
    if (it) it.scene.shift = by;
  }

  lookAt(at: Point): void {
    this.viewport.lookAt(at);
  }

  center(at: Point): void {
    this.viewport.center(at);
  }

  onScreen(at: Point): Point {
    return this.viewport.onScreen(at);
  }

  keep(at: Point, screen: Point): void {
    this.viewport.keep(at, screen);
  }

  // Which pane has this element in it.
  paneOf(element: Element | null): HTMLElement | undefined {
    return this.panes.find((pane) => pane.element.contains(element))?.element;
  }

  key(name: string): boolean {
    if (name === "c") this.nextChange();
    else return this.viewport.key(name);
    return true;
  }

  // From node to node; these have a mark.
  walk(what: string, nodes: number[], mark: "found" | "marked", at = 0): void {
    this.walked = { what, nodes, at };
    this.marks = { found: new Set(), marked: new Set() };
    this.marks[mark] = new Set(nodes.flatMap((node) => this.nodes.ids(node)));
    this.walkBar.hidden = what === "";
    this.remark();
    this.step(0);
  }

  private step(by: number): void {
    const { what, nodes, at } = this.walked;
    if (nodes.length === 0) {
      this.walkText.textContent = what === "" ? "" : `${what} 0 of 0`;
      return;
    }
    this.walked.at = (at + by + nodes.length) % nodes.length;
    this.walkText.textContent = `${what} ${grouped(this.walked.at + 1)} of ${grouped(nodes.length)}`;
    this.nodes.goTo(nodes[this.walked.at] as number);
  }

  private nextChange(): void {
    if (this.walked.what === "change") this.step(1);
    else this.walk("change", this.nodes.changes(), "marked");
  }

  private find(): void {
    const typed = this.search.value.trim();
    if (typed === "") {
      this.walk("", [], "found");
      return;
    }
    const matches = matcher(typed);
    const all = this.nodes.all();
    this.words ??= all.map((node) => this.nodes.words(node).toLowerCase());
    const words = this.words;
    const found = typed.includes("=") ? all.filter((node, i) => matches(`${words[i]}\n${this.nodes.attributes(node).toLowerCase()}`))
      : all.filter((_, i) => matches(words[i] as string));
    this.walk("match", found, "found");
  }

  private searchKey(event: KeyboardEvent): void {
    if (event.key === "Enter") this.step(event.shiftKey ? -1 : 1);
    if (event.key !== "Escape") return;
    this.search.value = "";
    this.find();
    this.search.blur();
  }

  private finish = (part: Part, element: SVGElement): void => {
    if (!("id" in part)) return;
    const box = part as BoxPart;
    for (const mark of ["found", "marked"] as const) element.classList.toggle(mark, this.marks[mark].has(box.id));
    const rect = element.querySelector<SVGElement>(".box");
    if (!rect) return;
    const most = this.mode === "difference" ? undefined : this.most[this.mode];
    const figure = this.mode === "difference" ? 0 : box.figures[this.mode] ?? 0;
    // By the root, since a few have most of it.
    rect.style.fill = most === undefined ? "" : `color-mix(in srgb, var(--heat) ${Math.round(44 * Math.sqrt(figure / most))}%, var(--back))`;
  };

  private remark(): void {
    for (const pane of this.panes) for (const [box, element] of pane.boxes()) this.finish(box, element);
  }

  private color(mode: Mode): void {
    this.mode = mode;
    this.legend.textContent = mode === "difference" ? "" : `most: ${mode === "bytes" ? sizeText(this.most.bytes ?? 0)
      : `${digits((this.most.time ?? 0) / 1000, 3)} ms`}`;
    this.remark();
  }

  private isLarge(): boolean {
    return this.panes.some(({ scene }) => scene.under.length + scene.boxes.length > MOST_WHOLE);
  }

  private moved(): void {
    const area = this.viewport.area();
    const isLarge = this.isLarge();
    this.frame.classList.toggle("far", this.viewport.scale < LEAST_TEXT);
    for (const pane of this.panes) {
      const seen = { ...area, left: area.left + pane.shift, right: area.right + pane.shift };
      pane.moved.setAttribute("transform", this.viewport.transform(pane.shift));
      pane.draw(isLarge ? seen : undefined, this.finish);
      pane.map.show(seen);
    }
  }

  // The part of a pane that pictures and paper have: all of it, or of so many what is in view.
  private partOf(pane: Pane, isWhole: boolean): Area {
    if (isWhole) return { left: 0, top: 0, right: this.size.width, bottom: this.size.height };
    const area = this.viewport.area();
    return { ...area, left: area.left + pane.shift, right: area.right + pane.shift };
  }

  private pictures(): SVGSVGElement[] {
    const count = this.panes.reduce((sum, { scene }) => sum + scene.under.length + scene.boxes.length, 0);
    return this.panes.map((pane) => {
      const { left, top, right, bottom } = this.partOf(pane, count <= MOST_SAVED);
      const picture = svg("svg", { width: right - left, height: bottom - top, viewBox: `${left} ${top} ${right - left} ${bottom - top}`,
        class: pane.svg.getAttribute("class") ?? "" });
      for (const [part] of pane.parts()) {
        if (part.right < left || part.left > right || part.bottom < top || part.top > bottom) continue;
        const element = part.make();
        this.finish(part, element);
        picture.append(element);
      }
      return picture;
    });
  }

  // On paper a pane has the size of its drawing, or of what is in view if that is large.
  private print(isBegin: boolean): void {
    for (const pane of this.panes) {
      const { left, top, right, bottom } = this.partOf(pane, !this.isLarge());
      if (isBegin) {
        pane.svg.setAttribute("viewBox", `${left} ${top} ${right - left} ${bottom - top}`);
        pane.moved.removeAttribute("transform");
      } else {
        pane.svg.removeAttribute("viewBox");
      }
    }
    if (!isBegin) this.moved();
  }
}

// Words as they stand or as a regular expression.
function matcher(typed: string): (words: string) => boolean {
  const text = typed.toLowerCase();
  let pattern: RegExp | undefined;
  try {
    if (/[.*+?^$[\]()|\\]/.test(typed)) pattern = new RegExp(typed, "im");
  } catch {
    pattern = undefined;  // not whole yet
  }
  return (words) => words.includes(text) || (pattern?.test(words) ?? false);
}

// A head of a pane: what it is of, and how it is called.
export function paneHead(what: string, name: string): HTMLElement {
  return html("h3", { title: visible(name) }, what === "" ? "" : `${what} `, html("span", { class: "quiet" }, visible(name)));
}
