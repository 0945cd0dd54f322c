// Both graphs side by side, a neighbourhood at a time; what is aligned stands at the same height.
import * as dagre from "@dagrejs/dagre";
import { type Comparison, madeBy, pathAndName } from "./comparison";
import { button, html, svg } from "./dom";
import { JointGraph, type JointNode } from "./joint";
import { type Side, SIDES } from "./report";
import { type Actions } from "./summary";
import { SIGNS, farthest, visible } from "./text";

const NODE = { width: 184, height: 44 };
const MOST_AT_FIRST = 22;
const MOST_NODES = 400;
const LEAST_SCALE = 0.72;  // at which names can be read

interface Placed {
  key: number;
  node: JointNode;
  x: number;
  y: number;
}

export class GraphView {
  readonly element: HTMLElement;
  private readonly joint: JointGraph;
  // One view of two panes, so that both show the same place.
  private readonly panes: Record<Side, HTMLElement> = {
    left: html("div", { class: "pane" }), right: html("div", { class: "pane" }),
  };
  private readonly frame = html("div", { class: "graph", tabindex: 0, role: "group",
    "aria-label": "Graphs of both sides; arrow keys move the view, plus and minus zoom" },
  ...SIDES.map((side) => html("div", { class: "half" }, html("h3", {}, side), this.panes[side])));
  private readonly status = html("span", { class: "quiet", role: "status" });
  private readonly shown = new Set<number>();
  private center = -1;
  private selected = -1;
  private drawings: SVGSVGElement[] = [];
  private view = { x: 0, y: 0, scale: 1 };
  private size = { width: 0, height: 0 };

  constructor(private readonly comparison: Comparison, private readonly actions: Actions) {
    this.joint = new JointGraph(comparison);
    this.element = html("section", { "aria-labelledby": "graphs", id: "graph-section" },
      html("h2", { id: "graphs" }, "Both graphs, side by side"),
      html("div", { class: "tools" },
        button("More around it", () => this.grow()), button("Less", () => this.start(this.center)),
        button("From the selected", () => this.start(this.selected), { class: "from-selected" }),
        button("Zoom in", () => this.zoom(1.3), { "aria-label": "Zoom in" }),
        button("Zoom out", () => this.zoom(1 / 1.3), { "aria-label": "Zoom out" }),
        button("Whole drawing", () => this.fit()), this.status),
      this.frame,
      html("p", { class: "quiet" }, "Pairs stand opposite each other. A number on an edge of a node opens so many more ",
        "that it is made from (above) or that read it (below). Constants with the same bits are left out."));
    this.listen();
    const whenSeen = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      whenSeen.disconnect();
      if (this.center < 0) this.start(this.joint.keyOfRow(this.firstRow()));
    }, { rootMargin: "400px" });
    whenSeen.observe(this.element);
  }

  // The first cause, or the first that differs, or the last result.
  private firstRow(): number {
    const { causes, rows } = this.comparison.report;
    for (const cause of causes) {
      const row = this.comparison.rowOfCause(cause);
      if (row >= 0) return row;
    }
    for (const relation of ["different", "close"]) {
      const row = rows.findIndex((one) => one.relation === relation);
      if (row >= 0) return row;
    }
    return rows.length - 1;
  }

  showRow(row: number): void {
    const key = this.joint.keyOfRow(row);
    this.selected = key;
    this.start(key);
    this.element.scrollIntoView({ block: "start" });
    this.frame.focus({ preventScroll: true });
  }

  private start(key: number): void {
    if (key < 0 || !this.joint.node(key)) return;
    this.center = key;
    this.selected = key;
    this.shown.clear();
    this.shown.add(key);
    this.widen(2, MOST_AT_FIRST);
    this.draw(true);
  }

  private grow(): void {
    this.widen(1, MOST_NODES);
    this.draw(false);
  }

  // Adds what is so many steps around all that is shown.
  private widen(steps: number, most: number): void {
    let edge = [...this.shown];
    for (let step = 0; step < steps; ++step) {
      const next: number[] = [];
      for (const key of edge) {
        for (const other of [...this.joint.before(key).keys(), ...this.joint.after(key).keys()]) {
          if (this.shown.size >= most) return;
          if (this.shown.has(other) || this.joint.isPlain(other)) continue;
          this.shown.add(other);
          next.push(other);
        }
      }
      edge = next;
    }
  }

  private hidden(neighbours: Map<number, unknown>): number[] {
    return [...neighbours.keys()].filter((key) => !this.shown.has(key) && !this.joint.isPlain(key));
  }

  private expand(keys: number[]): void {
    for (const key of keys.slice(0, MOST_NODES)) this.shown.add(key);
    this.draw(false);
  }

  private layOut(): { placed: Placed[]; edges: { side: Side; points: { x: number; y: number }[] }[]; width: number; height: number } {
    const graph = new dagre.graphlib.Graph({ multigraph: false });
    graph.setGraph({ rankdir: "TB", nodesep: 22, ranksep: 46, marginx: 14, marginy: 14 });
    graph.setDefaultEdgeLabel(() => ({}));
    for (const key of this.shown) graph.setNode(String(key), { ...NODE });
    const sides = new Map<string, Set<Side>>();
    for (const key of this.shown) {
      for (const [from, of] of this.joint.before(key)) {
        if (!this.shown.has(from)) continue;
        graph.setEdge(String(from), String(key), {});
        sides.set(`${from} ${key}`, of);
      }
    }
    dagre.layout(graph);
    const placed: Placed[] = [];
    for (const key of this.shown) {
      const at = graph.node(String(key)) as { x: number; y: number };
      const node = this.joint.node(key);
      if (node) placed.push({ key, node, x: at.x, y: at.y });
    }
    placed.sort((a, b) => a.y - b.y || a.x - b.x);
    const edges = graph.edges().flatMap((edge: { v: string; w: string }) => {
      const { points } = graph.edge(edge) as { points: { x: number; y: number }[] };
      return [...(sides.get(`${edge.v} ${edge.w}`) ?? [])].map((side) => ({ side, points }));
    });
    const size = graph.graph() as { width: number; height: number };
    return { placed, edges, width: size.width, height: size.height };
  }

  private draw(again: boolean): void {
    const before = this.placeOnScreen(this.center);
    const { placed, edges, width, height } = this.layOut();
    this.size = { width, height };
    this.drawings = SIDES.map((side) => {
      const drawing = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, class: `side-${side}` });
      for (const edge of edges) {
        if (edge.side === side) drawing.append(svg("path", { class: "edge", d: curve(edge.points) }));
      }
      this.addFusions(drawing, side, placed);
      for (const one of placed) {
        if (one.node[side] !== undefined) drawing.append(this.nodeElement(side, one));
      }
      this.panes[side].replaceChildren(drawing);
      return drawing;
    });
    this.positions.clear();
    for (const one of placed) this.positions.set(one.key, one);
    this.status.textContent = `${placed.length} of ${this.comparison.report.rows.length} results`;
    if (again || !before) this.lookAt(this.center);
    else this.keepAt(this.center, before);
  }

  private readonly positions = new Map<number, Placed>();

  // A box around a pair and what it stands for.
  private addFusions(panel: SVGElement, side: Side, placed: Placed[]): void {
    const groups = new Map<number, Placed[]>();
    for (const one of placed) {
      const row = this.comparison.row(one.node.row);
      if (row && row[side].length > 1 && one.node[side] !== undefined) {
        groups.set(one.node.row, [...(groups.get(one.node.row) ?? []), one]);
      }
    }
    for (const group of groups.values()) {
      if (group.length < 2) continue;
      const pad = 8;
      const left = Math.min(...group.map((one) => one.x)) - NODE.width / 2 - pad;
      const right = Math.max(...group.map((one) => one.x)) + NODE.width / 2 + pad;
      const top = Math.min(...group.map((one) => one.y)) - NODE.height / 2 - pad;
      const bottom = Math.max(...group.map((one) => one.y)) + NODE.height / 2 + pad;
      panel.append(svg("rect", { class: "fusion", x: left, y: top, width: right - left, height: bottom - top, rx: 10 }));
    }
  }

  private nodeElement(side: Side, { key, node, x, y }: Placed): SVGElement {
    const result = this.joint.result(side, node);
    const row = this.comparison.row(node.row);
    const operator = visible(madeBy(result));
    const name = visible(pathAndName(result));
    const relation = node.absorbed ? "absorbed" : node.relation;
    const pairsError = node.left !== undefined && node.right !== undefined ? farthest(row?.diff) : "";
    const sign = node.absorbed ? "" : SIGNS[node.relation];
    const causes = this.comparison.causesAt(node.row).length > 0 && !node.absorbed;
    const texts = [short(operator, pairsError === "" ? 20 : 12), `${sign} ${pairsError}`.trim(),
      shortEnd(visible(this.comparison.brief(pathAndName(result))), 27)];
    const label = `${texts.filter((text) => text !== "").join(" ")}, ${side}, row ${node.row}`;
    const group = svg("g", { class: `node ${relation}${key === this.selected ? " selected" : ""}${causes ? " has-cause" : ""}`,
      transform: `translate(${x - NODE.width / 2} ${y - NODE.height / 2})`, tabindex: 0, role: "button", "aria-label": label,
      "data-node": node.row },
    svg("title", {}, `${operator} ${name.slice(0, 400)}\n${visible(result?.type ?? "")}\nrow ${node.row}`),
    svg("rect", { class: "box", width: NODE.width, height: NODE.height, rx: 5 }),
    svg("rect", { class: "bar", width: 5, height: NODE.height, rx: 2 }),
    svg("text", { class: "op", x: 12, y: 18 }, `${texts[0]} `),
    svg("text", { class: "error", x: NODE.width - 7, y: 18, "text-anchor": "end" }, `${texts[1]} `),
    svg("text", { class: "label", x: 12, y: 35 }, texts[2] ?? ""));
    const choose = (): void => {
      this.selected = key;
      for (const element of this.frame.querySelectorAll(".node.selected")) element.classList.remove("selected");
      for (const element of this.frame.querySelectorAll(`[data-node="${node.row}"]`)) element.classList.add("selected");
      this.actions.showRow(node.row);
    };
    group.addEventListener("click", choose);
    group.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      event.stopPropagation();
      choose();
    });
    const wrapper = svg("g", {}, group);
    const ends: [number[], number, string][] = [
      [this.hidden(this.joint.before(key)), y - NODE.height / 2, "made from"],
      [this.hidden(this.joint.after(key)), y + NODE.height / 2, "read by"],
    ];
    for (const [keys, edge, what] of ends) {
      if (keys.length > 0) wrapper.append(this.expander(keys, x + NODE.width / 2 - 22, edge, `${what} ${keys.length} more`));
    }
    return wrapper;
  }

  private expander(keys: number[], x: number, y: number, label: string): SVGElement {
    const open = svg("g", { class: "expander", transform: `translate(${x} ${y})`, tabindex: 0, role: "button",
      "aria-label": label },
    svg("title", {}, label), svg("rect", { x: -14, y: -8, width: 28, height: 16, rx: 8 }),
    svg("text", { y: 4, "text-anchor": "middle" }, `+${keys.length}`));
    open.addEventListener("click", () => this.expand(keys));
    open.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      event.stopPropagation();
      this.expand(keys);
    });
    return open;
  }

  private listen(): void {
    let from: { x: number; y: number } | undefined;
    this.frame.addEventListener("pointerdown", (event) => {
      if ((event.target as Element).closest("[role=button]")) return;
      from = { x: event.clientX - this.view.x, y: event.clientY - this.view.y };
      this.frame.setPointerCapture(event.pointerId);
    });
    this.frame.addEventListener("pointermove", (event) => {
      if (!from) return;
      this.view.x = event.clientX - from.x;
      this.view.y = event.clientY - from.y;
      this.place();
    });
    for (const end of ["pointerup", "pointercancel"]) this.frame.addEventListener(end, () => (from = undefined));
    this.frame.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      this.zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15, event);
    }, { passive: false });
    this.frame.addEventListener("keydown", (event) => {
      const moves: Record<string, [number, number]> = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] };
      const move = moves[event.key];
      if (move) {
        this.view.x += move[0];
        this.view.y += move[1];
        this.place();
      } else if (event.key === "+" || event.key === "=") {
        this.zoom(1.3);
      } else if (event.key === "-") {
        this.zoom(1 / 1.3);
      } else {
        return;
      }
      event.preventDefault();
    });
  }

  private place(): void {
    for (const drawing of this.drawings) {
      drawing.style.transform = `translate(${this.view.x}px, ${this.view.y}px) scale(${this.view.scale})`;
    }
  }

  // What a pane has room for.
  private room(): { width: number; height: number } {
    return { width: this.panes.left.clientWidth, height: this.panes.left.clientHeight };
  }

  private zoom(by: number, at?: MouseEvent): void {
    const room = this.room();
    const pane = (at?.target as Element | undefined)?.closest(".pane")?.getBoundingClientRect();
    const x = at && pane ? at.clientX - pane.left : room.width / 2;
    const y = at && pane ? at.clientY - pane.top : room.height / 2;
    const scale = Math.min(3, Math.max(0.05, this.view.scale * by));
    const ratio = scale / this.view.scale;
    this.view = { scale, x: x - (x - this.view.x) * ratio, y: y - (y - this.view.y) * ratio };
    this.place();
  }

  private fit(): void {
    const room = this.room();
    const scale = Math.min(1, room.width / this.size.width, room.height / this.size.height);
    this.view = { scale, x: (room.width - scale * this.size.width) / 2, y: (room.height - scale * this.size.height) / 2 };
    this.place();
  }

  // As a whole if that can be read, or else around a node.
  private lookAt(key: number): void {
    const room = this.room();
    const at = this.positions.get(key);
    const scale = Math.min(1, Math.max(LEAST_SCALE, Math.min(room.width / this.size.width, room.height / this.size.height)));
    const start = (length: number, most: number, middle: number): number => {
      const drawn = scale * length;
      return drawn <= most ? (most - drawn) / 2 : Math.min(8, Math.max(most - drawn - 8, most / 2 - scale * middle));
    };
    this.view = { scale, x: start(this.size.width, room.width, at?.x ?? 0), y: start(this.size.height, room.height, at?.y ?? 0) };
    this.place();
  }

  private placeOnScreen(key: number): { x: number; y: number } | undefined {
    const at = this.positions.get(key);
    return at && { x: at.x * this.view.scale + this.view.x, y: at.y * this.view.scale + this.view.y };
  }

  // What was looked at stays where it is while others come.
  private keepAt(key: number, screen: { x: number; y: number }): void {
    const at = this.positions.get(key);
    if (!at) return this.fit();
    this.view.x = screen.x - at.x * this.view.scale;
    this.view.y = screen.y - at.y * this.view.scale;
    this.place();
  }
}

function curve(points: { x: number; y: number }[]): string {
  const [first, ...rest] = points;
  if (!first) return "";
  let path = `M${first.x.toFixed(1)} ${first.y.toFixed(1)}`;
  for (let i = 0; i < rest.length; ++i) {
    const at = rest[i] as { x: number; y: number };
    const next = rest[i + 1];
    if (!next) path += `L${at.x.toFixed(1)} ${at.y.toFixed(1)}`;
    else path += `Q${at.x.toFixed(1)} ${at.y.toFixed(1)} ${((at.x + next.x) / 2).toFixed(1)} ${((at.y + next.y) / 2).toFixed(1)}`;
  }
  return path;
}

function short(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

function shortEnd(text: string, most: number): string {
  return text.length <= most ? text : `…${text.slice(1 - most)}`;
}
