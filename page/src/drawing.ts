// Models as they are drawn without a run: boxes and lines lie where the program put them.
import { type BoardNodes, type BoxPart, type PaneScene, type Part, Board, paneHead } from "./board";
import { button, html, svg } from "./dom";
import { NODE, closedScope, curve, openScope, pressable, tip } from "./graph_drawing";
import { type Box, type Layout } from "./layout";
import { type LayoutService } from "./layout_worker";
import { type Relation } from "./report";
import { type Scope, type Scoped, type Size, type Units, ScopeTree, taskOf, unitsOf } from "./scopes";
import { bytes, digits, grouped, visible } from "./text";
import { type Area, type Point } from "./viewport";

interface DrawnBox {
  name: string;
  lines: string[];  // the first is the operator
  more: string;     // what a reader gets who asks
  relation: Relation;
  end?: boolean;    // an input or output of the model
  inner?: boolean;  // within a body
  scope?: string;   // "encoder/layer.0"
  before?: number;  // its partner in the graph before
  after?: number;
  bytes?: number;
  microseconds?: number;
  box: [number, number, number, number];  // x and y of the middle, width, height
}

// A line goes by way of these points: x, y, x, y, ...
interface DrawnLine {
  type?: string;
  ends: [number, number];  // boxes
  way: number[];
}

interface DrawnGraph {
  title: string;
  left_out?: number;
  width: number;
  boxes: DrawnBox[];
  lines: DrawnLine[];
}

export interface Drawing {
  summary: string;
  differences: string[];
  height: number;
  graphs: DrawnGraph[];
}

const LINE = 14;
const MOST_NODES = 1500;

type Place = Omit<Box, "id">;

function placeOf({ box: [x, y, width, height] }: DrawnBox): Place {
  return { x, y, width, height };
}

function areaOf({ x, y, width, height }: Place): Area {
  return { left: x - width / 2, right: x + width / 2, top: y - height / 2, bottom: y + height / 2 };
}

function fileOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1) || path;
}

function elementOf(drawn: DrawnBox, { x, y, width, height }: Place, id: string, choose: () => void): SVGElement {
  const kind = `${drawn.end ? " end" : ""}${drawn.inner ? " inner" : ""}`;
  const group = svg("g", { class: `node drawn ${drawn.relation}${kind}`, transform: `translate(${x - width / 2} ${y - height / 2})`,
    tabindex: 0, role: "button", "data-unit": id, "data-relation": drawn.relation, "data-op": drawn.end ? "" : drawn.lines[0] ?? "" },
  svg("title", {}, `${drawn.lines.map(visible).join(" ")}\n${visible(drawn.name)}`),
  svg("rect", { class: "around", x: -5, y: -5, width: width + 10, height: height + 10, rx: 9 }),
  svg("rect", { class: "box", width, height, rx: drawn.end ? 10 : 5 }),
  !drawn.end && svg("rect", { class: "bar", width: 5, height, rx: 2 }));
  drawn.lines.forEach((line, i) => group.append(svg("text", { class: i === 0 ? "op" : line.startsWith("≠") ? "difference" : "label", x: 10, y: LINE * (i + 1) },
    `${visible(line)} `)));
  return pressable(group, choose);
}

function lineOf(points: Point[], type?: string): Part {
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
  return { left: Math.min(...xs) - 4, right: Math.max(...xs) + 4, top: Math.min(...ys), bottom: Math.max(...ys),
    make: () => svg("g", {}, svg("path", { class: "edge", d: curve(points) }, type !== undefined && svg("title", {}, visible(type))), tip(points)) };
}

function pointsOf({ way }: DrawnLine): Point[] {
  const points: Point[] = [];
  for (let i = 0; i + 1 < way.length; i += 2) points.push({ x: way[i] as number, y: way[i + 1] as number });
  return points;
}

export class DrawingView {
  readonly element: HTMLElement;
  readonly pane = html("aside", { class: "details", hidden: true, "aria-labelledby": "drawn-title", tabindex: -1 });
  readonly board: Board;
  private readonly first: number[] = [];  // by graph: the number of its first node
  private readonly count: number;
  private readonly scene: PaneScene[];
  private readonly byScope = button("By scope", () => this.toggleScopes(), { class: "by-scope", "aria-pressed": "false" });
  // By node: the number that it shares with its partners.
  private readonly jointOf: number[] = [];
  private scopes: ScopeTree | undefined;
  private opened: Set<Scope> | undefined;  // there if it is shown by scopes
  private places = new Map<string, Box>();  // of what is shown by scopes
  private draws = 0;

  // `alone`: it has the window for itself.
  constructor(private readonly drawing: Drawing, private readonly service: LayoutService, alone: boolean) {
    let count = 0;
    for (const graph of drawing.graphs) {
      this.first.push(count);
      count += graph.boxes.length;
    }
    this.count = count;
    this.join();
    const nodes: BoardNodes = {
      all: () => Array.from({ length: this.count }, (_, node) => node),
      words: (node) => this.wordsOf(node),
      attributes: (node) => this.at(node).more,
      changes: () => this.changes(),
      ids: (node) => [String(node)],
      goTo: (node) => this.goTo(node),
    };
    const heads = drawing.graphs.map(({ title, left_out }) =>
      paneHead("", left_out === undefined ? fileOf(title) : `${fileOf(title)} (${left_out} nodes are not shown)`));
    this.board = new Board(heads, nodes, [this.byScope], alone);
    this.scene = drawing.graphs.map((graph, g) => this.sceneOf(graph, g));
    this.element = html("section", { class: "drawing", "aria-label": "Graphs" },
      alone && html("h2", { class: "unseen" }, "Graphs"),
      drawing.graphs.length > 1 && html("div", { class: "summary", tabindex: 0, role: "group", "aria-label": "What differs" }, html("p", { id: "summary" }, visible(drawing.summary), "; by structure alone, nothing was run"),
        drawing.differences.length > 0 && html("ul", { id: "differences" }, ...drawing.differences.map((text) => html("li", {}, `≠ ${visible(text)}`)))),
      this.board.element);
    // A pane has no size before it is in the document.
    requestAnimationFrame(() => this.showAll());
  }

  private showAll(): void {
    const width = Math.max(1, ...this.drawing.graphs.map((graph) => graph.width));
    this.board.show({ width, height: Math.max(1, this.drawing.height), panes: this.scene });
    this.begin();
  }

  private join(): void {
    let count = 0;
    this.drawing.graphs.forEach((graph, g) => graph.boxes.forEach(({ before }) => {
      const partner = before === undefined ? undefined : this.jointOf[(this.first[g - 1] as number) + before];
      this.jointOf.push(partner ?? count++);
    }));
  }

  private toggleScopes(): void {
    this.byScope.setAttribute("aria-pressed", String(this.opened === undefined));
    if (this.opened) {
      this.opened = undefined;
      ++this.draws;
      this.board.status.textContent = "";
      this.showAll();
      return;
    }
    this.scopes ??= new ScopeTree(this.scoped());
    this.opened = new Set(this.scopes.around(this.jointOf[this.firstChange() ?? 0] ?? 0));
    void this.drawScopes(this.firstChange());
  }

  // A node and its partners are one.
  private scoped(): Iterable<Scoped> {
    const all = new Map<number, Scoped>();
    for (let node = 0; node < this.count; ++node) {
      const key = this.jointOf[node] as number;
      const { relation, scope } = this.at(node);
      const pane = String(this.graphOf(node));
      const known = all.get(key);
      if (!known) all.set(key, { key, row: key, relation, panes: [pane], causes: 0, parts: (scope ?? "").split("/").filter((part) => part !== "") });
      else known.panes.push(pane);
      if (known && known.relation === "same") known.relation = relation;
    }
    return all.values();
  }

  private *edges(): Generator<[number, number, string[]]> {
    for (const [g, graph] of this.drawing.graphs.entries()) {
      const key = (end: number): number => this.jointOf[(this.first[g] as number) + end] as number;
      for (const { ends } of graph.lines) yield [key(ends[0]), key(ends[1]), [String(g)]];
    }
  }

  // `at`: the node or the scope's unit that is looked at.
  private async drawScopes(at: number | string | undefined): Promise<void> {
    if (!this.scopes || !this.opened) return;
    const units = unitsOf(this.scopes, this.opened);
    const count = units.nodes.size + units.closed.size;
    if (count > MOST_NODES) {
      this.board.status.textContent = `${grouped(count)} boxes are too many to draw; close some`;
      return;
    }
    const nodes = new Map<number, number[]>();
    this.jointOf.forEach((key, node) => {
      if (units.nodes.has(String(key))) nodes.set(key, [...(nodes.get(key) ?? []), node]);
    });
    const sizeOf = (key: number): Size => {
      const all = (nodes.get(key) ?? []).map((node) => this.at(node).box);
      return { width: Math.max(...all.map(([, , width]) => width)), height: Math.max(...all.map(([, , , height]) => height)) };
    };
    const { task, panes } = taskOf(units, sizeOf, NODE, this.edges());
    const number = ++this.draws;
    this.board.status.textContent = "laying out…";
    let layout: Layout;
    try {
      layout = await this.service.layOut(task);
    } catch {
      if (number === this.draws) this.board.status.textContent = "this graph is too deep to be laid out by scopes";
      return;
    }
    if (number !== this.draws) return;
    this.places = new Map([...layout.nodes, ...layout.groups].map((box) => [box.id, box]));
    const scenes = this.drawing.graphs.map((_, g) => this.scopedScene(String(g), units, nodes, layout, panes));
    this.board.show({ width: layout.width, height: layout.height, panes: scenes });
    this.board.status.textContent = `${grouped(units.nodes.size)} boxes, ${grouped(units.closed.size)} closed scopes`;
    const place = this.places.get(typeof at === "string" ? at : String(this.jointOf[at ?? 0])) ?? layout.nodes[0];
    if (place) this.board.lookAt(place);
  }

  private scopedScene(pane: string, units: Units, nodes: Map<number, number[]>, layout: Layout, panes: Set<string>[]): PaneScene {
    const scene: PaneScene = { under: [], boxes: [], over: [] };
    const toggle = (scope: Scope) => (): void => {
      if (!this.opened?.delete(scope)) this.opened?.add(scope);
      void this.drawScopes(`s${scope.id}`);
    };
    for (const [id, scope] of units.open) {
      const place = this.places.get(id);
      if (place && scope.panes.has(pane)) scene.under.push({ ...areaOf(place), make: () => openScope(scope, place, toggle(scope)) });
    }
    layout.edges.forEach((points, i) => {
      if (panes[i]?.has(pane)) scene.under.push(lineOf(points));
    });
    for (const [id, scope] of units.closed) {
      const place = this.places.get(id);
      if (!place || !scope.panes.has(pane)) continue;
      scene.boxes.push({ ...areaOf(place), id, relation: scope.count.different > 0 ? "different" : scope.count.left_only + scope.count.right_only > 0 ? "left_only" : "same",
        figures: {}, make: () => closedScope(pane === "0" ? "left" : "right", scope, place, "nodes", toggle(scope)) });
    }
    for (const [key, all] of nodes) {
      const place = this.places.get(String(key));
      const node = all.find((one) => String(this.graphOf(one)) === pane);
      if (place && node !== undefined) scene.boxes.push(this.boxOf(node, place));
    }
    return scene;
  }

  private sceneOf(graph: DrawnGraph, g: number): PaneScene {
    const boxes = graph.boxes.map((drawn, i) => this.boxOf((this.first[g] as number) + i, placeOf(drawn)));
    return { boxes, under: graph.lines.map((line) => lineOf(pointsOf(line), line.type)), over: [] };
  }

  private boxOf(node: number, place: Place): BoxPart {
    const drawn = this.at(node);
    return { ...areaOf(place), id: String(node), relation: drawn.relation, figures: { bytes: drawn.bytes, time: drawn.microseconds },
      make: () => elementOf(drawn, place, String(node), () => this.choose(node, true)) };
  }

  private graphOf(node: number): number {
    let graph = this.first.length - 1;
    while (graph > 0 && (this.first[graph] as number) > node) --graph;
    return graph;
  }

  private at(node: number): DrawnBox {
    const g = this.graphOf(node);
    return this.drawing.graphs[g]?.boxes[node - (this.first[g] as number)] as DrawnBox;
  }

  private wordsOf(node: number): string {
    const { name, lines, end } = this.at(node);
    return end ? name : `${name}\n${lines[0] ?? ""}`;
  }

  // By their height; a pair once.
  private changes(): number[] {
    const all: number[] = [];
    this.drawing.graphs.forEach((graph, g) => graph.boxes.forEach(({ relation, before }, i) => {
      const isOfPair = before !== undefined && this.drawing.graphs[g - 1]?.boxes[before]?.relation === "different";
      if (relation !== "same" && !(relation === "different" && isOfPair)) all.push((this.first[g] as number) + i);
    }));
    return all.sort((a, b) => this.at(a).box[1] - this.at(b).box[1] || a - b);
  }

  // The node and its partners, from neighbour to neighbour; undefined where one has none.
  private inStep(node: number): (number | undefined)[] {
    const own = this.graphOf(node);
    const all: (number | undefined)[] = this.drawing.graphs.map(() => undefined);
    all[own] = node;
    for (const [way, by] of [["after", 1], ["before", -1]] as const) {
      for (let g = own + by, it: number | undefined = node; g >= 0 && g < all.length && it !== undefined; g += by) {
        const partner: number | undefined = this.at(it)[way];
        it = partner === undefined ? undefined : (this.first[g] as number) + partner;
        all[g] = it;
      }
    }
    return all;
  }

  // The nearest of the same graph that has a partner in each other one, or in as many as there are.
  private nearestPaired(node: number): number {
    const g = this.graphOf(node);
    const [x, y] = this.at(node).box;
    let [best, least] = [node, Infinity];
    this.drawing.graphs[g]?.boxes.forEach(({ box, before, after }, i) => {
      if ((g > 0 && before === undefined) || (g + 1 < this.drawing.graphs.length && after === undefined)) return;
      const far = Math.abs(box[0] - x) + 3 * Math.abs(box[1] - y);
      if (far < least) [best, least] = [(this.first[g] as number) + i, far];
    });
    return best;
  }

  // A node in the middle of its pane, its partners in the middle of theirs.
  private align(node: number): { x: number; y: number } {
    const own = this.inStep(node);
    const near = own.includes(undefined) ? this.inStep(this.nearestPaired(node)) : own;
    const [x, y] = this.at(node).box;
    const g = this.graphOf(node);
    const nearX = near[g] === undefined ? x : this.at(near[g]).box[0];
    const lefts = own.map((one, i) => one !== undefined ? this.at(one).box[0] : near[i] !== undefined ? this.at(near[i]).box[0] + x - nearX : x);
    lefts.forEach((left, i) => this.board.shift(i, left - (lefts[0] as number)));
    return { x: lefts[0] as number, y };
  }

  private goTo(node: number): void {
    if (this.opened && this.scopes) {
      for (const scope of this.scopes.around(this.jointOf[node] as number)) this.opened.add(scope);
      void this.drawScopes(node).then(() => this.choose(node, false));
      return;
    }
    this.board.center(this.align(node));
    this.choose(node, false);
  }

  private firstChange(): number | undefined {
    const changes = this.changes();
    return changes.find((node) => this.at(node).relation === "different") ?? changes[0];
  }

  // The first place where they differ, of one model its top.
  private begin(): void {
    const first = this.firstChange();
    const top = this.drawing.graphs[0]?.boxes.reduce((best, one, i, all) => one.box[1] < (all[best]?.box[1] ?? 0) ? i : best, 0);
    if (this.count === 0) return;
    if (first !== undefined) this.board.center(this.align(first));
    else this.board.lookAt(this.align(top ?? 0));
  }

  private choose(node: number, open: boolean): void {
    const all = this.inStep(node);
    for (const element of this.board.frame.querySelectorAll(".node.selected")) element.classList.remove("selected");
    for (const one of all) if (one !== undefined) this.board.frame.querySelector(`[data-unit="${one}"]`)?.classList.add("selected");
    if (open || !this.pane.hidden) this.tell(all);
  }

  private tell(all: (number | undefined)[]): void {
    const parts = all.flatMap((node, g) => node === undefined ? [] : [html("section", {}, html("h3", {}, visible(fileOf(this.drawing.graphs[g]?.title ?? ""))),
      html("p", { class: "told" }, textOf(this.at(node))))]);
    for (const other of document.querySelectorAll<HTMLElement>(".details")) other.hidden = true;
    const first = this.at(all.find((node) => node !== undefined) ?? 0);
    this.pane.replaceChildren(html("header", {}, html("h2", { id: "drawn-title" }, visible(first.lines[0] ?? "")),
      button("Close", () => this.close(), { class: "dismiss" })), ...parts);
    this.pane.hidden = false;
    document.body.classList.add("with-details");
  }

  close(): void {
    this.pane.hidden = true;
    document.body.classList.remove("with-details");
  }
}

function textOf({ name, more, bytes: size, microseconds }: DrawnBox): string {
  return [visible(name), ...more.split("\n").map(visible), size === undefined ? "" : `${bytes(size)} of results and constants`,
    microseconds === undefined ? "" : `${digits(microseconds / 1000, 3)} ms`].filter((line) => line !== "").join("\n");
}
